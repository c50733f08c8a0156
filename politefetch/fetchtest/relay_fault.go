package fetchtest

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A RelayFault is what goes wrong with one ask of a [Relay]. It is plain data; the zero
// RelayFault is none. Faults of the site are in the [Site]'s own script: a relay hands on
// its redirects, walls, limits, delays, drips and endless bodies, and can't reach it where
// it fails.
//
//	RelayFault{Answer: Hang()}                            // the provider never answers
//	RelayFault{Answer: Fail(err)}                         // the connection to it breaks
//	RelayFault{Answer: Status(502)}                       // a failure of its own
//	RelayFault{Answer: Redirect("https://other.example")} // no answer of an API
//	RelayFault{Cut: 100}                                  // the body breaks off
type RelayFault struct {
	Answer Answer      // the provider's own, and the site is not asked; zero: the site's
	Status int         // in the answer's place; 0: as it is
	Header http.Header // in the place of the answer's fields; no values: the field is left out
	Cut    int         // the body breaks off after so many bytes, negative: at its start; 0: never
}

// RelayQuota returns the answer of an account that is out of credits.
func RelayQuota() RelayFault {
	return RelayFault{Answer: own(http.StatusUnauthorized, `{"message":"Monthly API calls limit reached: 1000"}`)}
}

// RelayBusy returns the answer of an account with too many requests in flight. It asks for
// a wait if that is positive.
func RelayBusy(wait time.Duration) RelayFault {
	a := own(http.StatusTooManyRequests, `{"message":"Too many concurrent requests"}`)
	if wait > 0 {
		a = a.RetryAfter(wait)
	}
	return RelayFault{Answer: a}
}

// RelayUnreachable returns the answer of a provider that could not connect to the site.
func RelayUnreachable() RelayFault { return RelayFault{Answer: unreachable()} }

// RelayHeader returns a fault in one field of the provider's answer: other values, none, or
// several.
func RelayHeader(name string, values ...string) RelayFault {
	return RelayFault{Header: http.Header{http.CanonicalHeaderKey(name): values}}
}

// own is an answer of the provider's own. None of its fields begins like a site's.
func own(status int, json string) Answer {
	a := Answer{Status: status, Header: ownHeader(), Body: json}
	a.Header.Set("Content-Type", "application/json")
	return a
}

func ownHeader() http.Header {
	return http.Header{
		"Server":                    {"gunicorn"},
		"Strict-Transport-Security": {"max-age=31536000"},
		"Vary":                      {"Cookie"},
		"X-Frame-Options":           {"DENY"},
	}
}

// unreachable looks like a site's 503, but is free and has no field of a site's.
func unreachable() Answer {
	const text = "Proxy connection error"
	a := own(http.StatusServiceUnavailable, text)
	a.Header.Set("Content-Type", "text/plain")
	a.Header.Set("Spb-Content-Type", "text/plain")
	a.Header.Set("Spb-Content-Length", "22")
	a.Header.Set("Spb-Cost", "0")
	a.Header.Set("Spb-Initial-Status-Code", "503")
	return a
}

// replaces reports whether the provider answers by itself.
func (f RelayFault) replaces() bool {
	a := f.Answer
	return a.Status != 0 || a.Err != nil || a.Delay != 0 || a.Body != "" || a.Header != nil
}

func (f RelayFault) header(h http.Header) http.Header {
	h = h.Clone()
	if h == nil {
		h = make(http.Header)
	}
	maps.Copy(h, f.Header)
	maps.DeleteFunc(h, func(_ string, values []string) bool { return len(values) == 0 })
	return h
}

// accepts reports whether a client takes a content coding.
func accepts(h http.Header, coding string) bool {
	return slices.ContainsFunc(h.Values("Accept-Encoding"), func(v string) bool {
		return slices.ContainsFunc(strings.Split(v, ","), func(s string) bool { return strings.TrimSpace(s) == coding })
	})
}

func compressed(a Answer) Answer {
	h := a.Header
	a = a.Gzip()
	a.Header = h
	return a.With("Content-Encoding", "gzip")
}

// plainBody undoes a site's content coding, as a provider does. A body that was never
// coded stays.
func plainBody(a Answer) string {
	if !strings.EqualFold(a.Header.Get("Content-Encoding"), "gzip") {
		return a.Body
	}
	z, err := gzip.NewReader(strings.NewReader(a.Body))
	if err != nil {
		return a.Body
	}
	var b bytes.Buffer
	if _, err := io.Copy(&b, io.LimitReader(z, 64<<20)); err != nil {
		return a.Body
	}
	return b.String()
}
