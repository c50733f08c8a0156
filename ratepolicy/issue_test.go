package ratepolicy_test

import (
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/ratepolicy"
)

// The tests in this file are faults that users of other tools reported, as far as they
// can be shown on a limiter alone.

// together asks with n workers at once, per requests each, and returns the arrivals.
func together(t *testing.T, l *ratepolicy.Limiter, keys []string, n, per int, latency time.Duration) map[string][]time.Duration {
	t.Helper()
	var (
		mu  sync.Mutex
		wg  sync.WaitGroup
		got = make(map[string][]time.Duration)
	)
	start := time.Now()
	for w := range n {
		wg.Go(func() {
			key := keys[w%len(keys)]
			for range per {
				lease, err := l.Acquire(t.Context(), key, 0)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				got[key] = append(got[key], time.Since(start))
				mu.Unlock()
				time.Sleep(latency)
				if _, err := lease.Release(t.Context(), ok200); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	return got
}

func every(d time.Duration, n int) (at []time.Duration) {
	for i := range n {
		at = append(at, time.Duration(i)*d)
	}
	return at
}

func TestIssue002_FastErrorsDontSpeedUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{}, nil)
		last := time.Duration(0)
		for range 10 {
			wait := time.Until(ask(t, l, plainHost, ms, limit429))
			assert.Greater(t, wait, last)
			last = wait
			time.Sleep(wait)
		}
	})
}

func TestIssue003_CrawlDelayIsObeyed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{}, nil)
		assert.Equal(t, every(10*time.Second, 3), arrivals(t, l, 3, 0, 10*time.Second))
	})
}

func TestIssue009_HostsDontShareAPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: 300 * ms}}, nil)
		got := together(t, l, []string{"a.test", "b.test"}, 2, 3, 0)
		assert.Equal(t, every(300*ms, 3), got["a.test"])
		assert.Equal(t, every(300*ms, 3), got["b.test"])
	})
}

func TestIssue010_WorkersDontMultiplyTheRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{}, nil)
		assert.Equal(t, every(time.Second, 8), together(t, l, []string{host}, 4, 2, 0)[host])
	})
}

func TestIssue012_NoWaitBetweenHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, start := ratepolicy.New(ratepolicy.Policy{}, nil), time.Now()
		ask(t, l, "a.test", 0, ok200)
		ask(t, l, "b.test", 0, ok200)
		assert.Zero(t, time.Since(start))
	})
}

func TestIssue013_ThreadsShareTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{}, nil)
		assert.Equal(t, every(1100*ms, 16), together(t, l, []string{host}, 8, 2, 100*ms)[host])
	})
}

func TestIssue014_WaitersDontWakeTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: 200 * ms, Burst: 5, Concurrency: 5}}, nil)
		at := together(t, l, []string{host}, 60, 1, 0)[host]
		require.Len(t, at, 60)
		for i := 5; i < 60; i++ {
			assert.GreaterOrEqual(t, at[i]-at[i-5], 200*ms, "more than 5 within a delay")
		}
		for i := 10; i < 60; i++ {
			assert.GreaterOrEqual(t, at[i]-at[i-10], time.Second, "more than 5 a second, and 5 once")
		}
	})
}

func TestIssue015_IdleTimeBuysNoMoreThanTheBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{Normal: ratepolicy.Pace{Burst: 2}}, nil)
		arrivals(t, l, 1, 0, 0)
		time.Sleep(30 * time.Second)
		at := arrivals(t, l, 50, 0, 0)
		assert.Equal(t, append([]time.Duration{0}, every(time.Second, 49)...), at)
	})
}

func TestIssue017_AKeyCanBePausedAndLiftedEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, start := ratepolicy.New(ratepolicy.Policy{Normal: ratepolicy.Pace{MaxWait: time.Hour, Burst: 3, Concurrency: 3}}, nil), time.Now()
		require.NoError(t, l.Hold(t.Context(), host, start.Add(time.Minute), "pause"))
		time.AfterFunc(30*time.Second, func() { _ = l.Forget(t.Context(), host) })
		at := together(t, l, []string{host}, 3, 1, 0)[host]
		assert.Equal(t, []time.Duration{30 * time.Second, 30 * time.Second, 30 * time.Second}, at, "and no token is burnt")
	})
}

func TestIssue019_AnHourIsNeitherCutNorSleptOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, start := ratepolicy.New(ratepolicy.Policy{}, nil), time.Now()
		ask(t, l, host, 0, after(429, time.Hour))
		for range 3 {
			_, err := l.Acquire(t.Context(), host, 0)
			assert.Equal(t, start.Add(time.Hour), waitError(t, err).Until)
		}
		assert.Zero(t, time.Since(start))
	})
}

