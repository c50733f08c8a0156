package ratepolicy

import (
	"context"
	"sync/atomic"
	"time"
)

// A Lease is leave to make one request. Its methods are safe for concurrent use, and
// work after the context of its Acquire has ended.
type Lease struct {
	l      *Limiter
	name   string // the caller's key
	crawl  time.Duration
	served served
	head   atomic.Pointer[Answer] // nil until it is told; after Release core.over
}

// key is the record's.
func (l *Lease) key() string { return recordKey(l.name, l.served.mode) }

// Relayed reports whether the request is to take the other route.
func (l *Lease) Relayed() bool { return l.served.mode == ModeRelay }

// Local reports whether the store failed and the turn was given by this process alone
// ([Policy.FailLocal]).
func (l *Lease) Local() bool { return l.served.local }

// StoreErr is the store's error for as long as it fails for the key, which is why a turn is
// Local; nil: it doesn't.
func (l *Lease) StoreErr() error {
	if l.l.core.alone == nil {
		return nil
	}
	return l.l.core.alone.why(l.key())
}

// Gentle reports whether the request goes at the gentle pace, be it that the host limited
// the rate earlier or in this visit, or that the turn is Local.
func (l *Lease) Gentle() bool {
	s := &l.served
	return s.local || s.mode == ModeGentle || s.tight
}

// MaxWait is the longest hold that the pace of the request sits out ([Pace.MaxWait]); 0:
// none. It is for waits that are the caller's own, such as a redirect's Retry-After.
func (l *Lease) MaxWait() time.Duration { return l.l.core.policy.pace(l.served.mode).MaxWait }

// Answered tells the limiter what the answer's head showed while the body is still
// open. A wait that it asks for counts from now, and the Release that follows doesn't
// start it again. Without Answered, Release does it all. Only the first call counts, and
// none after Release.
func (l *Lease) Answered(ctx context.Context, a Answer) error {
	head := a
	if a.class() == nothing || !l.head.CompareAndSwap(nil, &head) {
		return nil
	}
	l.note(&a)
	if c := a.class(); c != limited && c != unavailable && !a.binds() {
		return nil // it asks for nothing
	}
	o := op{core: l.l.core, kind: opHead, key: l.key(), served: l.served, answer: a}
	err := o.do(l.l.core.uncancelled(ctx))
	if err != nil {
		l.head.CompareAndSwap(&head, nil)
	}
	l.l.core.line.wakeAll(o.key)
	return err
}

// Release ends the request, its body included, with what it showed. The zero Answer
// says that nothing was sent: the turn is given back. Opens is the earliest instant
// at which the key may be asked again, by the caller's clock. Only the first call
// counts; later ones return zeros. An error is the store's: until this process's next call
// about the key succeeds, the place in flight stays taken, at most until the lease runs out,
// and what the answer asked for is not on record.
func (l *Lease) Release(ctx context.Context, a Answer) (opens time.Time, err error) {
	c := l.l.core
	head := l.head.Swap(&c.over)
	if head == &c.over {
		return time.Time{}, nil
	}
	if head != nil && a.Status == 0 { // the body broke off
		a.Status, a.Wait, a.From, a.Wall = head.Status, head.Wait, head.From, head.Wall
	}
	l.note(&a)
	o := op{core: c, kind: opEnd, key: l.key(), ask: ask{crawl: l.crawl}, served: l.served, answer: a}
	o.served.heard = head != nil
	if l.l.visit != nil {
		l.l.visit.fill(l.name, &o.ask)
	}
	err = o.do(c.uncancelled(ctx))
	if err == nil {
		opens = o.callers(o.v.at)
	}
	if c.line.total.Load() > 0 {
		if o.v.hold > o.now || err != nil {
			c.line.wakeAll(o.key)
		} else {
			c.line.wakeFirst(o.key)
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
	if c.memory != nil {
		return ctx
	}
	return context.WithoutCancel(ctx)
}
