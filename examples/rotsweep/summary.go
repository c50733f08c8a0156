package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/politefetch"
)

// A tally counts what goes on in a run.
type tally struct {
	listed   int
	domains  int
	done     int // links that have a verdict
	requests int
	robots   int // of those, for robots.txt
}

func (t *tally) links(links []*link) {
	*t = tally{listed: len(links)}
	domains := make(map[string]bool)
	for _, l := range links {
		if l.bad == nil {
			domains[l.key()] = true
		}
	}
	t.domains = len(domains)
}

func (t *tally) intro(watch bool, every time.Duration) string {
	of := fmt.Sprintf("%s on %s", cli.Plural(t.listed, "link", "links"), cli.Plural(t.domains, "domain", "domains"))
	if watch {
		return fmt.Sprintf("watching %s, each every %s; Ctrl-C ends it", of, span(every))
	}
	return "sweeping " + of
}

// span is a duration without the zeros that its String has.
func span(d time.Duration) string {
	s := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(s, zero) {
			s = strings.TrimSuffix(s, zero[1:])
		}
	}
	return s
}

// observe is the crawler's Observe.
func (c *command) observe(e politefetch.Event) {
	if e.Kind == politefetch.EventSend {
		c.mu.Lock()
		c.count.requests++
		if strings.HasSuffix(e.URL, "/robots.txt") {
			c.count.robots++
		}
		c.mu.Unlock()
	}
	if c.report != "" {
		c.events.Observe(e)
	}
	if c.verbose {
		c.say("%s", cli.EventLine(&e))
	}
}

func (c *command) told(*link) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count.done = min(c.count.done+1, c.count.listed)
}

// A summary is the end of a run: what the report says, and -json writes as the last object.
type summary struct {
	Links       int             `json:"links"`
	Domains     int             `json:"domains"`
	Verdicts    map[verdict]int `json:"verdicts"`
	Left        int             `json:"left"` // that have no verdict
	Requests    int             `json:"requests"`
	Robots      int             `json:"robots_requests"`
	Began       time.Time       `json:"began"`
	Ended       time.Time       `json:"ended"`
	Interrupted bool            `json:"interrupted"`
	Opens       time.Time       `json:"opens,omitzero"` // when the first link is due that is put off
	Hint        string          `json:"hint,omitempty"`

	watch bool
}

func (c *command) summary(links []*link, began time.Time, interrupted bool) *summary {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &summary{
		Links: c.count.listed, Domains: c.count.domains, Verdicts: make(map[verdict]int),
		Requests: c.count.requests, Robots: c.count.robots, Began: began, Ended: time.Now(), Interrupted: interrupted, watch: c.watch,
	}
	for _, l := range links {
		if !l.swept {
			s.Left++
			continue
		}
		s.Verdicts[l.Verdict]++
		if at := l.until(); !at.IsZero() && (s.Opens.IsZero() || at.Before(s.Opens)) {
			s.Opens = at
		}
	}
	if s.Verdicts[pending] > 0 && c.state == "" && !c.watch && !c.demo {
		s.Hint = "What is pending is forgotten now: with -state DIR a later run goes on with it, and -watch does so by itself."
	}
	if i := slices.IndexFunc(links, func(l *link) bool { return l.swept && l.Verdict == barred && len(l.Hops) == 0 }); i >= 0 && s.Hint == "" {
		s.Hint = strings.TrimSpace(links[i].URL + " was not asked. " + cli.AddressHint(links[i].URL, c.local))
	}
	return s
}

// code is the exit code.
func (s *summary) code(watch bool) int {
	switch {
	case watch:
		return exitNothing
	case s.Interrupted:
		return exitInterrupted
	}
	for v := range s.Verdicts {
		if v.isReport() {
			return exitFound
		}
	}
	return exitNothing
}

// text is the report as a person reads it.
func (s *summary) text() string {
	var parts []string
	for _, v := range []verdict{ok, moved, drifted, broken, pending, refused, limited, stopped, barred} {
		if n := s.Verdicts[v]; n > 0 {
			word := string(v)
			if v == barred {
				word = "not asked"
			}
			parts = append(parts, fmt.Sprintf("%d %s", n, word))
		}
	}
	if s.Left > 0 {
		parts = append(parts, fmt.Sprintf("%d not checked", s.Left))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s on %s: %s\n", cli.Plural(s.Links, "link", "links"), cli.Plural(s.Domains, "domain", "domains"), strings.Join(parts, ", "))
	fmt.Fprintf(&b, "%s, %d of them for robots.txt, in %v\n", cli.Plural(s.Requests, "request", "requests"), s.Robots, s.Ended.Sub(s.Began).Round(100*time.Millisecond))
	if s.Interrupted && !s.watch {
		b.WriteString("interrupted: the table covers what was done\n")
	}
	if !s.Opens.IsZero() {
		fmt.Fprintf(&b, "what is put off is due from %s on\n", clock(s.Opens, s.Ended))
	}
	if s.Hint != "" {
		b.WriteString(s.Hint + "\n")
	}
	return b.String()
}
