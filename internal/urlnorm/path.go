package urlnorm

import "strings"

// class says what a byte is in a URL. A constant string, because a table must not change:
// h may stand in a canonical host and in a path, p in a path or query, q marks "?",
// e begins an escape, x is forbidden.
const class = "" +
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" +
	"xpxxpeppppppphhphhhhhhhhhhppxpxq" +
	"ppppppppppppppppppppppppppppxpxp" +
	"xhhhhhhhhhhhhhhhhhhhhhhhhhhxxxpx" +
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" +
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" +
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" +
	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

// Plain reports whether s is canonical at first sight: an absolute http or https URL in
// which nothing is to be changed. It is cautious: false says nothing.
func Plain[T string | []byte](s T) bool {
	i := 0
	switch {
	case len(s) > MaxLen:
		return false
	case len(s) > 8 && string(s[:8]) == "https://":
		i = 8
	case len(s) > 7 && string(s[:7]) == "http://":
		i = 7
	default:
		return false
	}
	i = plainHost(s, i)
	return i > 0 && plainFrom(s, i)
}

// Under returns the canonical text of a reference that begins with one slash, given the
// origin (scheme, host and port, without a slash) of its base in canonical form. It is
// cautious: false leaves the reference to [Text].
func Under(origin string, ref []byte) (string, bool) {
	if len(ref) == 0 || ref[0] != '/' || len(ref) > 1 && ref[1] == '/' || len(origin)+len(ref) > MaxLen || !plainFrom(ref, 0) {
		return "", false
	}
	return origin + string(ref), true
}

// plainFrom reports whether nothing is to be changed from the slash at i on.
func plainFrom[T string | []byte](s T, i int) bool {
	for i++; i < len(s); i++ {
		switch class[s[i]] {
		case 'h', 'q':
			if s[i] == '.' && s[i-1] == '/' {
				return false
			}
		case 'p':
		case 'e':
			if !isEscape(s, i) || s[i-1] == '/' {
				return false
			}
			i += 2
		default:
			return false
		}
	}
	return true
}

// plainHost returns the index of the slash that ends a canonical host name, or 0. IP
// literals, ports, long labels and A-labels are left to the careful way.
func plainHost[T string | []byte](s T, i int) int {
	start, label := i, 0
	for ; i < len(s); i++ {
		c := s[i]
		switch {
		case class[c] != 'h':
			if c == '/' && label > 0 && i-start <= maxName {
				return i
			}
			return 0
		case c == '.' || c == '-':
			if label == 0 {
				return 0
			}
			if c == '.' {
				label = -1
			}
		}
		if label++; label > maxLabel {
			return 0
		}
	}
	return 0
}

// removeDots resolves dot segments, also those written with "%2e" (RFC 3986 section 5.2.4
// after the decoding of section 6.2.2.2). path begins with a slash.
func removeDots(path string) string {
	if !strings.Contains(path, "/.") && !strings.Contains(path, "/%") {
		return path
	}
	out := make([]byte, 0, len(path))
	for i := 0; i < len(path); {
		end := len(path)
		if j := strings.IndexByte(path[i+1:], '/'); j >= 0 {
			end = i + 1 + j
		}
		switch dots(path[i+1 : end]) {
		case 1:
			if end == len(path) {
				out = append(out, '/')
			}
		case 2:
			for len(out) > 0 {
				c := out[len(out)-1]
				out = out[:len(out)-1]
				if c == '/' {
					break
				}
			}
			if end == len(path) {
				out = append(out, '/')
			}
		default:
			out = append(out, path[i:end]...)
		}
		i = end
	}
	if len(out) == 0 {
		return "/"
	}
	return string(out)
}

// dots returns 1 for ".", 2 for "..", and 0 for any other segment.
func dots(segment string) int {
	n := 0
	for len(segment) > 0 {
		switch {
		case segment[0] == '.':
			segment = segment[1:]
		case len(segment) >= 3 && segment[0] == '%' && segment[1] == '2' && segment[2]|0x20 == 'e':
			segment = segment[3:]
		default:
			return 0
		}
		if n++; n > 2 {
			return 0
		}
	}
	return n
}

func writeEscaped(b *strings.Builder, s string) {
	const hex = "0123456789ABCDEF"
	for i := range len(s) {
		c := s[i]
		switch class[c] {
		case 'x':
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
			continue
		case 'e':
			if !isEscape(s, i) {
				b.WriteString("%25")
				continue
			}
		}
		b.WriteByte(c)
	}
}

// isEscape reports whether a "%" at s[i] begins a percent-encoded byte.
func isEscape[T string | []byte](s T, i int) bool {
	return i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2])
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
