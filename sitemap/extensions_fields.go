package sitemap

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/politefetch/sdk/internal/urlnorm"
)

// startExtension handles elements inside an entry that are not of the protocol itself. An
// element without prefix counts as what it is inside of.
func (p *parser) startExtension(top element, local []byte, fam family, name, attr []byte, self bool) element {
	if fam == famCore {
		switch {
		case top == elImage, top == elURL && string(local) == "image":
			fam = famImage
		case top == elURL && string(local) == "link":
			fam = famXHTML
		}
	}
	switch fam {
	case famImage:
		p.learnImagePrefix(name)
		return p.startImage(top, local, name, self)
	case famVideo:
		return p.startVideo(top, local, name, attr, self)
	case famNews:
		return p.startNews(top, local, name, self)
	case famXHTML:
		if top == elURL && string(local) == "link" {
			p.alternate(attr)
		}
	case famMobile:
		if top == elURL && string(local) == "mobile" {
			p.e.Mobile = true
		}
	default:
	}
	return elUnknown
}

// room reports whether the entry may have one more extension, and warns if not.
func (p *parser) room(have int) bool {
	if p.hasRoom(have) {
		return true
	}
	p.warn(WarnExtraDropped, "too many")
	return false
}

func (p *parser) hasRoom(have int) bool { return have < maxExtensions && p.extra < maxExtra }

func (p *parser) startImage(top element, tag []byte, name []byte, self bool) element {
	switch {
	case top == elURL && string(tag) == "image":
		if !p.room(len(p.images)) {
			return elUnknown
		}
		p.images = append(p.images, Image{})
		return elImage
	case top == elURL && string(tag) == "loc": // without its image element
		p.warn(WarnStructure, "image")
		if !p.room(len(p.images)) {
			return elUnknown
		}
		p.images = append(p.images, Image{})
		return p.collect(fieldImageLoc, name, self)
	case top == elImage:
		return p.collect(imageField(tag), name, self)
	}
	return elUnknown
}

// learnImagePrefix remembers the prefix of images for fastStart. A declaration of another
// namespace forgets it.
func (p *parser) learnImagePrefix(name []byte) {
	if k := bytes.IndexByte(name, ':'); p.imagePrefix == "" && k > 0 && p.family(name[:k], famOther) == famImage {
		p.imagePrefix = string(name[:k+1])
	}
}

// fastImage handles an element with the usual prefix of images and without attributes.
func (p *parser) fastImage(top element, name []byte) bool {
	local := name[len(p.imagePrefix):]
	switch {
	case top == elURL && string(local) == "image" && p.hasRoom(len(p.images)):
		p.images = append(p.images, Image{})
		p.stack = append(p.stack, frame{id: elImage})
		return true
	case top == elImage:
		f := imageField(local)
		return f != fieldNone && p.fastImageField(f, name)
	}
	return false
}

// fastImageField reads a field of an image whose end tag is in sight.
func (p *parser) fastImageField(f field, name []byte) bool {
	text, ok := p.tok.leaf(name)
	if !ok {
		return false
	}
	v := trimASCII(text)
	im := &p.images[len(p.images)-1]
	switch {
	case f == fieldImageLoc && len(v) < maxLoc && urlnorm.Plain(v):
		p.extra += len(v)
		if p.extra <= maxExtra {
			im.Loc = p.chunk.text(v)
		}
	case f == fieldImageTitle && bytes.IndexByte(v, '&') < 0 && isPlain(v):
		p.extra += len(v)
		if p.extra <= maxExtra && len(v) > 0 {
			im.Title = p.chunk.text(v)
		}
	default:
		p.field = f
		p.acc = p.decode(p.acc[:0], text, false)
		p.finish()
	}
	return true
}

func imageField(tag []byte) field {
	switch string(tag) {
	case "loc":
		return fieldImageLoc
	case "title":
		return fieldImageTitle
	case "caption":
		return fieldImageCaption
	case "geo_location":
		return fieldImageGeo
	case "license":
		return fieldImageLicense
	}
	return fieldNone
}

func (p *parser) setImage(f field, v string) {
	if len(p.images) == 0 || !p.spend(v) {
		return
	}
	im := &p.images[len(p.images)-1]
	switch f {
	case fieldImageLoc:
		im.Loc = p.extraURL(v)
	case fieldImageTitle:
		im.Title = v
	case fieldImageCaption:
		im.Caption = v
	case fieldImageGeo:
		im.GeoLocation = v
	case fieldImageLicense:
		im.License = p.extraURL(v)
	default:
	}
}

