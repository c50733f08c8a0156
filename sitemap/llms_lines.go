package sitemap

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

func refKey(label string) string {
	return strings.ToLower(strings.Join(strings.Fields(label), " "))
}

// frontMatter cuts a YAML front matter off and returns its title.
func frontMatter(text string) (title, rest string) {
	after, ok := strings.CutPrefix(strings.TrimLeftFunc(text, unicode.IsSpace), "---\n")
	if !ok {
		return "", text
	}
	matter, rest, ok := strings.Cut("\n"+after, "\n---\n")
	if !ok {
		return "", text
	}
	for line := range strings.Lines(matter) {
		if v, ok := strings.CutPrefix(line, "title:"); ok && title == "" {
			title = strings.Trim(strings.TrimSpace(v), `"'`)
		}
	}
	return title, rest
}

func opensFence(line string) string {
	s := strings.TrimLeft(line, " \t")
	for _, c := range []byte("`~") {
		n := 0
		for n < len(s) && s[n] == c {
			n++
		}
		if n >= 3 && (c == '~' || strings.IndexByte(s[n:], '`') < 0) {
			return s[:n]
		}
	}
	return ""
}

func closesFence(line, fence string) bool {
	s := strings.TrimSpace(line)
	return len(s) >= len(fence) && strings.Trim(s, fence[:1]) == ""
}

func cutQuote(s string) (string, bool) {
	for _, mark := range []string{">", "&gt;"} {
		if after, ok := strings.CutPrefix(s, mark); ok {
			return strings.TrimSpace(after), true
		}
	}
	return "", false
}

// cutBullet cuts the bullet or number of an item, and the box of a task.
func cutBullet(s string) (string, bool) {
	r, size := utf8.DecodeRuneInString(s)
	rest := s[size:]
	switch {
	case r == '•':
	case r == '-' || r == '*' || r == '+':
		if rest == "" || strings.IndexByte(" \t[", rest[0]) < 0 {
			return "", false
		}
	case isDigit(s[0]):
		n := 1
		for n < len(s) && n < 9 && isDigit(s[n]) {
			n++
		}
		if n+1 >= len(s) || s[n] != '.' && s[n] != ')' || s[n+1] != ' ' && s[n+1] != '\t' {
			return "", false
		}
		rest = s[n+1:]
	default:
		return "", false
	}
	rest = strings.TrimSpace(rest)
	for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
		if after, ok := strings.CutPrefix(rest, box); ok {
			return strings.TrimSpace(after), true
		}
	}
	return rest, true
}
