package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
)

// A demoPace says how much shorter the bot's waits are in the demo.
type demoPace struct {
	delay  time.Duration // in place of a second between a domain's requests
	failed time.Duration // in place of ten minutes
}

var fullDemo = demoPace{delay: 200 * time.Millisecond, failed: 3 * time.Second}

const demoIntro = `Bundled sites, in this process's memory, are swept three times. Time is compressed: where
the bot leaves a second between the requests of a domain it leaves %v here, and its ten
minutes before a failed link is tried again are %v. What sites ask for is not compressed.

`

// demo sweeps the bundled sites, lets them change, sweeps again, and holds what they saw
// against what the bot's page promises.
func demo(ctx context.Context, c *command, pace demoPace) int {
	dir, err := os.MkdirTemp("", "rotsweep-demo-")
	if err != nil {
		return c.fail(exitFailed, err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // it is in the system's folder for such
	sites := demoSites()
	c.state, c.file = state(dir), "-"
	c.cfg.Transport = sites
	c.cfg.Policy.Normal.Delay, c.cfg.Policy.Gentle.Delay = pace.delay, 2*pace.delay
	c.cfg.Policy.Backoff, c.plan.Failed = pace.failed/2, pace.failed
	fmt.Fprintf(c.stderr, demoIntro, pace.delay, pace.failed)
	if err := c.state.stop([]string{"left-alone.example"}); err != nil {
		return c.fail(exitFailed, err)
	}

	for i, step := range []string{
		"First sweep: this is what later ones are compared with.",
		"Some days later; the sites have changed. Second sweep.",
		"Ten minutes later. Third sweep: what was pending is decided, the refused are left alone.",
	} {
		switch i {
		case 1:
			demoChanges(sites)
		case 2:
			demoRecovers(sites)
			if err := decided(ctx, c.swept); err != nil {
				return c.fail(exitInterrupted, err)
			}
		}
		fmt.Fprintf(c.stderr, "\n%s\n", step)
		c.brief = i == 0
		if code := c.once(ctx, strings.NewReader(demoList)); code != exitNothing && code != exitFound {
			return code
		}
	}
	out := c.stdout
	if c.json {
		out = c.stderr // standard output is for the objects alone
	}
	if !held(out, sites.Log(), pace) {
		return exitFailed
	}
	return exitNothing
}

// decided waits until what is pending is due.
func decided(ctx context.Context, links []*link) error {
	var due time.Time
	for _, l := range links {
		if l.Verdict == pending && l.Next.After(due) {
			due = l.Next
		}
	}
	timer := time.NewTimer(time.Until(due))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// held prints whether the sites' own log keeps the promise, domain by domain.
func held(w io.Writer, log []fetchtest.Exchange, pace demoPace) bool {
	promise := fetchtest.Promise{
		Product: config().Product, UserAgent: config().UserAgent, Anonymous: true, OneSite: true,
		Concurrency: 2, Delay: pace.delay, Burst: 2, MaxWait: sitsOut, Tolerance: 5 * time.Millisecond,
		Exempt: []string{demoClosed}, // designated, so it is checked all the same
	}
	domains := make(map[string][]fetchtest.Exchange)
	robots, limits, guised := 0, 0, 0
	for i := range log {
		x := &log[i]
		domain := politefetch.SiteKey(x.URL)
		domains[domain] = append(domains[domain], *x)
		switch {
		case x.URL.Path == "/robots.txt":
			robots++
		case x.Header.Get("User-Agent") != promise.UserAgent:
			guised++
		}
		if x.Answer.Status == http.StatusTooManyRequests {
			limits++
		}
	}
	fmt.Fprintf(w, "\nThe sites' own log: %s on %d domains, %d of them for robots.txt; %d as a browser, for the one link that asks for it; %d answered 429.\n",
		cli.Plural(len(log), "request", "requests"), len(domains), robots, guised, limits)
	var breaches []error
	for domain, of := range domains {
		p := promise
		if domain == demoGuised {
			p.UserAgent = ""
		}
		breaches = append(breaches, fetchtest.Audit(of, p))
	}
	if len(domains["left-alone.example"]) > 0 {
		breaches = append(breaches, errors.New("a domain on the opt-out list was asked"))
	}
	if err := errors.Join(breaches...); err != nil {
		fmt.Fprintf(w, "Promises that were BROKEN:\n%v\n", err)
		return false
	}
	fmt.Fprintf(w, "Every promise was kept: the bot's user agent; GET only, no cookies; of each domain at most two requests in %v, robots.txt\n"+
		"first and its Crawl-delay kept; no request before a Retry-After was over; nothing sent to the domain on the opt-out list.\n", pace.delay)
	return true
}
