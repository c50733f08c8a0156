package page

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unicode/utf8"
)

// simhash sums a text up in 256 bits of which few differ where texts differ in little
// (Charikar, Similarity Estimation Techniques from Rounding Algorithms, 2002): the share of
// the bits that differ is the angle between two texts, as vectors of how often each three
// words follow each other, over half a turn. Its state is 2 KiB, whatever the text.
//
// Each three words are 256 random bits, and a bit of the result is what most of them have
// there. The counters are bit-sliced: sum[k] holds what counts 2^k, for all 256 bits at
// once, and carry[k] what is yet to be added to it, if bit k of n is set. So a word costs
// one carry-save addition on average.
type simhash struct {
	n           uint32    // words
	before      [2]uint64 // the last two, as hashes
	first, last lanes     // of the three words
	sum, carry  [32]lanes
}

// lanes are 256 bits.
type lanes [4]uint64

// write takes text with single blanks between its words and returns how much of it: the
// last word is left, for it may go on, unless the text ends here or it fills all of b.
func (s *simhash) write(b []byte, end bool) int {
	if !end {
		b = b[:len(b)-partial(b)]
	}
	start, i := 0, 0
	for i < len(b) {
		switch c := b[i]; {
		case c == ' ':
			s.word(b[start:i])
			i++
			start = i
		case c < 0xE0: // not the lead byte of U+0800 or beyond
			i++
		default:
			r, size := utf8.DecodeRune(b[i:])
			if isWord(r) {
				s.word(b[start:i])
				s.word(b[i : i+size])
				start = i + size
			}
			i += size
		}
	}
	if end || start == 0 {
		s.word(b[start:])
		start = len(b)
	}
	if end && s.n > 0 {
		s.last = s.three(0) // the end counts as a word: else a text of few words could change its last unseen
		s.add(s.last)
	}
	return start
}

// isWord is true of the characters of scripts that set no blanks between words (Thai to
// Myanmar, Khmer, and what stands from the radicals of Chinese on): each counts as a word.
func isWord(r rune) bool {
	return r >= 0x2E80 || r >= 0x0E00 && r <= 0x109F || r >= 0x1780 && r <= 0x17FF
}

func (s *simhash) word(b []byte) {
	if len(b) == 0 {
		return
	}
	s.add(s.three(wordHash(b)))
}

// three are the three words of which w is the last.
func (s *simhash) three(w uint64) (x lanes) {
	h := fold(fold(s.before[0], s.before[1]), w)
	s.before = [2]uint64{s.before[1], w}
	const step = 0x9e3779b97f4a7c15
	return lanes{mix(h + step&math.MaxUint64), mix(h + step*2&math.MaxUint64), mix(h + step*3&math.MaxUint64), mix(h + step*4&math.MaxUint64)}
}

// add counts three words.
func (s *simhash) add(x lanes) {
	n := s.n
	switch n {
	case 0:
		s.first = x
	case math.MaxUint32:
		return
	}
	s.n++
	for k := 0; ; k++ {
		sum, carry := &s.sum[k], &s.carry[k]
		if n>>k&1 == 0 {
			*carry = x
			return
		}
		sum[0], x[0] = full(sum[0], carry[0], x[0])
		sum[1], x[1] = full(sum[1], carry[1], x[1])
		sum[2], x[2] = full(sum[2], carry[2], x[2])
		sum[3], x[3] = full(sum[3], carry[3], x[3])
	}
}

// full adds three bits, 64 times over.
func full(a, b, c uint64) (sum, carry uint64) { return a ^ b ^ c, a&b | (a^b)&c }

// majority returns what most of them have. Where just half of them do, the first and the
// last three words decide together: with either alone, what stands there would count for
// more.
func (s *simhash) majority() (out [32]byte) {
	half := s.n / 2
	for i := range s.first {
		var carry, more uint64
		even := ^uint64(0) // the lanes that are half so far
		for k := range s.sum {
			a, b := s.sum[k][i], s.carry[k][i]
			if s.n>>k&1 == 0 {
				b = 0
			}
			sum := a ^ b ^ carry
			carry = a&b | (a^b)&carry
			// From the lowest place up: what is more at a place is more in all.
			if half>>k&1 == 0 {
				more |= sum
				even &^= sum
			} else {
				more &= sum
				even &= sum
			}
		}
		if s.n%2 == 0 {
			more |= even & (s.first[i] ^ bits.RotateLeft64(s.last[i], 1)) // turned, or of two each would be set
		}
		binary.BigEndian.PutUint64(out[8*i:], more)
	}
	return out
}

// wordHash, fold and mix make the random bits. Fingerprints are stored: a change of these
// asks for a new version of them.
func wordHash(b []byte) uint64 {
	h := uint64(len(b))
	for ; len(b) >= 8; b = b[8:] {
		h = fold(h, binary.LittleEndian.Uint64(b))
	}
	var last uint64
	if cap(b) >= 8 { // what stands behind doesn't count
		last = binary.LittleEndian.Uint64(b[:8]) & (1<<(8*len(b)) - 1)
	} else {
		for i, c := range b {
			last |= uint64(c) << (8 * i)
		}
	}
	return fold(h, last)
}

// fold hashes two numbers into one by a multiplication of 64 to 128 bits.
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0xa0761d6478bd642f, b^0xe7037ed1a0b428db)
	return hi ^ lo
}

// mix is the finaliser of SplitMix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom
// Number Generators, 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
