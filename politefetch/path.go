package politefetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/politefetch/sdk/internal/botwall"
	"github.com/politefetch/sdk/internal/guard"
	"github.com/politefetch/sdk/internal/wire"
	"github.com/politefetch/sdk/proxy"
	"github.com/politefetch/sdk/ratepolicy"
)

// Accept fields (RFC 9110 section 12.5.1) by what is asked for.
const (
	acceptAny    = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"
	acceptHTML   = "text/html,application/xhtml+xml;q=0.9"
	acceptRobots = "text/plain,*/*;q=0.5"
)

// An errand is one call's way of sending requests: whose turns it takes, where it may go
// and which robots.txt copies it goes by.
type errand struct {
	c       *Crawler
	lim     *ratepolicy.Limiter            // the Crawler's own, or a visit's view of it
	siteKey string                         // of a visit: what it is paced under beside each host; "": the host alone
	maxWait time.Duration                  // for one turn; 0: what the policy and the context allow, negative: don't wait
	scope   func(*url.URL) error           // nil: anywhere
	copies  map[string]*robotsCopy         // of a visit: the robots.txt that it asked for itself, by authority; nil: any fresh copy will do
	tries   int                            // for a robots.txt that answers 429
	claim   func(addr, owner string) bool  // of a visit: false when the address was asked for, but for its owner
	wants   func(*url.URL, *reading) error // of a visit: why a redirect there isn't followed
	proof   *proof                         // of a visit that has Admit; nil: none needed
	limited func()                         // a host asked for fewer requests
	asked   func(opens time.Time)          // a host asked for a wait, until then
	relayed func()                         // a request goes through the relay
	got     func(received int64)           // an answer was read
	via     http.RoundTripper              // the relay; nil on a route that is never relayed
	halted  atomic.Bool                    // of a visit: what ends it was met, nothing more is sent
}

func (c *Crawler) errand() *errand {
	return &errand{c: c, lim: c.lim, tries: 1, limited: func() {}, asked: func(time.Time) {}, relayed: func() {}, got: func(int64) {}}
}

// pass checks an address before anything is sent to it: is it safe, of the visit, and
// allowed by the bot's own rules? It returns the canonical address.
func (e *errand) pass(ctx context.Context, raw string) (*url.URL, error) {
	u, _, err := e.passText(ctx, raw)
	return u, err
}

// passText is pass that also returns the address as text.
func (e *errand) passText(ctx context.Context, raw string) (*url.URL, string, error) {
	opts := guard.Options(e.c.cfg.Guard)
	u, addr, err := guard.CheckText(raw, &opts)
	if err == nil && e.scope != nil {
		err = e.scope(u)
	}
	if err == nil && e.c.cfg.Allow != nil {
		err = e.c.cfg.Allow(ctx, u)
	}
	if err == nil {
		return u, addr, nil
	}
	if u == nil {
		addr = redacted(raw)
	}
	return nil, "", e.bar(ctx, addr, err)
}

// shown is the canonical form of an address that nothing is sent to now, or what may be
// shown of it.
func (e *errand) shown(raw string) string {
	opts := guard.Options(e.c.cfg.Guard)
	if _, addr, err := guard.CheckText(raw, &opts); err == nil {
		return addr
	}
	return redacted(raw)
}

// addressOf is the text of an address as it is written: where net/url can't use RawPath it
// would write "!" and the like anew, and robots.txt would be asked about another address.
func addressOf(u *url.URL) string {
	if u.RawPath == "" || u.EscapedPath() == u.RawPath || u.Opaque != "" {
		return u.String()
	}
	if p, err := url.PathUnescape(u.RawPath); err != nil || p != u.Path {
		return u.String()
	}
	rest := url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host}
	text := rest.String() + u.RawPath
	if u.ForceQuery || u.RawQuery != "" {
		text += "?" + u.RawQuery
	}
	return text
}

// bar is the error of an address that nothing is sent to.
func (e *errand) bar(ctx context.Context, addr string, err error) *Error {
	if ended(ctx, err) {
		return &Error{URL: addr, Err: err}
	}
	e.c.observe(ctx, Event{Kind: EventBar, URL: addr, Outcome: Barred, Why: err.Error()})
	return &Error{URL: addr, Outcome: Barred, Err: err}
}

// redacted returns what may be shown of an address that did not pass: no user name and no
// password, wherever a sloppy reader might see one.
func redacted(raw string) string {
	if i := strings.LastIndexByte(raw, '@'); i >= 0 {
		scheme, _, ok := strings.Cut(raw[:i], ":")
		if !ok || strings.ContainsAny(scheme, "/\\@?#") || len(scheme) > 8 {
			scheme = ""
		} else {
			scheme += "://"
		}
		raw = scheme + "…" + raw[i:]
	}
	return clip(raw)
}

// robots asks robots.txt about an address. The error says that it can't be had; the
// verdict that goes with it allows nothing.
func (e *errand) robots(ctx context.Context, u *url.URL) (*robotsCopy, error) {
	r, err := e.c.copies.get(ctx, e, u)
	if err != nil {
		return nil, wrap(ctx, u, err)
	}
	if r.err == nil {
		return r, nil
	}
	outcome := NoRobots
	switch {
	case r.wall.Kind != botwall.NotAWall:
		outcome = Walled
	case r.status == http.StatusTooManyRequests:
		outcome = Limited
	}
	why := r.err
	if outcome == Limited && time.Now().Before(r.opens) {
		why = &ratepolicy.WaitError{Key: e.c.cfg.Key(u), Until: r.opens, Why: clip(r.err.Error()), Held: true}
	}
	return r, &Error{URL: u.String(), Outcome: outcome, Robots: r.verdict(u), Err: fmt.Errorf("nothing may be read: %w", why)}
}

// wrap makes an error of sending into an [*Error].
func wrap(ctx context.Context, u *url.URL, err error) *Error {
	if cause := context.Cause(ctx); cause != nil {
		return &Error{URL: u.String(), Err: cause} // the caller's doing, however it was put
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if errors.Is(err, context.DeadlineExceeded) && !isStore(err) {
		err = errTimeout // the attempt's, since the caller's context has not ended
	}
	out := &Error{URL: u.String(), Outcome: Failed, Err: err}
	refusal, _ := errors.AsType[*guard.Refusal](err)
	wall, _ := errors.AsType[*proxy.WallError](err)
	switch w := waitError(err); {
	case w != nil && w.Held:
		out.Outcome = Limited
	case errors.Is(err, wire.ErrCalm):
		out.Outcome = Limited
	case w != nil, isStore(err):
		out.Outcome = "" // its turn has not come, or the bot's store failed: nobody's refusal
	case refusal != nil:
		out.Outcome = Barred
	case wall != nil:
		out.Outcome = Walled
	}
	return out
}
