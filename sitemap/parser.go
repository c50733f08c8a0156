package sitemap

import (
	"bytes"
	"net/url"
)

// element is what an open element means to the parser.
type element uint8

const (
	elUnknown element = iota
	elURLSet
	elIndex
	elURL
	elSitemap
	elImage
	elVideo
	elNews
	elPublication
	elFeed // rss, channel or feed
	elItem // of RSS or Atom
	elField
	elNone // nothing was opened
)

// frame is one open element.
type frame struct {
	id      element
	def     family // of the default namespace
	hasBase bool   // it has pushed an xml:base
}

const (
	maxFrames   = 64 // deeper elements are only counted
	maxPrefixes = 64
	maxField    = 32 << 10
)

// parser turns tokens into entries. It works without a tree: a stack of what is open, the
// entry that is being read, and the field that is being read.
type parser struct {
	*reader
	tok tokenizer

	stack      []frame
	deep       int  // open elements beyond the stack
	junk       bool // an element in front of the root
	rootSeen   bool
	rootClosed bool
	rootPrefix string
	prefixes   map[string]family
	bases      []*url.URL // by xml:base

	open    bool // an entry is being read
	e       Entry
	locSeen bool
	tainted bool   // its URL refers to an entity of the document type
	bare    []byte // text directly in url
	extra   int    // bytes of its extensions
	chunk   chunk  // of their text
	feed    feedEntry

	images      []Image // of the entry
	alternates  []Alternate
	imagePrefix string // of Google's images, with its colon; empty until it was met

	field     field
	fieldName []byte // local name of its element
	fieldAttr string // the attribute that matters, of some
	inner     int    // elements open inside the field
	acc       []byte // its text
}

func (p *parser) run() {
	p.tok.window = &p.w
	p.tok.skipBlank = true
	for !p.stopped {
		switch p.tok.next() {
		case tokenEnd:
			p.end()
			return
		case tokenText:
			p.text(p.tok.text, false)
		case tokenCData:
			if !p.tok.cut {
				p.text(p.tok.text, true)
			}
		case tokenStart:
			if len(p.tok.attr) > 0 || !p.fastStart(p.tok.name) {
				p.start(p.tok.name, p.tok.attr, false)
			}
		case tokenSelf:
			p.start(p.tok.name, p.tok.attr, true)
		case tokenClose:
			if !p.fastClose(p.tok.name) {
				p.close(p.tok.name)
			}
		}
		p.afterToken()
	}
}

// afterToken looks at what the tokenizer noted.
func (p *parser) afterToken() {
	if p.tok.broken {
		p.tok.broken = false
		p.warn(WarnStructure, "")
	}
	if len(p.tok.doctype) > 0 {
		p.doctype()
	}
	if !p.rootSeen && p.w.offset() > windowSize {
		p.fail(ErrNotSitemap)
	}
}

func (p *parser) doctype() {
	if !p.rootSeen && p.tok.doctypeIsHTML() {
		p.html()
	}
	p.tok.doctype = p.tok.doctype[:0]
	if !p.stopped {
		p.warn(WarnDoctype, "")
	}
}

func (p *parser) html() {
	p.kind = KindHTML
	p.fail(ErrNotSitemap)
}

// end handles the end of the input. A value that is not whole is thrown away; a URL whose
// text was ended by a tag is whole, though the tag is cut.
func (p *parser) end() {
	clean := p.w.ended()
	if !p.rootSeen {
		p.endWithoutRoot(clean)
		return
	}
	if p.field == fieldLoc && p.tok.cutTag && clean && len(p.acc) > 0 {
		p.finish()
	}
	p.field = fieldNone
	if p.open {
		p.flush()
	}
	if !clean {
		p.fail(p.w.err)
	} else if p.tok.cut || !p.rootClosed {
		p.fail(ErrTruncated)
	} else {
		p.setKind(p.kind)
	}
}

