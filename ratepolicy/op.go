package ratepolicy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

type opKind uint8

const (
	opLook   opKind = iota // decide
	opStatus               // decide, under the Crawl-delay last heard
	opTake                 // decide, and grant if open
	opHead                 // an answer's head
	opEnd                  // an answer's end
	opHold                 // the caller's hold
	opForget               // and its end
	opClear                // the wall, after a visit without one
)

// An op is one trip to the store: its arguments, and its results.
type op struct {
	core *core
	kind opKind

	key    string
	ask    ask
	id     uint64
	served served
	answer Answer
	until  time.Time
	why    string

	known *learnt // what the store is to be told along with it; nil: nothing

	err     error
	now     int64    // the store's clock
	machine int64    // this machine's at that instant, 0 if nobody looked
	own     int64    // the clock of this process's memory then, for a store that is another
	failure *failure // why it was done without the store; nil: it wasn't
	v       verdict
	s       state // as it is after the op
}

// do makes the trip. The memory's is short enough for what it allocates to count: there
// the op can stay on the caller's stack.
func (o *op) do(ctx context.Context) error {
	var err error
	if m := o.core.memory; m != nil {
		m.trip(o)
	} else {
		err = o.travel(ctx)
	}
	if err == nil {
		err = o.err
	}
	if err != nil {
		return fmt.Errorf("ratepolicy: state of %s: %w", clean(o.key, maxWhy), err)
	}
	return nil
}

// travel makes the trip to a store that may be far, and may fail.
func (o *op) travel(ctx context.Context) error {
	alone := o.core.alone
	known, done, err := alone.begin(o)
	if done {
		return err
	}
	o.known = known
	err = o.reach(ctx)
	return alone.end(ctx, o, err)
}

// reach makes the trip to the store.
func (o *op) reach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, o.core.limit)
	defer cancel()
	far := *o
	var buf []byte
	err := o.core.store.Update(ctx, o.key, func(now time.Time, rec []byte) (next []byte, expires time.Time) {
		// Not once it returns: to keep what changes may take its time.
		far.machine, far.own = time.Now().UnixNano(), far.core.alone.core.memory.now(nil)
		next, until := far.step(buf[:0], now.UnixNano(), rec)
		if next == nil {
			return nil, time.Time{}
		}
		buf = next
		return next, time.Unix(0, until)
	})
	*o = far
	return err
}

// step is what the store runs, perhaps more than once. It appends the next record to buf;
// nil: nothing changes.
func (o *op) step(buf []byte, now int64, rec []byte) (next []byte, expires int64) {
	p, s := &o.core.policy, &o.s
	o.now = now
	o.err = s.decode(rec)
	damaged := errors.Is(o.err, errDamaged)
	if damaged {
		o.err = nil
		p.doubt(s, now)
		if o.core.alone != nil {
			o.core.alone.recall(o)
		}
	}
	if o.err != nil {
		return nil, 0
	}
	p.settle(s, now)
	if o.known != nil {
		o.known.tell(o)
	}
	if changed := o.apply(p, s) || (damaged || o.known != nil) && o.kind != opStatus; !changed {
		return nil, 0
	}
	return s.append(buf), p.forgettable(s)
}

// apply does o's work on s and reports whether s changed.
func (o *op) apply(p *Policy, s *state) bool {
	switch o.kind {
	case opStatus:
		o.ask.crawl = time.Duration(s.crawl)
		p.decide(&o.v, s, &o.ask, o.now)
		return false
	case opLook:
		p.decide(&o.v, s, &o.ask, o.now)
		return false
	case opTake:
		p.decide(&o.v, s, &o.ask, o.now)
		if o.v.open {
			p.grant(s, &o.ask, o.id, o.now)
			return true
		}
		heard := s.crawl != int64(o.ask.crawl)
		s.crawl = int64(o.ask.crawl)
		return heard
	case opHead:
		p.heard(s, &o.served, o.key, &o.answer, o.now)
	case opEnd:
		p.observe(s, &o.served, o.key, &o.answer, o.now)
		p.decide(&o.v, s, &o.ask, o.now)
	case opHold:
		if u := o.stored(o.until); u > s.ours {
			s.ours, s.oursWhy = u, o.why
		}
	case opForget:
		s.lift()
	case opClear:
		if s.walledAt == 0 || s.walledAt >= o.ask.began {
			return false
		}
		s.walledAt = 0
	}
	return true
}

// callers returns an instant of the store in the caller's clock.
func (o *op) callers(t int64) time.Time {
	return time.Unix(0, after(t, -o.skew()))
}

// stored is the reverse, and never too early for a clock that is a little ahead.
func (o *op) stored(t time.Time) int64 {
	if t.Year() >= 2262 {
		return math.MaxInt64
	}
	return max(after(max(t.UnixNano(), 0), max(o.skew(), o.ahead())), 0)
}

// skew is how far the store's clock is ahead. Differences that the trip itself may have
// taken are none.
func (o *op) skew() time.Duration {
	if d := o.ahead(); d.Abs() > clockSlack {
		return d
	}
	return 0
}

// ahead is how far the store's clock seemed to be ahead: by no more than it is.
func (o *op) ahead() time.Duration {
	if o.machine == 0 {
		return time.Until(time.Unix(0, o.now))
	}
	return time.Duration(o.now - o.machine)
}
