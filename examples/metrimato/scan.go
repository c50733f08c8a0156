package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
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
		fmt.Fprintf(stderr, "metrimato: %s\nrun metrimato -h for help\n", printable(err.Error()))
		return exitUsage
	case o.demo:
		return demo(ctx, o, stdout, stderr, fullDemo)
	}
	code, err := scan(ctx, o, stdout, stderr, transport)
	if err != nil {
		fmt.Fprintf(stderr, "metrimato: %s\n", printable(err.Error()))
	}
	return code
}

// scan makes the visit and shows what comes of it. The error is for what no report can
// tell.
func scan(ctx context.Context, o *options, stdout, stderr io.Writer, transport http.RoundTripper) (int, error) {
	w := &watcher{progress: newProgress(stderr), limit: o.limit()}
	if o.verbose {
		w.verbose, w.progress = stderr, &lines{w: stderr}
	}
	visit, err := o.visit(transport, w.observe)
	if err != nil {
		if hint := hintFor(err); hint != "" {
			err = fmt.Errorf("%w\n           %s", err, hint)
		}
		return exitNotScanned, err
	}
	w.mu.Lock()
	w.visit = visit
	w.mu.Unlock()
	site := visit.Report().Site
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
		w.page()
		if !o.json {
			rows = append(rows, r)
		} else if err := enc.Encode(r); err != nil {
			return exitNotScanned, fmt.Errorf("writing the output: %w", err)
		}
	}
	w.progress.clear()

	rep := visit.Report()
	interrupted := ctx.Err() != nil && rep.Outcome == ""
	sum := newSummary(&o.job, &rep, w, interrupted)
	if !sum.scanned() && !interrupted {
		sum.Hint = hintFor(last)
	}
	if o.json {
		err = sum.writeJSON(stdout)
	} else {
		writeTable(stdout, site, rows)
		sum.write(stdout)
	}
	switch {
	case err != nil:
		return exitNotScanned, fmt.Errorf("writing the output: %w", err)
	case interrupted:
		return exitInterrupted, nil
	case sum.scanned():
		return exitScanned, nil
	}
	return exitNotScanned, nil
}

// limit is how many pages the run may ask for.
func (o *options) limit() int {
	if o.maxPages > 0 {
		return o.maxPages
	}
	return pageCeiling
}
