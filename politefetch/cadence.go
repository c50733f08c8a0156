package politefetch

import (
	"cmp"
	"time"
)

// A Cadence says how often a site is visited, and when its owner may have it visited
// again. It is plain data, its methods are pure: the caller keeps the Reports and the
// time. The zero Cadence is a visit a week.
type Cadence struct {
	Every        time.Duration // between the starts of scheduled visits; 0: 7 days
	Extras       int           // extra visits before the next scheduled one while visits are limited; 0: none
	ExtraAfter   time.Duration // from a limited visit's end to the extra one; 0: 4 h
	RecheckEvery time.Duration // from the request of a recheck that finished to the next; 0: 6 h
	RecheckAgain time.Duration // from the end of a recheck that did not finish to the next; 0: 10 min
}

func (c Cadence) filled() Cadence {
	c.Every = cmp.Or(max(c.Every, 0), 7*24*time.Hour)
	c.ExtraAfter = cmp.Or(max(c.ExtraAfter, 0), 4*time.Hour)
	c.RecheckEvery = cmp.Or(max(c.RecheckEvery, 0), 6*time.Hour)
	c.RecheckAgain = cmp.Or(max(c.RecheckAgain, 0), 10*time.Minute)
	return c
}

// Next returns when the site is due for its next scheduled visit, given the Reports of
// its ended visits, oldest first: at once (the zero time) if none of them was a scheduled
// one. A limited visit, unless a bot wall ended it, is followed by up to Extras extra
// ones. Rechecks (Report.Requested is set) change nothing; but no visit is due before the
// site opens (Report.Opens).
func (c Cadence) Next(past []Report) time.Time {
	c = c.filled()
	var anchor time.Time
	var last Report
	extras := 0
	for _, r := range past {
		switch {
		case !r.Requested.IsZero() || r.Ended.IsZero():
			continue
		case anchor.IsZero() || !r.Began.Before(anchor.Add(c.Every)):
			anchor, extras = r.Began, 0
		default:
			extras++
		}
		last = r
	}
	opens := opensAt(past)
	if anchor.IsZero() {
		return opens
	}
	weekly := anchor.Add(c.Every)
	if last.Limited && last.Outcome != Walled && extras < c.Extras {
		if at := later(last.Ended.Add(c.ExtraAfter), opens); at.Before(weekly) {
			return at
		}
	}
	return later(weekly, opens)
}

// RecheckOpens returns when a recheck may be asked for, given the Reports of the site's
// ended visits, oldest first; the zero time: at once. It counts RecheckEvery from the
// request of the last recheck that finished (Outcome Done, limited or not). After one that
// did not finish it opens RecheckAgain after that one's end; or, if the site limited it or
// a bot wall ended it, at the next scheduled visit or RecheckEvery after its end, whichever
// is sooner, and never within RecheckAgain of it.
func (c Cadence) RecheckOpens(past []Report) time.Time {
	c = c.filled()
	var at time.Time
	var last Report
	for _, r := range past {
		if r.Requested.IsZero() || r.Ended.IsZero() {
			continue
		}
		last = r
		if r.Outcome == Done {
			at = later(at, r.Requested.Add(c.RecheckEvery))
		}
	}
	if last.Ended.IsZero() || last.Outcome == Done {
		return at
	}
	again := last.Ended.Add(c.RecheckAgain)
	if last.Limited || last.Outcome == Limited || last.Outcome == Walled {
		opens := last.Ended.Add(c.RecheckEvery)
		if next := c.Next(past); !next.IsZero() && next.Before(opens) {
			opens = next
		}
		again = later(again, opens)
	}
	return later(at, again)
}

// opensAt is the latest instant at which a site said that it opens.
func opensAt(past []Report) time.Time {
	var t time.Time
	for _, r := range past {
		t = later(t, r.Opens)
	}
	return t
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
