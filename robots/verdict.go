package robots

import (
	"fmt"
	"strconv"
	"strings"
)

// A Verdict says whether an address may be asked for, and why. The zero Verdict doesn't
// allow anything and has no reason yet.
type Verdict struct {
	Allowed bool
	Reason  Reason
	Line    int    // of the rule that decided, counted from 1; 0: no rule did
	Rule    string // that line as written, such as "Disallow: /private"; a substring of the file
}

// String explains the verdict in one line of at most 300 bytes, in which what the file
// says is escaped where it isn't printable ASCII.
func (v Verdict) String() string {
	word := "disallowed"
	if v.Allowed {
		word = "allowed"
	}
	switch v.Reason {
	case ReasonRule:
		return word + " by robots.txt line " + strconv.Itoa(v.Line) + ": " + printable(v.Rule, 230)
	case ReasonNoRule:
		return word + ": no rule of robots.txt matches"
	case ReasonNoGroup:
		return word + ": robots.txt has no group for this crawler"
	case ReasonRobotsTxt:
		return word + ": robots.txt itself may always be read"
	case ReasonUnavailable:
		return word + ": there is no robots.txt"
	case ReasonUnreachable:
		return word + ": robots.txt could not be had"
	case ReasonOtherAuthority:
		return word + ": this robots.txt speaks for another scheme, host or port"
	case ReasonNone:
	}
	return word + ": no reason given"
}

// printable escapes s to printable ASCII and cuts it to at most n bytes.
func printable(s string, n int) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		piece := s[i : i+1]
		if c < 0x20 || c >= 0x7f || c == '\\' {
			piece = fmt.Sprintf(`\x%02x`, c)
		}
		if b.Len()+len(piece) > n-3 && b.Len()+len(piece)+len(s)-i-1 > n {
			b.WriteString("...")
			break
		}
		b.WriteString(piece)
	}
	return b.String()
}

// A Reason is why a verdict is what it is.
type Reason uint8

// The reasons.
const (
	ReasonNone        Reason = iota // no verdict yet
	ReasonRule                      // an Allow or Disallow line matched
	ReasonNoRule                    // there is a group, none of its rules matched: allowed
	ReasonNoGroup                   // no group speaks to the crawler: allowed
	ReasonRobotsTxt                 // it's robots.txt itself: allowed (RFC 9309, section 2.2.2)
	ReasonUnavailable               // there is no robots.txt: allowed (section 2.3.1.3)
	ReasonUnreachable               // robots.txt could not be had: not allowed (section 2.3.1.4)

	// ReasonOtherAuthority: the question was put to the robots.txt of another scheme, host
	// or port (section 2.3), so there is no answer: not allowed.
	ReasonOtherAuthority
)

// String returns the reason in one or two words, such as "rule" or "no group".
func (r Reason) String() string {
	switch r {
	case ReasonNone:
		return "none"
	case ReasonRule:
		return "rule"
	case ReasonNoRule:
		return "no rule"
	case ReasonNoGroup:
		return "no group"
	case ReasonRobotsTxt:
		return "robots.txt itself"
	case ReasonUnavailable:
		return "unavailable"
	case ReasonUnreachable:
		return "unreachable"
	case ReasonOtherAuthority:
		return "other authority"
	}
	return "Reason(" + strconv.Itoa(int(r)) + ")"
}

// MarshalText returns what [Reason.String] does.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what [Reason.MarshalText] wrote, so that a stored verdict can be had
// back. A text that is no Reason's is an error.
func (r *Reason) UnmarshalText(text []byte) error {
	for known := ReasonNone; known <= ReasonOtherAuthority; known++ {
		if known.String() == string(text) {
			*r = known
			return nil
		}
	}
	return fmt.Errorf("robots: %.40q is no Reason", text)
}
