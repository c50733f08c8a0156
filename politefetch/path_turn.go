package politefetch

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/politefetch/sdk/ratepolicy"
)

// A turn is leave to send one request. In a visit that is the turn of the visit's key and
// of the host's own, where they differ: the visit keeps one pace over all its hosts, and
// each host what it asked of anybody. The visit's key alone decides on the route.
type turn struct {
	leases  [2]*ratepolicy.Lease // the second: of a visit's further host; nil: there is none
	relayed bool                 // the visit's key goes through the relay
	gentle  bool                 // one of the keys goes at the gentle pace
}

// ErrStore is what an [*Error] wraps when the bot's own [Config].Store failed. Nothing is
// sent then (unless it failed as the turn was given back), and nothing is to be said of
// the site: ask again when the store works.
var ErrStore = errors.New("the store failed")

// storeError is the failure of the bot's own store: nobody's but the bot's.
type storeError struct{ err error }

func (e *storeError) Error() string   { return "the store failed: " + e.err.Error() }
func (e *storeError) Unwrap() []error { return []error{ErrStore, e.err} }

// turn waits for the leases without which nothing is sent, in an order that no two calls
// can lock each other out by. waited reports whether it was not there for the taking.
func (e *errand) turn(ctx context.Context, u *url.URL, delay time.Duration) (t turn, waited bool, err error) {
	switch err := context.Cause(ctx); {
	case err != nil:
		return t, false, err
	case e.halted.Load():
		return t, false, &Error{URL: u.String(), Err: errHalted}
	}
	own := e.c.cfg.Key(u)
	keys := [2]string{own, own}
	if e.siteKey != "" {
		keys = [2]string{min(own, e.siteKey), max(own, e.siteKey)}
	}
	for i, key := range keys {
		if i == 1 && key == keys[0] {
			break
		}
		lim := e.lim
		if e.siteKey != "" && key != e.siteKey {
			lim = e.c.lim // never relayed
		}
		lease, late, err := e.lease(ctx, u, lim, key, delay)
		waited = waited || late
		if err != nil {
			_, rerr := t.release(ctx, ratepolicy.Answer{})
			return turn{}, waited, errors.Join(err, rerr)
		}
		t.leases[i] = lease
		t.relayed = t.relayed || lease.Relayed()
		t.gentle = t.gentle || lease.Gentle()
	}
	if t.relayed && own != e.siteKey {
		if err := e.walled(ctx, u, own); err != nil {
			_, rerr := t.release(ctx, ratepolicy.Answer{})
			return turn{}, waited, errors.Join(err, rerr)
		}
	}
	return t, waited, nil
}

// walled refuses to read a visit's further host through the relay if that host answered
// with a bot wall itself.
func (e *errand) walled(ctx context.Context, u *url.URL, key string) error {
	now, err := e.c.lim.Status(ctx, key)
	switch {
	case err != nil:
		return &storeError{err}
	case now.Walled.IsZero():
		return nil
	}
	return e.bar(ctx, u.String(), fmt.Errorf("a bot wall answered on %s at %s: it is not read through the relay", key, now.Walled.UTC().Format(time.RFC3339)))
}

// lease takes the turn of one key.
func (e *errand) lease(ctx context.Context, u *url.URL, lim *ratepolicy.Limiter, key string, delay time.Duration) (l *ratepolicy.Lease, waited bool, err error) {
	l, err = lim.TryAcquire(ctx, key, delay)
	w := waitError(err)
	if w != nil {
		e.c.observe(ctx, Event{Kind: EventWait, URL: u.String(), Key: key, Until: w.Until, Held: w.Held, Why: w.Why})
	}
	if w != nil && e.maxWait >= 0 {
		waiting, cancel := e.waiting(ctx, w)
		defer cancel()
		l, err = lim.Acquire(waiting, key, delay)
		waited = true
	}
	if w := waitError(err); w != nil && w.Held && e.siteKey != "" {
		e.halted.Store(true) // it ends the visit, also for pages that are answered when less of it is left
	}
	if err != nil && waitError(err) == nil && !ended(ctx, err) {
		err = &storeError{err}
	}
	if err == nil && l.Local() {
		e.c.alone(ctx, u.String(), key, "this process gives itself the turn", l.StoreErr())
	}
	return l, waited, err
}

// alone makes the event that the store failed and the bot goes on; err may be nil if it has
// come back since.
func (c *Crawler) alone(ctx context.Context, addr, key, what string, err error) {
	why := what + ", for " + ErrStore.Error()
	if err != nil {
		why += ": " + err.Error()
	}
	c.observe(ctx, Event{Kind: EventStore, URL: addr, Key: key, Why: why})
}

// owed makes the event that what an answer showed is not in the store yet.
func (e *errand) owed(ctx context.Context, x *exchange) {
	for _, l := range x.turn.leases {
		if l == nil || l.Local() {
			continue // told when it was given
		}
		if err := l.StoreErr(); err != nil {
			e.c.alone(ctx, x.addr, e.c.cfg.Key(x.u), "what came of the request is told the store later", err)
		}
	}
}

// waiting bounds a wait by the errand's MaxWait; w is what it ends with then.
func (e *errand) waiting(ctx context.Context, w *ratepolicy.WaitError) (context.Context, context.CancelFunc) {
	if e.maxWait <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, e.maxWait, w)
}

// maxWait is the longest hold that the pace of all keys sits out.
func (t *turn) maxWait() time.Duration {
	most := t.leases[0].MaxWait()
	if t.leases[1] != nil {
		most = min(most, t.leases[1].MaxWait())
	}
	return most
}

// pause waits before a redirect is followed that asked for it (RFC 9110 section 10.2.3).
// It is bounded by most, as the wait of a hold is.
func (e *errand) pause(ctx context.Context, next *url.URL, until time.Time, why string, most time.Duration) error {
	wait := time.Until(until)
	if wait <= 0 {
		return nil
	}
	if e.maxWait != 0 {
		most = min(most, e.maxWait)
	}
	w := &ratepolicy.WaitError{Key: e.c.cfg.Key(next), Until: until, Why: why, Held: true}
	if wait > most {
		return w
	}
	e.c.observe(ctx, Event{Kind: EventWait, URL: next.String(), Key: w.Key, Until: until, Held: true, Why: why})
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// answered and release tell every lease what came of the request; what came through the
// relay is no word to keys that are asked directly. opens is when all may be asked again.
func (t *turn) answered(ctx context.Context, a ratepolicy.Answer) (err error) {
	for _, l := range t.leases {
		if l != nil && l.Relayed() == t.relayed {
			err = errors.Join(err, l.Answered(ctx, a))
		}
	}
	return stored(err)
}

func (t *turn) release(ctx context.Context, a ratepolicy.Answer) (opens time.Time, err error) {
	for _, l := range t.leases {
		if l == nil {
			continue
		}
		said := a
		if l.Relayed() != t.relayed {
			said = ratepolicy.Answer{}
		}
		at, lerr := l.Release(ctx, said)
		opens, err = later(opens, at), errors.Join(err, lerr)
	}
	return opens, stored(err)
}

// isStore reports whether an error is the store's.
func isStore(err error) bool {
	_, ok := errors.AsType[*storeError](err)
	return ok
}

func stored(err error) error {
	if err == nil {
		return nil
	}
	return &storeError{err}
}

// errNoAnswer is a transport's breach of its contract.
func errNoAnswer(what string) error { return fmt.Errorf("the transport returned %s", what) }
