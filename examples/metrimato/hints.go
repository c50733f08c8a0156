package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/ratepolicy"
)

// hintFor says what the operator can do about an error that kept the site from being
// scanned; "" when there is nothing to add.
func hintFor(err error) string {
	e, ok := errors.AsType[*politefetch.Error](err)
	if !ok {
		return ""
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		return fmt.Sprintf("There is no host %q: is it spelled right?", dns.Name)
	}
	if w, ok := errors.AsType[*ratepolicy.WaitError](err); ok {
		return "The site asked for a longer wait than a run sits out; run again after " + w.Until.Format("2006-01-02 15:04:05") + "."
	}
	switch e.Outcome {
	case politefetch.Barred:
		return barredHint(e)
	case politefetch.NoRobots:
		return "Without its robots.txt nothing of a site may be read (RFC 9309 section 2.3.1.4). Try again later."
	case politefetch.Walled:
		return "A bot wall stands before the site. If the site is yours, let the wall pass the user agent Metrimato-Scanner."
	case politefetch.Disallowed:
		return "The site's robots.txt turns the scanner away, and the scanner obeys."
	case politefetch.Limited:
		return "The site is busy. Try again later."
	default:
		return ""
	}
}

func barredHint(e *politefetch.Error) string {
	u, err := url.Parse(e.URL)
	if err != nil {
		return ""
	}
	if errors.Is(e, politefetch.ErrOffSite) {
		return fmt.Sprintf("If %s is the site's too, say so with -allow-host %s.", u.Hostname(), u.Hostname())
	}
	if !strings.Contains(e.Error(), "guard: ") {
		return ""
	}
	addr, err := netip.ParseAddr(u.Hostname())
	if err != nil {
		return "If it is a server of yours, let its exact address through with -allow-addr HOST:PORT."
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return fmt.Sprintf("If it is a server of yours, let it through with -allow-addr %s.", net.JoinHostPort(addr.String(), port))
}
