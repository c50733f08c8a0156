package ratepolicy

import (
	"strconv"
	"time"
)

// state is all that is known of a key. Times are Unix nanoseconds by the store's
// clock, zero where there is none.
type state struct {
	lastEnd int64 // when the last answer ended
	drained int64 // when the token bucket is full again
	crawl   int64 // the Crawl-delay last heard, nanoseconds
	leases  flight
	trouble
}

// trouble is what a key has that was never limited, held or walled: nothing.
type trouble struct {
	hold        int64 // the server's: until
	ours        int64 // the caller's hold: until
	backoff     int64 // the policy's own wait: until
	backoffs    int64 // such waits in a row
	busyStatus  int64 // the status behind backoff
	backedAt    int64 // when backoffs was last raised: requests granted before belong to the same event
	limitedAt   int64 // the same for rate limits, and hits
	gentleUntil int64
	hits        int64 // rate limits met in gentle mode
	walledAt    int64 // a wall on the direct route bars the relay
	holdAsked   asked // what hold came from
	oursWhy     string
}

// asked is what an answer asked for.
type asked struct {
	status int64
	wait   int64  // nanoseconds
	from   string // the field that named it, cleaned
}

// why is it in words, such as "answered 429, Retry-After 120".
func (a *asked) why() string {
	var b []byte
	if a.status > 0 {
		b = append(b, "answered "...)
		b = strconv.AppendInt(b, a.status, 10)
		b = append(b, ", "...)
	}
	from := a.from
	if from == "" {
		from = "a wait of"
	}
	b = append(b, from...)
	b = append(b, ' ')
	if d := time.Duration(a.wait); d%time.Second != 0 {
		return string(append(b, d.String()...))
	}
	return string(strconv.AppendInt(b, a.wait/int64(time.Second), 10))
}

// reset makes s the zero state and keeps what it has allocated.
func (s *state) reset() { *s = state{leases: flight{more: s.leases.more[:0]}} }