func TestIssue030_OneBurstOfLimitsIsOneStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := ratepolicy.Policy{Normal: ratepolicy.Pace{Concurrency: 8, Delay: -1}}
		l, ctx := ratepolicy.New(p, nil), t.Context()
		var leases []*ratepolicy.Lease
		for range 8 {
			lease, err := l.TryAcquire(ctx, plainHost, 0)
			require.NoError(t, err)
			leases = append(leases, lease)
		}
		var opens time.Time
		for _, lease := range leases {
			var err error
			opens, err = lease.Release(ctx, limit429)
			require.NoError(t, err)
		}
		assert.Equal(t, 5*time.Second, time.Until(opens))
		time.Sleep(5 * time.Second)
		assert.Equal(t, 10*time.Second, time.Until(ask(t, l, plainHost, 0, after(429, 0))), "Retry-After 0 gets the floor")
	})
}

func TestIssue031_ALongerWaitDuringAHoldCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, ctx := ratepolicy.New(ratepolicy.Policy{Normal: ratepolicy.Pace{Concurrency: 2, Delay: -1}}, nil), t.Context()
		one, err := l.TryAcquire(ctx, host, 0)
		require.NoError(t, err)
		two, err := l.TryAcquire(ctx, host, 0)
		require.NoError(t, err)
		_, err = one.Release(ctx, after(429, 5*time.Second))
		require.NoError(t, err)
		opens, err := two.Release(ctx, after(429, time.Minute))
		require.NoError(t, err)
		assert.Equal(t, time.Minute, time.Until(opens))
	})
}

func TestIssue032_ASuccessInFlightEndsNoHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, ctx, start := ratepolicy.New(ratepolicy.Policy{Normal: ratepolicy.Pace{Concurrency: 2, Delay: -1}}, nil), t.Context(), time.Now()
		slow, err := l.TryAcquire(ctx, host, 0)
		require.NoError(t, err)
		ask(t, l, host, 0, after(429, 30*time.Second))
		time.Sleep(10 * time.Second)
		opens, err := slow.Release(ctx, ok200)
		require.NoError(t, err)
		assert.Equal(t, start.Add(30*time.Second), opens)
	})
}

func TestIssue040_QuotaLeftMeansNoWait(t *testing.T) {
	h := http.Header{}
	h.Set("X-RateLimit-Remaining", "599")
	h.Set("X-RateLimit-Reset", "1796040060")
	a := ratepolicy.ReadAnswer(&http.Response{StatusCode: 200, Header: h}, nil, time.Unix(1796040000, 0))
	assert.Equal(t, ok200, a)
}

func TestIssue047_DelayAndConcurrencyBothHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{}, nil)
		assert.Equal(t, every(1005*ms, 5), together(t, l, []string{host}, 5, 1, 5*ms)[host])
	})
}

func TestIssue054_OneOfManyTriesWins(t *testing.T) {
	l := ratepolicy.New(ratepolicy.Policy{}, nil)
	var wg sync.WaitGroup
	won := make(chan bool, 16)
	for range 16 {
		wg.Go(func() {
			_, err := l.TryAcquire(t.Context(), host, 0)
			won <- err == nil
		})
	}
	wg.Wait()
	close(won)
	n := 0
	for w := range won {
		if w {
			n++
		}
	}
	assert.Equal(t, 1, n)
}

func TestIssue058_ALongCrawlDelayIsToldNotBroken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{}, nil)
		arrivals(t, l, 1, 0, 10*time.Minute)
		_, err := l.TryAcquire(t.Context(), host, 10*time.Minute)
		assert.Equal(t, 10*time.Minute, time.Until(waitError(t, err).Until))
		assert.Equal(t, []time.Duration{10 * time.Minute}, arrivals(t, l, 1, 0, 10*time.Minute))
	})
}

func TestIssue059_EachHostOfAKeyKeepsItsOwnCrawlDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{}, nil)
		arrivals(t, l, 1, 0, 10*time.Second)
		assert.Equal(t, []time.Duration{2 * time.Second}, arrivals(t, l, 1, 0, 2*time.Second), "the other host asked for 2 s")
		assert.Equal(t, []time.Duration{10 * time.Second}, arrivals(t, l, 1, 0, 10*time.Second))
	})
}

func TestIssue074_ABlockedSendIsAnErrorAndNoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, sent := ratepolicy.New(ratepolicy.Policy{}, nil), 0
		rt := l.Transport(roundTripper(func(*http.Request) (*http.Response, error) {
			sent++
			return &http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {"600"}}, Body: http.NoBody}, nil
		}))
		for range 3 {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://a.test/", http.NoBody)
			require.NoError(t, err)
			resp, err := rt.RoundTrip(req)
			if err != nil {
				assert.Nil(t, resp)
				assert.Equal(t, "a.test", waitError(t, err).Key)
			}
		}
		assert.Equal(t, 1, sent)
	})
}

func TestIssue079_PastMaxWaitItStopsAndSaysWhen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{Gentle: ratepolicy.Pace{MaxWait: time.Minute}}, nil)
		ask(t, l, host, 0, after(429, 30*time.Minute))
		_, err := l.Acquire(t.Context(), host, 0)
		assert.Equal(t, 30*time.Minute, time.Until(waitError(t, err).Until))
	})
}
