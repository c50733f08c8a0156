package politefetch

// An Outcome says how the reading of an address, or a whole visit, ended. It is text,
// because owners of bots store it.
type Outcome string

// The outcomes. The zero Outcome is a reading that has not ended, or that the caller's
// loop or context ended.
const (
	Done       Outcome = "done"       // it was read; of a page, any answer that is final, 404 and 410 included
	Unchanged  Outcome = "unchanged"  // 304: what was read earlier still stands
	Limited    Outcome = "limited"    // the host asked for fewer requests: 429, 503 with Retry-After, or a hold still in force
	Refused    Outcome = "refused"    // 401, 403, 407, 451 or a status above 599: not wanted, which is not broken
	Walled     Outcome = "walled"     // a bot wall or challenge page answered
	Failed     Outcome = "failed"     // 5xx, 408, a time-out or a failed connection
	Disallowed Outcome = "disallowed" // robots.txt forbids it
	NoRobots   Outcome = "norobots"   // robots.txt could not be had, so nothing may be asked for (RFC 9309 section 2.3.1.4)
	Barred     Outcome = "barred"     // not sent: the address guard, the visit's hosts, Allow or Admit refused it
)
