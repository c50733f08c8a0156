package robots

import (
	"math/bits"
	"slices"
	"strings"
)

// A gramKey is four bytes in a row of one of a rule's literal pieces, or a whole piece if it
// is shorter. A path that the rule matches holds them somewhere.
type gramKey struct {
	bytes uint32
	n     uint8
}

// allGrams reports whether f holds for all grams of what follows a pattern's literal prefix.
func allGrams(pattern string, f func(gramKey) bool) bool {
	w, n := uint32(0), 0 // the last bytes, and how many of them are of the same piece
	for i := range len(pattern) {
		switch b := pattern[i]; {
		case b != '*':
			w = w>>8 | uint32(b)<<24
			if n++; n >= 4 && !f(gramKey{w, 4}) {
				return false
			}
			continue
		case n > 0 && n < 4 && !f(gramKey{w >> (32 - 8*n), uint8(n)}):
			return false
		}
		n = 0
	}
	return n == 0 || n >= 4 || f(gramKey{w >> (32 - 8*n), uint8(n)})
}

// chain files the rules of c.wild by grams: each by the one that the fewest of them have,
// so that a path that has it is likely to be one for the rule, and those of one gram from
// the strongest to the weakest, so that the first that matches decides.
func (c *compiler) chain() {
	if len(c.wild) == 0 {
		return
	}
	// Grams with the same hash are counted as one, which makes a choice worse but not wrong.
	size := bits.Len(uint(len(c.wild))) + 2
	counts, shift := make([]uint32, 1<<size), uint(64-size)
	for _, n := range c.wild {
		r := &c.rules[n-1]
		allGrams(c.pattern(r)[r.plen:], func(k gramKey) bool {
			counts[k.hash(c.seed)>>(shift&63)]++
			return true
		})
	}
	slices.SortFunc(c.wild, func(a, b uint32) int {
		if c.rules[b-1].stronger(&c.rules[a-1]) {
			return -1
		}
		return 1
	})
	heads := make(map[gramKey]uint32, len(c.wild))
	for _, n := range c.wild {
		r := &c.rules[n-1]
		var rarest gramKey
		least := ^uint32(0)
		allGrams(c.pattern(r)[r.plen:], func(k gramKey) bool {
			// A path has short grams more often.
			if count := counts[k.hash(c.seed)>>(shift&63)] << (8 - 2*k.n); count <= least {
				rarest, least = k, count
			}
			return true
		})
		r.next, heads[rarest] = heads[rarest], n
	}
	c.grams = newGramTable(heads, c.seed)
}

