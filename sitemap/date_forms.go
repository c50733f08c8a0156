package sitemap

import (
	"strings"
	"time"
)

// numericDate reads dates that begin with a digit and whose month is a number.
func numericDate(s string) (time.Time, Precision, bool) {
	if isDigits(s) {
		return digitsDate(s)
	}
	d := &scanner{s: s}
	var at moment
	if len(s) >= 15 && isDigits(s[:8]) && s[8]|0x20 == 't' && isDigits(s[9:15]) { // 20060102T150405
		at = basicDate(s[:8])
		at.h, at.m, at.s, at.precision = two(s, 9), two(s, 11), two(s, 13), PrecisionSecond
		d.i = 15
		if !d.zone(&at) || !d.done() {
			return time.Time{}, PrecisionNone, false
		}
		return at.time()
	}
	if !d.calendar(&at) {
		return time.Time{}, PrecisionNone, false
	}
	switch {
	case d.done():
		return at.time()
	case at.precision == PrecisionMonth:
		return time.Time{}, PrecisionNone, false
	case strings.IndexByte("Zz+", s[d.i]) >= 0: // a zone says nothing about a day
		var ignored moment
		if !d.zone(&ignored) || !d.done() {
			return time.Time{}, PrecisionNone, false
		}
		return at.time()
	case d.eat("Tt ") == 0:
		return time.Time{}, PrecisionNone, false
	}
	d.blanks()
	if !d.clock(&at) {
		return time.Time{}, PrecisionNone, false
	}
	return at.time()
}

// digitsDate reads a year, a day without separators, and seconds or milliseconds since
// 1970.
func digitsDate(s string) (time.Time, Precision, bool) {
	d := scanner{s: s}
	switch v, _ := d.number(1, 13); len(s) {
	case 4:
		return moment{year: v, month: 1, day: 1, precision: PrecisionYear}.time()
	case 8:
		return basicDate(s).time()
	case 10:
		return time.Unix(int64(v), 0).UTC(), PrecisionSecond, true
	case 13:
		return time.UnixMilli(int64(v)).UTC(), PrecisionSecond, true
	}
	return time.Time{}, PrecisionNone, false
}

// basicDate reads 20060102.
func basicDate(s string) moment {
	return moment{year: two(s, 0)*100 + two(s, 2), month: two(s, 4), day: two(s, 6), precision: PrecisionDay}
}

// calendar reads 2006-01, 2006-01-02 (also with "/" or "."), and 02.01.2006. Days or months
// in front of a "/" or "-" could be either, so they are refused.
func (d *scanner) calendar(at *moment) bool {
	first, ok := d.number(1, 4)
	if !ok {
		return false
	}
	if d.i != 4 {
		at.day, at.precision = first, PrecisionDay
		if d.eat(".") == 0 {
			return false
		}
		if at.month, ok = d.number(1, 2); !ok || d.eat(".") == 0 {
			return false
		}
		at.year, ok = d.number(4, 4)
		return ok
	}
	at.year = first
	sep := d.eat("-/.")
	if sep == 0 {
		return false
	}
	if at.month, ok = d.number(1, 2); !ok {
		return false
	}
	if d.done() {
		at.day, at.precision = 1, PrecisionMonth
		return sep == '-'
	}
	if d.eat(string(sep)) == 0 {
		return false
	}
	at.day, ok = d.number(1, 2)
	at.precision = PrecisionDay
	return ok
}

// clock reads 15:04, 15:04:05 and 15:04:05.999 with am or pm or a zone, to the end.
func (d *scanner) clock(at *moment) bool {
	var ok bool
	if at.h, ok = d.number(1, 2); !ok || d.eat(":") == 0 {
		return false
	}
	if at.m, ok = d.number(2, 2); !ok {
		return false
	}
	at.precision = PrecisionMinute
	if d.eat(":") != 0 {
		if at.s, ok = d.number(2, 2); !ok {
			return false
		}
		at.precision = PrecisionSecond
		if d.eat(".,") != 0 && !d.fraction(at) {
			return false
		}
	}
	d.blanks()
	switch half := strings.ToLower(d.s[d.i:]); half {
	case "am", "pm":
		if at.h < 1 || at.h > 12 {
			return false
		}
		if at.h %= 12; half == "pm" {
			at.h += 12
		}
		return true
	}
	return d.zone(at) && d.done()
}

