package sitemap

import "bytes"

// start handles a start tag.
func (p *parser) start(name, attr []byte, self bool) {
	prefix, local := splitName(name)
	f := frame{def: p.top().def}
	if len(attr) > 0 {
		f.def, f.hasBase = p.namespaces(attr, f.def)
	}
	fam := p.family(prefix, f.def)
	if fam == famCore && !bytes.HasSuffix(name, local) && isProtocol(local) && !p.isFeed() {
		p.warn(WarnCase, string(name))
	}
	switch {
	case !p.rootSeen || len(p.stack) == 0 && p.deep == 0:
		f.id = p.startRoot(prefix, local, self)
	case p.isFeed():
		f.id = p.startFeed(local, fam, name, attr, self)
	default:
		f.id = p.startURLSet(local, fam, name, attr, self)
	}
	switch {
	case f.id != elNone && !self:
		p.push(f)
	case f.hasBase:
		p.bases = p.bases[:len(p.bases)-1]
	}
}

// isProtocol reports whether an element is one of sitemaps.org.
func isProtocol(local []byte) bool {
	switch string(local) {
	case "urlset", "sitemapindex", "url", "sitemap":
		return true
	}
	return coreField(local) != fieldNone
}

// startRoot handles elements in front of the root element, the root element, and what
// follows it: a second root element is read on.
func (p *parser) startRoot(prefix, local []byte, self bool) element {
	kind, id := rootKind(local)
	if kind == KindUnknown {
		switch string(local) {
		case "html", "head", "body":
			if !p.rootSeen {
				p.html()
				return elNone
			}
		}
		if p.rootClosed {
			p.warn(WarnTrailingJunk, string(local))
		}
		p.junk = !p.rootSeen
		return elUnknown
	}
	if p.rootClosed {
		p.warn(WarnTrailingJunk, string(local))
	}
	if !p.rootSeen {
		if p.junk {
			p.warn(WarnLeadingJunk, "")
		}
		p.rootSeen = true
		p.setKind(kind)
		if string(local) != "rdf" { // whose prefix is not that of RSS 1.0
			p.rootPrefix = string(prefix)
		}
	}
	bases := p.bases
	p.popAll()
	p.bases = bases
	p.rootClosed = self
	return id
}

// startURLSet handles the elements of urlset and sitemapindex.
func (p *parser) startURLSet(local []byte, fam family, name, attr []byte, self bool) element {
	if p.field != fieldNone && !p.endsField(local, fam, self) {
		return elNone
	}
	top := p.top().id
	if fam == famCore {
		switch string(local) {
		case "urlset", "sitemapindex":
			if !p.open {
				if p.kind == KindIndex {
					return elIndex
				}
				return elURLSet
			}
		case "url", "sitemap":
			if top == elURLSet || top == elIndex || top == elURL || top == elSitemap {
				return p.startEntry(string(local) == "sitemap", self)
			}
		case "loc":
			if top == elURLSet || top == elIndex || top == elURL || top == elSitemap {
				return p.startLoc(top, name, self)
			}
		case "lastmod", "changefreq", "priority":
			if p.inEntry() || p.open && (top == elURLSet || top == elIndex) {
				return p.collect(coreField(local), name, self)
			}
		}
	}
	if p.open && p.opts.Extensions {
		return p.startExtension(top, local, fam, name, attr, self)
	}
	return elUnknown
}

// endsField decides about a tag inside a value. The elements of the protocol end it,
// because its end tag is missing; other markup is left out and its text counts.
func (p *parser) endsField(local []byte, fam family, self bool) bool {
	p.warn(WarnStructure, string(local))
	ends := false
	if fam == famCore {
		switch string(local) {
		case "url", "loc":
			ends = p.field != fieldLoc || len(bytes.TrimSpace(p.acc)) > 0
		case "sitemap", "lastmod", "changefreq", "priority":
			ends = true
		}
	}
	if !ends {
		if !self {
			p.inner++
		}
		return false
	}
	p.finish()
	p.pop()
	return true
}

func (p *parser) startEntry(sitemap, self bool) element {
	if p.open {
		p.warn(WarnStructure, "")
		for p.inEntry() {
			p.pop()
		}
	}
	p.begin(sitemap)
	if sitemap != (p.kind == KindIndex) {
		p.warn(WarnMixed, "")
	}
	if self {
		p.flush()
	}
	if sitemap {
		return elSitemap
	}
	return elURL
}

func (p *parser) startLoc(top element, name []byte, self bool) element {
	switch {
	case top == elURLSet || top == elIndex:
		p.warn(WarnStructure, "loc")
		p.begin(p.kind == KindIndex)
	case !p.open:
		return elUnknown
	case p.locSeen: // a second one is an entry of its own
		p.warn(WarnStructure, "loc")
		p.begin(p.e.Sitemap)
	}
	return p.collect(fieldLoc, name, self)
}

// close handles an end tag.
func (p *parser) close(name []byte) {
	_, local := splitName(name)
	if p.field != fieldNone && p.closeInField(local) {
		return
	}
	switch string(local) {
	case "url", "sitemap":
		p.closeEntry()
		return
	case "urlset", "sitemapindex":
		if p.open {
			p.flush()
		}
		for id := p.top().id; len(p.stack) > 0 && id != elURLSet && id != elIndex; id = p.top().id {
			p.pop()
		}
		p.pop()
		p.rootClosed = p.rootClosed || len(p.stack) == 0 && p.rootSeen
		return
	case "rss", "feed", "rdf":
		if p.rootSeen {
			if p.open {
				p.flush()
			}
			p.popAll()
			p.rootClosed = true
			return
		}
	case "item", "entry":
		if p.open && p.top().id == elItem {
			p.flush()
		}
	}
	if len(p.stack) > 1 || p.deep > 0 || !p.rootSeen {
		p.pop()
	}
}

// closeInField handles an end tag inside a value and reports whether that is all. An end
// tag that is spelt wrong ends the value.
func (p *parser) closeInField(local []byte) bool {
	switch {
	case bytes.Equal(local, p.fieldName) && (p.inner == 0 || p.field == fieldLoc):
		p.finish()
		p.pop()
		return true
	case p.inner > 0 && !closesRoot(local):
		p.inner--
		return true
	}
	p.warn(WarnStructure, string(local))
	p.finish()
	p.pop()
	switch string(local) {
	case "url", "sitemap", "item", "entry":
		return false
	}
	return !closesRoot(local)
}

func closesRoot(local []byte) bool {
	switch string(local) {
	case "urlset", "sitemapindex", "rss", "feed", "rdf", "channel":
		return true
	}
	return false
}

func (p *parser) closeEntry() {
	if p.isFeed() {
		p.pop()
		return
	}
	if !p.open {
		p.warn(WarnStructure, "url")
		return
	}
	for len(p.stack) > 0 {
		id := p.top().id
		if id == elURL || id == elSitemap || id == elURLSet || id == elIndex {
			break
		}
		p.pop()
	}
	entry := p.inEntry()
	p.flush()
	if entry {
		p.pop()
	}
}
