package urlnorm

import (
	"net/netip"

	"golang.org/x/net/publicsuffix"
)

// Domain returns the registrable domain of a canonical host name: its public suffix and
// one label more (https://publicsuffix.org/). Addresses and public suffixes have none and
// are returned as they are.
func Domain(host string) string {
	if _, err := netip.ParseAddr(host); err == nil {
		return host
	}
	if domain, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return domain
	}
	return host
}