// fraction reads digits after the seconds; those beyond nanoseconds are dropped.
func (d *scanner) fraction(at *moment) bool {
	start := d.i
	for !d.done() && isDigit(d.s[d.i]) {
		if d.i-start < 9 {
			at.ns = at.ns*10 + int(d.s[d.i]-'0')
		}
		d.i++
	}
	for n := d.i - start; n < 9; n++ {
		at.ns *= 10
	}
	at.precision = PrecisionFraction
	return d.i > start
}

// zone reads an offset, a name of RFC 822, or nothing.
func (d *scanner) zone(at *moment) bool {
	if d.done() {
		return true
	}
	sign := d.eat("+-")
	if sign == 0 {
		hours, ok := zoneHours(d.word())
		at.offset = hours * 60
		return ok
	}
	h, ok := d.number(1, 2)
	if !ok {
		return false
	}
	m := 0
	if d.eat(":") != 0 || !d.done() && isDigit(d.s[d.i]) {
		if m, ok = d.number(2, 2); !ok {
			return false
		}
	}
	if m > 59 || h > 14 {
		return false
	}
	if at.offset = h*60 + m; sign == '-' {
		at.offset = -at.offset
	}
	return true
}

// zoneHours knows the zone names of RFC 822 section 5.1. Any other name has several
// meanings.
func zoneHours(name string) (int, bool) {
	switch strings.ToLower(name) {
	case "z", "ut", "utc", "gmt":
		return 0, true
	case "edt":
		return -4, true
	case "est", "cdt":
		return -5, true
	case "cst", "mdt":
		return -6, true
	case "mst", "pdt":
		return -7, true
	case "pst":
		return -8, true
	}
	return 0, false
}

// wordDate reads dates with the name of the month: those of RFC 822 and RFC 850, of C, and
// as people write them.
func wordDate(s string) (time.Time, Precision, bool) {
	f := strings.Fields(strings.ReplaceAll(s, ",", " "))
	if len(f) > 0 && isWeekday(f[0]) {
		f = f[1:]
	}
	if len(f) > 0 && strings.Count(f[0], "-") == 2 { // 02-Jan-06
		f = append(strings.Split(f[0], "-"), f[1:]...)
	}
	if len(f) < 3 {
		return time.Time{}, PrecisionNone, false
	}
	at := moment{precision: PrecisionDay}
	var year string
	var clock []string
	switch {
	case monthOf(f[0]) > 0: // Jan 2 2006, Jan 2 15:04:05 [UTC] 2006
		at.month, at.day = monthOf(f[0]), small(f[1])
		year, clock = f[2], f[3:]
		if strings.Contains(f[2], ":") {
			year, clock = f[len(f)-1], f[2:len(f)-1]
		}
		if len(year) != 4 {
			return time.Time{}, PrecisionNone, false
		}
	default: // 2 Jan 2006
		at.day, at.month = small(f[0]), monthOf(f[1])
		year, clock = f[2], f[3:]
	}
	at.year = small(year)
	if len(year) == 2 && at.year >= 0 {
		if at.year += 1900; at.year < 1970 {
			at.year += 100
		}
	}
	if len(clock) > 0 {
		d := &scanner{s: strings.Join(clock, " ")}
		if !d.clock(&at) {
			return time.Time{}, PrecisionNone, false
		}
	}
	return at.time()
}

func isWeekday(w string) bool {
	w = strings.ToLower(w)
	for _, day := range [...]string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"} {
		if len(w) >= 3 && strings.HasPrefix(day, w) {
			return true
		}
	}
	return false
}

// monthOf returns the month that w begins, or 0.
func monthOf(w string) int {
	if len(w) < 3 {
		return 0
	}
	if w = strings.ToLower(w); w == "sept" {
		w = "sep"
	}
	for m := time.January; m <= time.December; m++ {
		if strings.HasPrefix(strings.ToLower(m.String()), w) {
			return int(m)
		}
	}
	return 0
}

// small returns the number of up to four digits, or -1.
func small(w string) int {
	if len(w) > 4 || !isDigits(w) {
		return -1
	}
	d := scanner{s: w}
	v, _ := d.number(1, 4)
	return v
}
