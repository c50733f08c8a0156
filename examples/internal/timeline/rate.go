package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// rate is how many requests began in one unit of time.
type rate struct {
	When  string
	Count int
	First int // the number of the first of them
	Width int // of its bar, in per cent
	start time.Time
}

// mostRates bounds the lines of how many requests came when.
const mostRates = 60

// rates counts requests by the minute, or by what is longer where there are too many.
func (v *hostView) rates(h *host, zone *time.Location) {
	if len(h.requests) == 0 {
		return
	}
	minutes := ratesBy(h, zone, time.Minute)
	top := slices.MaxFunc(minutes, func(a, b rate) int { return cmp.Compare(a.Count, b.Count) })
	v.Busiest = fmt.Sprintf("%s in the minute from %s", plural(top.Count, "request", "requests"), top.start.In(zone).Format("2006-01-02 15:04 -07:00"))
	v.Unit, v.Rates = "minute", minutes
	for _, u := range []struct {
		name string
		d    time.Duration
	}{{"hour", time.Hour}, {"day", 24 * time.Hour}} {
		if len(v.Rates) > mostRates {
			v.Unit, v.Rates = u.name, ratesBy(h, zone, u.d)
		}
	}
	if len(v.Rates) > mostRates || len(v.Rates) == 1 {
		v.Unit, v.Rates = "", nil // the log below has them all, or Busiest does
		return
	}
	most := slices.MaxFunc(v.Rates, func(a, b rate) int { return cmp.Compare(a.Count, b.Count) }).Count
	for i := range v.Rates {
		v.Rates[i].Width = max(1, 100*v.Rates[i].Count/most)
	}
}

func ratesBy(h *host, zone *time.Location, unit time.Duration) []rate {
	var out []rate
	for _, r := range h.requests {
		t := r.began.In(zone)
		_, off := t.Zone()
		shift := time.Duration(off) * time.Second
		t = t.Add(shift).Truncate(unit).Add(-shift) // of the zone's own hours and days
		if n := len(out); n == 0 || !out[n-1].start.Equal(t) {
			out = append(out, rate{When: t.Format("2006-01-02 15:04 -07:00"), First: r.n, start: t})
		}
		out[len(out)-1].Count++
	}
	return out
}
