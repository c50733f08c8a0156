package politefetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/politefetch/sdk/internal/botwall"
	"github.com/politefetch/sdk/proxy"
	"github.com/politefetch/sdk/ratepolicy"
)

// A relay follows redirects by itself, so where a request ended is known only afterwards:
// it is checked then, before the body is looked at.

// relay returns the relay for one visit: a ScrapingBee is given the visit's own Check, which
// it asks about where a request ended.
func (e *errand) relay() http.RoundTripper {
	bee, ok := e.c.cfg.Relay.(*proxy.ScrapingBee)
	if !ok {
		return e.c.cfg.Relay
	}
	return bee.WithCheck(func(ctx context.Context, u *url.URL) error {
		x, _ := ctx.Value(exchangeKey{}).(*exchange)
		if u.String() == x.u.String() {
			return x.again(ctx)
		}
		_, err := x.landed(ctx, u)
		return err
	})
}

// again lets a request be sent to a relay that was busy in a turn of its own: nothing
// reached the site, and what the site said to others meanwhile holds for it.
func (x *exchange) again(ctx context.Context) error {
	if !x.sent {
		x.sent = true
		return nil // the path to here was its check
	}
	if _, err := x.turn.release(ctx, ratepolicy.Answer{}); err != nil {
		return err
	}
	x.late.Stop() // the wait for a turn is none for an answer
	t, _, err := x.e.turn(ctx, x.u, x.delay)
	if err != nil {
		return err
	}
	x.turn = t
	x.late.Reset(relayTimeout)
	return x.e.recheck(ctx, x.u, true)
}

// relayFault says what is wrong with a relay that can tell before it is asked.
func relayFault(relay http.RoundTripper) error {
	bee, ok := relay.(*proxy.ScrapingBee)
	if !ok {
		return nil
	}
	return bee.WithCheck(func(context.Context, *url.URL) error { return nil }).Validate()
}

// exchangeKey is the key of a relayed request's *exchange in its context.
type exchangeKey struct{}

// via returns the transport of the exchange's route.
func (x *exchange) via() http.RoundTripper {
	if x.turn.relayed {
		return x.e.via
	}
	return x.e.c.cfg.Transport
}

// unreadError says that the robots.txt of the host where a request ended is not known: it
// is asked for, once the turn is given back, and then the page is asked for again.
type unreadError struct{ at *url.URL }

func (e *unreadError) Error() string {
	return "robots.txt of " + authorityOf(e.at) + " was not read before"
}

// landed checks where a relayed request ended, and returns that address in canonical form.
func (x *exchange) landed(ctx context.Context, at *url.URL) (*url.URL, error) {
	e := x.e
	to, err := e.pass(ctx, addressOf(at))
	if err != nil || to.String() == x.u.String() || x.robots {
		return to, err
	}
	if host := to.Hostname(); host != x.proves {
		if err := e.proof.refuses(host); err != nil {
			return nil, e.bar(ctx, to.String(), err)
		}
	}
	file := e.c.copies.peek(e, to)
	switch {
	case file == nil:
		return nil, &unreadError{to}
	case file.err != nil:
		return nil, &Error{URL: to.String(), Outcome: NoRobots, Robots: file.verdict(to), Err: fmt.Errorf("nothing may be read: %w", file.err)}
	}
	if v := file.verdict(to); !v.Allowed {
		return nil, e.forbid(ctx, to, v)
	}
	return to, nil
}

// land takes in where a relayed request ended, if that may be used.
func (x *exchange) land(ctx context.Context, resp *http.Response) error {
	if !x.turn.relayed || resp.Request == nil || resp.Request.URL == nil {
		return nil
	}
	to, err := x.landed(ctx, resp.Request.URL)
	if err != nil {
		_ = resp.Body.Close()
		return &proxy.CheckError{URL: resp.Request.URL.Redacted(), After: true, Err: err, Status: resp.StatusCode, Header: resp.Header}
	}
	x.at = to
	return nil
}

// overheard takes in what a relayed request was answered at an address whose answer may not
// be used. Where that is the site's own, a limit or a bot wall is the site's word all the
// same; only another's is nobody's here. It returns the error that the request ends with.
func (x *exchange) overheard(err error, now time.Time) error {
	if w, ok := errors.AsType[*proxy.WallError](err); ok {
		x.hear(w.Status, w.Header, now)
		return err
	}
	c, ok := errors.AsType[*proxy.CheckError](err)
	if !ok || !c.After {
		return err
	}
	if e, ok := errors.AsType[*Error](err); ok && e.Outcome == Barred {
		return err
	}
	x.hear(c.Status, c.Header, now)
	if w := botwall.FromHeader(c.Status, c.Header); w.Kind != botwall.NotAWall {
		return &proxy.WallError{URL: c.URL, Status: c.Status, Header: c.Header, Kind: w.Kind.String(), Vendor: w.Vendor, Marker: w.Marker}
	}
	return err
}

// hear takes in what an answer asks for of which nothing else is used.
func (x *exchange) hear(status int, h http.Header, now time.Time) {
	if said := ratepolicy.ReadAnswer(&http.Response{StatusCode: status, Header: h}, nil, now); said.Wait > 0 || isBusy(status) {
		x.head = said
	}
}

// asks counts the requests through the relay for one page, in all its tries.
type asks struct {
	n       int
	strayed bool // one was answered from off the site
}

// spent reports whether there may be no further one: limit is for all of a page's asks once
// an answer of them came from off the site.
func (a *asks) spent(limit int) bool { return a.strayed && a.n >= limit }

// askAgain returns the address of another request that what came of a relayed one is
// worth, having asked for a robots.txt that is needed first; or the error to end with. An
// answer from another place of the site is asked for there, so that no page is asked for
// again but for answers from off the site.
func (e *errand) askAgain(ctx context.Context, u *url.URL, q *query, err error) (*url.URL, error) {
	unread, ok := errors.AsType[*unreadError](err)
	switch {
	case !ok && errors.Is(err, ErrOffSite):
		q.asks.strayed = true
		return u, err
	case !ok:
		return nil, err
	}
	file, rerr := e.robots(ctx, unread.at)
	if rerr != nil {
		return nil, rerr
	}
	if v := file.verdict(unread.at); !v.Allowed {
		return nil, e.forbid(ctx, unread.at, v)
	}
	q.delay = file.delay()
	return unread.at, err
}

// relayWall returns the wall that the relay met, if that is the error.
func relayWall(err error) botwall.Wall {
	w, ok := errors.AsType[*proxy.WallError](err)
	if !ok {
		return botwall.Wall{}
	}
	kind := botwall.Block
	if w.Kind == botwall.Challenge.String() {
		kind = botwall.Challenge
	}
	return botwall.Wall{Kind: kind, Vendor: w.Vendor, Marker: w.Marker}
}

// isRelays reports whether an error is the relay's own: nothing that the site did.
func isRelays(err error) bool {
	_, ok := errors.AsType[*proxy.ProviderError](err)
	return ok || errors.Is(err, proxy.ErrBudget)
}

// routeClosed reports whether the relay will not answer further requests either.
func routeClosed(err error) bool {
	if p, ok := errors.AsType[*proxy.ProviderError](err); ok {
		return p.Kind == proxy.KindQuota || p.Kind == proxy.KindAuth || p.Kind == proxy.KindDrift
	}
	return errors.Is(err, proxy.ErrBudget)
}
