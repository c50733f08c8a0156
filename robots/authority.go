package robots

import (
	"net/url"
	"strings"
)

// For returns the file bound to the scheme, host and port of u, for which alone a
// robots.txt speaks (RFC 9309, section 2.3): [Group.Test] then answers for any other with
// [ReasonOtherAuthority], which allows nothing. Of a redirected robots.txt that is where
// it was first asked for. A File from [Parse] or [FromStatus] is not bound.
func (f *File) For(u *url.URL) *File {
	bound := *f
	bound.authority = authorityOf(u)
	return &bound
}

// authorityOf is scheme, host in lower case and port, the default port left out.
func authorityOf(u *url.URL) string {
	scheme, host, port := strings.ToLower(u.Scheme), strings.ToLower(u.Hostname()), u.Port()
	switch {
	case port == "", scheme == "http" && port == "80", scheme == "https" && port == "443":
		return scheme + "://" + host
	}
	return scheme + "://" + host + ":" + port
}

// speaksFor reports whether the file binds u. The usual spelling costs no allocation.
func (f *File) speaksFor(u *url.URL) bool {
	if f.authority == "" {
		return true
	}
	if n := len(u.Scheme); len(f.authority) == n+3+len(u.Host) && f.authority[:n] == u.Scheme &&
		f.authority[n:n+3] == "://" && f.authority[n+3:] == u.Host {
		return true
	}
	return authorityOf(u) == f.authority
}
