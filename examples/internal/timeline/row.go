package timeline

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/politefetch"
)

// A rowView is one request in the log.
type rowView struct {
	N                    int
	At, Took, Bytes, Gap string
	Class, Sign, Answer  string
	Mode, Why, Note, URL string
}

func viewRow(r, prev *request, end time.Time, zone *time.Location) rowView {
	l := r.look()
	v := rowView{
		N: r.n, At: r.began.In(zone).Format(instant), Took: seconds(r.ended.Sub(r.began)), Class: l.class, Sign: l.sign,
		Answer: r.answer(), Mode: r.mode(), Bytes: thousands(r.content),
	}
	switch {
	case end.IsZero():
	case end.After(r.began):
		v.Gap = "others in flight"
	default:
		v.Gap = seconds(r.began.Sub(end))
	}
	if r.open {
		v.Took, v.Bytes = "", ""
	}
	v.Why = r.reason(prev, end)
	switch {
	case r.limited != nil:
		v.Note = fmt.Sprintf("%s; not before %s", text(r.limited.Why), r.limited.Until.In(zone).Format(instant))
	case r.wall != nil:
		v.Note = text(r.wall.Why)
	case r.why != "":
		v.Note = text(cli.Once(r.why))
	}
	return v
}

// reason says why a request came when it did. Prev is the one before it, nil if there is
// none, and end is that of the answers before.
func (r *request) reason(prev *request, end time.Time) string {
	if len(r.waits) == 0 { // nobody waited in the crawler: a scheduler may have known
		if h := r.heldBefore(end); h != nil {
			return "its turn had come; held before: " + text(h.Why)
		}
		return "its turn had come"
	}
	var whys []string
	add := func(why string) {
		if !slices.Contains(whys, why) {
			whys = append(whys, why)
		}
	}
	var until time.Time
	for i := range r.waits {
		e := &r.waits[i]
		add(text(cli.WhyWait(e)))
		if e.Until.After(until) {
			until = e.Until
		}
	}
	for i := range r.host.holds { // what the host asked for in the meantime
		if h := &r.host.holds[i]; h.At.After(r.waits[0].At) && h.At.Before(r.began) && h.Until.After(until) {
			add("then " + text(h.Why))
			until = h.Until
		}
	}
	if late := r.began.Sub(until); late > slow && prev != nil && prev.began.After(r.waits[0].At) {
		add("then requests before it")
	} else if late > slow {
		add("then " + seconds(late) + " late")
	}
	return fmt.Sprintf("%s: waited %s", strings.Join(whys, ", "), seconds(r.began.Sub(r.waitedFrom())))
}

// heldBefore is the hold that lay between the answers before, which ended at end, and r.
func (r *request) heldBefore(end time.Time) *politefetch.Event {
	var last *politefetch.Event
	for i := range r.host.holds {
		if h := &r.host.holds[i]; h.Until.After(end) && !h.Until.After(r.began) && (last == nil || h.Until.After(last.Until)) {
			last = h
		}
	}
	return last
}

// slow is by how much a turn is taken late if others went first, or the machine is busy.
const slow = 50 * time.Millisecond
