package ratepolicy

import (
	"container/list"
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// line keeps the waiters of a process in order of arrival, key by key.
type line struct {
	total atomic.Int64
	mu    sync.Mutex
	keys  map[string]*list.List // of *waiter
}

type waiter struct {
	wake  chan struct{} // room for one: look again
	place *list.Element
}

// len returns how many wait for key.
func (n *line) len(key string) int {
	if n.total.Load() == 0 {
		return 0
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if q := n.keys[key]; q != nil {
		return q.Len()
	}
	return 0
}

func (n *line) join(key string) *waiter {
	w := &waiter{wake: make(chan struct{}, 1)}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.total.Add(1)
	q := n.keys[key]
	if q == nil {
		if n.keys == nil {
			n.keys = make(map[string]*list.List)
		}
		q = list.New()
		n.keys[key] = q
	}
	w.place = q.PushBack(w)
	return w
}

// leave takes w out of the line, and has the first look again.
func (n *line) leave(key string, w *waiter) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.total.Add(-1)
	q := n.keys[key]
	q.Remove(w.place)
	if q.Len() == 0 {
		delete(n.keys, key)
		return
	}
	poke(q.Front())
}

// ahead returns how many are before w, or without count just whether anybody is.
func (n *line) ahead(w *waiter, count bool) (ahead int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !count && w.place.Prev() != nil {
		return 1
	}
	for e := w.place.Prev(); e != nil; e = e.Prev() {
		ahead++
	}
	return ahead
}

// wakeFirst has the first in line look again.
func (n *line) wakeFirst(key string) {
	if n.total.Load() == 0 {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if q := n.keys[key]; q != nil {
		poke(q.Front())
	}
}

// wakeAll has everybody look again: a hold may be past what some of them wait for.
func (n *line) wakeAll(key string) {
	if n.total.Load() == 0 {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if q := n.keys[key]; q != nil {
		for e := q.Front(); e != nil; e = e.Next() {
			poke(e)
		}
	}
}

func poke(e *list.Element) {
	select {
	case e.Value.(*waiter).wake <- struct{}{}:
	default:
	}
}

// wait returns when w is woken or, if d is positive, after d. Its error is ctx's cause.
func (w *waiter) wait(ctx context.Context, d time.Duration) error {
	var timer <-chan time.Time
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		timer = t.C
	}
	select {
	case <-w.wake:
	case <-timer:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
