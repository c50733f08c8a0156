package politefetch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// endError ends a visit for a reason that is no error of one address.
type endError struct {
	outcome Outcome
	why     string
}

func (e *endError) Error() string { return e.why }

// errBroken says that the caller's loop ended.
var errBroken = errors.New("the caller's loop ended")

// end settles the report.
func (r *run) end(ctx context.Context, err error) {
	outcome, text := r.verdict(ctx, err)
	if outcome == Done {
		if serr := r.e.lim.End(ctx); serr != nil {
			outcome, text = "", (&storeError{serr}).Error()
		}
	}
	var opens time.Time
	if w := waitError(err); w != nil {
		opens = w.Until
	}
	left, shut := r.queue.left()
	r.update(func(rep *Report) {
		rep.Ended, rep.Outcome, rep.Why, rep.Left = time.Now(), outcome, clip(text), left
		rep.Disallowed += shut
		rep.Admitted = r.e.proof.admitted()
		rep.Opens = later(rep.Opens, opens)
	})
	r.c.observe(ctx, Event{Kind: EventEnd, URL: r.start.String(), Key: r.e.siteKey, Outcome: outcome, Why: text, Until: r.Report().Opens})
}

// verdict is the visit's outcome, and why, given what ended it early.
func (r *run) verdict(ctx context.Context, err error) (Outcome, string) {
	if cause := context.Cause(ctx); cause != nil {
		return "", "interrupted: " + cause.Error()
	}
	if e, ok := errors.AsType[*endError](err); ok {
		return e.outcome, e.why
	}
	if err != nil {
		return outcomeOfError(err), strings.TrimPrefix(err.Error(), "politefetch: ")
	}
	left, _ := r.queue.left()
	switch {
	case r.unread != nil && !r.good:
		return outcomeOfError(r.unread), strings.TrimPrefix(r.unread.Error(), "politefetch: ")
	case left > 0 && r.queue.spent():
		return Done, limitReached(r.opts.MaxPages)
	case left > 0:
		return Done, "as many addresses were kept as could be asked for"
	}
	return Done, "every address was asked for"
}

func limitReached(n int) string {
	if n == 1 {
		return "the limit of 1 page was reached"
	}
	return fmt.Sprintf("the limit of %d pages was reached", n)
}
