package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/politefetch/sdk/politefetch"
)

// EventLine is an event as a line of a log.
func EventLine(e *politefetch.Event) string {
	s := e.URL
	if e.Took > 0 {
		s += fmt.Sprintf(" in %v", e.Took.Round(time.Millisecond))
	}
	if e.Why != "" {
		s += ": " + WhyWait(e)
	}
	if !e.Until.IsZero() {
		s += ", until " + RoundUp(e.Until, time.Millisecond, "15:04:05.000")
	}
	s = Once(s)
	if e.Status != 0 {
		s = fmt.Sprintf("%d %s", e.Status, s)
	}
	return Printable(fmt.Sprintf("%s %-8s %s", e.At.Format("15:04:05.000"), e.Kind, s))
}

// WhyWait is an event's Why without the time that its Until holds too.
func WhyWait(e *politefetch.Event) string {
	why, _, _ := strings.Cut(e.Why, " (until ")
	return why
}

// Once leaves out addresses that were named before, where one only says what the words
// after it are about: "at x: x: gone" is "at x: gone".
func Once(text string) string {
	words := strings.Fields(text)
	seen := make(map[string]bool)
	var out []string
	for i := range words {
		open := ""
		word := words[i]
		if word == "GET" && i+1 < len(words) {
			if address, ok := strings.CutSuffix(words[i+1], ":"); ok && seen[address] {
				continue
			}
		}
		if strings.HasPrefix(word, "(http") {
			open, word = "(", word[1:]
		}
		address := strings.TrimRight(word, ":;,)")
		begins := i == 0 || open != "" || words[i-1] == "GET" || strings.ContainsAny(words[i-1][len(words[i-1])-1:], ":;")
		if seen[address] && begins && strings.HasSuffix(word, ":") {
			if open != "" && i+1 < len(words) {
				words[i+1] = open + words[i+1]
			}
			continue
		}
		if strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://") {
			seen[address] = true
		}
		out = append(out, open+word)
	}
	return strings.Join(out, " ")
}
