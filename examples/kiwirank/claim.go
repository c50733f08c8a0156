package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/politefetch/sdk/ratepolicy"
)

// A claim keeps a site to one visit at a time, of all processes on one folder. It is a
// record in the library's store, which runs out if its process dies.
type claim struct {
	store ratepolicy.Store
	key   string
	since string

	mu    sync.Mutex
	again time.Time // when it is to be renewed
}

const (
	claimFor   = 10 * time.Minute // longer than anything that a visit does in one go
	claimRenew = time.Minute
)

// claim takes a site. The error says who has it.
func (a *app) claim(ctx context.Context, s *site) (*claim, error) {
	c := &claim{store: a.memory(), key: "kiwirank visit " + s.name, again: time.Now().Add(claimRenew)}
	taken := ""
	err := c.store.Update(ctx, c.key, func(now time.Time, rec []byte) ([]byte, time.Time) {
		if taken = string(rec); taken != "" && taken != "\x00" { // which is a damaged record
			return nil, time.Time{}
		}
		taken = ""
		c.since = now.Format(time.RFC3339Nano)
		return []byte(c.since), now.Add(claimFor)
	})
	if err == nil && taken != "" {
		since, _ := time.Parse(time.RFC3339Nano, taken)
		err = fmt.Errorf("%s is being visited since %s, by another process", s.name, since.Format(time.TimeOnly))
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// renew keeps the claim while the visit goes on.
func (c *claim) renew(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Now().Before(c.again) {
		return
	}
	c.again = time.Now().Add(claimRenew)
	_ = c.set(ctx, claimFor) // a store that fails ends the visit by itself
}

// end gives the site back.
func (c *claim) end(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.set(context.WithoutCancel(ctx), 0) // else it runs out
}

func (c *claim) set(ctx context.Context, lasts time.Duration) error {
	return c.store.Update(ctx, c.key, func(now time.Time, rec []byte) ([]byte, time.Time) {
		if string(rec) != c.since {
			return nil, time.Time{} // it ran out, and is another's
		}
		return rec, now.Add(lasts)
	})
}
