package politefetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// emit yields one page, after those that were read aside, and returns what ends the
// visit, if that does.
func (r *run) emit(ctx context.Context, res result) error {
	r.mu.Lock()
	aside := r.aside
	r.aside = nil
	r.mu.Unlock()
	for _, a := range append(aside, res) {
		if a.notAsked() {
			r.queue.giveBack(a.from)
			continue
		}
		if a.page.Began.IsZero() && (a.page.Outcome == Disallowed || a.page.Outcome == Barred) {
			r.queue.giveBack(a.from) // it took no page's place after all
		}
		if err := r.give(ctx, a.page, a.err); err != nil {
			return err
		}
	}
	return nil
}

// notAsked reports whether an address turned out to be read already, as another's.
func (a result) notAsked() bool {
	return a.err == nil && a.page.Began.IsZero() && len(a.page.Hops) == 0
}

// giveUp yields an error of the start that ends the visit.
func (r *run) giveUp(ctx context.Context, p *Page, err error) error {
	if end := r.give(ctx, p, p.fail(err)); end != nil {
		return end
	}
	return err
}

// give counts and yields one page and returns what ends the visit.
func (r *run) give(ctx context.Context, p *Page, err error) error {
	if r.follow {
		r.addLinks(p)
	}
	if p.URL == r.start.String() {
		r.unread = unread(p, err)
	}
	r.good = r.good || unread(p, err) == nil && p.Final != ""
	r.count(ctx, p, err)
	end := r.ends(p, err)
	if !r.yield(p, err) {
		return errBroken
	}
	return end
}

// unread says why a page does not count as read. A home page that was read although
// robots.txt disallows it doesn't, or a site that turns the bot away would seem visited.
func unread(p *Page, err error) error {
	switch {
	case err != nil:
		return err
	case p.Outcome != Done:
		return &Error{URL: p.URL, Outcome: p.Outcome, Err: fmt.Errorf("answered %d", p.Status)}
	case p.Final == p.URL && !p.Robots.Allowed:
		return &Error{URL: p.URL, Outcome: Disallowed, Robots: p.Robots}
	}
	return nil
}

// isBusy reports whether a status says that the host is busy.
func isBusy(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
}

// gaveUp reports whether a page was asked for in vain, the host being busy.
func gaveUp(p *Page, err error) bool {
	return err == nil && p.Wall.Kind == NotAWall && isBusy(p.Status)
}

// count takes one page into the report.
func (r *run) count(ctx context.Context, p *Page, err error) {
	skipped := gaveUp(p, err)
	if skipped {
		r.skips++
		r.c.observe(ctx, Event{
			Kind: EventSkip, URL: p.URL, Status: p.Status, Outcome: p.Outcome,
			Why: fmt.Sprintf("answered %d at %d tries", p.Status, p.Tries),
		})
	} else if err == nil && p.Final != "" {
		r.skips, r.broken = 0, 0
	}
	if isRelays(err) {
		r.broken++
	}
	r.update(func(rep *Report) {
		rep.Left, _ = r.queue.left()
		rep.Admitted = r.e.proof.admitted()
		if p.Outcome != Done && p.Outcome != "" {
			rep.Opens = later(rep.Opens, p.Opens)
		}
		switch {
		case skipped:
			rep.Skipped++
		case err == nil:
			rep.Pages++
		case p.Outcome == Disallowed:
			rep.Disallowed++
		case p.Outcome == Barred:
			rep.Barred++
		case p.Outcome == "": // interrupted, which is nobody's failure
		default:
			rep.Failed++
		}
	})
}

// ends returns what a page ends the visit with, nil when it goes on.
func (r *run) ends(p *Page, err error) error {
	switch {
	case p.Outcome == Walled:
		if p.Wall.Kind == NotAWall { // it answered for robots.txt, say
			return err
		}
		return &endError{Walled, fmt.Sprintf("a bot wall answered at %s: %s", cmp.Or(p.Final, p.URL), p.Wall)}
	case err != nil && (p.Outcome == "" || waitError(err) != nil || routeClosed(err)):
		return err // the caller's context, a longer wait than is sat out, the bot's own store or relay
	case err != nil && (p.Outcome == NoRobots || p.Outcome == Limited) && (p.URL == r.start.String() || r.ofStart(err)):
		return err
	case r.c.cfg.MaxSkips > 0 && r.broken >= r.c.cfg.MaxSkips:
		return &endError{Failed, fmt.Sprintf("the relay failed at %d pages in a row, the last time so: %s", r.broken, errors.Unwrap(err))}
	case r.c.cfg.MaxSkips > 0 && r.skips >= r.c.cfg.MaxSkips:
		return &endError{Limited, fmt.Sprintf("%d pages in a row were given up, the last for answering %d", r.skips, p.Status)}
	}
	return nil
}

// ofStart reports whether an error is that of an address which the start's robots.txt
// binds.
func (r *run) ofStart(err error) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return false
	}
	u, perr := url.Parse(e.URL)
	return perr == nil && authorityOf(u) == authorityOf(r.start)
}
