package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/politefetch"
)

// An outlook is when something may be done, and why then. What the calendar said is put
// into words here; the instants are the calendar's own.
type outlook struct {
	Kind kind      `json:"kind,omitempty"`
	At   time.Time `json:"at,omitzero"` // zero: at any time
	Why  string    `json:"why"`
}

func (o *outlook) words(now time.Time) string {
	when := "now"
	switch {
	case o.At.After(now):
		when = cli.RoundUp(o.At, time.Minute, day)
	case !o.At.IsZero():
		when = "since " + cli.RoundUp(o.At, time.Minute, day)
	}
	if o.Kind != "" && o.Kind != recheck {
		when += ", " + string(o.Kind)
	}
	return when + ": " + o.Why
}

// next is the next scheduled visit.
func (a *app) next(h *history) outlook {
	past := h.past()
	at := calendar.Next(past)
	o := outlook{At: at, Kind: h.kind(later(at, a.clock.now()))}
	last := h.last(false)
	switch n := h.extras() + 1; {
	case last == nil:
		o.Why = "it was never visited"
		return o
	case o.Kind == extra && n > calendar.Extras: // cannot be, but the words would be wrong
		o.Kind = weekly
		fallthrough
	case o.Kind == weekly:
		starts := h.weeks()
		o.Why = fmt.Sprintf("%s after the visit of %s", hours(calendar.Every), h.Visits[starts[len(starts)-1]].Began.Format(minute))
	default:
		o.Why = fmt.Sprintf("extra visit %d of %d this week, %s after the end of one that the site limited", n, calendar.Extras, hours(calendar.ExtraAfter))
	}
	if held := opens(past); held.Equal(at) {
		o.Why = "the site asked not to be asked before; else " + o.Why
	}
	return o
}

// button is when Recheck may be pressed.
func (a *app) button(h *history) outlook {
	past := h.past()
	o := outlook{At: calendar.RecheckOpens(past), Kind: recheck}
	last := h.last(true)
	switch {
	case last == nil:
		o.Why = "it was not pressed yet"
	case last.Outcome == politefetch.Done:
		o.Why = fmt.Sprintf("%s after the last one was asked for", hours(calendar.RecheckEvery))
	case o.At.Equal(last.Ended.Add(calendar.RecheckAgain)):
		o.Why = fmt.Sprintf("%s after the end of the last one, which could not finish (%s)", hours(calendar.RecheckAgain), outcome(&last.Report))
	case o.At.Equal(last.Ended.Add(calendar.RecheckEvery)):
		o.Why = fmt.Sprintf("%s after the end of the last one, which was %s", hours(calendar.RecheckEvery), outcome(&last.Report))
	case o.At.Equal(calendar.Next(past)):
		o.Why = fmt.Sprintf("at the next scheduled visit, the last one having been %s", outcome(&last.Report))
	default:
		o.Why = fmt.Sprintf("%s after the last one that finished was asked for", hours(calendar.RecheckEvery))
	}
	return o
}

// last is the last visit, scheduled or pressed for.
func (h *history) last(pressed bool) *record {
	for _, r := range slices.Backward(h.Visits) {
		if r.Requested.IsZero() != pressed {
			return &r
		}
	}
	return nil
}

// opens is the latest instant that visits were told to wait for.
func opens(past []politefetch.Report) time.Time {
	var t time.Time
	for i := range past {
		t = later(t, past[i].Opens)
	}
	return t
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
