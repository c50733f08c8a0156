package ratepolicy_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/ratepolicy"
)

// A fault is how one call of a store goes wrong.
type fault int

const (
	works      fault = iota
	fails            // nothing is kept
	failsKept        // it is kept, and nobody hears of it
	hangs            // until the context ends, and nothing is kept
	hangsKept        // the same, and it is kept
	damages          // the record is damaged before
	losesWrite       // it says that it has kept what it has not
	slow             // it works, and takes 200 ms
)

// faultyStore is a store with a clock that runs ahead of ours, and faults.
type faultyStore struct {
	clockStore
	next  func() fault // of each call; nil: it works
	calls atomic.Int64
}

func newFaultyStore(next func() fault) *faultyStore {
	return &faultyStore{clockStore: clockStore{testStore: newTestStore(), ahead: 90 * time.Second}, next: next}
}

var errDown = errors.New("the store is down")

func (s *faultyStore) Update(ctx context.Context, key string, fn func(time.Time, []byte) ([]byte, time.Time)) error {
	s.calls.Add(1)
	f := works
	if s.next != nil {
		f = s.next()
	}
	if f == damages {
		s.mu.Lock()
		if r, ok := s.recs[key]; ok {
			s.recs[key] = testRecord{[]byte{0}, r.expires}
		}
		s.mu.Unlock()
	}
	keep := fn
	if f == losesWrite {
		keep = func(now time.Time, rec []byte) ([]byte, time.Time) {
			fn(now, rec)
			return nil, time.Time{}
		}
	}
	if f != fails && f != hangs {
		if err := s.clockStore.Update(ctx, key, keep); err != nil {
			return err
		}
	}
	switch f {
	case fails, failsKept:
		return errDown
	case hangs, hangsKept:
		<-ctx.Done()
		return context.Cause(ctx)
	case slow:
		time.Sleep(200 * ms)
		return nil
	default:
		return nil
	}
}

// always is a store whose calls all go the same way, until that is changed.
func always(f fault) (s *faultyStore, set func(fault)) {
	var now atomic.Int64
	now.Store(int64(f))
	return newFaultyStore(func() fault { return fault(now.Load()) }), func(f fault) { now.Store(int64(f)) }
}

// quarter is the default policy, for one of four processes.
var quarter = ratepolicy.Policy{FailLocal: 0.25, RelayAfter: 1}

func TestG03_AStoreThatFailsIsFailClosed(t *testing.T) {
	for _, f := range []fault{fails, failsKept, hangs, hangsKept} {
		for _, share := range []float64{0, -1} {
			synctest.Test(t, func(t *testing.T) {
				s, set := always(f)
				l := ratepolicy.New(ratepolicy.Policy{FailLocal: share}, s)
				for range 20 {
					_, err := l.TryAcquire(t.Context(), host, 0)
					require.ErrorIs(t, err, map[bool]error{true: errDown, false: context.DeadlineExceeded}[f == fails || f == failsKept])
					_, err = l.Acquire(t.Context(), host, 0)
					require.Error(t, err)
					_, err = l.Visit().Acquire(t.Context(), host, 0)
					require.Error(t, err)
					_, err = l.Status(t.Context(), host)
					require.Error(t, err)
				}
				assert.EqualValues(t, 80, s.calls.Load(), "each asks the store")
				set(works)
				lease, err := l.TryAcquire(t.Context(), host, 0)
				require.NoError(t, err, "what was kept of turns that nobody has is given back")
				assert.False(t, lease.Local())
				st, err := l.Status(t.Context(), host)
				require.NoError(t, err)
				assert.Equal(t, 1, st.InFlight)
			})
		}
	}
}

