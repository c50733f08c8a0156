package page

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// key is an attribute that somebody wants to know.
type key uint8

const (
	noKey key = iota
	keyAction
	keyClass
	keyContent
	keyHidden
	keyHref
	keyHTTPEquiv
	keyID
	keyLang
	keyName
	keyRel
	keySrc
	keyStyle
	keyType
	keys // their number
)

func (k key) String() string {
	return [keys]string{"", "action", "class", "content", "hidden", "href", "http-equiv", "id", "lang", "name", "rel", "src", "style", "type"}[k]
}

// keyOf knows a name in any case.
func keyOf(name []byte) key {
	var buf [len("http-equiv")]byte
	if len(name) > len(buf) {
		return noKey
	}
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		buf[i] = c
	}
	switch string(buf[:len(name)]) {
	case "action":
		return keyAction
	case "class":
		return keyClass
	case "content":
		return keyContent
	case "hidden":
		return keyHidden
	case "href":
		return keyHref
	case "http-equiv":
		return keyHTTPEquiv
	case "id":
		return keyID
	case "lang":
		return keyLang
	case "name":
		return keyName
	case "rel":
		return keyRel
	case "src":
		return keySrc
	case "style":
		return keyStyle
	case "type":
		return keyType
	}
	return noKey
}

// tagBuf is a tag: its name in lower case, and where in it the attributes with a key have
// their values. Of two with one name the first counts.
type tagBuf struct {
	name        []byte
	selfClosing bool // it ends in "/>"
	has         uint16
	values      [keys]struct{ start, end int }
	buf         nameBuf
}

// read reads the tag at the beginning of b, whose name starts at i, and returns its length;
// 0 if it doesn't end.
func (t *tagBuf) read(b []byte, i int) int {
	t.has, t.selfClosing = 0, false
	start := i
	for i < len(b) && !endsName(b[i]) {
		i++
	}
	t.name = t.buf.lower(b[start:i])
	for last := 0; ; { // where the value of the last attribute ended
		if i = skipSpace(b, i); i == len(b) {
			return 0
		}
		if b[i] == '>' {
			t.selfClosing = b[i-1] == '/' && last != i
			return i + 1
		}
		start := i
		if b[i] == '=' {
			i++ // it belongs to the name there
		}
		for i < len(b) && !endsName(b[i]) && b[i] != '=' {
			i++
		}
		name := b[start:i]
		from, to, next := attrValue(b, i)
		if next == 0 {
			return 0
		}
		i = next
		if len(name) == 0 {
			continue
		}
		last = to
		if k := keyOf(name); k != noKey && t.has&(1<<k) == 0 {
			t.has |= 1 << k
			t.values[k].start, t.values[k].end = from, to
		}
	}
}

// attrValue returns where the value of an attribute whose name ends at i begins and ends,
// and where to go on; 0 if b ends before that.
func attrValue(b []byte, i int) (from, to, next int) {
	from, to = i, i
	if i = skipSpace(b, i); i == len(b) {
		return 0, 0, 0
	}
	switch b[i] {
	case '/':
		return from, to, i + 1
	case '=':
		if i = skipSpace(b, i+1); i == len(b) {
			return 0, 0, 0
		}
	default:
		return from, to, i
	}
	switch quote := b[i]; quote {
	case '>':
		return from, to, i
	case '"', '\'':
		i++
		n := bytes.IndexByte(b[i:], quote)
		if n < 0 {
			return 0, 0, 0
		}
		return i, i + n, i + n + 1
	}
	from = i
	for i < len(b) && !isSpace(b[i]) && b[i] != '>' {
		i++
	}
	if i == len(b) {
		return 0, 0, 0
	}
	return from, i, i
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

// attr reports whether a tag has an attribute.
func (z *lexer) attr(k key) bool { return z.tags.has&(1<<k) != 0 }

// value returns the value of an attribute, character references decoded; nil without one.
func (z *lexer) value(k key) []byte {
	if !z.attr(k) {
		return nil
	}
	v := z.raw[z.tags.values[k].start:z.tags.values[k].end]
	for _, c := range v {
		switch c {
		case 0:
			v = bytes.ReplaceAll(v, []byte{0}, []byte("\uFFFD"))
		case '\r':
			v = bytes.ReplaceAll(bytes.ReplaceAll(v, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
		case '&':
		default:
			continue
		}
	}
	return z.decode(v, true)
}

// decode replaces character references (HTML Standard, section 13.2.5.72).
func (z *lexer) decode(b []byte, attribute bool) []byte {
	i := bytes.IndexByte(b, '&')
	if i < 0 {
		return b
	}
	out := z.scratch[:0]
	for ; i >= 0; i = bytes.IndexByte(b, '&') {
		out = append(out, b[:i]...)
		b = b[i:]
		n := 1
		for n < len(b) && (isLetter(b[n]) || b[n] >= '0' && b[n] <= '9' || n == 1 && b[n] == '#') {
			n++
		}
		if n < len(b) && b[n] == ';' {
			n++
		}
		out = append(out, character(b[:n], attribute, b[n:])...)
		b = b[n:]
	}
	z.scratch = append(out, b...)
	return z.scratch
}

// character returns what a reference stands for; itself if for nothing.
func character(ref []byte, attribute bool, rest []byte) string {
	switch string(ref) {
	case "&amp;":
		return "&"
	case "&lt;":
		return "<"
	case "&gt;":
		return ">"
	case "&quot;":
		return `"`
	case "&#39;", "&apos;":
		return "'"
	case "&nbsp;", "&#160;":
		return "\u00A0"
	case "&ndash;", "&#8211;":
		return "–"
	case "&mdash;", "&#8212;":
		return "—"
	case "&copy;", "&#169;":
		return "©"
	case "&laquo;":
		return "«"
	case "&raquo;":
		return "»"
	case "&hellip;", "&#8230;":
		return "…"
	}
	raw := string(ref)
	c := html.UnescapeString(raw)
	if !attribute || len(raw) > 1 && raw[1] == '#' {
		return c
	}
	// In attributes, only a whole name counts, and without its semicolon not before "=".
	if last := raw[len(raw)-1]; last == ';' {
		if c != ";" && c[len(c)-1] == ';' {
			return raw
		}
	} else if utf8.RuneCountInString(c) > 1 || len(rest) > 0 && rest[0] == '=' {
		return raw
	}
	return c
}
