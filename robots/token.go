package robots

import (
	"fmt"
	"strings"
)

// CheckToken reports why s can't be a crawler's product token, or nil if it can. RFC 9309,
// section 2.2.1, lets a token hold letters, "-" and "_" only; digits and ".!+~" are let
// pass because crawlers with them exist and sites name them (MJ12bot, archive.org_bot).
func CheckToken(s string) error {
	if s == "" {
		return fmt.Errorf("robots: empty product token")
	}
	if i := len(wideToken(s)); i < len(s) {
		return fmt.Errorf("robots: product token %.50q has %q, which no robots.txt can name", s, s[i:i+1])
	}
	return nil
}

// TokenOf returns the product token of a whole User-Agent value: the product that follows
// "compatible;", else the first product that isn't Mozilla, up to the first character that
// [CheckToken] would refuse, such as the "/" before a version. It is "" if there is none.
// RFC 9309, section 2.2.1, asks that the token be part of the User-Agent.
func TokenOf(userAgent string) string {
	rest := strings.TrimSpace(userAgent)
	if i := indexFold(rest, "compatible;"); i >= 0 {
		if t := wideToken(strings.TrimLeft(rest[i+len("compatible;"):], " \t")); t != "" {
			return t
		}
	}
	mozilla := ""
	for rest != "" {
		if rest[0] == '(' { // a comment belongs to the product before it
			i := strings.IndexByte(rest, ')')
			if i < 0 {
				break
			}
			rest = strings.TrimLeft(rest[i+1:], " \t")
			continue
		}
		t := wideToken(rest)
		if !strings.EqualFold(t, "Mozilla") {
			return t
		}
		mozilla = t
		i := strings.IndexAny(rest, " \t(")
		if i < 0 {
			break
		}
		rest = strings.TrimLeft(rest[i:], " \t")
	}
	return mozilla
}

// indexFold is strings.Index for an ASCII sep in lower case, without regard to case.
func indexFold(s, sep string) int {
	for i := 0; i+len(sep) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(sep)], sep) {
			return i
		}
	}
	return -1
}

func isNarrow(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '_'
}

func isWide(c byte) bool {
	return isNarrow(c) || c >= '0' && c <= '9' || c == '.' || c == '!' || c == '+' || c == '~'
}

// narrowToken is the longest prefix of s in the alphabet of RFC 9309.
func narrowToken(s string) string {
	i := 0
	for i < len(s) && isNarrow(s[i]) {
		i++
	}
	return s[:i]
}

// wideToken is the longest prefix of s in the wider alphabet that CheckToken allows.
func wideToken(s string) string {
	i := 0
	for i < len(s) && isWide(s[i]) {
		i++
	}
	return s[:i]
}

// names reports whether the User-agent value names the token.
func names(value, token string) bool {
	if len(value) < len(token) || token == "" {
		return false
	}
	if len(narrowToken(token)) == len(token) {
		value = narrowToken(value)
	} else {
		value = wideToken(value)
	}
	return len(value) == len(token) && strings.EqualFold(value, token)
}

// namesAll reports whether the User-agent value is "*", which may be followed by white
// space and anything. A no-break space or next-line character of Latin-1 counts as white
// space unless Google's reading is asked for.
func namesAll(value string, m mode) bool {
	if value == "" || value[0] != '*' {
		return false
	}
	if len(value) == 1 {
		return true
	}
	switch value[1] {
	case ' ', '\t', '\v', '\f', '\r':
		return true
	case 0xA0, 0x85:
		return m&modeGoogle == 0
	}
	return false
}
