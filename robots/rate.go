package robots

import (
	"strconv"
	"strings"
	"time"
)

// A Window is a part of the day, given by the times since midnight UTC at which it begins
// and ends. To before From means that it goes past midnight. The zero Window is the whole
// day.
type Window struct {
	From, To time.Duration
}

// A RequestRate is the value of a Request-rate line: at most so many requests in each
// period, within a window of the day. (Request-rate and Visit-time are from the draft
// "An Extended Standard for Robot Exclusion" of 1996, and not in RFC 9309.)
type RequestRate struct {
	Requests int
	Per      time.Duration
	Window   Window
	Line     int
}

// RequestRates returns the group's Request-rate lines in file order, such as "1/10s",
// "100/15m" or "1/10 0600-0845" (units s, m, h, d; s if none). Lines that make no sense
// are left out. Lines before the first User-agent count for groups that have none.
func (g *Group) RequestRates() []RequestRate {
	return values(g, kindRequestRate, func(s string, line int) (RequestRate, bool) {
		rate, ok := parseRate(s)
		rate.Line = line
		return rate, ok
	})
}

// VisitTimes returns the windows of the group's Visit-time lines in file order, such as
// "0600-0845" or "0600 0845". Lines that make no sense are left out. Lines before the
// first User-agent count for groups that have none.
func (g *Group) VisitTimes() []Window {
	return values(g, kindVisitTime, func(s string, _ int) (Window, bool) { return parseWindow(s) })
}

func parseRate(s string) (rate RequestRate, ok bool) {
	quota, window, windowed := strings.Cut(s, " ")
	if windowed {
		if rate.Window, ok = parseWindow(strings.TrimSpace(window)); !ok {
			return rate, false
		}
	}
	count, per, ok := strings.Cut(quota, "/")
	if !ok || per == "" {
		return rate, false
	}
	unit := time.Second
	switch per[len(per)-1] | 0x20 {
	case 's':
		per = per[:len(per)-1]
	case 'm':
		unit, per = time.Minute, per[:len(per)-1]
	case 'h':
		unit, per = time.Hour, per[:len(per)-1]
	case 'd':
		unit, per = 24*time.Hour, per[:len(per)-1]
	}
	n, err := strconv.ParseUint(count, 10, 31)
	if err != nil || n == 0 {
		return rate, false
	}
	m, err := strconv.ParseUint(per, 10, 16) // 65,535 days fit into a Duration
	if err != nil || m == 0 {
		return rate, false
	}
	rate.Requests, rate.Per = int(n), time.Duration(m)*unit
	return rate, true
}

// parseWindow reads "HHMM-HHMM" or "HHMM HHMM".
func parseWindow(s string) (w Window, ok bool) {
	i := strings.IndexAny(s, "- ")
	if i < 0 {
		return w, false
	}
	from, ok1 := parseClock(s[:i])
	to, ok2 := parseClock(strings.Trim(s[i:], "- "))
	return Window{from, to}, ok1 && ok2
}

// parseClock reads "HHMM", up to 2400.
func parseClock(s string) (time.Duration, bool) {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || len(s) != 4 || n > 2400 || n%100 > 59 {
		return 0, false
	}
	return time.Duration(n/100)*time.Hour + time.Duration(n%100)*time.Minute, true
}
