package fetchtest

import (
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
	since       time.Time // when it had been read
	hops        int       // redirects on the way to it
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
	path = plain(path)
	for _, l := range r.lines {
		pattern := plain(l.pattern)
		if n := len(pattern); (n > best || n == best && l.allow) && match(pattern, path) {
			best, line, allowed = n, l.line, l.allow
		}
	}
	return line, allowed
}

// match compares piece by piece what stands between the stars of a pattern.
func match(pattern, path string) bool {
	pattern, anchored := strings.CutSuffix(pattern, "$")
	pieces := strings.Split(pattern, "*")
	if !strings.HasPrefix(path, pieces[0]) {
		return false
	}
	path = path[len(pieces[0]):]
	for i, piece := range pieces[1:] {
		if anchored && i == len(pieces)-2 {
			return strings.HasSuffix(path, piece)
		}
		at := strings.Index(path, piece)
		if at < 0 {
			return false
		}
		path = path[at+len(piece):]
	}
	return !anchored || path == ""
}

// plain resolves the escapes of letters and digits, which mean the same as those (RFC
// 3986 section 6.2.2.2), and writes the others in upper case.
func plain(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				c := byte(n)
				if c == '-' || c == '.' || c == '_' || c == '~' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' {
					b.WriteByte(c)
				} else {
					b.WriteString(strings.ToUpper(s[i : i+3]))
				}
				i += 2
				continue
			}
		}
		if s[i] >= 0x80 || s[i] == ' ' {
			b.WriteString("%" + strings.ToUpper(strconv.FormatUint(uint64(s[i])|0x100, 16)[1:]))
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
