// Package urlnorm turns the text of a URL, as found in sitemaps, pages, Location headers
// and configuration, into the one canonical URL that the rest of the module compares,
// counts and fetches.
//
// Canonical means: scheme http or https, host in lower case and as IDNA A-labels without
// a trailing dot, IP literals in their shortest form, no default port, no dot segments
// (RFC 3986 section 5.2.4), a path of at least "/", no fragment, and every character that
// RFC 3986 does not allow percent-encoded as UTF-8: a "%" that begins no escape as "%25"
// (section 2.4), though browsers send it as it stands, since a [net/url.URL] can't hold it.
// Escapes that are already there, the case of the path, double slashes and an empty query
// stay as they are.
//
// All functions are pure, safe for concurrent use and linear in the length of their input.
package urlnorm

import (
	"errors"
	"net/url"
	"strings"
	"unicode"
)

// MaxLen is the longest URL in bytes, both as written (without surrounding white space)
// and as canonical text. RFC 9110 section 4.1 asks for at least 8,000.
const MaxLen = 8192

// The errors say what is wrong and hold no part of the URL, which may contain a password.
var (
	ErrEmpty    = errors.New("no URL")
	ErrTooLong  = errors.New("URL longer than 8192 bytes")
	ErrRelative = errors.New("relative URL without a base")
	ErrScheme   = errors.New("scheme is not http or https")
	ErrUserinfo = errors.New("malformed user information")
	ErrHost     = errors.New("missing or malformed host")
	ErrPort     = errors.New("port is not a number from 1 to 65535")
)

// Parse returns the canonical URL of raw, resolved against base. A nil base means that
// raw must be absolute. User information is kept (the guard refuses it). The String of
// the result is the canonical text, and Parse of that text gives the same text again.
func Parse(base *url.URL, raw string) (*url.URL, error) {
	u, _, err := ParseText(base, raw)
	return u, err
}

// ParseText is [Parse] that also returns the canonical text.
func ParseText(base *url.URL, raw string) (*url.URL, string, error) {
	text, err := Text(base, raw)
	if err != nil {
		return nil, "", err
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, "", ErrHost // not reached: Text lets nothing through that net/url refuses
	}
	return u, text, nil
}

// Text is [Parse] for callers that need the text alone. It returns raw itself, without
// allocating, if there is nothing to change.
func Text(base *url.URL, raw string) (string, error) {
	if Plain(raw) {
		return raw, nil
	}
	ref := Clean(raw)
	switch {
	case ref == "":
		return "", ErrEmpty
	case len(ref) > MaxLen:
		return "", ErrTooLong
	}
	ref, _, _ = strings.Cut(ref, "#")
	p, err := split(base, ref)
	if err != nil {
		return "", err
	}
	text, err := p.text()
	if err != nil {
		return "", err
	}
	if len(text) > MaxLen {
		return "", ErrTooLong
	}
	return text, nil
}

// Clean removes what no URL contains: white space, control characters and byte order
// marks around it, and tabs and line breaks inside, as the URL Standard of the WHATWG
// does. White space that follows a line break goes with it (indented text).
func Clean(raw string) string {
	s := strings.TrimFunc(raw, isBlank)
	if !strings.ContainsAny(s, "\t\r\n") {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	broken := false // after a line break
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\r' || c == '\n':
			broken = true
		case c == '\t' || c == ' ' && broken:
		default:
			broken = false
			b.WriteByte(c)
		}
	}
	return b.String()
}

func isBlank(r rune) bool {
	return r <= ' ' || r == 0x7f || r == 0x200b || r == 0xfeff || unicode.IsSpace(r)
}

// parts is a reference after resolution and before normalisation. path holds everything
// from the first slash or question mark on.
type parts struct {
	scheme, authority, path string
}

