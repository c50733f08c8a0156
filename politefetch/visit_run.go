package politefetch

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"sync/atomic"
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

	queue  *frontier
	home   *Page // read before it was known whether links are followed
	unread error // why the start was not read
	good   bool  // some page was
	follow bool  // links, because there is no sitemap
	skips  int   // pages given up in a row
	broken int   // pages in a row at which the relay failed

	serial atomic.Bool // a page answered 429 or 503: one page at a time

	mu    sync.Mutex        // guards asked and aside
	asked map[string]string // addresses asked for, and the queued address that this was for
	aside []result          // home pages that were read to admit their hosts, not yet yielded
}

// result is what came of one address.
type result struct {
	page     *Page
	err      error
	from     waiting
	panicked any
}

func newRun(v *Visit, yield func(*Page, error) bool) *run {
	r := &run{Visit: v, yield: yield, asked: make(map[string]string), queue: newFrontier(v.opts.MaxPages)}
	r.rd = reading{accept: acceptAny, keep: !v.opts.DropBodies, htmlOnly: v.opts.HTMLOnly, page: true}
	if r.rd.htmlOnly {
		r.rd.accept = acceptHTML
	}
	r.e = &errand{
		c: v.c, lim: v.c.lim.Visit(), siteKey: v.c.cfg.Key(v.start), // one pace for all of the visit's hosts
		scope: v.inHosts, copies: make(map[string]*robotsCopy), tries: v.c.cfg.Tries, claim: r.claim, wants: v.notWanted,
		limited: func() { v.update(func(rep *Report) { rep.Limited = true }) },
		asked:   func(opens time.Time) { v.update(func(rep *Report) { rep.Opens = later(rep.Opens, opens) }) },
		relayed: func() { v.update(func(rep *Report) { rep.Relayed = true }) },
		got:     func(n int64) { v.update(func(rep *Report) { rep.Received += n }) },
	}
	r.e.via = r.e.relay()
	if v.c.cfg.Admit != nil {
		r.e.proof = &proof{c: v.c, ask: v.c.cfg.Admit, home: r.readHome, turn: make(chan struct{}, 1), hosts: make(map[string]*admission)}
	}
	return r
}

// do makes the visit.
func (r *run) do(ctx context.Context) {
	r.update(func(rep *Report) { rep.Began = time.Now() })
	err := errBroken // unless the stages return: the caller's loop may panic
	defer func() { r.end(ctx, err) }()
	err = r.stages(ctx)
}

// stages are robots.txt, the home page where it comes first, the sitemaps, llms.txt, and
// the pages. An error is what ended the visit early.
func (r *run) stages(ctx context.Context) error {
	status, err := r.e.lim.Status(ctx, r.e.siteKey)
	if err != nil {
		return r.giveUp(ctx, &Page{URL: r.start.String()}, wrap(ctx, r.start, &storeError{err}))
	}
	r.update(func(rep *Report) { rep.Gentle = status.Mode == ratepolicy.ModeGentle })
	start, err := r.e.pass(ctx, r.start.String())
	if err != nil {
		return r.giveUp(ctx, &Page{URL: r.start.String()}, err)
	}
	file, err := r.e.robots(ctx, start)
	p := &Page{URL: start.String()}
	if file != nil {
		p.Robots, p.Opens = file.verdict(start), file.opens
		r.update(func(rep *Report) { rep.Robots = p.Robots })
	}
	if err != nil {
		return r.giveUp(ctx, p, err)
	}
	at, err := r.open(ctx, start)
	if err != nil {
		return err
	}
	if err := r.sitemaps(ctx, at); err != nil {
		return err
	}
	if r.follow && r.home != nil {
		r.addLinks(r.home)
	}
	if r.opts.LLMs {
		if err := r.llms(ctx, at); err != nil {
			return err
		}
	}
	return r.crawl(ctx)
}

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

// claim marks an address as asked for on behalf of owner, a queued address, and reports
// whether it may be: it was not asked for, or by the same owner. It is one step, so that
// no address is asked for twice.
func (r *run) claim(addr, owner string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asked[addr] == "" {
		r.asked[addr] = owner
	}
	return r.asked[addr] == owner
}

// owner returns the queued address that addr was asked for on behalf of; "" if it was not.
func (r *run) owner(addr string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked[addr]
}

