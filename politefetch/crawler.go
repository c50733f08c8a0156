package politefetch

import (
	"errors"
	"fmt"
	"slices"

	"github.com/politefetch/sdk/ratepolicy"
)

// A Crawler fetches pages for one bot. Make it with [New]. It is immutable but for what
// it remembers of hosts, and safe for concurrent use; one Crawler is enough for a
// process.
type Crawler struct {
	cfg    Config
	lim    *ratepolicy.Limiter
	copies *robotsCopies
}

// New returns a Crawler for the bot that cfg describes. The Config is copied. An error
// names the field that is wrong.
func New(cfg Config) (*Crawler, error) {
	if cfg.Store == ratepolicy.Dir("") {
		return nil, errors.New("politefetch: Config.Store: a Dir without a name")
	}
	if err := relayFault(cfg.Relay); err != nil {
		return nil, fmt.Errorf("politefetch: Config.Relay: %w", err)
	}
	return newCrawler(cfg)
}

// newCrawler is New for a Relay that need not be able to send anything.
func newCrawler(cfg Config) (*Crawler, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	cfg.Guard.Allow, cfg.Guard.Deny = slices.Clone(cfg.Guard.Allow), slices.Clone(cfg.Guard.Deny)
	cfg.setDefaults()
	return &Crawler{cfg: cfg, lim: ratepolicy.New(cfg.Policy, cfg.Store), copies: newRobotsCopies(cfg.Store, cfg.Product)}, nil
}

// CloseIdleConnections closes the connections that the Transport keeps for later requests,
// if it can. The default Transport closes each by itself after 4 seconds without use;
// nothing else of a Crawler lives between calls.
func (c *Crawler) CloseIdleConnections() {
	if t, ok := c.cfg.Transport.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// Limiter returns the Crawler's limiter, for its Status, Hold and Forget.
func (c *Crawler) Limiter() *ratepolicy.Limiter { return c.lim }
