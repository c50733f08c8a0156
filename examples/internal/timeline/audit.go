package timeline

import (
	"cmp"
	"fmt"
	"time"

	"github.com/politefetch/sdk/ratepolicy"
)

// slack is what the clocks on the way of a request may differ by.
const slack = time.Millisecond

// A check is one sentence of the promise, held against the requests.
type check struct {
	Promise string
	Kept    string // what the requests show
	Broken  []breach
	breaks  int // of which Broken has the first ones
}

// mostBroken bounds how many breaches of one promise are shown.
const mostBroken = 20

// A breach is a request that broke a promise.
type breach struct {
	N    int // its number
	Text string
}

func (c *check) breach(r *request, format string, args ...any) {
	if c.breaks++; c.breaks <= mostBroken {
		c.Broken = append(c.Broken, breach{r.n, fmt.Sprintf(format, args...)})
	}
}

// More is how many breaches are not shown.
func (c *check) More() int { return c.breaks - len(c.Broken) }

// filled returns p with the defaults of [ratepolicy.Pace] in place.
func filled(p ratepolicy.Pace, delay time.Duration) ratepolicy.Pace {
	p.Concurrency, p.Burst = max(p.Concurrency, 1), max(p.Burst, 1)
	p.Delay = max(cmp.Or(p.Delay, delay), 0)
	return p
}

// audit holds the requests against the pace that was promised.
func (r *Run) audit(s *story) []*check {
	normal, gentle, relay := filled(r.Policy.Normal, time.Second), filled(r.Policy.Gentle, 2*time.Second), filled(r.Policy.Relay, time.Second)
	to := "to one host"
	if r.OneSite {
		to = "to all hosts together"
	}
	group := func(q *request) string {
		if r.OneSite {
			return ""
		}
		return q.host.key
	}
	var direct, gently, relayed []*request
	for _, q := range s.requests {
		switch {
		case q.relayed:
			relayed = append(relayed, q)
		default:
			direct = append(direct, q)
			if q.gentle {
				gently = append(gently, q)
			}
		}
	}
	checks := paced(normal, to, direct, direct, group)
	if len(gently) > 0 {
		checks = append(checks, paced(gentle, "to a host that had asked for fewer", direct, gently, func(q *request) string { return q.host.key })...)
	}
	if len(relayed) > 0 {
		checks = append(checks, paced(relay, "through the relay "+to, relayed, relayed, group)...)
	}
	return append(checks, waits(s), holds(s))
}

// paced holds those of the requests that are bound by a pace against it, among all.
func paced(p ratepolicy.Pace, to string, all, bound []*request, group func(*request) string) []*check {
	most := 0
	together := &check{Promise: fmt.Sprintf("At most %s in flight %s", plural(p.Concurrency, "request", "requests"), to)}
	var least *request
	var leastGap time.Duration
	gaps := &check{Promise: fmt.Sprintf("At least %s from an answer’s end to the next request %s", seconds(p.Delay), to)}
	if p.Burst > 1 {
		gaps.Promise = fmt.Sprintf("At least %s from a request to the %s after it %s", seconds(p.Delay), ordinal(p.Burst), to)
	}
	isBound := make(map[*request]bool, len(bound))
	for _, q := range bound {
		isBound[q] = true
	}
	tracks := make(map[string]*track)
	for _, q := range all {
		t := tracks[group(q)]
		if t == nil {
			t = &track{}
			tracks[group(q)] = t
		}
		gap, flying, ok := t.next(q, p.Burst)
		if !isBound[q] {
			continue
		}
		if most = max(most, flying); flying > p.Concurrency {
			together.breach(q, "%d in flight", flying)
		}
		if !ok || p.Delay == 0 {
			continue
		}
		if least == nil || gap < leastGap {
			least, leastGap = q, gap
		}
		if gap < p.Delay-slack {
			gaps.breach(q, "came after %s", seconds(gap))
		}
	}
	together.Kept = fmt.Sprintf("at most %d", most)
	if p.Delay == 0 {
		return []*check{together}
	}
	gaps.Kept = "there was only one"
	if least != nil {
		gaps.Kept = fmt.Sprintf("the least was %s, before #%d", seconds(leastGap), least.n)
	}
	return []*check{together, gaps}
}

// A track is the requests that share a pace, so far.
type track struct {
	flying []*request
	last   time.Time   // end of the latest answer
	begun  []time.Time // as many as matter for a burst
}

// next takes in a request: the time from what it had to keep its distance from, if there
// is such, and how many are in flight now.
func (t *track) next(q *request, burst int) (gap time.Duration, flying int, ok bool) {
	still := t.flying[:0]
	for _, f := range t.flying {
		if f.ended.After(q.began) {
			still = append(still, f)
		} else if f.ended.After(t.last) {
			t.last = f.ended
		}
	}
	t.flying = append(still, q)
	if burst == 1 {
		gap, ok = q.began.Sub(t.last), !t.last.IsZero()
	} else if len(t.begun) == burst {
		gap, ok = q.began.Sub(t.begun[0]), true
		t.begun = t.begun[1:]
	}
	t.begun = append(t.begun, q.began)
	return gap, len(t.flying), ok
}

// waits checks that no request went out before the turn that it waited for.
func waits(s *story) *check {
	c := &check{Promise: "Every request waits for its turn: the bot’s own pace, a Crawl-delay, what the host asked for"}
	n := 0
	for _, q := range s.requests {
		for i := range q.waits {
			n++
			if early := q.waits[i].Until.Sub(q.began); early > slack {
				c.breach(q, "went out %s before its turn", seconds(early))
			}
		}
	}
	c.Kept = fmt.Sprintf("%s sat out", plural(n, "wait", "waits"))
	return c
}

// holds checks that a host that asked for a wait was left alone.
func holds(s *story) *check {
	c := &check{Promise: "A host that asks for fewer requests is left alone for as long as it asks"}
	n := 0
	for _, h := range s.hosts {
		n += len(h.holds)
		i := 0
		var until time.Time
		for _, q := range h.requests {
			for ; i < len(h.holds) && h.holds[i].At.Before(q.began); i++ {
				if h.holds[i].Until.After(until) {
					until = h.holds[i].Until
				}
			}
			if early := until.Sub(q.began); early > slack {
				c.breach(q, "came %s before the end of the wait", seconds(early))
			}
		}
	}
	switch c.Kept = thousands(n) + " did"; n {
	case 0:
		c.Kept = "none did"
	case 1:
		c.Kept = "one did"
	}
	return c
}
