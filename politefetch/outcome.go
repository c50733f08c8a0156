package politefetch

import (
	"errors"
	"net/http"

	"github.com/politefetch/sdk/ratepolicy"
)

// An Outcome says how the reading of an address, or a whole visit, ended. It is text,
// because owners of bots store it.
type Outcome string

// The outcomes. The zero Outcome is a reading that has not ended, or that something of the
// bot's own ended: the caller's loop or context, its pace (a [*ratepolicy.WaitError] that is
// no hold) or its store ([ErrStore]). It says nothing about the site.
const (
	Done       Outcome = "done"       // it was read; of a page, any answer that is final, 404 and 410 included
	Unchanged  Outcome = "unchanged"  // 304: what was read earlier still stands
	Limited    Outcome = "limited"    // the host asked for fewer requests: 429, 503 with Retry-After, or a hold still in force
	Refused    Outcome = "refused"    // 401, 403, 407, 451 or a status above 599: not wanted, which is not broken
	Walled     Outcome = "walled"     // a bot wall or challenge page answered
	Failed     Outcome = "failed"     // 5xx, 408, a time-out or a failed connection
	Disallowed Outcome = "disallowed" // robots.txt forbids it
	NoRobots   Outcome = "norobots"   // robots.txt could not be had, for want of a DNS entry too, so nothing may be asked for (RFC 9309 section 2.3.1.4)
	Barred     Outcome = "barred"     // not sent: the address guard, the visit's hosts, Allow or Admit refused it
)

// outcomeOf says what an answer means for the address that gave it. Refusals and limits
// are told apart from failures: only the latter are the site's being broken.
func outcomeOf(a ratepolicy.Answer) Outcome {
	switch s := a.Status; {
	case a.Wall != "":
		return Walled
	case a.Limited():
		return Limited
	case a.Err != nil:
		return Failed
	case s == http.StatusUnauthorized, s == http.StatusForbidden, s == http.StatusProxyAuthRequired,
		s == http.StatusUnavailableForLegalReasons, s >= 600:
		return Refused
	case s >= 500, s == http.StatusRequestTimeout:
		return Failed
	}
	return Done
}

// outcomeOfError returns the Outcome of an [*Error], "" for other errors.
func outcomeOfError(err error) Outcome {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Outcome
	}
	return ""
}
