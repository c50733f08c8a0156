package robots

import (
	"math/bits"
	"strings"
)

// A gramKey is the last 1, 2 or 4 bytes of a rule's longest literal piece. A path that the
// rule matches holds them somewhere.
type gramKey struct {
	bytes uint32
	n     uint8
}

// gramOf picks the gram of what follows a pattern's literal prefix.
func gramOf(pattern string) gramKey {
	longest := ""
	for piece := range strings.SplitSeq(pattern, "*") {
		if len(piece) >= len(longest) {
			longest = piece
		}
	}
	n := min(len(longest), 4)
	if n == 3 {
		n = 2
	}
	return gramKey{gramAt(longest, len(longest)-n, n), uint8(n)}
}

// gramAt returns n bytes of s from i on.
func gramAt(s string, i, n int) uint32 {
	s = s[i : i+n]
	switch n {
	case 4:
		return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
	case 2:
		return uint32(s[0]) | uint32(s[1])<<8
	}
	return uint32(s[0])
}

// A gramTable is a hash table of the grams and the first rule of each, with a filter that
// spares the table most questions.
type gramTable struct {
	slots   []gramSlot
	filter  []uint64
	lengths uint8 // bit n: there are grams of n bytes
	shift   uint  // of a hash, to make it a slot number
	seed    uint64

	filterShift uint // to make it the number of a bit of filter
}

type gramSlot struct {
	bytes uint32
	head  uint32 // rule number + 1, and above it the number of bytes
}

func newGramTable(heads map[gramKey]uint32, seed uint64) gramTable {
	if len(heads) == 0 {
		return gramTable{}
	}
	size := bits.Len(uint(len(heads) + len(heads)/2))
	t := gramTable{slots: make([]gramSlot, 1<<size), shift: uint(64 - size), seed: seed}
	t.filterShift = t.shift - 4 // 16 bits a slot
	t.filter = make([]uint64, max(1<<(size+4)/64, 1))
	for k, head := range heads {
		t.lengths |= 1 << k.n
		h := t.hash(k.bytes, int(k.n))
		bit := h >> (t.filterShift & 63)
		t.filter[bit/64] |= 1 << (bit % 64)
		i := int(h >> (t.shift & 63)) //nolint:gosec // few bits are left
		for t.slots[i].head != 0 {
			i = (i + 1) & (len(t.slots) - 1)
		}
		t.slots[i] = gramSlot{k.bytes, head | uint32(k.n)<<ruleBits}
	}
	return t
}

func (t *gramTable) hash(b uint32, n int) uint64 {
	return ((uint64(b) | uint64(n)<<32) ^ t.seed) * multiplier //nolint:gosec // n is 1, 2 or 4
}

// may returns 1 if there may be a gram of n bytes b, and 0 if there is none.
func (t *gramTable) may(b uint32, n int) uint64 {
	bit := t.hash(b, n) >> (t.filterShift & 63)
	return t.filter[bit/64] >> (bit % 64) & 1
}

// get returns the first rule with the gram, or 0.
func (t *gramTable) get(b uint32, n int) uint32 {
	for i := int(t.hash(b, n) >> (t.shift & 63)); t.slots[i].head != 0; i = (i + 1) & (len(t.slots) - 1) { //nolint:gosec // few bits are left
		if s := t.slots[i]; s.bytes == b && int(s.head>>ruleBits) == n {
			return s.head & ruleMask
		}
	}
	return 0
}

// findGrams tries the rules that are filed by a gram of the path.
func (m *matcher) findGrams(f *finding) {
	t, path := &m.grams, f.path
	for lengths := t.lengths; lengths != 0; lengths &= lengths - 1 {
		n, i := bits.TrailingZeros8(lengths), 0
		if n == 4 { // five grams of every eight bytes at once
			for ; i+8 <= len(path); i += 5 {
				w := load8(path, i)
				//nolint:gosec // the low half is meant
				if t.may(uint32(w), 4)|t.may(uint32(w>>8), 4)|t.may(uint32(w>>16), 4)|
					t.may(uint32(w>>24), 4)|t.may(uint32(w>>32), 4) == 0 {
					continue
				}
				for j := i; j < i+5; j++ {
					m.tryGram(f, j, 4)
				}
			}
		}
		for ; i+n <= len(path); i++ {
			m.tryGram(f, i, n)
		}
	}
}

// tryGram tries the rules of the gram of n bytes that the path has at i, if it has the
// gram nowhere before.
func (m *matcher) tryGram(f *finding, i, n int) {
	b := gramAt(f.path, i, n)
	if m.grams.may(b, n) == 0 {
		return
	}
	if head := m.grams.get(b, n); head != 0 && strings.Index(f.path, f.path[i:i+n]) == i {
		m.try(f, head, false)
	}
}
