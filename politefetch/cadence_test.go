package politefetch_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/ratepolicy"
)

var kiwiCadence = politefetch.Cadence{
	Every: 7 * 24 * time.Hour, Extras: 2, ExtraAfter: 4 * time.Hour, RecheckEvery: 6 * time.Hour, RecheckAgain: 10 * time.Minute,
}

// on is an instant of December 2026.
func on(day, hour, minute int) time.Time {
	return time.Date(2026, 12, day, hour, minute, 0, 0, time.UTC)
}

// scheduled and recheck make the Report of an ended visit.
func scheduled(began, ended time.Time, outcome politefetch.Outcome, limited bool) politefetch.Report {
	return politefetch.Report{Began: began, Ended: ended, Outcome: outcome, Limited: limited}
}

func recheck(requested, ended time.Time, outcome politefetch.Outcome, limited bool) politefetch.Report {
	r := scheduled(requested.Add(time.Second), ended, outcome, limited)
	r.Requested = requested
	return r
}

func opening(r politefetch.Report, at time.Time) politefetch.Report {
	r.Opens = at
	return r
}

func TestK12_VisitsAreWeeklyWithTwoExtrasWhenLimited(t *testing.T) {
	const done, limited, walled = politefetch.Done, politefetch.Limited, politefetch.Walled
	setup := scheduled(on(1, 9, 0), on(1, 9, 5), done, false)
	setupLimited := scheduled(on(1, 9, 0), on(1, 9, 5), limited, true)
	extra1 := scheduled(on(1, 13, 5), on(1, 13, 6), limited, true)
	extra2 := scheduled(on(1, 17, 6), on(1, 17, 7), limited, true)
	tests := []struct {
		name string
		past []politefetch.Report
		want time.Time
	}{
		{"never visited", nil, time.Time{}},
		{"finished", []politefetch.Report{setup}, on(8, 9, 0)},
		{"limited", []politefetch.Report{setupLimited}, on(1, 13, 5)},
		{"limited and read whole", []politefetch.Report{scheduled(on(1, 9, 0), on(1, 9, 5), done, true)}, on(1, 13, 5)},
		{"first extra limited", []politefetch.Report{setupLimited, extra1}, on(1, 17, 6)},
		{"both extras used", []politefetch.Report{setupLimited, extra1, extra2}, on(8, 9, 0)},
		{"extra finished", []politefetch.Report{setupLimited, scheduled(on(1, 13, 5), on(1, 13, 9), done, false)}, on(8, 9, 0)},
		{"walled", []politefetch.Report{scheduled(on(1, 9, 0), on(1, 9, 5), walled, false)}, on(8, 9, 0)},
		{"limited and then walled", []politefetch.Report{scheduled(on(1, 9, 0), on(1, 9, 5), walled, true)}, on(8, 9, 0)},
		{"limited, hold of hours", []politefetch.Report{opening(setupLimited, on(1, 19, 0))}, on(1, 19, 0)},
		{"limited, hold of weeks", []politefetch.Report{opening(setupLimited, on(20, 0, 0))}, on(20, 0, 0)},
		{"a new week, limited", []politefetch.Report{setupLimited, extra1, extra2, scheduled(on(8, 9, 0), on(8, 9, 4), limited, true)}, on(8, 13, 4)},
		{"a limited recheck brings no extra", []politefetch.Report{setup, recheck(on(2, 9, 0), on(2, 9, 5), limited, true)}, on(8, 9, 0)},
		{"an extra that would come after the weekly one", []politefetch.Report{setupLimited, scheduled(on(8, 6, 0), on(8, 6, 5), limited, true)}, on(8, 9, 0)},
		{"interrupted", []politefetch.Report{scheduled(on(1, 9, 0), on(1, 9, 5), "", false)}, on(8, 9, 0)},
		{"one that has not ended does not count", []politefetch.Report{{Began: on(1, 9, 0)}}, time.Time{}},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, kiwiCadence.Next(tt.past), tt.name)
	}
}

