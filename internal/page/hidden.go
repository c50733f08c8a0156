package page

import "bytes"

// hiding is an element that isn't shown, with all there is in it. Its zero value is none.
//
// The elements in it are remembered, so that it ends where the tree of the page would end
// it: with its end tag, with a start tag that implies that (HTML Standard, section 13.1.2.4),
// or with the end tag of an element around it.
type hiding struct {
	names [maxHidingDepth][len(nameBuf{})]byte
	open  int // elements, itself included
}

// maxHidingDepth bounds the names that are remembered: of deeper elements only the number
// is.
const maxHidingDepth = 64

func (h *hiding) on() bool { return h.open > 0 }

func (h *hiding) push(name []byte) {
	if h.open < maxHidingDepth {
		h.names[h.open] = [len(nameBuf{})]byte{}
		copy(h.names[h.open][:], name)
	}
	h.open++
}

// name returns that of the i-th element; "" if it isn't known.
func (h *hiding) name(i int) []byte {
	if i >= maxHidingDepth {
		return nil
	}
	name := h.names[i][:]
	if end := bytes.IndexByte(name, 0); end >= 0 {
		name = name[:end]
	}
	return name
}

// startTag notes a start tag, which may end the hiding.
func (h *hiding) startTag(name []byte) {
	for i := h.open - 1; i >= 0; i-- {
		if open := h.name(i); impliesEnd(name, open) {
			h.open = i
		} else if tagOf(open) != tagInline {
			break
		}
	}
	if h.open > 0 && !isVoid(name) {
		h.push(name)
	}
}

// endTag notes an end tag, which may end the hiding. It returns false for that of an
// element around.
func (h *hiding) endTag(name []byte) (within bool) {
	if h.open > maxHidingDepth {
		h.open-- // it will be the last one's
		return true
	}
	for i := h.open - 1; i >= 0; i-- {
		if bytes.Equal(name, h.name(i)) {
			h.open = i
			return true
		}
	}
	if string(name) == "p" || isVoid(name) || !tagOf(name).gaps() {
		return true // it stands there by mistake
	}
	h.open = 0
	return false
}

// impliesEnd is true if an element ends where another begins.
func impliesEnd(begins, open []byte) bool {
	switch string(open) {
	case "p":
		switch string(begins) {
		case "address", "article", "aside", "blockquote", "center", "dd", "details", "dialog", "dir", "div", "dl", "dt",
			"fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup",
			"hr", "li", "main", "menu", "nav", "ol", "p", "pre", "search", "section", "summary", "table", "ul", "xmp":
			return true
		}
	case "li":
		return string(begins) == "li"
	case "dd", "dt":
		return string(begins) == "dd" || string(begins) == "dt"
	case "td", "th":
		switch string(begins) {
		case "td", "th", "tr", "tbody", "tfoot", "thead":
			return true
		}
	case "tr":
		switch string(begins) {
		case "tr", "tbody", "tfoot", "thead":
			return true
		}
	case "tbody", "tfoot", "thead":
		switch string(begins) {
		case "tbody", "tfoot", "thead":
			return true
		}
	case "option":
		return string(begins) == "option" || string(begins) == "optgroup"
	case "optgroup":
		return string(begins) == "optgroup"
	}
	return false
}

// isVoid is true of the elements that have no content.
func isVoid(name []byte) bool {
	switch string(name) {
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr":
		return true
	}
	return false
}

// hides is true of an element that isn't shown: by its attribute hidden (HTML Standard,
// section 6.1) or the display of its own style.
func hides(z *lexer) bool {
	if z.attr(keyHidden) {
		return true
	}
	style := z.value(keyStyle)
	if len(style) < len("display:none") { // as almost always
		return false
	}
	for declaration := range bytes.SplitSeq(style, []byte(";")) {
		property, value, _ := bytes.Cut(declaration, []byte(":"))
		value, _, _ = bytes.Cut(value, []byte("!"))
		if bytes.EqualFold(bytes.TrimSpace(property), []byte("display")) && bytes.EqualFold(bytes.TrimSpace(value), []byte("none")) {
			return true
		}
	}
	return false
}
