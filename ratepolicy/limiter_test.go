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

const host = "a.example"

var (
	ok200    = ratepolicy.Answer{Status: 200}
	limit429 = ratepolicy.Answer{Status: 429}
)

// after returns an answer that asks for a wait in Retry-After.
func after(status int, wait time.Duration) ratepolicy.Answer {
	return ratepolicy.Answer{Status: status, Wait: wait, From: "Retry-After"}
}

// ask makes one request of the given latency, without waiting for a turn.
func ask(t *testing.T, l *ratepolicy.Limiter, key string, latency time.Duration, a ratepolicy.Answer) time.Time {
	t.Helper()
	lease, err := l.TryAcquire(t.Context(), key, 0)
	require.NoError(t, err)
	time.Sleep(latency)
	opens, err := lease.Release(t.Context(), a)
	require.NoError(t, err)
	return opens
}

// refused returns the WaitError of a try.
func refused(t *testing.T, l *ratepolicy.Limiter, key string) *ratepolicy.WaitError {
	t.Helper()
	lease, err := l.TryAcquire(t.Context(), key, 0)
	require.Nil(t, lease)
	return waitError(t, err)
}

func waitError(t *testing.T, err error) *ratepolicy.WaitError {
	t.Helper()
	w, ok := errors.AsType[*ratepolicy.WaitError](err)
	require.True(t, ok, "%v is no WaitError", err)
	return w
}

// arrivals sends n requests one after the other and returns when they were granted,
// counted from now.
func arrivals(t *testing.T, l *ratepolicy.Limiter, n int, latency, crawl time.Duration) (at []time.Duration) {
	t.Helper()
	start := time.Now()
	for range n {
		lease, err := l.Acquire(t.Context(), host, crawl)
		require.NoError(t, err)
		at = append(at, time.Since(start))
		time.Sleep(latency)
		_, err = lease.Release(t.Context(), ok200)
		require.NoError(t, err)
	}
	return at
}

const ms = time.Millisecond

func TestDelayRunsFromTheAnswersEnd(t *testing.T) {
	for _, tt := range []struct {
		name    string
		pace    ratepolicy.Pace
		latency time.Duration
		crawl   time.Duration
		want    []time.Duration
	}{
		{"zero pace: a second", ratepolicy.Pace{}, 200 * ms, 0, []time.Duration{0, 1200 * ms, 2400 * ms}},
		{"0.3 s", ratepolicy.Pace{Delay: 300 * ms}, 100 * ms, 0, []time.Duration{0, 400 * ms, 800 * ms}},
		{"none", ratepolicy.Pace{Delay: -1}, 100 * ms, 0, []time.Duration{0, 100 * ms, 200 * ms}},
		{"burst of 2", ratepolicy.Pace{Burst: 2}, 100 * ms, 0, []time.Duration{0, 100 * ms, 1100 * ms, 2100 * ms}},
		{"burst of 3, slow answers", ratepolicy.Pace{Burst: 3}, 2 * time.Second, 0, []time.Duration{0, 2000 * ms, 4000 * ms, 6000 * ms}},
		{"Crawl-delay above the delay", ratepolicy.Pace{Burst: 2}, 100 * ms, 5 * time.Second, []time.Duration{0, 5100 * ms, 10200 * ms}},
		{"Crawl-delay below the delay", ratepolicy.Pace{Burst: 2}, 100 * ms, 500 * ms, []time.Duration{0, 1100 * ms, 2200 * ms}},
		{"Crawl-delay with no delay", ratepolicy.Pace{Delay: -1, Burst: 2}, 100 * ms, 500 * ms, []time.Duration{0, 600 * ms, 1200 * ms}},
		{"a negative Crawl-delay is none", ratepolicy.Pace{Delay: -1}, 100 * ms, -time.Second, []time.Duration{0, 100 * ms, 200 * ms}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := ratepolicy.New(ratepolicy.Policy{Normal: tt.pace}, nil)
				assert.Equal(t, tt.want, arrivals(t, l, len(tt.want), tt.latency, tt.crawl))
			})
		})
	}
}

func TestRemovedCrawlDelayEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{}, nil)
		arrivals(t, l, 2, 0, time.Minute)
		assert.Equal(t, []time.Duration{time.Second}, arrivals(t, l, 1, 0, 0))
		assert.Equal(t, []time.Duration{time.Minute}, arrivals(t, l, 1, 0, time.Minute))
	})
}

func TestConcurrencyBoundsRequestsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{Normal: ratepolicy.Pace{Concurrency: 2, Delay: -1}}, nil)
		ctx := t.Context()
		one, err := l.TryAcquire(ctx, host, 0)
		require.NoError(t, err)
		_, err = l.TryAcquire(ctx, host, 0)
		require.NoError(t, err)
		w := refused(t, l, host)
		assert.Equal(t, "2 of 2 requests in flight", w.Why)
		assert.True(t, w.Until.After(time.Now()))

		_, err = l.TryAcquire(ctx, "b.example", 0)
		require.NoError(t, err, "another host is untouched")

		_, err = one.Release(ctx, ok200)
		require.NoError(t, err)
		_, err = l.TryAcquire(ctx, host, 5*time.Second)
		assert.Equal(t, "1 of 1 requests in flight", waitError(t, err).Why, "Crawl-delay: one at a time")
		_, err = l.TryAcquire(ctx, host, 0)
		require.NoError(t, err)
	})
}

// Nobody knows when a place is free; but not what comes after.
func TestUntilWhileEveryPlaceIsTaken(t *testing.T) {
	for name, tt := range map[string]struct {
		pace ratepolicy.Pace
		want time.Duration
	}{
		"one at a time": {ratepolicy.Pace{Delay: 3 * time.Second}, 3 * time.Second},
		"a burst":       {ratepolicy.Pace{Delay: 3 * time.Second, Concurrency: 2, Burst: 2}, 100 * ms},
		"no delay":      {ratepolicy.Pace{Delay: -1}, 100 * ms},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := ratepolicy.New(ratepolicy.Policy{Normal: tt.pace}, nil)
			for range max(tt.pace.Concurrency, 1) {
				_, err := l.TryAcquire(t.Context(), host, 0)
				require.NoError(t, err)
			}
			time.Sleep(10 * time.Second)
			assert.Equal(t, tt.want, time.Until(refused(t, l, host).Until), name)
		})
	}
}

func TestHoldPastMaxWaitIsToldAtOnceAndKeptWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{GentleFor: -1}, nil)
		until := time.Now().Add(time.Hour)
		assert.Equal(t, until, ask(t, l, host, 0, after(429, time.Hour)))
		start := time.Now()
		_, err := l.Acquire(t.Context(), host, 0)
		w := waitError(t, err)
		assert.Equal(t, ratepolicy.WaitError{
			Key: host, Until: until, Why: "answered 429, Retry-After 3600 (until 2000-01-01T01:00:00Z)", Held: true,
		}, *w)
		assert.Equal(t, start, time.Now())
		time.Sleep(time.Hour - time.Nanosecond)
		refused(t, l, host)
		time.Sleep(time.Nanosecond)
		ask(t, l, host, 0, ok200)
	})
}

func TestHoldWithinMaxWaitIsSatOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{GentleFor: -1}, nil)
		ask(t, l, host, 0, after(503, 30*time.Second))
		assert.Equal(t, []time.Duration{30 * time.Second}, arrivals(t, l, 1, 0, 0))
		ask2 := ratepolicy.New(ratepolicy.Policy{Normal: ratepolicy.Pace{MaxWait: -1}, GentleFor: -1}, nil)
		ask(t, ask2, host, 0, after(429, 2*time.Second))
		_, err := ask2.Acquire(t.Context(), host, 0)
		waitError(t, err)
	})
}

