package politefetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/politefetch/sdk/internal/botwall"
	"github.com/politefetch/sdk/internal/urlnorm"
	"github.com/politefetch/sdk/robots"
)

// follow asks for p.URL and where it leads, and fills p in.
func (e *errand) follow(ctx context.Context, p *Page, rd *reading) error {
	rd.budget = e.c.cfg.Timeout
	for _, h := range p.Hops {
		rd.budget -= min(max(h.Took, 0), rd.budget)
	}
	addr := p.URL
	if n := len(p.Hops); n > 0 {
		addr = p.Hops[n-1].Location
		p.URL = e.shown(p.URL)
	}
	p.counted = false
	for first := true; ; first = false {
		u, text, err := e.passText(ctx, addr)
		if err != nil {
			if first && len(p.Hops) == 0 {
				p.URL = redacted(p.URL)
			}
			return p.fail(err)
		}
		addr = text
		if first && len(p.Hops) == 0 {
			p.URL = addr
		}
		switch {
		case slices.ContainsFunc(p.Hops, func(h Hop) bool { return h.URL == addr }):
			return p.fail(&Error{URL: addr, Outcome: Failed, Err: p.loop()})
		case len(p.Hops) > max(e.c.cfg.MaxHops, 0):
			return p.fail(&Error{URL: addr, Outcome: Failed, Err: ErrTooManyHops})
		}
		if !first && e.wants != nil {
			if err := e.wants(u, rd); err != nil {
				return p.fail(e.bar(ctx, addr, err))
			}
		}
		next, err := e.hop(ctx, p, u, addr, rd)
		if err != nil || next == nil {
			return err
		}
		addr = next.String()
	}
}

// loop is why a chain that leads back ends. Where it set cookies, a browser might get through.
func (p *Page) loop() error {
	if p.cookies {
		return fmt.Errorf("%w; they set a cookie, and none is ever sent", ErrRedirectLoop)
	}
	return ErrRedirectLoop
}

// hop makes one request of a chain, for u, whose text is addr. It returns where a redirect leads, or nil at the
// chain's end.
func (e *errand) hop(ctx context.Context, p *Page, u *url.URL, addr string, rd *reading) (*url.URL, error) {
	r, err := e.robots(ctx, u)
	if r != nil && (!rd.advisory || p.Robots.Allowed || p.Robots.Reason == robots.ReasonNone) {
		p.Robots = r.verdict(u) // of a chain that goes on regardless, the first disallow stays
	}
	if err != nil && (!rd.advisory || r == nil) {
		if r != nil {
			p.Opens = later(p.Opens, r.opens)
		}
		return nil, p.fail(err)
	}
	if v := r.verdict(u); !v.Allowed {
		if exempt := rd.exempt == addr && len(p.Hops) == 0; !rd.advisory && !exempt {
			return nil, p.fail(e.forbid(ctx, u, v))
		}
		e.c.observe(ctx, Event{Kind: EventForbid, URL: addr, Robots: v, Why: v.String() + "; asked for all the same"})
	}
	if err := e.proof.admit(ctx, u, rd); err != nil {
		return nil, p.fail(err)
	}
	if rd.budget <= 0 {
		return nil, p.fail(&Error{URL: u.String(), Outcome: Failed, Err: errTimeout})
	}
	if e.claim != nil && !e.claim(addr, rd.owner) {
		return p.taken()
	}
	q := &query{
		method: http.MethodGet, addr: addr, accept: rd.accept, guise: rd.guise, max: e.c.cfg.MaxBody, delay: r.delay(), budget: &rd.budget, began: &p.Began,
		owner: rd.owner, proves: rd.proving, asks: rd.asks,
	}
	if len(p.Hops) == 0 {
		q.header = rd.earlier
	}
	x, err := e.open(ctx, u, q)
	if tried := !p.Began.IsZero(); tried && !p.counted {
		p.Tries, p.counted = p.Tries+1, true
	}
	p.Relayed, rd.asks = q.routed, q.asks
	switch {
	case errors.Is(err, errTaken):
		return p.taken()
	case err != nil:
		p.Wall = wallOf(relayWall(err))
		return nil, p.fail(wrap(ctx, u, err))
	}
	return e.read(ctx, p, x, rd)
}

// taken ends a page that leads to another, which the visit reads for itself.
func (p *Page) taken() (*url.URL, error) {
	p.Outcome, p.Ended = Done, time.Now()
	return nil, nil
}

