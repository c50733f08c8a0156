package ratepolicy_test

import (
	"container/heap"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/ratepolicy"
)

// countedRows is the heap of Example_scheduler, and counts what it compares.
type countedRows struct {
	rows

	compared int
}

func (q *countedRows) Less(i, j int) bool {
	q.compared++
	return q.rows.Less(i, j)
}

// A scheduler with 100,000 hosts and 1,000,000 queued addresses finds the next host in
// O(log n), asks each host at the very instant at which it may be asked, and is refused
// no more than once an address, and not at all if it listens to Release.
func TestInvariantsOfASchedulerWithManyHosts(t *testing.T) {
	hosts := 10_000
	if os.Getenv("POLITEFETCH_LONG") == "1" {
		hosts = 100_000
	}
	synctest.Test(t, func(t *testing.T) {
		const pause = time.Hour
		lim := ratepolicy.New(ratepolicy.Policy{}, nil)
		start := time.Now()
		q := &countedRows{}
		for i := range hosts {
			n := 1 // every other host; the rest have the rest of ten a host
			if i%2 == 1 {
				n = 19
			}
			q.rows = append(q.rows, &row{key: fmt.Sprintf("host-%d.example", i), due: start, paths: make([]string, n)})
		}
		numbers := make(map[*row]int, hosts)
		for i, r := range q.rows {
			numbers[r] = i
		}
		heap.Init(q)
		sent, refused, worst := 0, 0, 0
		for q.Len() > 0 {
			next := q.rows[0]
			time.Sleep(time.Until(next.due))
			q.compared = 0
			lease, err := lim.TryAcquire(t.Context(), next.key, 0)
			if w, ok := errors.AsType[*ratepolicy.WaitError](err); ok {
				require.True(t, w.Until.After(time.Now()))
				next.due = w.Until
				heap.Fix(q, 0)
				worst = max(worst, q.compared)
				refused++
				continue
			}
			i, done := numbers[next], 19-len(next.paths)
			if i%2 == 0 {
				done = 0
			}
			limited := i%10 == 1 // answers its first request with a 429
			want := start.Add(time.Duration(done) * time.Second)
			if limited && done > 0 {
				want = start.Add(pause + time.Duration(done-1)*2*time.Second)
			}
			if now := time.Now(); err != nil || !now.Equal(want) {
				t.Fatalf("%s, request %d: at %v, want %v, %v", next.key, done, now.Sub(start), want.Sub(start), err)
			}
			a := ok200
			if limited && done == 0 {
				a = after(429, pause)
			}
			opens, err := lease.Release(t.Context(), a)
			require.NoError(t, err)
			if sent++; i%4 == 1 { // else it doesn't listen, tries at once, and is told
				next.due = opens
			}
			if next.paths = next.paths[1:]; len(next.paths) == 0 {
				heap.Pop(q)
			} else {
				heap.Fix(q, 0)
			}
			worst = max(worst, q.compared)
		}
		require.Equal(t, 10*hosts, sent)
		require.Equal(t, hosts/4*18, refused, "once for each further request of those who don't listen")
		require.LessOrEqual(t, worst, 2*bits.Len(uint(hosts)), "comparisons to find the next host")
	})
}
