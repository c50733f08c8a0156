package politefetch

// frontierSlack is how many addresses beyond a visit's page limit are kept, to make up
// for those that turn out to be read already or disallowed.
const frontierSlack = 1000

// A frontier is the queue of a visit: the addresses that became known and were not asked
// for. It keeps no more of them than the visit's limit lets it ask for; the rest is only
// counted, so that a sitemap's size costs no memory.
type frontier struct {
	max    int // pages to ask for; not positive: no limit
	queue  []waiting
	known  map[string]bool
	taken  int
	opened int // queued or taken, and not known to be disallowed
	closed int // known to be disallowed
	beyond int // not kept
}

type waiting struct {
	addr    string
	allowed bool
}

func newFrontier(maxPages int) frontier {
	return frontier{max: maxPages, known: make(map[string]bool)}
}

// add queues an address unless it is known. Disallowed ones are queued too, to be
// reported, but take no page's place.
func (f *frontier) add(addr string, allowed bool) {
	if f.known[addr] {
		return
	}
	n := &f.opened
	if !allowed {
		n = &f.closed
	}
	if f.max > 0 && *n >= f.max+frontierSlack {
		f.beyond++
		return
	}
	*n++
	f.known[addr] = true
	f.queue = append(f.queue, waiting{addr, allowed})
}

// take returns the next address, false when there is none or the limit is reached.
func (f *frontier) take() (waiting, bool) {
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

// giveBack says that an address that was taken was not asked for after all.
func (f *frontier) giveBack(w waiting) {
	if w.allowed {
		f.taken--
	}
}

// full reports whether further addresses would not be kept.
func (f *frontier) full() bool { return f.max > 0 && f.opened >= f.max+frontierSlack }

// left counts the addresses known and not asked for.
func (f *frontier) left() int { return len(f.queue) + f.beyond }
