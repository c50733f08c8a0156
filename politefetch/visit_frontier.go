package politefetch

import (
	"hash/maphash"
	"sync"
)

const (
	frontierSlack = 1000    // addresses kept beyond a visit's page limit, for those that take no place after all
	frontierSeen  = 200_000 // addresses beyond those of which at least the hash is kept
)

// A frontier is the queue of a visit: the addresses that became known and were not asked
// for. It keeps no more of them than the visit's limit lets it ask for; the rest is only
// counted, so that a sitemap's size costs no memory. It is safe for concurrent use.
type frontier struct {
	max int // pages to ask for; not positive: no limit

	mu     sync.Mutex
	queue  []waiting
	known  map[string]bool
	taken  int // places that pages took
	opened int // queued or taken, and not known to be disallowed
	closed int // kept, and known to be disallowed
	beyond int // not kept
	shut   int // of those, known to be disallowed
	seed   maphash.Seed
	seen   map[uint64]struct{} // those not kept
}

type waiting struct {
	addr    string
	allowed bool
}

func newFrontier(maxPages int) *frontier {
	return &frontier{max: maxPages, known: make(map[string]bool), seed: maphash.MakeSeed(), seen: make(map[uint64]struct{})}
}

// add queues an address unless it is known. Disallowed ones are queued too, to be
// reported, but take no page's place.
func (f *frontier) add(addr string, allowed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known[addr] {
		return
	}
	n := &f.opened
	if !allowed {
		n = &f.closed
	}
	if f.max > 0 && *n >= f.max+frontierSlack {
		f.addBeyond(addr, allowed)
		return
	}
	*n++
	f.known[addr] = true
	f.queue = append(f.queue, waiting{addr, allowed})
}

// addBeyond counts an address that there is no room for, once as far as can be told.
func (f *frontier) addBeyond(addr string, allowed bool) {
	h := maphash.String(f.seed, addr)
	if _, ok := f.seen[h]; ok {
		return
	}
	if len(f.seen) < frontierSeen {
		f.seen[h] = struct{}{}
	}
	if allowed {
		f.beyond++
	} else {
		f.shut++
	}
}

// take returns the next address, false when there is none or the limit is reached.
func (f *frontier) take() (waiting, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.queue) == 0 || f.max > 0 && f.taken >= f.max {
		return waiting{}, false
	}
	w := f.queue[0]
	f.queue = f.queue[1:]
	if w.allowed {
		f.taken++
	}
	return w, true
}

// reserve takes a place for a page that was not queued; false when the limit is reached.
func (f *frontier) reserve() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.max > 0 && f.taken >= f.max {
		return false
	}
	f.taken++
	return true
}

// giveBack frees the place of an address that was not asked for after all.
func (f *frontier) giveBack(w waiting) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if w.allowed {
		f.taken--
	}
}

// full reports whether further addresses would not be kept.
func (f *frontier) full() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.max > 0 && f.opened >= f.max+frontierSlack
}

// spent reports whether the limit is reached.
func (f *frontier) spent() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.max > 0 && f.taken >= f.max
}

// left counts the addresses known and not asked for; shut those of robots.txt's closed
// ones that were too many to be kept.
func (f *frontier) left() (left, shut int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.queue) + f.beyond, f.shut
}
