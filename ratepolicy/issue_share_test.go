package ratepolicy_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/ratepolicy"
)

// The tests in this file are faults of limits that several hosts, scopes, workers or
// processes share.

// both takes a turn of each scope, the wider one first, makes one request and gives both
// back. It returns when the request was made.
func both(t *testing.T, ips, hosts *ratepolicy.Limiter, ip, key string) (at time.Time, err error) {
	t.Helper()
	wide, err := ips.Acquire(t.Context(), ip, 0)
	if err != nil {
		return at, err
	}
	narrow, err := hosts.Acquire(t.Context(), key, 0)
	if err != nil {
		return at, err
	}
	at = time.Now()
	_, err = narrow.Release(t.Context(), ok200)
	_, e := wide.Release(t.Context(), ok200)
	return at, errors.Join(err, e)
}

func TestIssue004_EachHostKeepsItsOwnGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, start := ratepolicy.New(ratepolicy.Policy{}, nil), time.Now()
		var wg sync.WaitGroup
		got := make([][]time.Duration, 2)
		for i, delay := range []time.Duration{0, 5 * time.Second} { // a's is the policy's, b's its own
			wg.Go(func() {
				for range 4 {
					lease, err := l.Acquire(t.Context(), []string{"a.test", "b.test"}[i], delay)
					if assert.NoError(t, err) {
						got[i] = append(got[i], time.Since(start))
						_, err = lease.Release(t.Context(), ok200)
						assert.NoError(t, err)
					}
				}
			})
		}
		wg.Wait()
		assert.Equal(t, [][]time.Duration{every(time.Second, 4), every(5*time.Second, 4)}, got)
	})
}

func TestIssue005_ScopesAddUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts := ratepolicy.New(ratepolicy.Policy{}, nil)
		ips := ratepolicy.New(ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: 3 * time.Second}}, nil)
		start := time.Now()
		var at []time.Duration
		for i := range 6 {
			asked, err := both(t, ips, hosts, "ip:192.0.2.1", []string{"a.test", "b.test"}[i%2])
			require.NoError(t, err)
			at = append(at, asked.Sub(start))
		}
		assert.Equal(t, every(3*time.Second, 6), at)
		asked, err := both(t, ips, hosts, "ip:192.0.2.2", "b.test") // another address, the same host
		require.NoError(t, err)
		assert.Equal(t, 16*time.Second, asked.Sub(start))
	})
}

func TestIssue018_TwoWeeksInFakeTime(t *testing.T) {
	took := time.Hour // the least of some runs: a busy machine lets one of them wait
	for n := 0; n < 10 && took >= time.Second; n++ {
		began := time.Now()
		twoWeeks(t)
		took = min(took, time.Since(began))
	}
	assert.Less(t, took, time.Second)
}

func twoWeeks(t *testing.T) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{}, nil)
		until := time.Now().Add(14 * day)
		ask(t, l, host, 0, after(429, time.Second))
		for time.Now().Before(until.Add(-time.Hour)) {
			time.Sleep(time.Hour)
			assert.Equal(t, 2*time.Second, time.Until(ask(t, l, host, 0, ok200)))
		}
		time.Sleep(time.Until(until))
		assert.Equal(t, time.Second, time.Until(ask(t, l, host, 0, ok200)))
	})
}

func TestIssue035_AHostThatLimitsForEverEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{}, nil)
		v, asked := l.Visit(), 0
		for {
			lease, err := v.Acquire(t.Context(), host, 0)
			if err != nil {
				w := waitError(t, err)
				assert.Equal(t, 40*time.Second, time.Until(w.Until))
				assert.Contains(t, w.Why, "answered 429, Retry-After 40")
				break
			}
			asked++
			_, err = lease.Release(t.Context(), after(429, time.Duration(10*asked)*time.Second))
			require.NoError(t, err)
		}
		assert.Equal(t, 4, asked, "10, 20 and 30 s are waited out")
	})
}

func TestIssue037_EachOfThreeHostsHasItsInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{}, nil)
		keys := []string{"a.test", "b.test", "c.test"}
		got := together(t, l, keys, 9, 3, 0)
		for _, key := range keys {
			assert.Equal(t, every(time.Second, 9), got[key], key)
		}
	})
}

func TestIssue052_HostsOfOneServerCanShareAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, start := ratepolicy.New(ratepolicy.Policy{}, nil), time.Now()
		keyOf := map[string]string{"a.test": "ip:192.0.2.1", "x.a.test": "ip:192.0.2.1"}
		for i, host := range []string{"a.test", "x.a.test", "a.test"} {
			lease, err := l.Acquire(t.Context(), keyOf[host], 0)
			require.NoError(t, err)
			assert.Equal(t, time.Duration(i)*time.Second, time.Since(start))
			_, err = lease.Release(t.Context(), ok200)
			require.NoError(t, err)
		}
	})
}

func TestIssue053_AgentsOnOneStoreShareAnAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := ratepolicy.NewMemory()
		p := ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: 3 * time.Second}}
		start := time.Now()
		var at []time.Duration
		var mu sync.Mutex
		var wg sync.WaitGroup
		for _, key := range []string{"a.test", "b.test"} { // an agent each
			hosts, ips := ratepolicy.New(ratepolicy.Policy{}, store), ratepolicy.New(p, store)
			wg.Go(func() {
				for range 5 {
					asked, err := both(t, ips, hosts, "ip:192.0.2.1", key)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					at = append(at, asked.Sub(start))
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		slices.Sort(at)
		assert.Equal(t, every(3*time.Second, 10), at)
	})
}

func TestIssue056_WorkersDontSleepOnAHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, start := ratepolicy.New(ratepolicy.Policy{}, nil), time.Now()
		ask(t, l, host, 0, after(429, 10*time.Minute))
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				assert.Equal(t, start.Add(10*time.Minute), refused(t, l, host).Until)
				ask(t, l, "w.test", 0, ratepolicy.Answer{}) // there is other work
			})
			wg.Wait()
		}
		assert.Zero(t, time.Since(start))
	})
}

func TestIssue062_WhatBindsOutlivesAnEmptyQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := ratepolicy.NewMemory()
		l := ratepolicy.New(ratepolicy.Policy{}, store)
		var opens time.Time
		for range 3 {
			time.Sleep(time.Until(opens))
			opens = ask(t, l, plainHost, 0, ratepolicy.Answer{Status: 503})
		}
		time.Sleep(19 * time.Second) // idle, and started again
		l = ratepolicy.New(ratepolicy.Policy{}, store)
		w := refused(t, l, plainHost)
		assert.Equal(t, time.Second, time.Until(w.Until), "of 20 s after the third")
		assert.Contains(t, w.Why, "answered 503 without a wait, own backoff")
	})
}

func TestIssue064_AHeldHostSaysWhyAndUntilWhen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{}, nil)
		ask(t, l, host, 0, after(429, 2*time.Hour))
		s, err := l.Status(t.Context(), host)
		require.NoError(t, err)
		assert.Equal(t, "a.example: gentle; gentle since it limited the rate (until 2000-01-15T00:00:00Z); "+
			"answered 429, Retry-After 7200 (until 2000-01-01T02:00:00Z); gentle pace 2s (until 2000-01-01T00:00:02Z)", s.String())
		assert.Equal(t, 2*time.Hour, time.Until(s.Opens))
	})
}

func TestIssue068_VisitsOfOneHostShareOneLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, start := ratepolicy.New(ratepolicy.Policy{}, nil), time.Now()
		var at []time.Duration
		var wg sync.WaitGroup
		for range 2 {
			v := l.Visit()
			wg.Go(func() {
				for range 5 {
					lease, err := v.Acquire(t.Context(), host, 0)
					if assert.NoError(t, err) {
						at = append(at, time.Since(start))
						_, err = lease.Release(t.Context(), ok200)
						assert.NoError(t, err)
					}
				}
				assert.NoError(t, v.End(t.Context()))
			})
		}
		wg.Wait()
		assert.Equal(t, every(time.Second, 10), at)
	})
}

func TestIssue069_ProcessesUseTheWholeRateAndNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const delay = time.Minute / 33
		store, start := ratepolicy.NewMemory(), time.Now()
		var at []time.Duration
		var wg sync.WaitGroup
		for range 3 {
			l := ratepolicy.New(ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: delay}}, store)
			wg.Go(func() {
				for time.Since(start) < 10*time.Minute {
					lease, err := l.Acquire(t.Context(), host, 0)
					if assert.NoError(t, err) {
						at = append(at, time.Since(start))
						_, err = lease.Release(t.Context(), ok200)
						assert.NoError(t, err)
					}
				}
			})
		}
		wg.Wait()
		n := 0
		for i, d := range at {
			if d < 10*time.Minute {
				n++
			}
			if i > 0 {
				assert.GreaterOrEqual(t, d-at[i-1], delay)
			}
		}
		assert.GreaterOrEqual(t, n, 327, "99 % of 330")
		assert.LessOrEqual(t, n, 331)
	})
}

func TestIssue071_ALeaseThatRanOutDoesntComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: -1}, LeaseFor: 20 * time.Second, GentleFor: -1, Backoff: -1}
		l := ratepolicy.New(p, nil)
		paused, err := l.TryAcquire(t.Context(), host, 0)
		require.NoError(t, err)
		time.Sleep(21 * time.Second)
		lease, err := l.TryAcquire(t.Context(), host, 0)
		require.NoError(t, err)
		inFlight := func() int {
			s, err := l.Status(t.Context(), host)
			require.NoError(t, err)
			return s.InFlight
		}
		require.NoError(t, paused.Answered(t.Context(), limit429))
		assert.Equal(t, 1, inFlight())
		_, err = paused.Release(t.Context(), ok200)
		require.NoError(t, err)
		assert.Equal(t, 1, inFlight(), "the other's")
		_, err = lease.Release(t.Context(), ok200)
		require.NoError(t, err)
		assert.Zero(t, inFlight())
	})
}

func TestIssue072_LosersChangeNothing(t *testing.T) {
	p := ratepolicy.Policy{Normal: ratepolicy.Pace{Concurrency: 3, Delay: -1}, LeaseFor: time.Hour}
	store := ratepolicy.NewMemory()
	won := make(chan *ratepolicy.Lease, 32)
	var wg sync.WaitGroup
	for range 32 {
		l := ratepolicy.New(p, store)
		wg.Go(func() {
			if lease, err := l.TryAcquire(t.Context(), host, 0); err == nil {
				won <- lease
			}
		})
	}
	wg.Wait()
	require.Len(t, won, 3)
	l := ratepolicy.New(p, store)
	before := record(t, store)
	for range 10 {
		refused(t, l, host)
	}
	assert.Equal(t, before, record(t, store))
	for range 3 {
		_, err := (<-won).Release(t.Context(), ok200)
		require.NoError(t, err)
	}
	s, err := l.Status(t.Context(), host)
	require.NoError(t, err)
	assert.Zero(t, s.InFlight)
}

func record(t *testing.T, s ratepolicy.Store) string {
	t.Helper()
	rec, _ := look(t, s, host)
	return string(rec)
}

func TestIssue073_WorkersClocksDontMatter(t *testing.T) {
	for _, ahead := range []time.Duration{-30 * time.Second, 0, 30 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			// The store's clock against the workers'.
			s := &clockStore{testStore: newTestStore(), ahead: ahead}
			var got []time.Duration
			var wg sync.WaitGroup
			start := time.Now()
			for range 2 {
				l := ratepolicy.New(ratepolicy.Policy{}, s)
				wg.Go(func() {
					for range 5 {
						lease, err := l.Acquire(t.Context(), host, 0)
						if assert.NoError(t, err) {
							got = append(got, time.Since(start))
							_, err = lease.Release(t.Context(), ok200)
							assert.NoError(t, err)
						}
					}
				})
			}
			wg.Wait()
			assert.Equal(t, every(time.Second, 10), got, "%v", ahead)
			l := ratepolicy.New(ratepolicy.Policy{}, s)
			assert.Equal(t, time.Second, time.Until(refused(t, l, host).Until), "waits are told in the worker's clock")
		})
	}
}

func TestIssue080_ChecksDueTogetherAreSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{}, nil)
		assert.Equal(t, every(time.Second, 50), together(t, l, []string{host}, 50, 1, 0)[host])
	})
}
