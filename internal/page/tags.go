package page

import (
	"bytes"

	"golang.org/x/net/html"
)

// tag is what the scan tells elements apart by. The zero value is any element that sets
// its text apart from its surroundings.
type tag uint8

const (
	tagBlock tag = iota
	tagInline
	tagA
	tagArea
	tagBase
	tagBody
	tagForm
	tagFrame // iframe and what stands in for frames: raw text that isn't shown
	tagH1
	tagHeading
	tagHead // head
	tagHTML
	tagImg
	tagLink
	tagMeta
	tagNoscript
	tagRaw // textarea, xmp, plaintext: raw text that is shown
	tagScript
	tagStyle
	tagSVG
	tagTemplate
	tagTitle
)

func tagOf(name []byte) tag {
	switch string(name) {
	case "a":
		return tagA
	case "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins",
		"kbd", "label", "mark", "nobr", "q", "rb", "ruby", "s", "samp", "small", "span", "strike", "strong", "sub",
		"sup", "time", "tt", "u", "var", "wbr":
		return tagInline
	case "area":
		return tagArea
	case "base":
		return tagBase
	case "body":
		return tagBody
	case "form":
		return tagForm
	case "iframe", "noembed", "noframes":
		return tagFrame
	case "h1":
		return tagH1
	case "h2", "h3", "h4", "h5", "h6":
		return tagHeading
	case "head":
		return tagHead
	case "html":
		return tagHTML
	case "img":
		return tagImg
	case "link":
		return tagLink
	case "meta":
		return tagMeta
	case "noscript":
		return tagNoscript
	case "plaintext", "textarea", "xmp":
		return tagRaw
	case "script":
		return tagScript
	case "style":
		return tagStyle
	case "svg":
		return tagSVG
	case "template":
		return tagTemplate
	case "title":
		return tagTitle
	}
	return tagBlock
}

// inHead is true of the elements that a page's head consists of (HTML Standard, section
// 13.2.6.4.4): any other begins the body.
func (t tag) inHead() bool {
	switch t {
	case tagBase, tagHead, tagHTML, tagLink, tagMeta, tagNoscript, tagScript, tagStyle, tagTemplate, tagTitle:
		return true
	default:
		return false
	}
}

// raw is true of the elements whose content is text whatever it looks like.
func (t tag) raw() bool {
	switch t {
	case tagFrame, tagRaw, tagScript, tagStyle, tagTitle:
		return true
	default:
		return false
	}
}

// gaps is true of the elements that a word doesn't go on across.
func (t tag) gaps() bool {
	switch t {
	case tagA, tagInline, tagNoscript, tagScript, tagStyle, tagTemplate:
		return false
	default:
		return true
	}
}

// attrs holds the attributes that the scan is interested in.
type attrs struct {
	content, href, lang, name, rel []byte
	hasHref                        bool
}

func (a *attrs) set(key, val []byte) {
	switch string(key) {
	case "content":
		a.content = val
	case "href":
		a.href, a.hasHref = val, true
	case "lang":
		a.lang = val
	case "name":
		a.name = val
	case "rel":
		a.rel = val
	}
}

// nameBuf holds the name of a tag in lower case.
type nameBuf [len("<figcaption")]byte

// name reads the name out of a tag as it came. It is what the tokenizer's TagName is for,
// which allocates; few tags of a page need more. No element that we know has a name that
// doesn't fit: of such a one the result is empty.
func (b *nameBuf) name(raw []byte) []byte {
	raw = bytes.TrimLeft(raw, "</")
	for i, c := range raw {
		switch {
		case c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == '/' || c == '>':
			return b[:i]
		case i == len(b):
			return nil
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		b[i] = c
	}
	return nil
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
		more = wall
	}
	for more {
		var key, val []byte
		key, val, more = z.TagAttr()
		a.set(key, val)
		if wall {
			s.wall.Attr(key, val)
		}
	}
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
	if t.gaps() {
		s.text.gap()
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
	if t.gaps() && !s.noscript && s.template == 0 {
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
