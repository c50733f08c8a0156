package ratepolicy

import (
	"math"
	"time"
)

// The functions in this file and in observe.go are the whole policy: pure, with the
// instant as an argument. Everything else carries their results about.

// ask is who wants a turn.
type ask struct {
	crawl   time.Duration // robots.txt Crawl-delay, 0: none
	share   float64       // of it and of the pace, 0: all
	visit   bool          // within a Visit
	fixed   bool          // whose mode is fixed
	mode    Mode          // then this
	began   int64         // and this is when
	serial  bool          // it met a 429 or 503
	limited bool          // it met a rate limit
}

// A verdict is the answer to an ask.
type verdict struct {
	open  bool  // a turn is there for the taking
	full  bool  // every place is taken; at is then the earliest that one can be free
	at    int64 // lower bound of the turn
	paced int64 // when the delay lets it be
	hold  int64 // the furthest hold still ahead, else 0
	frees int64 // if full: when the first lease expires
	mode  Mode
	tight bool // the pace of the mode, tightened for the rest of a visit
	pace  Pace // in force, Crawl-delay included
	waits int  // turns that can be taken before the delay binds
}

// held reports whether it is a hold that the turn waits for.
func (v *verdict) held() bool { return v.hold > 0 && v.hold >= v.at }

// mode is what the record says of the key at now.
func (p *Policy) mode(s *state, k *ask, now int64) Mode {
	switch {
	case k.fixed:
		return k.mode
	case s.gentleUntil <= now:
		return ModeNormal
	case k.visit && p.RelayAfter > 0 && s.hits >= int64(p.RelayAfter) && s.walledAt == 0:
		return ModeRelay
	}
	return ModeGentle
}

// decide says whether k may have a turn at now, and if not, when at the earliest.
// The state is settled.
func (p *Policy) decide(v *verdict, s *state, k *ask, now int64) {
	m := p.mode(s, k, now)
	p.decideIn(v, s, k, m, now)
	if m == ModeGentle && !k.fixed && s.gentleUntil < v.at { // which ends before the turn
		var w verdict
		p.decideIn(&w, s, k, ModeNormal, s.gentleUntil)
		v.at, v.paced = min(v.at, w.at), min(v.paced, w.paced)
	}
}

// decideIn is decide in a given mode.
func (p *Policy) decideIn(v *verdict, s *state, k *ask, m Mode, now int64) {
	*v = verdict{at: now, mode: m}
	v.pace, v.tight = p.effective(s, k, m)
	delay, n := v.pace.Delay, s.leases.n
	v.full = n >= v.pace.Concurrency
	switch {
	case delay == 0:
	case v.pace.Burst == 1:
		v.full = v.full || n > 0
		if s.lastEnd > 0 {
			v.at = max(v.at, after(s.lastEnd, delay))
		}
	case n >= v.pace.Burst:
		v.full = true
	default:
		// Each request in flight keeps its token, the others' come back one per delay.
		v.waits = v.pace.Burst - 1 - n
		v.at = max(v.at, s.drained-int64(times(v.waits, delay)))
	}
	v.paced = v.at
	if v.full {
		v.frees = math.MaxInt64
		for i := range n {
			v.frees = min(v.frees, s.leases.at(i).until)
		}
		if v.pace.Burst == 1 {
			v.at = max(v.at, after(now, delay)) // an answer ends first
		}
	}
	if h := max(s.hold, s.ours, s.backoff); h > now {
		v.hold, v.at, v.waits = h, max(v.at, h), v.pace.Burst-1 // by then a burst may be whole again
	}
	v.open = !v.full && v.at <= now
}

// grant takes the turn that decide found open.
func (p *Policy) grant(s *state, k *ask, id uint64, now int64) {
	s.crawl = int64(k.crawl)
	s.leases.add(turn{id, after(now, p.LeaseFor)})
}

// ended counts the delay from an answer's end.
func (s *state) ended(at int64, delay time.Duration) {
	s.lastEnd = max(s.lastEnd, at)
	s.drained = after(max(s.drained, at), delay)
}

// settle brings s up to now: leases that ran out are free, and their requests count as
// answered then; what no longer binds is dropped.
func (p *Policy) settle(s *state, now int64) {
	keep := 0
	for i := range s.leases.n {
		t := *s.leases.at(i)
		if t.until > now {
			*s.leases.at(keep) = t
			keep++
			continue
		}
		q := p.pace(ModeNormal)
		if s.gentleUntil > t.until {
			q = p.pace(ModeGentle)
		}
		s.ended(t.until, q.Delay)
	}
	s.leases.n = keep
	if now >= p.forgettable(s) {
		s.reset()
		return
	}
	if s.hold <= now {
		s.hold, s.holdAsked = 0, asked{}
	}
	if s.ours <= now {
		s.ours, s.oursWhy = 0, ""
	}
	if s.backoff <= now && (s.backoffs == 0 || after(s.backoff, keepStreak) <= now) {
		s.backoffs, s.backoff, s.busyStatus = 0, 0, 0
	}
	if s.gentleUntil <= now {
		s.gentleUntil, s.hits = 0, 0
	}
	if s.walledAt > 0 && after(s.walledAt, keepWall) <= now {
		s.walledAt = 0
	}
}

// doubt makes s the state of a key whose record can't be read: it is gentle, and for all
// that is known an answer has ended just now.
func (p *Policy) doubt(s *state, now int64) {
	s.reset()
	s.gentleUntil = after(now, doubtFor)
	s.ended(now, p.Gentle.Delay)
}

// forgettable is the instant from which nothing in s binds any more: a settled state
// and none at all then decide alike.
func (p *Policy) forgettable(s *state) int64 {
	quiet := max(keepIdle, p.Normal.span(), p.Gentle.span(), p.Relay.span(), time.Duration(s.crawl))
	t := max(s.hold, s.ours, s.backoff, s.gentleUntil, s.drained)
	if s.lastEnd > 0 {
		t = max(t, after(s.lastEnd, quiet))
	}
	if s.backoffs > 0 {
		t = max(t, after(s.backoff, keepStreak))
	}
	if s.walledAt > 0 {
		t = max(t, after(s.walledAt, keepWall))
	}
	for i := range s.leases.n {
		t = max(t, after(s.leases.at(i).until, quiet))
	}
	return t
}
