package main

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/politefetch/sdk/examples/cli"
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
	if isTerminal(w) {
		return newLive(w, func() int { return width(w) })
	}
	return &lines{w: w}
}

// live is one line on a terminal.
type live struct {
	bar   *progressbar.ProgressBar
	width func() int
	done  int
	words string
}

const (
	barWidth = 12
	barFrame = 22 // what the line holds beside the bar and the words: percent, counts, brackets
)

func newLive(w io.Writer, width func() int) *live {
	return &live{width: width, bar: progressbar.NewOptions(
		1,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetWidth(barWidth),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetElapsedTime(false),
		progressbar.OptionShowDescriptionAtLineEnd(),
		progressbar.OptionSetTheme(progressbar.Theme{Saucer: "█", SaucerPadding: "░", BarStart: "▕", BarEnd: "▏"}),
	)}
}

// show tells the bar what is new; it draws itself at each word.
func (l *live) show(s *state) {
	words := s.words()
	if room := l.width() - barWidth - barFrame; len([]rune(words)) > room {
		words = string([]rune(words)[:max(room-1, 0)]) + "…"
	}
	if words != l.words {
		l.words = words
		l.bar.Describe(words)
	}
	// The bar takes itself for finished where it is full, and says no more then. The run
	// may go on: its next page, or its end, is soon there.
	if s.done >= max(s.goal, 1) {
		return
	}
	if goal := max(s.goal, 1); goal != l.bar.GetMax() {
		l.bar.ChangeMax(goal)
	}
	if s.done != l.done {
		l.done = s.done
		_ = l.bar.Set(s.done) // a terminal that is gone shows nothing
	}
}

func (l *live) clear() { _ = l.bar.Clear() }

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
	return printable(words)
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
