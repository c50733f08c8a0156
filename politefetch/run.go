package politefetch

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/politefetch/sdk/internal/urlnorm"
	"github.com/politefetch/sdk/ratepolicy"
)

// run is one range over a visit's pages.
type run struct {
	*Visit
	e     *errand
	yield func(*Page, error) bool
	rd    reading

	queue  frontier
	home   *Page // read before it was known whether links are followed
	unread error // why the start was not read
	follow bool  // links, because there is no sitemap
	skips  int   // pages given up in a row

	mu    sync.Mutex // guards asked and aside
	asked map[string]bool
	aside []result // home pages that were read to admit their hosts, not yet yielded
}

type result struct {
	page *Page
	err  error
}

func newRun(v *Visit, yield func(*Page, error) bool) *run {
	r := &run{Visit: v, yield: yield, asked: make(map[string]bool), queue: newFrontier(v.opts.MaxPages)}
	r.rd = reading{accept: acceptAny, keep: !v.opts.DropBodies, htmlOnly: v.opts.HTMLOnly}
	if r.rd.htmlOnly {
		r.rd.accept = acceptHTML
	}
	key := v.c.cfg.Key(v.start) // one pace for all of the visit's hosts
	r.e = &errand{
		c: v.c, lim: v.c.lim.Visit(), key: func(*url.URL) string { return key },
		scope: v.inHosts, tries: v.c.cfg.Tries, claim: r.claim,
		limited: func() { v.update(func(rep *Report) { rep.Limited = true }) },
	}
	if v.c.cfg.Admit != nil {
		r.e.proof = &proof{c: v.c, ask: v.c.cfg.Admit, home: r.readHome, turn: make(chan struct{}, 1), hosts: make(map[string]admission)}
	}
	return r
}

// do makes the visit.
func (r *run) do(ctx context.Context) {
	r.e.since = time.Now()
	r.update(func(rep *Report) { rep.Began = r.e.since })
	err := r.stages(ctx)
	r.end(ctx, err)
}

// stages are robots.txt, the home page where it proves the host, the sitemaps, and the
// pages. An error is what ended the visit early.
func (r *run) stages(ctx context.Context) error {
	status, err := r.e.lim.Status(ctx, r.e.key(r.start))
	if err != nil {
		return r.giveUp(ctx, &Page{URL: r.start.String()}, wrap(ctx, r.start, err))
	}
	r.update(func(rep *Report) { rep.Gentle = status.Mode != ratepolicy.ModeNormal })
	start, err := r.e.pass(ctx, r.start.String())
	if err != nil {
		return r.giveUp(ctx, &Page{URL: r.start.String()}, err)
	}
	file, err := r.e.robots(ctx, start)
	if file != nil {
		r.update(func(rep *Report) { rep.Robots = file.verdict(start) })
	}
	if err != nil {
		return r.giveUp(ctx, &Page{URL: start.String()}, err)
	}
	r.queue.add(start.String(), true)
	if r.e.proof != nil {
		home := &url.URL{Scheme: start.Scheme, Host: start.Host, Path: "/"}
		if start, err = r.prove(ctx, home); err != nil {
			return err
		}
	}
	if err := r.sitemaps(ctx, start); err != nil {
		return err
	}
	if r.follow && r.home != nil {
		r.addLinks(r.home)
	}
	return r.crawl(ctx)
}

// prove reads the start's home page first, because nothing else may be read before it. A
// site may have moved to another of its hosts: its sitemaps are then looked for there.
func (r *run) prove(ctx context.Context, home *url.URL) (*url.URL, error) {
	r.claim(home.String())
	res := r.read(ctx, home.String())
	at := home
	if u, err := url.Parse(res.page.Final); err == nil && res.page.Final != "" {
		at = u
	}
	r.home = res.page
	if err := r.emit(ctx, res); err != nil {
		return nil, err
	}
	if a, ok := r.e.proof.settled(at.Hostname()); !ok || a.err != nil {
		return nil, &endError{Barred, fmt.Sprintf("%s was not admitted: %s", at.Hostname(), why(a.err, res.err))}
	}
	return at, nil
}

func why(errs ...error) string {
	for _, err := range errs {
		if err != nil {
			return err.Error()
		}
	}
	return "its home page proved nothing"
}

// readHome reads a home page that a host in between is to be admitted by. It is yielded
// later, in its turn.
func (r *run) readHome(ctx context.Context, addr string) {
	if !r.claim(addr) {
		return
	}
	rd := r.rd
	rd.nested = true
	p := &Page{URL: addr}
	err := r.e.follow(ctx, p, rd)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.aside = append(r.aside, result{p, err})
}

