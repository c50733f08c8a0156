package ratepolicy

import (
	"context"
	"math/rand/v2"
	"time"
)

// A Limiter hands out turns, key by key. It is safe for concurrent use. Make one with
// [New] and share it; its views ([Limiter.Visit]) share everything with it.
type Limiter struct {
	core  *core
	visit *visit // nil: not a view
}

// core is what a Limiter and its views share.
type core struct {
	policy Policy
	store  Store
	limit  time.Duration // of one call of it
	memory *memory       // the store, if it is this process's
	alone  *alone        // else what it does when the store fails
	line   line
	over   Answer // stands for the head of a request that has ended
}

// New returns a Limiter for p that remembers in store; nil: in memory.
func New(p Policy, store Store) *Limiter {
	c := &core{policy: filled(p), store: store, limit: CallTimeout(store)}
	if store == nil {
		c.memory = newMemory()
	} else {
		c.alone = newAlone(c.policy)
	}
	return &Limiter{core: c}
}

// TryAcquire takes the key's turn if there is one now. Else it returns a [*WaitError]
// whose Until lies ahead: the earliest instant at which asking again can succeed, as
// things stand. Only a turn given back unused, a waiter leaving or a [Limiter.Forget] can
// open the key earlier. While every place is taken, nobody knows when one is free;
// Until is then the delay away, or with a Burst no more than 100 ms, which is the least. It
// never goes before a waiting [Limiter.Acquire] of this process. It doesn't wait for
// anything but the store.
//
// CrawlDelay is robots.txt's for this request, 0 for none.
func (l *Limiter) TryAcquire(ctx context.Context, key string, crawlDelay time.Duration) (*Lease, error) {
	t, err := l.turnstile(ctx, key, crawlDelay)
	if err != nil {
		return nil, err
	}
	ahead := l.core.line.all(t.key)
	kind := opTake
	if ahead.n > 0 {
		kind = opLook
	}
	var o op
	lease, err := t.try(ctx, kind, &o)
	if lease != nil || err != nil {
		return lease, err
	}
	at := o.v.queued(ahead)
	if o.v.full || at <= o.now {
		at = max(at, after(o.now, pollEvery))
	}
	return nil, t.refuse(&o, at, o.v.held())
}

// pollEvery is how soon to ask again when the state can't say.
const pollEvery = 100 * time.Millisecond

// queued is a lower bound of the turn after those ahead.
func (v *verdict) queued(ahead queue) int64 {
	if ahead.n == 0 {
		return v.at
	}
	waits, delay := max(v.waits, ahead.waits), min(v.pace.Delay, ahead.delay)
	return after(v.at, times(max(ahead.n-waits, 0), delay))
}

// gap is that of k's turn, for as long as the record isn't known.
func (p *Policy) gap(k *ask) gap {
	q := p.pace(k.mode)
	if k.crawl > 0 {
		q.Delay, q.Burst = max(q.Delay, k.crawl), 1
	}
	return gap{q.Delay, q.Burst - 1}
}

