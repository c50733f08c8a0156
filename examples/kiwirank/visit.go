package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/politefetch"
)

// visits makes the visits that were asked for, one after the other.
func (a *app) visits(ctx context.Context) int {
	if a.route == nil {
		fmt.Fprintf(a.stderr, "kiwirank: %s: sites that go on limiting are asked gently\n", noRoute)
	}
	code := exitDone
	for _, address := range a.sites {
		switch rec, err := a.visit(ctx, address); {
		case err != nil:
			code = a.code(err)
			a.note(address, err.Error())
			if soon, ok := errors.AsType[*tooSoonError](err); ok && a.json {
				code = max(code, a.code(a.put(soon, "")))
			}
		case rec.Outcome != politefetch.Done:
			code = exitNotDone
		}
		if ctx.Err() != nil {
			code = exitInterrupted
			break
		}
	}
	if a.report != "" {
		code = max(code, a.code(a.writeReport()))
	}
	return code
}

// A tooSoonError says when a visit may be made.
type tooSoonError struct {
	Start string `json:"start"`
	what  string
	outlook
}

func (e *tooSoonError) Error() string {
	return fmt.Sprintf("%s: no %s before %s: %s", e.Start, e.what, cli.RoundUp(e.At, time.Minute, day), e.Why)
}

// claimKey keeps a site to one visit at a time, of all processes on one folder.
func claimKey(s *site) string { return "kiwirank visit " + s.id }

// visit makes one visit, if it is due, remembers it and shows what came of it.
func (a *app) visit(ctx context.Context, address string) (*record, error) {
	s, err := a.open(ctx, address)
	if err != nil {
		return nil, err
	}
	release, err := cli.Claim(ctx, a.memory(), claimKey(s))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	defer release()
	if s, err = a.open(ctx, address); err != nil { // nobody changes it now
		return nil, err
	}
	rec := new(record)
	if rec.Kind, err = a.due(s); err != nil {
		return nil, err
	}
	going, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := a.watcher(s, func() {
		if err := s.past.begin(rec, a.clock.now()); err != nil {
			cancel(fmt.Errorf("the visit could not be remembered: %w", err))
		}
	})
	if err := a.read(going, s, rec, w); err != nil {
		return nil, err
	}
	// Nothing was sent: a hold, or the guard. Nobody answered at set-up: a slip of the pen. The
	// provider turned the key down: the site knows nothing of it.
	if w.sent == 0 || w.answered == 0 && (rec.Kind == setUp || w.turnedDown) {
		return rec, a.tell(s, rec, w)
	}
	if err := s.past.end(rec); err != nil {
		return nil, fmt.Errorf("the visit could not be remembered: %w", err)
	}
	return rec, a.tell(s, rec, w)
}

// due is the kind of visit that may be made now; the error says when if none may.
func (a *app) due(s *site) (kind, error) {
	now := a.clock.now()
	next := a.next(s.past)
	if a.command != "recheck" {
		if next.At.After(now) {
			return "", &tooSoonError{s.start, "visit", next}
		}
		return next.Kind, nil
	}
	button := a.button(s.past)
	switch {
	case len(s.past.Visits) == 0:
		return "", fmt.Errorf("%s is not set up: kiwirank visit -state %s %s", s.name, a.state, s.start)
	case button.At.After(now):
		return "", &tooSoonError{s.start, "recheck", button}
	}
	return recheck, nil
}

// read makes the visit and fills its record in.
func (a *app) read(ctx context.Context, s *site, rec *record, w *watcher) error {
	bot, err := politefetch.New(a.config(s, w.observe)) // the one place where events are observed
	if err != nil {
		return err
	}
	var requested time.Time
	if rec.Kind == recheck {
		requested = time.Now()
	}
	visit, err := bot.Visit(s.start, s.options(requested))
	if err != nil {
		return err
	}
	w.visit = visit
	fmt.Fprintf(a.stderr, "visiting %s (%s)\n", s.name, rec.Kind.words())
	for page, err := range visit.Pages(ctx) {
		w.page(page, err)
	}
	w.clear()
	bot.CloseIdleConnections()
	rec.Report, rec.Words, rec.Limit, rec.Wall = visit.Report(), w.words, w.limit, w.wall
	for _, t := range []*time.Time{&rec.Requested, &rec.Began, &rec.Ended, &rec.Opens} {
		*t = a.clock.of(*t)
	}
	return nil
}

// A told is a visit as -json writes it.
type told struct {
	Start string `json:"start"`
	*record
	Requests int     `json:"requests"`
	Together int     `json:"together"` // most requests in flight
	Next     outlook `json:"next"`
	Recheck  outlook `json:"recheck_opens"`
}

// tell shows what came of a visit, and what comes next.
func (a *app) tell(s *site, rec *record, w *watcher) error {
	t := &told{Start: s.start, record: rec, Requests: w.sent, Together: w.together, Next: a.next(s.past), Recheck: a.button(s.past)}
	b := lines{width: a.width()}
	b.title("%s: %s: %s", s.name, rec.Kind.words(), outcome(&rec.Report))
	b.put("why", "%s", because(s, rec))
	b.put("read", "%s", rec.counts())
	if w.lost != nil && rec.Pages > 0 {
		b.put("failed", "%s", s.shorten(w.lost.Error()))
	}
	b.put("way", "%s", t.way())
	if rec.Limit != nil {
		b.put("limited", "%s", s.words(rec.Limit))
	}
	b.put("next", "%s", t.Next.words(a.clock.now()))
	b.put("recheck", "%s", t.Recheck.words(a.clock.now()))
	a.note(s.name, append([]string{rec.Kind.words() + ": " + outcome(&rec.Report)}, b.said[1:]...)...)
	return a.put(t, b.String())
}

// because is why a visit ended.
func because(s *site, rec *record) string {
	why := strings.TrimPrefix(s.shorten(rec.Why), "interrupted: ")
	if rec.Outcome == politefetch.Done && !rec.Robots.Allowed && rec.Robots.Rule != "" {
		why += " (the home page is read although it is " + rec.Robots.String() + ")"
	}
	return why
}

// way says how a site was read.
func (t *told) way() string {
	text := cli.Plural(t.Requests, "request", "requests")
	switch {
	case t.Relayed:
		text += " through the provider"
	case t.Gentle:
		text += ", gently"
	}
	if t.Requests > 0 {
		text += fmt.Sprintf(", at most %d at a time", t.Together)
	}
	return text + fmt.Sprintf("; %v in all", t.Ended.Sub(t.Began).Round(100*time.Millisecond))
}

func outcome(rep *politefetch.Report) string {
	if rep.Outcome == "" {
		return "interrupted"
	}
	return string(rep.Outcome)
}

func (rep *record) counts() string {
	parts := []string{cli.Plural(rep.Pages, "page", "pages") + " with " + cli.Plural(rep.Words, "word", "words")}
	for _, c := range []struct {
		n    int
		what string
	}{
		{rep.Disallowed, "closed by robots.txt"},
		{rep.Skipped, "given up, for the site was busy"},
		{rep.Barred, "off the site, and not asked for"},
		{rep.Failed, "failed"},
		{rep.Left, "left"},
	} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return strings.Join(parts, ", ")
}
