package ratepolicy

import (
	"math"
	"math/bits"
	"time"
)

// A Pace says how fast one key may be asked. It is plain data; a zero field means the
// polite default, in [Policy.Gentle] the gentler one.
type Pace struct {
	// Concurrency bounds the requests in flight. With a Delay, the default one included,
	// they count against Burst too: more than Burst are never in flight. 0 or less: 1.
	Concurrency int

	// Delay is the time from an answer's end to the next request. 0: 1 s (Gentle: 2 s);
	// negative: none.
	Delay time.Duration

	// Burst is how many requests may be made within one Delay after a quiet spell; the
	// long-run rate stays one per Delay. 0 or less: 1.
	Burst int

	// MaxWait is the longest hold (Retry-After and the like) that an Acquire sits out;
	// a longer one is a [*WaitError] at once. It neither shortens the hold nor bounds
	// the wait for one's turn. 0: 30 s (Gentle: 60 s); negative: no hold is sat out.
	MaxWait time.Duration
}

// fill returns q with defaults in place of zeros and 0 for what is switched off.
func (q Pace) fill(delay, maxWait time.Duration) Pace {
	if q.Delay == 0 {
		q.Delay = delay
	}
	if q.MaxWait == 0 {
		q.MaxWait = maxWait
	}
	q.Delay, q.MaxWait = max(q.Delay, 0), max(q.MaxWait, 0)
	q.Concurrency = min(max(q.Concurrency, 1), maxLeases)
	q.Burst = max(q.Burst, 1)
	return q
}

// shown is a filled q for the bot's owner: negative stands for what is switched off again.
func (q Pace) shown() Pace {
	q.Delay, q.MaxWait = orNone(q.Delay), orNone(q.MaxWait)
	return q
}

func orNone(d time.Duration) time.Duration {
	if d == 0 {
		return -1
	}
	return d
}

// base is the pace of mode m, tightened if the visit met a rate limit in it.
func (p *Policy) base(m Mode, tight bool) Pace {
	q := p.pace(m)
	if tight {
		q.Concurrency, q.Burst = 1, 1
		q.Delay = max(q.Delay, p.Gentle.Delay)
	}
	return q
}

// effective returns the pace in force in mode m.
func (p *Policy) effective(s *state, k *ask, m Mode) (q Pace, tight bool) {
	tight = k.fixed && m == ModeNormal && (k.limited || s.limitedAt > 0 && s.limitedAt >= k.began)
	q = p.base(m, tight)
	if k.serial || s.backoffs > 0 {
		q.Concurrency = 1
	}
	if k.crawl > 0 {
		q.Concurrency, q.Burst = 1, 1
		q.Delay = max(q.Delay, parts(k.crawl, k.share))
	}
	return q, tight
}

// span is how long an emptied bucket takes to fill.
func (q Pace) span() time.Duration { return times(q.Burst, q.Delay) }

// maxLeases bounds what a record can grow to: 16 bytes a lease.
const maxLeases = 1 << 10

// after is a + d without overflow; neither is negative.
func after(a int64, d time.Duration) int64 {
	if int64(d) > math.MaxInt64-a {
		return math.MaxInt64
	}
	return a + int64(d)
}

// times is n * d without overflow; neither is negative.
func times(n int, d time.Duration) time.Duration {
	hi, lo := bits.Mul64(uint64(n), uint64(d)) //nolint:gosec // neither is negative
	if hi > 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(lo)
}
