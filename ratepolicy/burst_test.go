package ratepolicy_test

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/ratepolicy"
)

// No more than Burst requests reach a host within any Delay of the pace they go at,
// whatever the pace was before; and none goes before the instant that was told, whatever
// answers have come in since.
func TestABurstCountsWhatWentAtAnotherPace(t *testing.T) {
	for seed := range uint64(1000) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			normal := ratepolicy.Pace{Concurrency: 3, Burst: 1 + r.IntN(3), Delay: time.Second}
			gentle := ratepolicy.Pace{Concurrency: 2, Burst: 1 + r.IntN(2), Delay: time.Duration(1+r.IntN(5)) * time.Second}
			l := ratepolicy.New(ratepolicy.Policy{Normal: normal, Gentle: gentle, Backoff: -1}, nil)
			view := l
			if seed%2 > 0 {
				view = l.Visit()
			}
			var (
				open []*ratepolicy.Lease
				ends []time.Time
				told time.Time
			)
			for range 200 {
				time.Sleep(time.Duration(r.IntN(1500)) * ms)
				if r.IntN(30) == 0 {
					require.NoError(t, l.Forget(t.Context(), host))
					told = time.Time{}
				}
				if len(open) > 0 && r.IntN(2) > 0 {
					a := ok200
					if r.IntN(8) == 0 {
						a = limit429
					}
					_, err := open[0].Release(t.Context(), a)
					require.NoError(t, err)
					open, ends = open[1:], append(ends, time.Now())
					continue
				}
				lease, err := view.TryAcquire(t.Context(), host, 0)
				if err != nil {
					if told = waitError(t, err).Until; time.Until(told) <= 100*ms { // all places are taken
						told = time.Time{}
					}
					continue
				}
				assert.False(t, time.Now().Before(told), "seed %d: told %s", seed, time.Until(told))
				pace := normal
				if lease.Gentle() {
					pace = gentle
				}
				n := len(open)
				for _, e := range ends {
					if time.Since(e) < pace.Delay {
						n++
					}
				}
				assert.Less(t, n, pace.Burst, "seed %d: %d requests within %s", seed, n+1, pace.Delay)
				open = append(open, lease)
			}
		})
	}
}
