package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/politefetch/sdk/politefetch"
)

// A watcher takes in every decision of a run as it is made: for the progress, for -v, and
// for what the report says of the pace and of robots.txt.
type watcher struct {
	progress progress
	verbose  io.Writer // nil: no -v
	limit    int       // pages that the run may ask for

	mu     sync.Mutex
	visit  *politefetch.Visit // for the counts
	wait   string             // what is waited for; "" while nothing is
	until  time.Time
	pace   pace
	closed map[string]int // addresses by the rule of robots.txt that closed them
}

// pace is what the run kept, measured between an answer's end and the next request.
type pace struct {
	requests int
	flying   int
	together int // most requests in flight
	began    time.Time
	lastSent time.Time
	lastEnd  time.Time
	leastGap time.Duration
}

// observe is the Config's Observe.
func (w *watcher) observe(e politefetch.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.verbose != nil {
		w.progress.clear()
		fmt.Fprintln(w.verbose, line(&e))
	}
	switch e.Kind {
	case politefetch.EventWait:
		w.wait, w.until = whyWait(&e), e.Until
	case politefetch.EventSend:
		w.wait = ""
		w.pace.sent(e.At)
	case politefetch.EventAnswer:
		w.pace.flying--
		w.pace.lastEnd = e.At
	case politefetch.EventForbid:
		if w.closed == nil {
			w.closed = make(map[string]int)
		}
		w.closed[fmt.Sprintf("line %d: %s", e.Robots.Line, e.Robots.Rule)]++
	default:
		return
	}
	w.show()
}

func (p *pace) sent(at time.Time) {
	if p.requests++; p.requests == 1 {
		p.began = at
	} else if gap := at.Sub(p.lastEnd); p.flying == 0 && (p.leastGap == 0 || gap < p.leastGap) {
		p.leastGap = gap
	}
	p.lastSent = at
	p.flying++
	p.together = max(p.together, p.flying)
}

// every is the mean time from one request to the next.
func (p *pace) every() time.Duration {
	if p.requests < 2 {
		return 0
	}
	return p.lastSent.Sub(p.began) / time.Duration(p.requests-1)
}

// watch takes the counts from a visit that is about to begin.
func (w *watcher) watch(v *politefetch.Visit) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.visit = v
}

// page tells that one more page is done.
func (w *watcher) page() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.show()
}

func (w *watcher) show() {
	if w.visit == nil {
		return
	}
	rep := w.visit.Report()
	s := state{
		done: rep.Pages + rep.Skipped + rep.Disallowed + rep.Barred + rep.Failed,
		wait: w.wait, until: w.until, every: w.pace.every(), requests: w.pace.requests,
	}
	s.known = s.done + rep.Left
	s.goal = min(s.known, max(w.limit, s.done))
	w.progress.show(&s)
}

// rules lists what robots.txt closed, the rule that closed most in front.
func (w *watcher) rules() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for rule := range w.closed {
		out = append(out, rule)
	}
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Or(cmp.Compare(w.closed[b], w.closed[a]), cmp.Compare(a, b))
	})
	for i, rule := range out {
		out[i] = fmt.Sprintf("%s (%s)", rule, plural(w.closed[rule], "address", "addresses"))
	}
	return out
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// whyWait is an event's Why without the time that its Until holds too.
func whyWait(e *politefetch.Event) string {
	why, _, _ := strings.Cut(e.Why, " (until ")
	return why
}

// line is an event for -v.
func line(e *politefetch.Event) string {
	s := fmt.Sprintf("%s %-8s", e.At.Format("15:04:05.000"), e.Kind)
	if e.Status != 0 {
		s += fmt.Sprintf(" %d", e.Status)
	}
	s += " " + e.URL
	if e.Took > 0 {
		s += fmt.Sprintf(" in %v", e.Took.Round(time.Millisecond))
	}
	if e.Why != "" {
		s += ": " + whyWait(e)
	}
	if !e.Until.IsZero() {
		s += ", until " + e.Until.Format("15:04:05.000")
	}
	return printable(s)
}
