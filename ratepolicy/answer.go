package ratepolicy

import (
	"net/http"
	"time"
)

// An Answer is what one request showed. It is facts; the [Policy] judges them. The zero
// Answer says that nothing was sent.
type Answer struct {
	// Status is the HTTP status, 100 to 999; 0: no answer came, or nothing was sent.
	Status int

	// Wait is the pause that the answer asks for, from now. It holds the whole key,
	// except where a redirect or a success names it in Retry-After: that concerns the
	// next hop or that one resource (RFC 9110 section 10.2.3), and is the caller's.
	Wait time.Duration

	// From is the header field that asked for Wait, such as "Retry-After" or
	// "RateLimit". Not empty with a Wait of zero: the answer named none.
	From string

	// Wall names the bot wall or challenge that answered in the host's place; empty:
	// none. A walled answer is never a rate limit. ReadAnswer doesn't set it.
	Wall string

	// Err is why there is no answer, or why its body broke off.
	Err error
}

// ReadAnswer returns what resp, or err, shows at now. Either may be nil; both nil is
// the zero Answer. It doesn't read or close the body.
func ReadAnswer(resp *http.Response, err error, now time.Time) Answer {
	a := Answer{Err: err}
	if resp == nil {
		return a
	}
	a.Status = resp.StatusCode
	if wait, from, ok := parseWait(resp.Header, resp.StatusCode, now); ok {
		a.Wait, a.From = wait, from
	}
	return a
}

// class is what an answer means.
type class uint8

const (
	nothing     class = iota // was sent
	fine                     // 404 included
	failed                   // other 5xx, or no answer
	limited                  // 429, or 503 that names a wait: our rate is too high
	unavailable              // 503 that names none
	refused                  // 401, 403, 407, 451, 600 to 999
	walled                   // whatever its status
)

func (a Answer) class() class {
	switch s := a.Status; {
	case a.Wall != "":
		return walled
	case s == 0 && a.Err == nil && a.Wait <= 0:
		return nothing
	case s == http.StatusTooManyRequests, // RFC 6585 section 4
		s == http.StatusServiceUnavailable && (a.Wait > 0 || a.From != ""):
		return limited
	case s == http.StatusServiceUnavailable:
		return unavailable
	case s == http.StatusUnauthorized, s == http.StatusForbidden, s == http.StatusProxyAuthRequired,
		s == http.StatusUnavailableForLegalReasons, s >= 600:
		return refused
	case s == 0, s >= 500:
		return failed
	}
	return fine
}

// Limited reports whether a says that the host was asked too often: 429 (RFC 6585 section
// 4), or 503 with a Retry-After or the like, and no bot wall.
func (a Answer) Limited() bool { return a.class() == limited }

// binds reports whether a's Wait holds the key.
func (a Answer) binds() bool {
	return a.Wait > 0 && (a.From != retryAfter || a.Status == 0 || a.Status >= 400)
}
