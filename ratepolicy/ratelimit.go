package ratepolicy

import (
	"strings"
)

// rateLimit reads the RateLimit field: a List of Items (RFC 9651) named for their
// policy, with r (what is left) and t (seconds until there is more). It returns the
// longest t of those with nothing left, and whether the field is well formed at all;
// one malformed member voids it whole. The Dictionary of draft 07 is read too.
func rateLimit(v string) (wait int64, ok, valid bool) {
	v = strings.Trim(v, " ")
	if v == "" {
		return 0, false, true
	}
	if wait, ok, valid = rateLimitList(v); valid {
		return wait, ok, true
	}
	remaining, reset := "", ""
	for p := range strings.SplitSeq(v, ",") {
		k, n, found := strings.Cut(strings.Trim(p, " \t"), "=")
		if !found || !digits(n) {
			return 0, false, false
		}
		switch k {
		case "remaining":
			remaining = n
		case "reset":
			reset = n
		}
	}
	if remaining == "" || reset == "" || number(remaining) != 0 {
		return 0, false, false
	}
	return number(reset), true, true
}

func rateLimitList(v string) (wait int64, ok, valid bool) {
	p := &fieldParser{v}
	for {
		name, good := p.bare()
		if !good || name.kind != sfString && name.kind != sfToken {
			return 0, false, false
		}
		r, t, good := p.parameters()
		if !good || r.kind != sfInteger || r.n < 0 || t.kind != sfNone && (t.kind != sfInteger || t.n < 0) {
			return 0, false, false
		}
		if r.n == 0 && t.kind == sfInteger {
			wait, ok = max(wait, t.n), true
		}
		p.skip(" \t")
		if p.s == "" {
			return wait, ok, true
		}
		if p.next() != ',' {
			return 0, false, false
		}
		p.s = p.s[1:]
		if p.skip(" \t"); p.s == "" {
			return 0, false, false
		}
	}
}

// sfKind is the type of a bare item (RFC 9651 section 3.3).
type sfKind uint8

const (
	sfNone sfKind = iota
	sfInteger
	sfDecimal
	sfString
	sfToken
	sfBytes
	sfBoolean
)

type sfItem struct {
	kind sfKind
	n    int64 // of an Integer
}

// fieldParser reads what RateLimit needs of RFC 9651 section 4.2. It is as strict as
// the RFC, except that Byte Sequences are not decoded: nobody asks for their content.
type fieldParser struct{ s string }

func (p *fieldParser) next() byte {
	if p.s == "" {
		return 0
	}
	return p.s[0]
}

func (p *fieldParser) skip(set string) { p.s = strings.TrimLeft(p.s, set) }

// take returns the longest prefix of bytes that ok accepts.
func (p *fieldParser) take(ok func(byte) bool) string {
	i := 0
	for i < len(p.s) && ok(p.s[i]) {
		i++
	}
	t := p.s[:i]
	p.s = p.s[i:]
	return t
}

// parameters returns the last r and the last t.
func (p *fieldParser) parameters() (r, t sfItem, ok bool) {
	for p.next() == ';' {
		p.s = p.s[1:]
		p.skip(" ")
		if c := p.next(); c != '*' && !lower(c) {
			return r, t, false
		}
		key := p.take(func(c byte) bool {
			return lower(c) || digit(c) || c == '_' || c == '-' || c == '.' || c == '*'
		})
		v := sfItem{kind: sfBoolean}
		if p.next() == '=' {
			p.s = p.s[1:]
			if v, ok = p.bare(); !ok {
				return r, t, false
			}
		}
		switch key {
		case "r":
			r = v
		case "t":
			t = v
		}
	}
	return r, t, true
}

func (p *fieldParser) bare() (sfItem, bool) {
	switch c := p.next(); {
	case c == '"':
		return p.quoted()
	case c == ':':
		i := strings.IndexByte(p.s[1:], ':')
		if i < 0 {
			return sfItem{}, false
		}
		p.s = p.s[i+2:]
		return sfItem{kind: sfBytes}, true
	case c == '?':
		if len(p.s) < 2 || p.s[1] != '0' && p.s[1] != '1' {
			return sfItem{}, false
		}
		p.s = p.s[2:]
		return sfItem{kind: sfBoolean}, true
	case c == '-' || digit(c):
		return p.numeric()
	case c == '*' || lower(c|0x20):
		p.take(func(c byte) bool {
			return lower(c|0x20) || digit(c) || strings.IndexByte("!#$%&'*+-.^_`|~:/", c) >= 0
		})
		return sfItem{kind: sfToken}, true
	}
	return sfItem{}, false
}

func (p *fieldParser) quoted() (sfItem, bool) {
	for i := 1; i < len(p.s); i++ {
		switch c := p.s[i]; {
		case c == '"':
			p.s = p.s[i+1:]
			return sfItem{kind: sfString}, true
		case c == '\\':
			if i++; i >= len(p.s) || p.s[i] != '"' && p.s[i] != '\\' {
				return sfItem{}, false
			}
		case c < 0x20 || c > 0x7e:
			return sfItem{}, false
		}
	}
	return sfItem{}, false
}

func (p *fieldParser) numeric() (sfItem, bool) {
	sign := int64(1)
	if p.next() == '-' {
		sign, p.s = -1, p.s[1:]
	}
	whole := p.take(digit)
	if whole == "" || len(whole) > 15 {
		return sfItem{}, false
	}
	if p.next() != '.' {
		return sfItem{kind: sfInteger, n: sign * number(whole)}, true
	}
	p.s = p.s[1:]
	if frac := p.take(digit); len(whole) > 12 || frac == "" || len(frac) > 3 {
		return sfItem{}, false
	}
	return sfItem{kind: sfDecimal}, true
}

func lower(c byte) bool { return c >= 'a' && c <= 'z' }
func digit(c byte) bool { return c >= '0' && c <= '9' }
