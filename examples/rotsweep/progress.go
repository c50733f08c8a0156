package main

import (
	"fmt"
	"io"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
)

// progress shows how far a run is. Its methods are not called concurrently.
type progress interface {
	show(done, goal int, words string)
	clear() // takes away what is not to stay on the screen
}

// newProgress returns a line on a terminal, or for a log a line now and then; with -v
// there is none.
func newProgress(w io.Writer, verbose bool) progress {
	switch {
	case verbose:
		return quiet{}
	case cli.IsTerminal(w):
		return live{cli.NewBar(w, func() int { return cli.ScreenWidth(w) })}
	}
	return &logged{w: w, last: time.Now()}
}

type quiet struct{}

func (quiet) show(int, int, string) {}
func (quiet) clear()                {}

type live struct{ bar *cli.Bar }

func (l live) show(done, goal int, words string) { l.bar.Show(done, goal, words) }
func (l live) clear()                            { l.bar.Clear() }

// logEvery is the least time between two lines of a log.
const logEvery = 10 * time.Second

type logged struct {
	w    io.Writer
	last time.Time
	done int
}

func (l *logged) show(done, goal int, words string) {
	if now := time.Now(); done > l.done && now.Sub(l.last) >= logEvery {
		l.last, l.done = now, done
		fmt.Fprintf(l.w, "%d/%d %s\n", done, goal, words)
	}
}

func (l *logged) clear() {}

// show tells the screen where a sweep is.
func (c *command) show(s *sweeper) {
	c.mu.Lock()
	defer c.mu.Unlock()
	words := "links"
	if n := len(s.queue.lanes); !c.watch && n > 0 {
		words += ", " + cli.Plural(n, "domain", "domains") + " left"
	}
	if next := s.queue.first(); next != nil && s.flying < workers && time.Until(next.due) > time.Second {
		words += fmt.Sprintf(", %s next at %s", next.key, clock(next.due, time.Now()))
	}
	c.screen.show(c.count.done, c.count.listed, cli.Printable(words))
}

func (c *command) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.screen.clear()
}
