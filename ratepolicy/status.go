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
	t, err := l.turnstile(ctx, key, 0)
	if err != nil {
		return Status{}, err
	}
	o := l.core.op(opStatus, t.key)
	defer o.free()
	o.ask = t.ask
	if err := o.do(ctx); err != nil {
		return Status{}, err
	}
	st := Status{
		Key: key, Mode: o.v.mode, Pace: o.v.pace, InFlight: len(o.s.leases),
		Waiting: l.core.line.len(t.key), Opens: o.callers(o.v.at),
	}
	if st.Pace.Delay == 0 {
		st.Pace.Delay = -1
	}
	if st.Pace.MaxWait == 0 {
		st.Pace.MaxWait = -1
	}
	if o.s.gentleUntil > 0 {
		st.GentleUntil = o.callers(o.s.gentleUntil)
	}
	st.Constraints = o.constraints()
	return st, nil
}

// constraints lists what is in force, the longest first.
func (o *op) constraints() []Constraint {
	s, v, now := &o.s, &o.v, o.now
	var cs []Constraint
	add := func(until int64, why string) {
		c := Constraint{Why: why}
		if until > now {
			c.Until = o.callers(until)
		}
		cs = append(cs, c)
	}
	if s.hold > now {
		add(s.hold, o.holdWhy(s.hold))
	}
	if s.ours > now {
		add(s.ours, o.holdWhy(s.ours))
	}
	if s.backoff > now {
		add(s.backoff, o.holdWhy(s.backoff))
	}
	if s.gentleUntil > now {
		add(s.gentleUntil, "gentle since a rate limit")
	}
	if s.walledAt > 0 {
		add(0, "a bot wall, met "+stamp(o.callers(s.walledAt))+", bars the relay")
	}
	if v.full {
		add(0, fmt.Sprintf("%d of %d requests in flight", len(s.leases), o.cap()))
	}
	if s.backoffs > 0 && s.backoff <= now {
		add(0, fmt.Sprintf("one at a time since it answered %d", s.busyStatus))
	}
	if v.pace.Delay > 0 {
		turn := int64(0)
		if v.paced > now {
			turn = v.paced
		}
		add(turn, o.paceWhy())
	}
	slices.SortStableFunc(cs, func(a, b Constraint) int { return b.Until.Compare(a.Until) })
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
	case d > o.v.own, o.ask.crawl > 0 && d == o.ask.crawl:
		return "robots.txt Crawl-delay " + d.String()
	case o.v.mode == ModeNormal && d > o.core.policy.Normal.Delay:
		return "gentle pace " + d.String() + " for the rest of the visit"
	case o.v.mode == ModeNormal:
		return "own pace " + d.String()
	default:
		return o.v.mode.String() + " pace " + d.String()
	}
}

// reason is the constraint that binds the turn, in words.
func (o *op) reason() string {
	var c Constraint
	switch s, v := &o.s, &o.v; {
	case v.hold > o.now:
		c = Constraint{o.callers(v.hold), o.holdWhy(v.hold)}
	case v.full:
		c.Why = fmt.Sprintf("%d of %d requests in flight", len(s.leases), o.cap())
	case v.paced > o.now:
		c = Constraint{o.callers(v.paced), o.paceWhy()}
	default:
		c.Why = "others wait before"
	}
	why := c.String()
	return why[:min(len(why), maxWhy)]
}

// holdWhy is the source of the hold that ends at until.
func (o *op) holdWhy(until int64) string {
	switch s := &o.s; until {
	case s.hold:
		return string(s.holdWhy)
	case s.ours:
		return "held: " + string(s.oursWhy)
	default:
		return fmt.Sprintf("answered %d without a wait, own backoff", s.busyStatus)
	}
}