// split resolves ref, which has no fragment any more, against base (RFC 3986 section
// 5.2.2; a scheme is never followed by a relative path).
func split(base *url.URL, ref string) (parts, error) {
	scheme, rest, absolute := cutScheme(ref)
	if absolute {
		scheme = strings.ToLower(scheme)
		if scheme != "http" && scheme != "https" {
			return parts{}, ErrScheme
		}
		after, ok := strings.CutPrefix(rest, "//")
		if !ok {
			return parts{}, ErrHost
		}
		return cutAuthority(scheme, after), nil
	}
	if base == nil || base.Host == "" {
		return parts{}, ErrRelative
	}
	scheme = strings.ToLower(base.Scheme)
	if scheme != "http" && scheme != "https" {
		return parts{}, ErrScheme
	}
	if after, ok := strings.CutPrefix(ref, "//"); ok {
		return cutAuthority(scheme, after), nil
	}
	authority := base.Host
	if base.User != nil {
		authority = base.User.String() + "@" + authority
	}
	dir := base.EscapedPath()
	if dir == "" || dir[0] != '/' {
		dir = "/" + dir
	}
	path := ref
	switch {
	case ref == "":
		path = dir
		if base.RawQuery != "" || base.ForceQuery {
			path += "?" + base.RawQuery
		}
	case ref[0] == '?':
		path = dir + ref
	case ref[0] != '/':
		path = dir[:strings.LastIndexByte(dir, '/')+1] + ref
	}
	return parts{scheme, authority, path}, nil
}

func cutAuthority(scheme, s string) parts {
	if i := strings.IndexAny(s, "/?"); i >= 0 {
		return parts{scheme, s[:i], s[i:]}
	}
	return parts{scheme, s, ""}
}

// cutScheme splits "scheme:rest"; ok is false if s does not begin with a scheme (RFC 3986
// section 3.1).
func cutScheme(s string) (scheme, rest string, ok bool) {
	for i := range len(s) {
		c := s[i]
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z':
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return s[:i], s[i+1:], true
		default:
			return "", "", false
		}
	}
	return "", "", false
}

// text is the canonical text of p.
func (p parts) text() (string, error) {
	authority, err := p.canonicalAuthority()
	if err != nil {
		return "", err
	}
	path, query := p.path, ""
	if i := strings.IndexByte(path, '?'); i >= 0 {
		path, query = path[:i], path[i:]
	}
	if path == "" {
		path = "/"
	}
	var b strings.Builder
	b.Grow(len(p.scheme) + len("://") + len(authority) + len(p.path) + 1)
	b.WriteString(p.scheme)
	b.WriteString("://")
	b.WriteString(authority)
	writeEscaped(&b, removeDots(path))
	writeEscaped(&b, query)
	return b.String(), nil
}

// canonicalAuthority normalises user information, host and port.
func (p parts) canonicalAuthority() (string, error) {
	user, hostport := "", p.authority
	if i := strings.LastIndexByte(hostport, '@'); i >= 0 {
		var err error
		if user, err = userinfo(hostport[:i]); err != nil {
			return "", err
		}
		hostport = hostport[i+1:]
	}
	host, port, err := cutPort(hostport)
	if err != nil {
		return "", err
	}
	if host, err = Host(host); err != nil {
		return "", err
	}
	if p.scheme == "http" && port == "80" || p.scheme == "https" && port == "443" {
		port = ""
	}
	if port != "" {
		port = ":" + port
	}
	return user + host + port, nil
}

// userinfo escapes user information the way net/url writes it, "@" included. Like net/url
// it refuses ASCII characters that have no place there.
func userinfo(s string) (string, error) {
	for i := range len(s) {
		if s[i] < 0x80 && class[s[i]] == 'x' {
			return "", ErrUserinfo
		}
	}
	name, password, has := strings.Cut(s, ":")
	name, err := url.PathUnescape(name)
	if err != nil {
		return "", ErrUserinfo
	}
	if !has {
		return url.User(name).String() + "@", nil
	}
	if password, err = url.PathUnescape(password); err != nil {
		return "", ErrUserinfo
	}
	return url.UserPassword(name, password).String() + "@", nil
}
