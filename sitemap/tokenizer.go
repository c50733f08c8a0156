package sitemap

import "bytes"

// token is what the tokenizer found. Its parts lie in the window and are valid until the
// next call.
type token uint8

const (
	tokenEnd   token = iota // of the input
	tokenText               // text, entities not decoded
	tokenCData              // text to be taken literally
	tokenStart              // <name attr>
	tokenSelf               // <name attr/>
	tokenClose              // </name>
)

// tokenizer cuts anything that resembles XML into tokens. It never fails and holds no more
// than the window: long text comes in pieces, comments and declarations are skipped as
// they pass, of a tag longer than the window the rest is skipped.
type tokenizer struct {
	*window

	name, attr, text []byte

	skipBlank bool // drop white space in front of text
	inCData   bool
	broken    bool // a tag was not closed
	cut       bool // the input ended inside a token
	cutTag    bool // and that was a tag
	cutName   []byte

	doctype  []byte              // the name after <!DOCTYPE
	declared map[string]struct{} // entities that a document type declares
}

func (t *tokenizer) next() token {
	for {
		if t.inCData {
			return t.cdata()
		}
		if t.i >= t.n && !t.fill() {
			return tokenEnd
		}
		if t.skipBlank {
			for t.i < t.n && t.buf[t.i] <= ' ' {
				t.i++
			}
			if t.i >= t.n {
				continue
			}
		}
		if t.buf[t.i] != '<' {
			return t.readText()
		}
		if tok, ok := t.markup(); ok {
			return tok
		}
	}
}

// readText reads up to the next "<". Of text that exceeds the window it returns pieces,
// none of which ends inside a possible entity.
func (t *tokenizer) readText() token {
	scanned := 0
	for {
		rest := t.rest()
		if k := bytes.IndexByte(rest[scanned:], '<'); k >= 0 {
			return t.take(tokenText, scanned+k, 0)
		}
		scanned = len(rest)
		if t.fill() {
			continue
		}
		if t.err == nil {
			if k := bytes.LastIndexByte(rest[len(rest)-maxEntity:], '&'); k >= 0 {
				scanned -= maxEntity - k
			}
		}
		return t.take(tokenText, scanned, 0)
	}
}

// take returns n bytes of the window as text and skips as many more.
func (t *tokenizer) take(tok token, n, skip int) token {
	t.text = t.buf[t.i : t.i+n]
	t.i += n + skip
	return tok
}

// cdata returns the next piece of a CDATA section.
func (t *tokenizer) cdata() token {
	const end = "]]>"
	for {
		rest := t.rest()
		if k := bytes.Index(rest, []byte(end)); k >= 0 {
			t.inCData = false
			return t.take(tokenCData, k, len(end))
		}
		if t.fill() {
			continue
		}
		if t.err != nil {
			t.inCData, t.cut = false, true
			return t.take(tokenCData, len(rest), 0)
		}
		return t.take(tokenCData, len(rest)-len(end)+1, 0)
	}
}

// markup reads what begins with "<". It reports false if that is nothing to report.
func (t *tokenizer) markup() (token, bool) {
	for t.n-t.i < 2 {
		if !t.fill() {
			t.cut = true
			t.i = t.n
			return tokenEnd, true
		}
	}
	switch c := t.buf[t.i+1]; {
	case c == '/':
		return t.endTag(), true
	case c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80:
		return t.startTag(), true
	case c == '?':
		end := "?>"
		if t.has("<?xml ") {
			end = ">" // nothing in it can contain one, and the "?" may be missing
		}
		t.i += 2
		t.cut = !t.skipPast(end)
		return tokenEnd, t.cut
	case c == '!':
		return t.declaration()
	}
	return t.take(tokenText, 1, 0), true // a stray "<"
}

// has reports whether the unread input begins with s.
func (t *tokenizer) has(s string) bool {
	for t.n-t.i < len(s) {
		if !t.fill() {
			return false
		}
	}
	return string(t.buf[t.i:t.i+len(s)]) == s
}

func (t *tokenizer) declaration() (token, bool) {
	switch {
	case t.has("<!--"):
		t.i += len("<!--")
		t.cut = !t.skipPast("-->")
	case t.has("<![CDATA["):
		t.i += len("<![CDATA[")
		return t.cdata2(), true
	default:
		t.cut = !t.skipDoctype()
	}
	return tokenEnd, t.cut
}

func (t *tokenizer) cdata2() token {
	t.inCData = true
	return t.cdata()
}

