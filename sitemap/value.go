package sitemap

import (
	"bytes"
	"strings"
)

// decode appends text to dst, with its entities decoded unless it is literal.
func (p *parser) decode(dst, b []byte, literal bool) []byte {
	if literal || bytes.IndexByte(b, '&') < 0 {
		return append(dst, b...)
	}
	dst, odd, tainted := unescape(dst, b, p.tok.declared)
	if odd {
		p.warn(WarnBadEntity, string(b))
	}
	p.tainted = p.tainted || tainted
	return dst
}

// clean makes the text of a field a value: valid UTF-8, trimmed, without control
// characters.
func (p *parser) clean(b []byte) string {
	if isPlain(b) {
		return string(trimASCII(b))
	}
	return p.cleanOdd(b)
}

// cleanExtra is clean for the values of extensions.
func (p *parser) cleanExtra(b []byte) string {
	if isPlain(b) {
		return p.chunk.text(trimASCII(b))
	}
	return p.cleanOdd(b)
}

func (p *parser) cleanOdd(b []byte) string {
	b, fixed := toUTF8(b)
	if fixed {
		p.warn(WarnInvalidUTF8, string(b))
	}
	b = bytes.TrimFunc(b, isBlank)
	s := string(b)
	if strings.IndexFunc(s, isControl) < 0 {
		return s
	}
	p.warn(WarnControlChar, s)
	return strings.Map(func(r rune) rune {
		if isControl(r) {
			return -1
		}
		return r
	}, s)
}

// isPlain reports whether b holds only printable ASCII and white space.
func isPlain(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' || c >= 0x7f {
			return false
		}
	}
	return true
}

func isControl(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7f
}