func TestK13_RecheckOpens(t *testing.T) {
	const done, failed, limited, walled = politefetch.Done, politefetch.Failed, politefetch.Limited, politefetch.Walled
	setup := scheduled(on(1, 9, 0), on(1, 9, 5), done, false)
	tests := []struct {
		name string
		past []politefetch.Report
		want time.Time
	}{
		{"never", []politefetch.Report{setup}, time.Time{}},
		{"finished", []politefetch.Report{setup, recheck(on(1, 10, 0), on(1, 10, 30), done, false)}, on(1, 16, 0)},
		{"finished though limited", []politefetch.Report{setup, recheck(on(1, 10, 0), on(1, 10, 30), done, true)}, on(1, 16, 0)},
		{"failed, none finished", []politefetch.Report{setup, recheck(on(1, 10, 0), on(1, 10, 30), failed, false)}, on(1, 10, 40)},
		{"failed after one that finished", []politefetch.Report{setup, recheck(on(1, 10, 0), on(1, 10, 30), done, false), recheck(on(1, 12, 0), on(1, 12, 5), failed, false)}, on(1, 16, 0)},
		{"limited", []politefetch.Report{setup, recheck(on(2, 10, 0), on(2, 10, 30), limited, true)}, on(2, 16, 30)},
		{"limited, next visit is sooner", []politefetch.Report{setup, recheck(on(8, 6, 30), on(8, 7, 0), limited, true)}, on(8, 9, 0)},
		{"limited, next visit is at once", []politefetch.Report{setup, recheck(on(8, 8, 30), on(8, 8, 56), limited, true)}, on(8, 9, 6)},
		{"walled", []politefetch.Report{setup, recheck(on(2, 10, 0), on(2, 10, 30), walled, false)}, on(2, 16, 30)},
		{"disallowed", []politefetch.Report{setup, recheck(on(2, 10, 0), on(2, 10, 1), politefetch.Disallowed, false)}, on(2, 10, 11)},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, kiwiCadence.RecheckOpens(tt.past), tt.name)
	}
}

// TestCadenceOverYears lives through histories of all outcomes in which each visit comes
// when it is due or later.
func TestCadenceOverYears(t *testing.T) {
	outcomes := []politefetch.Outcome{politefetch.Done, politefetch.Limited, politefetch.Walled, politefetch.Failed, politefetch.Disallowed, ""}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var past []politefetch.Report
		now := on(1, 0, 0)
		var starts []time.Time
		for range 60 {
			r := politefetch.Report{Outcome: outcomes[rng.IntN(len(outcomes))], Limited: rng.IntN(2) == 0}
			late := time.Duration(rng.IntN(3)) * time.Duration(rng.IntN(3600)) * time.Second
			if rng.IntN(4) == 0 {
				opens := kiwiCadence.RecheckOpens(past)
				now = laterOf(now, opens).Add(late)
				r.Requested = now
				for _, p := range past {
					if !p.Requested.IsZero() {
						require.False(t, now.Before(p.Ended.Add(10*time.Minute)) && p.Outcome != politefetch.Done, "no recheck within 10 minutes of an end")
						require.False(t, now.Before(p.Requested.Add(6*time.Hour)) && p.Outcome == politefetch.Done, "one in 6 hours")
					}
				}
			} else {
				next := kiwiCadence.Next(past)
				require.False(t, next.Before(opensOf(past)), "never before the site opens")
				now = laterOf(now, next).Add(late)
				starts = append(starts, now)
			}
			r.Began = now
			r.Ended = now.Add(time.Duration(1+rng.IntN(3600)) * time.Second)
			if rng.IntN(5) == 0 {
				r.Opens = r.Ended.Add(time.Duration(rng.IntN(72)) * time.Hour)
			}
			before := kiwiCadence.Next(past)
			past = append(past, r)
			require.False(t, kiwiCadence.Next(past).Before(before), "a visit never makes the next one earlier")
			now = r.Ended
		}
		anchor, inWeek := starts[0], 0
		for _, at := range starts {
			if !at.Before(anchor.Add(7 * 24 * time.Hour)) {
				anchor, inWeek = at, 0
			}
			inWeek++
			require.LessOrEqual(t, inWeek, 3, "a scheduled visit and two extras a week")
		}
	}
}

func laterOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func opensOf(past []politefetch.Report) time.Time {
	var t time.Time
	for _, r := range past {
		t = laterOf(t, r.Opens)
	}
	return t
}

