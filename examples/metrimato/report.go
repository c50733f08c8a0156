package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/examples/internal/timeline"
	"github.com/politefetch/sdk/politefetch"
)

// ownPace is what the scanner leaves between two requests to a busy site of its own
// accord: a wait that is longer was asked for.
const ownPace = 2 * time.Second

// interrupted is the outcome of a run that was.
const interrupted = "interrupted"

// summary is the end of a run: what the report says, and -json writes as the last object.
type summary struct {
	Site     string            `json:"site"`
	Outcome  string            `json:"outcome"` // that of the visit, or "interrupted"
	Why      string            `json:"why"`
	Hint     string            `json:"hint,omitempty"` // what the operator can do
	Began    time.Time         `json:"began,omitzero"`
	Ended    time.Time         `json:"ended,omitzero"`
	Robots   string            `json:"robots"` // what robots.txt says of the start
	Closed   []string          `json:"closed,omitempty"`
	Verified map[string]string `json:"verified"` // how each domain was
	Sitemap  string            `json:"sitemap"`
	Pages    int               `json:"pages"`
	Skipped  int               `json:"skipped"`
	Closes   int               `json:"disallowed"`
	Barred   int               `json:"barred"`       // not asked for
	Unproved int               `json:"not_admitted"` // read, to prove a domain, and in vain
	Broken   int               `json:"interrupted"`
	Failed   int               `json:"failed"`
	Left     int               `json:"left"`
	Limited  bool              `json:"limited"`
	Gentle   bool              `json:"gentle"`
	Requests int               `json:"requests"`
	Together int               `json:"together"`     // most requests in flight
	LeastGap int64             `json:"least_gap_ms"` // from an answer's end to the next request
	Opens    time.Time         `json:"opens,omitzero"`

	proof bool // asked for
	rest  int  // requests after the site asked for fewer
}

func newSummary(j *job, rep *politefetch.Report, w *watcher, stopped bool) *summary {
	s := &summary{
		Site: rep.Site, Outcome: string(rep.Outcome), Why: strings.TrimPrefix(rep.Why, "politefetch: "), Began: rep.Began, Ended: rep.Ended,
		Robots: rep.Robots.String(), Closed: w.rules(), Verified: rep.Admitted, Sitemap: cli.Once(rep.Sitemap),
		Pages: rep.Pages, Skipped: rep.Skipped, Closes: rep.Disallowed,
		Barred: rep.Barred - w.unadmitted, Unproved: w.unadmitted, Broken: w.unfinished,
		Failed: rep.Failed, Left: rep.Left, Limited: rep.Limited, Gentle: rep.Gentle, Opens: rep.Opens,
		Requests: w.pace.requests, Together: w.pace.together, LeastGap: w.pace.leastGap.Round(time.Millisecond).Milliseconds(),
		proof: j.code != "", rest: w.pace.rest(),
	}
	if s.Why == "the limit of 1 pages was reached" {
		s.Why = "the limit of 1 page was reached"
	}
	if stopped {
		s.Outcome, s.Why = interrupted, strings.TrimPrefix(s.Why, "interrupted: ")
	}
	if j.code == "" {
		s.Verified = make(map[string]string)
		for _, host := range j.domains() {
			if w.spoke[host] { // else it may not even exist
				s.Verified[host] = notProved
			}
		}
	}
	return s
}

// domains are the hosts of the site.
func (j *job) domains() []string {
	if len(j.hosts) > 0 {
		return j.hosts
	}
	u, err := url.Parse(j.start)
	if err != nil {
		return nil
	}
	return []string{u.Hostname()}
}

// scanned reports whether the run was one that the calendar counts: the site's answers, or
// its own wish, are why it ended, or it was broken off. One that sent nothing is none.
func (s *summary) scanned() bool {
	switch politefetch.Outcome(s.Outcome) {
	case politefetch.Done, politefetch.Disallowed, politefetch.Walled, politefetch.Limited, interrupted:
		return s.Requests > 0
	default:
		return s.Pages > 0
	}
}