// crawl reads the queue, as many pages at once as the policy allows, and yields them in
// the queue's order.
func (r *run) crawl(ctx context.Context) (err error) {
	working, cancel := context.WithCancel(ctx)
	var g errgroup.Group
	var flying []chan result
	defer func() {
		cancel()
		_ = g.Wait() // results travel by channel
		for _, ch := range flying {
			res := <-ch
			r.count(ctx, res.page, res.err) // it was asked for, though it is not yielded
			if errors.Is(err, errHalted) && (res.page.Outcome == Walled || waitError(res.err) != nil) {
				err = r.ends(res.page, res.err) // the wall or the wait itself, not what it stopped
			}
		}
	}()
	for {
		if len(flying) == 0 && r.workers() == 1 { // there is nothing to be done beside it
			w, ok := r.next()
			if !ok {
				return nil
			}
			if err := r.emit(ctx, r.read(ctx, w, r.rd)); err != nil {
				return err
			}
			continue
		}
		for len(flying) < r.workers() {
			w, ok := r.next()
			if !ok {
				break
			}
			out := make(chan result, 1)
			flying = append(flying, out)
			g.Go(func() error {
				r.readInto(working, w, out)
				return nil
			})
		}
		if len(flying) == 0 {
			return nil
		}
		res := <-flying[0]
		flying = flying[1:]
		if res.panicked != nil {
			panic(res.panicked) // of the caller's own functions: where the caller can recover it
		}
		if err := r.emit(ctx, res); err != nil {
			return err
		}
	}
}

// workers is how many pages are read at once. The limiter allows fewer where fewer are
// due; but once the site is busy, no page is begun before it is clear whether the one
// before it was the last.
func (r *run) workers() int {
	if r.serial.Load() {
		return 1
	}
	n := r.c.cfg.Policy.Normal.Concurrency
	if r.c.cfg.Relay != nil {
		n = max(n, r.c.cfg.Policy.Relay.Concurrency)
	}
	return max(n, 1)
}

// readInto sends what came of an address, whatever the caller's functions do.
func (r *run) readInto(ctx context.Context, w waiting, out chan<- result) {
	res := result{page: &Page{URL: w.addr}, err: &Error{URL: w.addr, Outcome: Failed, Err: errGone}, from: w}
	defer func() {
		res.panicked = recover()
		out <- res
	}()
	res = r.read(ctx, w, r.rd)
}

// errGone is what a page ends with whose goroutine one of the caller's functions ended.
var errGone = errors.New("one of the bot's own functions ended its goroutine")

// next takes the next address off the queue that was not asked for already.
func (r *run) next() (waiting, bool) {
	for {
		w, ok := r.queue.take()
		if !ok || r.owner(w.addr) == "" {
			return w, ok
		}
		r.queue.giveBack(w) // it was read as a redirect's end
	}
}

// read asks for one address, again while it is limited and tries last. A wait that is too
// long comes back as an error.
func (r *run) read(ctx context.Context, w waiting, rd reading) result {
	p := &Page{URL: w.addr}
	if rd.owner = w.addr; rd.nested {
		rd.owner = "proof " + w.addr
	}
	for {
		err := r.e.follow(ctx, p, &rd)
		if gaveUp(p, err) {
			r.serial.Store(true)
		}
		if !gaveUp(p, err) || p.Tries >= r.c.cfg.Tries || rd.asks.spent(r.c.cfg.Asks) || r.e.halted.Load() {
			r.claimFinal(p, err)
			r.e.proof.conclude(ctx, p, &rd, err)
			return result{page: p, err: err, from: w}
		}
		p = &Page{URL: p.URL, Hops: p.Hops, Tries: p.Tries, Began: p.Began} // the hops need no second request
	}
}

// claimFinal marks the address that a relay's redirects led to: it is not asked for again.
// What was read there already, or is being read, is left to be read for itself.
func (r *run) claimFinal(p *Page, err error) {
	if err == nil && p.Relayed && p.Outcome == Done && p.Final != p.URL && !r.claim(p.Final, p.URL) {
		p.Final, p.Body, p.summary = "", nil, nil
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
}

// found queues an address that a sitemap or a page names, if it is the visit's. It
// reports whether it was.
func (r *run) found(addr string) bool {
	u, err := urlnorm.Parse(nil, addr)
	if err != nil || r.inHosts(u) != nil || !r.wanted(u, r.opts.HTMLOnly) {
		return false
	}
	allowed := true
	if file := r.c.copies.peek(r.e, u); file != nil {
		allowed = file.verdict(u).Allowed
	}
	r.queue.add(u.String(), allowed)
	return true
}
