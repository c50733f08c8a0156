package ratetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/politefetch/sdk/ratepolicy"
)

// late is how long after its expiry a record may still be seen: none is promised to be
// kept longer, and clocks of stores may count in seconds.
const late = 1500 * time.Millisecond

// patience is how long to wait for a store's clock to get somewhere, which takes 1.2 s and
// late at most.
const patience = 6 * time.Second

// goneAt looks at a record until it is gone, which is to be at expires.
func goneAt(ctx context.Context, s ratepolicy.Store, key string, expires time.Time) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("the record is there and the store's clock has not reached its expiry after %v", patience))
	defer cancel()
	for ctx.Err() == nil {
		rec, now, err := look(ctx, s, key)
		switch {
		case err != nil:
			return err
		case rec == nil && now.Before(expires):
			return fmt.Errorf("the record was forgotten at least %v early", expires.Sub(now))
		case rec == nil:
			return nil
		case now.Sub(expires) > late:
			return fmt.Errorf("the record is still there %v after it expired", now.Sub(expires))
		}
		pause(ctx, 10*time.Millisecond)
	}
	return context.Cause(ctx)
}

// keptUntilExpires keeps records for times that lie differently within a second.
func keptUntilExpires(ctx context.Context, p *probe) error {
	const n = 8
	var wg sync.WaitGroup
	var errs [n]error
	for i := range n {
		wg.Go(func() {
			key, keep := p.key(fmt.Sprintf("kept %d", i)), time.Duration(150*(i+1))*time.Millisecond
			var expires time.Time
			errs[i] = update(ctx, p.handles[i%len(p.handles)], key, func(now time.Time, _ []byte) ([]byte, time.Time) {
				expires = now.Add(keep)
				return []byte("kept"), expires
			})
			if errs[i] == nil {
				errs[i] = goneAt(ctx, p.handles[(i+1)%len(p.handles)], key, expires)
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		return cut(err)
	}
	key := p.key("kept 0")
	if err := put(ctx, p.handles[0], key, []byte("again"), hour); err != nil {
		return err
	}
	return expect(ctx, p.handles[1], key, []byte("again"), "written once the one before had expired")
}

// expiresMoves moves one expiry away and another one near.
func expiresMoves(ctx context.Context, p *probe) error {
	s, soon, longer := p.handles[0], p.key("sooner"), p.key("longer")
	if err := put(ctx, s, longer, []byte("first"), 300*time.Millisecond); err != nil {
		return err
	}
	// The same bytes with a later expiry are a change, too.
	kept := false
	err := update(ctx, s, longer, func(now time.Time, rec []byte) ([]byte, time.Time) {
		kept = rec != nil
		return bytes.Clone(rec), now.Add(hour)
	})
	if err != nil {
		return err
	}
	if err := put(ctx, s, soon, []byte("first"), hour); err != nil {
		return err
	}
	var expires time.Time
	err = update(ctx, s, soon, func(now time.Time, _ []byte) ([]byte, time.Time) {
		expires = now.Add(400 * time.Millisecond)
		return []byte("second"), expires
	})
	if err != nil {
		return err
	}
	if err := goneAt(ctx, s, soon, expires); err != nil {
		return fmt.Errorf("expiry moved from an hour to 400 ms: %w", err)
	}
	if !kept { // a machine so slow that it had expired
		return nil
	}
	return expect(ctx, s, longer, []byte("first"), "expiry moved from 300 ms to an hour")
}

func pastKeepsNothing(ctx context.Context, p *probe) error {
	s := p.handles[0]
	for i, ago := range []time.Duration{0, time.Nanosecond, time.Second, 50 * 365 * 24 * hour} {
		key := p.key(fmt.Sprintf("past %d", i))
		for _, first := range []bool{true, false} {
			if !first {
				if err := put(ctx, s, key, []byte("old"), hour); err != nil {
					return err
				}
			}
			if err := put(ctx, s, key, []byte("new"), -ago); err != nil {
				return err
			}
			if err := expect(ctx, p.handles[1], key, nil, fmt.Sprintf("kept until %v before now", ago)); err != nil {
				return err
			}
		}
	}
	key := p.key("past, zero time")
	if err := update(ctx, s, key, func(time.Time, []byte) ([]byte, time.Time) { return []byte("new"), time.Time{} }); err != nil {
		return err
	}
	return expect(ctx, s, key, nil, "kept until the zero time")
}

func farIsKept(ctx context.Context, p *probe) error {
	for i, expires := range []time.Time{
		time.Unix(1<<32+1, 0),         // 2106
		time.Unix(0, math.MaxInt64-1), // 2262
		time.Unix(0, math.MaxInt64),
		time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
	} {
		key := p.key(fmt.Sprintf("far %d", i))
		err := update(ctx, p.handles[0], key, func(time.Time, []byte) ([]byte, time.Time) { return []byte("far"), expires })
		if err != nil {
			return err
		}
		if err := expect(ctx, p.handles[1], key, []byte("far"), "kept until "+expires.UTC().Format(time.RFC3339)); err != nil {
			return err
		}
		if err := put(ctx, p.handles[0], key, []byte("far"), -hour); err != nil {
			return err
		}
	}
	return nil
}
