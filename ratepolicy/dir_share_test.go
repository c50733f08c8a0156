package ratepolicy_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/ratepolicy"
)

// scenarios are what four processes do to one server, and what it was promised.
var scenarios = map[string]struct {
	policy  ratepolicy.Policy
	limitAt int           // which request is answered 429, with Retry-After 1
	gap     time.Duration // from an answer's end to the next request
	gentle  time.Duration // the same after the limit
	cap     int           // in flight
	least   int           // requests in all, to be sure that they did something
}{
	"one pace": {
		policy: ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: 60 * ms}, LeaseFor: 2 * time.Second},
		gap:    60 * ms, cap: 1, least: 5,
	},
	"one cap": {
		policy: ratepolicy.Policy{Normal: ratepolicy.Pace{Concurrency: 2, Delay: -1}, LeaseFor: 2 * time.Second},
		cap:    2, least: 5,
	},
	"one gentle memory": {
		policy: ratepolicy.Policy{
			Normal:   ratepolicy.Pace{Delay: 20 * ms}, // with two in flight, one may be on its way as the other is limited
			Gentle:   ratepolicy.Pace{Delay: 150 * ms},
			LeaseFor: 2 * time.Second,
		},
		limitAt: 6, gap: 20 * ms, gentle: 150 * ms, cap: 1, least: 8,
	},
}

// visitLog is what a server saw.
type visitLog struct {
	mu       sync.Mutex
	began    []time.Time
	ended    []time.Time
	inFlight int
	most     int
	limited  time.Time
	after    int // requests since
	problems []string
}

// ServeHTTP audits each request as it comes, against what ended before.
func (v *visitLog) serve(limitAt int, gap, gentle time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		v.mu.Lock()
		now := time.Now() // in the lock, so that no end is noted with a later time before it
		v.began = append(v.began, now)
		n := len(v.began)
		v.inFlight++
		v.most = max(v.most, v.inFlight)
		least := gap
		if !v.limited.IsZero() {
			v.after++
			least = gentle
			if d := now.Sub(v.limited); d < time.Second {
				v.problems = append(v.problems, "asked again "+d.String()+" after a 429 with Retry-After 1")
			}
			if v.inFlight > 1 {
				v.problems = append(v.problems, "more than one in flight after a 429")
			}
		}
		for _, end := range v.ended {
			if d := now.Sub(end); d < least {
				v.problems = append(v.problems, "asked "+d.String()+" after an answer's end")
			}
		}
		v.mu.Unlock()
		time.Sleep(10 * ms)
		limit := n == limitAt
		v.mu.Lock()
		defer v.mu.Unlock()
		v.inFlight--
		v.ended = append(v.ended, time.Now())
		if limit {
			v.limited = time.Now()
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}
}

func TestG03_ProcessesOnOneDirShareOnePaceOneCapAndOneMemory(t *testing.T) {
	for name, tt := range scenarios {
		t.Run(name, func(t *testing.T) {
			var v visitLog
			server := httptest.NewServer(v.serve(tt.limitAt, tt.gap, tt.gentle))
			defer server.Close()
			dir, children := t.TempDir(), make([]*child, 4)
			for i := range children {
				children[i] = startChild(t, "fetch", dir, server.URL, name)
			}
			for start := time.Now(); time.Since(start) < 20*time.Second; time.Sleep(10 * ms) {
				v.mu.Lock()
				enough := len(v.began) >= 4*tt.least && (tt.limitAt == 0 || v.after >= tt.least)
				half := len(v.began) == 2*tt.least
				v.mu.Unlock()
				if enough {
					break
				}
				if half { // whatever it holds is free again with its lease
					_ = children[3].Process.Kill()
				}
			}
			for _, c := range children {
				_ = c.Process.Kill()
				_ = c.Wait()
			}
			v.mu.Lock()
			defer v.mu.Unlock()
			assert.Empty(t, v.problems)
			assert.LessOrEqual(t, v.most, tt.cap)
			require.GreaterOrEqual(t, len(v.began), 2*tt.least)
			if tt.limitAt > 0 {
				assert.GreaterOrEqual(t, v.after, tt.least/2)
			}
			t.Logf("%d requests, %d in flight at most", len(v.began), v.most)
		})
	}
}
