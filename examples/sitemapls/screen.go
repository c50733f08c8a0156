package main

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"
)

// A screen writes lines to standard output and, below them, one line of progress to a
// terminal. It is for one goroutine.
type screen struct {
	out   *bufio.Writer
	err   error     // of writing a line; nothing is written after it
	live  io.Writer // nil: not a terminal
	width func() int
	shown bool      // a progress line is on the terminal
	last  time.Time // when it was
}

func newScreen(stdout, stderr io.Writer) *screen {
	s := &screen{}
	s.out = bufio.NewWriterSize(above{s, stdout}, 64<<10)
	if f, ok := stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		s.live = f
		s.width = func() int {
			if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
				return n
			}
			return 80
		}
	}
	return s
}

// above takes the progress line away before anything is written.
type above struct {
	s *screen
	w io.Writer
}

func (a above) Write(p []byte) (int, error) {
	a.s.clear()
	return a.w.Write(p)
}

// line writes a line.
func (s *screen) line(text string) {
	if s.err == nil {
		_, _ = s.out.WriteString(text)
		s.stop(s.out.WriteByte('\n')) // the writer keeps its first error
	}
}

// stop ends the writing of lines if err is not nil.
func (s *screen) stop(err error) {
	if s.err == nil {
		s.err = err
	}
}

// show shows the progress below all lines so far.
func (s *screen) show(text string) {
	s.stop(s.out.Flush())
	s.last = time.Now()
	if s.live == nil {
		return
	}
	text = printable(text)
	if room := s.width() - 1; len([]rune(text)) > room {
		text = string([]rune(text)[:max(room-1, 0)]) + "…"
	}
	_, _ = io.WriteString(s.live, "\r"+text+eraseLine) // a terminal that is gone shows nothing
	s.shown = true
}

// now shows the progress, but not all too often.
func (s *screen) now(text func() string) {
	if time.Since(s.last) > 100*time.Millisecond {
		s.show(text())
	}
}

const eraseLine = "\x1b[K" // to the right of the cursor

func (s *screen) clear() {
	if s.shown {
		_, _ = io.WriteString(s.live, "\r"+eraseLine)
		s.shown = false
	}
}

// end writes what is left and takes the progress away. The error is the first of all
// lines.
func (s *screen) end() error {
	s.stop(s.out.Flush())
	s.clear()
	return s.err
}

// printable returns s, or s in Go's quotes if something in it could steer a terminal or
// would not show.
func printable(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) < 0 {
		return s
	}
	return strconv.Quote(s)
}
