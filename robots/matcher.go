package robots

import (
	"math/bits"
	"strings"
)

// A matcher holds the rules of one group, ready to be asked for the one that decides a
// path. It is built once and never changed.
//
// Rules lie in a hash table by their literal prefix, up to the first "*". To find the
// rules whose prefix a path begins with, the path is hashed once, eight bytes at a time. At
// each of these steps one look says at which of the next lengths there are prefixes to be
// looked up, and whether there are longer ones (see find). That costs time in proportion to
// the path and not to the rules, and, unlike a tree or a sorted list, next to nothing to
// build: an answer about a file just fetched must not cost more than to match each of its
// rules once would.
//
// Rules with a "*" that share a prefix are tried one after the other, which a file full of
// "/*x*y" would make costly. All but the first few of a prefix are therefore filed by the
// four bytes of theirs that the fewest others have instead (see grams.go).
type matcher struct {
	text   string // the file's text: patterns that are in normal form lie there,
	own    string // and the normal forms of the others here
	rules  []rule
	slots  []uint32 // hash table: rule number + 1, and above it a tag of the hash
	shift  uint     // of a hash, to make it a slot number
	filter []uint64 // Bloom filter: hashes of prefixes
	steps  []uint16 // by the hash of a step: see ends and longer
	seed   uint64   // of all hashes, so that no file can be written to collide
	grams  gramTable

	filterShift uint // of a hash, to make it a bit of filter
}

// A rule is a pattern and where it is written. It takes 20 bytes: "allow:/abc" must not
// take more than five times its 11 bytes with its record and its slot.
type rule struct {
	off  uint32 // of the pattern without a final "$", in text or own
	len  uint16
	plen uint16 // length of the literal prefix
	info uint32 // flags, and the number of the record
	next uint32 // number + 1 of the next rule of the same prefix or gram
	mask uint32 // which bytes the pattern has, if it is wild
}

// Flags of a rule. "/a*" and "/a*$" match what "/a" does and are filed as such: only their
// length is another.
const (
	flagAllow  = 1 << 31
	flagDollar = 1 << 30 // ends with "$"
	flagAnchor = 1 << 29 // ends with "$", and not with "*$"
	flagOwn    = 1 << 28 // the pattern lies in own
	flagWild   = 1 << 27 // there is a "*" before the last literal piece
	recordMask = 1<<20 - 1

	ruleBits = 17 // a file has at most MaxBytes/8 rules and twice as many patterns
	ruleMask = 1<<ruleBits - 1
	tagMask  = ^uint32(ruleMask)

	fan = 4 // wild rules of one prefix that are tried in turn

	ends   = 0xFF   // of a step: bit n: a prefix ends after n bytes more
	longer = 0x0100 // of a step: some prefix goes on to the next step
)

func (r *rule) record() int { return int(r.info & recordMask) }

// priority is the length of the pattern with "*" and "$" (RFC 9309, section 2.2.2).
func (r *rule) priority() int { return int(r.len) + int(r.info/flagDollar&1) }

func (m *matcher) pattern(r *rule) string {
	s := m.text
	if r.info&flagOwn != 0 {
		s = m.own
	}
	return s[r.off : r.off+uint32(r.len)]
}

// stronger reports whether r decides where both match: the longer one, or else the Allow,
// or else the earlier one.
func (r *rule) stronger(than *rule) bool {
	if a, b := r.priority(), than.priority(); a != b {
		return a > b
	}
	if (r.info^than.info)&flagAllow != 0 {
		return r.info&flagAllow != 0
	}
	return r.info&recordMask < than.info&recordMask
}

const (
	multiplier = 0x9E3779B97F4A7C15
	mixer      = 0xD6E8FEB86659FD93
)

// step takes the next eight bytes of a path into its hash.
func step(h, word uint64) uint64 {
	h = (h ^ word) * multiplier
	return h ^ h>>32
}

// final makes the hash of a path that goes on for n < 8 bytes, word, after the last step.
func final(h, word uint64, n int) uint64 {
	h = (h ^ word ^ uint64(n)<<56) * mixer //nolint:gosec // n is 0 to 7
	return h ^ h>>29
}

