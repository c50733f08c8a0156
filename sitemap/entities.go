package sitemap

import (
	"bytes"
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxEntity bounds the length of an entity reference, "&" and ";" included.
const maxEntity = 40

// unescape appends b to dst with its entity references decoded once: the five of XML,
// numbers, and the names of HTML, all with their semicolon. Everything else stays as it is
// written. It reports whether something strange was among them, and whether an entity that
// a document type declares was.
func unescape(dst, b []byte, declared map[string]struct{}) (out []byte, odd, tainted bool) {
	for {
		k := bytes.IndexByte(b, '&')
		if k < 0 {
			return append(dst, b...), odd, tainted
		}
		dst = append(dst, b[:k]...)
		b = b[k:]
		end := bytes.IndexByte(b[:min(len(b), maxEntity)], ';')
		if end < 0 {
			dst, b, odd = append(dst, '&'), b[1:], true
			continue
		}
		name := b[1:end]
		size := end + 1
		if _, ok := declared[string(name)]; ok {
			b, tainted = b[size:], true
			continue
		}
		if c := xmlEntity(name); c != 0 {
			dst, b = append(dst, c), b[size:]
			continue
		}
		if r, ok := charRef(name); ok {
			if low, n := lowSurrogate(b[size:]); r >= 0xd800 && r < 0xdc00 && n > 0 {
				r = (r-0xd800)<<10 | (low - 0xdc00) + 0x10000
				size += n
			}
			if r == 0 || !utf8.ValidRune(r) {
				r = utf8.RuneError
			}
			dst, b = utf8.AppendRune(dst, r), b[size:]
			continue
		}
		odd = true
		if text := htmlEntity(name); text != "" {
			dst, b = append(dst, text...), b[size:]
			continue
		}
		dst, b = append(dst, '&'), b[1:]
	}
}

// xmlEntity returns the character of a predefined entity (XML 1.0 section 4.6), or 0.
func xmlEntity(name []byte) byte {
	switch string(name) {
	case "amp":
		return '&'
	case "lt":
		return '<'
	case "gt":
		return '>'
	case "quot":
		return '"'
	case "apos":
		return '\''
	}
	return 0
}

// charRef reads "#123" and "#x7b".
func charRef(s []byte) (rune, bool) {
	if len(s) < 2 || s[0] != '#' {
		return 0, false
	}
	base, digits := 10, s[1:]
	if digits[0]|0x20 == 'x' {
		base, digits = 16, digits[1:]
	}
	v, err := strconv.ParseUint(string(digits), base, 31)
	return rune(v), err == nil
}

// lowSurrogate reads the second half of a character that was written as two references.
func lowSurrogate(b []byte) (low rune, size int) {
	if len(b) < 4 || b[0] != '&' {
		return 0, 0
	}
	end := bytes.IndexByte(b[:min(len(b), maxEntity)], ';')
	if end < 0 {
		return 0, 0
	}
	r, ok := charRef(b[1:end])
	if !ok || r < 0xdc00 || r > 0xdfff {
		return 0, 0
	}
	return r, end + 1
}

// htmlEntity returns the text of an entity of HTML, or "" if there is none of that name.
func htmlEntity(name []byte) string {
	for _, c := range name {
		if (c|0x20 < 'a' || c|0x20 > 'z') && !isDigit(c) {
			return ""
		}
	}
	ref := "&" + string(name) + ";"
	if text := html.UnescapeString(ref); !strings.HasSuffix(text, ";") {
		return text
	}
	return ""
}
