package main

import (
	"errors"
	"net/http"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/politefetch"
)

// A link is one address of the list.
type link struct {
	browser string    // whose header it is asked for with; "": the bot's own
	bad     error     // why it is no address that could be asked for
	at      time.Time // not asked for before
	claimed bool      // its check has to wait, and no other run is to begin it meanwhile
	news    bool      // what this run found is not what was reported last
	swept   bool      // it has a verdict of this run, or of a run whose verdict still holds
	record            // what is known of it
}

// A record is what is remembered of a link from one run to the next: addresses, times,
// statuses and fingerprints, nothing of a page's text.
type record struct {
	Version int    `json:"version"`
	URL     string `json:"url"`

	Verdict  verdict   `json:"verdict"`
	Why      string    `json:"why,omitempty"`
	Checked  time.Time `json:"checked,omitzero"` // when the last check ended
	Next     time.Time `json:"next,omitzero"`    // when the next is due
	Failures int       `json:"failures,omitempty"`
	Told     string    `json:"told,omitempty"` // what was reported last

	Status    int               `json:"status,omitempty"`
	Final     string            `json:"final,omitempty"`
	Hops      []politefetch.Hop `json:"hops,omitempty"`  // of the last check
	Chain     []politefetch.Hop `json:"chain,omitempty"` // of a check that has to wait; it goes on there
	Truncated bool              `json:"truncated,omitempty"`
	Unchanged bool              `json:"unchanged,omitempty"` // by a 304
	Closed    string            `json:"closed,omitempty"`    // what robots.txt has against it
	Line      int               `json:"line,omitempty"`      // the line that says so

	ETag        string                  `json:"etag,omitempty"`
	Modified    string                  `json:"last_modified,omitempty"`
	Fingerprint politefetch.Fingerprint `json:"fingerprint,omitempty"`
	Alike       float64                 `json:"alike,omitempty"` // to Baseline, 0 to 1

	// What later checks are compared with: what was found first, or accepted since.
	Baseline politefetch.Fingerprint `json:"baseline,omitempty"`
	Leads    string                  `json:"leads,omitempty"` // "": to URL itself
}

// newLink takes an address as somebody wrote it.
func newLink(raw, browser string) *link {
	l := &link{browser: browser}
	u, err := cli.WebAddress(raw)
	switch {
	case err != nil:
		l.URL, l.bad = cli.WithoutPassword(raw), whyNot(raw, err)
	default:
		if canonical, err := politefetch.CheckURL(raw); err == nil {
			u = canonical
		} // else the crawler says what it has against it, unless -allow-addr lets it pass
		u.Fragment = ""
		if u.Path == "" {
			u.Path = "/"
		}
		l.URL = u.String()
	}
	return l
}

// key is what the link is paced under.
func (l *link) key() string { return siteOf(l.URL) }

// earlier is as much of the last answer's header as asks whether it still stands. Of what
// there is no fingerprint yet, that would get none.
func (r *record) earlier() http.Header {
	h := make(http.Header)
	if r.Fingerprint == "" {
		return h
	}
	if r.ETag != "" {
		h.Set("Etag", r.ETag)
	}
	if r.Modified != "" {
		h.Set("Last-Modified", r.Modified)
	}
	return h
}

// waits reports whether the link is not to be asked for yet, whoever starts a sweep: it
// is about to be tried again, or was refused.
func (r *record) waits(now time.Time) bool {
	switch r.Verdict {
	case pending, refused, limited:
		return r.Next.After(now)
	default:
		return false
	}
}

// errStopped is why nothing is sent to a domain on the opt-out list.
var errStopped = errors.New("stopped on request")