// load8 returns eight bytes of s from i on.
func load8(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// load returns the last n < 8 bytes of s.
func load(s string, n int) uint64 {
	if n == 0 {
		return 0
	}
	if len(s) >= 8 {
		return load8(s, len(s)-8) >> (64 - 8*n)
	}
	var w uint64
	for i := len(s) - 1; i >= len(s)-n; i-- {
		w = w<<8 | uint64(s[i])
	}
	return w
}

// search returns the slot that holds the rules with the prefix whose hash is h, or the
// free one where they belong.
func (m *matcher) search(h uint64, prefix string) (slot int) {
	tag := uint32(h) & tagMask    //nolint:gosec // the low half is meant
	i := int(h >> (m.shift & 63)) //nolint:gosec // at most 18 bits are left
	for ; ; i++ {
		i &= len(m.slots) - 1
		v := m.slots[i]
		if v == 0 {
			return i
		}
		if v&tagMask == tag {
			if r := &m.rules[v&ruleMask-1]; int(r.plen) == len(prefix) && m.pattern(r)[:r.plen] == prefix {
				return i
			}
		}
	}
}

// hashPrefix returns the hash of a prefix, and marks its steps.
func (m *matcher) hashPrefix(p string) uint64 {
	h := m.seed
	for ; len(p) >= 8; p = p[8:] {
		m.steps[m.step(h)] |= longer
		h = step(h, load8(p, 0))
	}
	m.steps[m.step(h)] |= 1 << len(p)
	return final(h, load(p, len(p)), len(p))
}

// step is where the step with the hash h lies. Several may lie there: that costs a look
// more, and never a wrong answer.
func (m *matcher) step(h uint64) int {
	return int(h & uint64(len(m.steps)-1)) //nolint:gosec // the table is small
}

// find returns the rule that decides path, which must be in normal form and start with
// "/", or nil if none matches.
func (m *matcher) find(path string) *rule {
	f := finding{path: path}
	h := m.seed
	for base := 0; ; base += 8 {
		marks := m.steps[m.step(h)]
		rest := len(path) - base
		var word uint64
		if rest >= 8 {
			word = load8(path, base)
		} else {
			word = load(path, rest)
			marks &= 1<<(rest+1) - 1
		}
		for at := marks & ends; at != 0; at &= at - 1 {
			n := bits.TrailingZeros16(at)
			sum := final(h, word&(1<<(8*n&63)-1), n)
			if bit := sum >> (m.filterShift & 63); m.filter[bit/64]>>(bit%64)&1 == 0 {
				continue
			}
			if v := m.slots[m.search(sum, path[:base+n])]; v != 0 {
				m.try(&f, v&ruleMask, true)
			}
		}
		if marks&longer == 0 {
			break
		}
		h = step(h, word)
	}
	if m.grams.lengths != 0 {
		m.findGrams(&f)
	}
	return f.best
}

// A finding is the state of one find.
type finding struct {
	path string
	best *rule
	wild int    // rules with "*" that were tried
	mask uint32 // bytes that path has, once that pays
}

// try tries the rule of number n-1 and those that follow it. Their literal prefix may be
// known to match.
func (m *matcher) try(f *finding, n uint32, known bool) {
	for n != 0 {
		r := &m.rules[n-1]
		n = r.next
		if f.best == nil || r.stronger(f.best) {
			if m.matches(f, nil, r, known) {
				f.best = r
			}
		}
	}
}

// matches reports whether r matches the path, whose grams may be known.
func (m *matcher) matches(f *finding, p *pathGrams, r *rule, known bool) bool {
	if r.info&(flagWild|flagAnchor) == 0 && known {
		return true
	}
	pattern, path := m.pattern(r), f.path
	if !known && r.plen > 1 && !strings.HasPrefix(path, pattern[:r.plen]) { // all start with "/"
		return false
	}
	anchored := r.info&flagAnchor != 0
	if r.info&flagWild == 0 {
		return !anchored || len(path) == int(r.plen)
	}
	if f.wild++; f.wild > fan {
		if f.mask == 0 {
			f.mask = byteMask(path)
		}
		if r.mask&^f.mask != 0 {
			return false
		}
	}
	if p != nil && !p.haveAll(pattern[r.plen:]) {
		return false
	}
	return glob(path[r.plen:], pattern[r.plen+1:], anchored)
}

// glob reports whether s matches the pattern, which goes on after a "*". To take each
// piece where it first occurs is exact: it leaves the most for the pieces after it. Only
// the last piece of an anchored pattern has one place where it can be.
func glob(s, pattern string, anchored bool) bool {
	if anchored {
		i := strings.LastIndexByte(pattern, '*')
		if !strings.HasSuffix(s, pattern[i+1:]) {
			return false
		}
		if i < 0 {
			return true
		}
		s, pattern = s[:len(s)-len(pattern)+i+1], pattern[:i]
	}
	for {
		for pattern != "" && pattern[0] == '*' {
			pattern = pattern[1:]
		}
		i := strings.IndexByte(pattern, '*')
		piece := pattern
		if i >= 0 {
			piece = pattern[:i]
		}
		j := strings.Index(s, piece)
		if j < 0 {
			return false
		}
		if i < 0 {
			return true
		}
		s, pattern = s[j+len(piece):], pattern[i+1:]
	}
}

// byteMask returns the set of the bytes of s but "*". Some bytes share a bit.
func byteMask(s string) (mask uint32) {
	for i := range len(s) {
		if s[i] != '*' {
			mask |= 1 << (s[i] & 31)
		}
	}
	return mask
}