func TestWhichAnswersHoldTheKey(t *testing.T) {
	const wait = 10 * time.Minute
	delay := time.Second
	for _, tt := range []struct {
		name   string
		answer ratepolicy.Answer
		opens  time.Duration
		gentle bool
	}{
		{"nothing was sent", ratepolicy.Answer{}, 0, false},
		{"200", ok200, delay, false},
		{"429", after(429, wait), wait, true},
		{"429 without a wait", limit429, 5 * time.Second, true},
		{"429, Retry-After 0", after(429, 0), 5 * time.Second, true},
		{"503 with a wait", after(503, wait), wait, true},
		{"503, Retry-After 0", after(503, 0), 5 * time.Second, true},
		{"503", ratepolicy.Answer{Status: 503}, 5 * time.Second, false},
		{"500", ratepolicy.Answer{Status: 500}, delay, false},
		{"500 with a wait", after(500, wait), wait, false},
		{"403", ratepolicy.Answer{Status: 403}, delay, false},
		{"403 with a wait", after(403, wait), wait, false},
		{"401 with a wait", after(401, wait), wait, false},
		{"407 with a wait", after(407, wait), wait, false},
		{"451 with a wait", after(451, wait), wait, false},
		{"999 with a wait", after(999, wait), wait, false},
		{"302 with a wait binds the hop alone", after(302, wait), delay, false},
		{"202 with a wait binds the resource alone", after(202, wait), delay, false},
		{"200 with a used-up quota", ratepolicy.Answer{Status: 200, Wait: wait, From: "RateLimit"}, wait, false},
		{"walled 429", ratepolicy.Answer{Status: 429, Wall: "cloudflare"}, delay, false},
		{"walled 429 with a wait", ratepolicy.Answer{Status: 429, Wall: "w", Wait: wait, From: "Retry-After"}, wait, false},
		{"no answer", ratepolicy.Answer{Err: context.DeadlineExceeded}, delay, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := ratepolicy.New(ratepolicy.Policy{Gentle: ratepolicy.Pace{Delay: ms}}, nil)
				key := plainHost
				start := time.Now()
				opens := ask(t, l, key, 0, tt.answer)
				assert.Equal(t, tt.opens, opens.Sub(start))
				s, err := l.Status(t.Context(), key)
				require.NoError(t, err)
				assert.Equal(t, tt.gentle, s.Mode == ratepolicy.ModeGentle)
			})
		})
	}
}

// plainHost is a key whose backoff has nothing added: its hash is 0 modulo 1024.
const plainHost = "h357.example"

func TestNothingButForgetShortensAHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := ratepolicy.Policy{Normal: ratepolicy.Pace{Concurrency: 4, Delay: -1}, GentleFor: -1}
		l, ctx, start := ratepolicy.New(p, nil), t.Context(), time.Now()
		var leases []*ratepolicy.Lease
		for range 4 {
			lease, err := l.TryAcquire(ctx, host, 0)
			require.NoError(t, err)
			leases = append(leases, lease)
		}
		for i, a := range []ratepolicy.Answer{after(429, time.Minute), after(429, time.Second), ok200, after(503, 30*time.Second)} {
			time.Sleep(ms)
			opens, err := leases[i].Release(ctx, a)
			require.NoError(t, err)
			assert.Equal(t, start.Add(time.Minute+ms), opens)
		}
		require.NoError(t, l.Hold(ctx, host, start.Add(time.Hour), "the owner called"))
		require.NoError(t, l.Hold(ctx, host, start.Add(time.Second), "earlier"))
		w := refused(t, l, host)
		assert.Equal(t, start.Add(time.Hour), w.Until)
		assert.Equal(t, "held: the owner called (until 2000-01-01T01:00:00Z)", w.Why)
		require.NoError(t, l.Forget(ctx, host))
		ask(t, l, host, 0, ok200)
	})
}

func TestForgetKeepsTurnsAndDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, ctx := ratepolicy.New(ratepolicy.Policy{}, nil), t.Context()
		lease, err := l.TryAcquire(ctx, host, 0)
		require.NoError(t, err)
		require.NoError(t, l.Forget(ctx, host))
		assert.Contains(t, refused(t, l, host).Why, "in flight")
		_, err = lease.Release(ctx, ok200)
		require.NoError(t, err)
		require.NoError(t, l.Forget(ctx, host))
		w := refused(t, l, host)
		assert.Equal(t, time.Now().Add(time.Second), w.Until)
		assert.Equal(t, "own pace 1s (until 2000-01-01T00:00:01Z)", w.Why)
		assert.EqualError(t, w, "ratepolicy: "+host+": not before 2000-01-01T00:00:01Z: own pace 1s")
	})
}

