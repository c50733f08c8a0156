package robots

import (
	"net/url"
	"strings"
)

// requestPaths returns the path and query of u, and how many there are. A rule compares
// the reserved characters "!'()*" as they are written (RFC 9309, section 2.2.2), but
// net/url writes a path anew, with these escaped, when it holds a character that no path
// may. The text that was parsed is in RawPath then. Without it there are two ways in
// which the path may have been meant.
func requestPaths(u *url.URL) (paths [2]string, n int) {
	written := u.EscapedPath()
	if u.RawPath != "" && u.RawPath != written {
		if p, err := url.PathUnescape(u.RawPath); err == nil && p == u.Path {
			written = u.RawPath
		}
	}
	query := ""
	if u.ForceQuery || u.RawQuery != "" {
		query = "?" + u.RawQuery
	}
	switch {
	case u.Opaque != "":
		return [2]string{u.RequestURI()}, 1
	case written == "":
		written = "/"
	}
	if query != "" {
		paths[0] = written + query
	} else {
		paths[0] = written
	}
	if u.RawPath != "" || !strings.ContainsAny(u.Path, "!'()*") {
		return paths, 1
	}
	paths[1] = strings.NewReplacer("%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*").Replace(written) + query
	return paths, 2
}
