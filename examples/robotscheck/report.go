package main

import (
	"errors"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/robots"
)

// A report is all that a robots.txt says to a crawler; -json writes it.
type report struct {
	Address string        `json:"address"`
	Agent   string        `json:"agent"`
	From    string        `json:"robots_txt"` // the address or file it was read from
	Allowed bool          `json:"allowed"`
	Reason  robots.Reason `json:"reason"`
	Why     string        `json:"why"` // the same in a sentence
	Line    int           `json:"line,omitempty"`
	Rule    string        `json:"rule,omitempty"`
	Group   string        `json:"group"` // the token that named it; "": there is none for the crawler

	CrawlDelay  *float64          `json:"crawl_delay_seconds,omitempty"`
	Rates       []rate            `json:"request_rates,omitempty"`
	Visits      []window          `json:"visit_times,omitempty"`
	Signals     map[string]string `json:"content_signals,omitempty"`
	Usage       map[string]bool   `json:"content_usage,omitempty"` // for the address
	Licenses    []string          `json:"licenses,omitempty"`
	Sitemaps    []string          `json:"sitemaps,omitempty"`
	Diagnostics []diagnostic      `json:"diagnostics,omitempty"`

	delay time.Duration
}

// An unknown is what -json writes instead where it could not be told.
type unknown struct {
	Address string              `json:"address,omitempty"` // if it is one
	Agent   string              `json:"agent"`
	Outcome politefetch.Outcome `json:"outcome,omitempty"` // of asking the site
	Error   string              `json:"error"`
	Hint    string              `json:"hint,omitempty"` // what can be done
}

func newUnknown(o *options, err error) *unknown {
	u := &unknown{Agent: o.agent, Error: err.Error(), Hint: cli.GuardHint(err, o.local)}
	if o.url != nil || o.file != "" {
		u.Address = o.address
	}
	if e, ok := errors.AsType[*politefetch.Error](err); ok {
		u.Outcome = e.Outcome
	}
	return u
}

// A rate is at most so many requests in so many seconds, within a part of the day.
type rate struct {
	Requests int     `json:"requests"`
	Seconds  float64 `json:"seconds"`
	Window   *window `json:"window,omitempty"` // absent: the whole day
	Line     int     `json:"line"`

	per time.Duration
}

// A window is a part of the day, UTC, as "06:00".
type window struct {
	From string `json:"from"`
	To   string `json:"to"`
}

type diagnostic struct {
	Line int    `json:"line"`
	Code string `json:"code"`
	Text string `json:"text"`
}

func newReport(o *options, g *robots.Group) *report {
	from, path := o.file, o.address
	if o.url != nil {
		path = o.url.RequestURI()
	}
	if from == "" {
		from = o.url.Scheme + "://" + o.url.Host + "/robots.txt"
	}
	v := g.TestPath(path)
	r := &report{
		Address: o.address, Agent: o.agent, From: from,
		Allowed: v.Allowed, Reason: v.Reason, Why: v.String(), Line: v.Line, Rule: v.Rule,
		Group: g.Product(), Signals: g.ContentSignals(), Usage: g.ContentUsage(path), Sitemaps: g.File().Sitemaps(),
	}
	if d, ok := g.CrawlDelay(); ok {
		seconds := d.Seconds()
		r.CrawlDelay, r.delay = &seconds, d
	}
	for _, x := range g.RequestRates() {
		next := rate{Requests: x.Requests, Seconds: x.Per.Seconds(), Line: x.Line, per: x.Per}
		if x.Window != (robots.Window{}) {
			w := newWindow(x.Window)
			next.Window = &w
		}
		r.Rates = append(r.Rates, next)
	}
	for _, x := range g.VisitTimes() {
		r.Visits = append(r.Visits, newWindow(x))
	}
	for x := range g.File().Records() {
		if x.Key == "license" && x.Value != "" {
			r.Licenses = append(r.Licenses, x.Value)
		}
	}
	for _, x := range g.File().Diagnostics() {
		r.Diagnostics = append(r.Diagnostics, diagnostic(x))
	}
	return r
}

func newWindow(w robots.Window) window { return window{clock(w.From), clock(w.To)} }

// clock is a time of day, "24:00" included.
func clock(d time.Duration) string {
	const form = "15:04"
	if d == 24*time.Hour {
		return "24:00"
	}
	return time.Time{}.Add(d).Format(form)
}
