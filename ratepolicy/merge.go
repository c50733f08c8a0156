package ratepolicy

import (
	"math"
	"time"
)

// What a process learns by itself while its store fails goes into the store's record
// later. This file is pure, as decide.go and observe.go are.

// forOne is p for one process that can't reach the others: its share of the gentle pace, one
// request in flight, no burst and no relay. MaxWait stays.
func forOne(p Policy) Policy {
	delay := parts(max(p.Normal.Delay, p.Gentle.Delay), p.FailLocal)
	for _, q := range [...]*Pace{&p.Normal, &p.Gentle} {
		q.Concurrency, q.Delay, q.Burst = 1, delay, 1
	}
	p.RelayAfter = 0
	return p
}

// parts is d for each of those whose share of a pace is share; 0 is all of it.
func parts(d time.Duration, share float64) time.Duration {
	if share == 0 {
		return d
	}
	if f := float64(d) / share; f < math.MaxInt64 {
		return time.Duration(math.Ceil(f))
	}
	return math.MaxInt64
}

// unlearn leaves what wasn't known before.
func (t *trouble) unlearn(before *trouble) {
	now, _ := t.numbers()
	then, _ := before.numbers()
	for i := range now {
		if *now[i] <= *then[i] {
			*now[i] = 0
		}
	}
	if t.hits <= before.hits {
		t.hits = 0
	}
}

// merge takes into s what a process learnt by itself: holds and marks by the later end,
// the last answer, its requests in flight. What s says beyond that stays.
func (p *Policy) merge(s, l *state) {
	if l.hold > s.hold {
		s.hold, s.holdAsked = l.hold, l.holdAsked
	}
	if l.ours > s.ours {
		s.ours, s.oursWhy = l.ours, l.oursWhy
	}
	if l.backoff > s.backoff {
		s.backoff, s.busyStatus, s.backoffs = l.backoff, l.busyStatus, max(s.backoffs, l.backoffs)
	}
	s.backedAt, s.limitedAt = max(s.backedAt, l.backedAt), max(s.limitedAt, l.limitedAt)
	s.gentleUntil, s.walledAt = max(s.gentleUntil, l.gentleUntil), max(s.walledAt, l.walledAt)
	s.hits = max(s.hits, l.hits) // no sum: a store that failed may have been told
	if l.lastEnd > s.lastEnd {
		q := p.pace(ModeNormal)
		if s.gentleUntil > l.lastEnd {
			q = p.pace(ModeGentle)
		}
		s.ended(l.lastEnd, q.Delay)
	}
	for i := range l.leases.n {
		if t := *l.leases.at(i); !s.leases.has(t.id) {
			s.leases.add(t)
		}
	}
}

// shift moves all instants of s by d.
func (s *state) shift(d time.Duration) {
	move := func(t *int64) {
		if *t != 0 && *t != math.MaxInt64 {
			*t = max(after(*t, d), 1)
		}
	}
	move(&s.lastEnd)
	move(&s.drained)
	instants, _ := s.numbers()
	for _, t := range instants {
		move(t)
	}
	for i := range s.leases.n {
		move(&s.leases.at(i).until)
	}
}
