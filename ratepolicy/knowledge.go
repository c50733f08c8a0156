package ratepolicy

import (
	"encoding/binary"
	"time"
)

// knowledge is what this process knows of a key: the store's state as of then, with nobody's
// turns but its own, and what came since.
type knowledge struct {
	state  state
	offset int64 // how far the store's clock was ahead of the memory's
	asOf   int64 // by the store's clock
}

const knowledgeHead = 2 * 8 // bytes, before a record

// know shows f what is known of a key at now, by the memory's clock, and keeps what f makes
// of it if f says so.
func (a *alone) know(key string, f func(now int64, k *knowledge) (keep bool)) {
	a.core.memory.update(key, func(at time.Time, rec []byte) ([]byte, time.Time) {
		var k knowledge
		if len(rec) >= knowledgeHead {
			k.offset = int64(binary.LittleEndian.Uint64(rec))   //nolint:gosec // bits
			k.asOf = int64(binary.LittleEndian.Uint64(rec[8:])) //nolint:gosec // bits
			rec = rec[knowledgeHead:]
		}
		if err := k.state.decode(rec); err != nil || !f(at.UnixNano(), &k) {
			return nil, time.Time{} // there is no error: it is our own
		}
		next := binary.LittleEndian.AppendUint64(nil, uint64(k.offset)) //nolint:gosec // bits
		next = binary.LittleEndian.AppendUint64(next, uint64(k.asOf))   //nolint:gosec // bits
		until := after(a.core.policy.forgettable(&k.state), -time.Duration(k.offset))
		return k.state.append(next), time.Unix(0, until)
	})
}

// learnt is what a process has to tell the store of a key: what it didn't know before the
// outage, and turns that are over.
type learnt struct {
	knowledge
	over    []turn
	outage  *outage
	changes int // of the outage, when this was put down
}

// tell takes what was learnt into the store's record, o.s.
func (l *learnt) tell(o *op) {
	k := l.knowledge // which may be told again
	k.state.leases = l.state.leases.clone()
	k.tell(o)
	for _, t := range l.over {
		o.s.leases.drop(t.id)
	}
}

// recall takes all that is known of a key into its record, which was damaged.
func (a *alone) recall(o *op) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.know(o.key, func(_ int64, k *knowledge) bool {
		k.tell(o)
		return false
	})
}

// tell takes what is known into the store's record, o.s.
func (k *knowledge) tell(o *op) {
	if d := time.Duration(o.now - o.own - k.offset); d.Abs() > clockSlack {
		k.state.shift(d)
	}
	o.core.policy.merge(&o.s, &k.state)
}
