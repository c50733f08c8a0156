package robots

import (
	"strings"
	"unsafe"
)

// Classes of octets, as bits of classes.
const (
	odd    = 1 << iota // "%", or not allowed in a URL as it is
	star               // "*"
	dollar             // "$"
	dot                // "."
	hash               // "#"
)

// classes maps each octet to its classes. RFC 3986 has no place in a URL for controls,
// space, "<>\^`{|}, and what isn't ASCII.
const classes = "" +
	"\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01" +
	"\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01" +
	"\x01\x00\x01\x10\x04\x01\x00\x00\x00\x00\x02\x00\x00\x00\x08\x00" +
	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x01\x00" +
	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x01\x00" +
	"\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
	"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x01\x01\x00\x01" +
	"\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01" +
	"\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01" +
	"\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01" +
	"\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01" +
	"\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01" +
	"\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01" +
	"\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01" +
	"\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01\x01"

// classify returns the classes of all octets of s together.
func classify(s string) (all byte) {
	for i := range len(s) {
		all |= classes[s[i]]
	}
	return all
}

// isNormal reports whether an address's path and query s is in normal form and has no dot
// segments: most are, and are then decided without a copy. It may report false for some
// that are.
func isNormal(s string) bool {
	if s == "" || s[0] != '/' {
		return false
	}
	for i := 1; i < len(s); i++ {
		switch classes[s[i]] {
		case 0:
		case dot:
			if s[i-1] == '/' {
				return false
			}
		case odd:
			if !escapeAt(s, i) {
				return false
			}
			i += 2
		default:
			return false
		}
	}
	return true
}

// escapeAt reports whether s has an escape in normal form at i.
func escapeAt(s string, i int) bool {
	return s[i] == '%' && i+2 < len(s) && isUpperHex(s[i+1]) && isUpperHex(s[i+2]) &&
		!isUnreserved(unhex(s[i+1])<<4|unhex(s[i+2]))
}

// escaped reports whether the octets of s that are odd are escapes in normal form.
func escaped(s string) bool {
	for i := 0; i < len(s); i++ {
		if classes[s[i]]&odd != 0 {
			if !escapeAt(s, i) {
				return false
			}
			i += 2
		}
	}
	return true
}

func isUpperHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'A' && c <= 'F' }

// appendNormal appends the normal form of s: escapes of unreserved characters decoded,
// other escapes in capitals, octets that a URL can't hold escaped, and the wildcards
// escaped where they stand for themselves: everywhere in an address, and in a pattern a
// "$" that isn't the last octet. A "%" that starts no escape stays, and what is decoded
// next to it must not make it one ("%%41B").
func appendNormal(dst []byte, s string, pattern bool) []byte {
	lone := -1 // where dst has such a "%"
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch class := classes[c]; {
		case class&^dot == 0:
			dst = append(dst, c)
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			c = unhex(s[i+1])<<4 | unhex(s[i+2])
			i += 2
			if isUnreserved(c) && (lone < 0 || len(dst)-lone > 2 || !isHex(c)) {
				dst = append(dst, c)
			} else {
				dst = appendEscape(dst, c)
			}
		case c == '%':
			lone = len(dst)
			dst = append(dst, c)
		case class == hash, pattern && (class == star || class == dollar && i == len(s)-1):
			dst = append(dst, c)
		default:
			dst = appendEscape(dst, c)
		}
	}
	return dst
}

// appendGoogle appends a pattern as Google's library keeps it: escapes in capitals and
// what isn't ASCII escaped.
func appendGoogle(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			dst = appendEscape(dst, unhex(s[i+1])<<4|unhex(s[i+2]))
			i += 2
		case c >= 0x80:
			dst = appendEscape(dst, c)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

func appendEscape(dst []byte, c byte) []byte {
	const digits = "0123456789ABCDEF"
	return append(dst, '%', digits[c>>4], digits[c&15])
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}

// isUnreserved is the set of RFC 3986, section 2.3.
func isUnreserved(c byte) bool {
	return isNarrow(c) || c >= '0' && c <= '9' || c == '.' || c == '~'
}

// cutPath returns the path and query of an address in text: what follows the authority,
// from the first of "/?;" on and without the fragment. What starts with "/" is a path.
func cutPath(s string) (path string, slash bool) {
	if i := strings.IndexByte(s, '#'); i >= 0 {
		s = s[:i]
	}
	if s != "" && s[0] == '/' {
		return s, true
	}
	start := strings.IndexAny(s, "/?;")
	if i := strings.Index(s, "://"); i >= 0 && start == i+1 {
		s = s[i+3:]
		start = strings.IndexAny(s, "/?;")
	}
	if start < 0 {
		return "/", true
	}
	return s[start:], s[start] == '/'
}

// hasDots reports whether the path in s has a segment "." or "..".
func hasDots(s string) bool {
	path, _, _ := strings.Cut(s, "?")
	for {
		i := strings.Index(path, "/.")
		if i < 0 {
			return false
		}
		path = path[i+2:]
		rest := strings.TrimPrefix(path, ".")
		if rest == "" || rest[0] == '/' {
			return true
		}
	}
}

// appendUndotted appends s with the dot segments of its path removed
// (RFC 3986, section 5.2.4).
func appendUndotted(dst []byte, s string) []byte {
	path, query := s, ""
	if i := strings.IndexByte(s, '?'); i >= 0 {
		path, query = s[:i], s[i:]
	}
	base := len(dst)
	for path != "" {
		n := 1 + strings.IndexByte(path[1:], '/')
		if n == 0 {
			n = len(path)
		}
		last := n == len(path)
		switch path[:n] {
		case "/..":
			for len(dst) > base && dst[len(dst)-1] != '/' {
				dst = dst[:len(dst)-1]
			}
			if len(dst) > base {
				dst = dst[:len(dst)-1]
			}
			if last {
				dst = append(dst, '/')
			}
		case "/.":
			if last {
				dst = append(dst, '/')
			}
		default:
			dst = append(dst, path[:n]...)
		}
		path = path[n:]
	}
	return append(dst, query...)
}

// unsafeString returns b as a string without a copy. It spares lowerKeys a copy of the file,
// and lets testOdd keep an address on its stack. Both leave b alone after that; nothing of
// testOdd's string outlives it, since a Verdict holds parts of the file only.
func unsafeString(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b)) //nolint:gosec // see above
}
