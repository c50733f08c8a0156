package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/proxy"
)

// A watcher takes in every decision of a visit as it is made: for the progress, for -v, and
// for what status will say.
type watcher struct {
	clock   *clock
	verbose io.Writer // nil: no -v
	bar     *cli.Bar  // nil: no terminal
	heard   func()    // is called at the first answer
	log     func(politefetch.Event)
	row     func(*politefetch.Page, error)

	mu       sync.Mutex
	visit    *politefetch.Visit
	sent     int
	answered int
	flying   int
	together int // most requests in flight
	done     int
	words    int
	lost     error // of the last page that failed

	turnedDown bool // the provider did not take the key, or is not paid
	wait       string
	until      time.Time
	limit      *sign
	wall       *sign
}

func (a *app) watcher(s *site, heard func()) *watcher {
	w := &watcher{clock: &a.clock, heard: heard, log: func(politefetch.Event) {}, row: func(*politefetch.Page, error) {}}
	if a.report != "" {
		w.log, w.row = a.events.Observe, func(p *politefetch.Page, err error) { a.row(s, p, err) }
	}
	switch {
	case a.verbose:
		w.verbose = a.stderr
	case cli.IsTerminal(a.stderr):
		w.bar = cli.NewBar(a.stderr, func() int { return cli.ScreenWidth(a.stderr) })
	}
	return w
}

// observe is the Config's Observe.
func (w *watcher) observe(e politefetch.Event) {
	w.log(e)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.verbose != nil {
		fmt.Fprintln(w.verbose, cli.EventLine(&e))
	}
	switch e.Kind {
	case politefetch.EventSend:
		w.sent++
		w.flying++
		w.together = max(w.together, w.flying)
		w.wait = ""
	case politefetch.EventAnswer:
		w.flying--
		if e.Status > 0 {
			if w.answered++; w.answered == 1 {
				w.heard()
			}
		}
	case politefetch.EventWait:
		w.wait, w.until = cli.WhyWait(&e), e.Until
	case politefetch.EventLimit:
		w.limit = w.sign(&e, inWords(&e))
	case politefetch.EventWall:
		w.wall = w.sign(&e, e.Why)
	default:
		return
	}
	w.show()
}

func (w *watcher) sign(e *politefetch.Event, what string) *sign {
	return &sign{At: w.clock.of(e.At), URL: e.URL, What: cli.Printable(what), Relayed: e.Relayed}
}

// inWords is what an answer asked for, in the words of HTTP: "answered 429 with Retry-After 20".
func inWords(e *politefetch.Event) string {
	what, wait, _ := strings.Cut(e.Why, ", ")
	from, length, ok := strings.Cut(wait, " asks for ")
	d, err := time.ParseDuration(length)
	if !ok || err != nil {
		return e.Why
	}
	return fmt.Sprintf("%s with %s %d", what, from, int64((d+time.Second-1)/time.Second))
}

// page takes in what came of one address.
func (w *watcher) page(p *politefetch.Page, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.row(p, err)
	w.done++
	if err == nil {
		w.words += p.Summary().Words // a ranker would rank the page here
	} else if p.Outcome == politefetch.Failed {
		w.lost = err
	}
	if e, ok := errors.AsType[*proxy.ProviderError](err); ok {
		w.turnedDown = e.Kind == proxy.KindAuth || e.Kind == proxy.KindQuota
	}
	w.show()
}

// show draws the line on the terminal.
func (w *watcher) show() {
	if w.bar == nil || w.visit == nil {
		return
	}
	words := "pages"
	if w.wait != "" && time.Until(w.until) > time.Second {
		words += ", waits until " + cli.RoundUp(w.clock.of(w.until), time.Second, time.TimeOnly) + ": " + w.wait
	}
	w.bar.Show(w.done, w.done+w.visit.Report().Left+w.flying, cli.Printable(words))
}

func (w *watcher) clear() {
	if w.bar != nil {
		w.bar.Clear()
	}
}
