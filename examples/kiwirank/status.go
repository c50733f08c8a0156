package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/ratepolicy"
)

// A status is what the bot will do next at a site, and why, as -json writes it.
type status struct {
	Start   string    `json:"start"`
	Last    *record   `json:"last,omitempty"`
	Mode    string    `json:"mode"` // of the next visit: normal, gentle or relay
	Way     string    `json:"way"`
	Until   time.Time `json:"gentle_until,omitzero"`
	Because string    `json:"because,omitempty"`
	Wall    string    `json:"wall,omitempty"`  // why it is not read through the provider
	Holds   []string  `json:"holds,omitempty"` // what it asked for, and is in force
	Next    outlook   `json:"next"`
	Recheck outlook   `json:"recheck_opens"`

	mode ratepolicy.Mode
}

// statuses explains the sites that were named, or all that are remembered.
func (a *app) statuses(ctx context.Context) int {
	sites, err := a.named()
	if err != nil {
		return a.code(err)
	}
	if len(sites) == 0 {
		fmt.Fprintf(a.stderr, "kiwirank: nothing is remembered in %s\n", a.state)
	}
	code := exitDone
	for _, address := range sites {
		s, err := a.open(ctx, address)
		if err == nil {
			err = a.explain(ctx, s)
		}
		code = max(code, a.code(err))
	}
	return code
}

// named are the addresses that were named, or all that are remembered.
func (a *app) named() ([]string, error) {
	if len(a.sites) > 0 {
		return a.sites, nil
	}
	all, err := a.histories()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, h := range all {
		out = append(out, h.Start)
	}
	return out, nil
}

// explain writes a site's status.
func (a *app) explain(ctx context.Context, s *site) error {
	st, err := a.status(ctx, s)
	if err != nil {
		return err
	}
	b := lines{width: a.width()}
	b.title("%s", s.name)
	if r := st.Last; r != nil {
		b.put("last", "%s on %s: %s: %s", r.Kind.words(), r.Began.Format(day), outcome(&r.Report), because(s, r))
		b.put("", "%s", r.counts())
	}
	b.put("way", "%s", st.Way)
	if st.Wall != "" {
		b.put("", "%s", st.Wall)
	}
	for _, hold := range st.Holds {
		b.put("hold", "%s", hold)
	}
	b.put("next", "%s", st.Next.words(a.clock.now()))
	b.put("recheck", "%s", st.Recheck.words(a.clock.now()))
	return a.put(st, b.String())
}

// status works out what the bot will do.
func (a *app) status(ctx context.Context, s *site) (*status, error) {
	st := &status{Start: s.start, Next: a.next(s.past), Recheck: a.button(s.past)}
	if n := len(s.past.Visits); n > 0 {
		st.Last = &s.past.Visits[n-1]
	}
	bot, err := politefetch.New(a.config(s, nil))
	if err != nil {
		return nil, err
	}
	now, err := bot.Limiter().Visit().Status(ctx, s.key) // as a visit would find it
	if err != nil {
		return nil, err
	}
	st.Until = a.clock.of(now.GentleUntil)
	for _, c := range now.Constraints {
		if s.walled == nil && strings.HasPrefix(c.Why, "a bot wall") {
			st.Wall = "a bot wall at another site of " + s.key + " keeps it off the provider's route until a whole visit has ended without one"
		}
		if strings.HasPrefix(c.Why, "answered ") || strings.HasPrefix(c.Why, "held: ") {
			st.Holds = append(st.Holds, "not before "+cli.RoundUp(a.clock.of(c.Until), time.Second, "2 Jan 15:04:05")+": "+c.Why)
		}
	}
	if st.Until.After(later(st.Next.At, a.clock.now())) {
		st.mode = now.Mode
	}
	st.Mode = st.mode.String()
	st.describe(a, s)
	return st, nil
}

// describe puts the way of the next visit into words.
func (st *status) describe(a *app, s *site) {
	until := ""
	if !st.Until.IsZero() {
		until = cli.RoundUp(st.Until, time.Minute, minute)
	}
	visit, limit := s.past.limit()
	if limit != nil && !st.Until.IsZero() {
		st.Because = s.words(limit)
	} else if !st.Until.IsZero() {
		st.Because = "another site of " + s.key + " asked for fewer requests, or its record was damaged"
	}
	keeps := visit != nil && visit.Gentle
	switch {
	case st.mode == ratepolicy.ModeRelay:
		st.Way = fmt.Sprintf("through the provider until %s because %s, when it was asked gently already; at most 2 requests at a time", until, st.Because)
	case st.mode == ratepolicy.ModeGentle:
		st.Way = fmt.Sprintf("gentle until %s because %s: one request at a time, 2 s apart", until, st.Because)
		if keeps && a.route == nil {
			st.Way += "; it would be read through the provider, but " + noRoute
		} else if !keeps && s.walled == nil && st.Wall == "" {
			st.Way += "; limited again, it is read through the provider"
			if a.route == nil {
				st.Way += ", but " + noRoute
			}
		}
	case until != "" && st.Until.After(a.clock.now()):
		st.Way = fmt.Sprintf("as usual by then: gentle only until %s, because %s", until, st.Because)
	default:
		st.Way = "as usual: at most 2 requests at a time"
	}
	if s.walled != nil {
		what := ""
		if w := s.walled.Wall; w != nil {
			what = " at " + s.short(w.URL) + ", " + w.What + ","
		}
		st.Wall = fmt.Sprintf("the bot wall of %s%s keeps it off the provider's route until a whole visit has ended without one", s.walled.Ended.Format(minute), what)
	}
}
