package ratepolicy

import (
	"context"
	"sync"
	"time"
)

// A Lease is leave to make one request. Its methods are safe for concurrent use, and
// work after the context of its Acquire has ended.
type Lease struct {
	l         *Limiter
	key, name string // the record's key, the caller's
	crawl     time.Duration

	mu     sync.Mutex
	served served
	done   bool
	head   Answer // if served.heard
}

// Relayed reports whether the request is to take the other route.
func (l *Lease) Relayed() bool { return l.served.mode == ModeRelay }

// Gentle reports whether the request goes at the gentle pace, be it that the host limited
// the rate earlier or in this visit.
func (l *Lease) Gentle() bool {
	s := &l.served
	return s.mode == ModeGentle || s.mode == ModeNormal && s.own > l.l.core.policy.Normal.Delay
}

// Answered tells the limiter what the answer's head showed while the body is still
// open. A wait that it asks for counts from now, and the Release that follows doesn't
// start it again. Without Answered, Release does it all. Only the first call counts, and
// none after Release.
func (l *Lease) Answered(ctx context.Context, a Answer) error {
	l.mu.Lock()
	if l.done || l.served.heard || a.class() == nothing {
		l.mu.Unlock()
		return nil
	}
	l.served.heard, l.head = true, a
	served := l.served
	l.mu.Unlock()
	l.note(&a)
	if c := a.class(); c != limited && c != unavailable && !a.binds() {
		return nil // it asks for nothing
	}
	o := l.l.core.op(opHead, l.key)
	defer o.free()
	o.served, o.answer = served, a
	err := o.do(l.l.core.uncancelled(ctx))
	if err != nil {
		l.mu.Lock()
		l.served.heard = false
		l.mu.Unlock()
	}
	l.l.core.line.wakeAll(l.key)
	return err
}

// Release ends the request, its body included, with what it showed. The zero Answer
// says that nothing was sent: the turn is given back. Opens is the earliest instant
// at which the key may be asked again, by the caller's clock. Only the first call
// counts; later ones return zeros. An error is the store's: the place in flight then
// stays taken until the lease runs out, and what the answer asked for is not on record.
func (l *Lease) Release(ctx context.Context, a Answer) (opens time.Time, err error) {
	l.mu.Lock()
	if l.done {
		l.mu.Unlock()
		return time.Time{}, nil
	}
	l.done = true
	served := l.served
	if served.heard && a.Status == 0 { // the body broke off
		a.Status, a.Wait, a.From = l.head.Status, l.head.Wait, l.head.From
	}
	l.mu.Unlock()
	l.note(&a)
	o := l.l.core.op(opEnd, l.key)
	defer o.free()
	o.served, o.answer = served, a
	o.ask.crawl = l.crawl
	if l.l.visit != nil {
		l.l.visit.fill(l.name, &o.ask)
	}
	err = o.do(l.l.core.uncancelled(ctx))
	if err == nil {
		opens = o.callers(o.v.at)
	}
	if l.l.core.line.total.Load() > 0 {
		if o.v.hold > o.now || err != nil {
			l.l.core.line.wakeAll(l.key)
		} else {
			l.l.core.line.wakeFirst(l.key)
		}
	}
	return opens, err
}

// note marks the visit.
func (l *Lease) note(a *Answer) {
	if l.l.visit != nil {
		l.l.visit.note(l.name, a, l.served.mode)
	}
}

// uncancelled is ctx without its end, which memory doesn't look at.
func (c *core) uncancelled(ctx context.Context) context.Context {
	if c.local {
		return ctx
	}
	return context.WithoutCancel(ctx)
}