// hash is what a gram table goes by.
func (k gramKey) hash(seed uint64) uint64 {
	return ((uint64(k.bytes) | uint64(k.n)<<32) ^ seed) * multiplier
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
	n := uint(len(heads))
	size := min(bits.Len(n+n/2), max(bits.Len(n), 16)) // no larger, for a file full of "*abc" must not take more than six times its size
	t := gramTable{slots: make([]gramSlot, 1<<size), shift: uint(64 - size), seed: seed}
	t.filterShift = t.shift - 4 // 16 bits a slot
	t.filter = make([]uint64, max(1<<(size+4)/64, 1))
	for k, head := range heads {
		t.lengths |= 1 << k.n
		h := k.hash(seed)
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

// may returns 1 if there may be a gram of n bytes b, and 0 if there is none.
func (t *gramTable) may(b uint32, n int) uint64 {
	bit := gramKey{b, uint8(n)}.hash(t.seed) >> (t.filterShift & 63) //nolint:gosec // n is at most 4
	return t.filter[bit/64] >> (bit % 64) & 1
}

// get returns the first rule with the gram, or 0.
func (t *gramTable) get(b uint32, n int) uint32 {
	for i := int(gramKey{b, uint8(n)}.hash(t.seed) >> (t.shift & 63)); t.slots[i].head != 0; i = (i + 1) & (len(t.slots) - 1) { //nolint:gosec // few bits are left
		if s := t.slots[i]; s.bytes == b && int(s.head>>ruleBits) == n {
			return s.head & ruleMask
		}
	}
	return 0
}

// findGrams tries the rules that are filed by a gram of the path.
func (m *matcher) findGrams(f *finding) {
	if !m.scan(f, nil) {
		m.findMany(f)
	}
}

// findMany is findGrams for a path that has the grams of many rules.
//
//go:noinline // its frame is large
func (m *matcher) findMany(f *finding) {
	var p pathGrams
	p.fill(f.path, m.seed)
	m.scan(f, &p)
}

// scan tries the rules that are filed by a gram of the path. Without p it gives up and
// returns false when they turn out to be many.
func (m *matcher) scan(f *finding, p *pathGrams) bool {
	t, path := &m.grams, f.path
	for lengths := t.lengths; lengths != 0; lengths &= lengths - 1 {
		n, i := bits.TrailingZeros8(lengths), 0
		mask := ^uint32(0) >> (32 - 8*n)
		for ; i+8 <= len(path); i += 5 { // five grams of every eight bytes at once
			w := load8(path, i)
			//nolint:gosec // the low half is meant
			hits := t.may(uint32(w)&mask, n) | t.may(uint32(w>>8)&mask, n)<<1 | t.may(uint32(w>>16)&mask, n)<<2 |
				t.may(uint32(w>>24)&mask, n)<<3 | t.may(uint32(w>>32)&mask, n)<<4
			for ; hits != 0; hits &= hits - 1 {
				j := bits.TrailingZeros64(hits)
				//nolint:gosec // the low half is meant
				if head := t.get(uint32(w>>(8*j))&mask, n); head != 0 && !m.tryGram(f, p, head, i+j, n) {
					return false
				}
			}
		}
		for ; i+n <= len(path); i++ {
			//nolint:gosec // n is at most 4
			if head := t.get(uint32(load(path[i:i+n], n)), n); head != 0 && !m.tryGram(f, p, head, i, n) {
				return false
			}
		}
	}
	return true
}

// tryGram tries the rules from head on, whose gram of n bytes the path has at i, if it has
// it nowhere before. It returns false if scan has to give up.
func (m *matcher) tryGram(f *finding, p *pathGrams, head uint32, i, n int) bool {
	if p != nil {
		if word, bit := &p.tried[head/64], uint64(1)<<(head%64); *word&bit == 0 {
			*word |= bit
			m.tryChain(f, p, head)
		}
		return true
	}
	if f.best != nil && !m.rules[head-1].stronger(f.best) {
		return true
	}
	f.wild++
	if strings.Index(f.path, f.path[i:i+n]) < i {
		return f.wild <= many
	}
	return m.tryChain(f, p, head)
}

// tryChain tries the rules from n-1 on, the strongest first. It returns false if scan has
// to give up.
func (m *matcher) tryChain(f *finding, p *pathGrams, n uint32) bool {
	for n != 0 {
		r := &m.rules[n-1]
		n = r.next
		switch {
		case f.best != nil && !r.stronger(f.best):
			return true
		case m.matches(f, p, r, false):
			f.best = r
			return true
		case p == nil && f.wild > many:
			return false
		}
	}
	return true
}

// many is how many gram hits and rules are tried before it pays to learn the path's grams.
const many = 16

// pathGrams are the grams that a path has, and what was tried because of them.
type pathGrams struct {
	bloom [1 << 11]uint64             // two bits of one word for a gram
	tried [1 << (ruleBits - 6)]uint64 // by the number of a gram's first rule
	seed  uint64
}

// fill takes in the grams of a path that are longer than a byte: for those there is the
// byte mask.
func (p *pathGrams) fill(path string, seed uint64) {
	p.seed = seed
	var w uint32
	for i := range len(path) {
		w = w>>8 | uint32(path[i])<<24
		for n := 2; n <= min(i+1, 4); n++ {
			word, mask := p.bits(gramKey{w >> (32 - 8*n), uint8(n)})
			p.bloom[word] |= mask
		}
	}
}

// bits returns the bits of a gram, and the word of bloom that they lie in.
func (p *pathGrams) bits(k gramKey) (word, mask uint64) {
	h := k.hash(p.seed)
	return h >> 53, 1<<(h>>47&63) | 1<<(h>>41&63)
}

// haveAll reports whether the path may have all grams of what follows a pattern's literal
// prefix.
func (p *pathGrams) haveAll(pattern string) bool {
	return allGrams(pattern, func(k gramKey) bool {
		word, mask := p.bits(k)
		return k.n == 1 || mask&^p.bloom[word] == 0
	})
}
