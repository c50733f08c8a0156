package politefetch

import (
	"container/list"
	"context"
	"errors"
	"net/url"
	"sync"
	"time"

	"github.com/politefetch/sdk/internal/botwall"
	"github.com/politefetch/sdk/ratepolicy"
	"github.com/politefetch/sdk/robots"
)

// Limits of the robots.txt copies.
const (
	maxRobotsBody = robots.MaxBytes     // RFC 9309 section 2.5: at least 500 KiB must be read
	robotsFresh   = 24 * time.Hour      // RFC 9309 section 2.4: not longer
	robotsLast    = 30 * 24 * time.Hour // RFC 9309 section 2.3.1.4: how long a copy stands in for a file that can't be had
	robotsRetry   = time.Minute         // before a robots.txt that could not be had is asked for again; doubles
	robotsRetries = 10 * time.Minute    // up to this
	robotsHops    = 5                   // RFC 9309 section 2.3.1.2: at least five redirects
	robotsMemory  = 64 << 20            // bytes of compiled files kept
	slotSize      = 1 << 10             // about what it takes to remember that a file can't be had
)

// A robotsCopy is what came of asking for one robots.txt. It is immutable.
type robotsCopy struct {
	file     *robots.File
	group    *robots.Group // the bot's
	at       *url.URL      // where it is
	status   int
	wall     botwall.Wall
	err      error // why it can't be had; nil: file holds its rules
	etag     string
	modified string
	wait     time.Duration // that the answer asked for
	opens    time.Time     // when the host may be asked again
	asked    time.Time     // when it was had, or found unchanged
	fresh    time.Time     // until when it is used without asking again
	body     []byte        // on its way to the store
	size     int           // in memory, about
}

func (r *robotsCopy) verdict(u *url.URL) robots.Verdict { return r.group.Test(u) }

// delay is the Crawl-delay that the file asks for.
func (r *robotsCopy) delay() time.Duration {
	if r == nil {
		return 0
	}
	d, _ := r.group.CrawlDelay()
	return d
}

// robotsCopies keeps the robots.txt of every scheme, host and port that was asked for:
// compiled in memory, the least recently used first to go, and as text in the bot's
// Store, for its other processes and its next start.
type robotsCopies struct {
	store   ratepolicy.Store // nil: memory alone
	product string

	mu    sync.Mutex
	slots map[string]*robotsSlot
	order list.List // of *robotsSlot, the latest used in front
	size  int
}

// A robotsSlot is the place of one robots.txt. Whoever holds turn may ask for it, so that
// it is asked for once however many wait. The rest is guarded by robotsCopies.mu.
type robotsSlot struct {
	authority string
	turn      chan struct{}
	elem      *list.Element
	last      *robotsCopy // what came of asking last
	good      *robotsCopy // the last that could be had
	failures  int         // in a row
}

func newRobotsCopies(store ratepolicy.Store, product string) *robotsCopies {
	return &robotsCopies{store: store, product: product, slots: make(map[string]*robotsSlot)}
}

// get returns the copy of u's robots.txt, asking for it unless there is one that the
// errand may use. The error is a context's end, a wait, a refusal of the address, or the
// store's.
func (c *robotsCopies) get(ctx context.Context, e *errand, u *url.URL) (*robotsCopy, error) {
	s := c.slot(authorityOf(u))
	if r := c.usable(s, e); r != nil {
		return r, nil
	}
	if err := c.enter(ctx, e, s, u); err != nil {
		return nil, err
	}
	defer func() { <-s.turn }()
	if r := c.usable(s, e); r != nil { // somebody asked while we waited
		return r, nil
	}
	mine := &claim{c: c, e: e, s: s, began: time.Now()}
	defer mine.giveUp(ctx)
	for {
		good, err := c.lastGood(ctx, e, s)
		if err != nil {
			return nil, err
		}
		if r := c.usable(s, e); r != nil { // another process asked
			return r, nil
		}
		r, err := e.askRobots(ctx, u, good, mine)
		switch {
		case err == nil:
			return c.take(ctx, e, s, r)
		case !errors.Is(err, errClaimed):
			return nil, err
		case c.usable(s, e) != nil:
			continue
		}
		if err := mine.wait(ctx, u); err != nil {
			return nil, err
		}
	}
}

// take keeps what came of asking, and returns what the errand may go by.
func (c *robotsCopies) take(ctx context.Context, e *errand, s *robotsSlot, r *robotsCopy) (*robotsCopy, error) {
	if r.err == nil {
		if err := c.without(ctx, e, s, unshared, c.save(ctx, s.authority, r)); err != nil {
			return nil, err
		}
	}
	c.keep(s, r)
	if e.copies != nil {
		c.mu.Lock()
		e.copies[s.authority] = r
		c.mu.Unlock()
	}
	return c.usable(s, e), nil
}

