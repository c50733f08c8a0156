package ratepolicy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Status is what is in force for a key at an instant. It is plain data.
type Status struct {
	Key         string
	Mode        Mode
	Pace        Pace         // effective: Crawl-delay and the visit's limits included; negative: none
	InFlight    int          // turns taken, by everything that shares the store
	Waiting     int          // Acquires of this process in line
	Opens       time.Time    // when the next turn is, at the earliest; not in the future: now
	GentleUntil time.Time    // zero: not gentle
	Walled      time.Time    // when a bot wall that is remembered answered on the direct route; zero: none did
	Constraints []Constraint // all that is in force, the one that lasts longest first
}

// A Constraint is one reason why a key can't be asked now, or only so fast.
type Constraint struct {
	Until time.Time // zero: it has no end of its own
	Why   string    // its source in words, such as "answered 429, Retry-After 120"
}

// String returns c in words, such as
// "answered 429, Retry-After 120 (until 2026-11-30T12:02:00Z)".
func (c Constraint) String() string {
	if c.Until.IsZero() {
		return c.Why
	}
	return c.Why + " (until " + stamp(c.Until) + ")"
}

// String returns the status in one line.
func (s Status) String() string {
	var b strings.Builder
	b.WriteString(clean(s.Key, maxWhy))
	b.WriteString(": ")
	b.WriteString(s.Mode.String())
	for _, c := range s.Constraints {
		b.WriteString("; ")
		b.WriteString(c.String())
	}
	return b.String()
}

// Status says what is in force for the key now, and why. It consumes nothing and
// leaves no trace. Crawl-delay is the one that the last request brought.
func (l *Limiter) Status(ctx context.Context, key string) (Status, error) {
	if ctx.Err() != nil {
		return Status{}, context.Cause(ctx)
	}
	o := op{core: l.core, kind: opStatus, key: key}
	if l.visit != nil {
		l.visit.fill(key, &o.ask)
	}
	if err := o.do(ctx); err != nil {
		return Status{}, orCause(ctx, err)
	}
	if o.v.mode != ModeRelay {
		st := o.status(key, nil)
		st.Waiting = l.core.line.all(key).n
		return st, nil
	}
	r := op{core: l.core, kind: opStatus, key: relayKey(key), ask: o.ask}
	r.ask.fixed, r.ask.mode = true, ModeRelay
	if err := r.do(ctx); err != nil {
		return Status{}, orCause(ctx, err)
	}
	st := r.status(key, o.holds())
	st.Waiting = l.core.line.all(r.key).n
	if o.v.hold > o.now {
		st.Opens = later(st.Opens, o.callers(o.v.hold))
	}
	st.GentleUntil, st.Walled = o.instant(o.s.gentleUntil), o.instant(o.s.walledAt)
	return st, nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// status is the op's result; others are constraints of another record.
func (o *op) status(key string, others []Constraint) Status {
	st := Status{Key: key, Mode: o.v.mode, Pace: o.v.pace.shown(), InFlight: o.s.leases.n, Opens: o.callers(o.v.at)}
	st.GentleUntil, st.Walled = o.instant(o.s.gentleUntil), o.instant(o.s.walledAt)
	st.Constraints = slices.Concat(others, o.holds(), o.paces())
	slices.SortStableFunc(st.Constraints, func(a, b Constraint) int { return b.Until.Compare(a.Until) })
	return st
}

// instant is t in the caller's clock, zero if there is none.
func (o *op) instant(t int64) time.Time {
	if t == 0 {
		return time.Time{}
	}
	return o.callers(t)
}

// constraint is one that ends at until by the store's clock, if that lies ahead.
func (o *op) constraint(until int64, why string) Constraint {
	c := Constraint{Why: why}
	if until > o.now {
		c.Until = o.callers(until)
	}
	return c
}

// holds lists what the key was asked to wait for, and what is remembered of it.
func (o *op) holds() (cs []Constraint) {
	s := &o.s
	if s.hold > o.now {
		cs = append(cs, o.constraint(s.hold, s.holdAsked.why()))
	}
	if s.ours > o.now {
		cs = append(cs, o.constraint(s.ours, "held: "+s.oursWhy))
	}
	if s.backoff > o.now {
		cs = append(cs, o.constraint(s.backoff, fmt.Sprintf("answered %d without a wait, own backoff", s.busyStatus)))
	}
	if s.gentleUntil > o.now {
		why := "gentle since it limited the rate"
		if s.limitedAt == 0 {
			why = "gentle since its record was found damaged"
		}
		cs = append(cs, o.constraint(s.gentleUntil, why))
	}
	if s.walledAt > 0 && o.core.policy.RelayAfter > 0 {
		cs = append(cs, o.constraint(0, "a bot wall, met "+stamp(o.callers(s.walledAt))+", bars the relay"))
	}
	return cs
}

// paces lists what the pace asks for.
func (o *op) paces() (cs []Constraint) {
	s, v := &o.s, &o.v
	if f := o.failure; f != nil {
		cs = append(cs, Constraint{Why: clean("this process goes on alone since "+stamp(f.since)+", when the store failed: "+f.err.Error(), maxWhy)})
	}
	if v.full {
		cs = append(cs, o.constraint(0, fmt.Sprintf("%d of %d requests in flight", s.leases.n, o.cap())))
	}
	if s.backoffs > 0 && s.backoff <= o.now {
		cs = append(cs, o.constraint(0, fmt.Sprintf("one at a time since it answered %d", s.busyStatus)))
	}
	if v.pace.Delay > 0 {
		cs = append(cs, o.constraint(v.paced, o.paceWhy()))
	}
	return cs
}

// cap is how many may be in flight: with a delay no more than the burst.
func (o *op) cap() int {
	if o.v.pace.Delay > 0 {
		return min(o.v.pace.Concurrency, o.v.pace.Burst)
	}
	return o.v.pace.Concurrency
}

// paceWhy says whose delay is in force.
func (o *op) paceWhy() string {
	switch d := o.v.pace.Delay; {
	case o.failure != nil:
		return "pace " + d.String() + " of one process while the store fails"
	case d > o.core.policy.base(o.v.mode, o.v.tight).Delay, o.ask.crawl > 0 && d == o.ask.crawl:
		return "robots.txt Crawl-delay " + d.String()
	case o.v.mode == ModeNormal && d > o.core.policy.Normal.Delay:
		return "gentle pace " + d.String() + " for the rest of the visit"
	case o.v.mode == ModeNormal:
		return "own pace " + d.String()
	default:
		return o.v.mode.String() + " pace " + d.String()
	}
}

// reason is the constraint that binds the turn, a hold or another, in words.
func (o *op) reason(held bool) string {
	var c Constraint
	switch s, v := &o.s, &o.v; {
	case held:
		c = slices.MaxFunc(o.holds()[:o.s.holding(o.now)], func(a, b Constraint) int { return a.Until.Compare(b.Until) })
	case v.full:
		c.Why = fmt.Sprintf("%d of %d requests in flight", s.leases.n, o.cap())
	case v.paced > o.now:
		c = Constraint{o.callers(v.paced), o.paceWhy()}
	default:
		c.Why = "others wait before"
	}
	why := c.String()
	return why[:min(len(why), maxWhy)]
}

// holding counts the holds in force.
func (s *state) holding(now int64) (n int) {
	for _, until := range [...]int64{s.hold, s.ours, s.backoff} {
		if until > now {
			n++
		}
	}
	return n
}
