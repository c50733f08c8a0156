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
			rest := t.rest()
			i := 0
			for i < len(rest) && rest[i] <= ' ' {
				i++
			}
			if t.i += i; t.i >= t.n {
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
		t.inCData = true
		return t.cdata(), true
	default:
		t.cut = !t.skipDoctype()
	}
	return tokenEnd, t.cut
}
