package sitemap

import "bytes"

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
	rest := t.buf[t.i+1 : t.n]
	for j, c := range rest { // nearly all are but a name
		if c == '>' {
			t.i += j + 2
			t.name, t.attr = rest[:j], nil
			return tokenStart
		}
		if c <= '/' && c != '.' && c != '-' || c == '<' { // blank, slash or quote
			break
		}
	}
	return t.longStartTag()
}

// longStartTag is startTag for tags with attributes or mistakes.
func (t *tokenizer) longStartTag() token {
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
	rest := t.buf[t.i+1 : t.n]
	for j := 0; j < len(rest); j++ { // nearly all are short and plain
		switch c := rest[j]; c {
		case '>':
			t.i += j + 2
			return rest[:j], true
		case '<':
			return t.oddTag()
		case '"', '\'':
			n := plainValue(rest, j)
			if n < 0 {
				return t.oddTag()
			}
			j += n
		}
	}
	return t.oddTag()
}

// plainValue returns how far the quote at tag[j] is from the one that closes it, or -1 if it
// begins no value of an attribute, or the value holds "<" or ">".
func plainValue(tag []byte, j int) int {
	if j == 0 || tag[j-1] != '=' {
		return -1
	}
	value := tag[j+1:]
	k := bytes.IndexByte(value, tag[j])
	if k < 0 || bytes.IndexByte(value[:k], '<') >= 0 || bytes.IndexByte(value[:k], '>') >= 0 {
		return -1
	}
	return k + 1
}

// oddTag is tag for tags with mistakes and for those of which the window holds a part.
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
	if k < 0 || k >= maxField || len(rest)-k < n+3 {
		return nil, false
	}
	if end := rest[k:]; end[1] != '/' || end[n+2] != '>' || !bytes.Equal(end[2:n+2], name) {
		return nil, false
	}
	t.i += k + n + 3
	return rest[:k], true
}
