package ratetest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"
)

// A clock is what a record says of the clock that it was written under.
type clock struct {
	last int64 // Unix nanoseconds
	back time.Duration
}

// clockForward writes the store's time into one record, from all handles in turn and then
// from all at once. In the order of the Updates it must not go back.
func clockForward(ctx context.Context, p *probe) error {
	key := p.key("clock")
	for range 5 {
		for i := range p.handles {
			if err := p.tick(ctx, i, key, 0); err != nil {
				return fmt.Errorf("one handle after the other: %w", err)
			}
		}
	}
	const each = 5
	var wg sync.WaitGroup
	errs := make([]error, 2*len(p.handles))
	for w := range errs {
		wg.Go(func() {
			for range each {
				if errs[w] = p.tick(ctx, w%len(p.handles), key, 2*time.Millisecond); errs[w] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	return cut(errors.Join(errs...))
}

// tick is one Update that compares the store's time to that of the one before.
func (p *probe) tick(ctx context.Context, handle int, key string, take time.Duration) error {
	var c clock
	err := update(ctx, p.handles[handle], key, func(now time.Time, rec []byte) ([]byte, time.Time) {
		c = clock{last: now.UnixNano()}
		if len(rec) == 8 {
			before := int64(binary.LittleEndian.Uint64(rec)) //nolint:gosec // bits
			c.back = max(0, time.Duration(before-c.last))
		}
		pause(ctx, take)
		return binary.LittleEndian.AppendUint64(nil, uint64(c.last)), now.Add(hour) //nolint:gosec // bits
	})
	if err == nil && c.back > 0 {
		err = fmt.Errorf("the store's clock went back by %v from one Update of a key to the next", c.back)
	}
	return err
}

// clockRuns compares the store's clock to the time that passes here, not to the time that
// it is here.
func clockRuns(ctx context.Context, p *probe) error {
	const span, slack = 600 * time.Millisecond, 150 * time.Millisecond
	key := p.key("runs")
	outer := time.Now()
	_, first, err := look(ctx, p.handles[0], key)
	if err != nil {
		return err
	}
	inner := time.Now()
	pause(ctx, span)
	least := time.Since(inner)
	_, second, err := look(ctx, p.handles[0], key)
	if err != nil {
		return err
	}
	most := time.Since(outer)
	if d := second.Sub(first); d < least-slack || d > most+slack {
		return fmt.Errorf("while %v passed here, at most %v, the store's clock went on by %v", least, most, d)
	}
	return nil
}
