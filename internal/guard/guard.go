// Package guard decides which URLs and addresses a fetcher may contact: hosts of the
// public internet, on web ports, and nothing inside the network it runs in.
//
// It stands at two doors. [Check] judges the text of every URL before anything is asked
// for: the first one, each redirect, sitemaps and robots.txt. A [Dialer] then judges every
// address that a name resolves to, and once more the literal address that the kernel is
// told to connect to, so that a name which changes its answer in between (DNS rebinding)
// gains nothing.
//
// The guard knows nothing of HTTP, and never looks at the environment.
package guard

import (
	"errors"
	"net/netip"
	"net/url"
	"strconv"

	"github.com/politefetch/sdk/internal/urlnorm"
)

const (
	tooLong    = "URL is longer than 8192 bytes" // urlnorm.MaxLen
	closedPort = "port is not allowed (80 and 443 are)"
)

// Options are what an operator adds to or takes from the rules. Zero means: public
// addresses on the ports 80 and 443.
type Options struct {
	Allow       []netip.AddrPort // exactly these may be contacted, whatever the rules say
	Deny        []netip.Prefix   // these may not, though public; an Allow entry still wins
	AnyPort     bool             // every port but those that browsers refuse; false: 80 and 443
	SkipBlocked bool             // leave out a name's blocked addresses; false: one refuses the name
	Own         bool             // the machine's own public addresses may be dialled; false: Allow entries only
}

// Check returns the canonical form of an absolute URL, or a [*Refusal] if no request may be
// made for it. It does not resolve names: that is for the [Dialer]. A nil o is the zero
// Options. The result has no fragment and no user information, and checking its text again
// gives the same text.
//
// The port of an Allow entry passes for every host here, because a name may lead to that
// entry; the Dialer then insists on the entry's address.
func Check(raw string, o *Options) (*url.URL, error) {
	u, _, err := CheckText(raw, o)
	return u, err
}

// CheckText is [Check] that also returns the text of the result.
func CheckText(raw string, o *Options) (*url.URL, string, error) {
	if o == nil {
		o = new(Options)
	}
	if len(raw) > urlnorm.MaxLen {
		return nil, "", refuse(raw, tooLong)
	}
	// The strict parser has the first word: the canonical form would mend tabs, line breaks
	// and missing slashes, on whose meaning URL parsers differ.
	strict, err := url.Parse(raw)
	if err != nil {
		return nil, "", refuse(raw, "URL does not parse"+stray(err))
	}
	switch {
	case strict.Scheme == "":
		return nil, "", refuse(raw, "no scheme; write https:// in front")
	case strict.Scheme != "http" && strict.Scheme != "https":
		return nil, "", refuse(raw, "scheme is not http or https")
	case strict.User != nil:
		return nil, "", refuse(raw, "URL holds user information")
	case strict.Hostname() == "":
		return nil, "", refuse(raw, "URL has no host")
	}
	if port := strict.Port(); port != "" && !o.portText(port) {
		return nil, "", refuse(raw, closedPort)
	}
	u, text, err := urlnorm.ParseText(nil, raw)
	switch {
	case errors.Is(err, urlnorm.ErrTooLong): // escapes make it longer
		return nil, "", refuse(raw, tooLong)
	case err != nil:
		return nil, "", refuse(raw, "host is malformed")
	}
	if r := o.checkHost(u); r != nil {
		r.URL = safeURL(raw)
		return nil, "", r
	}
	return u, text, nil
}

// stray says so if err, of net/url, is about a "%" that begins no escape. Browsers send it as
// it stands, which the URL of a request can't; as %25 (RFC 3986 section 2.4) servers may take
// it for another address, since for the first many answer 400.
func stray(err error) string {
	e, ok := errors.AsType[url.EscapeError](err)
	if _, bad := url.PathUnescape(string(e)); !ok || bad == nil {
		return ""
	}
	return `: a "%" begins no escape; the sign itself is written %25`
}

// checkHost judges the host and port of a canonical URL.
func (o *Options) checkHost(u *url.URL) *Refusal {
	host := u.Hostname()
	addr, err := netip.ParseAddr(host)
	if err != nil {
		if why := nameRule(host); why != "" {
			return &Refusal{Host: safeText(host), Reason: why}
		}
		return nil
	}
	port := uint16(80)
	if u.Scheme == "https" {
		port = 443
	}
	if p := u.Port(); p != "" {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil {
			return &Refusal{Host: safeText(host), Reason: closedPort}
		}
		port = uint16(n)
	}
	if why := o.judge(netip.AddrPortFrom(addr, port)); why != "" {
		return &Refusal{Host: safeText(host), Addr: addr, Reason: why}
	}
	return nil
}

// portText reports whether a URL may name this port. Leading zeros are fine up to five
// digits, as in browsers.
func (o *Options) portText(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || len(s) > 5 {
		return false
	}
	if o.port(uint16(n)) {
		return true
	}
	for _, a := range o.Allow {
		if a.Port() == uint16(n) {
			return true
		}
	}
	return false
}

// judge returns why an address and port may not be contacted, or "". Order matters: an
// Allow entry beats everything, Deny everything else.
func (o *Options) judge(ap netip.AddrPort) string {
	addr := ap.Addr()
	if !addr.IsValid() || addr.Zone() != "" {
		return "address is not valid or has a zone"
	}
	addr = addr.Unmap()
	switch {
	case o.allowed(ap):
		return ""
	case o.denied(addr):
		return "address is denied by the operator"
	case !Public(addr):
		return "address is not public"
	case !o.port(ap.Port()):
		return closedPort
	}
	return ""
}

// allowed reports whether an Allow entry names this very address and port.
func (o *Options) allowed(ap netip.AddrPort) bool {
	for _, a := range o.Allow {
		if a.Port() == ap.Port() && a.Addr().Unmap() == ap.Addr().Unmap() {
			return true
		}
	}
	return false
}

// denied reports whether a Deny prefix holds an unmapped address. An address of the NAT64
// prefix is denied with the IPv4 address it leads to, and IPv4-mapped prefixes mean IPv4:
// netip.Prefix.Contains would find neither.
func (o *Options) denied(addr netip.Addr) bool {
	for _, p := range o.Deny {
		if p.Addr().Is4In6() && p.Bits() >= 96 {
			p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
		}
		if p.Contains(addr) {
			return true
		}
		if v4, ok := nat64(addr); ok && p.Contains(v4) {
			return true
		}
	}
	return false
}
