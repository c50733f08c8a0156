package politefetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/politefetch/sdk/internal/botwall"
	"github.com/politefetch/sdk/robots"
)

// askRobots asks for u's robots.txt, following up to five redirects (RFC 9309 section
// 2.3.1.2), each through the whole path. What can't be had becomes a copy that allows
// nothing; the error is for what is not the site's doing: a context's end, a wait, a
// refused address, another process that asks.
func (e *errand) askRobots(ctx context.Context, u *url.URL, old *robotsCopy, mine *claim) (*robotsCopy, error) {
	at := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}
	budget := e.c.cfg.Timeout
	q := &query{
		method: http.MethodGet, accept: acceptRobots, max: maxRobotsBody + 1, // one more tells that it was cut
		delay: old.delay(), budget: &budget, header: old.conditional(), claim: mine,
	}
	r, err := e.robotsAt(ctx, at, q, old)
	if err != nil {
		if ctx.Err() != nil || waitError(err) != nil || isStore(err) || isRelays(err) || errors.Is(err, errClaimed) {
			return nil, err
		}
		if out := wrap(ctx, at, err); out.Outcome == Barred && !q.routed {
			return nil, out
		}
		r = &robotsCopy{err: err, wall: relayWall(err)}
	}
	if r.file == nil {
		r.file = robots.FromStatus(0, nil)
	}
	r.at, r.asked = at, time.Now()
	r.file = r.file.For(at) // it speaks for where it was asked for, not for where redirects led
	r.group = r.file.Group(e.c.cfg.Product)
	r.fresh = later(r.fresh, r.asked.Add(e.leastFresh(r)))
	if r.err != nil {
		r.err = fmt.Errorf("GET %s: %w", at, r.err)
	}
	ev := Event{Kind: EventRobots, URL: at.String(), Status: r.status, Why: "read"}
	if r.err != nil {
		ev.Why, ev.Outcome = r.err.Error(), NoRobots
	}
	e.c.observe(ctx, ev)
	return r, nil
}

// robotsAt follows robots.txt's redirects to the copy at their end.
func (e *errand) robotsAt(ctx context.Context, at *url.URL, q *query, old *robotsCopy) (*robotsCopy, error) {
	seen := make(map[string]bool)
	for hop := 0; ; hop++ {
		seen[at.String()] = true
		to, err := e.pass(ctx, at.String())
		if err != nil {
			if hop == 0 || ended(ctx, err) {
				return nil, err
			}
			return &robotsCopy{err: fmt.Errorf("redirect to an address that may not be asked: %w", errors.Unwrap(err))}, nil
		}
		r, next, err := e.robotsOnce(ctx, to, q, old)
		if err != nil {
			return nil, err
		}
		if next == nil {
			if hop > 0 {
				r.etag, r.modified = "", "" // a validator is good for the address that gave it
			}
			return r, nil
		}
		if hop == robotsHops || seen[next.String()] {
			return unavailable(), nil
		}
		at, q.header, old = next, nil, nil
	}
}

// robotsOnce asks one address for a robots.txt; a 429 again, as long as the errand's
// tries last. It returns where a redirect leads.
func (e *errand) robotsOnce(ctx context.Context, u *url.URL, q *query, old *robotsCopy) (*robotsCopy, *url.URL, error) {
	for try := 1; ; try++ {
		x, err := e.open(ctx, u, q)
		if err != nil {
			return nil, nil, err
		}
		r, next := x.readRobots(old)
		if r.err != nil {
			r.wait = x.head.Wait
		}
		if err := x.close(ctx, r.wall); err != nil {
			return nil, nil, err
		}
		r.opens = x.opens
		if r.status != http.StatusTooManyRequests || r.wall.Kind != botwall.NotAWall || try >= e.tries || q.asks.spent(e.c.cfg.Asks) {
			return r, next, nil
		}
	}
}

// unavailable is the copy of a robots.txt whose redirects lead nowhere: as if there were
// none (RFC 9309 section 2.3.1.2).
func unavailable() *robotsCopy {
	const status = http.StatusNotFound
	return &robotsCopy{status: status, file: robots.FromStatus(status, nil), fresh: freshUntil(nil), body: []byte{}, size: copySize(0)}
}

// readRobots reads an answer as a robots.txt. A wall in its place must not pass for a
// file without rules, nor half a file for a whole one.
func (x *exchange) readRobots(old *robotsCopy) (*robotsCopy, *url.URL) {
	status, h := x.resp.StatusCode, x.resp.Header
	r := &robotsCopy{status: status}
	if status == http.StatusNotModified && x.conditional {
		same := *old
		same.fresh, same.wait = freshUntil(h), 0
		return &same, nil
	}
	var body []byte
	var err error
	if !x.leadsAway() {
		body, err = io.ReadAll(x.body)
	}
	if r.wall = botwall.Detect(status, h, body); r.wall.Kind != botwall.NotAWall {
		r.err = fmt.Errorf("a bot wall answered: %s", wallOf(r.wall))
		return r, nil
	}
	switch {
	case isRedirect(status):
		next, err := location(x.at, h)
		switch {
		case err == nil:
			return r, next
		case h.Get("Location") == "":
			return unavailable(), nil // it leads nowhere
		}
		r.err = err
		return r, nil
	case status/100 == 2 && err != nil:
		r.err = fmt.Errorf("the answer broke off: %w", err)
		return r, nil
	default:
		r.file = robots.FromStatus(status, body)
	}
	if r.file.Unreachable() {
		r.err = fmt.Errorf("answered %d", status)
		return r, nil
	}
	if !x.turn.relayed { // a provider's copy may be another's
		r.etag, r.modified = h.Get("ETag"), h.Get("Last-Modified")
	}
	r.fresh, r.size = freshUntil(h), copySize(len(body))
	if r.body = body; status/100 != 2 || body == nil {
		r.body = []byte{}
	}
	return r, nil
}

// freshUntil reads Cache-Control and Expires: at most a day (RFC 9309 section 2.4).
func freshUntil(h http.Header) time.Time {
	now := time.Now()
	fresh := robotsFresh
	if t, err := http.ParseTime(h.Get("Expires")); err == nil {
		fresh = t.Sub(now)
	}
	for field := range strings.SplitSeq(strings.Join(h.Values("Cache-Control"), ","), ",") {
		name, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(field)), "=")
		switch name {
		case "no-cache", "no-store":
			fresh = 0
		case "max-age":
			if n, err := strconv.ParseUint(strings.Trim(value, `"`), 10, 31); err == nil {
				fresh = time.Duration(n) * time.Second
			}
		}
	}
	return now.Add(min(fresh, robotsFresh))
}

// leastFresh is how long a copy is used in any case: a minute, and longer than the longest
// pause between two requests, or a caller that does not wait would never find robots.txt
// fresh when the turn for a page has come. Only a pause of a day takes it past the day of
// RFC 9309 section 2.4.
func (e *errand) leastFresh(r *robotsCopy) time.Duration {
	p := e.c.cfg.Policy
	pause := max(r.delay(), p.Normal.Delay, p.Gentle.Delay)
	if pause < robotsFresh {
		return max(time.Minute, min(2*pause, robotsFresh))
	}
	return 2 * pause
}
