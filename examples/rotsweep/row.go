package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
)

// A row is what -json writes of a check.
type row struct {
	URL         string     `json:"url"`
	Verdict     verdict    `json:"verdict"`
	Why         string     `json:"why,omitempty"`
	News        bool       `json:"news"` // it is not what was reported last
	Until       time.Time  `json:"until,omitzero"`
	Status      int        `json:"status,omitempty"`
	Final       string     `json:"final,omitempty"` // the address that answered
	Redirects   []redirect `json:"redirects,omitempty"`
	Alike       *float64   `json:"alike,omitempty"` // to what it was, 0 to 1
	Fingerprint string     `json:"fingerprint,omitempty"`
	Robots      string     `json:"robots,omitempty"` // what robots.txt has against it
	Line        int        `json:"robots_line,omitempty"`
	Browser     string     `json:"browser,omitempty"`
	Truncated   bool       `json:"truncated,omitempty"`
	Unchanged   bool       `json:"unchanged,omitempty"` // answered 304
	Checked     time.Time  `json:"checked,omitzero"`
	Next        time.Time  `json:"next,omitzero"`
}

type redirect struct {
	URL      string    `json:"url"`
	Status   int       `json:"status"`
	Location string    `json:"location"`
	At       time.Time `json:"at"`
	TookMS   int64     `json:"took_ms,omitempty"` // on the network
}

func newRow(l *link) *row {
	r := &row{
		URL: l.URL, Verdict: l.Verdict, Why: l.Why, News: l.news, Until: l.until(), Status: l.Status, Final: l.Final,
		Fingerprint: string(l.Fingerprint), Robots: l.Closed, Line: l.Line, Browser: l.browser,
		Truncated: l.Truncated, Unchanged: l.Unchanged, Checked: l.Checked, Next: l.Next,
	}
	if l.compared() {
		r.Alike = &l.Alike
	}
	for _, h := range l.Hops {
		r.Redirects = append(r.Redirects, redirect{h.URL, h.Status, h.Location, h.At, h.Took.Milliseconds()})
	}
	return r
}

// until is when a verdict that is none yet is looked into again.
func (l *link) until() time.Time {
	switch l.Verdict {
	case pending, refused, limited:
		return l.Next
	default:
		return time.Time{}
	}
}

// compared reports whether the last check compared what the page says.
func (l *link) compared() bool {
	switch l.Verdict {
	case ok, moved, drifted:
		return l.Baseline != ""
	default:
		return false
	}
}

// words are the verdict as a person reads it.
func (l *link) words() string {
	if !l.swept {
		return "not checked"
	}
	s := string(l.Verdict)
	switch l.Verdict {
	case barred:
		s = "not asked"
	case drifted:
		return fmt.Sprintf("drifted %.2f", l.Alike)
	case moved:
		return "moved " + l.Why
	case pending, refused, limited:
		s += " until " + clock(l.Next, time.Now())
	default:
	}
	if l.Why != "" {
		s += ": " + cli.Once(l.Why)
	}
	return s
}

// note is what else there is to say of a check.
func (l *link) note() string {
	if !l.swept {
		return ""
	}
	var notes []string
	say := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if n := len(l.Hops); n > 0 && l.Verdict != moved {
		say("%s, the last to %s", cli.Plural(n, "redirect", "redirects"), l.Hops[n-1].Location)
	} else if n > 1 {
		say("%d redirects", n)
	}
	if l.Verdict == moved && l.compared() && l.Fingerprint != l.Baseline {
		say("alike %.2f", l.Alike)
	}
	switch {
	case l.Closed == "", l.Verdict == limited, l.Verdict == stopped:
	case l.Line == 0 && l.Status == 0: // where nothing answers robots.txt doesn't either
	default:
		say("%s; checked all the same", l.Closed)
	}
	if l.browser != "" {
		say("asked as %s", l.browser)
	}
	if l.Truncated {
		say("read in part")
	}
	if l.Unchanged {
		say("not changed (304)")
	}
	return strings.Join(slices.Compact(notes), "; ")
}

// clock is an instant that lies ahead, as short as it can be told, and not too early.
func clock(t, now time.Time) string {
	t = t.In(now.Location())
	switch {
	case t.Sub(now) < 10*time.Minute:
		return cli.RoundUp(t, time.Second, time.TimeOnly)
	case t.Sub(now) < 12*time.Hour:
		return cli.RoundUp(t, time.Minute, "15:04")
	}
	return cli.RoundUp(t, time.Minute, "2 Jan 15:04")
}
