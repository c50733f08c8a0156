package ratepolicy

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// alone is what a process knows by itself of the keys that it shares with others, and how
// it goes on while their store fails.
type alone struct {
	core *core // of this process alone: its share of the pace, and a memory

	failing atomic.Int64 // len(outages)
	mu      sync.Mutex   // held for moments, never over a call of the store
	outages map[string]*outage
	sweep   int // at so many outages those that are over are looked for
}

// An outage is a key's, from the first call of the store that failed to the next that
// succeeds.
type outage struct {
	since   time.Time     // zero: only a caller's context ended
	err     error         // the last call's
	pause   time.Duration // to the next call, doubling
	next    time.Time     // when that is
	asking  time.Time     // one is under way, that ends by then
	before  trouble       // what was known of the key when it began
	over    []turn        // that the store may take for being in flight
	changes int
	until   int64 // nothing of it binds from then on, by the memory's clock
}

// How long the store isn't asked about a key after a call that failed: the first time, and
// at most.
const (
	firstPause = time.Second
	lastPause  = 30 * time.Second
)

// A failure is why an op was done without the store.
type failure struct {
	since time.Time
	err   error
	again time.Duration // the store is asked again no sooner
}

func newAlone(p Policy) *alone {
	return &alone{core: &core{policy: forOne(p), memory: newMemory()}, outages: make(map[string]*outage)}
}

// goesOn reports whether turns are given while the store fails.
func (a *alone) goesOn() bool { return a.core.policy.FailLocal > 0 }

