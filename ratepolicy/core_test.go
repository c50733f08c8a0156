package ratepolicy_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/ratepolicy"
)

// With no holds at least 99 % of 1/(delay+latency) is used, however many wait.
func TestPaceIsUsed(t *testing.T) {
	for _, tt := range []struct {
		pace ratepolicy.Pace
		want time.Duration // for 1000 requests of 150 ms
	}{
		{ratepolicy.Pace{}, 1000 * 1150 * ms},
		{ratepolicy.Pace{Burst: 2, Concurrency: 2}, 1000 * time.Second},
		{ratepolicy.Pace{Burst: 2}, 1000 * time.Second},
		{ratepolicy.Pace{Delay: -1, Concurrency: 4}, 250 * 150 * ms},
	} {
		synctest.Test(t, func(t *testing.T) {
			l, start := ratepolicy.New(ratepolicy.Policy{Normal: tt.pace}, nil), time.Now()
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					for range 125 {
						lease, err := l.Acquire(t.Context(), host, 0)
						if err != nil {
							t.Error(err)
							return
						}
						time.Sleep(150 * ms)
						lease.Release(t.Context(), ok200)
					}
				})
			}
			wg.Wait()
			assert.LessOrEqual(t, time.Since(start), tt.want*100/99, "%+v", tt.pace)
		})
	}
}

// The answers of requests that were in flight together make the same holds in any order.
func TestHoldsDontDependOnTheOrderOfArrival(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	pool := []ratepolicy.Answer{
		{Status: 404},
		ok200, limit429,
		{Status: 503},
		after(429, 0), after(429, time.Second), after(503, 20*time.Second),
		after(403, 40*time.Second),
		{Status: 200, Wait: 9 * time.Second, From: "RateLimit"},
		{Status: 429, Wall: "w"},
	}
	for range sequences(2000) {
		n := 2 + r.IntN(7)
		answers := make([]ratepolicy.Answer, n)
		for i := range answers {
			answers[i] = pool[r.IntN(len(pool))]
		}
		earlier := r.IntN(3) // headerless limits before
		one := lifeOf(t, answers, earlier)
		r.Shuffle(n, func(i, j int) { answers[i], answers[j] = answers[j], answers[i] })
		require.Equal(t, one, lifeOf(t, answers, earlier), "%+v", answers)
	}
}

// lifeOf releases answers at one instant, in that order, and returns what is then in force.
func lifeOf(t *testing.T, answers []ratepolicy.Answer, earlier int) (status string) {
	t.Helper()
	p := ratepolicy.Policy{Normal: ratepolicy.Pace{Concurrency: 8, Delay: -1}, GentleFor: -1}
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(p, nil)
		for range earlier {
			opens := ask(t, l, host, 0, limit429)
			time.Sleep(time.Until(opens))
		}
		leases := make([]*ratepolicy.Lease, 0, len(answers))
		for range answers {
			lease, err := l.TryAcquire(t.Context(), host, 0)
			if earlier > 0 && err != nil {
				break // one at a time after such a limit
			}
			require.NoError(t, err)
			leases = append(leases, lease)
		}
		time.Sleep(time.Second)
		for i, lease := range leases {
			_, err := lease.Release(t.Context(), answers[i%len(answers)])
			require.NoError(t, err)
		}
		s, err := l.Status(t.Context(), host)
		require.NoError(t, err)
		if len(leases) == len(answers) {
			status = fmt.Sprint(s.Opens)
		}
	})
	return status
}

func TestRealGoroutinesShareTheLimiter(t *testing.T) {
	pace := ratepolicy.Pace{Concurrency: 2, Delay: time.Microsecond, Burst: 2}
	p := ratepolicy.Policy{Normal: pace, Gentle: pace, GentleFor: -1, Backoff: time.Microsecond}
	l, ctx := ratepolicy.New(p, nil), t.Context()
	var wg sync.WaitGroup
	var inFlight [3]atomic.Int32
	for g := range 16 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 2))
			v := l.Visit()
			for range 200 {
				k := r.IntN(3)
				key := fmt.Sprint("h", k)
				lease, err := v.Acquire(ctx, key, 0)
				if err != nil {
					t.Error(err)
					return
				}
				assert.LessOrEqual(t, inFlight[k].Add(1), int32(2))
				runtime.Gosched()
				a := []ratepolicy.Answer{ok200, ok200, {}, limit429, {Status: 503}}[r.IntN(5)]
				if r.IntN(2) == 0 {
					if err := lease.Answered(ctx, a); err != nil {
						t.Error(err)
					}
				}
				inFlight[k].Add(-1)
				if _, err = lease.Release(ctx, a); err != nil {
					t.Error(err)
				}
				if r.IntN(20) == 0 {
					_, _ = v.Status(ctx, key)
					assert.NoError(t, l.Hold(ctx, key, time.Now().Add(time.Millisecond), "a moment"))
					assert.NoError(t, l.Forget(ctx, key))
				}
			}
		})
	}
	wg.Wait()
}

func TestIdleKeysAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{}, nil)
		heap := func() int64 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return int64(m.HeapAlloc)
		}
		before := heap()
		ask(t, l, "held.example", 0, after(429, 30*24*time.Hour))
		for hour := range 200 {
			for i := range 1000 {
				ask(t, l, fmt.Sprintf("h%d-%d.example", hour, i), 0, ok200)
			}
			time.Sleep(time.Hour)
		}
		assert.Less(t, heap()-before, int64(2<<20), "of 200,000 hosts some thousands are kept")
		assert.Contains(t, refused(t, l, "held.example").Why, "Retry-After", "a duty is not forgotten")
	})
}

func TestIssue057_HostsLimitedTogetherReturnApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{Backoff: time.Minute}, nil)
		least, most := time.Hour, time.Duration(0)
		for i := range 100 {
			d := time.Until(ask(t, l, fmt.Sprintf("h%d.example", i), 0, limit429))
			least, most = min(least, d), max(most, d)
		}
		assert.GreaterOrEqual(t, least, time.Minute)
		assert.LessOrEqual(t, most, 72*time.Second)
		assert.GreaterOrEqual(t, most-least, 6*time.Second, "hosts limited together return apart")
	})
}

func BenchmarkTryAcquireRelease(b *testing.B) {
	p := ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: -1}}
	l, ctx := ratepolicy.New(p, nil), b.Context()
	keys := make([]string, 1<<12)
	for i := range keys {
		keys[i] = fmt.Sprintf("host-%d.example", i)
	}
	for _, key := range keys {
		lease, _ := l.TryAcquire(ctx, key, 0)
		_, _ = lease.Release(ctx, ok200)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		lease, err := l.TryAcquire(ctx, keys[i%len(keys)], 0)
		if err != nil {
			b.Fatal(err)
		}
		_, _ = lease.Release(ctx, ok200)
	}
}

func BenchmarkTryAcquireRefused(b *testing.B) {
	l, ctx := ratepolicy.New(ratepolicy.Policy{}, nil), b.Context()
	lease, _ := l.TryAcquire(ctx, host, 0)
	_, _ = lease.Release(ctx, after(429, time.Hour))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := l.TryAcquire(ctx, host, 0); err == nil {
			b.Fatal("granted")
		}
	}
}