// code is the exit code.
func (s *summary) code() int {
	switch {
	case s.Outcome == interrupted:
		return exitInterrupted
	case s.Outcome == string(politefetch.Done) && s.Pages > 0:
		return exitScanned
	}
	return exitNotScanned
}

// writeJSON writes the report as the last line.
func (s *summary) writeJSON(w io.Writer) error {
	return json.NewEncoder(w).Encode(map[string]*summary{"report": s})
}

// write prints the report.
func (s *summary) write(w io.Writer) error {
	var b strings.Builder
	for _, f := range s.says() {
		name := f.Name
		for _, line := range f.Lines {
			fmt.Fprintf(&b, "\n%-12s%s", name, cli.Printable(line))
			name = ""
		}
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

// says is the report in words.
func (s *summary) says() []timeline.Fact {
	var out []timeline.Fact
	say := func(name string, lines ...string) { out = append(out, timeline.Fact{Name: name, Lines: lines}) }
	say("site", s.Site)
	ended := []string{s.Outcome + ": " + s.Why}
	if s.Hint != "" {
		ended = append(ended, s.Hint)
	}
	say("outcome", ended...)
	var owned []string
	for _, host := range slices.Sorted(maps.Keys(s.Verified)) {
		owned = append(owned, host+": "+s.Verified[host])
	}
	if len(s.Verified) == 0 && s.proof {
		owned = append(owned, "no domain was proved")
	}
	say("ownership", owned...)
	var closed []string
	if s.Requests > 0 {
		closed = append(closed, "the start is "+s.Robots)
	}
	for _, rule := range s.Closed {
		closed = append(closed, "closed by "+rule)
	}
	say("robots.txt", closed...)
	if s.Sitemap != "" {
		say("addresses", s.Sitemap)
	}
	say("pages", s.counts())
	if s.Requests > 0 {
		say("pace", s.kept())
		say("again", s.again())
	}
	return slices.DeleteFunc(out, func(f timeline.Fact) bool { return len(f.Lines) == 0 })
}

func (s *summary) counts() string {
	parts := []string{fmt.Sprintf("%d answered", s.Pages)}
	for _, c := range []struct {
		n    int
		what string
	}{
		{s.Closes, "closed by robots.txt"},
		{s.Barred, "not asked for (off the site, or refused)"},
		{s.Unproved, "read, but not admitted"},
		{s.Skipped, "given up (the site was busy)"},
		{s.Failed, "failed"},
		{s.Broken, "interrupted"},
		{s.Left, "known and left"},
	} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return strings.Join(parts, ", ")
}

func (s *summary) kept() string {
	text := cli.Plural(s.Requests, "request", "requests")
	if s.Together == 1 {
		text += ", one at a time"
	} else {
		text += fmt.Sprintf(", up to %d at a time", s.Together)
	}
	if s.LeastGap > 0 {
		text += fmt.Sprintf(", each at least %.3f s after the answer before it", float64(s.LeastGap)/1000)
	}
	text += fmt.Sprintf("; %v in all", s.Ended.Sub(s.Began).Round(100*time.Millisecond))
	if s.Limited {
		text += "; the site asked for fewer requests"
		if s.rest > 0 {
			text += ", so the rest went gently"
		}
	}
	return text
}

// day is how the report writes an instant.
const day = "Monday 2 January 2006, 15:04:05"

// again says when the site may be asked again.
func (s *summary) again() string {
	switch {
	case s.Opens.After(s.Ended.Add(ownPace)):
		return "not before " + cli.RoundUp(s.Opens, time.Second, day) + ", as the site asked"
	case s.scanned():
		next := calendar.Next([]politefetch.Report{{Began: s.Began, Ended: s.Ended}})
		return "the site asked for no wait; the scanner comes weekly at most: not before " + cli.RoundUp(next, time.Second, day)
	}
	return "as soon as that is put right: nothing was scanned"
}
