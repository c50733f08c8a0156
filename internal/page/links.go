package page

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"

	"github.com/politefetch/sdk/internal/urlnorm"
)

// linkList holds links in the order of the page, each once.
type linkList struct {
	list  []Link
	index map[string]int
	max   int
	bytes int
	more  bool
}

func (l *linkList) add(addr string, nofollow bool) {
	if i, ok := l.index[addr]; ok {
		l.list[i].NoFollow = l.list[i].NoFollow && nofollow
		return
	}
	if len(l.list) >= l.max || l.bytes+len(addr) > maxLinkBytes {
		l.more = true
		return
	}
	if l.index == nil {
		l.index = make(map[string]int)
	}
	l.index[addr] = len(l.list)
	l.list = append(l.list, Link{URL: addr, NoFollow: nofollow})
	l.bytes += len(addr)
}

// addLink takes the address of an element that leads somewhere else.
func (s *scanner) addLink(z *lexer) {
	href := bytes.TrimSpace(z.value(keyHref))
	if len(href) == 0 || href[0] == '#' && !s.hasBase {
		return
	}
	addr, ok := urlnorm.Under(s.origin, href) // as most are
	if !ok || s.origin == "" {
		var err error
		if addr, err = urlnorm.Text(s.base, string(href)); err != nil || hasUserinfo(addr) {
			return
		}
	}
	s.links.add(addr, hasToken(z.value(keyRel), "nofollow"))
}

// rebase makes u what relative addresses are resolved against.
func (s *scanner) rebase(u *url.URL) {
	s.base, s.origin = u, ""
	if u == nil || u.User != nil {
		return
	}
	if home, err := urlnorm.Text(nil, u.Scheme+"://"+u.Host+"/"); err == nil {
		s.origin = strings.TrimSuffix(home, "/")
	}
}

// setBase takes the first base element with an address.
func (s *scanner) setBase(z *lexer) {
	if s.hasBase || !z.attr(keyHref) {
		return
	}
	if u, err := urlnorm.Parse(s.o.URL, string(z.value(keyHref))); err == nil {
		s.rebase(u)
		s.hasBase = true
	}
}

// setCanonical takes the first canonical link of the head. In the body, where users may
// write, it says nothing.
func (s *scanner) setCanonical(z *lexer) {
	if !s.head || s.facts.Canonical != "" || !hasToken(z.value(keyRel), "canonical") {
		return
	}
	href := z.value(keyHref)
	if len(bytes.TrimSpace(href)) == 0 {
		return
	}
	if addr, err := urlnorm.Text(s.base, string(href)); err == nil && !hasUserinfo(addr) {
		s.facts.Canonical = addr
	}
}

// hasUserinfo is true of a canonical address with a user name or password, which belongs
// in no list.
func hasUserinfo(addr string) bool {
	_, rest, _ := strings.Cut(addr, "://")
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		rest = rest[:i]
	}
	return strings.Contains(rest, "@")
}

// hasToken looks for a word in a list that is split at white space, in any case.
func hasToken(list []byte, token string) bool {
	for word := range bytes.FieldsSeq(list) {
		if len(word) == len(token) && strings.EqualFold(string(word), token) {
			return true
		}
	}
	return false
}

// canonicalOf returns the canonical address in a Link header (RFC 8288), or "".
func canonicalOf(h http.Header, base *url.URL) string {
	for _, field := range h.Values("Link") {
		for field != "" {
			var target, params string
			target, params, field = cutLink(field)
			if !isCanonical(params) {
				continue
			}
			if addr, err := urlnorm.Text(base, target); err == nil && !hasUserinfo(addr) {
				return addr
			}
		}
	}
	return ""
}

// cutLink splits "<target>; params, rest". A comma or semicolon may stand in the target
// and in quoted parameters.
func cutLink(field string) (target, params, rest string) {
	_, after, ok := strings.Cut(field, "<")
	if !ok {
		return "", "", ""
	}
	target, after, ok = strings.Cut(after, ">")
	if !ok {
		return "", "", ""
	}
	quoted := false
	for i := 0; i < len(after); i++ {
		switch c := after[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == ',' && !quoted:
			return target, after[:i], after[i+1:]
		}
	}
	return target, after, ""
}

// isCanonical reads the parameters of a link: the first rel counts (RFC 8288 section 3.3),
// and with an anchor the link is about something else (section 3.2).
func isCanonical(params string) bool {
	canonical, seen := false, false
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(param, "=")
		value = strings.Trim(strings.TrimSpace(value), `"`)
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "anchor":
			return false
		case "rel":
			canonical = canonical || !seen && hasToken([]byte(value), "canonical")
			seen = true
		}
	}
	return canonical
}