// spend takes the bytes of a value from what an entry may use.
func (p *parser) spend(v string) bool {
	p.extra += len(v)
	return p.extra <= maxExtra
}

// extraURL returns the canonical URL of a value of an extension, or "".
func (p *parser) extraURL(v string) string {
	loc, _ := p.resolve(v, p.currentBase())
	return loc
}

// ownExtensions gives the entry images and alternates of its own, of the right size: they
// are collected in slices that the next entry uses again. What is no image is left out.
func (p *parser) ownExtensions() {
	kept := 0
	for i := range p.images {
		if p.images[i].Loc == "" {
			p.warn(WarnExtraDropped, p.images[i].Title)
			continue
		}
		if kept < i {
			p.images[kept] = p.images[i]
		}
		kept++
	}
	p.e.Images = own(p.images, kept)
	p.e.Alternates = own(p.alternates, len(p.alternates))
}

// own returns a copy of the first n of all, nil for none, and clears all.
func own[T any](all []T, n int) []T {
	var c []T
	if n > 0 {
		c = make([]T, n)
		copy(c, all)
	}
	clear(all)
	return c
}

// alternate reads an xhtml:link. One without rel is taken for an alternate.
func (p *parser) alternate(attr []byte) {
	if !p.room(len(p.alternates)) {
		return
	}
	var a Alternate
	alternate := true
	attributes(attr, func(name, value []byte) {
		switch {
		case bytes.EqualFold(name, []byte("rel")):
			alternate = bytes.EqualFold(bytes.TrimSpace(value), []byte("alternate"))
		case bytes.EqualFold(name, []byte("hreflang")):
			a.Hreflang = p.cleanExtra(value)
		case bytes.EqualFold(name, []byte("media")):
			a.Media = p.cleanExtra(value)
		case bytes.EqualFold(name, []byte("href")):
			a.Href = p.extraURL(p.cleanExtra(value))
		}
	})
	if alternate && a.Href != "" && p.spend(a.Href) && p.spend(a.Hreflang) && p.spend(a.Media) {
		p.alternates = append(p.alternates, a)
	}
}

func (p *parser) startNews(top element, tag []byte, name []byte, self bool) element {
	switch {
	case top == elURL && string(tag) == "news":
		p.e.News = &News{}
		return elNews
	case top == elNews && string(tag) == "publication":
		return elPublication
	case top == elNews || top == elPublication:
		return p.collect(newsField(tag), name, self)
	}
	return elUnknown
}

func newsField(tag []byte) field {
	switch string(tag) {
	case "name":
		return fieldNewsName
	case "language":
		return fieldNewsLanguage
	case "genres":
		return fieldNewsGenres
	case "publication_date":
		return fieldNewsPublished
	case "title":
		return fieldNewsTitle
	case "keywords":
		return fieldNewsKeywords
	case "stock_tickers":
		return fieldNewsTickers
	case "access":
		return fieldNewsAccess
	}
	return fieldNone
}

func (p *parser) setNews(f field, v string) {
	n := p.e.News
	if n == nil || !p.spend(v) {
		return
	}
	switch f {
	case fieldNewsName:
		n.Name = v
	case fieldNewsLanguage:
		n.Language = v
	case fieldNewsGenres:
		n.Genres = v
	case fieldNewsPublished:
		n.PublicationDate = p.extraDate(v)
	case fieldNewsTitle:
		n.Title = v
	case fieldNewsKeywords:
		n.Keywords = v
	case fieldNewsTickers:
		n.StockTickers = v
	case fieldNewsAccess:
		n.Access = v
	default:
	}
}

// extraDate reads the date of an extension.
func (p *parser) extraDate(v string) time.Time {
	t, _, ok := parseDate(v)
	if !ok {
		p.warn(WarnBadLastMod, v)
	}
	return t
}

// number reads a number from 0 to limit; anything else is 0.
func number(v string, limit float64) float64 {
	x, err := strconv.ParseFloat(strings.Replace(v, ",", ".", 1), 64)
	if err != nil || !(x >= 0 && x <= limit) {
		return 0
	}
	return x
}
