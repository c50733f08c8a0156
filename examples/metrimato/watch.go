package main

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
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
	done   int                // pages that took one of the places that limit leaves
	wait   string             // what is waited for; "" while nothing is
	until  time.Time
	held   time.Time // until when the site asked for no request
	pace   pace
	closed map[string]int  // addresses by the rule of robots.txt that closed them
	spoke  map[string]bool // hosts that answered
	barred string          // the last address that was refused
	status int             // of the last answer
	mapped int             // of the last answer to a request for a sitemap

	unadmitted int // pages that were read, to no avail
	unfinished int // pages whose reading the end of the run broke off
}

// sitsOut is the longest hold that the scanner sits out (the default of a Pace's MaxWait).
const sitsOut = 30 * time.Second

// pace is what the run kept, measured between an answer's end and the next request.
type pace struct {
	requests int
	flying   int
	together int // most requests in flight
	began    time.Time
	limited  int // requests that had been sent when the site first asked for fewer; 0: it did not
	lastSent time.Time
	lastEnd  time.Time
	leastGap time.Duration
}

// rest is how many requests were sent after the site asked for fewer.
func (p *pace) rest() int {
	if p.limited == 0 {
		return 0
	}
	return p.requests - p.limited
}

// observe is the Config's Observe.
func (w *watcher) observe(e politefetch.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.verbose != nil {
		w.progress.clear()
		fmt.Fprintln(w.verbose, cli.EventLine(&e))
	}
	switch e.Kind {
	case politefetch.EventWait:
		w.wait, w.until = cli.WhyWait(&e), e.Until
		if w.tooLong(&e) {
			w.wait = ""
		}
	case politefetch.EventSend:
		w.wait = ""
		w.pace.sent(e.At)
	case politefetch.EventAnswer:
		w.pace.flying--
		w.pace.lastEnd = e.At
		w.answered(&e)
	case politefetch.EventLimit:
		w.held = e.Until
		if w.pace.limited == 0 {
			w.pace.limited = w.pace.requests
		}
		return
	case politefetch.EventBar:
		w.barred = e.URL
		return
	case politefetch.EventSitemap:
		w.mapped = w.status
		return
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

// tooLong reports whether a wait will not be sat out: the crawler tells of a wait before
// it sees that.
func (w *watcher) tooLong(e *politefetch.Event) bool {
	return e.Until.Sub(e.At) > sitsOut && (w.pace.requests == 0 || !e.Until.After(w.held))
}

func (w *watcher) answered(e *politefetch.Event) {
	w.status = e.Status
	if u, err := url.Parse(e.URL); err == nil && e.Status != 0 {
		if w.spoke == nil {
			w.spoke = make(map[string]bool)
		}
		w.spoke[u.Hostname()] = true
	}
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

// page tells that one more page is done. One that was closed before anything was sent
// takes no other's place.
func (w *watcher) page(p *politefetch.Page, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case err == nil:
	case p.Outcome == "":
		w.unfinished++
	case p.Outcome == politefetch.Barred && p.Status == http.StatusOK:
		w.unadmitted++
	}
	if !p.Began.IsZero() || p.Outcome != politefetch.Disallowed && p.Outcome != politefetch.Barred {
		w.done++
	}
	w.show()
}

func (w *watcher) show() {
	if w.visit == nil {
		return
	}
	rep := w.visit.Report()
	s := state{
		done: w.done, known: w.done + rep.Left,
		wait: w.wait, until: w.until, every: w.pace.every(), requests: w.pace.requests,
	}
	s.goal = min(s.known, w.limit)
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
		out[i] = fmt.Sprintf("%s (%s)", rule, cli.Plural(w.closed[rule], "address", "addresses"))
	}
	return out
}
