package botwall

import (
	"bytes"
	"net/http"
	"unicode/utf8"
)

const (
	maxText   = 8 << 10  // of a page's text that is kept for the sentences of walls
	maxTitle  = 256      // of a page's title
	maxScript = 64 << 10 // of a page's inline scripts that is searched
)

// Collector takes in an HTML page token by token, so that a caller that tokenizes the page
// for its own purposes gets the verdict in the same pass. It keeps a set of the markers
// seen and at most 9 KiB of text, whatever the page.
//
//	for each token, as long as c.Wants():
//		c.Advance(its length), then StartTag and Attr for each attribute, EndTag, or Text
//	c.Wall()
//
// The caller's tokenizer should read what is in <noscript> as markup.
type Collector struct {
	status int
	header http.Header
	proven Wall // by the header alone
	closed bool // nothing more can change the verdict

	marks   marks
	input   int // bytes of the page
	scripts int // bytes of script searched
	title   []byte
	text    []byte // white space collapsed
	space   bool   // white space is due before the next text
	visible int    // characters of text that a reader sees

	el       element
	js       bool // the script is JavaScript, not data
	refresh  bool // the meta element is a refresh
	toWall   marks
	in       context
	noscript bool
	template int
	details  int
	summary  bool
}

// context is what the text to come is.
type context uint8

const (
	inText context = iota
	inScript
	inTitle
	inRaw // style, or what stands in for a frame
)

// NewCollector returns a collector for the page of one answer. It wants nothing if the
// header has decided or the answer is not HTML.
func NewCollector(status int, h http.Header) *Collector {
	c := &Collector{status: status, header: h, proven: FromHeader(status, h)}
	c.closed = c.proven.Kind != NotAWall || !isHTML(h)
	return c
}

// Wants reports whether the page's tokens still matter. It turns false for good after
// 256 KiB, or as soon as the page shows too much text to be the wall of a status below 400.
func (c *Collector) Wants() bool { return !c.closed }

// Advance says that the token to come is n bytes of the page.
func (c *Collector) Advance(n int) {
	if c.input >= maxBody {
		c.closed = true
	}
	c.input += n
}

// StartTag takes a start tag, its name in lower case.
func (c *Collector) StartTag(name []byte) {
	if c.closed {
		return
	}
	c.space = true
	c.el = elementOf(name)
	c.refresh, c.toWall = false, 0
	switch string(name) {
	case "script":
		c.in, c.js = inScript, true
	case "title":
		c.in = inTitle
	case "style", "iframe", "noembed", "noframes":
		c.in = inRaw
	case "noscript":
		c.noscript = true
	case "template":
		c.template++
	case "details":
		c.details++
	case "summary":
		c.summary = true
	}
}

// EndTag takes an end tag, its name in lower case.
func (c *Collector) EndTag(name []byte) {
	if c.closed {
		return
	}
	c.space = true
	switch string(name) {
	case "script", "title", "style", "iframe", "noembed", "noframes":
		c.in = inText
	case "noscript":
		c.noscript = false
	case "template":
		c.template = max(0, c.template-1)
	case "details":
		c.details = max(0, c.details-1)
	case "summary":
		c.summary = false
	}
}

// Attr takes an attribute of the last start tag: its name in lower case, its value with
// character references decoded.
func (c *Collector) Attr(key, val []byte) {
	if c.closed || c.template > 0 {
		return
	}
	switch string(key) {
	case "id":
		c.marks |= idMarks(val)
	case "class":
		c.marks |= classMarks(val)
	case "src", "href", "action":
		c.marks |= urlMarks(c.el, val)
	case "type":
		if c.el == input && isField(val) {
			c.marks |= field
		}
		// Data in a script element may quote anything, an article about walls included.
		c.js = c.js && (len(val) == 0 || hasFold(val, "javascript") || hasFold(val, "ecmascript") || bytes.EqualFold(val, []byte("module")))
	case "http-equiv":
		c.refresh = bytes.EqualFold(val, []byte("refresh"))
	case "content":
		c.toWall = contentMarks(val)
	}
	if c.el == meta {
		if c.refresh {
			c.marks |= c.toWall
		}
		c.marks |= c.toWall & amazonMeta
	}
}

// isField is true of the types of input that a visitor fills in.
func isField(inputType []byte) bool {
	switch string(bytes.ToLower(inputType)) {
	case "email", "password", "search", "tel", "text", "url":
		return true
	}
	return false
}

// contentMarks judges what a meta element says; a refresh to a wall counts only if it is one.
func contentMarks(content []byte) marks {
	switch {
	case bytes.Equal(content, []byte("csm-captcha-instrumentation")):
		return amazonMeta
	case bytes.Contains(content, []byte("/.well-known/sgcaptcha/")):
		return sgRefresh
	case bytes.Contains(content, []byte("/.within.website/x/cmd/anubis/")):
		return anubisAsset
	case bytes.Contains(content, []byte("/.well-known/.go-away/")):
		return goAwayAsset
	}
	return 0
}

// Text takes text, character references decoded. It may come in pieces.
func (c *Collector) Text(text []byte) {
	if c.closed || c.template > 0 {
		return
	}
	switch c.in {
	case inScript:
		if left := maxScript - c.scripts; c.js && left > 0 {
			text = text[:min(len(text), left)]
			c.scripts += len(text)
			c.marks |= scriptMarks(text)
		}
	case inTitle:
		if len(c.title) < maxTitle {
			c.title = append(c.title, text[:min(len(text), maxTitle-len(c.title))]...)
		}
	case inRaw:
	default:
		c.addText(text)
	}
}

// addText collapses white space and counts what a reader sees: not what is for clients
// without scripts, nor what is folded away.
func (c *Collector) addText(text []byte) {
	seen := !c.noscript && (c.details == 0 || c.summary)
	for word := range bytes.FieldsSeq(text) {
		if seen {
			c.visible += utf8.RuneCount(word) + 1
			if c.status < 400 && c.visible-1 > maxBare {
				c.closed = true
				return
			}
		}
		if len(c.text) < maxText {
			if c.text == nil {
				c.text = make([]byte, 0, maxBare+100) // what is kept of most pages
			}
			if len(c.text) > 0 && (c.space || &word[0] != &text[0]) {
				c.text = append(c.text, ' ')
			}
			c.text = append(c.text, word[:min(len(word), maxText-len(c.text))]...)
		}
		c.space = false
	}
	if n := len(text); n > 0 && bytes.IndexByte([]byte(" \n\r\t\f"), text[n-1]) >= 0 {
		c.space = true
	}
}

func hasFold(b []byte, part string) bool { return bytes.Contains(bytes.ToLower(b), []byte(part)) }
