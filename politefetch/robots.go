package politefetch

import (
	"container/list"
	"context"
	"net/url"
	"sync"
	"time"

	"github.com/politefetch/sdk/internal/botwall"
	"github.com/politefetch/sdk/robots"
)

// Limits of the robots.txt copies.
const (
	maxRobotsBody = 512_000        // RFC 9309 section 2.5: at least 500 KiB must be read
	robotsFresh   = 24 * time.Hour // RFC 9309 section 2.4: not longer
	robotsRetry   = time.Minute    // before a robots.txt that could not be had is asked for again
	robotsHops    = 5              // RFC 9309 section 2.3.1.2: at least five redirects
	robotsMemory  = 64 << 20       // bytes of compiled files kept
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
	asked    time.Time
	fresh    time.Time // until when it is used without asking again
	size     int
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

// robotsCopies keeps the robots.txt of every scheme, host and port that was asked for,
// the least recently used first to go.
type robotsCopies struct {
	mu    sync.Mutex
	slots map[string]*robotsSlot
	order list.List // of *robotsSlot, the latest used in front
	size  int
}

// A robotsSlot is the place of one robots.txt. Whoever holds turn may ask for it, so that
// it is asked for once however many wait.
type robotsSlot struct {
	authority string
	turn      chan struct{}
	elem      *list.Element

	last *robotsCopy // guarded by robotsCopies.mu
	good *robotsCopy // the last that could be had
}

func newRobotsCopies() *robotsCopies {
	return &robotsCopies{slots: make(map[string]*robotsSlot)}
}

// get returns the copy of u's robots.txt, asking for it unless there is one that the
// errand may use. The error is a context's end, a wait, or a refusal of the address.
func (c *robotsCopies) get(ctx context.Context, e *errand, u *url.URL) (*robotsCopy, error) {
	s := c.slot(authorityOf(u))
	if r := c.usable(s, e); r != nil {
		return r, nil
	}
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if r := c.usable(s, e); r != nil { // somebody asked while we waited
		return r, nil
	}
	r, err := e.askRobots(ctx, u, c.lastGood(s))
	if err != nil {
		return nil, err
	}
	c.keep(s, r)
	return r, nil
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
	}
	c.order.MoveToFront(s.elem)
	return s
}

func (c *robotsCopies) usable(s *robotsSlot, e *errand) *robotsCopy {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch r := s.last; {
	case r == nil:
		return nil
	case !e.since.IsZero():
		if r.asked.Before(e.since) {
			return nil
		}
		return r
	case time.Now().Before(r.fresh):
		return r
	}
	return nil
}

func (c *robotsCopies) lastGood(s *robotsSlot) *robotsCopy {
	c.mu.Lock()
	defer c.mu.Unlock()
	return s.good
}

// keep stores a copy and lets go of the least recently used ones beyond the limit.
func (c *robotsCopies) keep(s *robotsSlot, r *robotsCopy) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.slots[s.authority] != s {
		return // let go of meanwhile
	}
	s.last = r
	if r.err == nil {
		if s.good != nil {
			c.size -= s.good.size
		}
		s.good = r
		c.size += r.size
	}
	for c.size > robotsMemory && c.order.Len() > 1 {
		old := c.order.Remove(c.order.Back()).(*robotsSlot)
		delete(c.slots, old.authority)
		if old.good != nil {
			c.size -= old.good.size
		}
	}
}

// authorityOf is the scheme, host and port that a robots.txt speaks for (RFC 9309
// section 2.3). The guard has made the address canonical: no default port is in it.
func authorityOf(u *url.URL) string { return u.Scheme + "://" + u.Host }

// Robots returns the bot's group in the robots.txt that binds rawURL, asking for the file
// unless a copy is fresh. The error is an [*Error]; with outcome NoRobots, Walled or
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