func TestG03_WhatIsHeardWhileTheStoreFailsIsToldItLater(t *testing.T) {
	for _, share := range []float64{0, 0.25} {
		synctest.Test(t, func(t *testing.T) {
			ctx := t.Context()
			s, set := always(works)
			l, other := ratepolicy.New(ratepolicy.Policy{FailLocal: share, RelayAfter: 1}, s), ratepolicy.New(ratepolicy.Policy{RelayAfter: 1}, s)
			lease, err := l.TryAcquire(ctx, host, 0)
			require.NoError(t, err)
			walled, err := l.TryAcquire(ctx, plainHost, 0)
			require.NoError(t, err)
			set(hangs)
			_, err = lease.Release(ctx, after(429, time.Hour))
			assert.Equal(t, share == 0, err != nil, "%v", err)
			_, err = walled.Release(ctx, ratepolicy.Answer{Status: 403, Wall: "cloudflare"})
			assert.Equal(t, share == 0, err != nil, "%v", err)
			err = l.Hold(ctx, plainHost, time.Now().Add(2*time.Hour), "asked by mail")
			assert.Equal(t, share == 0, err != nil, "%v", err)
			heard := time.Now()
			time.Sleep(2 * time.Second)
			set(works)
			assert.Contains(t, refused(t, other, host).Why, "in flight", "nobody has told the store yet")
			for _, key := range []string{host, plainHost} {
				w := refused(t, l, key)
				assert.Equal(t, w, refused(t, other, key), "now everybody knows")
			}
			assert.WithinDuration(t, heard.Add(time.Hour), refused(t, other, host).Until, 900*ms)
			assert.WithinDuration(t, heard.Add(2*time.Hour), refused(t, other, plainHost).Until, 900*ms)
			st, err := other.Status(ctx, host)
			require.NoError(t, err)
			assert.Equal(t, ratepolicy.ModeGentle, st.Mode)
			assert.Zero(t, st.InFlight)
			st, err = other.Status(ctx, plainHost)
			require.NoError(t, err)
			assert.Contains(t, st.String(), "a bot wall")
			assert.Contains(t, st.String(), "held: asked by mail")
			require.NoError(t, other.Forget(ctx, host))
			ask(t, l, host, 0, ok200) // it is told once
		})
	}
}

func TestG03_AProcessGoesOnAloneAtItsShareOfTheGentlePace(t *testing.T) {
	for _, f := range []fault{fails, failsKept, hangs, hangsKept} {
		for _, tt := range []struct {
			policy ratepolicy.Policy
			crawl  time.Duration
			want   time.Duration
		}{
			{ratepolicy.Policy{FailLocal: 0.25}, 0, 8 * time.Second},
			{ratepolicy.Policy{FailLocal: 1}, 0, 2 * time.Second},
			{ratepolicy.Policy{FailLocal: 7}, 0, 2 * time.Second},
			{ratepolicy.Policy{FailLocal: 0.5, Normal: ratepolicy.Pace{Delay: 3 * time.Second, Burst: 9, Concurrency: 9}}, 0, 6 * time.Second},
			{ratepolicy.Policy{FailLocal: 0.5, Gentle: ratepolicy.Pace{Burst: 9, Concurrency: 9}}, 0, 4 * time.Second},
			{ratepolicy.Policy{FailLocal: 0.25}, 5 * time.Second, 20 * time.Second},
			{ratepolicy.Policy{FailLocal: 0.25}, time.Second, 8 * time.Second},
		} {
			synctest.Test(t, func(t *testing.T) {
				s, _ := always(f)
				l, start, last := ratepolicy.New(tt.policy, s), time.Now(), time.Time{}
				for i := range 50 {
					lease, err := l.Acquire(t.Context(), host, tt.crawl)
					require.NoError(t, err)
					require.True(t, lease.Local())
					require.True(t, lease.Gentle())
					require.False(t, lease.Relayed())
					require.Error(t, lease.StoreErr())
					// A call that hangs may be under way when the turn comes.
					if gap := time.Since(last); i > 0 {
						require.GreaterOrEqual(t, gap, tt.want)
						require.LessOrEqual(t, gap, tt.want+350*ms)
					}
					_, err = l.TryAcquire(t.Context(), host, tt.crawl)
					waitError(t, err)
					time.Sleep(300 * ms)
					_, err = lease.Release(t.Context(), ok200)
					require.NoError(t, err)
					last = time.Now()
				}
				assert.Less(t, time.Since(start), 51*(tt.want+650*ms))
			})
		}
	}
}

