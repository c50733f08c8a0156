package politefetch

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"
)

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
			r.claimFinal(p, rd.owner, err)
			r.e.proof.conclude(ctx, p, &rd, err)
			return result{page: p, err: err, from: w}
		}
		p = &Page{URL: p.URL, Hops: p.Hops, Tries: p.Tries, Began: p.Began} // the hops need no second request
	}
}

// claimFinal marks the address that a relay's redirects led to: it is not asked for again.
// What was read there already, or is being read, is left to be read for itself.
func (r *run) claimFinal(p *Page, owner string, err error) {
	if err == nil && p.Relayed && p.Outcome == Done && p.Final != p.URL && !r.claim(p.Final, owner) {
		p.Final, p.Body, p.summary = "", nil, nil
	}
}
