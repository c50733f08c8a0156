package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/ratepolicy"
)

// Outcomes of a run that may not begin.
const (
	notDue   = "not due"
	underWay = "under way"
)

// A tooSoonError says when the run may begin.
type tooSoonError struct {
	due       time.Time
	byHand    bool
	brokenOff bool // the run that it would come too soon after
}

// Error implements error.
func (e *tooSoonError) Error() string {
	text := "the site is scanned once a week at most"
	if e.byHand {
		text = "a run by hand comes once in 24 hours at most"
	}
	text += ": not before " + cli.RoundUp(e.due, time.Second, day)
	if e.brokenOff {
		text += " (the last one was broken off, and counts)"
	}
	return text
}

func claimKey(site string) string { return "metrimato run of " + site }

// begin takes the site until release is called, and remembers the run as begun, if it is
// due: before anything is sent, so that a run that nobody lives to end counts too. Without
// -state it just says yes.
func (j *job) begin(ctx context.Context, rep *politefetch.Report) (runs *history, release func(), err error) {
	if j.state == "" {
		return &history{}, func() {}, nil
	}
	release, err = cli.Claim(ctx, ratepolicy.Dir(j.state), claimKey(rep.Site))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", rep.Site, err)
	}
	if runs, err = j.enter(rep); err != nil {
		release()
		return nil, nil, err
	}
	return runs, release, nil
}

// enter remembers a run as begun, if it is due.
func (j *job) enter(rep *politefetch.Report) (*history, error) {
	runs, err := openHistory(j.state, rep.Site)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	if due := runs.due(j.byHand); due.After(now) {
		return nil, &tooSoonError{due, j.byHand, runs.brokenOff(j.byHand)}
	}
	if err := runs.begin(rep.Requested, now); err != nil {
		return nil, fmt.Errorf("the run can't be remembered, so it is not begun: %w", err)
	}
	return runs, nil
}

// notBegun says why the run may not begin.
func notBegun(ctx context.Context, o *options, site string, err error, stdout, stderr io.Writer) int {
	fmt.Fprintf(stderr, "metrimato: %s\n", cli.Printable(err.Error()))
	sum := &summary{Site: site, Why: err.Error()}
	if soon, ok := errors.AsType[*tooSoonError](err); ok {
		sum.Outcome, sum.Opens = notDue, soon.due
		if !o.byHand {
			sum.Hint = "-by-hand may start one on top of the weekly one"
			fmt.Fprintln(stderr, sum.Hint)
		}
	} else if _, ok := errors.AsType[*cli.ClaimedError](err); ok {
		sum.Outcome = underWay
	}
	if o.json && sum.Outcome != "" {
		if err := sum.writeJSON(stdout); err != nil {
			return unwritten(stderr, err)
		}
	}
	if ctx.Err() != nil {
		return exitInterrupted
	}
	return exitNotScanned
}
