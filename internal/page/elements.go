package page

import "bytes"

func (s *scanner) startTag(z *lexer) {
	name, selfClosing := z.tags.name, z.tags.selfClosing
	t := tagOf(name)
	if s.wall.Wants() {
		s.wall.StartTag(name)
		for k := noKey + 1; k < keys; k++ {
			if z.attr(k) {
				s.wall.Attr([]byte(k.String()), z.value(k))
			}
		}
	}
	s.setHiding(t, z)
	if t.raw() {
		if s.svg > 0 && selfClosing {
			z.within = "" // only foreign elements close themselves
			return
		}
		s.hidden = t != tagRaw
	}
	s.start(t, z)
}

// start notes what an element says.
func (s *scanner) start(t tag, z *lexer) {
	if t == tagTemplate {
		s.template++
	}
	if s.template > 0 {
		return // not part of the page until a script makes it so
	}
	s.head = s.head && t.inHead()
	switch t {
	case tagA, tagArea:
		s.addLink(z)
	case tagBase:
		s.setBase(z)
	case tagLink:
		s.setCanonical(z)
	case tagMeta:
		s.meta(z)
	case tagHTML:
		s.setLang(z)
	case tagTitle:
		s.inTitle = !s.titled && s.svg == 0
		s.titled = s.titled || s.inTitle
	case tagNoscript:
		s.noscript = true
	case tagBody:
		s.noscript = false // it was left open in the head
	case tagSVG:
		if !z.tags.selfClosing {
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
func (s *scanner) setHiding(t tag, z *lexer) {
	if z.tags.selfClosing && (s.svg > 0 || t == tagSVG) {
		return
	}
	name := z.tags.name
	if s.hide.on() {
		s.hide.startTag(name)
	}
	if !s.hide.on() && hides(z) && t != tagHTML && t != tagHead && t != tagBody && !isVoid(name) {
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

func (s *scanner) endTag(z *lexer) {
	name := z.tags.name
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
func (s *scanner) setLang(z *lexer) {
	const longest = 64 // a language tag is rarely longer than 10 characters
	if lang := bytes.TrimSpace(z.value(keyLang)); s.facts.Lang == "" && len(lang) <= longest {
		s.facts.Lang = string(bytes.ToValidUTF8(lang, []byte("\uFFFD")))
	}
}

func (s *scanner) meta(z *lexer) {
	switch name := z.value(keyName); {
	case bytes.EqualFold(name, []byte("description")):
		if s.facts.Description == 0 {
			var n normalizer
			n.write(z.value(keyContent))
			s.facts.Description = n.chars
		}
	case bytes.EqualFold(name, []byte("robots")),
		s.o.Product != "" && bytes.EqualFold(name, []byte(s.o.Product)):
		s.facts.addList(string(z.value(keyContent)))
	}
}
