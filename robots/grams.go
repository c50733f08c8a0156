package robots

import (
	"math/bits"
	"strings"
)

// A gramKey is the last bytes, four at most, of a rule's longest literal piece. A path
// that the rule matches holds them somewhere.
type gramKey struct {
	bytes uint32
	n     uint8 // how many, 1 to 4
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
	return gramKey{gramAt(longest, len(longest)-n, n), uint8(n)} //nolint:gosec // 1 to 4
}

// gramAt returns n bytes of s from i on.
func gramAt(s string, i, n int) uint32 {
	s = s[i : i+n]
	switch n {
	case 4:
		return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
	case 3:
		return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16
	case 2:
		return uint32(s[0]) | uint32(s[1])<<8
	}
	return uint32(s[0])
}

// A gramTable is a hash table of the grams and the first rule of each.
type gramTable struct {
	slots   []gramSlot
	lengths uint8 // bit n: there are grams of n bytes
	shift   int
	seed    uint64
}

type gramSlot struct {
	bytes uint32
	head  uint32 // rule number + 1, and above it the number of bytes
}

func newGramTable(heads map[gramKey]uint32, seed uint64) gramTable {
	if len(heads) == 0 {
		return gramTable{}
	}
	size := bits.Len(uint(2 * len(heads))) //nolint:gosec // not negative
	t := gramTable{slots: make([]gramSlot, 1<<size), shift: 64 - size, seed: seed}
	for k, head := range heads {
		t.lengths |= 1 << k.n
		i := t.hash(k.bytes, int(k.n))
		for t.slots[i].head != 0 {
			i = (i + 1) & (len(t.slots) - 1)
		}
		t.slots[i] = gramSlot{k.bytes, head | uint32(k.n)<<ruleBits}
	}
	return t
}

func (t *gramTable) hash(b uint32, n int) int {
	return int(((uint64(b)|uint64(n)<<32)^t.seed)*multiplier>>t.shift) & (len(t.slots) - 1) //nolint:gosec // n is 1 to 4, and few bits are left
}

// findGrams tries the rules that are filed by a gram of the path.
func (m *matcher) findGrams(f *finding) {
	t := &m.grams
	for lengths := t.lengths; lengths != 0; lengths &= lengths - 1 {
		n := bits.TrailingZeros8(lengths)
		for i := 0; i+n <= len(f.path); i++ {
			b := gramAt(f.path, i, n)
			for s := t.hash(b, n); t.slots[s].head != 0; s = (s + 1) & (len(t.slots) - 1) {
				if slot := t.slots[s]; slot.bytes == b && int(slot.head>>ruleBits) == n {
					// Once is enough for each gram.
					if strings.Index(f.path, f.path[i:i+n]) == i {
						m.try(f, slot.head&ruleMask)
					}
					break
				}
			}
		}
	}
}
