package ratepolicy_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/ratepolicy"
)

// testStore is a Store whose clock the test moves, and that can be told to keep what
// it may drop.
type testStore struct {
	mu    sync.Mutex
	now   time.Time
	keep  bool // past expires
	twice bool // runs fn twice, as after a lost race
	err   error
	recs  map[string]testRecord
}

type testRecord struct {
	rec     []byte
	expires time.Time
}

func newTestStore() *testStore {
	return &testStore{now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), recs: make(map[string]testRecord)}
}

func (s *testStore) Update(_ context.Context, key string, fn func(time.Time, []byte) ([]byte, time.Time)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	r := s.recs[key]
	if !s.keep && !r.expires.After(s.now) {
		r = testRecord{}
	}
	if s.twice {
		fn(s.now.Add(-time.Millisecond), nil)
	}
	rec := append([]byte(nil), r.rec...)
	next, expires := fn(s.now, rec)
	clear(rec) // fn keeps nothing
	if next != nil {
		s.recs[key] = testRecord{append([]byte(nil), next...), expires}
	}
	return nil
}

func TestStoreErrorsFailClosed(t *testing.T) {
	ctx, s := t.Context(), newTestStore()
	l := ratepolicy.New(ratepolicy.Policy{}, s)
	lease, err := l.Acquire(ctx, host, 0)
	require.NoError(t, err)
	s.err = errors.New("down")
	_, err = l.Acquire(ctx, host, 0)
	require.ErrorIs(t, err, s.err)
	_, err = l.TryAcquire(ctx, host, 0)
	require.ErrorIs(t, err, s.err)
	_, err = l.Status(ctx, host)
	require.ErrorIs(t, err, s.err)
	require.ErrorIs(t, l.Hold(ctx, host, time.Now(), ""), s.err)
	require.ErrorIs(t, l.Forget(ctx, host), s.err)
	require.ErrorIs(t, lease.Answered(ctx, limit429), s.err)
	_, err = lease.Release(ctx, limit429)
	require.ErrorIs(t, err, s.err)
	assert.EqualError(t, err, "ratepolicy: state of a.example: down")
}

func TestARecordThatCantBeReadMakesItsHostGentle(t *testing.T) {
	s := newTestStore()
	l := ratepolicy.New(ratepolicy.Policy{LeaseFor: time.Hour}, s)
	lease, err := l.TryAcquire(t.Context(), host, time.Second)
	require.NoError(t, err)
	require.NoError(t, l.Hold(t.Context(), host, time.Now().Add(time.Minute), "why"))
	require.NoError(t, lease.Answered(t.Context(), after(429, time.Second)))
	whole := s.recs[host]
	assert.LessOrEqual(t, len(whole.rec), 110)
	for n := 1; n < len(whole.rec); n++ {
		if n == len(whole.rec)-16 {
			continue // without its lease, a whole record
		}
		s.recs[host] = testRecord{whole.rec[:n], whole.expires}
		st, err := l.Status(t.Context(), host)
		require.NoError(t, err)
		require.Equal(t, ratepolicy.ModeGentle, st.Mode, "cut to %d", n)
	}
	s.recs[host] = testRecord{append([]byte{2}, whole.rec[1:]...), whole.expires}
	_, err = l.TryAcquire(t.Context(), host, 0)
	require.ErrorContains(t, err, "newer version")
	assert.Equal(t, byte(2), s.recs[host].rec[0], "and is left alone")
}

func TestWaitsAreInTheCallersClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTestStore() // 26 years ahead
		l, start := ratepolicy.New(ratepolicy.Policy{}, s), time.Now()
		opens := ask(t, l, host, 0, after(429, time.Hour))
		assert.Equal(t, start.Add(time.Hour), opens)
		assert.Equal(t, start.Add(time.Hour), refused(t, l, host).Until)
		require.NoError(t, l.Hold(t.Context(), host, start.Add(2*time.Hour), "x"))
		assert.Equal(t, start.Add(2*time.Hour), refused(t, l, host).Until)
		s.now = s.now.Add(2 * time.Hour)
		ask(t, l, host, 0, ok200)
		require.NoError(t, l.Hold(t.Context(), host, time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), "for good"))
		assert.Greater(t, refused(t, l, host).Until.Year(), 2200)
	})
}

