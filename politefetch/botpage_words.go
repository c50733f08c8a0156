package politefetch

import (
	"fmt"
	"strconv"
	"strings"
	text "text/template"
	"time"
)

// A language says numbers, sizes and spans of time.
type language struct {
	point, group string // of numbers
	or, and      string
	bytes        [2]string // one, more
	units        map[time.Duration]unitWords
	every        map[time.Duration]string // spans with a name
	each, often  func(gen string) string
}

// unitWords are a unit's forms: with one, with more, and in the genitive; "": there is none.
type unitWords struct{ one, many, gen string }

const aDay, aWeek = 24 * time.Hour, 7 * 24 * time.Hour

// languages are those in which there are sentences.
func languages() map[string]*language {
	return map[string]*language{
		"en": {
			point: ".", group: ",", or: " or ", and: " and ", bytes: [2]string{"byte", "bytes"},
			units: map[time.Duration]unitWords{
				aDay:        {"day", "days", ""},
				time.Hour:   {"hour", "hours", ""},
				time.Minute: {"minute", "minutes", ""},
				time.Second: {"second", "seconds", ""},
			},
			every: map[time.Duration]string{aDay: "once a day", aWeek: "once a week", time.Hour: "once an hour"},
			each:  func(span string) string { return "every " + strings.TrimPrefix(span, "1 ") },
			often: func(span string) string { return "once every " + span },
		},
		"fi": {
			point: ",", group: "\u00a0", or: " tai ", and: " ja ", bytes: [2]string{"tavu", "tavua"},
			units: map[time.Duration]unitWords{
				aDay:        {"päivä", "päivää", "päivän"},
				time.Hour:   {"tunti", "tuntia", "tunnin"},
				time.Minute: {"minuutti", "minuuttia", "minuutin"},
				time.Second: {"sekunti", "sekuntia", "sekunnin"},
			},
			every: map[time.Duration]string{aDay: "kerran vuorokaudessa", aWeek: "kerran viikossa", time.Hour: "kerran tunnissa"},
			each:  func(span string) string { return strings.TrimPrefix(span, "1 ") + " välein" },
			often: func(span string) string { return span + " välein" },
		},
	}
}

// funcs are what the sentences call.
func (l *language) funcs() text.FuncMap {
	return text.FuncMap{
		"num": l.num, "count": l.count, "size": l.size, "dur": l.dur, "gen": l.gen, "acc": l.acc,
		"each":  func(d time.Duration) string { return l.each(l.unitsOf(d, true)) },
		"every": l.everyOf,
		"any":   func(list []string) string { return join(list, l.or) },
		"all":   func(list []string) string { return join(list, l.and) },
	}
}

// num is n with its digits in groups.
func (l *language) num(n any) string { return l.digits(fmt.Sprint(n)) }

// digits groups the digits of a whole number, or of the whole part of a decimal one.
func (l *language) digits(s string) string {
	whole, part, decimal := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + l.group + whole[i:]
	}
	if decimal {
		return whole + l.point + part
	}
	return whole
}

// count is a number of things.
func (l *language) count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return l.num(n) + " " + many
}

// size is a number of bytes, in MiB or KiB where it is a whole number of them.
func (l *language) size(n int64) string {
	switch {
	case n%(1<<20) == 0:
		return l.num(n>>20) + " MiB"
	case n%(1<<10) == 0:
		return l.num(n>>10) + " KiB"
	case n == 1:
		return "1 " + l.bytes[0]
	}
	return l.num(n) + " " + l.bytes[1]
}

// dur is a span of time as it stands by itself: 14 days, 0.3 seconds.
func (l *language) dur(d time.Duration) string { return l.unitsOf(d, false) }

// gen is a span of time in the genitive.
func (l *language) gen(d time.Duration) string { return l.unitsOf(d, true) }

// acc is a span of time as an object: that of one is in the genitive.
func (l *language) acc(d time.Duration) string {
	if one := l.unitsOf(d, false); !strings.HasPrefix(one, "1 ") {
		return one
	}
	return l.unitsOf(d, true)
}

func (l *language) everyOf(d time.Duration) string {
	if s, ok := l.every[d]; ok {
		return s
	}
	return l.often(l.unitsOf(d, true))
}

// unitsOf is d in the largest unit of which it is a whole number, from two on; or else in
// seconds.
func (l *language) unitsOf(d time.Duration, genitive bool) string {
	n, unit := strconv.FormatFloat(d.Seconds(), 'f', -1, 64), time.Second
	for _, u := range []time.Duration{aDay, time.Hour, time.Minute} {
		if d%u == 0 && d/u > 1 {
			n, unit = strconv.FormatInt(int64(d/u), 10), u
			break
		}
	}
	words := l.units[unit]
	word := words.many
	switch {
	case genitive && words.gen != "":
		word = words.gen
	case n == "1":
		word = words.one
	}
	return l.digits(n) + " " + word
}

// join is a list in words.
func join(list []string, last string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + last + list[len(list)-1]
}
