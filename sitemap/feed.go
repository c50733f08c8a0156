package sitemap

import "strings"

// maxFeedDates is how many elements may hold the date of an item.
const maxFeedDates = 4

// feedEntry is what is remembered of an item of RSS or an entry of Atom until it ends.
type feedEntry struct {
	id    string // guid, rdf:about or id
	about string
	dates [maxFeedDates]string // in order of preference
}

func (p *parser) isFeed() bool { return p.kind == KindRSS || p.kind == KindAtom }

// startFeed handles the elements of RSS 0.9x, 1.0 and 2.0 and of Atom 0.3 and 1.0
// (RFC 4287).
func (p *parser) startFeed(local []byte, fam family, name, attr []byte, self bool) element {
	if p.field != fieldNone {
		if !self {
			p.inner++
		}
		return elNone
	}
	if p.top().id == elItem {
		if p.kind == KindRSS {
			return p.startRSSField(local, fam, name, self)
		}
		return p.startAtomField(local, fam, name, attr, self)
	}
	if fam != famCore {
		return elUnknown
	}
	switch item := string(local); {
	case p.kind == KindRSS && item == "channel":
		return elFeed
	case p.kind == KindRSS && item == "item", p.kind == KindAtom && item == "entry":
		p.begin(false)
		attributes(attr, func(name, value []byte) {
			if string(name) == "rdf:about" {
				p.feed.about = string(value)
			}
		})
		if self {
			p.flush()
		}
		return elItem
	}
	return elUnknown
}

func (p *parser) startRSSField(local []byte, fam family, name []byte, self bool) element {
	f := fieldNone
	switch tag := string(local); {
	case fam == famCore && tag == "link":
		f = fieldFeedLink
	case fam == famCore && tag == "guid":
		f = fieldFeedID
	case fam == famCore && tag == "pubdate":
		f = fieldFeedDate
	case fam == famDC && tag == "date":
		f = fieldFeedDate + 1
	}
	return p.collect(f, name, self)
}

func (p *parser) startAtomField(local []byte, fam family, name, attr []byte, self bool) element {
	if fam != famCore {
		return elUnknown
	}
	f := fieldNone
	switch string(local) {
	case "link":
		p.atomLink(attr)
	case "id":
		f = fieldFeedID
	case "updated":
		f = fieldFeedDate
	case "modified": // Atom 0.3
		f = fieldFeedDate + 1
	case "published":
		f = fieldFeedDate + 2
	case "issued": // Atom 0.3
		f = fieldFeedDate + 3
	}
	return p.collect(f, name, self)
}

// atomLink takes the first alternate link; a link without rel is one (RFC 4287 section
// 4.2.7.2).
func (p *parser) atomLink(attr []byte) {
	rel, href := "alternate", ""
	attributes(attr, func(name, value []byte) {
		switch string(name) {
		case "rel":
			rel = strings.ToLower(string(value))
		case "href":
			href = p.clean(value)
		}
	})
	if rel == "alternate" && href != "" && p.e.Loc == "" {
		p.setLoc(href)
	}
}

func (p *parser) setFeed(f field, v string) {
	switch f {
	case fieldFeedLink:
		if p.e.Loc == "" {
			p.setLoc(v)
		}
	case fieldFeedID:
		p.feed.id = v
	default:
		p.feed.dates[f-fieldFeedDate] = v
	}
}

// feedFallback takes the identifier of an item without a link, if it is a URL.
func (p *parser) feedFallback() {
	switch {
	case isAbsolute(p.feed.id):
		p.setLoc(p.feed.id)
	case p.feed.about != "":
		p.setLoc(p.feed.about)
	}
}

func (p *parser) feedDate() {
	for _, v := range p.feed.dates {
		if v == "" {
			continue
		}
		t, precision, ok := parseDate(v)
		if !ok {
			p.warn(WarnBadLastMod, v)
			return
		}
		p.e.LastMod, p.e.Precision = t, precision
		return
	}
}
