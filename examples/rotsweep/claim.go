package main

import (
	"context"
	"time"

	"github.com/politefetch/sdk/ratepolicy"
)

const (
	// claimFor is how long a check may take, robots.txt of every hop included, and how long
	// the others wait for a run that died over one.
	claimFor = 5 * time.Minute
	// claimAgain is how often it is looked whether another run has its verdict.
	claimAgain = time.Second
)

func claimKey(address string) string { return "check of " + address }

// claim takes, or renews, the leave to check a link until then, which one of the runs on a
// state has at a time. It reports whether run has it.
func (s state) claim(ctx context.Context, address, run string, until time.Time) (taken bool, err error) {
	if s == "" {
		return true, nil
	}
	err = s.update(ctx, address, func(_ time.Time, rec []byte) ([]byte, time.Time) {
		if taken = len(rec) <= 1 || string(rec) == run; !taken { // a damaged record is a single byte
			return nil, time.Time{}
		}
		return []byte(run), until
	})
	return taken, err
}

// release gives it back, also when ctx has ended. If that fails, it ends by itself.
func (s state) release(ctx context.Context, address, run string) {
	if s == "" {
		return
	}
	_ = s.update(context.WithoutCancel(ctx), address, func(_ time.Time, rec []byte) ([]byte, time.Time) {
		if string(rec) != run {
			return nil, time.Time{}
		}
		return rec, time.Time{}
	})
}

func (s state) update(ctx context.Context, address string, fn func(time.Time, []byte) ([]byte, time.Time)) error {
	ctx, cancel := context.WithTimeout(ctx, ratepolicy.CallTimeout(s.hosts()))
	defer cancel()
	return s.hosts().Update(ctx, claimKey(address), fn)
}
