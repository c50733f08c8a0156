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
	said []string // the same, unbroken
}

// Widths of a block.
const (
	nameWidth = 12
	lineWidth = 96
)

func (b *lines) title(format string, args ...any) {
	text := cli.Printable(fmt.Sprintf(format, args...))
	b.said = append(b.said, text)
	b.WriteString(text + "\n")
}

// put adds a line, or as many as the text takes.
func (b *lines) put(name, format string, args ...any) {
	text := cli.Printable(fmt.Sprintf(format, args...))
	b.said = append(b.said, strings.TrimPrefix(name+": ", ": ")+text)
	fmt.Fprintf(b, "%-*s", nameWidth, "  "+name)
	room := lineWidth - nameWidth
	for i, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case i == 0:
		case n+1 > room:
			b.WriteString("\n" + strings.Repeat(" ", nameWidth))
			room = lineWidth - nameWidth
		default:
			b.WriteByte(' ')
			room--
		}
		b.WriteString(word)
		room -= n
	}
	b.WriteByte('\n')
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
