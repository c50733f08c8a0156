package cli

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/politefetch/sdk/ratepolicy"
)

// ClaimFor is how long a claim outlives a process that dies.
const ClaimFor = 2 * time.Minute

// claimRenew leaves room for a machine so busy that some renewals fail.
const claimRenew = 20 * time.Second

// A ClaimedError says that another process has what was to be claimed.
type ClaimedError struct {
	Since time.Time
}

// Error implements error.
func (e *ClaimedError) Error() string {
	return fmt.Sprintf("another process is at it since %s (one that died is forgotten after %.0f minutes)",
		e.Since.Local().Format("Monday, 15:04:05"), ClaimFor.Minutes())
}

// Claim takes the leave to do what key names, which one of the processes on a store has at
// a time, and keeps it until release is called, however long that takes. It is a record in
// the store, which runs out if the process dies, or after ctx has ended. The error is a
// [ClaimedError] if another process has it, else the store's.
func Claim(ctx context.Context, store ratepolicy.Store, key string) (release func(), err error) {
	c := &claim{store: store, key: key}
	if err := c.take(ctx); err != nil {
		return nil, err
	}
	keeping, cancel := context.WithCancel(ctx)
	var keeper sync.WaitGroup
	keeper.Go(func() { c.keep(keeping) })
	return func() {
		cancel()
		keeper.Wait()
		_ = c.set(context.WithoutCancel(ctx), 0) // else it runs out
	}, nil
}

type claim struct {
	store ratepolicy.Store
	key   string
	since string // the record: by it the claim is told from another's
}

func (c *claim) take(ctx context.Context) error {
	var since time.Time
	var taken bool
	err := c.update(ctx, func(now time.Time, rec []byte) ([]byte, time.Time) {
		var bad error
		since, bad = time.Parse(time.RFC3339Nano, string(rec))
		if taken = bad == nil; taken { // no record, or a damaged one, is nobody's
			return nil, time.Time{}
		}
		c.since = now.Format(time.RFC3339Nano)
		return []byte(c.since), now.Add(ClaimFor)
	})
	if err == nil && taken {
		err = &ClaimedError{since}
	}
	return err
}

func (c *claim) keep(ctx context.Context) {
	t := time.NewTicker(claimRenew)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			_ = c.set(ctx, ClaimFor) // a store that goes on failing lets no request pass
		case <-ctx.Done():
			return
		}
	}
}

func (c *claim) set(ctx context.Context, lasts time.Duration) error {
	return c.update(ctx, func(now time.Time, rec []byte) ([]byte, time.Time) {
		if string(rec) != c.since {
			return nil, time.Time{} // it ran out, and may be another's
		}
		return rec, now.Add(lasts)
	})
}

func (c *claim) update(ctx context.Context, fn func(time.Time, []byte) ([]byte, time.Time)) error {
	ctx, cancel := context.WithTimeout(ctx, ratepolicy.CallTimeout(c.store))
	defer cancel()
	return c.store.Update(ctx, c.key, fn)
}
