package politefetch

import (
	"context"
	"net/http"
	"time"
)

// FetchOptions are options for [Crawler.Fetch]. Nil means the zero FetchOptions.
type FetchOptions struct {
	// RobotsAdvisory asks for the address although robots.txt disallows it, or can't be
	// had: Page.Robots says so. For addresses that somebody designated one by one.
	RobotsAdvisory bool
	// MaxWait bounds the wait for one turn, beside what Policy and the context allow. Past
	// it the error is a [ratepolicy.WaitError]. 0: no further bound, negative: don't wait.
	MaxWait time.Duration
	// Hops goes on with the redirect chain of an earlier Page that a wait interrupted: the
	// next request is for the last Hop's Location, and has what their Took leaves of
	// Config.Timeout. Nil: a new chain.
	Hops []Hop
	// Earlier is the header of an earlier answer of this very address (Page.Header of a Page
	// that was Done and whose Final is its URL). Its ETag and Last-Modified make the request
	// conditional (RFC 9110 section 13.1): an answer 304 has the outcome Unchanged and no
	// body. Redirects are followed without them: they may lead elsewhere than they did.
	// Nil: an unconditional request.
	Earlier http.Header
	// Browser sends the header fields of a browser, BrowserChrome, BrowserFirefox or
	// BrowserSafari, in place of the bot's own, on this address and its redirects; never for
	// robots.txt, whose groups for the bot still hold. For single addresses that somebody
	// opted into it because their host refuses the bot. Pace, guard and TLS stay the bot's;
	// Page.Browser says so. "": the bot's own.
	Browser string
	// DropBody leaves Page.Body and the Summary's Title empty; nothing of the page is kept. A
	// body that is not HTML and takes too long, or is in a content coding that was not asked
	// for, is no error then ([ErrTooSlow], [ErrEncoding]): the Page is Truncated and has no
	// Fingerprint.
	DropBody bool
}

// Fetch reads one address and follows its redirects, at most MaxHops of them, each hop
// through the whole path (see the package comment). It waits for the host's turn as long
// as the policy and ctx allow. The Page is never nil; it holds what was read before an
// error. The error is nil for every answer that was read, whatever its status: its
// Outcome tells. Otherwise it is an [*Error].
func (c *Crawler) Fetch(ctx context.Context, rawURL string, opts *FetchOptions) (*Page, error) {
	var o FetchOptions
	if opts != nil {
		o = *opts
	}
	e := c.errand()
	e.maxWait = o.MaxWait
	p := &Page{URL: rawURL, Hops: append([]Hop(nil), o.Hops...), Browser: o.Browser}
	guise, err := browser(o.Browser)
	if err != nil {
		p.URL, p.Browser = redacted(rawURL), ""
		return p, p.fail(e.bar(ctx, p.URL, err))
	}
	err = e.follow(ctx, p, &reading{
		advisory: o.RobotsAdvisory, keep: !o.DropBody, accept: acceptAny, earlier: conditional(o.Earlier), guise: guise,
	})
	return p, err
}