// Acquire waits for the key's turn. Waiters of one process are served in the order in
// which they came; they hold a place in line, never an instant, so that a new hold
// moves all of them. It returns a [*WaitError] at once, and whenever that comes to be so,
// if a hold lies further ahead than the pace's MaxWait, or if the turn, as the line
// stands, isn't before ctx's deadline. When ctx ends it returns [context.Cause]. An error
// of the store is returned as it is: no turn is given that isn't on record, but for those
// of [Policy.FailLocal].
//
// CrawlDelay is robots.txt's for this request, 0 for none. It is not remembered as a
// rule: a delay that robots.txt no longer has ends with the next Acquire.
func (l *Limiter) Acquire(ctx context.Context, key string, crawlDelay time.Duration) (*Lease, error) {
	t, err := l.turnstile(ctx, key, crawlDelay)
	if err != nil {
		return nil, err
	}
	c := l.core
	var o op
	if c.memory != nil && c.line.all(t.key).n == 0 { // a store takes its time: who comes meanwhile is behind
		lease, err := t.try(ctx, opTake, &o)
		if lease != nil || err != nil {
			return lease, err
		}
		if err := t.hopeless(ctx, &o, queue{}); err != nil {
			return nil, err
		}
	}
	w := c.line.join(t.key, c.policy.gap(&t.ask))
	defer c.line.leave(t.key, w)
	_, count := ctx.Deadline()
	for {
		ahead, kind := c.line.ahead(w, count), opTake
		if ahead.n > 0 {
			kind = opLook
		}
		lease, err := t.try(ctx, kind, &o)
		if lease != nil || err != nil {
			return lease, err
		}
		c.line.paced(w, gap{o.v.pace.Delay, o.v.waits})
		if err := t.hopeless(ctx, &o, ahead); err != nil {
			return nil, err
		}
		wait := o.nap()
		if ahead.n > 0 {
			wait = 0
		}
		if err := w.wait(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// nap is how long the first in line may sleep before it looks again.
func (o *op) nap() time.Duration {
	if o.failure != nil {
		at := min(max(o.v.at, o.v.frees), after(o.now, max(o.failure.again, pollEvery)))
		return time.Duration(at - o.now)
	}
	if !o.v.full {
		return time.Duration(o.v.at - o.now)
	}
	if o.core.memory != nil { // a Release will wake it
		return time.Duration(o.v.frees - o.now)
	}
	return time.Duration(min(o.v.frees, max(o.v.at, after(o.now, pollEvery))) - o.now)
}

// A turnstile is one caller's way to a key: which record, and with what.
//
// The lease is made before it is known whether it will be given: memory that is new is slow
// to write to at first, and so that goes along with the search for the record.
type turnstile struct {
	l     *Limiter
	lease *Lease
	name  string // the caller's key
	key   string // the record's
	ask   ask
}

// turnstile settles a visit's route and starts an ask.
func (l *Limiter) turnstile(ctx context.Context, key string, crawlDelay time.Duration) (turnstile, error) {
	if ctx.Err() != nil {
		return turnstile{}, context.Cause(ctx)
	}
	crawlDelay = max(crawlDelay, 0)
	t := turnstile{
		l: l, lease: &Lease{l: l, name: key, crawl: crawlDelay},
		name: key, key: key, ask: ask{crawl: crawlDelay},
	}
	if l.visit == nil {
		return t, nil
	}
	l.visit.fill(key, &t.ask)
	if !t.ask.fixed && l.core.policy.RelayAfter > 0 {
		o := op{core: l.core, kind: opLook, key: key, ask: t.ask}
		if err := o.do(ctx); err != nil {
			return t, orCause(ctx, err)
		}
		l.visit.fix(key, o.v.mode, o.now)
		l.visit.fill(key, &t.ask)
	}
	t.key = recordKey(key, t.ask.mode)
	return t, nil
}

// recordKey is the key of the record for a mode: each route has one.
func recordKey(key string, m Mode) string {
	if m == ModeRelay {
		return relayKey(key)
	}
	return key
}

// relayKey is the record of a key's other route.
func relayKey(key string) string { return "relay " + key }

// try makes one attempt. Without a lease or an error, o says why.
func (t *turnstile) try(ctx context.Context, kind opKind, o *op) (*Lease, error) {
	c, visit := t.l.core, t.l.visit
	if visit != nil {
		visit.fill(t.name, &t.ask)
	}
	if t.ask.mode == ModeRelay { // the host's holds bind both routes
		*o = op{core: c, kind: opLook, key: t.name, ask: t.ask}
		if err := o.do(ctx); err != nil {
			return nil, orCause(ctx, err)
		}
		if o.v.hold > o.now {
			o.v.full, o.v.at = false, o.v.hold
			return nil, nil
		}
	}
	*o = op{core: c, kind: kind, key: t.key, ask: t.ask, id: rand.Uint64()} //nolint:gosec // no secret
	if err := o.do(ctx); err != nil {
		return nil, orCause(ctx, err)
	}
	if kind != opTake || !o.v.open {
		return nil, nil
	}
	if visit != nil {
		visit.fix(t.name, o.v.mode, o.now)
	}
	t.lease.served = served{id: o.id, granted: o.now, mode: o.v.mode, tight: o.v.tight, visit: visit != nil, local: o.failure != nil}
	return t.lease, nil
}

// orCause prefers the reason why ctx ended.
func orCause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// hopeless returns the WaitError if there is no point in waiting.
func (t *turnstile) hopeless(ctx context.Context, o *op, ahead queue) error {
	if o.v.hold > o.now && time.Duration(o.v.hold-o.now) > o.v.pace.MaxWait {
		return t.refuse(o, max(o.v.at, o.v.hold), true)
	}
	if dl, ok := ctx.Deadline(); ok {
		if at := o.v.queued(ahead); !o.callers(at).Before(dl) {
			return t.refuse(o, at, o.v.held())
		}
	}
	return nil
}

func (t *turnstile) refuse(o *op, at int64, held bool) error {
	until, now := o.callers(at), time.Now()
	if !until.After(now) { // by a clock that is a little behind
		until = now.Add(time.Duration(at - o.now))
	}
	return &WaitError{Key: t.name, Until: until, Why: o.reason(held), Held: held}
}

// Hold keeps the key from being asked before until, by the caller's clock. Why is the
// reason that errors and [Limiter.Status] will give. An earlier hold that lasts longer
// stands. A hold, like the server's own, is subject to MaxWait, and ends with
// [Limiter.Forget].
func (l *Limiter) Hold(ctx context.Context, key string, until time.Time, why string) error {
	o := op{core: l.core, kind: opHold, key: key, until: until, why: clean(why, maxWhy)}
	err := o.do(ctx)
	l.core.line.wakeAll(key)
	return err
}

// Forget drops what is remembered against the key: holds, backoff, gentle mode, bot
// walls, on both routes. It is the only thing that shortens a hold. Turns in flight and
// the delay after the last answer stay, and visits under way keep their pace.
func (l *Limiter) Forget(ctx context.Context, key string) error {
	for _, k := range [...]string{relayKey(key), key} {
		o := op{core: l.core, kind: opForget, key: k}
		if err := o.do(ctx); err != nil {
			return err
		}
		l.core.line.wakeAll(k)
	}
	return nil
}
