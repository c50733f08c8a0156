package timeline

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
)

// Layouts of instants: every one on the page can be found in a server's log.
const (
	instant = "2006-01-02 15:04:05.000 -07:00"
	clock   = "15:04:05.000"
)

// plural is n, its thousands apart, with its word.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}

func thousands[T int | int64](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

// seconds is a duration as people say it, exact to the millisecond where that matters.
func seconds(d time.Duration) string {
	switch {
	case d < 0:
		return "−" + seconds(-d)
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Round(time.Millisecond).Seconds(), 'f', 3, 64) + "\u00a0s"
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + "\u00a0s"
	case d < time.Hour:
		d = d.Round(time.Second)
		return two(int(d/time.Minute), "min", int(d%time.Minute/time.Second), "s")
	case d < 48*time.Hour:
		d = d.Round(time.Minute)
		return two(int(d/time.Hour), "h", int(d%time.Hour/time.Minute), "min")
	}
	d = d.Round(time.Hour)
	const day = 24 * time.Hour
	return two(int(d/day), "d", int(d%day/time.Hour), "h")
}

func two(a int, unit string, b int, part string) string {
	if b == 0 {
		return fmt.Sprintf("%d\u00a0%s", a, unit)
	}
	return fmt.Sprintf("%d\u00a0%s %d\u00a0%s", a, unit, b, part)
}

func ordinal(n int) string {
	switch {
	case n%100/10 == 1:
	case n%10 == 1:
		return fmt.Sprintf("%dst", n)
	case n%10 == 2:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}

// mostAddress and mostText bound what is shown of one, in characters.
const (
	mostAddress = 240
	mostText    = 600
)

func address(s string) string { return cli.Middle(cli.Printable(s), mostAddress) }
func text(s string) string    { return cli.Middle(cli.Printable(s), mostText) }

// A px is a coordinate: as text, in tenths.
type px float64

func (p px) String() string { return strconv.FormatFloat(math.Round(float64(p)*10)/10, 'f', -1, 64) }