func TestHoldCountsFromTheAnswersHead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := ratepolicy.Policy{Normal: ratepolicy.Pace{Concurrency: 2, Delay: -1}, GentleFor: -1}
		l, ctx, start := ratepolicy.New(p, nil), t.Context(), time.Now()
		lease, err := l.TryAcquire(ctx, host, 0)
		require.NoError(t, err)
		require.NoError(t, lease.Answered(ctx, after(429, 20*time.Second)))
		assert.Equal(t, start.Add(20*time.Second), refused(t, l, host).Until, "the body is still open")
		time.Sleep(15 * time.Second)
		opens, err := lease.Release(ctx, after(429, 20*time.Second))
		require.NoError(t, err)
		assert.Equal(t, start.Add(20*time.Second), opens)

		lease, err = l.Acquire(ctx, host, 0)
		require.NoError(t, err)
		require.NoError(t, lease.Answered(ctx, after(429, time.Minute)))
		require.NoError(t, l.Forget(ctx, host))
		_, err = lease.Release(ctx, ratepolicy.Answer{Err: context.DeadlineExceeded})
		require.NoError(t, err)
		ask(t, l, host, 0, ok200)
	})
}

func TestGentleModeLasts14DaysFromTheLastLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const day = 24 * time.Hour
		p := ratepolicy.Policy{Normal: ratepolicy.Pace{Concurrency: 2, Delay: -1}}
		l := ratepolicy.New(p, nil)
		gap := func() time.Duration {
			at := arrivals(t, l, 2, 100*ms, 0)
			return at[1] - at[0] - 100*ms
		}
		assert.Zero(t, gap())
		ask(t, l, host, 0, after(429, time.Second))
		time.Sleep(13 * day)
		assert.Equal(t, 2*time.Second, gap())
		time.Sleep(time.Minute)
		ask(t, l, host, 0, after(503, time.Second))
		time.Sleep(14*day - time.Minute)
		assert.Equal(t, 2*time.Second, gap())
		time.Sleep(time.Minute)
		assert.Zero(t, gap())
	})
}

func TestBackoffDoublesAndASuccessEndsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, key := ratepolicy.New(ratepolicy.Policy{GentleFor: -1}, nil), plainHost
		next := func(a ratepolicy.Answer) time.Duration {
			start := time.Now()
			opens := ask(t, l, key, 0, a)
			time.Sleep(time.Until(opens))
			return opens.Sub(start)
		}
		for _, want := range []time.Duration{5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600} {
			assert.Equal(t, want*time.Second, next(limit429))
		}
		assert.Equal(t, time.Second, next(ok200))
		assert.Equal(t, 5*time.Second, next(ratepolicy.Answer{Status: 503}))
		time.Sleep(25 * time.Hour)
		assert.Equal(t, 5*time.Second, next(limit429), "a day later it is another streak")

		v := l.Visit()
		for _, want := range []time.Duration{10, 20, 30, 30} {
			start := time.Now()
			assert.Equal(t, want*time.Second, ask(t, v, key, 0, limit429).Sub(start), "a visit waits it out")
			time.Sleep(want * time.Second)
		}
	})
}

func TestVisitKeepsItsPaceButForItsOwnLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		l := ratepolicy.New(ratepolicy.Policy{Normal: ratepolicy.Pace{Concurrency: 2, Delay: -1}}, nil)
		v := l.Visit()
		pace := func(l *ratepolicy.Limiter) ratepolicy.Pace {
			s, err := l.Status(ctx, host)
			require.NoError(t, err)
			return s.Pace
		}
		ask(t, v, host, 0, ok200)
		assert.Equal(t, ratepolicy.Pace{Concurrency: 2, Delay: -1, Burst: 1, MaxWait: 30 * time.Second}, pace(v))
		ask(t, v, host, 0, after(503, 0))
		assert.Equal(t, ratepolicy.Pace{Concurrency: 1, Delay: 2 * time.Second, Burst: 1, MaxWait: 30 * time.Second}, pace(v))
		assert.Equal(t, ratepolicy.Pace{Concurrency: 1, Delay: 2 * time.Second, Burst: 1, MaxWait: time.Minute}, pace(l))
		time.Sleep(10 * time.Second)
		ask(t, v, host, 0, ok200)
		assert.Equal(t, time.Now().Add(2*time.Second), refused(t, v, host).Until)

		require.NoError(t, l.Forget(ctx, host))
		time.Sleep(2 * time.Second)
		v = l.Visit()
		ask(t, v, host, 0, ratepolicy.Answer{Status: 503})
		time.Sleep(10 * time.Second)
		ask(t, v, host, 0, ok200)
		assert.Equal(t, ratepolicy.Pace{Concurrency: 1, Delay: -1, Burst: 1, MaxWait: 30 * time.Second}, pace(v), "unavailable: serial, not gentle")
		assert.Equal(t, 2, pace(l).Concurrency)
	})
}

