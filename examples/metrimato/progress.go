package main

import (
	"fmt"
	"io"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
)

// state is how far a run is.
type state struct {
	done, goal, known int // pages: done, to be asked for, known
	requests          int
	every             time.Duration // mean time from one request to the next
	wait              string        // what is waited for; "": nothing
	until             time.Time
}

// progress shows how far a run is. Its methods are not called concurrently.
type progress interface {
	show(*state)
	clear() // takes away what is not to stay on the screen
}

func newProgress(w io.Writer) progress {
	if cli.IsTerminal(w) {
		return live{cli.NewBar(w, func() int { return cli.ScreenWidth(w) })}
	}
	return &lines{w: w}
}

// live is one line on a terminal.
type live struct{ bar *cli.Bar }

func (l live) show(s *state) { l.bar.Show(s.done, s.goal, s.words()) }
func (l live) clear()        { l.bar.Clear() }

// words say what the figures of the bar do not.
func (s *state) words() string {
	words := "pages"
	if s.goal == 0 {
		words = "robots.txt and sitemaps"
	}
	if s.known > s.goal {
		words += fmt.Sprintf(" of %d known", s.known)
	}
	if s.every > 0 {
		words += fmt.Sprintf(", every %.2f s", s.every.Seconds())
	}
	if s.wait != "" {
		words += fmt.Sprintf(", waits until %s: %s", cli.RoundUp(s.until, time.Second, time.TimeOnly), s.wait)
	}
	return cli.Printable(words)
}

const (
	linePages = 10               // pages between two lines
	lineEvery = 10 * time.Second // time after which a line comes anyway
	lineWait  = 3 * time.Second  // a wait as long as this has a line of its own
)

// lines are for logs: a line now and then.
type lines struct {
	w      io.Writer
	pages  int
	last   time.Time
	waited time.Time
}

func (l *lines) show(s *state) {
	now := time.Now()
	if l.last.IsZero() {
		l.last = now
	}
	long := s.wait != "" && s.until.Sub(now) >= lineWait && !s.until.Equal(l.waited)
	due := s.done >= l.pages+linePages || s.done > l.pages && now.Sub(l.last) >= lineEvery
	if !long && !due {
		return
	}
	if long {
		l.waited = s.until
	}
	l.pages, l.last = s.done, now
	if s.goal > 0 {
		fmt.Fprintf(l.w, "%d/%d ", s.done, s.goal)
	}
	fmt.Fprintln(l.w, s.words())
}

func (l *lines) clear() {}
