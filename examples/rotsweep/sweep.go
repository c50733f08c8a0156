package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/ratepolicy"
)

const (
	workers = 32               // domains that are asked at a time
	sitsOut = 30 * time.Second // the longest pause that a sweep sits out for a domain that asked for it
	longest = 10 * time.Minute // and for a domain's turn: a Crawl-delay, say
	awake   = time.Minute      // the longest sleep, since a machine may be suspended under it

	storeAgain = 2 * time.Second // after the bot's own store failed
	storeTries = 10              // in a row, and a sweep gives up
)

// A sweeper asks for links when their domains may be asked: each once in a sweep, or
// again and again in a watch. Its own state belongs to the goroutine that runs it.
type sweeper struct {
	bot   *politefetch.Crawler
	state state
	rules rules
	watch bool
	began time.Time
	name  string // that its claims are held under

	queue  queue
	flying int
	failed int   // requests in a row that the bot's own store did not let go out
	shared int   // links that another run was found checking
	err    error // why the sweep gave up

	told  func(*link) // a link's verdict is there
	show  func()      // what is going on has changed
	other func(*link) // another run on the state is checking a link, the first of such
	wrong func(error) // the bot's own store failed
	lost  func(error) // a link's record could not be read or written; from any goroutine
}

// A result is what came of asking for a link.
type result struct {
	lane  *lane
	link  *link
	page  *politefetch.Page
	wait  *ratepolicy.WaitError // whose turn has not come; nil: the link was judged
	final bool                  // it is not asked for again in this sweep
	ended bool                  // by an interrupt: nothing was learnt
	taken bool                  // another run is checking it: its verdict is there soon
	store error                 // of the bot's own memory: nothing was learnt either
}

// start puts the links in line. What is not due yet in a sweep of its own has its verdict
// already.
func (s *sweeper) start(links []*link) {
	s.began, s.name = time.Now(), rand.Text()
	for _, l := range links {
		switch {
		case l.bad != nil:
			l.Verdict, l.Why, l.news = broken, l.bad.Error(), true
			if errors.Is(l.bad, errStray) {
				l.Verdict = barred
			}
			s.tell(l)
		case s.watch:
			l.at, l.swept = l.Next, l.Verdict != ""
			s.queue.add(l.key(), l)
		case l.waits(s.began):
			s.tell(l)
		default:
			s.queue.add(l.key(), l)
		}
	}
}

func (s *sweeper) tell(l *link) {
	l.swept = true
	s.told(l)
}

// run sweeps until every link has its verdict, or watches until ctx ends. No request is
// under way when it returns.
func (s *sweeper) run(ctx context.Context) {
	defer s.letGo(ctx)
	results := make(chan result)
	stop := ctx.Done()
	for s.flying > 0 || len(s.queue.rows) > 0 && ctx.Err() == nil && s.err == nil {
		for ctx.Err() == nil && s.err == nil && s.flying < workers {
			la, l := s.queue.take(time.Now())
			if la == nil {
				break
			}
			s.flying++
			go func() { results <- s.ask(ctx, la, l) }()
		}
		var wake <-chan time.Time
		var timer *time.Timer
		s.show()
		if next := s.queue.first(); next != nil && s.flying < workers {
			timer = time.NewTimer(min(time.Until(next.due), awake))
			wake = timer.C
		}
		select {
		case r := <-results:
			s.flying--
			s.settle(&r)
		case <-wake:
		case <-stop:
			stop = nil // what is under way ends by itself
		}
		if timer != nil {
			timer.Stop()
		}
	}
}

// letGo gives back the claims of checks that had to wait when the sweep ended.
func (s *sweeper) letGo(ctx context.Context) {
	for _, la := range s.queue.lanes {
		for _, l := range la.links {
			if l.claimed {
				s.state.release(ctx, l.URL, s.name)
			}
		}
	}
}

