package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/stretchr/testify/assert"
)

func TestLiveLineFitsTheTerminal(t *testing.T) {
	var out bytes.Buffer
	p := live{cli.NewBar(&out, func() int { return 80 })}
	until := time.Date(2026, 1, 2, 15, 4, 5, 300_000_000, time.UTC)
	p.show(&state{})
	p.show(&state{done: 3, goal: 9, known: 700, every: 410 * time.Millisecond, wait: "robots.txt Crawl-delay 400ms", until: until})
	p.show(&state{done: 9, goal: 9, known: 700, every: 410 * time.Millisecond})
	p.clear()
	for f := range strings.SplitSeq(out.String(), "\r") {
		assert.LessOrEqual(t, utf8.RuneCountInString(f), 80, "%q", f)
	}
	assert.Contains(t, out.String(), "(3/9) pages of 700 known, every 0.41 s, waits")
	assert.Regexp(t, `\r +\r$`, out.String()) // the line is taken away
}

func TestWaitIsShownWithItsEnd(t *testing.T) {
	until := time.Date(2026, 1, 2, 15, 4, 5, 300_000_000, time.UTC)
	s := &state{goal: 1, wait: "Retry-After", until: until}
	assert.Equal(t, "pages, waits until 15:04:06: Retry-After", s.words(), "not before the wait has ended")
}

func TestLogsGetALineNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := &lines{w: &out}
		for n := range 36 {
			p.show(&state{done: n, goal: 35, known: 35})
			time.Sleep(300 * time.Millisecond)
		}
		p.show(&state{done: 35, goal: 40, known: 40, wait: "Retry-After", until: time.Now().Add(30 * time.Second)})
		p.show(&state{done: 35, goal: 40, known: 40, wait: "own pace 300ms", until: time.Now().Add(time.Second)})
		time.Sleep(30 * time.Second)
		p.show(&state{done: 36, goal: 40, known: 40})
		assert.Equal(t, []string{"10/35 pages", "20/35 pages", "30/35 pages", "35/40 pages, waits until 00:00:41: Retry-After", "36/40 pages"},
			strings.Split(strings.TrimSpace(out.String()), "\n"))
	})
}
