package ratepolicy

// An index says where the slots are: a hash table with linear probing (Knuth, The Art of
// Computer Programming, volume 3, section 6.4, algorithms L and R).
type index struct {
	entries []entry
	n       int // that are taken
}

// An entry is the tag of a name above the ref of its slot; 0: it is not taken.
type entry uint64

func newEntry(tag uint32, r ref) entry { return entry(tag)<<32 | entry(r) }

func (e entry) tag() uint32 { return uint32(e >> 32) }
func (e entry) ref() ref    { return ref(e) } //nolint:gosec // the lower half

// At most 4 of 5 entries are taken: a search then looks at 3 on average, and a cache line
// has 8. Growth by an eighth keeps the unused few.
const (
	mostTaken  = 4
	ofEntries  = 5
	leastIndex = 16 // an eighth of it is not nothing
)

// home rises with the tag, so that the number of entries need be no power of two.
func (x *index) home(tag uint32) int {
	return int(uint64(tag) * uint64(len(x.entries)) >> 32)
}

// first returns the place of the first entry with the tag, -1 if there is none.
func (x *index) first(tag uint32) int {
	if x.n == 0 {
		return -1
	}
	return x.from(x.home(tag), tag)
}

// next returns the one after that at place i.
func (x *index) next(i int, tag uint32) int { return x.from(x.after(i), tag) }

func (x *index) from(i int, tag uint32) int {
	for ; x.entries[i] != 0; i = x.after(i) {
		if x.entries[i].tag() == tag {
			return i
		}
	}
	return -1
}

func (x *index) after(i int) int {
	if i++; i < len(x.entries) {
		return i
	}
	return 0
}

// find returns the place of an entry that is there.
func (x *index) find(e entry) int {
	i := x.home(e.tag())
	for x.entries[i] != e {
		i = x.after(i)
	}
	return i
}

// add takes in an entry that isn't there.
func (x *index) add(e entry) {
	if ofEntries*(x.n+1) > mostTaken*len(x.entries) {
		x.resize(max(leastIndex, len(x.entries)+len(x.entries)/8))
	}
	x.n++
	x.place(e)
}

func (x *index) place(e entry) {
	i := x.home(e.tag())
	for x.entries[i] != 0 {
		i = x.after(i)
	}
	x.entries[i] = e
}

// remove frees place i, and moves up those behind it that were kept from it.
func (x *index) remove(i int) {
	x.n--
	size := len(x.entries)
	for j := x.after(i); x.entries[j] != 0; j = x.after(j) {
		home := x.home(x.entries[j].tag())
		if (j-home+size)%size >= (j-i+size)%size { // its home is no later than i
			x.entries[i], i = x.entries[j], j
		}
	}
	x.entries[i] = 0
}

// fit gives back what many removals have left unused.
func (x *index) fit() {
	if size := max(leastIndex, 2*x.n); size < len(x.entries)/2 {
		x.resize(size)
	}
}

func (x *index) resize(size int) {
	old := x.entries
	x.entries = make([]entry, size)
	for _, e := range old {
		if e != 0 {
			x.place(e)
		}
	}
}