// ask checks a link, unless another run on the same state does, or has done so meanwhile.
func (s *sweeper) ask(ctx context.Context, la *lane, l *link) result {
	mine, err := s.state.claim(ctx, l.URL, s.name, time.Now().Add(claimFor))
	switch {
	case err != nil && ctx.Err() != nil:
		return result{lane: la, link: l, ended: true}
	case err != nil:
		return result{lane: la, link: l, store: fmt.Errorf("%w: %w", politefetch.ErrStore, err)}
	case !mine:
		l.claimed = false
		return result{lane: la, link: l, taken: true}
	}
	r := s.check(ctx, la, l)
	l.claimed = r.wait != nil && !r.final // nobody else is to begin its chain anew
	if l.claimed {
		_, err = s.state.claim(ctx, l.URL, s.name, r.wait.Until.Add(claimFor))
	}
	if !l.claimed || err != nil {
		s.state.release(ctx, l.URL, s.name)
	}
	return r
}

// check checks a link that the run has claimed.
func (s *sweeper) check(ctx context.Context, la *lane, l *link) result {
	r := result{lane: la, link: l, final: true}
	known := record{}
	if err := s.state.load(l.URL, &known); err != nil {
		s.lost(err)
	}
	if known.Checked.After(l.Checked) {
		l.record = known
		if !s.watch && known.Checked.After(s.began) || s.watch && known.Next.After(time.Now()) {
			return r
		}
	}
	var err error
	r.page, err = s.bot.Fetch(ctx, l.URL, monitoring(l))
	w, waits := errors.AsType[*ratepolicy.WaitError](err)
	switch {
	case err != nil && ctx.Err() != nil:
		return result{lane: la, link: l, ended: true}
	case errors.Is(err, politefetch.ErrStore):
		return result{lane: la, link: l, store: err}
	case waits:
		r.wait, r.final = w, s.tooLong(w)
		l.pause(r.page)
		if r.final {
			l.hold(w)
		}
	default:
		l.judge(r.page, err, &s.rules)
	}
	if r.final {
		if err := s.state.save(&l.record); err != nil {
			s.lost(err)
		}
	}
	return r
}

// tooLong reports whether a turn lies so far ahead that the link's verdict is to say so.
func (s *sweeper) tooLong(w *ratepolicy.WaitError) bool {
	most := longest
	if w.Held {
		most = sitsOut
	}
	return time.Until(w.Until) > most
}

// settle says what becomes of a link that was asked for, and of its domain's line.
func (s *sweeper) settle(r *result) {
	l, la := r.link, r.lane
	defer s.queue.giveBack(la)
	switch {
	case r.ended:
		return
	case r.taken:
		if s.shared++; s.shared == 1 {
			s.other(l)
		}
		l.at = time.Now().Add(claimAgain)
		return
	case r.store != nil:
		if s.failed++; s.failed == 1 {
			s.wrong(r.store)
		}
		if s.failed >= storeTries && !s.watch {
			s.err = r.store
		}
		l.at = time.Now().Add(storeAgain)
		return
	}
	s.failed = 0
	if r.wait == nil && r.page != nil && siteOf(r.page.Final) == la.key && time.Until(r.page.Opens) <= sitsOut {
		la.opens = r.page.Opens // a longer pause is each link's verdict: the crawler says why
	}
	line := la.key // where it goes on
	if w := r.wait; w != nil && w.Key == la.key {
		if !r.final {
			la.opens = w.Until
		}
	} else if w != nil { // a redirect led to another domain, or back
		line, l.at = w.Key, w.Until
	}
	if r.final {
		s.tell(l)
		if !s.watch {
			la.remove(l)
			return
		}
		l.at = l.Next
		if r.wait == nil {
			line = l.key()
		}
	}
	if line != la.key {
		la.remove(l)
		s.queue.add(line, l)
	}
}

// siteOf is the domain of an address; "": none.
func siteOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || address == "" {
		return ""
	}
	return politefetch.SiteKey(u)
}
