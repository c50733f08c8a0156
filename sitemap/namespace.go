package sitemap

import (
	"bytes"
	"strings"

	"github.com/politefetch/sdk/internal/urlnorm"
)

// family is a set of namespaces that mean the same here. Sites write namespace names in
// many wrong ways, so they are told apart by what they contain.
type family uint8

const (
	famCore family = iota // sitemaps, RSS, Atom; also no namespace at all
	famImage
	famVideo
	famNews
	famXHTML
	famMobile
	famDC
	famOther
)

func familyOf(uri []byte) family {
	u := strings.ToLower(string(uri))
	switch {
	case strings.Contains(u, "sitemap-image"):
		return famImage
	case strings.Contains(u, "sitemap-video"):
		return famVideo
	case strings.Contains(u, "sitemap-news"):
		return famNews
	case strings.Contains(u, "sitemap-mobile"):
		return famMobile
	case strings.Contains(u, "/schemas/sitemap/"):
		return famCore
	case strings.Contains(u, "xhtml"):
		return famXHTML
	case strings.Contains(u, "purl.org/dc/"):
		return famDC
	case strings.Contains(u, "purl.org/rss"), strings.Contains(u, "www.w3.org/2005/atom"), strings.Contains(u, "purl.org/atom"):
		return famCore
	}
	return famOther
}

// usual returns the family of a prefix that is used without being declared.
func usual(prefix []byte) family {
	switch string(prefix) {
	case "image":
		return famImage
	case "video":
		return famVideo
	case "news":
		return famNews
	case "xhtml":
		return famXHTML
	case "mobile":
		return famMobile
	case "dc":
		return famDC
	}
	return famOther
}

// family returns the family of an element.
func (p *parser) family(prefix []byte, def family) family {
	if len(prefix) == 0 {
		return def
	}
	if string(prefix) == p.rootPrefix {
		return famCore
	}
	f, declared := p.prefixes[string(prefix)]
	switch {
	case !declared, f == famOther:
		return usual(prefix)
	case f == famCore && p.kind == KindRSS:
		return famOther // Atom inside of RSS is foreign
	}
	return f
}

// namespaces reads the declarations of a tag: namespaces and xml:base. It returns the
// default namespace inside, and whether a base was pushed.
func (p *parser) namespaces(attr []byte, def family) (family, bool) {
	if !bytes.Contains(attr, []byte("xmlns")) && !bytes.Contains(attr, []byte("xml:base")) {
		return def, false
	}
	pushed := false
	p.imagePrefix = ""
	attributes(attr, func(name, value []byte) {
		switch {
		case string(name) == "xmlns":
			def = familyOf(value)
			if len(value) == 0 || def == famOther && len(p.stack) == 0 {
				def = famCore
			}
		case bytes.HasPrefix(name, []byte("xmlns:")):
			if p.prefixes == nil {
				p.prefixes = map[string]family{}
			}
			if len(p.prefixes) < maxPrefixes {
				p.prefixes[string(name[len("xmlns:"):])] = familyOf(value)
			}
		case string(name) == "xml:base" && !pushed:
			if u, err := urlnorm.Parse(p.currentBase(), string(value)); err == nil {
				p.bases = append(p.bases, u)
				pushed = true
			}
		}
	})
	return def, pushed
}

// splitName splits a name into prefix and local part, the latter in lower case.
func splitName(name []byte) (prefix, local []byte) {
	prefix, local, found := bytes.Cut(name, []byte(":"))
	if !found {
		prefix, local = nil, name
	}
	for _, c := range local {
		if c >= 'A' && c <= 'Z' {
			return prefix, bytes.ToLower(local)
		}
	}
	return prefix, local
}

// rootKind returns what a root element of that name begins.
func rootKind(local []byte) (Kind, element) {
	switch string(local) {
	case "urlset":
		return KindURLSet, elURLSet
	case "sitemapindex":
		return KindIndex, elIndex
	case "rss", "rdf":
		return KindRSS, elFeed
	case "feed":
		return KindAtom, elFeed
	}
	return KindUnknown, elUnknown
}
