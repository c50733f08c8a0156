package sitemap

import (
	"strings"
	"time"
)

// parseDate reads a date in a form of the W3C note on dates, which sitemaps.org asks for,
// of RFC 822, which RSS asks for, or in one of the broken forms seen in the wild that have
// a single meaning. The result is UTC; a date without a zone counts as UTC, and the zone
// of a bare date is ignored. Ambiguous, impossible and zero dates are refused.
func parseDate(raw string) (time.Time, Precision, bool) {
	s := strings.TrimFunc(raw, isBlank)
	if t, precision, ok := fastDate(s); ok {
		return t, precision, ok
	}
	if len(s) > 100 {
		return time.Time{}, PrecisionNone, false
	}
	if t, precision, ok := numericDate(s); ok {
		return t, precision, ok
	}
	if t, precision, ok := wordDate(s); ok {
		return t, precision, ok
	}
	// Two whole dates in one field: the first.
	if first, second, ok := strings.Cut(s, " "); ok && len(first) > 12 && len(second) > 12 {
		return numericDate(first)
	}
	return time.Time{}, PrecisionNone, false
}

// fastDate reads the two commonest forms, 2006-01-02 and 2006-01-02T15:04:05Z07:00.
func fastDate[T string | []byte](s T) (time.Time, Precision, bool) {
	if len(s) < 10 || s[4] != '-' || s[7] != '-' {
		return time.Time{}, PrecisionNone, false
	}
	century, year, month, day := two(s, 0), two(s, 2), two(s, 5), two(s, 8)
	if century < 10 || year < 0 || month < 1 || month > 12 || day < 1 || day > 28 {
		return time.Time{}, PrecisionNone, false
	}
	year += century * 100
	if len(s) == 10 {
		return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC), PrecisionDay, true
	}
	if len(s) < 20 || s[10] != 'T' || s[13] != ':' || s[16] != ':' {
		return time.Time{}, PrecisionNone, false
	}
	h, m, sec := two(s, 11), two(s, 14), two(s, 17)
	if h < 0 || h > 23 || m < 0 || m > 59 || sec < 0 || sec > 59 {
		return time.Time{}, PrecisionNone, false
	}
	offset := 0
	switch {
	case len(s) == 20 && s[19] == 'Z':
	case len(s) == 25 && (s[19] == '+' || s[19] == '-') && s[22] == ':':
		oh, om := two(s, 20), two(s, 23)
		if oh < 0 || oh > 13 || om < 0 || om > 59 {
			return time.Time{}, PrecisionNone, false
		}
		if offset = oh*60 + om; s[19] == '-' {
			offset = -offset
		}
	default:
		return time.Time{}, PrecisionNone, false
	}
	return time.Date(year, time.Month(month), day, h, m-offset, sec, 0, time.UTC), PrecisionSecond, true
}

// two returns the number of two digits at s[i], or -1.
func two[T string | []byte](s T, i int) int {
	a, b := s[i]-'0', s[i+1]-'0'
	if a > 9 || b > 9 {
		return -1
	}
	return int(a)*10 + int(b)
}

// moment is a date in the making. Its year is 1000 to 9999 when it is sound.
type moment struct {
	year, month, day int
	h, m, s, ns      int
	offset           int // minutes east of UTC
	precision        Precision
}

// time returns the moment, if there is such a one. 24:00:00 is the next midnight, and a
// leap second the next second.
func (d moment) time() (time.Time, Precision, bool) {
	switch {
	case d.year < 1000 || d.year > 9999 || d.month < 1 || d.month > 12 || d.day < 1 || d.day > 31,
		d.m > 59 || d.s > 60 || d.h > 24 || d.h == 24 && (d.m > 0 || d.s > 0 || d.ns > 0),
		d.offset > 14*60 || d.offset < -14*60,
		time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC).Day() != d.day:
		return time.Time{}, PrecisionNone, false
	}
	return time.Date(d.year, time.Month(d.month), d.day, d.h, d.m-d.offset, d.s, d.ns, time.UTC), d.precision, true
}

// scanner reads a string from left to right.
type scanner struct {
	s string
	i int
}

func (d *scanner) done() bool { return d.i >= len(d.s) }

// number reads least to most digits.
func (d *scanner) number(least, most int) (int, bool) {
	v, n := 0, 0
	for !d.done() && n < most && isDigit(d.s[d.i]) {
		v = v*10 + int(d.s[d.i]-'0')
		d.i++
		n++
	}
	return v, n >= least
}

// eat reads one byte of set, if there is one, and returns it or 0.
func (d *scanner) eat(set string) byte {
	if d.done() || strings.IndexByte(set, d.s[d.i]) < 0 {
		return 0
	}
	d.i++
	return d.s[d.i-1]
}

func (d *scanner) blanks() {
	for d.eat(" ") != 0 {
	}
}

func (d *scanner) word() string {
	start := d.i
	for !d.done() && d.s[d.i]|0x20 >= 'a' && d.s[d.i]|0x20 <= 'z' {
		d.i++
	}
	return d.s[start:d.i]
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}
