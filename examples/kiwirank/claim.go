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
}

const (
	claimFor   = 10 * time.Minute
	claimRenew = time.Minute
)

// claim takes a site. The error says who has it.
func (a *app) claim(ctx context.Context, s *site) (*claim, error) {
	c := &claim{store: a.memory(), key: "kiwirank visit " + s.id}
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

// keep keeps the claim until stop is called: a visit may wait long, for a Crawl-delay say.
func (c *claim) keep(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var keeper sync.WaitGroup
	keeper.Go(func() {
		t := time.NewTicker(claimRenew)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				_ = c.set(ctx, claimFor) // a store that fails ends the visit by itself
			case <-ctx.Done():
				return
			}
		}
	})
	return func() {
		cancel()
		keeper.Wait()
	}
}

// end gives the site back.
func (c *claim) end(ctx context.Context) {
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