func TestG03_AStoreThatHangsCostsItsTimeNotAtEveryRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := always(hangs)
		l, start, waited := ratepolicy.New(quarter, s), time.Now(), time.Duration(0)
		for time.Since(start) < 10*time.Minute {
			began := time.Now()
			lease, err := l.TryAcquire(t.Context(), host, 0)
			waited += time.Since(began)
			if err == nil {
				_, err = lease.Release(t.Context(), ok200)
				require.NoError(t, err)
			} else {
				waitError(t, err)
			}
			time.Sleep(100 * ms)
		}
		// At 0, 1, 3, 7, 15, 31, 61 s, and from then on every 30 s.
		assert.LessOrEqual(t, s.calls.Load(), int64(6+20))
		assert.GreaterOrEqual(t, s.calls.Load(), int64(6+18))
		assert.Equal(t, time.Duration(s.calls.Load())*250*ms, waited)
	})
}

func TestG03_FourProcessesAloneKeepTheGentlePaceTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := always(fails)
		const span, delay = 4 * time.Hour, 8 * time.Second
		log := crawl(t, s, quarter, 4, span, func() ratepolicy.Answer { return ok200 })
		log.ordered()
		inFlight, least, within, byProcess := 0, span, 0, make(map[int]time.Time)
		for i, q := range log.requests {
			if last, ok := byProcess[q.process]; ok {
				require.GreaterOrEqual(t, q.began.Sub(last), delay, "of one process")
			}
			byProcess[q.process] = q.ended
			n, k := 0, i
			for ; k >= 0 && q.began.Sub(log.requests[k].began) < delay; k-- {
				if log.requests[k].ended.After(q.began) {
					n++
				}
			}
			inFlight, within = max(inFlight, n), max(within, i-k)
			if i > 0 {
				least = min(least, q.began.Sub(log.requests[i-1].ended))
			}
		}
		assert.Greater(t, log.requests[3].began.Sub(log.requests[0].began), 10*ms, "they don't begin in step") // by chance: once in 10^8 runs
		rate := span / time.Duration(len(log.requests))
		assert.GreaterOrEqual(t, rate, 2*time.Second, "all together")
		assert.LessOrEqual(t, rate, 2200*ms)
		assert.LessOrEqual(t, within, 4, "within 8 s")
		t.Logf("%d requests, one each %v; the smallest gap from an answer to the next request %v; at most %d in flight, %d within %v",
			len(log.requests), rate, least, inFlight, within, delay)
	})
}

// An exchange is what a server saw of one request.
type exchange struct {
	process      int
	local        bool
	began, ended time.Time
	answer       ratepolicy.Answer
}

type crawlLog struct {
	mu       sync.Mutex
	requests []exchange
}

// ordered sorts the requests by when they began.
func (l *crawlLog) ordered() {
	slices.SortFunc(l.requests, func(a, b exchange) int { return a.began.Compare(b.began) })
}

// crawl has processes ask a host on one store, as fast as they may.
func crawl(t *testing.T, s ratepolicy.Store, p ratepolicy.Policy, processes int, span time.Duration, answer func() ratepolicy.Answer) *crawlLog {
	t.Helper()
	var log crawlLog
	var wg sync.WaitGroup
	start := time.Now()
	for n := range processes {
		l, r := ratepolicy.New(p, s), rand.New(rand.NewPCG(uint64(n), 11))
		wg.Go(func() {
			for time.Since(start) < span {
				lease, err := l.Acquire(t.Context(), host, 0)
				if w, ok := errors.AsType[*ratepolicy.WaitError](err); ok {
					time.Sleep(time.Until(w.Until))
					continue
				}
				if err != nil {
					time.Sleep(time.Second)
					continue
				}
				q := exchange{process: n, local: lease.Local(), began: time.Now()}
				time.Sleep(time.Duration(100+r.IntN(200)) * ms)
				log.mu.Lock()
				q.answer, q.ended = answer(), time.Now()
				log.requests = append(log.requests, q)
				log.mu.Unlock()
				_, _ = lease.Release(t.Context(), q.answer)
			}
		})
	}
	wg.Wait()
	return &log
}

