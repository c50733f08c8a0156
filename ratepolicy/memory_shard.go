package ratepolicy

import "sync"

// A shard is the records of some of the keys.
type shard struct {
	mu    sync.Mutex
	index index
	slabs [slotSizes]slab
	spare *chunk          // kept for the next slab that needs one
	large map[name][]byte // the records that no slot has room for
	sweep int             // at so many records the expired are looked for

	_ [64]byte // what other cores write lies on lines of its own
}

// A found is what a shard has of a name: its place in the index, -1 for nothing, and its slot.
type found struct {
	at   int
	slot slot
}

func (sh *shard) find(k name) found {
	for at := sh.index.first(k.tag); at >= 0; at = sh.index.next(at, k.tag) {
		if s := sh.slot(sh.index.entries[at].ref()); s.name() == k {
			return found{at, s}
		}
	}
	return found{at: -1}
}

func (sh *shard) slot(r ref) slot { return sh.slabs[r.size()].slot(r) }

// rec is the record that was found, nil if it has expired.
func (sh *shard) rec(f found, k name, now int64) []byte {
	switch {
	case f.at < 0 || f.slot.expires() <= now:
		return nil
	case f.slot.elsewhere():
		return sh.large[k]
	}
	return f.slot.rec()
}

// keep makes rec, which may be part of what was found, the record of k, in the least slot
// that has room for it.
func (sh *shard) keep(k name, f found, rec []byte, expires, now int64) {
	switch {
	case expires <= now && f.at < 0:
		return
	case expires <= now:
		sh.remove(f.at)
		return
	}
	size := sizeFor(len(rec))
	if len(f.slot) == int(size.bytes()) {
		sh.put(f.slot, k, rec, expires)
		return
	}
	if f.at < 0 && sh.index.n >= sh.sweep {
		sh.dropExpired(now)
	}
	r := sh.slabs[size].add(size, &sh.spare)
	sh.put(sh.slot(r), k, rec, expires)
	if f.at < 0 {
		sh.index.add(newEntry(k.tag, r))
		return
	}
	old := sh.index.entries[f.at].ref()
	sh.index.entries[f.at] = newEntry(k.tag, r)
	sh.free(old)
}

func (sh *shard) put(s slot, k name, rec []byte, expires int64) {
	if s.put(k, rec, expires) {
		if len(sh.large) > 0 {
			delete(sh.large, k)
		}
		return
	}
	if sh.large == nil {
		sh.large = make(map[name][]byte)
	}
	sh.large[k] = append(sh.large[k][:0], rec...)
}

// remove forgets the record whose place in the index is at.
func (sh *shard) remove(at int) {
	r := sh.index.entries[at].ref()
	delete(sh.large, sh.slot(r).name())
	sh.index.remove(at)
	sh.free(r)
}

// free fills a slot with the last one of its slab, so that there are no holes.
func (sh *shard) free(r ref) {
	slab := &sh.slabs[r.size()]
	if slab.last != r {
		last := slab.slot(slab.last)
		copy(slab.slot(r), last)
		tag := last.name().tag
		sh.index.entries[sh.index.find(newEntry(tag, slab.last))] = newEntry(tag, r)
	}
	slab.drop(&sh.spare)
}

// dropExpired runs whenever the shard has twice as many records as were left the last
// time, so that it never holds more than twice what it must.
func (sh *shard) dropExpired(now int64) {
	for i := range sh.slabs {
		slab := &sh.slabs[i]
		for r := slab.last; r != 0; { // those behind r are known to stay
			s, before := slab.slot(r), r.before()
			if s.expires() <= now {
				sh.remove(sh.index.find(newEntry(s.name().tag, r)))
			}
			r = before
		}
	}
	sh.index.fit()
	sh.sweep = max(64, 2*sh.index.n)
}
