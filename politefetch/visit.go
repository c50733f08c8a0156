package politefetch

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/politefetch/sdk/internal/guard"
	"github.com/politefetch/sdk/internal/urlnorm"
)

// VisitOptions are options for [Crawler.Visit]. Nil means the zero VisitOptions.
type VisitOptions struct {
	// Hosts are the site's own host names, without ports; nothing else is asked for, by
	// links, sitemaps or redirects. Nil: the start's host only. [Config].Allow still has
	// the last word.
	Hosts []string
	// MaxPages bounds the pages asked for; robots.txt, sitemaps and redirect hops are not
	// counted. 0, and more than Config.MaxPages: that.
	MaxPages int
	// HomeFirst reads the start right after its robots.txt, before sitemaps, and even if
	// robots.txt disallows it (Page.Robots says so); where it redirects to is not exempt. A
	// visit that reads nothing else because of that is Disallowed.
	HomeFirst bool
	// LLMs reads /llms.txt (https://llmstxt.org/), if robots.txt allows it, and what it links
	// to. It is yielded as a page where there is one; HTMLOnly does not hold for it.
	LLMs bool
	// FollowLinks follows links also where there is a sitemap.
	FollowLinks bool
	// HTMLOnly reads HTML and nothing else: Accept says so, addresses that end like
	// another type's (.jpg, .css, .pdf, …) are not asked for, and an answer of another
	// type is closed at its head, with outcome Done and no body.
	HTMLOnly bool
	// DropBodies keeps nothing of a page but its Summary, and of that no Title: memory
	// does not grow with the size of pages. What is not HTML is closed at its head then.
	DropBodies bool
	// Want filters the addresses that sitemaps and links name before they are asked for;
	// those it does not want are not counted either. It must be safe for concurrent use.
	// Nil: all (that HTMLOnly leaves).
	Want func(*url.URL) bool
	// Requested is when somebody asked for this visit, a recheck. It is copied to the
	// Report, by which [Cadence] tells rechecks from scheduled visits. Zero: scheduled.
	Requested time.Time
}

// A Visit is one bounded pass over a site. Make it with [Crawler.Visit]; it is good for
// one range over [Visit.Pages].
type Visit struct {
	c     *Crawler
	start *url.URL
	opts  VisitOptions
	hosts map[string]bool

	mu   sync.Mutex // guards used and rep
	used bool
	rep  Report
}

// Visit prepares a pass over the site of the address start. Nothing is sent before
// [Visit.Pages] is ranged over. The error says what is wrong with start or with an
// option.
func (c *Crawler) Visit(start string, opts *VisitOptions) (*Visit, error) {
	guarded := guard.Options(c.cfg.Guard)
	u, err := guard.Check(start, &guarded)
	if err != nil {
		return nil, &Error{URL: redacted(start), Outcome: Barred, Err: err}
	}
	v := &Visit{c: c, start: u, hosts: make(map[string]bool)}
	if opts != nil {
		v.opts = *opts
	}
	for _, host := range v.opts.Hosts {
		h, err := hostName(host)
		if err != nil {
			return nil, fmt.Errorf("politefetch: VisitOptions.Hosts: %q: %w", redacted(host), err)
		}
		v.hosts[h] = true
	}
	switch {
	case len(v.hosts) == 0:
		v.hosts[u.Hostname()] = true
	case !v.hosts[u.Hostname()]:
		return nil, fmt.Errorf("politefetch: VisitOptions.Hosts does not hold the start's host %q", u.Hostname())
	}
	v.opts.Hosts = nil
	v.opts.MaxPages = ceiling(v.opts.MaxPages, c.cfg.MaxPages)
	v.rep.Site, v.rep.Requested = authorityOf(u), v.opts.Requested
	return v, nil
}

// hostName is the form in which [url.URL.Hostname] gives a canonical address's host: an
// IPv6 address has no brackets there.
func hostName(host string) (string, error) {
	if a, err := netip.ParseAddr(host); err == nil && a.Is6() {
		host = "[" + host + "]"
	}
	h, err := urlnorm.Host(host)
	return strings.Trim(h, "[]"), err
}

// ceiling is the lower of two bounds that are off when they are not positive.
func ceiling(n, limit int) int {
	if n <= 0 || limit > 0 && n > limit {
		return limit
	}
	return n
}

// Report sums up the visit so far; it is final once the range over Pages has ended. It
// is safe to call at any time.
func (v *Visit) Report() Report {
	v.mu.Lock()
	defer v.mu.Unlock()
	rep := v.rep
	rep.Admitted = maps.Clone(rep.Admitted)
	return rep
}

// update changes the report.
func (v *Visit) update(fn func(*Report)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	fn(&v.rep)
}

// Pages asks for robots.txt, whatever copy is at hand, then for the site's sitemaps, and
// reads the start and the addresses they name. Only where there is no sitemap (those that
// robots.txt names or, if it names none, /sitemap.xml and /sitemap_index.xml answer 404, or
// with a page or something else that is not one) links are followed, from the start. A
// sitemap that is empty, disallowed or broken is there: Report.Sitemap says so. Each
// address is asked for once, a limited one up to Config.Tries times; as many at once as
// the policy allows, and they are yielded in the order in which they became known.
//
// The Page is never nil. An error is that address's, and the visit goes on after it; what
// ended the visit is in the [Report]: robots.txt could not be had, a bot wall answered,
// the site asked for a longer wait than the policy sits out, MaxSkips pages in a row were
// given up, or MaxPages was reached. When the loop ends, everything that it started has
// ended. Its body holds no turn; where the policy allows several requests at once, others
// of them go on meanwhile. It is a single-use iterator.
func (v *Visit) Pages(ctx context.Context) iter.Seq2[*Page, error] {
	return func(yield func(*Page, error) bool) {
		v.mu.Lock()
		used := v.used
		v.used = true
		v.mu.Unlock()
		if used {
			yield(&Page{URL: v.start.String()}, &Error{URL: v.start.String(), Err: errUsed})
			return
		}
		newRun(v, yield).do(ctx)
	}
}

var errUsed = errors.New("Visit.Pages was ranged over before; make a new Visit")

// inHosts is the visit's scope.
func (v *Visit) inHosts(u *url.URL) error {
	if v.hosts[u.Hostname()] {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrOffSite, u.Hostname())
}

// wanted reports whether an address that was found is worth a request.
func (v *Visit) wanted(u *url.URL, htmlOnly bool) bool {
	return (!htmlOnly || looksLikeHTML(u)) && (v.opts.Want == nil || v.opts.Want(u))
}

// notWanted says why a redirect is not followed.
func (v *Visit) notWanted(u *url.URL, rd *reading) error {
	if v.wanted(u, rd.htmlOnly) {
		return nil
	}
	return ErrNotWanted
}
