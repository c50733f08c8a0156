package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/examples/internal/timeline"
	"github.com/politefetch/sdk/politefetch"
)

// Exit codes.
const (
	exitScanned     = 0
	exitNotScanned  = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// run is the whole command. A nil transport is the library's own, which connects to
// public addresses only.
func run(ctx context.Context, args []string, stdout, stderr io.Writer, transport http.RoundTripper) int {
	o, err := parseFlags(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitScanned
	case err != nil:
		fmt.Fprintf(stderr, "metrimato: %s\nrun metrimato -h for help\n", cli.Printable(err.Error()))
		return exitUsage
	case o.demo:
		return demo(ctx, o, stdout, stderr, fullDemo)
	case o.botPage.Form != "":
		if err := o.botPage.Write(stdout, o.page(o.botPage.Lang)); err != nil {
			return unwritten(stderr, err)
		}
		return exitScanned
	}
	return scan(ctx, o, stdout, stderr, transport)
}

// scan makes the visit and shows what comes of it.
func scan(ctx context.Context, o *options, stdout, stderr io.Writer, transport http.RoundTripper) int {
	w := &watcher{progress: newProgress(stderr), limit: o.limit()}
	if o.verbose {
		w.verbose, w.progress = stderr, &lines{w: stderr}
	}
	var events timeline.Log
	observe := w.observe
	if o.report != "" {
		observe = func(e politefetch.Event) {
			events.Observe(e)
			w.observe(e)
		}
	}
	cfg := o.config(transport, observe)
	visit, err := o.visit(cfg)
	if err != nil {
		return refuse(o, err, stdout, stderr)
	}
	w.watch(visit)
	site := visit.Report().Site
	runs, err := openHistory(o.state, site)
	if err != nil {
		fmt.Fprintf(stderr, "metrimato: %s\n", cli.Printable(err.Error()))
		return exitNotScanned
	}
	if due := runs.due(o.byHand); due.After(time.Now()) {
		return tooSoon(o, site, due, stdout, stderr)
	}
	fmt.Fprintf(stderr, "scanning %s: robots.txt and sitemaps first\n", site)

	var (
		rower rower
		rows  []row
		last  error // what the last address that was not read ended with
	)
	enc := json.NewEncoder(stdout)
	for page, err := range visit.Pages(ctx) {
		r := rower.row(page, err)
		if err != nil {
			last = err
		}
		w.page(page, err)
		rows = append(rows, r)
		if !o.json {
			continue
		}
		if err := enc.Encode(r); err != nil {
			return unwritten(stderr, err)
		}
	}
	w.progress.clear()

	rep := visit.Report()
	sum := newSummary(&o.job, &rep, w, ctx.Err() != nil && rep.Outcome == "")
	if sum.scanned() {
		if err := runs.add(&rep); err != nil {
			fmt.Fprintf(stderr, "metrimato: the run could not be remembered: %s\n", cli.Printable(err.Error()))
		}
	}
	sum.Hint = sum.hint(&o.job, w, last)
	var unreported error
	if o.report != "" {
		unreported = sum.page(&cfg, rows, &events).WriteFile(o.report)
	}
	if o.json {
		err = sum.writeJSON(stdout)
	} else {
		writeTable(stdout, site, rows)
		err = sum.write(stdout)
	}
	if err = errors.Join(err, unreported); err != nil {
		return unwritten(stderr, err)
	}
	return sum.code()
}

// refuse says why the visit could not even begin.
func refuse(o *options, err error, stdout, stderr io.Writer) int {
	e, ok := errors.AsType[*politefetch.Error](err)
	if !ok {
		fmt.Fprintf(stderr, "metrimato: %s\n", cli.Printable(err.Error()))
		return exitUsage
	}
	sum := &summary{Site: o.start, Outcome: string(e.Outcome), Why: reason(err), Hint: hintFor(err, o.local, "")}
	fmt.Fprintf(stderr, "metrimato: %s\n%s\n", cli.Printable(sum.Why), sum.Hint)
	if o.json {
		if err := sum.writeJSON(stdout); err != nil {
			return unwritten(stderr, err)
		}
	}
	return exitNotScanned
}

// notDue is the outcome of a run that would have come too soon.
const notDue = "not due"

// tooSoon refuses a run that would come before the site is due.
func tooSoon(o *options, site string, due time.Time, stdout, stderr io.Writer) int {
	from := cli.RoundUp(due, time.Second, day)
	sum := &summary{Site: site, Outcome: notDue, Opens: due, Why: "the site is scanned once a week at most: not before " + from}
	if o.byHand {
		sum.Why = "a run by hand comes once in 24 hours at most: not before " + from
	} else {
		sum.Hint = "-by-hand may start one on top of the weekly one"
	}
	fmt.Fprintf(stderr, "metrimato: %s\n", cli.Printable(sum.Why))
	if sum.Hint != "" {
		fmt.Fprintln(stderr, sum.Hint)
	}
	if o.json {
		if err := sum.writeJSON(stdout); err != nil {
			return unwritten(stderr, err)
		}
	}
	return exitNotScanned
}

func unwritten(stderr io.Writer, err error) int {
	fmt.Fprintf(stderr, "metrimato: writing the output: %s\n", cli.Printable(err.Error()))
	return exitNotScanned
}

// limit is how many pages the run may ask for.
func (o *options) limit() int {
	if o.maxPages > 0 {
		return o.maxPages
	}
	return pageCeiling
}
