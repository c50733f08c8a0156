package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"

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

// scan makes the visit, if it may be made now, and shows what comes of it.
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
	rep := visit.Report()
	runs, release, err := o.begin(ctx, &rep)
	if err != nil {
		return notBegun(ctx, o, rep.Site, err, stdout, stderr)
	}
	defer release()

	fmt.Fprintf(stderr, "scanning %s: robots.txt and sitemaps first\n", rep.Site)
	r := read(ctx, o, visit, w, stdout)
	rep = visit.Report()
	sum := newSummary(&o.job, &rep, w, rep.Outcome == "" && (ctx.Err() != nil || r.unwritten != nil))
	if err := runs.end(&rep, sum.scanned()); err != nil {
		fmt.Fprintf(stderr, "metrimato: what came of the run could not be remembered: %s\n", cli.Printable(err.Error()))
	}
	sum.Hint = sum.hint(&o.job, w, r.last)
	var unreported error
	if o.report != "" {
		unreported = sum.page(&cfg, r.rows, &events).WriteFile(o.report)
	}
	if err := errors.Join(show(o, sum, r, stdout), unreported); err != nil {
		return unwritten(stderr, err)
	}
	return sum.code()
}

// A reading is what a run's pages came to.
type reading struct {
	rows      []row
	last      error // what the last address that was not read ended with
	unwritten error // the output broke off, and the run with it
}

// read reads the pages, and with -json writes each as it comes.
func read(ctx context.Context, o *options, visit *politefetch.Visit, w *watcher, stdout io.Writer) *reading {
	var (
		r     reading
		rower rower
	)
	enc := json.NewEncoder(stdout)
	for page, err := range visit.Pages(ctx) {
		row := rower.row(page, err)
		if err != nil {
			r.last = err
		}
		w.page(page, err)
		r.rows = append(r.rows, row)
		if !o.json {
			continue
		}
		if r.unwritten = enc.Encode(row); r.unwritten != nil {
			break
		}
	}
	w.progress.clear()
	return &r
}

// show writes what is not written yet: the report, and without -json the table.
func show(o *options, sum *summary, r *reading, stdout io.Writer) error {
	switch {
	case r.unwritten != nil:
		return r.unwritten
	case o.json:
		return sum.writeJSON(stdout)
	}
	writeTable(stdout, sum.Site, r.rows)
	return sum.write(stdout)
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
