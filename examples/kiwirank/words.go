package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
)

// How instants are written.
const (
	day    = "Mon 2 Jan 15:04"
	minute = "2 Jan 15:04"
)

// lines is a block of text, a name and what there is to say on each line.
type lines struct {
	strings.Builder
	width int
	said  []string // the same, unbroken
}

// Widths of a block.
const (
	nameWidth = 12
	lineWidth = 96 // at most
)

// width is that of what is written to the screen.
func (a *app) width() int { return min(lineWidth, cli.ScreenWidth(a.stdout)) }

// wrap breaks a text into lines of that width, where no word is longer; all but the first
// are indented.
func wrap(text string, indent, width int) string {
	var b strings.Builder
	room := width - indent
	for i, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case i == 0:
		case n+1 > room:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			room = width - indent
		default:
			b.WriteByte(' ')
			room--
		}
		b.WriteString(word)
		room -= n
	}
	return b.String()
}

func (b *lines) title(format string, args ...any) {
	text := cli.Printable(fmt.Sprintf(format, args...))
	b.said = append(b.said, text)
	b.WriteString(wrap(text, 2, b.width) + "\n")
}

// put adds a line, or as many as the text takes.
func (b *lines) put(name, format string, args ...any) {
	text := cli.Printable(fmt.Sprintf(format, args...))
	b.said = append(b.said, strings.TrimPrefix(name+": ", ": ")+text)
	fmt.Fprintf(b, "%-*s%s\n", nameWidth, "  "+name, wrap(text, nameWidth, b.width))
}

// words say what a sign was: "GET /a answered 429 with Retry-After 20 on 30 Nov 09:12".
func (s *site) words(what *sign) string {
	text := "GET " + s.short(what.URL) + " " + what.What + " on " + what.At.Format(minute)
	if what.Relayed {
		text += " (through the provider)"
	}
	return text
}

// hours is a duration as the bot's page has it.
func hours(d time.Duration) string {
	switch {
	case d >= 48*time.Hour && d%(24*time.Hour) == 0:
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	case d%time.Hour == 0:
		return cli.Plural(int(d/time.Hour), "hour", "hours")
	default:
		return cli.Plural(int(d/time.Minute), "minute", "minutes")
	}
}
