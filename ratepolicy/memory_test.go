package ratepolicy_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/ratepolicy"
)

// The memory is a map with expiry, however its records grow, shrink, come and go.
func TestMemoryKeepsWhatAMapWould(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type kept struct {
			rec     []byte
			expires time.Time
		}
		r := rand.New(rand.NewPCG(7, 7))
		m, model := ratepolicy.NewMemory(), make(map[string]kept)
		sizes := []int{0, 20, 43, 44, 51, 52, 100, 235, 236, 5000} // of slots, and one more
		for step := range 400_000 {
			keys := 20_000 // many come
			if step/100_000%2 == 1 {
				keys = 200 // and most of them go
			}
			key := fmt.Sprint("host-", r.IntN(keys), ".example")
			var rec []byte
			if r.IntN(4) > 0 {
				rec = bytes.Repeat([]byte{byte(step)}, sizes[r.IntN(len(sizes))])
			}
			life := time.Duration(r.IntN(100)-10) * time.Second
			err := m.Update(t.Context(), key, func(now time.Time, was []byte) ([]byte, time.Time) {
				want := model[key]
				if !want.expires.After(now) {
					want.rec = nil
				}
				if !bytes.Equal(was, want.rec) || (was == nil) != (want.rec == nil) {
					t.Fatalf("step %d, %s: %d bytes, want %d", step, key, len(was), len(want.rec))
				}
				if len(was) > 3 && r.IntN(8) == 0 {
					rec = was[3:] // a part of what is there
				}
				if rec != nil {
					model[key] = kept{bytes.Clone(append([]byte{}, rec...)), now.Add(life)}
				}
				return rec, now.Add(life)
			})
			require.NoError(t, err)
			if r.IntN(100) == 0 {
				time.Sleep(time.Second)
			}
		}
	})
}

// The bound is what x/time/rate in a map takes. What happened to the hosts lies days apart
// here, so that no instant says much about another one. Their names are not counted.
func TestAHostWithTheFullStateTakesAtMost136Bytes(t *testing.T) {
	if raceDetector {
		t.Skip("its own memory is in the heap, too")
	}
	const hosts = 200_000
	keys, leases := make([]string, hosts), make([][4]*ratepolicy.Lease, hosts)
	for i := range keys {
		keys[i] = fmt.Sprintf("host-%d.example", i)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, day := t.Context(), 24*time.Hour
		pace := ratepolicy.Pace{Concurrency: 4, Burst: 4, Delay: time.Second}
		before := inUse()
		l := ratepolicy.New(ratepolicy.Policy{
			Normal: pace, Gentle: pace, GentleFor: 60 * day, Backoff: 20 * day, RelayAfter: 2, LeaseFor: 30 * day,
		}, nil)
		each := func(do func(i int) error) {
			for i := range keys {
				require.NoError(t, do(i))
			}
			time.Sleep(day + 1234567891)
		}
		take := func(n int) func(i int) error {
			return func(i int) (err error) {
				leases[i][n], err = l.TryAcquire(ctx, keys[i], 0)
				return err
			}
		}
		end := func(n int, a ratepolicy.Answer) func(i int) error {
			return func(i int) error {
				_, err := leases[i][n].Release(ctx, a)
				leases[i][n] = nil
				return err
			}
		}
		kept := func(what string) float64 {
			b := (float64(inUse()) - float64(before)) / hosts
			t.Logf("%s: %.1f bytes a host", what, b)
			return b
		}
		each(take(0))
		each(end(0, after(429, time.Second)))
		for n := range leases[0] {
			each(take(n))
		}
		each(end(0, limit429)) // in gentle mode: a hit, and a backoff
		each(end(1, ratepolicy.Answer{Status: 403, Wall: "challenge"}))
		each(end(2, after(429, 20*day)))
		each(end(3, ok200))
		assert.LessOrEqual(t, kept("gentle, backoff, wall and hold"), 136.0)
		until := time.Now().Add(19*day + 987654321)
		each(func(i int) error { return l.Hold(ctx, keys[i], until, "the operator asks") })
		each(func(i int) error {
			if _, err := l.TryAcquire(ctx, keys[i], 10*time.Second); err == nil {
				return errors.New("granted during holds")
			}
			return nil
		})
		assert.LessOrEqual(t, kept("with a hold of the caller's and a Crawl-delay"), 136.0)
		s, err := l.Status(ctx, keys[7])
		require.NoError(t, err)
		assert.Len(t, s.Constraints, 6, "%v", s)
		runtime.KeepAlive(leases)
	})
}

// inUse is how many bytes are in use.
func inUse() uint64 {
	runtime.GC()
	runtime.GC() // twice: what a sync.Pool holds survives the first
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