// read reads the answer of x into p, gives the turn back and says what came of it.
func (e *errand) read(ctx context.Context, p *Page, x *exchange, rd *reading) (*url.URL, error) {
	look := e.proof.look(ctx, x.u, x.resp.StatusCode, rd)
	defer func() { _ = look.stop(errNotRead) }() // the first call counts
	next, wall, err := e.readPage(p, x, rd, look)
	store := x.close(ctx, wall)
	p.Ended, p.Opens, p.Wall = time.Now(), x.opens, wallOf(wall)
	p.Outcome = outcomeOf(x.head)
	if p.Status == http.StatusNotModified {
		p.Outcome = Unchanged
		if err == nil && !x.conditional {
			err = errNotAsked
		}
	}
	walled := wall.Kind != botwall.NotAWall
	if walled || next == nil {
		p.Final = x.text() // and if it could be read in part only
	}
	switch {
	case store != nil:
		return nil, p.fail(&Error{URL: x.u.String(), Outcome: Failed, Err: store})
	case err != nil && !walled:
		return nil, p.fail(wrap(ctx, x.u, err))
	case next != nil && !walled:
		return e.redirect(ctx, p, x, next)
	case walled:
		err = fmt.Errorf("a bot wall answered: %s", p.Wall)
	}
	if refused := look.stop(err); refused != nil && !isWall(p) {
		return nil, p.fail(refused)
	}
	return nil, nil
}

// errNotRead is what Admit sees of a home page that is no page.
var errNotRead = errors.New("the page was not read")

// errNotAsked is a 304 to a request without a condition.
var errNotAsked = errors.New("answered 304 to a request that set no condition")

func isWall(p *Page) bool { return p.Wall.Kind != NotAWall }

// redirect records a hop and waits where the redirect asks for it.
func (e *errand) redirect(ctx context.Context, p *Page, x *exchange, next *url.URL) (*url.URL, error) {
	from := x.text()
	e.c.observe(ctx, Event{Kind: EventRedirect, URL: from, Status: p.Status, Why: "to " + next.String()})
	p.Hops = append(p.Hops, Hop{URL: from, Status: p.Status, Location: next.String(), At: p.Ended, Took: x.left - *x.budget})
	if x.head.Wait > 0 {
		why := fmt.Sprintf("%s answered %d, %s asks for %v", from, p.Status, x.head.From, x.head.Wait)
		if err := e.pause(ctx, next, x.heard.Add(x.head.Wait), clip(why), x.turn.maxWait()); err != nil {
			return nil, p.fail(wrap(ctx, next, err))
		}
	}
	return next, nil
}

// forbid is the error of a disallowed address.
func (e *errand) forbid(ctx context.Context, u *url.URL, v robots.Verdict) *Error {
	e.c.observe(ctx, Event{Kind: EventForbid, URL: u.String(), Robots: v, Outcome: Disallowed, Why: v.String()})
	return &Error{URL: u.String(), Outcome: Disallowed, Robots: v}
}

// fail marks a page that an error ended, and returns the error.
func (p *Page) fail(err error) error {
	if e, ok := err.(*Error); ok { //nolint:errorlint // the package makes it so, unwrapped
		p.Outcome = e.Outcome
	}
	if w := waitError(err); w != nil {
		p.Opens = w.Until
	}
	if p.Ended.IsZero() {
		p.Ended = time.Now()
	}
	return err
}

// leadsAway reports whether an answer is a redirect to another address. One that leads to
// itself or nowhere may be a wall's, whose body tells.
func (x *exchange) leadsAway() bool {
	if !isRedirect(x.resp.StatusCode) {
		return false
	}
	next, err := location(x.at, x.resp.Header)
	return err == nil && next.String() != x.at.String()
}

// location is where a redirect leads.
func location(from *url.URL, h http.Header) (*url.URL, error) {
	loc := h.Get("Location")
	if loc == "" {
		return nil, ErrBadRedirect
	}
	to, err := urlnorm.Parse(from, loc)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w: %+.80q", ErrBadRedirect, err, redacted(loc))
	case to.User != nil:
		return nil, fmt.Errorf("%w: it holds a user name: %+.80q", ErrBadRedirect, redacted(loc))
	}
	return to, nil
}

// isRedirect reports whether a status may lead elsewhere (RFC 9110 section 15.4).
func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}