func TestG03_WhatWasKnownBeforeTheStoreFailedCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		s, set := always(works)
		other := ratepolicy.New(quarter, s)
		ask(t, other, host, 0, after(429, 10*time.Minute))
		require.NoError(t, other.Hold(ctx, plainHost, time.Now().Add(10*time.Minute), "asked by mail"))
		l, start := ratepolicy.New(quarter, s), time.Now()
		refused(t, l, host) // so it knows
		time.Sleep(2 * time.Minute)
		inFlight, err := l.TryAcquire(ctx, "b.example", 0)
		require.NoError(t, err)
		set(fails)
		time.Sleep(2 * time.Minute)
		assert.Equal(t, "answered 429, Retry-After 600 (until 2000-01-01T00:10:00Z)", refused(t, l, host).Why)
		assert.Equal(t, start.Add(10*time.Minute), refused(t, l, host).Until, "by the caller's clock")
		assert.NotContains(t, refused(t, l, plainHost).Why, "asked by mail", "which it was never told")
		set(works)
		_, err = inFlight.Release(ctx, ok200)
		require.NoError(t, err)
		inFlight, err = l.Acquire(ctx, "b.example", 0)
		require.NoError(t, err)
		require.False(t, inFlight.Local())
		set(fails)
		time.Sleep(30 * time.Second)
		assert.Equal(t, "1 of 1 requests in flight", refused(t, l, "b.example").Why)
		_, err = inFlight.Release(ctx, ok200)
		require.NoError(t, err)
		last := time.Now()
		inFlight, err = l.Acquire(ctx, "b.example", 0)
		require.NoError(t, err)
		require.True(t, inFlight.Local())
		assert.Equal(t, 8*time.Second, time.Since(last))
	})
}

func TestG03_AForgetWhileAProcessCouldNotSeeItStands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		s, set := always(works)
		l, other := ratepolicy.New(quarter, s), ratepolicy.New(quarter, s)
		ask(t, l, host, 0, after(429, time.Hour))
		set(fails)
		time.Sleep(time.Minute)
		assert.Contains(t, refused(t, l, host).Why, "Retry-After")
		require.ErrorIs(t, l.Forget(ctx, host), errDown, "nobody forgets alone")
		assert.Contains(t, refused(t, l, host).Why, "Retry-After")
		require.ErrorIs(t, l.Forget(ctx, plainHost), errDown)
		refused(t, l, plainHost)
		set(works)
		require.NoError(t, other.Forget(ctx, host))
		require.NoError(t, l.Forget(ctx, plainHost), "nor does that wait until the store is asked again")
		time.Sleep(time.Minute)
		ask(t, l, host, 0, ok200)
		st, err := l.Status(ctx, host)
		require.NoError(t, err)
		assert.Equal(t, ratepolicy.ModeNormal, st.Mode)
	})
}

func TestG03_ATurnGivenAloneIsInFlightForAllOnceTheStoreIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		s, set := always(hangs)
		l, other := ratepolicy.New(quarter, s), ratepolicy.New(quarter, s)
		lease, err := l.Acquire(ctx, host, 0)
		require.NoError(t, err)
		require.True(t, lease.Local())
		set(works)
		time.Sleep(30 * time.Second)
		assert.Equal(t, "1 of 1 requests in flight", refused(t, l, host).Why)
		assert.Equal(t, "1 of 1 requests in flight", refused(t, other, host).Why)
		set(fails) // again, and what was told stays told
		opens, err := lease.Release(ctx, ok200)
		require.NoError(t, err)
		assert.Equal(t, time.Now().Add(8*time.Second), opens)
		set(works)
		time.Sleep(2 * time.Second)
		st, err := l.Status(ctx, host)
		require.NoError(t, err)
		assert.Zero(t, st.InFlight)
		ask(t, l, host, 0, ok200)
		time.Sleep(time.Second)
		ask(t, other, host, 0, ok200)
	})
}

func TestG03_StatusSaysThatAProcessIsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		s, set := always(fails)
		p := quarter
		p.FailLocal = 1
		l := ratepolicy.New(p, s)
		lease, err := l.TryAcquire(ctx, host, 0)
		require.NoError(t, err)
		require.ErrorIs(t, lease.StoreErr(), errDown)
		time.Sleep(time.Second)
		_, err = lease.Release(ctx, after(429, time.Minute))
		require.NoError(t, err)
		st, err := l.Status(ctx, host)
		require.NoError(t, err)
		assert.Equal(t, "a.example: gentle; gentle since it limited the rate (until 2000-01-15T00:00:01Z); "+
			"answered 429, Retry-After 60 (until 2000-01-01T00:01:01Z); "+
			"pace 2s of one process while the store fails (until 2000-01-01T00:00:03Z); "+
			"this process goes on alone since 2000-01-01T00:00:00Z, when the store failed: the store is down", st.String())
		assert.Equal(t, ratepolicy.Pace{Concurrency: 1, Delay: 2 * time.Second, Burst: 1, MaxWait: time.Minute}, st.Pace)
		time.Sleep(time.Minute)
		ask(t, l, host, 0, ok200)
		assert.Equal(t, "pace 2s of one process while the store fails (until 2000-01-01T00:01:03Z)", refused(t, l, host).Why)
		set(works)
		time.Sleep(time.Minute)
		st, err = l.Status(ctx, host)
		require.NoError(t, err)
		assert.NotContains(t, st.String(), "alone")
		assert.NoError(t, lease.StoreErr())
	})
}

func TestG03_VisitsWhileTheStoreFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		s, set := always(works)
		l := ratepolicy.New(quarter, s)
		relayed(t, l, limit429)
		relayed(t, l, limit429)
		under, over := relayed(t, l, ok200)
		require.True(t, over)
		normal := l.Visit()
		ask(t, normal, "c.example", 0, ok200)
		time.Sleep(time.Minute)
		set(fails)
		_, err := under.Acquire(ctx, host, 0)
		require.ErrorIs(t, err, errDown, "on the other route nobody goes alone")
		_, err = under.Status(ctx, host)
		require.ErrorIs(t, err, errDown)
		require.NoError(t, under.End(ctx))

		lease, err := normal.Acquire(ctx, "c.example", 0)
		require.NoError(t, err)
		assert.True(t, lease.Gentle(), "alone")
		assert.Equal(t, 30*time.Second, lease.MaxWait(), "the visit's")
		_, err = lease.Release(ctx, ok200)
		require.NoError(t, err)

		v := l.Visit()
		lease, err = v.Acquire(ctx, host, 0)
		require.NoError(t, err)
		assert.False(t, lease.Relayed(), "nor does anybody begin to")
		assert.True(t, lease.Local())
		_, err = lease.Release(ctx, limit429)
		require.NoError(t, err)
		unknown, err := v.Acquire(ctx, "b.example", 0)
		require.NoError(t, err)
		_, err = unknown.Release(ctx, ok200)
		require.NoError(t, err)
		set(works)
		time.Sleep(time.Hour)
		for _, key := range []string{host, "b.example"} {
			lease, err = v.TryAcquire(ctx, key, 0)
			require.NoError(t, err)
			assert.False(t, lease.Relayed(), "the route stays")
			assert.False(t, lease.Local())
			assert.True(t, lease.Gentle(), "as the visit began")
			_, err = lease.Release(ctx, ok200)
			require.NoError(t, err)
		}
		lease, err = normal.TryAcquire(ctx, "c.example", 0)
		require.NoError(t, err)
		assert.False(t, lease.Gentle())
		// A limit that was met at the gentle pace, though the host was not gentle, is the first.
		time.Sleep(time.Hour)
		ask(t, v, "b.example", 0, limit429)
		time.Sleep(time.Hour)
		lease, err = l.Visit().TryAcquire(ctx, "b.example", 0)
		require.NoError(t, err)
		assert.False(t, lease.Relayed())
		assert.True(t, lease.Gentle())
	})
}

