package fetchtest

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// rules are the lines of a robots.txt file that bind one product (RFC 9309 section 2.2).
// This is deliberately another implementation than package robots: plain and slow.
type rules struct {
	lines       []rule
	delay       time.Duration
	unreachable bool
}

type rule struct {
	allow   bool
	pattern string
	line    int
}

// parseRules reads the group that names product or, if there is none, that of "*".
func parseRules(body, product string) *rules {
	own, all := &rules{}, &rules{}
	named := false
	var into []*rules
	inAgents := false
	body = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(body, "\ufeff"))
	for i, line := range strings.Split(body, "\n") {
		line, _, _ = strings.Cut(line, "#")
		key, value, _ := strings.Cut(line, ":")
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		switch key {
		case "user-agent":
			if !inAgents {
				into = nil
			}
			inAgents = true
			switch token, _, _ := strings.Cut(value, "/"); {
			case strings.EqualFold(token, product):
				into, named = append(into, own), true
			case value == "*":
				into = append(into, all)
			}
		case "allow", "disallow":
			inAgents = false
			for _, r := range into {
				if value != "" {
					r.lines = append(r.lines, rule{key == "allow", value, i + 1})
				}
			}
		case "crawl-delay":
			seconds, err := strconv.ParseFloat(value, 64)
			for _, r := range into {
				if d := time.Duration(seconds * float64(time.Second)); err == nil && d > r.delay {
					r.delay = d
				}
			}
		}
	}
	if named {
		return own
	}
	return all
}

// test applies the longest rule that matches (RFC 9309 section 2.2.2); of two that are
// equally long, the one that allows.
func (r *rules) test(path string) (line int, allowed bool) {
	best := -1
	allowed = true
	for _, l := range r.lines {
		if n := len(l.pattern); (n > best || n == best && l.allow) && match(l.pattern, path) {
			best, line, allowed = n, l.line, l.allow
		}
	}
	return line, allowed
}

func match(pattern, path string) bool {
	end := ""
	if p, ok := strings.CutSuffix(pattern, "$"); ok {
		pattern, end = p, "$"
	}
	parts := strings.Split(pattern, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile("(?s)^" + strings.Join(parts, ".*") + end).MatchString(path)
}
