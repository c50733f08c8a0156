package ratepolicy

import (
	"fmt"
	"time"
)

// A Policy is how a bot treats hosts, from first contact to repeated limiting. It is
// plain data; [New] copies it. The zero Policy is polite: one request at a time, a
// second apart, and two seconds apart for two weeks wherever the rate was limited.
type Policy struct {
	Normal Pace // hosts that have not complained; zeros: 1 at a time, 1 s, burst 1, holds up to 30 s
	// Gentle is for hosts that limited the rate; zeros: 1 at a time, 2 s, burst 1, holds up to
	// 60 s. A longer Normal.Delay holds here too.
	Gentle Pace

	// GentleFor is how long a host stays gentle after its last rate limit: a 429, or a
	// 503 that names a wait, without a bot wall. 0: 14 days; negative: not at all.
	GentleFor time.Duration

	// Relay is the pace on the other route, by way of a provider; zeros as in Normal.
	// Only a [Limiter.Visit] is ever relayed, and only if RelayAfter rate limits were
	// met in gentle mode and no bot wall bars it. RelayAfter 0 or less: never. Limits and
	// walls are remembered in any case, for a later run with another Policy.
	Relay      Pace
	RelayAfter int

	// Backoff is the wait after a 429, or a 503, that names none or names zero. It
	// doubles with each further one in a row, up to an hour, or in a Visit up to its
	// MaxWait. Up to a fifth is added, by key, so that hosts limited together are not
	// asked again together. 0: 5 s; negative: none.
	Backoff time.Duration

	// LeaseFor is when a turn that was never released is free again, as when its
	// process died. Make it longer than the longest request. 0 or less: 1 minute.
	LeaseFor time.Duration

	// FailLocal is what a process may do while its Store fails, as a share of what the host
	// is promised: with four processes on one Store, 0.25. It then goes on by itself, one
	// request in flight and Gentle.Delay, or Normal.Delay if that is longer, divided by
	// FailLocal between two. 0, or negative: it makes no request; every call returns the
	// Store's error. Above 1: 1. The package documentation has more on it.
	FailLocal float64
}

const (
	maxBackoff = time.Hour            // where doubling ends
	keepStreak = 24 * time.Hour       // a streak of headerless limits ends this long after its last wait
	keepIdle   = time.Hour            // an answer's end is remembered at least so long, for a Crawl-delay heard later
	keepWall   = 366 * 24 * time.Hour // a wall bars the relay at most so long
	doubtFor   = 24 * time.Hour       // a host whose record is damaged is gentle this long
)

// filled returns p with every default in place; 0 then means none.
func filled(p Policy) Policy {
	p.Normal = p.Normal.fill(time.Second, 30*time.Second)
	p.Gentle = p.Gentle.fill(2*time.Second, time.Minute)
	p.Gentle.Delay = max(p.Gentle.Delay, p.Normal.Delay)
	p.Relay = p.Relay.fill(time.Second, 30*time.Second)
	p.GentleFor = orDefault(p.GentleFor, 14*24*time.Hour)
	p.Backoff = orDefault(p.Backoff, 5*time.Second)
	if p.LeaseFor <= 0 {
		p.LeaseFor = time.Minute
	}
	p.RelayAfter = max(p.RelayAfter, 0)
	if !(p.FailLocal > 0) { // NaN, too
		p.FailLocal = 0
	}
	p.FailLocal = min(p.FailLocal, 1)
	return p
}

// Policy returns the policy in force: defaults stand in place of zeros, and what is
// switched off is negative. It is there to be shown; [New] makes the same of it again.
func (l *Limiter) Policy() Policy {
	p := l.core.policy
	p.Normal, p.Gentle, p.Relay = p.Normal.shown(), p.Gentle.shown(), p.Relay.shown()
	p.GentleFor, p.Backoff = orNone(p.GentleFor), orNone(p.Backoff)
	return p
}

func orDefault(d, zero time.Duration) time.Duration {
	if d == 0 {
		return zero
	}
	return max(d, 0)
}

// A Mode is the way a key is treated.
type Mode uint8

// The modes.
const (
	ModeNormal Mode = iota // it has not complained
	ModeGentle             // it limited the rate within GentleFor
	ModeRelay              // it went on limiting in gentle mode; this visit is relayed
)

// String returns "normal", "gentle" or "relay".
func (m Mode) String() string {
	switch m {
	case ModeGentle:
		return "gentle"
	case ModeRelay:
		return "relay"
	default:
		return "normal"
	}
}

// MarshalText returns [Mode.String], so that a stored mode is text.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads what [Mode.MarshalText] wrote, so that a stored mode can be had back.
// A text that is no Mode's is an error.
func (m *Mode) UnmarshalText(text []byte) error {
	for known := ModeNormal; known <= ModeRelay; known++ {
		if known.String() == string(text) {
			*m = known
			return nil
		}
	}
	return fmt.Errorf("ratepolicy: %.40q is no Mode", text)
}

func (p *Policy) pace(m Mode) Pace {
	switch m {
	case ModeGentle:
		return p.Gentle
	case ModeRelay:
		return p.Relay
	default:
		return p.Normal
	}
}
