package ratepolicy

import (
	"bytes"
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

// An op is one trip to the store. Its arguments and results are fields, and its
// function is bound once, so that a trip costs no allocation.
type op struct {
	fn   func(time.Time, []byte) ([]byte, time.Time)
	core *core
	kind opKind

	key    string
	ask    ask
	id     uint64
	served served
	answer Answer
	until  time.Time
	why    string

	err error
	now int64 // the store's
	v   verdict
	s   state // as it is after the op
	buf []byte
}

func (c *core) op(kind opKind, key string) *op {
	o, _ := c.ops.Get().(*op)
	if o == nil {
		o = &op{core: c}
		o.fn = o.step
	}
	o.kind, o.key = kind, key
	return o
}

func (o *op) free() {
	o.ask, o.served, o.answer, o.why, o.err = ask{}, served{}, Answer{}, "", nil
	o.s.reset()
	o.core.ops.Put(o)
}

// do makes the trip.
func (o *op) do(ctx context.Context) error {
	if !o.core.local {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, storeTimeout)
		defer cancel()
	}
	err := o.core.store.Update(ctx, o.key, o.fn)
	if err == nil {
		err = o.err
	}
	if err != nil {
		return fmt.Errorf("ratepolicy: state of %s: %w", clean(o.key, maxWhy), err)
	}
	return nil
}

// step is what the store runs, perhaps more than once.
func (o *op) step(now time.Time, rec []byte) ([]byte, time.Time) {
	p, s := &o.core.policy, &o.s
	o.now = now.UnixNano()
	o.err = s.decode(rec)
	damaged := errors.Is(o.err, errDamaged)
	if damaged {
		o.err = nil
		p.doubt(s, o.now)
	}
	if o.err != nil {
		return nil, time.Time{}
	}
	p.settle(s, o.now)
	changed := o.apply(p, s) || damaged && o.kind != opStatus
	if len(s.holdWhy)+len(s.oursWhy) > 0 { // the record is the store's
		s.holdWhy, s.oursWhy = bytes.Clone(s.holdWhy), bytes.Clone(s.oursWhy)
	}
	if !changed {
		return nil, time.Time{}
	}
	o.buf = s.append(o.buf[:0])
	return o.buf, time.Unix(0, p.forgettable(s))
}

// apply does o's work on s and reports whether s changed.
func (o *op) apply(p *Policy, s *state) bool {
	switch o.kind {
	case opStatus:
		o.ask.crawl = time.Duration(s.crawl)
		o.v = p.decide(s, &o.ask, o.now)
		return false
	case opLook:
		o.v = p.decide(s, &o.ask, o.now)
		return false
	case opTake:
		o.v = p.decide(s, &o.ask, o.now)
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
		o.v = p.decide(s, &o.ask, o.now)
	case opHold:
		if u := o.stored(o.until); u > s.ours {
			s.ours, s.oursWhy = u, []byte(o.why)
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

// callers returns an instant of the store in the caller's clock. Differences that the
// trip itself may have taken are none.
func (o *op) callers(t int64) time.Time {
	return time.Unix(0, after(t, -o.skew()))
}

// stored is the reverse.
func (o *op) stored(t time.Time) int64 {
	if t.Year() >= 2262 {
		return math.MaxInt64
	}
	return max(after(max(t.UnixNano(), 0), o.skew()), 0)
}

// skew is how far the store's clock is ahead.
func (o *op) skew() time.Duration {
	d := time.Until(time.Unix(0, o.now))
	if d.Abs() <= storeTimeout {
		return 0
	}
	return d
}
