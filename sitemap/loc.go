package sitemap

import (
	"net/url"
	"strings"

	"github.com/politefetch/sdk/internal/urlnorm"
)

// maxLoc is what sitemaps.org allows ("must be less than 2,048 characters"). Longer URLs
// are kept up to urlnorm.MaxLen, with a warning.
const maxLoc = 2048

// locate returns the host names whose missing scheme is forgiven, and the prefix that all
// URLs inside of the location rule share.
func locate(u *url.URL) (hosts [2]string, prefix string) {
	host := strings.ToLower(u.Hostname())
	hosts = [2]string{host, strings.TrimPrefix(host, "www.")}
	path := u.EscapedPath()
	return hosts, u.Scheme + "://" + u.Host + path[:strings.LastIndexByte(path, '/')+1]
}

// outside reports whether loc breaks the location rule.
func (rd *reader) outside(loc string) bool {
	return rd.prefix != "" && !strings.HasPrefix(loc, rd.prefix)
}

// resolve returns the canonical URL of raw, or false if it is not the URL of a page. Beside
// what urlnorm does it repairs two mistakes that leave no doubt: a missing scheme before a
// host that is known or begins with "www.", and a single slash after the scheme.
func (rd *reader) resolve(raw string, base *url.URL) (string, bool) {
	if urlnorm.Plain(raw) {
		if len(raw) >= maxLoc {
			rd.warn(WarnLocTooLong, raw)
		}
		return raw, true
	}
	s := urlnorm.Clean(raw)
	if s == "" || s[0] == '#' {
		return "", false
	}
	code := WarnRelative
	scheme, rest, found := strings.Cut(s, ":")
	switch {
	case found && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")):
		code = ""
		switch after, two := strings.CutPrefix(rest, "//"); {
		case two && schemeTwice(after):
			return "", false
		case !two && len(rest) > 1 && rest[0] == '/':
			s, code = scheme+":/"+rest, WarnSchemeAdded
		}
	case base != nil && rd.lacksScheme(s):
		s, code = base.Scheme+"://"+s, WarnSchemeAdded
	}
	loc, err := urlnorm.Text(base, s)
	if err != nil {
		return "", false
	}
	if code != "" {
		rd.warn(code, raw)
	}
	if strings.ContainsAny(raw, " \t\r\n") {
		rd.warn(WarnSpaceInLoc, raw)
	}
	if len(loc) >= maxLoc {
		rd.warn(WarnLocTooLong, raw)
	}
	return loc, true
}

// schemeTwice recognises the rest of "https://https://host/".
func schemeTwice(s string) bool {
	host, _, found := strings.Cut(s, ":")
	return found && (strings.EqualFold(host, "http") || strings.EqualFold(host, "https"))
}

// lacksScheme reports whether s begins with a host name: that of the sitemap, with or
// without "www.", or any that begins with "www.".
func (rd *reader) lacksScheme(s string) bool {
	for _, host := range rd.hosts {
		n := len(host)
		if n > 0 && len(s) >= n && strings.EqualFold(s[:n], host) && (len(s) == n || strings.IndexByte("/?:", s[n]) >= 0) {
			return true
		}
	}
	return len(s) > 4 && strings.EqualFold(s[:4], "www.")
}
