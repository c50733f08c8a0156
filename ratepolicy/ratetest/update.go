package ratetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// seenByAll writes with one handle and reads with all.
func seenByAll(ctx context.Context, p *probe) error {
	for i, s := range p.handles {
		if err := expect(ctx, s, p.key("before"), []byte("before"), fmt.Sprintf("handle %d, opened before or after it was written", i)); err != nil {
			return err
		}
	}
	key := p.key("seen")
	for round := range 3 {
		for i, s := range p.handles {
			rec := fmt.Appendf(nil, "round %d, handle %d", round, i)
			if err := put(ctx, s, key, rec, hour); err != nil {
				return err
			}
			for k, other := range p.handles {
				if err := expect(ctx, other, key, rec, fmt.Sprintf("handle %d, once handle %d had written", k, i)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// noneLost has many append to one record at once. Each call of fn appends a word of its
// own: of an Update, its last call's word must be there, and no other.
func noneLost(ctx context.Context, p *probe) error {
	const writers, each = 8, 8
	var (
		wg   sync.WaitGroup
		errs [writers]error
		last [writers][each]string
	)
	key := p.key("words")
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				calls := 0
				errs[w] = update(ctx, p.handles[w%len(p.handles)], key, func(now time.Time, rec []byte) ([]byte, time.Time) {
					calls++
					last[w][i] = fmt.Sprintf("%d.%d.%d", w, i, calls)
					next := append(bytes.Clone(rec), last[w][i]+" "...)
					pause(ctx, 2*time.Millisecond) // so that somebody is sure to come between
					return next, now.Add(hour)
				})
				if errs[w] != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	rec, _, err := look(ctx, p.handles[0], key)
	if err != nil {
		return err
	}
	count := make(map[string]int)
	for word := range strings.FieldsSeq(string(rec)) {
		count[word]++
	}
	for w := range writers {
		for i := range each {
			word := last[w][i]
			if count[word] != 1 {
				err = errors.Join(err, fmt.Errorf("what Update %s wrote (writer, number, call of fn) is there %d times", word, count[word]))
			}
			delete(count, word)
		}
	}
	for word := range count {
		err = errors.Join(err, fmt.Errorf("what an earlier call of fn returned is there: %s", word))
	}
	return cut(err)
}

// cut keeps the first lines of many.
func cut(err error) error {
	if err == nil {
		return nil
	}
	if lines := strings.SplitN(err.Error(), "\n", 5); len(lines) == 5 {
		return errors.New(strings.Join(lines[:4], "\n") + "\nand more")
	}
	return err
}

// nextIsCopied overwrites what fn returned, between its calls and after.
func nextIsCopied(ctx context.Context, p *probe) error {
	key, buf := p.key("copied"), make([]byte, 0, 64)
	s := p.handles[0]
	for i := range 3 {
		wanted := fmt.Appendf(nil, "record %d", i)
		err := update(ctx, s, key, func(now time.Time, _ []byte) ([]byte, time.Time) {
			buf = append(buf[:0], wanted...)
			return buf, now.Add(hour)
		})
		if err != nil {
			return err
		}
		for i := range buf {
			buf[i] = 'x'
		}
		if err := expect(ctx, s, key, wanted, "once the buffer was overwritten"); err != nil {
			return err
		}
	}
	// What fn was given may be part of what it returns.
	if err := update(ctx, s, key, func(now time.Time, rec []byte) ([]byte, time.Time) { return rec[min(1, len(rec)):], now.Add(hour) }); err != nil {
		return err
	}
	return expect(ctx, s, key, []byte("ecord 2"), "once fn had returned a part of rec")
}

// nilChangesNothing returns nil with expiries that would show.
func nilChangesNothing(ctx context.Context, p *probe) error {
	s := p.handles[0]
	look := func(key string, expires func(now time.Time) time.Time) error {
		return update(ctx, s, key, func(now time.Time, _ []byte) ([]byte, time.Time) { return nil, expires(now) })
	}
	key := p.key("nil")
	if err := put(ctx, s, key, []byte("kept"), hour); err != nil {
		return err
	}
	for _, expires := range []func(time.Time) time.Time{
		func(time.Time) time.Time { return time.Time{} },
		func(now time.Time) time.Time { return now.Add(-hour) },
		func(now time.Time) time.Time { return now },
	} {
		if err := errors.Join(look(key, expires), expect(ctx, s, key, []byte("kept"), "after a nil next")); err != nil {
			return err
		}
	}
	soon, end := p.key("nil, soon"), time.Time{}
	err := update(ctx, s, soon, func(now time.Time, _ []byte) ([]byte, time.Time) {
		end = now.Add(500 * time.Millisecond)
		return []byte("kept"), end
	})
	if err != nil {
		return err
	}
	err = errors.Join(look(soon, func(now time.Time) time.Time { return now.Add(hour) }), goneAt(ctx, s, soon, end))
	if err != nil {
		return fmt.Errorf("after a nil next with a later expiry: %w", err)
	}
	none := p.key("nil without a record")
	if err := update(ctx, s, none, func(now time.Time, _ []byte) ([]byte, time.Time) { return nil, now.Add(hour) }); err != nil {
		return err
	}
	return expect(ctx, s, none, nil, "after a nil next for a key without a record")
}

// endedContext needs no result of an Update whose context is over, but a consistent one.
func endedContext(ctx context.Context, p *probe) error {
	key, s := p.key("ended"), p.handles[0]
	ended, cancel := context.WithCancel(ctx)
	cancel()
	var calls atomic.Int32
	var n int32 // calls when Update returned
	done := make(chan error, 1)
	go func() {
		err := s.Update(ended, key, func(now time.Time, _ []byte) ([]byte, time.Time) {
			calls.Add(1)
			return []byte("kept"), now.Add(hour)
		})
		n = calls.Load()
		done <- err
	}()
	timer := time.NewTimer(5 * time.Second)
	defer timer.Stop()
	var err error
	select {
	case err = <-done:
	case <-timer.C:
		return errors.New("Update took more than 5 s although its context had ended")
	}
	if err == nil {
		if err := expect(ctx, s, key, []byte("kept"), "Update had returned nil"); err != nil {
			return err
		}
	}
	pause(ctx, 500*time.Millisecond)
	if calls.Load() != n {
		return errors.New("fn was called after Update had returned")
	}
	return put(ctx, s, key, []byte("next"), hour)
}