// enter waits for the slot: somebody else may be asking, and sitting out the host's pace
// for it. An errand that doesn't wait, or not so long, comes back.
func (c *robotsCopies) enter(ctx context.Context, e *errand, s *robotsSlot, u *url.URL) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	default:
	}
	w := e.asking(u)
	if e.maxWait < 0 {
		return w
	}
	ctx, cancel := e.waiting(ctx, w)
	defer cancel()
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// asking is the error of an errand that doesn't wait for a robots.txt, or not so long.
func (e *errand) asking(u *url.URL) *ratepolicy.WaitError {
	return &ratepolicy.WaitError{
		Key: e.c.cfg.Key(u), Until: time.Now().Add(max(e.maxWait, time.Second)), Why: "its robots.txt is being asked for",
	}
}

// peek returns the copy that the errand would use without asking, nil if there is none.
func (c *robotsCopies) peek(e *errand, u *url.URL) *robotsCopy {
	c.mu.Lock()
	s := c.slots[authorityOf(u)]
	c.mu.Unlock()
	if s == nil {
		return nil
	}
	return c.usable(s, e)
}

func (c *robotsCopies) slot(authority string) *robotsSlot {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.slots[authority]
	if s == nil {
		s = &robotsSlot{authority: authority, turn: make(chan struct{}, 1)}
		s.elem = c.order.PushFront(s)
		c.slots[authority] = s
		c.size += slotSize
		c.trim()
	}
	c.order.MoveToFront(s.elem)
	return s
}

// usable returns the copy that the errand may go by without asking. A visit goes by what
// it asked for itself, on its own route. Anything else goes by a fresh copy and, while the file can't be
// had, by the last good one (RFC 9309 section 2.3.1.4).
func (c *robotsCopies) usable(s *robotsSlot, e *errand) *robotsCopy {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := s.last
	switch now := time.Now(); {
	case e.copies != nil:
		return e.copies[s.authority]
	case r == nil, !now.Before(r.fresh):
		return nil
	case r.err != nil && s.good != nil && now.Sub(s.good.asked) < robotsLast:
		return s.good
	}
	return r
}

// lastGood returns the last copy that could be had, by whichever process.
func (c *robotsCopies) lastGood(ctx context.Context, e *errand, s *robotsSlot) (*robotsCopy, error) {
	c.mu.Lock()
	last, good := s.last, s.good
	c.mu.Unlock()
	if c.store == nil {
		return good, nil
	}
	stored, err := c.load(ctx, s.authority)
	if err != nil {
		return good, c.without(ctx, e, s, unshared, err)
	}
	if stored != nil && (good == nil || stored.asked.After(last.asked)) {
		c.keep(s, stored)
		return stored, nil
	}
	return good, nil
}

// unshared is what it comes to that the store has no copy, or can't keep one.
const unshared = "no copy is shared"

// without is what a failure of the store comes to: an event that tells what, where the bot
// goes on alone, its copies then being those in memory.
func (c *robotsCopies) without(ctx context.Context, e *errand, s *robotsSlot, what string, err error) error {
	switch {
	case err == nil:
		return nil
	case e.c.lim.Policy().FailLocal > 0 && ctx.Err() == nil:
		e.c.alone(ctx, s.authority+"/robots.txt", "", what, err)
		return nil
	}
	return &storeError{err}
}

// keep takes in what came of asking, and lets go of the least recently used copies beyond
// the limit.
func (c *robotsCopies) keep(s *robotsSlot, r *robotsCopy) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.last, r.body = r, nil
	if r.err != nil {
		r.fresh = r.asked.Add(r.wait + min(robotsRetry<<min(s.failures, 10), robotsRetries))
		s.failures++
		return
	}
	s.failures = 0
	if c.slots[s.authority] != s {
		return // let go of meanwhile
	}
	if s.good != nil {
		c.size -= s.good.size
	}
	s.good = r
	c.size += r.size
	c.trim()
}

// trim lets go of the least recently used. c.mu is held.
func (c *robotsCopies) trim() {
	for c.size > robotsMemory && c.order.Len() > 1 {
		old := c.order.Remove(c.order.Back()).(*robotsSlot)
		delete(c.slots, old.authority)
		c.size -= slotSize
		if old.good != nil {
			c.size -= old.good.size
		}
	}
}

// authorityOf is the scheme, host and port that a robots.txt speaks for (RFC 9309
// section 2.3). The guard has made the address canonical: no default port is in it.
func authorityOf(u *url.URL) string { return u.Scheme + "://" + u.Host }

// Robots returns the bot's group in the robots.txt that binds rawURL, asking for the file
// unless a copy is fresh. The group answers for rawURL's scheme, host and port alone
// ([robots.ReasonOtherAuthority]). The error is an [*Error]; with outcome NoRobots, Walled or
// Limited when the file can't be had, and then the group allows nothing.
func (c *Crawler) Robots(ctx context.Context, rawURL string) (*robots.Group, error) {
	e := c.errand()
	u, err := e.pass(ctx, rawURL)
	if err != nil {
		return nil, err
	}
	r, err := e.robots(ctx, u)
	if r == nil {
		return nil, err
	}
	return r.group, err
}
