package ratepolicy_test

import (
	"context"
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

// Hosts that share a key may have different Crawl-delays, and a bot's visits different paces.
func TestTheToldInstantIsNoLaterThanTheTurnInAMixedLine(t *testing.T) {
	for name, store := range map[string]ratepolicy.Store{"memory": nil, "store": &clockStore{testStore: newTestStore()}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, start := ratepolicy.New(ratepolicy.Policy{}, store), time.Now()
				ask(t, l, host, 0, ok200)
				var wg sync.WaitGroup
				for range 4 { // their turns are after 1, 2, 3 and 4 s
					wg.Go(func() {
						lease, err := l.Acquire(t.Context(), host, 0)
						if assert.NoError(t, err) {
							_, err = lease.Release(t.Context(), ok200)
							assert.NoError(t, err)
						}
					})
					synctest.Wait()
				}
				_, err := l.TryAcquire(t.Context(), host, 10*time.Second)
				w := waitError(t, err)
				assert.True(t, w.Until.After(time.Now()))
				assert.False(t, w.Until.After(start.Add(14*time.Second)), "told %s", w.Until.Sub(start))

				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				lease, err := l.Acquire(ctx, host, 10*time.Second)
				require.NoError(t, err, "its turn is before the deadline")
				assert.Equal(t, 14*time.Second, time.Since(start))
				_, err = lease.Release(t.Context(), ok200)
				require.NoError(t, err)
				wg.Wait()
			})
		})
	}
}
