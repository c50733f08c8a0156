package robots

import (
	"hash/maphash"
	"math/bits"
	"slices"
	"strings"
)

// A compiler makes a matcher: first take for every rule, then finish.
type compiler struct {
	matcher
	mode  mode
	own   []byte
	whole map[wholeKey]uint32 // rules that are filed by a gram, to find equal ones
	wild  []uint32            // their numbers + 1

	gramRoots bool // wild rules that start with "*" or "/*" are filed by grams
}

type wholeKey struct {
	pattern string
	anchor  bool
}

// take takes in an Allow or Disallow record of the file.
func (c *compiler) take(f *File, number int) {
	rec := f.records[number]
	off, value := rec.off(), f.value(rec)
	info := uint32(number) //nolint:gosec // there are fewer than 2^20 records
	if rec.kind() == kindAllow {
		info |= flagAllow
	}
	n, start := len(value), len(c.own)
	if c.mode&modeGoogle != 0 {
		c.own = appendGoogle(c.own, value)
	} else if all := classify(value); all&odd != 0 && !escaped(value) ||
		all&dollar != 0 && strings.IndexByte(value, '$') != len(value)-1 {
		c.own = appendNormal(c.own, value, true)
	}
	if len(c.own) > start {
		off, n, info = start, len(c.own)-start, info|flagOwn
	}
	//nolint:gosec // own is at most 3*MaxBytes long, and a pattern 3*maxLine
	c.rules = append(c.rules, rule{off: uint32(off), len: uint16(n), info: info})
}

// finish files the rules and returns the matcher.
func (c *compiler) finish() *matcher {
	c.matcher.own = string(c.own)
	c.analyse()
	queued := c.rules
	c.rules = c.rules[:0] // what is filed overwrites what was, never what is to be
	c.seed = maphash.String(maphash.MakeSeed(), "")
	roots := 0
	for _, r := range queued {
		if r.rooted() {
			roots++
		}
	}
	hashed := len(queued)
	if roots > fan {
		c.gramRoots = true
		hashed -= roots
	}
	size := max(bits.Len(uint(hashed+hashed/2)), 3) // a third to two thirds of the slots will be used
	c.slots = make([]uint32, 1<<size)
	c.steps = make([]uint16, 1<<size)
	c.filter = make([]uint64, 1<<(size-3)) // 8 bits a slot
	c.shift, c.filterShift = uint(64-size), uint(64-size-3)
	for _, r := range queued {
		c.file(r)
	}
	c.chain()
	if len(c.rules) < cap(c.rules)-cap(c.rules)/4 {
		c.rules = slices.Clone(c.rules)
	}
	m := c.matcher
	return &m
}

// analyse tells the parts of the patterns apart, drops those that can't match, and adds
// those that only Google sees.
func (c *compiler) analyse() {
	kept := c.rules[:0]
	var twins []rule
	for _, r := range c.rules {
		pattern := c.pattern(&r)
		if pattern[0] != '/' && pattern[0] != '*' {
			continue
		}
		// Google's library reads "/dir/index.html" as if there were also "/dir/$".
		if r.info&flagAllow != 0 && c.mode&modeRFC == 0 {
			if i := strings.LastIndexByte(pattern, '/'); i >= 0 && strings.HasPrefix(pattern[i:], "/index.htm") {
				twin := r
				twin.len, twin.info = uint16(i+1), r.info|flagDollar //nolint:gosec // shorter than the pattern
				twin.analyse(pattern[:i+1])
				twins = append(twins, twin)
			}
		}
		if n := len(pattern) - 1; pattern[n] == '$' {
			pattern, r.len, r.info = pattern[:n], r.len-1, r.info|flagDollar
		}
		r.analyse(pattern)
		kept = append(kept, r)
	}
	c.rules = append(kept, twins...)
}

// analyse finds the literal prefix of the pattern, which is without its final "$", and what
// follows it.
func (r *rule) analyse(pattern string) {
	r.plen = r.len
	if r.info&flagDollar != 0 && !strings.HasSuffix(pattern, "*") {
		r.info |= flagAnchor
	}
	if i := strings.IndexByte(pattern, '*'); i >= 0 {
		r.plen = uint16(i) //nolint:gosec // shorter than the pattern
		for pattern[len(pattern)-1] == '*' && len(pattern)-1 > i {
			pattern = pattern[:len(pattern)-1]
		}
		if len(pattern)-1 > i {
			r.info |= flagWild
		}
	}
}

// file puts a rule into the table, unless one with the same pattern is there, of which
// then the stronger stays.
func (c *compiler) file(r rule) {
	pattern := c.pattern(&r)
	if r.info&flagWild != 0 {
		r.mask = byteMask(pattern)
	}
	if c.gramRoots && r.rooted() {
		c.fileGram(r, pattern)
		return
	}
	prefix := pattern[:r.plen]
	h := c.hashPrefix(prefix)
	slot := c.search(h, prefix)
	number := uint32(len(c.rules) + 1) //nolint:gosec // at most ruleMask
	head := c.slots[slot] & ruleMask
	if head == 0 {
		bit := h >> c.filterShift
		c.filter[bit/64] |= 1 << (bit % 64)
		c.slots[slot] = number | uint32(h)&tagMask //nolint:gosec // the low half is meant
		c.rules = append(c.rules, r)
		return
	}
	wild := 0
	for n := head; n != 0; n = c.rules[n-1].next {
		other := &c.rules[n-1]
		if other.info&flagWild != 0 {
			wild++
		}
		if same := (r.info^other.info)&(flagWild|flagAnchor) == 0; same &&
			(r.info&flagWild == 0 || c.pattern(other) == pattern && (r.info^other.info)&flagDollar == 0) {
			keep(other, r)
			return
		}
	}
	if r.info&flagWild != 0 && wild >= fan {
		c.fileGram(r, pattern)
		return
	}
	r.next, c.rules[head-1].next = c.rules[head-1].next, number
	c.rules = append(c.rules, r)
}

// rooted reports whether the rule is wild and has no prefix to speak of. These are the
// wild rules that real files are full of.
func (r *rule) rooted() bool { return r.info&flagWild != 0 && r.plen <= 1 }

// keep puts r in the place of an equal rule if it is the stronger one.
func keep(other *rule, r rule) {
	if r.stronger(other) {
		r.next = other.next
		*other = r
	}
}

// fileGram puts a rule with "*" among those that are filed by a gram (see chain), unless
// an equal one is there.
func (c *compiler) fileGram(r rule, pattern string) {
	if c.whole == nil {
		c.whole = make(map[wholeKey]uint32)
	}
	whole := wholeKey{pattern, r.info&flagDollar != 0}
	if n := c.whole[whole]; n != 0 {
		keep(&c.rules[n-1], r)
		return
	}
	number := uint32(len(c.rules) + 1) //nolint:gosec // at most ruleMask
	c.whole[whole] = number
	c.wild = append(c.wild, number)
	c.rules = append(c.rules, r)
}
