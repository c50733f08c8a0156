package ratepolicy

import (
	"net/url"
	"strings"
)

// HostKey returns the key of u's host: lower case, without port, brackets or a final
// dot. All ports and both schemes of a host share a key. It doesn't convert
// international names; give it an address in ASCII. A nil u has the key "".
func HostKey(u *url.URL) string {
	if u == nil {
		return ""
	}
	return strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
}
