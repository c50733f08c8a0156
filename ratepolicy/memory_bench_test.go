package ratepolicy_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/politefetch/sdk/ratepolicy"
)

// BenchmarkMemoryOfAMillionHosts reports what the limiter keeps of each of 1,000,000
// hosts that were asked once, and how long a full garbage collection takes with and
// without them.
func BenchmarkMemoryOfAMillionHosts(b *testing.B) {
	const hosts = 1_000_000
	keys := make([]string, hosts)
	for i := range keys {
		keys[i] = fmt.Sprintf("host-%d.example", i)
	}
	gc := func() time.Duration { // the quickest of a few: others use the machine, too
		best := time.Hour
		for range 6 {
			start := time.Now()
			runtime.GC()
			best = min(best, time.Since(start))
		}
		return best
	}
	heap := func() uint64 {
		debug.FreeOSMemory()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for b.Loop() {
		before, none := heap(), gc()
		one := func() time.Duration {
			plain := make(map[string]int64, hosts)
			for _, key := range keys {
				plain[key] = 1
			}
			d := gc()
			runtime.KeepAlive(plain)
			return d
		}()
		l := ratepolicy.New(ratepolicy.Policy{}, nil)
		for i, key := range keys {
			lease, err := l.TryAcquire(b.Context(), key, 0)
			if err != nil {
				b.Fatal(err)
			}
			a := ok200
			if i%100 == 0 {
				a = after(429, time.Hour)
			}
			if _, err = lease.Release(b.Context(), a); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(heap()-before)/hosts, "B/host")
		b.ReportMetric(float64((gc() - none).Microseconds()), "us/gc")
		b.ReportMetric(float64((one - none).Microseconds()), "us/gc-plain-map")
		start := time.Now()
		for i := range hosts {
			lease, err := l.TryAcquire(b.Context(), keys[(i*7919)%hosts], 0)
			if err == nil {
				_, _ = lease.Release(b.Context(), ratepolicy.Answer{})
			}
		}
		b.ReportMetric(float64(time.Since(start).Nanoseconds())/hosts, "ns/try")
		runtime.KeepAlive(l)
	}
	runtime.KeepAlive(keys)
}
