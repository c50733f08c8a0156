package ratepolicy_test

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/politefetch/sdk/ratepolicy"
)

// A row is what the scheduler keeps of one key, however many addresses it has queued.
type row struct {
	key   string
	due   time.Time // not asked before
	paths []string
}

// rows is a heap: the key that may be asked first is on top.
type rows []*row

func (q *rows) Len() int { return len(*q) }

func (q *rows) Less(i, j int) bool {
	a, b := (*q)[i], (*q)[j]
	return cmp.Or(a.due.Compare(b.due), cmp.Compare(a.key, b.key)) < 0
}

func (q *rows) Swap(i, j int) { (*q)[i], (*q)[j] = (*q)[j], (*q)[i] }

func (q *rows) Push(x any) { *q = append(*q, x.(*row)) }

func (q *rows) Pop() any {
	last := len(*q) - 1
	r := (*q)[last]
	*q = (*q)[:last]
	return r
}

// A scheduler of one's own asks without waiting, and is told when to come back. With one
// row a key in a heap, the next key costs O(log n) to find, and a key that asked for a
// long pause is in nobody's way.
func Example_scheduler() {
	ctx := context.Background()
	lim := ratepolicy.New(ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: 20 * time.Millisecond}}, nil)
	_ = lim.Hold(ctx, "b.example", time.Now().Add(time.Hour), "back after lunch")
	queue := &rows{
		{key: "a.example", paths: []string{"/1", "/2"}},
		{key: "b.example", paths: []string{"/3"}},
		{key: "c.example", paths: []string{"/4", "/5"}},
	}
	heap.Init(queue)
	for queue.Len() > 0 {
		next := (*queue)[0]
		if time.Until(next.due) > time.Minute {
			fmt.Println("in", time.Until(next.due).Round(time.Hour), next.key+next.paths[0])
			break // a service would sleep, and be woken by new rows
		}
		time.Sleep(time.Until(next.due))
		lease, err := lim.TryAcquire(ctx, next.key, 0)
		if w, ok := errors.AsType[*ratepolicy.WaitError](err); ok {
			next.due = w.Until
			heap.Fix(queue, 0)
			continue
		}
		fmt.Println("now", next.key+next.paths[0]) // here it is fetched
		next.due, _ = lease.Release(ctx, ratepolicy.Answer{Status: 200})
		if next.paths = next.paths[1:]; len(next.paths) == 0 {
			heap.Pop(queue)
		} else {
			heap.Fix(queue, 0)
		}
	}
	// Output:
	// now a.example/1
	// now c.example/4
	// now a.example/2
	// now c.example/5
	// in 1h0m0s b.example/3
}
