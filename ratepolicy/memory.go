package ratepolicy

import (
	"context"
	"hash/maphash"
	"time"
)

// memory is the Store of one process. Its clock is set at the start and then runs on
// the monotonic one, so that setting the machine's clock makes no request earlier.
//
// No cache holds a million hosts, so what an Update costs is above all the memory that it
// touches: the key's entry in an [index] and its [slot]. Neither has pointers, so that the
// garbage collector has nothing to do with them.
type memory struct {
	start  time.Time
	epoch  int64 // start in Unix nanoseconds
	seeds  [2]maphash.Seed
	shards [32]shard
}

func newMemory() *memory {
	start := time.Now()
	return &memory{start: start, epoch: start.UnixNano(), seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
}

// Update implements [Store]. fn runs under the shard's mutex: it waits for nothing.
func (m *memory) Update(_ context.Context, key string, fn func(time.Time, []byte) ([]byte, time.Time)) error {
	m.update(key, fn)
	return nil
}

func (m *memory) update(key string, fn func(time.Time, []byte) ([]byte, time.Time)) {
	sh, k := m.shard(key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	now := m.now(nil)
	f := sh.find(k)
	if next, expires := fn(time.Unix(0, now), sh.rec(f, k, now)); next != nil {
		sh.keep(k, f, next, nanos(expires), now)
	}
}

// trip is Update for an op: with a function that is known.
func (m *memory) trip(o *op) {
	sh, k := m.shard(o.key)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	now := m.now(o)
	f := sh.find(k)
	var room [maxSlot / 2]byte
	if next, expires := o.step(room[:0], now, sh.rec(f, k, now)); next != nil {
		sh.keep(k, f, next, expires, now)
	}
}

// now is the store's clock, in Unix nanoseconds. The end of a request is always told in
// the machine's, too, so that is read along with it.
func (m *memory) now(o *op) int64 {
	if o == nil || o.kind != opEnd {
		return m.epoch + int64(time.Since(m.start))
	}
	t := time.Now()
	o.machine = t.UnixNano()
	return m.epoch + int64(t.Sub(m.start))
}

// A name stands for a key, which is not kept itself: 96 bits of two hashes with random
// seeds, beside the five that choose the shard. That any two of a million keys bear the
// same name is less likely than 1 in 10^17; they would share a pace.
type name struct {
	hash uint64
	tag  uint32
}

func (m *memory) shard(key string) (*shard, name) {
	h := maphash.String(m.seeds[1], key)
	return &m.shards[h%uint64(len(m.shards))], name{maphash.String(m.seeds[0], key), uint32(h >> 32)}
}
