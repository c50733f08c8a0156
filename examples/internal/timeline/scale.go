package timeline

import (
	"cmp"
	"slices"
	"sort"
	"time"
)

// Sizes of a drawing, in the units of its viewBox; a unit is a pixel on a wide screen.
const (
	stripWidth = 1000.0 // of one strip of the time line
	perStep    = 18.0   // from one request to the next, as most are
	breakWidth = 64.0   // of a long wait that is left out
	longWait   = 10     // times as long as most steps are: left out
)

// A scale maps instants to a line that is as long as need be, and is cut into strips.
// Long stretches in which nothing happens are short on it.
type scale struct {
	stops []stop
	per   float64 // units a second
}

// A stop is where a stretch begins; it ends at the next stop.
type stop struct {
	t       time.Time
	x       float64
	leftOut bool // the stretch is shorter than the time
}

// newScale makes the scale of a host. Stops are the instants at which something begins
// or ends, steps the times from one request to the next.
func newScale(stops []time.Time, steps []time.Duration) *scale {
	slices.SortFunc(stops, time.Time.Compare)
	stops = slices.CompactFunc(stops, time.Time.Equal)
	most := usual(steps)
	s := &scale{per: perStep / most.Seconds()}
	drawn, breaks := 0.0, 0
	for i, t := range stops {
		st := stop{t: t}
		if i+1 < len(stops) {
			d := stops[i+1].Sub(t)
			if st.leftOut = d > longWait*most; st.leftOut {
				breaks++
			} else {
				drawn += d.Seconds()
			}
		}
		s.stops = append(s.stops, st)
	}
	if room := stripWidth - 2 - breakWidth*float64(breaks); drawn > 0 && room > 0 {
		s.per = max(s.per, room/drawn) // a short run fills one strip
	}
	x := 0.0
	for i := range s.stops {
		st := &s.stops[i]
		st.x = x
		switch {
		case i+1 == len(s.stops):
		case st.leftOut:
			x += breakWidth
		default:
			x += s.stops[i+1].t.Sub(st.t).Seconds() * s.per
		}
	}
	return s
}

// usual is a step that three quarters are no longer than.
func usual(steps []time.Duration) time.Duration {
	steps = slices.DeleteFunc(slices.Clone(steps), func(d time.Duration) bool { return d <= 0 })
	if len(steps) == 0 {
		return time.Second
	}
	slices.Sort(steps)
	return steps[(len(steps)-1)*3/4]
}

// x is where an instant is.
func (s *scale) x(t time.Time) float64 {
	i, _ := slices.BinarySearchFunc(s.stops, t, func(st stop, t time.Time) int {
		return cmp.Or(st.t.Compare(t), -1)
	}) // after the last stop that is not later
	if i == 0 {
		return 0
	}
	a := s.stops[i-1]
	if i == len(s.stops) {
		return a.x
	}
	b := s.stops[i]
	return a.x + (b.x-a.x)*float64(t.Sub(a.t))/float64(b.t.Sub(a.t))
}

// at is the instant that is at x.
func (s *scale) at(x float64) time.Time {
	i := sort.Search(len(s.stops), func(i int) bool { return s.stops[i].x > x })
	switch {
	case i == 0:
		return s.stops[0].t
	case i == len(s.stops):
		return s.stops[i-1].t
	}
	a, b := s.stops[i-1], s.stops[i]
	return a.t.Add(time.Duration(float64(b.t.Sub(a.t)) * (x - a.x) / (b.x - a.x)))
}

// strips is how many it takes.
func (s *scale) strips() int {
	return int(s.stops[len(s.stops)-1].x/stripWidth) + 1
}

// ticks are the instants between two that have a mark at the axis, at round times.
func (s *scale) ticks(from, to float64) []time.Time {
	const apart = 110.0
	step := time.Millisecond
	for _, step = range []time.Duration{
		time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second,
		time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour, 365 * 24 * time.Hour,
	} {
		if step.Seconds()*s.per >= apart {
			break
		}
	}
	var out []time.Time
	last := from - apart
	for i := range s.stops[:len(s.stops)-1] {
		a, b := s.stops[i], s.stops[i+1]
		if a.leftOut || b.x < from || a.x > to {
			continue
		}
		for t := a.t.Truncate(step); !t.After(b.t); t = t.Add(step) {
			if x := s.x(t); !t.Before(a.t) && x >= from && x < to && x-last >= apart/2 {
				out, last = append(out, t), x
			}
		}
	}
	return out
}
