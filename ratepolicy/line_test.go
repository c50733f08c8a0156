package ratepolicy_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/ratepolicy"
)

// slowStore is a store whose n-th call takes as long as the test says.
type slowStore struct {
	*clockStore
	mu   sync.Mutex
	take []time.Duration // of the next calls, then none
}

func (s *slowStore) Update(ctx context.Context, key string, fn func(time.Time, []byte) ([]byte, time.Time)) error {
	s.mu.Lock()
	var d time.Duration
	if len(s.take) > 0 {
		d, s.take = s.take[0], s.take[1:]
	}
	s.mu.Unlock()
	time.Sleep(d)
	return s.clockStore.Update(ctx, key, fn)
}

func TestAcquireServesInOrderOfArrivalHoweverLongTheStoreTakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowStore{clockStore: &clockStore{testStore: newTestStore()}}
		l := ratepolicy.New(ratepolicy.Policy{}, s)
		for i := range 10 { // the first call takes longest
			s.take = append(s.take, time.Duration(100-10*i)*ms)
		}
		var (
			wg    sync.WaitGroup
			order []int
		)
		for i := range 10 {
			wg.Go(func() {
				lease, err := l.Acquire(t.Context(), host, 0)
				if assert.NoError(t, err) {
					order = append(order, i)
					_, err = lease.Release(t.Context(), ok200)
					assert.NoError(t, err)
				}
			})
			time.Sleep(ms)
		}
		wg.Wait()
		assert.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, order)
	})
}

// Hosts that share a key may have different Crawl-delays.
func TestTheToldInstantIsNoLaterThanTheTurnAsTheLineStands(t *testing.T) {
	burst := ratepolicy.Policy{Normal: ratepolicy.Pace{Concurrency: 3, Burst: 3}}
	for _, tt := range []struct {
		name       string
		policy     ratepolicy.Policy
		first      ratepolicy.Answer
		line       []time.Duration // their Crawl-delays
		crawl      time.Duration
		told, turn time.Duration
	}{
		{"all alike", ratepolicy.Policy{}, ok200, make([]time.Duration, 4), 0, 5 * time.Second, 5 * time.Second},
		{"all gentle", ratepolicy.Policy{}, after(429, 3*time.Second), make([]time.Duration, 4), 0, 11 * time.Second, 11 * time.Second},
		{"all with a Crawl-delay", burst, ok200, []time.Duration{3e9, 3e9, 3e9}, 3 * time.Second, 12 * time.Second, 12 * time.Second},
		{"the one who asks is slowest", ratepolicy.Policy{}, ok200, make([]time.Duration, 4), 10 * time.Second, 14 * time.Second, 14 * time.Second},
		{"one in line is slow, too", ratepolicy.Policy{}, ok200, []time.Duration{10e9, 0, 0}, 10 * time.Second, 13 * time.Second, 22 * time.Second},
		{"a burst is before one without", burst, ratepolicy.Answer{Status: 500, Wait: 5 * time.Second}, make([]time.Duration, 3), 500 * ms, 6 * time.Second, 6 * time.Second},
		{"and another without", burst, ratepolicy.Answer{Status: 500, Wait: 5 * time.Second}, []time.Duration{0, 0, 500 * ms}, 500 * ms, 6 * time.Second, 7 * time.Second},
	} {
		for _, far := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/far=%v", tt.name, far), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var store ratepolicy.Store
					if far {
						store = &clockStore{testStore: newTestStore()}
					}
					l, ctx, start := ratepolicy.New(tt.policy, store), t.Context(), time.Now()
					ask(t, l, host, 0, tt.first)
					var wg sync.WaitGroup
					wait := func(ctx context.Context, crawl time.Duration) (turn time.Duration) {
						lease, err := l.Acquire(ctx, host, crawl)
						if assert.NoError(t, err) {
							turn = time.Since(start)
							_, err = lease.Release(ctx, ok200)
							assert.NoError(t, err)
						}
						return turn
					}
					for _, crawl := range tt.line {
						wg.Go(func() { wait(ctx, crawl) })
						synctest.Wait()
					}
					_, err := l.TryAcquire(ctx, host, tt.crawl)
					assert.Equal(t, tt.told, waitError(t, err).Until.Sub(start))

					inTime, cancel := context.WithDeadline(ctx, start.Add(tt.turn+1))
					defer cancel()
					assert.Equal(t, tt.turn, wait(inTime, tt.crawl), "and not refused for its deadline")
					wg.Wait()
				})
			})
		}
	}
}

func TestWhoComesWithOthersIsToldOfItsPlaceAtOnce(t *testing.T) {
	for crawl, pace := range map[time.Duration]ratepolicy.Pace{
		0:               {Delay: 3 * time.Second},
		4 * time.Second: {Delay: 3 * time.Second, Concurrency: 3, Burst: 3},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &slowStore{clockStore: &clockStore{testStore: newTestStore()}, take: []time.Duration{100 * ms, 50 * ms, 10 * ms}}
			l, start := ratepolicy.New(ratepolicy.Policy{Normal: pace}, s), time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), 2*max(crawl, pace.Delay))
			defer cancel()
			var wg sync.WaitGroup
			for i := range 3 { // at 0 s, at 3 or 4 s, and the third not in time
				wg.Go(func() {
					lease, err := l.Acquire(ctx, host, crawl)
					if i == 2 {
						waitError(t, err)
						assert.Equal(t, 12*ms, time.Since(start))
						return
					}
					if assert.NoError(t, err) {
						_, err = lease.Release(ctx, ok200)
						assert.NoError(t, err)
					}
				})
				time.Sleep(ms)
			}
			wg.Wait()
		})
	}
}

// Who is in line goes first, though there are turns for both.
func TestUntilLiesAheadOfTheTurnOfOneWhoIsStillOnTheWayToTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowStore{clockStore: &clockStore{testStore: newTestStore()}, take: []time.Duration{50 * ms}}
		l := ratepolicy.New(ratepolicy.Policy{Normal: ratepolicy.Pace{Concurrency: 3, Burst: 3}}, s)
		var wg sync.WaitGroup
		wg.Go(func() {
			_, err := l.Acquire(t.Context(), host, 0)
			assert.NoError(t, err)
		})
		time.Sleep(ms)
		w := refused(t, l, host)
		assert.Equal(t, 100*ms, time.Until(w.Until))
		assert.Equal(t, "others wait before", w.Why)
		wg.Wait()
	})
}

// What is in flight when a hold begins has its places of the burst back when it ends.
func TestABurstIsWholeAgainAfterAHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{Normal: ratepolicy.Pace{Concurrency: 3, Burst: 3, Delay: 10 * time.Second}}, nil)
		var open []*ratepolicy.Lease
		for range 2 {
			lease, err := l.TryAcquire(t.Context(), host, 0)
			require.NoError(t, err)
			open = append(open, lease)
		}
		end := time.Now().Add(30 * time.Second)
		require.NoError(t, l.Hold(t.Context(), host, end, "a hold"))
		ctx, cancel := context.WithDeadline(t.Context(), end.Add(time.Second))
		defer cancel()
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				_, err := l.Acquire(ctx, host, 0)
				if assert.NoError(t, err) {
					assert.Equal(t, end, time.Now())
				}
			})
			synctest.Wait()
		}
		for _, lease := range open {
			_, err := lease.Release(t.Context(), ok200)
			require.NoError(t, err)
		}
		wg.Wait()
	})
}
