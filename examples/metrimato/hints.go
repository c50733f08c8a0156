package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/ratepolicy"
)

// hint says what the operator can do about how a run ended; last is what the last address
// that was not read ended with.
func (s *summary) hint(j *job, w *watcher, last error) string {
	switch code := s.code(); {
	case code == exitScanned:
		return s.sitemapHint(j, w)
	case code != exitNotScanned:
		return ""
	case last != nil:
		return hintFor(last, j.local, w.barred)
	case s.Outcome == string(politefetch.Limited) && !s.Opens.IsZero():
		return waitHint(s.Opens)
	case s.Outcome == string(politefetch.Limited):
		return busyHint
	case s.Outcome == string(politefetch.Barred) && j.code != "":
		return proofHint
	}
	return ""
}

// sitemapHint tells of a sitemap that is there, so that links were not followed, and of
// which no page came.
func (s *summary) sitemapHint(j *job, w *watcher) string {
	own := 1 // the start
	if u, err := url.Parse(j.start); err == nil && j.code != "" && u.RequestURI() != "/" {
		own++ // and the home page that proves the domain
	}
	known := s.Pages + s.Skipped + s.Closes + s.Barred + s.Unproved + s.Failed + s.Left
	if s.Sitemap == "" || strings.HasSuffix(s.Sitemap, "links are followed") || known > own {
		return ""
	}
	const text = "There is a sitemap, so links were not followed; but no further page came of it. "
	if w.mapped == http.StatusTooManyRequests || w.mapped == http.StatusServiceUnavailable {
		return text + busyHint
	}
	return text + "Put the site's pages into it, or take it away so that it answers 404."
}

const (
	busyHint  = "The site is busy. Try again later."
	proofHint = "Each domain's home page has to hold the code of -own-proof, in an answer of its own with status 200."
)

func waitHint(until time.Time) string {
	return "The site asked for a longer wait than a run sits out; run again after " + cli.RoundUp(until, time.Second, time.DateTime) + "."
}

// hintFor says what the operator can do about an error that kept the site from being
// scanned; "" when there is nothing to add. Barred is the last address that was refused.
func hintFor(err error, allowed []netip.AddrPort, barred string) string {
	e, ok := errors.AsType[*politefetch.Error](err)
	if !ok {
		return ""
	}
	if errors.Is(err, politefetch.ErrGuard) {
		if e.Outcome == politefetch.NoRobots && barred != "" { // a redirect of robots.txt led there
			return cli.AddressHint(barred, allowed)
		}
		return cli.GuardHint(err, allowed)
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		return fmt.Sprintf("There is no host %q: is it spelled right?", dns.Name)
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return "No connection could be made: is the server up, and the port right?"
	}
	if w, ok := errors.AsType[*ratepolicy.WaitError](err); ok {
		return waitHint(w.Until)
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
		return busyHint
	default:
		return ""
	}
}

func barredHint(e *politefetch.Error) string {
	u, err := url.Parse(e.URL)
	switch {
	case err != nil:
		return ""
	case errors.Is(e, politefetch.ErrOffSite):
		return fmt.Sprintf("If %s is the site's too, say so with -allow-host %s.", u.Hostname(), u.Hostname())
	case errors.Is(e, errNoCode):
		return fmt.Sprintf("Put the code into the home page of %s, or give the right one with -own-proof.", u.Hostname())
	}
	return ""
}
