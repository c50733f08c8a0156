package politefetch

import (
	"net/url"

	"github.com/politefetch/sdk/internal/urlnorm"
	"github.com/politefetch/sdk/ratepolicy"
)

// SiteKey returns the registrable domain of u's host: the public suffix and one label
// (https://publicsuffix.org/), "example.co.uk" for "www.example.co.uk". As [Config].Key it
// gives all hosts of a domain one pace and one memory. Hosts that have none, addresses
// and public suffixes themselves, get their [ratepolicy.HostKey].
func SiteKey(u *url.URL) string {
	return urlnorm.Domain(ratepolicy.HostKey(u))
}
