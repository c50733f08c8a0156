package ratepolicy

import (
	"strings"
	"time"
)

// parseDate reads the three date forms of RFC 9110 section 5.6.7 and what servers send
// in their place: any case, a wrong or no weekday, a one-digit day, second 60, numeric
// zones, RFC 3339. Alphabetic zones other than GMT, UTC and Z are not read. Two-digit
// years more than 50 years after base are in the past.
func parseDate(v string, base time.Time) (time.Time, bool) {
	if len(v) > 64 {
		return time.Time{}, false
	}
	if t, err := time.Parse(time.RFC3339, v); err == nil {
		return t, true
	}
	f := strings.Fields(strings.ToLower(strings.ReplaceAll(v, ",", " ")))
	if len(f) > 0 && weekday(f[0]) {
		f = f[1:]
	}
	var d dateParts
	switch {
	case len(f) >= 2 && strings.Count(f[0], "-") == 2: // RFC 850
		p := strings.Split(f[0], "-")
		d, f = dateParts{p[0], p[1], p[2], f[1], ""}, f[2:]
	case len(f) < 4:
		return time.Time{}, false
	case month(f[0]) != 0: // asctime
		d, f = dateParts{f[1], f[0], f[3], f[2], ""}, f[4:]
	default:
		d, f = dateParts{f[0], f[1], f[2], f[3], ""}, f[4:]
	}
	switch len(f) {
	case 0:
	case 1:
		d.zone = f[0]
	default:
		return time.Time{}, false
	}
	return d.time(base)
}

type dateParts struct{ day, month, year, clock, zone string }

func (d dateParts) time(base time.Time) (time.Time, bool) {
	mon := month(d.month)
	if mon == 0 || !digits(d.day) || len(d.day) > 2 || !digits(d.year) || len(d.year) != 2 && len(d.year) != 4 {
		return time.Time{}, false
	}
	off, ok := zone(d.zone)
	if !ok {
		return time.Time{}, false
	}
	h, m, s, ok := clock(d.clock)
	if !ok {
		return time.Time{}, false
	}
	day, year := int(number(d.day)), int(number(d.year))
	in := func(year int) time.Time {
		return time.Date(year, mon, day, h, m, s, 0, time.UTC).Add(-time.Duration(off) * time.Minute)
	}
	if len(d.year) == 2 {
		latest := base.UTC().AddDate(50, 0, 0)
		year += base.UTC().Year() / 100 * 100
		switch {
		case in(year).After(latest):
			year -= 100
		case !in(year + 100).After(latest):
			year += 100
		}
	}
	if t := time.Date(year, mon, day, 0, 0, 0, 0, time.UTC); t.Day() != day || t.Month() != mon {
		return time.Time{}, false // 31 February
	}
	return in(year), true
}

func clock(v string) (h, m, s int, ok bool) {
	if len(v) != 8 || v[2] != ':' || v[5] != ':' || !digits(v[:2]) || !digits(v[3:5]) || !digits(v[6:]) {
		return 0, 0, 0, false
	}
	h, m, s = int(number(v[:2])), int(number(v[3:5])), int(number(v[6:]))
	return h, m, s, h <= 23 && m <= 59 && s <= 60
}

// zone returns the offset in minutes east.
func zone(v string) (int, bool) {
	switch {
	case v == "", v == "gmt", v == "utc", v == "z":
		return 0, true
	case len(v) != 5 || !digits(v[1:]) || v[0] != '+' && v[0] != '-':
		return 0, false
	}
	off := int(number(v[1:3]))*60 + int(number(v[3:]))
	if v[0] == '-' {
		off = -off
	}
	return off, true
}

func month(v string) time.Month {
	if len(v) != 3 {
		return 0
	}
	i := strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", v)
	if i < 0 || i%3 != 0 {
		return 0
	}
	return time.Month(i/3 + 1)
}

func weekday(v string) bool {
	switch v {
	case "sun", "mon", "tue", "wed", "thu", "fri", "sat",
		"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday":
		return true
	}
	return false
}
