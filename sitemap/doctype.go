package sitemap

import "bytes"

// maxDeclared bounds the names of declared entities that are remembered.
const maxDeclared = 256

// doctypeState is where in a document type declaration (XML 1.0 section 2.8) we are.
type doctypeState struct {
	depth    int  // of brackets
	quote    byte // the open one
	comment  bool
	last     [8]byte // the bytes before this one
	entity   bool    // the name of an entity is being read
	name     []byte
	position int
}

// skipDoctype moves behind a declaration, whatever its length, and notes its name and the
// entities it declares. Nothing of it is expanded.
func (t *tokenizer) skipDoctype() bool {
	s := doctypeState{}
	t.doctype = t.doctype[:0]
	t.i += len("<!")
	for {
		if t.i >= t.n && !t.fill() {
			return false
		}
		c := t.buf[t.i]
		t.i++
		if s.position < 64 && c != '>' {
			t.doctype = append(t.doctype, c)
		}
		s.position++
		if s.step(t, c) {
			return true
		}
		copy(s.last[:], s.last[1:])
		s.last[len(s.last)-1] = c
	}
}

// step takes one byte and reports whether it ends the declaration.
func (s *doctypeState) step(t *tokenizer, c byte) bool {
	switch {
	case s.comment:
		s.comment = c != '>' || string(s.last[6:]) != "--"
	case s.quote != 0:
		if c == s.quote {
			s.quote = 0
		}
	case s.entity:
		s.entityName(t, c)
	case c == '-' && string(s.last[5:]) == "<!-":
		s.comment = true
	case string(s.last[:]) == "<!ENTITY":
		s.entity = true
		s.name = s.name[:0]
	case c == '"' || c == '\'':
		s.quote = c
	case c == '[':
		s.depth++
	case c == ']':
		s.depth--
	case c == '>' && s.depth <= 0:
		return true
	}
	return false
}

func (s *doctypeState) entityName(t *tokenizer, c byte) {
	if c > ' ' && c != '>' && c != '"' && c != '\'' {
		if len(s.name) < 64 {
			s.name = append(s.name, c)
		}
		return
	}
	if c <= ' ' && (len(s.name) == 0 || string(s.name) == "%") {
		s.name = s.name[:0]
		return
	}
	s.entity = false
	if c == '"' || c == '\'' {
		s.quote = c
	}
	if t.declared == nil {
		t.declared = map[string]struct{}{}
	}
	if len(t.declared) < maxDeclared {
		t.declared[string(s.name)] = struct{}{}
	}
}

// doctypeIsHTML reports whether the last document type declaration is that of HTML.
func (t *tokenizer) doctypeIsHTML() bool {
	name, ok := cutFold(t.doctype, "doctype")
	if !ok {
		return false
	}
	name = bytes.TrimLeft(name, " \t\r\n")
	after, ok := cutFold(name, "html")
	return ok && (len(after) == 0 || after[0] <= ' ')
}
