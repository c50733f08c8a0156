package page

import (
	"hash"
	"unicode"
	"unicode/utf8"
)

// normalizer takes text in pieces, collapses its white space and counts. With a hash, the
// text goes there and to sim; without, its first part is kept.
type normalizer struct {
	chars, words int
	hash         hash.Hash
	sim          *simhash
	buf          [maxTitle]byte
	n            int // bytes in buf
	hashed       int // of these
	full         bool
	word         bool // in the middle of a word
	punctuated   bool // to sim, punctuation is a blank
}

// write takes a piece, which ends where a character does.
func (t *normalizer) write(b []byte) {
	for len(b) > 0 {
		if n, chars, words := ordinary(b); n > 0 {
			t.put(b[:n], chars)
			t.words += words
			b = b[n:]
			continue
		}
		r, size := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && size == 1:
			t.put([]byte("\uFFFD"), 1)
			size = invalid(b)
		case unicode.IsSpace(r):
			t.gap()
		}
		b = b[size:]
	}
}

// ordinary returns how many bytes at the beginning of b can be taken as they are: words with
// single blanks between them. It counts the characters, and the words that begin after the
// first.
func ordinary(b []byte) (n, chars, words int) {
	for n < len(b) {
		switch c := b[n]; {
		case c > ' ' && c < 0x7F:
			n++
			chars++
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(b[n:])
			if r == utf8.RuneError && size == 1 || unicode.IsSpace(r) || invisible(r) {
				return n, chars, words
			}
			n += size
			chars++
		case c == ' ' && n > 0 && n+1 < len(b) && b[n+1] > ' ' && b[n+1] < 0x7F:
			n += 2
			chars += 2
			words++
		default:
			return n, chars, words
		}
	}
	return n, chars, words
}

// invalid returns how many bytes one replacement character stands for: the beginning of a
// character that doesn't go on, or a single byte (Encoding Standard, section 8.1.1).
func invalid(b []byte) int {
	for n := min(utf8.UTFMax-1, len(b)); n > 1; n-- {
		if !utf8.FullRune(b[:n]) {
			return n
		}
	}
	return 1
}

// invisible is true of what marks a place to break, or nothing: control characters, soft
// hyphen, zero-width space, word joiner, byte order mark.
func invisible(r rune) bool {
	switch r {
	case 0xAD, 0x200B, 0x2060, 0xFEFF:
		return true
	}
	return r < ' ' || r >= 0x7F && r < 0xA0
}

// gap ends a word.
func (t *normalizer) gap() { t.word = false }

func (t *normalizer) put(b []byte, chars int) {
	if !t.word {
		t.word = true
		t.words++
		if t.chars > 0 {
			t.chars++
			t.store([]byte(" "))
		}
	}
	t.chars += chars
	t.store(b)
}

func (t *normalizer) store(b []byte) {
	if t.full {
		return
	}
	for len(b) > 0 {
		n := copy(t.buf[t.n:], b)
		t.n += n
		b = b[n:]
		if t.n == len(t.buf) {
			if t.hash == nil {
				t.full = true
				return
			}
			t.flush(false)
		}
	}
}

// flush makes room in the buffer. Where it does so depends on the text alone, not on the
// pieces that the text came in: a word longer than the buffer is always cut at the same
// places.
func (t *normalizer) flush(end bool) {
	b := t.buf[:t.n]
	t.hash.Write(b[t.hashed:])
	if t.punctuated {
		blank(b[t.hashed:])
	}
	t.n = copy(b, b[t.sim.write(b, end):])
	t.hashed = t.n
}

// kept returns the first part of the text.
func (t *normalizer) kept() string {
	b := t.buf[:t.n]
	return string(b[:len(b)-partial(b)])
}

// digests returns the hashes of the text.
func (t *normalizer) digests() (sum, similar [32]byte) {
	t.flush(true)
	t.hash.Sum(sum[:0])
	return sum, t.sim.majority()
}
