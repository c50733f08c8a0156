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

type shard struct {
	mu    sync.Mutex
	m     map[string]*entry
	sweep int // size at which the expired are looked for
}

type entry struct {
	expires int64
	rec     []byte
}

func newMemory() *memory {
	return &memory{start: time.Now(), seed: maphash.MakeSeed()}
}

// Update implements [Store]. fn runs under the shard's mutex: it waits for nothing.
func (s *memory) Update(_ context.Context, key string, fn func(time.Time, []byte) ([]byte, time.Time)) error {
	sh := &s.shards[maphash.String(s.seed, key)%uint64(len(s.shards))]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	now := s.start.Add(time.Since(s.start))
	e := sh.m[key]
	var rec []byte
	if e != nil && e.expires > now.UnixNano() {
		rec = e.rec
	}
	next, expires := fn(now, rec)
	switch {
	case next == nil:
	case !expires.After(now):
		delete(sh.m, key)
	case e == nil:
		sh.grow(now.UnixNano())
		sh.m[key] = &entry{nanos(expires), append([]byte(nil), next...)}
	default:
		e.expires, e.rec = nanos(expires), append(e.rec[:0], next...)
	}
	return nil
}

// grow makes room for one more and drops the expired whenever the shard has doubled,
// so that it never holds more than twice what it must.
func (sh *shard) grow(now int64) {
	if sh.m != nil && len(sh.m) < sh.sweep {
		return
	}
	kept := make(map[string]*entry)
	for k, e := range sh.m {
		if e.expires > now {
			kept[k] = e
		}
	}
	sh.m, sh.sweep = kept, max(64, 2*len(kept))
}