func TestM07_WeeklyAtMostAndByHandOnceADay(t *testing.T) {
	scanner := politefetch.Cadence{RecheckEvery: 24 * time.Hour, RecheckAgain: 24 * time.Hour}
	first := scheduled(on(1, 9, 0), on(1, 9, 5), politefetch.Done, true)
	assert.Equal(t, on(8, 9, 0), scanner.Next([]politefetch.Report{first}), "no extras")
	byHand := recheck(on(2, 9, 0), on(2, 9, 5), politefetch.Done, false)
	assert.Equal(t, on(3, 9, 0), scanner.RecheckOpens([]politefetch.Report{first, byHand}))
	byHand.Outcome = politefetch.Failed
	assert.Equal(t, on(3, 9, 5), scanner.RecheckOpens([]politefetch.Report{first, byHand}))
}

func TestR11_RetryPlan(t *testing.T) {
	plan := politefetch.Retry{Failed: 10 * time.Minute, Refused: 6 * time.Hour}
	ended := on(1, 9, 0)
	page := func(o politefetch.Outcome, opens time.Time) *politefetch.Page {
		return &politefetch.Page{Outcome: o, Ended: ended, Opens: opens}
	}
	unavailable := func(opens time.Time) *politefetch.Page {
		p := page(politefetch.Limited, opens)
		p.Status = 503
		return p
	}
	tests := []struct {
		name  string
		page  *politefetch.Page
		err   error
		tries int
		at    time.Time
		again bool
	}{
		{"ok", page(politefetch.Done, time.Time{}), nil, 1, time.Time{}, false},
		{"5xx", page(politefetch.Failed, time.Time{}), nil, 1, on(1, 9, 10), true},
		{"5xx again", page(politefetch.Failed, time.Time{}), nil, 2, on(1, 9, 10), false},
		{"5xx with a longer wait", page(politefetch.Failed, on(1, 10, 0)), nil, 1, on(1, 10, 0), true},
		{"time-out", page(politefetch.Failed, time.Time{}), errors.New("timed out"), 1, on(1, 9, 10), true},
		{"no robots.txt", page(politefetch.NoRobots, time.Time{}), errors.New("x"), 1, on(1, 9, 10), true},
		{"refused", page(politefetch.Refused, time.Time{}), nil, 7, on(1, 15, 0), true},
		{"refused with a longer wait", page(politefetch.Refused, on(2, 9, 0)), nil, 1, on(2, 9, 0), true},
		{"walled", page(politefetch.Walled, time.Time{}), nil, 1, on(1, 15, 0), true},
		{"limited", page(politefetch.Limited, on(1, 9, 1)), nil, 9, on(1, 9, 1), true},
		{"held", page(politefetch.Limited, time.Time{}), &ratepolicy.WaitError{Until: on(3, 0, 0)}, 1, on(3, 0, 0), true},
		{"503 with Retry-After", unavailable(on(1, 9, 1)), nil, 1, on(1, 9, 10), true},
		{"503 with a longer wait", unavailable(on(1, 10, 0)), nil, 1, on(1, 10, 0), true},
		{"503 with Retry-After again", unavailable(on(1, 9, 1)), nil, 2, on(1, 9, 10), false},
		{"the store", page("", time.Time{}), politefetch.ErrStore, 9, on(1, 9, 10), true},
		{"disallowed", page(politefetch.Disallowed, time.Time{}), errors.New("x"), 1, time.Time{}, false},
		{"interrupted", page("", time.Time{}), errors.New("x"), 1, time.Time{}, true},
	}
	for _, tt := range tests {
		at, again := plan.Next(tt.page, tt.err, tt.tries)
		assert.Equal(t, tt.again, again, tt.name)
		assert.Equal(t, tt.at, at, tt.name)
		zero, _ := politefetch.Retry{}.Next(tt.page, tt.err, tt.tries)
		assert.Equal(t, at, zero, "the zero plan is the same: %s", tt.name)
	}
	_, again := politefetch.Retry{Failed: -1, Refused: -1}.Next(page(politefetch.Failed, time.Time{}), nil, 1)
	assert.False(t, again)
	for _, o := range []politefetch.Outcome{politefetch.Refused, politefetch.Walled} {
		_, again = politefetch.Retry{Refused: -1}.Next(page(o, time.Time{}), nil, 1)
		assert.False(t, again, o)
	}
}
