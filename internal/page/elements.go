package page

import (
	"bytes"

	"golang.org/x/net/html"
)

// attrs holds the attributes that the scan is interested in.
type attrs struct {
	content, href, lang, name, rel, style []byte
	hasHref, hidden                       bool
}

func (a *attrs) set(key, val []byte) {
	switch string(key) {
	case "content":
		a.content = val
	case "href":
		a.href, a.hasHref = val, true
	case "hidden":
		a.hidden = true
	case "lang":
		a.lang = val
	case "name":
		a.name = val
	case "rel":
		a.rel = val
	case "style":
		a.style = val
	}
}

func (s *scanner) startTag(z *html.Tokenizer, selfClosing bool) {
	if s.resumed {
		s.resumed = false
		return
	}
	var buf nameBuf
	name := buf.name(z.Raw())
	t, more, wall := tagOf(name), true, s.wall.Wants()
	if wall {
		s.wall.StartTag(name)
	}
	var a attrs
	switch t {
	case tagA, tagArea, tagBase, tagHTML, tagLink, tagMeta:
	default:
		more = wall || mayHide(z.Raw())
	}
	for more {
		var key, val []byte
		key, val, more = z.TagAttr()
		a.set(key, val)
		if wall {
			s.wall.Attr(key, val)
		}
	}
	s.setHiding(t, name, &a, selfClosing)
	s.rawName = ""
	switch {
	case t == tagNoscript:
		z.NextIsNotRawText() // we run no scripts: its content counts
	case t.raw() && s.svg > 0 && selfClosing:
		z.NextIsNotRawText() // only foreign elements close themselves
		return
	case t.raw():
		s.rawName = string(name)
		s.hidden = t != tagRaw
	}
	s.start(t, &a, selfClosing)
}

// start notes what an element says.
func (s *scanner) start(t tag, a *attrs, selfClosing bool) {
	if t == tagTemplate {
		s.template++
	}
	if s.template > 0 {
		return // not part of the page until a script makes it so
	}
	s.head = s.head && t.inHead()
	switch t {
	case tagA, tagArea:
		s.addLink(a)
	case tagBase:
		s.setBase(a)
	case tagLink:
		s.setCanonical(a)
	case tagMeta:
		s.meta(a)
	case tagHTML:
		s.setLang(a)
	case tagTitle:
		s.inTitle = !s.titled && s.svg == 0
		s.titled = s.titled || s.inTitle
	case tagNoscript:
		s.noscript = true
	case tagBody:
		s.noscript = false // it was left open in the head
	case tagSVG:
		if !selfClosing {
			s.svg++
		}
	default:
	}
	if s.noscript {
		return
	}
	s.count(t)
	if t.gaps() && !s.hide.on() {
		s.text.gap()
	}
}

// setHiding notes whether an element is shown, and what is in one that isn't. All of a page
// may be hidden until a script has run: that is not meant.
func (s *scanner) setHiding(t tag, name []byte, a *attrs, selfClosing bool) {
	if selfClosing && (s.svg > 0 || t == tagSVG) {
		return
	}
	if s.hide.on() {
		s.hide.startTag(name)
	}
	if !s.hide.on() && a.hides() && t != tagHTML && t != tagHead && t != tagBody && !isVoid(name) {
		s.hide.push(name)
	}
}

// count counts elements of a page as it is shown with scripts.
func (s *scanner) count(t tag) {
	f := &s.facts
	switch t {
	case tagH1:
		f.H1++
		f.Headings++
	case tagHeading:
		f.Headings++
	case tagImg:
		f.Images++
	case tagScript:
		f.Scripts++
	case tagForm:
		f.Forms++
	default:
	}
}

func (s *scanner) endTag(z *html.Tokenizer) {
	var buf nameBuf
	name := buf.name(z.Raw())
	if s.wall.Wants() {
		s.wall.EndTag(name)
	}
	t := tagOf(name)
	switch t {
	case tagNoscript:
		s.noscript = false
	case tagTemplate:
		s.template = max(0, s.template-1)
	case tagSVG:
		s.svg = max(0, s.svg-1)
	default:
	}
	if t.raw() {
		s.hidden, s.inTitle = false, false
	}
	if within := s.hide.on() && s.hide.endTag(name); t.gaps() && !s.noscript && s.template == 0 && !within {
		s.text.gap()
	}
}

// setLang takes the page's language from the first html element that names it.
func (s *scanner) setLang(a *attrs) {
	const longest = 64 // a language tag is rarely longer than 10 characters
	if lang := bytes.TrimSpace(a.lang); s.facts.Lang == "" && len(lang) <= longest {
		s.facts.Lang = string(bytes.ToValidUTF8(lang, []byte("\uFFFD")))
	}
}

func (s *scanner) meta(a *attrs) {
	switch {
	case bytes.EqualFold(a.name, []byte("description")):
		if s.facts.Description == 0 {
			var n normalizer
			n.write(a.content)
			s.facts.Description = n.chars
		}
	case bytes.EqualFold(a.name, []byte("robots")),
		s.o.Product != "" && bytes.EqualFold(a.name, []byte(s.o.Product)):
		s.facts.addList(string(a.content))
	}
}
