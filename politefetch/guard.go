package politefetch

import (
	"net/http"
	"net/netip"
	"net/url"

	"github.com/politefetch/sdk/internal/guard"
	"github.com/politefetch/sdk/internal/wire"
)

// GuardOptions say which addresses may be connected to. The zero GuardOptions allow
// public addresses on ports 80 and 443, but not this machine's own.
type GuardOptions struct {
	// Allow lets exact addresses through, whatever they are: a test server's
	// 127.0.0.1:8080, say, which leaves every other port of the machine closed. Such a server
	// is asked for by that address: names like localhost are refused all the same.
	Allow []netip.AddrPort
	// Deny refuses further addresses, such as a network that is public only by its number.
	Deny []netip.Prefix
	// AnyPort opens all ports but those that browsers block (the "bad ports" of
	// https://fetch.spec.whatwg.org/). False: 80 and 443.
	AnyPort bool
	// SkipBlocked connects to a host's public addresses although others of its addresses
	// are not. False: one such address refuses the host.
	SkipBlocked bool
	// Own allows the public addresses of this machine's own network interfaces. False: a
	// service there may trust whoever connects from the machine itself, so they are refused,
	// but for Allow entries; a bot that visits a site on its own machine names the site's
	// address and port there. The interfaces are asked for once a minute at most. An address
	// that a router translates to this machine's is not known to be its own.
	Own bool
}

// CheckURL returns the canonical form of raw, or an error that says why nothing may be
// sent to it: it is not http or https, holds a user name, names a host that is local
// (localhost, a single label, a local suffix), an address that is not public, or a port
// other than 80 and 443. Names are not looked up: that is done, and judged, when a
// connection is made.
// The error is an [*Error] that wraps [ErrGuard].
func CheckURL(raw string) (*url.URL, error) {
	u, err := guard.Check(raw, nil)
	if err != nil {
		return nil, &Error{URL: redacted(raw), Outcome: Barred, Err: err}
	}
	return u, nil
}

// IsPublic reports whether a is globally reachable by the IANA special-purpose address
// registries (RFC 6890): not private, loopback, link-local, shared, multicast, reserved,
// documentation, a tunnel into one of those, or a cloud's metadata address. An address
// with a zone is not.
func IsPublic(a netip.Addr) bool { return guard.Public(a) }

// NewTransport returns a transport that connects to public addresses only, judged on the
// address really dialled, and sends at most one wire request a call: what net/http would
// send again by itself (after a stale connection, an HTTP/2 GOAWAY or REFUSED_STREAM)
// comes back as an error. It takes no proxy from the environment. Nil options: the zero
// GuardOptions.
func NewTransport(opts *GuardOptions) http.RoundTripper {
	var o guard.Options
	if opts != nil {
		o = guard.Options(*opts)
	}
	return wire.NewTransport(guard.NewDialer(o).DialContext)
}