func TestAcquireServesInOrderOfArrival(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, ctx, start := ratepolicy.New(ratepolicy.Policy{}, nil), t.Context(), time.Now()
		var (
			wg    sync.WaitGroup
			order []int
			at    []time.Duration
		)
		ask(t, l, host, 0, ok200)
		for i := range 20 {
			wg.Go(func() {
				lease, err := l.Acquire(ctx, host, 0)
				if assert.NoError(t, err) {
					order, at = append(order, i), append(at, time.Since(start))
					time.Sleep(100 * ms)
					_, err = lease.Release(ctx, ok200)
					assert.NoError(t, err)
				}
			})
			synctest.Wait()
		}
		w := refused(t, l, host)
		assert.Equal(t, start.Add(21*time.Second), w.Until, "never before the line")
		wg.Wait()
		for i := range order {
			assert.Equal(t, i, order[i])
			assert.Equal(t, time.Second+time.Duration(i)*1100*ms, at[i])
		}
	})
}

func TestHoldMovesEveryWaiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, ctx, start := ratepolicy.New(ratepolicy.Policy{}, nil), t.Context(), time.Now()
		ask(t, l, host, 0, ok200)
		var wg sync.WaitGroup
		got := make([]time.Duration, 3)
		for i := range got {
			wg.Go(func() {
				lease, err := l.Acquire(ctx, host, 0)
				if assert.NoError(t, err) {
					got[i] = time.Since(start)
					lease.Release(ctx, ok200)
				}
			})
			synctest.Wait()
		}
		require.NoError(t, l.Hold(ctx, host, start.Add(25*time.Second), "be quiet"))
		time.Sleep(10 * time.Second)
		assert.Equal(t, make([]time.Duration, 3), got)
		require.NoError(t, l.Forget(ctx, host))
		wg.Wait()
		assert.Equal(t, []time.Duration{10 * time.Second, 11 * time.Second, 12 * time.Second}, got, "lifting wakes them")

		lease, err := l.Acquire(ctx, host, 0)
		require.NoError(t, err)
		for range 3 {
			wg.Go(func() {
				_, err := l.Acquire(ctx, host, 0)
				w := waitError(t, err)
				assert.Equal(t, time.Now().Add(time.Hour), w.Until)
			})
		}
		synctest.Wait()
		_, err = lease.Release(ctx, after(429, time.Hour))
		require.NoError(t, err)
		wg.Wait()
	})
}

func TestAcquireEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, start := ratepolicy.New(ratepolicy.Policy{}, nil), time.Now()
		ask(t, l, host, 0, ok200)
		cause := errors.New("enough")

		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(500*ms, func() { cancel(cause) })
		_, err := l.Acquire(ctx, host, 0)
		require.ErrorIs(t, err, cause)
		assert.Equal(t, 500*ms, time.Since(start))
		_, err = l.Acquire(ctx, host, 0)
		require.ErrorIs(t, err, cause, "ended before it came")

		ctx, stop := context.WithTimeout(t.Context(), 400*ms)
		defer stop()
		_, err = l.Acquire(ctx, host, 0)
		assert.Equal(t, start.Add(time.Second), waitError(t, err).Until)
		assert.Equal(t, 500*ms, time.Since(start), "told at once")

		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				lease, err := l.Acquire(t.Context(), host, 0)
				if assert.NoError(t, err) {
					lease.Release(t.Context(), ok200)
				}
			})
		}
		synctest.Wait()
		ctx, stop = context.WithTimeout(t.Context(), 5*time.Second)
		defer stop()
		_, err = l.Acquire(ctx, host, 0)
		assert.Equal(t, start.Add(6*time.Second), waitError(t, err).Until, "the line counts")
		wg.Wait()
	})
}

func TestLeaseRunsOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, ctx, start := ratepolicy.New(ratepolicy.Policy{LeaseFor: 20 * time.Second}, nil), t.Context(), time.Now()
		dead, err := l.Acquire(ctx, host, 0)
		require.NoError(t, err)
		lease, err := l.Acquire(ctx, host, 0)
		require.NoError(t, err)
		assert.Equal(t, 21*time.Second, time.Since(start))
		_, err = dead.Release(ctx, after(429, time.Hour))
		require.NoError(t, err, "what it heard still counts")
		assert.Contains(t, refused(t, l, host).Why, "Retry-After 3600")
		s, err := l.Status(ctx, host)
		require.NoError(t, err)
		assert.Equal(t, 1, s.InFlight, "and frees nobody else's place")
		_, err = lease.Release(ctx, ok200)
		require.NoError(t, err)
	})
}

func TestReleaseCountsOnceAndWithAnEndedContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		lease, err := l.Acquire(ctx, host, 0)
		require.NoError(t, err)
		cancel()
		opens, err := lease.Release(ctx, ok200)
		require.NoError(t, err)
		assert.Equal(t, time.Now().Add(time.Second), opens)
		opens, err = lease.Release(ctx, after(429, time.Hour))
		require.NoError(t, err)
		assert.Zero(t, opens)
		require.NoError(t, lease.Answered(ctx, after(429, time.Hour)))
		assert.Equal(t, time.Now().Add(time.Second), refused(t, l, host).Until)
	})
}

func TestATurnGivenBackLeavesNoTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{}, nil)
		for range 3 {
			opens := ask(t, l, host, time.Second, ratepolicy.Answer{})
			assert.Equal(t, time.Now(), opens)
		}
	})
}

func TestGentleModeThatEndsBeforeTheTurnOpensItEarlier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := ratepolicy.Policy{Gentle: ratepolicy.Pace{Delay: time.Hour}, GentleFor: time.Minute}
		l, start := ratepolicy.New(p, nil), time.Now()
		opens := ask(t, l, host, 0, after(429, time.Second))
		assert.Equal(t, start.Add(time.Minute), opens, "not in an hour")
		assert.Equal(t, opens, refused(t, l, host).Until)
		assert.Equal(t, []time.Duration{time.Minute}, arrivals(t, l, 1, 0, 0))
	})
}

func TestASuccessFromBeforeEndsNoStreak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := ratepolicy.Policy{Normal: ratepolicy.Pace{Concurrency: 2, Delay: -1}, GentleFor: -1}
		l, ctx := ratepolicy.New(p, nil), t.Context()
		slow, err := l.TryAcquire(ctx, plainHost, 0)
		require.NoError(t, err)
		ask(t, l, plainHost, 0, limit429)
		time.Sleep(5 * time.Second)
		_, err = slow.Release(ctx, ok200)
		require.NoError(t, err)
		assert.Equal(t, 10*time.Second, time.Until(ask(t, l, plainHost, 0, limit429)))
	})
}

func TestASuccessForgetsNoBackoffThatALateAnswerBegan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, busy := t.Context(), ratepolicy.Answer{Status: 503}
		l := ratepolicy.New(ratepolicy.Policy{
			Normal: ratepolicy.Pace{Concurrency: 2, Delay: -1}, Backoff: 3 * time.Hour, LeaseFor: time.Minute,
		}, nil)
		late, err := l.TryAcquire(ctx, host, 0)
		require.NoError(t, err)
		ask(t, l, host, 0, busy)
		time.Sleep(4 * time.Hour) // its turn has run out
		next, err := l.TryAcquire(ctx, host, 0)
		require.NoError(t, err)
		opens, err := late.Release(ctx, busy) // of the first event
		require.NoError(t, err)
		assert.GreaterOrEqual(t, time.Until(opens), 3*time.Hour)
		_, err = next.Release(ctx, ok200)
		require.NoError(t, err)
		time.Sleep(2 * time.Hour)
		w := refused(t, l, host)
		assert.Equal(t, opens, w.Until)
		assert.Contains(t, w.Why, "answered 503 without a wait")
	})
}

