package page

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

// nameBuf holds the name of a tag in lower case.
type nameBuf [len("figcaption")]byte

// lower returns a name in lower case. No element that we know has a name that doesn't fit:
// of such a one the result is empty.
func (b *nameBuf) lower(name []byte) []byte {
	if len(name) > len(b) {
		return nil
	}
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		b[i] = c
	}
	return b[:len(name)]
}
