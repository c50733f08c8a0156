package sitemap

import "bytes"

type format uint8

const (
	formatEmpty format = iota
	formatHTML
	formatText
	formatXML
)

// sniff decides what the content is by the first 64 KiB that are not blank, and leaves the
// window at their beginning. Junk in front of a known root element is left to the parser.
func (rd *reader) sniff() format {
	marked := bytes.HasPrefix(rd.w.rest(), []byte(bom))
	skipped := int64(0)
	for {
		n := blanks(rd.w.rest())
		rd.w.i += n
		skipped += int64(n)
		if len(rd.w.rest()) > len(bom) || !rd.w.fill() {
			break
		}
	}
	rd.w.fillAll()
	body := rd.w.rest()
	switch {
	case len(body) == 0:
		return formatEmpty
	case beginsHTML(body):
		return formatHTML
	}
	root := hasRoot(body)
	if body[0] != '<' && !root {
		if hasHTML(body) {
			return formatHTML
		}
		return formatText
	}
	if body[0] != '<' || skipped > 0 && (!marked || skipped > int64(len(bom))) {
		rd.warn(WarnLeadingJunk, "")
	}
	return formatXML
}

// beginsHTML reports whether b begins with an element or document type of HTML.
func beginsHTML(b []byte) bool {
	if len(b) == 0 || b[0] != '<' {
		return false
	}
	for _, tag := range []string{"html", "head", "body", "!doctype html"} {
		if name, ok := cutFold(b[1:], tag); ok && endsName(name) {
			return true
		}
	}
	return false
}

func hasHTML(b []byte) bool {
	return anyTag(b, beginsHTML)
}

// hasRoot reports whether b contains the root element of a sitemap or feed, under any
// prefix.
func hasRoot(b []byte) bool {
	return anyTag(b, func(tag []byte) bool {
		name := tag[1:]
		if k := bytes.IndexAny(name[:min(len(name), 64)], ": \t\r\n/><"); k > 0 && name[k] == ':' {
			name = name[k+1:]
		}
		for _, root := range []string{"urlset", "sitemapindex", "rss", "feed", "rdf"} {
			if after, ok := cutFold(name, root); ok && endsName(after) {
				return true
			}
		}
		return false
	})
}

// anyTag reports whether f is true for b from some "<" on.
func anyTag(b []byte, f func([]byte) bool) bool {
	for {
		k := bytes.IndexByte(b, '<')
		if k < 0 {
			return false
		}
		if b = b[k:]; f(b) {
			return true
		}
		b = b[1:]
	}
}

func cutFold(b []byte, prefix string) ([]byte, bool) {
	if len(b) < len(prefix) || !bytes.EqualFold(b[:len(prefix)], []byte(prefix)) {
		return nil, false
	}
	return b[len(prefix):], true
}

func endsName(b []byte) bool {
	return len(b) > 0 && (b[0] <= ' ' || b[0] == '>' || b[0] == '/')
}