// begin starts a trip to the store. It returns what the store is to be told, nil for
// nothing; done says that the store isn't asked now, and err is what came of it instead.
func (a *alone) begin(o *op) (l *learnt, done bool, err error) {
	if a.failing.Load() == 0 {
		return nil, false, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	x, now := a.outages[o.key], time.Now()
	if x == nil {
		return nil, false, nil
	}
	if a.goesOn() && x.fails() && o.kind != opForget {
		if now.Before(x.next) || now.Before(x.asking) {
			return nil, true, a.instead(o, x)
		}
		x.asking = now.Add(o.core.limit)
	}
	l = &learnt{outage: x, changes: x.changes, over: slices.Clone(x.over)}
	a.know(o.key, func(_ int64, k *knowledge) bool {
		l.knowledge = *k
		l.state.unlearn(&x.before)
		return false
	})
	return l, false, nil
}

// end takes in what came of a call of the store whose caller's context is ctx, and does the
// op without it if it failed and that may be.
func (a *alone) end(ctx context.Context, o *op, err error) error {
	l := o.known
	if err == nil && o.err == nil && l == nil && !a.goesOn() {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	x := a.outages[o.key]
	if l != nil && l.outage == x {
		x.asking = time.Time{}
	}
	switch {
	case err == nil && o.err == nil:
		a.succeeded(o, x, l)
		return nil
	case err == nil, errors.Is(err, errNewer): // the store works, and another version rules
		return err
	}
	if x == nil {
		x = a.begins(o.key)
	}
	if o.kind == opTake { // it may have been kept
		x.ended(o.id, a.core)
		o.id = rand.Uint64() //nolint:gosec // no secret
	}
	if ctx.Err() != nil { // the caller's doing
		return err
	}
	a.failed(o, x, err)
	return a.instead(o, x)
}

// succeeded ends the outage x, nil if there is none, once the store was told all of it.
// a.mu is held.
func (a *alone) succeeded(o *op, x *outage, l *learnt) {
	if x != nil {
		if l == nil || l.outage != x {
			return
		}
		x.since, x.next, x.pause = time.Time{}, time.Time{}, 0
		if o.kind == opStatus || l.changes != x.changes {
			return // the next call tells it
		}
		delete(a.outages, o.key)
		a.failing.Add(-1)
	}
	if !a.goesOn() {
		return
	}
	a.know(o.key, func(_ int64, k *knowledge) bool {
		if k.asOf > o.now {
			return false
		}
		own := flight{} // for how long the others' are in flight nobody will say
		for i := range o.s.leases.n {
			t := *o.s.leases.at(i)
			if k.state.leases.has(t.id) || o.kind == opTake && t.id == o.id {
				own.add(t)
			}
		}
		*k = knowledge{state: o.s, offset: o.now - o.own, asOf: o.now}
		k.state.leases = own
		return true
	})
}

// begins makes a key's outage. a.mu is held.
func (a *alone) begins(key string) *outage {
	if len(a.outages) >= a.sweep {
		now := a.core.memory.now(nil)
		maps.DeleteFunc(a.outages, func(_ string, x *outage) bool { return x.until <= now })
		a.sweep = max(64, 2*len(a.outages))
	}
	x := new(outage)
	a.know(key, func(_ int64, k *knowledge) bool {
		x.before = k.state.trouble
		return false
	})
	a.outages[key] = x
	a.failing.Store(int64(len(a.outages)))
	return x
}

// failed takes in that a call failed. a.mu is held.
func (a *alone) failed(o *op, x *outage, err error) {
	now := time.Now()
	if !now.Before(x.next) { // not one of several at once
		x.pause = min(max(2*x.pause, firstPause), lastPause)
		x.next = now.Add(x.pause)
	}
	x.err = err
	if x.fails() {
		return
	}
	x.since = now
	if share := a.core.policy.FailLocal; share == 0 || share == 1 {
		return
	}
	// The others begin at the same time. For all that is known one of them may have had an
	// answer just now, and they are not to go on in step.
	a.know(o.key, func(now int64, k *knowledge) bool {
		ago := rand.Float64() * float64(a.core.policy.Gentle.Delay) //nolint:gosec // no secret
		last := max(now+k.offset-int64(ago), 1)
		if last <= k.state.lastEnd {
			return false
		}
		k.state.lastEnd = last
		return true
	})
}

// instead does o without the store, or returns why it can't be done. a.mu is held.
func (a *alone) instead(o *op, x *outage) error {
	switch o.kind {
	case opForget:
		return x.err
	case opClear: // a wall bars the relay until another visit has ended
	case opTake, opLook, opStatus:
		if !a.goesOn() || o.ask.mode == ModeRelay {
			return x.err
		}
		a.trip(o, x)
	case opEnd:
		x.ended(o.served.id, a.core)
		a.trip(o, x)
	case opHead, opHold:
		a.trip(o, x)
	}
	if !a.goesOn() {
		return x.err
	}
	return nil
}

// trip does o on what this process knows. a.mu is held.
func (a *alone) trip(o *op, x *outage) {
	now, kind := time.Now(), o.kind
	busy := kind == opTake && now.Before(x.asking) // by another call, which may get a turn
	if busy {
		o.kind = opLook
	}
	if !o.ask.fixed {
		o.ask.fixed, o.ask.mode = true, ModeGentle
	}
	o.core, o.ask.share, o.err = a.core, a.core.policy.FailLocal, nil
	o.failure = &failure{x.since, x.err, max(x.next.Sub(now), x.asking.Sub(now))}
	x.changes++
	p := &a.core.policy
	a.know(o.key, func(own int64, k *knowledge) (changed bool) {
		o.now, o.machine = own+k.offset, now.UnixNano()
		p.settle(&k.state, o.now)
		changed = o.apply(p, &k.state)
		o.s = k.state
		x.until = max(x.until, after(p.forgettable(&k.state), -time.Duration(k.offset)))
		return changed
	})
	if busy {
		o.kind, o.v.open, o.v.at = kind, false, max(o.v.at, after(o.now, pollEvery))
	}
}

// fails reports whether the last call that came back failed.
func (x *outage) fails() bool { return !x.since.IsZero() }

// ended remembers a turn that the store may take for being in flight, until it has run out.
func (x *outage) ended(id uint64, c *core) {
	now := c.memory.now(nil)
	until := after(now, c.policy.LeaseFor)
	x.over = append(slices.DeleteFunc(x.over, func(t turn) bool { return t.until <= now }), turn{id, until})
	x.until = max(x.until, until)
}

// why is the store's failure about a key, nil if there is none.
func (a *alone) why(key string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if x := a.outages[key]; x != nil && x.fails() {
		return x.err
	}
	return nil
}