func TestG03_AWallMetWhileTheStoreFailsBarsTheRelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, set := always(works)
		l := ratepolicy.New(quarter, s)
		relayed(t, l, limit429)
		relayed(t, l, limit429)
		set(fails)
		v := l.Visit()
		lease, err := v.Acquire(t.Context(), host, 0)
		require.NoError(t, err)
		_, err = lease.Release(t.Context(), ratepolicy.Answer{Status: 403, Wall: "cloudflare"})
		require.NoError(t, err)
		require.NoError(t, v.End(t.Context()))
		set(works)
		v, over := relayed(t, l, ok200)
		assert.False(t, over)
		require.NoError(t, v.End(t.Context()))
		_, over = relayed(t, l, ok200)
		assert.True(t, over)
	})
}

func TestG03_ADamagedRecordIsMendedFromWhatAProcessKnows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, set := always(works)
		l, closed := ratepolicy.New(quarter, s), ratepolicy.New(ratepolicy.Policy{}, s)
		ask(t, l, host, 0, after(429, time.Hour))
		set(damages)
		w := refused(t, closed, host)
		assert.Equal(t, "gentle pace 2s (until 2000-01-01T00:00:02Z)", w.Why, "which knows nothing")
		w = refused(t, l, host)
		set(works)
		assert.Equal(t, "answered 429, Retry-After 3600 (until 2000-01-01T01:00:00Z)", w.Why)
		assert.Equal(t, w, refused(t, closed, host))
	})
}

func TestG03_OfALostWriteTheNextCallMakesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, set := always(losesWrite)
		l, other := ratepolicy.New(quarter, s), ratepolicy.New(quarter, s)
		lease, err := l.TryAcquire(t.Context(), host, 0)
		require.NoError(t, err)
		set(works)
		_, err = lease.Release(t.Context(), after(429, time.Hour))
		require.NoError(t, err)
		assert.Contains(t, refused(t, other, host).Why, "Retry-After 3600")
	})
}

func TestG03_ACallersContextIsNoFailureOfTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, set := always(hangsKept)
		l := ratepolicy.New(quarter, s)
		ctx, cancel := context.WithTimeoutCause(t.Context(), 100*ms, errors.New("enough"))
		defer cancel()
		_, err := l.Acquire(ctx, host, 0)
		require.EqualError(t, err, "enough")
		set(works)
		lease, err := l.TryAcquire(t.Context(), host, 0)
		require.NoError(t, err, "the turn that nobody has is given back")
		assert.False(t, lease.Local())
	})
}

func TestG03_WhileOneCallAsksTheStoreOthersGetNoTurnAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, set := always(fails)
		p := quarter
		p.FailLocal = 1
		l := ratepolicy.New(p, s)
		ask(t, l, host, 0, ok200)
		time.Sleep(10 * time.Second)
		set(slow)
		asks := make(chan *ratepolicy.Lease)
		go func() {
			lease, _ := l.TryAcquire(t.Context(), host, 0)
			asks <- lease
		}()
		time.Sleep(100 * ms)
		w := refused(t, l, host)
		assert.Equal(t, 100*ms, time.Until(w.Until))
		waits := make(chan *ratepolicy.Lease)
		go func() {
			lease, _ := l.Acquire(t.Context(), host, 0)
			waits <- lease
		}()
		lease := <-asks
		require.NotNil(t, lease)
		assert.False(t, lease.Local())
		time.Sleep(time.Second)
		_, err := lease.Release(t.Context(), ok200)
		require.NoError(t, err)
		released := time.Now()
		require.NotNil(t, <-waits)
		assert.GreaterOrEqual(t, time.Since(released), time.Second)
	})
}

