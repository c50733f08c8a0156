// Package ratetest tests implementations of [ratepolicy.Store].
//
//	func TestMyStore(t *testing.T) {
//		url := startServer(t)
//		ratetest.TestStore(t, func(t *testing.T) ratepolicy.Store {
//			s := mystore.Open(url)
//			t.Cleanup(s.Close)
//			return s
//		})
//	}
//
// It asks nothing but what the Store's own comments promise, in real time, and takes some
// seconds. It can't see what a store keeps after its machine lost power.
package ratetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/politefetch/sdk/ratepolicy"
)

// TestStore fails t for each promise of [ratepolicy.Store] that a store breaks, one
// subtest a promise.
//
// Open is called several times, always with the same t. Each call returns a fresh handle
// on one and the same store, as another process would have it: another connection, another
// client, or for a store of this process alone the store itself. Whatever is to be closed
// is closed by t.Cleanup. If the store has a clock of its own, let handles differ in what
// they take for the time, where they can: they must not use it.
//
// The keys begin with random text, so the store may hold other things. Records expire
// within an hour, but for one that is to be kept longest.
func TestStore(t *testing.T, open func(t *testing.T) ratepolicy.Store) {
	t.Helper()
	p, err := newProbe(t.Context(), func() ratepolicy.Store { return open(t) })
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rules() {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			if err := r.check(t.Context(), p); err != nil {
				t.Errorf("%v\n%s", err, r.why)
			}
		})
	}
}

// A rule is one promise.
type rule struct {
	name  string
	why   string // what goes wrong otherwise
	check func(context.Context, *probe) error
}

func rules() []rule {
	return []rule{
		{"what was kept is seen by all", "Processes on one store share one memory.", seenByAll},
		{"no update is lost", "Two processes would take the same turn. Read, fn and write are one step, or fn runs again.", noneLost},
		{"next is copied", "The caller uses its buffer again.", nextIsCopied},
		{"a nil next changes nothing", "A look would lengthen, shorten or end a host's hold.", nilChangesNothing},
		{"kept up to expires and no longer", "Early, a host's hold is forgotten; late, what was forgiven comes back.", keptUntilExpires},
		{"expires can be moved", "Each Update's expires replaces the one before.", expiresMoves},
		{"expires in the past keeps nothing", "What was lifted would bind on.", pastKeepsNothing},
		{"expires may be centuries away", "Durations that overflow become short ones.", farIsKept},
		{"keys are told apart", "One host would wait for another. Any string is a key, byte for byte.", keysApart},
		{"records may be large", "Copies of robots.txt live in the store.", largeRecords},
		{"the clock never goes back", "It is read in the same step as the record, and is the store's own: not the transaction's start, not the client's.", clockForward},
		{"the clock runs", "Waits would never end, or end at once.", clockRuns},
		{"an ended context", "Update returns soon, and calls fn no more.", endedContext},
	}
}

// check tries all rules at once and returns what was broken, by rule.
func check(ctx context.Context, open func() ratepolicy.Store) (map[string]error, error) {
	p, err := newProbe(ctx, open)
	if err != nil {
		return nil, err
	}
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		found = make(map[string]error)
	)
	for _, r := range rules() {
		wg.Go(func() {
			if err := r.check(ctx, p); err != nil {
				mu.Lock()
				defer mu.Unlock()
				found[r.name] = err
			}
		})
	}
	wg.Wait()
	return found, nil
}

// A probe holds several handles on one store.
type probe struct {
	handles []ratepolicy.Store
	prefix  string
}

const hour = time.Hour

// newProbe opens the handles, the last one after a record was written.
func newProbe(ctx context.Context, open func() ratepolicy.Store) (*probe, error) {
	p := &probe{prefix: "ratetest " + rand.Text() + " "}
	for range 3 {
		p.handles = append(p.handles, open())
	}
	if err := put(ctx, p.handles[0], p.key("before"), []byte("before"), hour); err != nil {
		return nil, err
	}
	p.handles = append(p.handles, open())
	return p, nil
}

// key returns a key that no other run uses.
func (p *probe) key(name string) string { return p.prefix + name }

// slowest is how long one Update may take before the kit gives up.
const slowest = 20 * time.Second

type updateFunc = func(now time.Time, rec []byte) (next []byte, expires time.Time)

// update is one Update, which is to succeed and to have called fn.
func update(ctx context.Context, s ratepolicy.Store, key string, fn updateFunc) error {
	ctx, cancel := context.WithTimeout(ctx, slowest)
	defer cancel()
	called := false
	err := s.Update(ctx, key, func(now time.Time, rec []byte) ([]byte, time.Time) {
		called = true
		return fn(now, rec)
	})
	if err != nil {
		return fmt.Errorf("Update: %w", err)
	}
	if !called {
		return errors.New("Update returned nil and did not call fn")
	}
	return nil
}

// put keeps rec for a while by the store's clock.
func put(ctx context.Context, s ratepolicy.Store, key string, rec []byte, keep time.Duration) error {
	return update(ctx, s, key, func(now time.Time, _ []byte) ([]byte, time.Time) { return rec, now.Add(keep) })
}

// look returns the record and the store's time.
func look(ctx context.Context, s ratepolicy.Store, key string) (rec []byte, now time.Time, err error) {
	err = update(ctx, s, key, func(at time.Time, r []byte) ([]byte, time.Time) {
		rec, now = bytes.Clone(r), at
		return nil, time.Time{}
	})
	return rec, now, err
}

// want says how rec differs from what was to be there.
func want(rec, wanted []byte, what string) error {
	switch {
	case bytes.Equal(rec, wanted) && (rec == nil) == (wanted == nil):
		return nil
	case rec == nil:
		return fmt.Errorf("%s: there is no record", what)
	case wanted == nil:
		return fmt.Errorf("%s: there is a record of %d bytes", what, len(rec))
	case len(rec) > 40 || len(wanted) > 40:
		return fmt.Errorf("%s: the record has %d bytes and is not the %d that were kept", what, len(rec), len(wanted))
	}
	return fmt.Errorf("%s: the record is %q, kept was %q", what, rec, wanted)
}

// expect looks, and compares.
func expect(ctx context.Context, s ratepolicy.Store, key string, wanted []byte, what string) error {
	rec, _, err := look(ctx, s, key)
	if err != nil {
		return err
	}
	return want(rec, wanted, what)
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