func TestTryAcquireNeverGoesBeforeAWaiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, start := ratepolicy.New(ratepolicy.Policy{}, nil), time.Now()
		ask(t, l, host, 0, ok200)
		var got time.Duration
		go func() {
			if lease, err := l.Acquire(t.Context(), host, 10*time.Second); err == nil {
				got = time.Since(start)
				_, _ = lease.Release(t.Context(), ok200)
			}
		}()
		synctest.Wait()
		time.Sleep(2 * time.Second) // open, but for the one in line
		w := refused(t, l, host)
		assert.Equal(t, "others wait before", w.Why)
		assert.True(t, w.Until.After(time.Now()))
		time.Sleep(8 * time.Second)
		synctest.Wait()
		assert.Equal(t, 10*time.Second, got)
	})
}

func TestAHoldIsToldAtOnceToWhoeverWontSitItOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, ctx, start := ratepolicy.New(ratepolicy.Policy{}, nil), t.Context(), time.Now()
		v := l.Visit()
		ask(t, v, host, 0, ok200) // its MaxWait is 30 s to the end
		time.Sleep(time.Second)
		lease, err := l.TryAcquire(ctx, host, 0)
		require.NoError(t, err)
		var wg sync.WaitGroup
		wg.Go(func() { // gentle by then: 60 s
			if lease, err := l.Acquire(ctx, host, 0); assert.NoError(t, err) {
				assert.Equal(t, 46*time.Second, time.Since(start))
				_, _ = lease.Release(ctx, ok200)
			}
		})
		synctest.Wait()
		wg.Go(func() {
			_, err := v.Acquire(ctx, host, 0)
			assert.Equal(t, start.Add(46*time.Second), waitError(t, err).Until)
			assert.Equal(t, time.Second, time.Since(start))
		})
		synctest.Wait()
		_, err = lease.Release(ctx, after(429, 45*time.Second))
		require.NoError(t, err)
		wg.Wait()
	})
}

func TestAVisitSlowsDownForALimitMetElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: -1, Concurrency: 2}}, nil)
		v := l.Visit()
		ask(t, v, host, 0, ok200)
		time.Sleep(time.Second)
		ask(t, l, host, 0, after(429, time.Second))
		time.Sleep(2 * time.Second)
		for range 3 {
			ask(t, v, host, 0, ok200)
			assert.Equal(t, 2*time.Second, time.Until(refused(t, v, host).Until))
			time.Sleep(2 * time.Second)
		}
	})
}

func TestForgetDoesntSpeedUpAVisitUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: -1, Concurrency: 2}}, nil)
		v := l.Visit()
		ask(t, v, host, 0, after(429, time.Hour))
		require.NoError(t, l.Forget(t.Context(), host))
		assert.Equal(t, 2*time.Second, time.Until(refused(t, v, host).Until))
	})
}

func TestThePolicyInForceIsAPolicy(t *testing.T) {
	for name, p := range map[string]ratepolicy.Policy{
		"zero": {},
		"none": {
			Normal: ratepolicy.Pace{Delay: -1, MaxWait: -1}, Gentle: ratepolicy.Pace{Delay: -time.Hour, MaxWait: -1},
			Relay: ratepolicy.Pace{Delay: -1, MaxWait: -1}, GentleFor: -1, Backoff: -1, LeaseFor: -1, RelayAfter: -1, FailLocal: -1,
		},
		"full": {Normal: ratepolicy.Pace{Concurrency: 2, Delay: 3, Burst: 4, MaxWait: 5}, GentleFor: 6, Backoff: 7, LeaseFor: 8, RelayAfter: 9, FailLocal: 1},
	} {
		got := ratepolicy.New(p, nil).Policy()
		assert.Equal(t, got, ratepolicy.New(got, nil).Policy(), name)
	}
	assert.Negative(t, ratepolicy.New(ratepolicy.Policy{GentleFor: -1}, nil).Policy().GentleFor)
	assert.Equal(t, time.Second, ratepolicy.New(ratepolicy.Policy{}, nil).Policy().Normal.Delay)
}
