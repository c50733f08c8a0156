package politefetch

import (
	"context"
	"fmt"
	"net/url"
)

// open reads the home page where it comes before the sitemaps: because it proves the
// start's host, or because the start is to be read first. It queues the start if that was
// not read. A site may have moved to another of its hosts: at is where its sitemaps are
// looked for.
func (r *run) open(ctx context.Context, start *url.URL) (at *url.URL, err error) {
	at = start
	if r.e.proof != nil {
		if at, err = r.prove(ctx, &url.URL{Scheme: start.Scheme, Host: start.Host, Path: "/"}); err != nil {
			return nil, err
		}
	}
	switch {
	case r.owner(start.String()) != "":
	case r.opts.HomeFirst:
		_, err = r.readFirst(ctx, start)
		if u := finalOf(r.home); u != nil && r.e.proof == nil {
			at = u
		}
	default:
		r.queue.add(start.String(), true)
	}
	return at, err
}

// readFirst reads the page that comes before everything but robots.txt.
func (r *run) readFirst(ctx context.Context, u *url.URL) (result, error) {
	r.queue.reserve()
	rd := r.rd
	if r.opts.HomeFirst && u.String() == r.start.String() {
		rd.exempt = u.String()
	}
	res := r.read(ctx, waiting{u.String(), true}, rd)
	r.home = res.page
	return res, r.emit(ctx, res)
}

// finalOf is the address that answered; nil when none did.
func finalOf(p *Page) *url.URL {
	if u, err := url.Parse(p.Final); err == nil && p.Final != "" {
		return u
	}
	return nil
}

// prove reads the start's home page first, because nothing else may be read before it.
func (r *run) prove(ctx context.Context, home *url.URL) (*url.URL, error) {
	res, err := r.readFirst(ctx, home)
	if err != nil {
		return nil, err
	}
	p, at := res.page, home
	if u := finalOf(p); u != nil {
		at = u
	}
	a, begun := r.e.proof.of(at.Hostname())
	switch admitted := begun && a.settled() && a.err == nil; {
	case res.err != nil:
		return nil, res.err
	case p.Outcome != Done:
		return nil, &endError{p.Outcome, fmt.Sprintf("the home page of %s answered %d", at.Hostname(), p.Status)}
	case !admitted && begun && a.settled():
		return nil, &endError{Barred, fmt.Sprintf("%s was not admitted: %s", at.Hostname(), a.err)}
	case !admitted:
		return nil, &endError{Barred, fmt.Sprintf("%s was not admitted: its home page proved nothing", at.Hostname())}
	}
	return at, nil
}

// readHome reads a home page that a host in between is to be admitted by. It takes a
// page's place, and is yielded later, in its turn.
func (r *run) readHome(ctx context.Context, addr string) {
	if r.owner(addr) != "" || !r.queue.reserve() {
		return
	}
	rd := r.rd
	rd.nested = true
	res := r.read(ctx, waiting{addr, true}, rd)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.aside = append(r.aside, res)
}
