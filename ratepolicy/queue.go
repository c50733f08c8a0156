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
	gap   gap // line.mu is held
}

// A gap is how soon a turn may follow others.
type gap struct {
	delay time.Duration
	waits int // turns that can be taken before the delay binds
}

// A queue is who is before one in line.
type queue struct {
	n   int
	gap // the shortest of theirs
}

// all returns who waits for key.
func (n *line) all(key string) (all queue) {
	if n.total.Load() == 0 {
		return queue{}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if q := n.keys[key]; q != nil {
		all.take(q.Back())
	}
	return all
}

// take counts e and all before it. line.mu is held.
func (q *queue) take(e *list.Element) {
	for ; e != nil; e = e.Prev() {
		g := e.Value.(*waiter).gap
		if q.n == 0 {
			q.gap = g
		}
		q.n, q.delay, q.waits = q.n+1, min(q.delay, g.delay), max(q.waits, g.waits)
	}
}

func (n *line) join(key string, g gap) *waiter {
	w := &waiter{wake: make(chan struct{}, 1), gap: g}
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

// ahead returns who is before w, or without count just whether anybody is.
func (n *line) ahead(w *waiter, count bool) (ahead queue) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if before := w.place.Prev(); count {
		ahead.take(before)
	} else if before != nil {
		ahead.n = 1
	}
	return ahead
}

// paced notes the gap that w was last told of.
func (n *line) paced(w *waiter, g gap) {
	n.mu.Lock()
	defer n.mu.Unlock()
	w.gap = g
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
