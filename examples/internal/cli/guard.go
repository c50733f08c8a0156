package cli

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"

	"github.com/politefetch/sdk/politefetch"
)

// GuardHint says what can be done about a refusal of the address guard; "" where err is
// none. Allowed are the addresses that -allow-addr lets through already.
func GuardHint(err error, allowed []netip.AddrPort) string {
	e, ok := errors.AsType[*politefetch.Error](err)
	switch {
	case !ok || !errors.Is(err, politefetch.ErrGuard):
		return ""
	case e.Outcome != politefetch.Barred:
		return "The site's robots.txt is somewhere else, where the address guard doesn't let anybody go. " +
			"If that is a server of yours, let it through with -allow-addr IP:PORT."
	}
	return AddressHint(e.URL, allowed)
}

// AddressHint says how the guard lets an address through.
func AddressHint(address string, allowed []netip.AddrPort) string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	if addr, err := netip.ParseAddr(u.Hostname()); err == nil {
		return fmt.Sprintf("If it is a server of yours, let it through with -allow-addr %s.", net.JoinHostPort(addr.String(), port))
	}
	if _, err := politefetch.CheckURL(u.Scheme + "://" + u.Hostname() + "/"); err == nil {
		return fmt.Sprintf("If it is a server of yours, let its exact address through with -allow-addr IP:%s.", port)
	}
	// The name itself is refused, whatever it leads to.
	for _, a := range allowed {
		if fmt.Sprint(a.Port()) == port {
			u.Host = a.String()
			return fmt.Sprintf("Names of local networks are never asked for: use %s", u)
		}
	}
	at := net.JoinHostPort("127.0.0.1", port)
	if u.Hostname() != "localhost" {
		at = "IP:" + port
	}
	u.Host = ""
	return fmt.Sprintf("If it is a server of yours, use its IP address in place of the name: -allow-addr %s %s://%s%s", at, u.Scheme, at, u.RequestURI())
}
