package ratepolicy

import (
	"context"
	"net/http"
	"sync"
)

// visit is what a view knows of the keys it asked.
type visit struct {
	mu   sync.Mutex
	keys map[string]*visited
}

type visited struct {
	fixed           bool // mode and began
	mode            Mode
	began           int64
	serial, limited bool
	answered        bool // on the direct route
}

// Visit returns a view of l for one visit of a site. A key's pace, and its route, are
// settled at the view's first request to it and stay, whatever is learnt meanwhile;
// except that after a 429 or 503 the rest of the visit has one request in flight, and
// after a rate limit also Gentle.Delay between requests, with MaxWait unchanged. Only a
// view is ever relayed. Turns, holds and memory are shared with l. Use it from as many
// goroutines as the visit has, and call [Limiter.End] when the visit has read all it was to.
func (l *Limiter) Visit() *Limiter {
	return &Limiter{core: l.core, visit: &visit{keys: make(map[string]*visited)}}
}

// End says that the visit has read all that it was to read. Hosts that answered it on the
// direct route and showed it no bot wall may be relayed again, by this Policy or another on
// the same Store. A visit that ended early doesn't call it. On a Limiter that is no view it
// does nothing.
func (l *Limiter) End(ctx context.Context) error {
	if l.visit == nil {
		return nil
	}
	// A wall met in the visit, by whomever, is younger than its first request.
	for key, began := range l.visit.answered() {
		o := op{core: l.core, kind: opClear, key: key, ask: ask{began: began}}
		if err := o.do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// answered returns the keys that answered the visit, and when it began to ask them.
func (v *visit) answered() map[string]int64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	keys := make(map[string]int64)
	for key, k := range v.keys {
		if k.answered {
			keys[key] = k.began
		}
	}
	return keys
}

func (v *visit) key(key string) *visited { // v.mu is held
	k := v.keys[key]
	if k == nil {
		k = new(visited)
		v.keys[key] = k
	}
	return k
}

// fill completes an ask.
func (v *visit) fill(key string, a *ask) {
	v.mu.Lock()
	defer v.mu.Unlock()
	k := v.key(key)
	a.visit = true
	a.fixed, a.mode, a.began = k.fixed, k.mode, k.began
	a.serial, a.limited = k.serial, k.limited
}

// fix settles a key's mode; the first counts.
func (v *visit) fix(key string, m Mode, now int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if k := v.key(key); !k.fixed {
		k.fixed, k.mode, k.began = true, m, now
	}
}

// note takes in an answer.
func (v *visit) note(key string, a *Answer, m Mode) {
	v.mu.Lock()
	defer v.mu.Unlock()
	k, c := v.key(key), a.class()
	if a.Status == http.StatusTooManyRequests || a.Status == http.StatusServiceUnavailable {
		k.serial = true
	}
	if m != ModeRelay {
		k.answered = k.answered || a.Status > 0
		k.limited = k.limited || c == limited
	}
}
