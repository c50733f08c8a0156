package sitemap

import (
	"bytes"

	"github.com/politefetch/sdk/internal/urlnorm"
)

// The shapes that make up nearly all of every sitemap are handled here without a look at
// namespaces and mistakes. Whatever is the least unusual returns false and takes the long
// way, which gives the same result.

// fastStart handles a start tag without attributes.
func (p *parser) fastStart(name []byte) bool {
	if p.field != fieldNone || p.deep > 0 || len(p.stack) == 0 || p.isFeed() || p.rootPrefix != "" {
		return false
	}
	top := p.stack[len(p.stack)-1]
	if top.def != famCore {
		return false
	}
	switch top.id {
	case elURLSet:
		if p.open || string(name) != "url" || p.kind != KindURLSet {
			return false
		}
		p.begin(false)
		p.stack = append(p.stack, frame{id: elURL})
		return true
	case elIndex:
		if p.open || string(name) != "sitemap" || p.kind != KindIndex {
			return false
		}
		p.begin(true)
		p.stack = append(p.stack, frame{id: elSitemap})
		return true
	case elURL, elSitemap:
		return p.open && (p.fastField(name) || top.id == elURL && p.isImage(name) && p.fastImage(elURL, name))
	case elImage:
		return p.open && p.isImage(name) && p.fastImage(elImage, name)
	default:
		return false
	}
}

// fastField reads a field of the protocol whose end tag is in sight.
func (p *parser) fastField(name []byte) bool {
	f := coreField(name)
	if f == fieldNone || f == fieldLoc && p.locSeen {
		return false
	}
	text, ok := p.tok.leaf(name)
	if !ok {
		return false
	}
	v := trimASCII(text)
	decoded := false
	switch f {
	case fieldLoc:
		if bytes.IndexByte(v, '&') >= 0 {
			p.acc = p.decode(p.acc[:0], v, false)
			v, decoded = p.acc, true
		}
		if len(v) < maxLoc && !p.tainted && urlnorm.Plain(v) {
			p.e.Loc = string(v)
			p.e.Raw = p.e.Loc
			p.locSeen = true
			return true
		}
	case fieldLastMod:
		if t, precision, ok := fastDate(v); ok {
			p.e.LastMod, p.e.Precision = t, precision
			return true
		}
	case fieldChangeFreq:
		if word := changeFreq(string(v)); word != "" {
			p.e.ChangeFreq = word
			return true
		}
	case fieldPriority:
		if len(v) == 3 && v[1] == '.' && v[2] >= '0' && v[2] <= '9' && (v[0] == '0' || v[0] == '1' && v[2] == '0') {
			p.e.Priority, p.e.HasPriority = float32(10*(v[0]-'0')+v[2]-'0')/10, true
			return true
		}
	default:
	}
	p.field = f
	if !decoded {
		p.acc = p.decode(p.acc[:0], text, false)
	}
	p.finish()
	return true
}

// isImage reports whether a name has the prefix of images.
func (p *parser) isImage(name []byte) bool {
	n := len(p.imagePrefix)
	return n > 0 && len(name) > n && string(name[:n]) == p.imagePrefix
}

// fastClose handles the end tag of an entry or image.
func (p *parser) fastClose(name []byte) bool {
	if p.field != fieldNone || !p.open || p.deep > 0 || len(p.stack) == 0 {
		return false
	}
	top := p.stack[len(p.stack)-1].id
	if top == elURL && string(name) == "url" || top == elSitemap && string(name) == "sitemap" {
		p.flush()
		p.pop()
		return true
	}
	if top == elImage && p.isImage(name) && string(name[len(p.imagePrefix):]) == "image" {
		p.pop()
		return true
	}
	return false
}

func trimASCII(b []byte) []byte {
	for len(b) > 0 && b[0] <= ' ' {
		b = b[1:]
	}
	for len(b) > 0 && b[len(b)-1] <= ' ' {
		b = b[:len(b)-1]
	}
	return b
}
