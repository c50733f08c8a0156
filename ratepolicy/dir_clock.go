package ratepolicy

import "time"

// An instant is what the machine's clocks show.
type instant struct {
	wall int64  // Unix nanoseconds
	up   int64  // nanoseconds since the boot, suspend included
	boot uint64 // which boot; 0: up isn't known
}

func machineClock() instant {
	at := instant{wall: time.Now().UnixNano()}
	at.up, at.boot = uptime(at.wall)
	return at
}

// A mark ties a record's clock to the machine's: the one showed seen at the other's
// instant.
type mark struct {
	seen int64
	instant
}

// longestGap is how far the machine's clock may go forward between two marks and be
// believed without the uptime's word: longer than anything is remembered for but what a
// host or the caller asks for.
const longestGap = 400 * 24 * time.Hour

// now is the record's clock at an instant.
func (m mark) now(at instant) int64 {
	wall, up := at.wall-m.wall, at.up-m.up
	switch {
	case m.boot == 0 || m.boot != at.boot || up < 0: // the uptime says nothing
		if wall < 0 || wall > int64(longestGap) {
			return m.seen
		}
	case wall < 0:
		wall = up
	default: // two containers may count their uptimes from different starts
		wall = min(wall, up)
	}
	return after(m.seen, time.Duration(wall))
}

// stale reports whether the machine's clock was moved so that a new mark is due: else the
// record's would stand still until the machine's is back, or go back when it is.
func (m mark) stale(at instant) bool {
	wall := at.wall - m.wall
	return wall < 0 || m.now(at) == m.seen && wall > int64(longestGap)
}
