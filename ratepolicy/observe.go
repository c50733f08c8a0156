package ratepolicy

import (
	"hash/fnv"
	"time"
)

// A served is the request that an answer came to.
type served struct {
	id      uint64
	granted int64 // when its turn was given
	mode    Mode
	tight   bool // its pace was, as in verdict
	visit   bool
	heard   bool // what its answer asks for was taken in at its head
	local   bool // its turn was given without the store
}

// heard takes in what an answer asks for: the holds, which count from now.
func (p *Policy) heard(s *state, r *served, key string, a *Answer, now int64) {
	c := a.class()
	if a.binds() {
		if until := after(now, a.Wait); until > s.hold {
			s.hold, s.holdAsked = until, asked{int64(a.Status), int64(a.Wait), clean(a.From, 60)}
		}
	}
	if c != limited && c != unavailable || a.Wait > 0 || p.Backoff == 0 {
		return
	}
	if s.backedAt == 0 || r.granted > s.backedAt || s.backoffs == 0 {
		s.backoffs++
		s.backedAt = now
	}
	s.busyStatus = int64(a.Status)
	s.backoff = max(s.backoff, after(now, p.wait(r, key, s.backoffs)))
}

// wait is the n-th wait in a row after an answer that names none.
func (p *Policy) wait(r *served, key string, n int64) time.Duration {
	most := max(maxBackoff, p.Backoff)
	if r.visit {
		most = max(p.pace(r.mode).MaxWait, p.Backoff)
	}
	d := p.Backoff
	for ; n > 1 && d < most; n-- {
		d *= 2
	}
	h := fnv.New32a()
	h.Write([]byte(key))
	d += time.Duration(float64(d) / 5 * float64(h.Sum32()%1024) / 1024)
	if most > p.Backoff {
		d = min(d, most)
	}
	return d
}

// observe takes in the end of a request: its place is free, the delay starts, and the
// answer is remembered. A zero answer only gives the turn back.
func (p *Policy) observe(s *state, r *served, key string, a *Answer, now int64) {
	s.leases.drop(r.id)
	c := a.class()
	if c == nothing {
		return
	}
	pace := p.base(r.mode, r.tight) // without Crawl-delay
	if r.mode == ModeNormal && s.gentleUntil > now {
		pace = p.Gentle // which the next request goes at
	}
	s.ended(now, pace.Delay)
	if !r.heard {
		p.heard(s, r, key, a, now)
	}
	switch {
	case c == fine && r.granted > s.backedAt:
		s.backoffs = 0 // what is left of the wait stands
	case r.mode == ModeRelay: // what is seen through the provider is not the host's word on us
	case c == limited:
		p.complain(s, r, now)
	case c == walled: // also where nothing is relayed yet: a later run may be
		s.walledAt = now
	}
}

// complain remembers a rate limit. Requests that were in flight when it came belong
// to the same event: they renew the memory and count no further.
func (p *Policy) complain(s *state, r *served, now int64) {
	if p.GentleFor == 0 {
		s.limitedAt = now
		return
	}
	if s.limitedAt == 0 || r.granted > s.limitedAt {
		if r.mode == ModeGentle && s.gentleUntil > 0 { // not gentle for a reason of the bot's own
			s.hits++
		}
		s.limitedAt = now
	}
	s.gentleUntil = max(s.gentleUntil, after(now, p.GentleFor))
	s.drained = max(s.drained, after(now, p.Gentle.span())) // what went at another pace left no burst
}

// lift forgets what the host asked for; turns in flight and the delay since the last
// answer stay.
func (s *state) lift() {
	*s = state{lastEnd: s.lastEnd, drained: s.drained, crawl: s.crawl, leases: s.leases, trouble: trouble{backedAt: s.backedAt}}
}