func (t *tokenizer) endTag() token {
	n, ok := t.tag()
	if !ok {
		return tokenEnd
	}
	for n = n[1:]; len(n) > 0 && (n[len(n)-1] <= ' ' || n[len(n)-1] == '/'); {
		n = n[:len(n)-1]
	}
	t.name = n
	t.attr = nil
	return tokenClose
}

func (t *tokenizer) startTag() token {
	tag, ok := t.tag()
	if !ok {
		return tokenEnd
	}
	tok := tokenStart
	if n := len(tag); tag[n-1] == '/' {
		tok, tag = tokenSelf, tag[:n-1]
	}
	k := 0
	for k < len(tag) && tag[k] > ' ' && tag[k] != '/' {
		k++
	}
	t.name, t.attr = tag[:k], tag[k:]
	return tok
}

// tag returns what stands between "<" and ">" and moves behind it. It reports false if the
// input ends before. A tag that is not closed ends at the next "<"; one in which quotes
// are not closed ends at its first ">" or before the first "<" in the quotes.
func (t *tokenizer) tag() ([]byte, bool) {
	for j, c := range t.buf[t.i+1 : t.n] { // nearly all are short and plain
		if c == '>' {
			tag := t.buf[t.i+1 : t.i+1+j]
			t.i += j + 2
			return tag, true
		}
		if c == '<' || c == '"' || c == '\'' {
			break
		}
	}
	return t.oddTag()
}

// oddTag is tag for tags with attributes or mistakes.
func (t *tokenizer) oddTag() ([]byte, bool) {
	var quote byte
	last := byte(0)   // last byte that is not blank
	lt, gt := -1, -1  // the first of each inside the quotes
	end, size := 0, 0 // of the tag; bytes to move
scan:
	for j := 1; ; j++ {
		if t.i+j >= t.n && !t.fill() {
			if t.err != nil {
				return nil, t.cutOff()
			}
			return t.longTag(), true
		}
		c := t.buf[t.i+j]
		switch {
		case quote == 0 && c == '>':
			end, size = j, j+1
			break scan
		case quote == 0 && c == '<', quote != 0 && c == '>' && lt >= 0:
			if quote != 0 {
				j = lt
			}
			end, size, t.broken = j, j, true
			break scan
		case quote != 0 && c == '<' && gt >= 0:
			end, size, t.broken = gt, gt+1, true
			break scan
		case quote == 0 && (c == '"' || c == '\'') && last == '=':
			quote, lt, gt = c, -1, -1
		case c == quote:
			quote = 0
		case quote != 0 && c == '<':
			if lt < 0 {
				lt = j
			}
		case quote != 0 && c == '>':
			gt = j
		}
		if c > ' ' {
			last = c
		}
	}
	tag := t.buf[t.i+1 : t.i+end]
	t.i += size
	return tag, true
}

// longTag returns what the window holds of a tag and skips the rest, but for the slash of
// an empty element.
func (t *tokenizer) longTag() []byte {
	tag := bytes.Clone(t.buf[t.i+1 : t.n])
	t.i = t.n
	t.broken = true
	last := tag[len(tag)-1]
	for t.fill() {
		rest := t.rest()
		k := bytes.IndexByte(rest, '>')
		if k > 0 {
			last = rest[k-1]
		}
		if k >= 0 {
			t.i += k + 1
			if last == '/' {
				tag = append(tag, '/')
			}
			return tag
		}
		last = rest[len(rest)-1]
		t.i = t.n
	}
	t.cut = true
	return tag
}

// cutOff notes that the input ended inside a tag.
func (t *tokenizer) cutOff() bool {
	t.cut, t.cutTag = true, true
	rest := t.buf[t.i+1 : t.n]
	if k := bytes.IndexAny(rest, " \t\r\n"); k >= 0 {
		rest = rest[:k]
	}
	t.cutName = bytes.Clone(rest[:min(len(rest), 64)])
	t.i = t.n
	return false
}

// leaf returns the text of the element whose start tag was just read, if text and end tag
// lie in the window, spelt alike; it moves behind the end tag.
func (t *tokenizer) leaf(name []byte) ([]byte, bool) {
	rest := t.rest()
	k := bytes.IndexByte(rest, '<')
	n := len(name)
	if k < 0 || len(rest)-k < n+3 {
		return nil, false
	}
	if end := rest[k:]; end[1] != '/' || end[n+2] != '>' || !bytes.Equal(end[2:n+2], name) {
		return nil, false
	}
	t.i += k + n + 3
	return rest[:k], true
}