func TestG03_ATurnThatEndsWhileTheStoreIsAskedIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, set := always(fails)
		p := quarter
		p.FailLocal = 1
		l, other := ratepolicy.New(p, s), ratepolicy.New(p, s)
		lease, err := l.TryAcquire(t.Context(), host, 0)
		require.NoError(t, err)
		require.True(t, lease.Local())
		time.Sleep(1100 * ms)
		set(slow)
		asked := make(chan error)
		go func() {
			_, err := l.TryAcquire(t.Context(), host, 0)
			asked <- err
		}()
		time.Sleep(100 * ms)
		_, err = lease.Release(t.Context(), ok200)
		require.NoError(t, err)
		assert.Contains(t, waitError(t, <-asked).Why, "in flight")
		set(works)
		assert.Contains(t, refused(t, other, host).Why, "in flight", "as it was told")
		assert.Contains(t, refused(t, l, host).Why, "own pace 1s")
		assert.Contains(t, refused(t, other, host).Why, "own pace 1s")
	})
}

func TestG03_AWaiterGoesBackToTheStoreAsSoonAsItIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, set := always(works)
		l := ratepolicy.New(quarter, s)
		ask(t, l, host, 0, ok200)
		set(fails)
		time.AfterFunc(500*ms, func() { set(works) })
		start := time.Now()
		lease, err := l.Acquire(t.Context(), host, 0)
		require.NoError(t, err)
		assert.False(t, lease.Local())
		assert.LessOrEqual(t, time.Since(start), 1100*ms, "alone it would be 8 s")
	})
}

func TestG03_AShareIsFromNoneToAll(t *testing.T) {
	for share, want := range map[float64]float64{0: 0, -1: 0, math.NaN(): 0, math.Inf(1): 1, 0.25: 0.25, 1: 1, 4: 1} {
		assert.Equal(t, want, ratepolicy.New(ratepolicy.Policy{FailLocal: share}, nil).Policy().FailLocal) //nolint:testifylint // exactly
	}
	synctest.Test(t, func(t *testing.T) {
		s, _ := always(fails)
		l := ratepolicy.New(ratepolicy.Policy{FailLocal: 1e-300}, s)
		w := refused(t, l, host)
		assert.Greater(t, w.Until.Year(), 2200, "a share of nothing is never")
	})
}

func TestG03_ANewerVersionsRecordIsNoFailure(t *testing.T) {
	dir := fastDir(t)
	l := ratepolicy.New(quarter, ratepolicy.Dir(dir))
	ask(t, l, host, 0, ok200)
	require.NoError(t, os.WriteFile(ratepolicy.DirFile(dir, host), ratepolicy.NewerFile(nil), 0o600))
	for range 2 {
		_, err := l.TryAcquire(t.Context(), host, 0)
		require.ErrorContains(t, err, "newer version")
	}
	s, _ := always(works)
	l = ratepolicy.New(quarter, s)
	put(t, s, host, []byte{2}, time.Hour)
	for range 2 {
		_, err := l.TryAcquire(t.Context(), host, 0)
		require.ErrorContains(t, err, "newer version")
	}
}

func TestFailedKeysAreForgotten(t *testing.T) {
	for _, share := range []float64{0, 1} {
		synctest.Test(t, func(t *testing.T) {
			s, set := always(works)
			l := ratepolicy.New(ratepolicy.Policy{FailLocal: share, Backoff: -1, GentleFor: time.Minute}, s)
			for hour := range 20 {
				for i := range 100 {
					key := fmt.Sprint(hour, i)
					lease, err := l.TryAcquire(t.Context(), key, 0)
					require.NoError(t, err)
					set(fails)
					_, _ = lease.Release(t.Context(), limit429)
					set(works)
				}
				time.Sleep(2 * time.Hour)
			}
			assert.Less(t, ratepolicy.Outages(l), 300)
		})
	}
}

