package ratepolicy

import (
	"context"
	"hash/maphash"
	"sync"
	"time"
)

// memory is the Store of one process. Its clock is set at the start and then runs on
// the monotonic one, so that setting the machine's clock makes no request earlier.
type memory struct {
	start  time.Time
	seed   maphash.Seed
	shards [32]shard
}

// A shard keeps records in slots without pointers, so that the garbage collector has
// little to do with a million of them. A record that doesn't fit its slot is in large.
type shard struct {
	mu    sync.Mutex
	index map[string]uint32
	slots [][]slot // chunks of chunkSlots
	free  []uint32
	large map[uint32][]byte
	used  uint32 // slots that were ever taken
	sweep int    // size at which the expired are looked for
}

type slot struct {
	expires int64
	size    uint8 // of rec; tooLarge: it is in large
	rec     [55]byte
}

const (
	chunkSlots = 128
	tooLarge   = 255
)

func newMemory() *memory {
	return &memory{start: time.Now(), seed: maphash.MakeSeed()}
}

// Update implements [Store]. fn runs under the shard's mutex: it waits for nothing.
func (s *memory) Update(_ context.Context, key string, fn func(time.Time, []byte) ([]byte, time.Time)) error {
	sh := &s.shards[maphash.String(s.seed, key)%uint64(len(s.shards))]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	now := s.start.Add(time.Since(s.start))
	n, found := sh.index[key]
	var rec []byte
	if found && sh.slot(n).expires > now.UnixNano() {
		rec = sh.rec(n)
	}
	next, expires := fn(now, rec)
	switch {
	case next == nil:
	case expires.After(now):
		if !found {
			n = sh.add(key, now.UnixNano())
		}
		sh.put(n, next, nanos(expires))
	case found:
		sh.remove(key, n)
	}
	return nil
}

func (sh *shard) slot(n uint32) *slot { return &sh.slots[n/chunkSlots][n%chunkSlots] }

func (sh *shard) rec(n uint32) []byte {
	e := sh.slot(n)
	if e.size == tooLarge {
		return sh.large[n]
	}
	return e.rec[:e.size]
}

// put copies rec, which may be part of what is there.
func (sh *shard) put(n uint32, rec []byte, expires int64) {
	e := sh.slot(n)
	e.expires = expires
	if len(rec) > len(e.rec) {
		e.size = tooLarge
		if sh.large == nil {
			sh.large = make(map[uint32][]byte)
		}
		sh.large[n] = append(sh.large[n][:0], rec...)
		return
	}
	copy(e.rec[:], rec)
	if e.size == tooLarge {
		delete(sh.large, n)
	}
	e.size = uint8(len(rec)) //nolint:gosec // it fits
}

// add returns a slot for a new key. Whenever the shard has doubled it drops the expired
// first, so that it never holds more than twice what it must. Slots are used again, not
// given back.
func (sh *shard) add(key string, now int64) uint32 {
	if len(sh.index) >= sh.sweep {
		index := make(map[string]uint32)
		for k, n := range sh.index {
			if sh.slot(n).expires > now {
				index[k] = n
			} else {
				sh.release(n)
			}
		}
		sh.index, sh.sweep = index, max(64, 2*len(index))
	}
	n := sh.used
	if last := len(sh.free) - 1; last >= 0 {
		n, sh.free = sh.free[last], sh.free[:last]
	} else {
		if n%chunkSlots == 0 {
			sh.slots = append(sh.slots, make([]slot, chunkSlots))
		}
		sh.used++
	}
	sh.index[key] = n
	return n
}

func (sh *shard) remove(key string, n uint32) {
	delete(sh.index, key)
	sh.release(n)
}

func (sh *shard) release(n uint32) {
	delete(sh.large, n)
	*sh.slot(n) = slot{}
	sh.free = append(sh.free, n)
}