// endWithoutRoot: the root element itself may be what was cut.
func (p *parser) endWithoutRoot(clean bool) {
	_, local := splitName(p.tok.cutName)
	kind, _ := rootKind(local)
	switch {
	case !clean:
		p.fail(p.w.err)
	case p.tok.cut && kind != KindUnknown:
		p.kind = kind
		p.fail(ErrTruncated)
	default:
		p.fail(ErrNotSitemap)
	}
}

func (p *parser) top() frame {
	if p.deep > 0 {
		return frame{id: elUnknown, def: famOther}
	}
	if len(p.stack) == 0 {
		return frame{}
	}
	return p.stack[len(p.stack)-1]
}

func (p *parser) push(f frame) {
	if p.deep > 0 || len(p.stack) >= maxFrames {
		p.deep++
		if f.hasBase {
			p.bases = p.bases[:len(p.bases)-1]
		}
		return
	}
	p.stack = append(p.stack, f)
}

func (p *parser) pop() {
	if p.deep > 0 {
		p.deep--
		return
	}
	if n := len(p.stack); n > 0 {
		if p.stack[n-1].hasBase {
			p.bases = p.bases[:len(p.bases)-1]
		}
		p.stack = p.stack[:n-1]
	}
}

func (p *parser) popAll() {
	p.stack, p.bases, p.deep = p.stack[:0], p.bases[:0], 0
}

// text handles character data: part of a field, or bare in a url, or junk.
func (p *parser) text(b []byte, literal bool) {
	if p.field != fieldNone {
		if len(p.acc) < maxField {
			p.acc = p.decode(p.acc, b, literal)
		}
		return
	}
	if p.inEntry() && !p.locSeen && len(p.bare) < maxField && len(bytes.TrimSpace(b)) > 0 {
		p.bare = p.decode(p.bare, b, literal)
		return
	}
	if p.rootClosed && len(p.stack) == 0 && blanks(b) < len(b) {
		p.warn(WarnTrailingJunk, string(b))
	}
}

// inEntry reports whether an entry of an urlset or index is the innermost open element.
func (p *parser) inEntry() bool {
	id := p.top().id
	return p.open && (id == elURL || id == elSitemap)
}

func (p *parser) begin(sitemap bool) {
	if p.open {
		p.flush()
	}
	p.open = true
	p.e = Entry{Sitemap: sitemap}
	p.images, p.alternates = p.images[:0], p.alternates[:0]
	p.locSeen, p.tainted, p.extra = false, false, 0
	p.bare = p.bare[:0]
	if p.feed != (feedEntry{}) {
		p.feed = feedEntry{}
	}
}

// flush hands out the entry that is being read, if it has a URL.
func (p *parser) flush() {
	p.open = false
	if p.e.Loc == "" && !p.locSeen {
		p.fallbackLoc()
	}
	if p.e.Loc == "" {
		p.warn(WarnEntryDropped, p.e.Raw)
		return
	}
	if p.isFeed() {
		p.feedDate()
	}
	if len(p.images) > 0 || len(p.alternates) > 0 {
		p.ownExtensions()
	}
	p.e.Outside = p.outside(p.e.Loc)
	p.emit(p.e)
}

// fallbackLoc finds a URL for an entry that has none where it should be.
func (p *parser) fallbackLoc() {
	if p.isFeed() {
		p.feedFallback()
		return
	}
	if raw := p.clean(p.bare); isAbsolute(raw) && !p.tainted {
		p.warn(WarnStructure, raw)
		p.setLoc(raw)
	}
}

// setLoc sets the URL of the entry, if raw is one.
func (p *parser) setLoc(raw string) {
	if loc, ok := p.resolve(raw, p.currentBase()); ok {
		p.e.Loc, p.e.Raw, p.locSeen = loc, raw, true
	}
}

func (p *parser) currentBase() *url.URL {
	if n := len(p.bases); n > 0 {
		return p.bases[n-1]
	}
	return p.base
}