// lateStore is a store that takes a second to keep what it was given, and says so.
type lateStore struct{ clockStore }

func (*lateStore) CallTimeout() time.Duration { return 2 * time.Second }

func (s *lateStore) Update(ctx context.Context, key string, fn func(time.Time, []byte) ([]byte, time.Time)) error {
	defer time.Sleep(time.Second)
	return s.clockStore.Update(ctx, key, fn)
}

func TestWaitsDontGrowWithTheTimeOfACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, start := ratepolicy.New(ratepolicy.Policy{}, &lateStore{clockStore{testStore: newTestStore()}}), time.Now()
		opens := ask(t, l, host, 0, after(429, time.Hour))
		assert.Equal(t, start.Add(time.Second+time.Hour), opens, "from when the answer's end came to the store")
	})
}

// Two limiters on one store are two processes: they share the pace, and the cap.
func TestProcessesOnOneStoreShareOnePace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &clockStore{testStore: newTestStore(), ahead: 90 * time.Second}
		var wg sync.WaitGroup
		var at []time.Time
		for range 3 {
			l := ratepolicy.New(ratepolicy.Policy{}, s)
			wg.Go(func() {
				for range 20 {
					lease, err := l.Acquire(t.Context(), host, 0)
					if err != nil {
						t.Error(err)
						return
					}
					at = append(at, time.Now())
					time.Sleep(100 * ms)
					lease.Release(t.Context(), ok200)
				}
			})
		}
		wg.Wait()
		require.Len(t, at, 60)
		for i := range at[1:] {
			assert.GreaterOrEqual(t, at[i+1].Sub(at[i]), 1100*ms)
		}
		assert.LessOrEqual(t, at[59].Sub(at[0]), 59*1200*ms)
	})
}

// Clocks that are almost the same are taken for the same. Who then comes a moment too early
// is not to be told of an instant that has passed, to ask again and again.
func TestUntilLiesAheadHoweverTheStoresClockGoes(t *testing.T) {
	for _, ahead := range []time.Duration{-240 * ms, -10 * ms, 0, 240 * ms} {
		synctest.Test(t, func(t *testing.T) {
			l := ratepolicy.New(ratepolicy.Policy{}, &clockStore{testStore: newTestStore(), ahead: ahead})
			ask(t, l, host, 0, ok200)
			start := time.Now()
			for tries := 1; ; tries++ {
				require.LessOrEqual(t, tries, 3, "%s", ahead)
				lease, err := l.TryAcquire(t.Context(), host, 0)
				if err == nil {
					assert.InDelta(t, 1, time.Since(start).Seconds(), 0.25)
					_, err = lease.Release(t.Context(), ok200)
					require.NoError(t, err)
					break
				}
				w := waitError(t, err)
				require.True(t, w.Until.After(time.Now()))
				time.Sleep(time.Until(w.Until))
			}
		})
	}
}

// clockStore is a testStore with a clock that runs, ahead of ours.
func TestAHoldIsNotOverEarlyByAClockThatIsALittleAhead(t *testing.T) {
	for _, ahead := range []time.Duration{-time.Minute, -200 * ms, 0, 200 * ms, time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			l, end := ratepolicy.New(ratepolicy.Policy{}, &clockStore{testStore: newTestStore(), ahead: ahead}), time.Now().Add(time.Second)
			require.NoError(t, l.Hold(t.Context(), host, end, "a hold"))
			lease, err := l.Acquire(t.Context(), host, 0)
			require.NoError(t, err)
			assert.False(t, time.Now().Before(end), "%s", ahead)
			assert.InDelta(t, 0, time.Since(end).Seconds(), 0.25)
			_, err = lease.Release(t.Context(), ok200)
			require.NoError(t, err)
		})
	}
}

type clockStore struct {
	*testStore
	ahead time.Duration
}

func (s *clockStore) Update(ctx context.Context, key string, fn func(time.Time, []byte) ([]byte, time.Time)) error {
	s.mu.Lock()
	s.now = time.Now().Add(s.ahead)
	s.mu.Unlock()
	return s.testStore.Update(ctx, key, fn)
}
