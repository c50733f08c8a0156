package page

import (
	"net/http"
	"strconv"
	"strings"
)

// Robots is what a page asks of bots, beyond its site's robots.txt. Statements add up:
// what one of them forbids, no other allows.
type Robots struct {
	NoIndex  bool // not to be shown in an index
	NoFollow bool // none of its links is to be followed

	// NoAI and NoImageAI ask not to train on the page and on its images. They are about
	// use: a page that says so may be fetched.
	NoAI, NoImageAI bool

	// MaxSnippet is the longest excerpt to be shown, in characters; 0: nothing said,
	// negative: none at all.
	MaxSnippet int
}

// RobotsTag reads the X-Robots-Tag fields of an answer of any type, as they apply to the
// bot with this product token. Within a field, a bot's name before a colon scopes what
// comes after it.
func RobotsTag(h http.Header, product string) Robots {
	var r Robots
	for _, field := range h.Values("X-Robots-Tag") {
		ours := true
		for item := range strings.SplitSeq(field, ",") {
			item = strings.TrimSpace(item)
			for {
				name, rest, ok := strings.Cut(item, ":")
				name = strings.TrimSpace(name)
				if !ok || isValued(name) || !isBotName(name) {
					break
				}
				ours = name == "*" || strings.EqualFold(name, "robots") || product != "" && strings.EqualFold(name, product)
				item = strings.TrimSpace(rest)
			}
			if ours {
				r.add(item)
			}
		}
	}
	return r
}

// addList takes a comma-separated list, the content of a meta element.
func (r *Robots) addList(list string) {
	for item := range strings.SplitSeq(list, ",") {
		r.add(strings.TrimSpace(item))
	}
}

// add takes one directive. What it doesn't know, or only allows, changes nothing.
func (r *Robots) add(item string) {
	name, value, _ := strings.Cut(item, ":")
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "noindex":
		r.NoIndex = true
	case "nofollow":
		r.NoFollow = true
	case "none":
		r.NoIndex, r.NoFollow = true, true
	case "noai":
		r.NoAI = true
	case "noimageai":
		r.NoImageAI = true
	case "nosnippet":
		r.MaxSnippet = -1
	case "max-snippet":
		// -1 allows any length, 0 none.
		if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && n >= 0 {
			r.limitSnippet(n)
		}
	}
}

func (r *Robots) limitSnippet(n int) {
	switch {
	case n == 0:
		r.MaxSnippet = -1
	case r.MaxSnippet == 0 || n < r.MaxSnippet:
		r.MaxSnippet = n
	}
}

// isValued is true of the directives that have a value after a colon, and so are no bot's
// name.
func isValued(name string) bool {
	switch strings.ToLower(name) {
	case "max-image-preview", "max-snippet", "max-video-preview", "unavailable_after":
		return true
	}
	return false
}

// isBotName keeps the rest of a date, whose commas split it and whose time has colons, from
// being taken for a bot.
func isBotName(s string) bool {
	if s == "*" {
		return true
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z':
		case i > 0 && (c >= '0' && c <= '9' || strings.IndexByte("-_.", c) >= 0):
		default:
			return false
		}
	}
	return s != ""
}
