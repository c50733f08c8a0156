package politefetch

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

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