// claim marks an address as asked for and reports whether it was not before: one step, so
// that no address is asked for twice.
func (r *run) claim(addr string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asked[addr] {
		return false
	}
	r.asked[addr] = true
	return true
}

// crawl reads the queue, as many pages at once as the policy allows, and yields them in
// the queue's order.
func (r *run) crawl(ctx context.Context) error {
	working, cancel := context.WithCancel(ctx)
	var g errgroup.Group
	defer func() { _ = g.Wait() }() // results travel by channel
	defer cancel()
	var flying []chan result
	for {
		for len(flying) < max(r.c.cfg.Policy.Normal.Concurrency, 1) {
			addr, ok := r.next()
			if !ok {
				break
			}
			out := make(chan result, 1)
			flying = append(flying, out)
			g.Go(func() error {
				out <- r.read(working, addr)
				return nil
			})
		}
		if len(flying) == 0 {
			return nil
		}
		res := <-flying[0]
		flying = flying[1:]
		if err := r.emit(ctx, res); err != nil {
			return err
		}
	}
}

// next takes the next address off the queue that was not asked for already.
func (r *run) next() (string, bool) {
	for {
		w, ok := r.queue.take()
		if !ok {
			return "", false
		}
		if r.claim(w.addr) {
			return w.addr, true
		}
		r.queue.giveBack(w) // it was read as a redirect's end
	}
}

// read asks for one address, again while it is limited and tries last. A wait that is too
// long comes back as an error.
func (r *run) read(ctx context.Context, addr string) result {
	p := &Page{URL: addr}
	for {
		err := r.e.follow(ctx, p, r.rd)
		if !gaveUp(p, err) || p.Tries >= r.c.cfg.Tries {
			return result{p, err}
		}
		p = &Page{URL: p.URL, Tries: p.Tries, Began: p.Began}
	}
}

// addLinks queues what a page links to.
func (r *run) addLinks(p *Page) {
	s := p.Summary()
	if p.Outcome != Done || p.Status != 200 || s.NoFollow {
		return
	}
	for _, l := range s.Links {
		if !l.NoFollow {
			r.found(l.URL)
		}
	}
	r.update(func(rep *Report) { rep.Left = r.queue.left() })
}

// found queues an address that a sitemap or a page names, if it is the visit's. It
// reports whether it was.
func (r *run) found(addr string) bool {
	u, err := urlnorm.Parse(nil, addr)
	if err != nil || r.inHosts(u) != nil || !r.wants(u) {
		return false
	}
	allowed := true
	if file := r.c.copies.peek(r.e, u); file != nil {
		allowed = file.verdict(u).Allowed
	}
	r.queue.add(u.String(), allowed)
	return true
}

// endError ends a visit for a reason that is no error of one address.
type endError struct {
	outcome Outcome
	why     string
}

func (e *endError) Error() string { return e.why }

// errBroken says that the caller's loop ended.
var errBroken = errors.New("the caller's loop ended")

// end settles the report.
func (r *run) end(ctx context.Context, err error) {
	outcome, text := Done, "every address was asked for"
	left := r.queue.left()
	if left > 0 {
		text = fmt.Sprintf("the limit of %d pages was reached", r.opts.MaxPages)
	}
	opens := time.Time{}
	if e, ok := errors.AsType[*endError](err); ok {
		outcome, text = e.outcome, e.why
	} else if err != nil {
		outcome, text = outcomeOfError(err), err.Error()
	}
	if w := waitError(err); w != nil {
		opens = w.Until
	}
	if cerr := context.Cause(ctx); cerr != nil {
		outcome, text = "", "interrupted: "+cerr.Error()
	}
	if outcome == Done && r.unread != nil && r.Report().Pages == 0 {
		outcome, text = outcomeOfError(r.unread), r.unread.Error()
	}
	if err == nil && ctx.Err() == nil {
		if serr := r.e.lim.End(ctx); serr != nil {
			outcome, text = Failed, serr.Error()
		}
	}
	r.update(func(rep *Report) {
		rep.Ended, rep.Outcome, rep.Why, rep.Left = time.Now(), outcome, clip(text), left
		rep.Admitted = r.e.proof.admitted()
		if opens.After(rep.Opens) {
			rep.Opens = opens
		}
	})
	r.c.observe(ctx, Event{Kind: EventEnd, URL: r.start.String(), Key: r.e.key(r.start), Outcome: outcome, Why: text, Until: r.Report().Opens})
}