// Processes on a store of which anything may go wrong at any call.
func TestG03_WhateverGoesWrongWithTheStore(t *testing.T) {
	for seed := range uint64(max(sequences(20), 2)) {
		synctest.Test(t, func(t *testing.T) { faultyLife(t, seed) })
	}
}

func faultyLife(t *testing.T, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	rate, kinds := []int{2, 10, 50, 95}[r.IntN(4)], []fault{fails, failsKept, hangs, hangsKept}
	p := ratepolicy.Policy{FailLocal: []float64{0, 0.25, 0.5}[r.IntN(3)], GentleFor: 10 * time.Minute}
	if p.FailLocal > 0 && r.IntN(2) == 0 { // else what is damaged is lost
		kinds = append(kinds, damages)
	}
	var mu sync.Mutex
	start, quiet := time.Now(), 40*time.Minute // from when on all is well
	s := newFaultyStore(func() fault {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(start) > quiet || r.IntN(100) >= rate {
			return works
		}
		return kinds[r.IntN(len(kinds))]
	})
	n := 0
	log := crawl(t, s, p, 4, quiet+20*time.Minute, func() ratepolicy.Answer {
		if n++; n%50 == 25 && time.Since(start) < quiet {
			return after(429, 90*time.Second)
		}
		return ok200
	})
	log.ordered()
	own := make(map[int]exchange)
	held := make(map[int]time.Time)
	var last, lastEnd time.Time
	for _, q := range log.requests {
		before, ok := own[q.process]
		gap := q.began.Sub(before.ended)
		switch {
		case q.began.Before(held[q.process]):
			t.Fatalf("seed %d (%v, %v): process %d asks at %v what it was told not to before %v", seed, p.FailLocal, kinds, q.process, q.began, held[q.process])
		case ok && gap < time.Second:
			t.Fatalf("seed %d: %v after its own answer", seed, gap)
		case ok && q.local && gap < time.Duration(float64(2*time.Second)/p.FailLocal):
			t.Fatalf("seed %d: alone, %v after its own answer", seed, gap)
		case q.local && q.began.Sub(start) > quiet+31*time.Second:
			t.Fatalf("seed %d: alone, though all is well", seed)
		case q.began.Sub(start) > quiet+2*time.Minute && q.began.Sub(lastEnd) < time.Second:
			t.Fatalf("seed %d: all is well, and a request %v after an answer", seed, q.began.Sub(lastEnd))
		}
		own[q.process] = q
		if q.answer.Status == 429 {
			held[q.process] = q.ended.Add(q.answer.Wait)
		}
		if last = q.began; q.ended.After(lastEnd) {
			lastEnd = q.ended
		}
	}
	if last.Sub(start) < quiet+19*time.Minute {
		t.Fatalf("seed %d: the last request was after %v", seed, last.Sub(start))
	}
}

func TestGoroutinesAloneShareOnePlace(t *testing.T) {
	var n atomic.Int64
	s := newFaultyStore(func() fault { return []fault{works, fails, failsKept}[n.Add(1)/50%3] })
	l := ratepolicy.New(ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: -1}, Gentle: ratepolicy.Pace{Delay: -1}, FailLocal: 0.5}, s)
	var wg sync.WaitGroup
	var inFlight, local atomic.Int32
	for range 8 {
		wg.Go(func() {
			for range 100 {
				lease, err := l.Acquire(t.Context(), host, 0)
				if err != nil {
					t.Error(err)
					return
				}
				if lease.Local() {
					local.Add(1)
				}
				assert.LessOrEqual(t, inFlight.Add(1), int32(1))
				time.Sleep(time.Microsecond)
				inFlight.Add(-1)
				if _, err = lease.Release(t.Context(), ok200); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	assert.Positive(t, local.Load())
}
