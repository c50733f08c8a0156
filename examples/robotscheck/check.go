package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/robots"
)

// Exit codes.
const (
	exitAllowed    = 0
	exitDisallowed = 1
	exitUnknown    = 2
)

// run is the whole command. A nil transport is the library's own, which connects to
// public addresses only.
func run(ctx context.Context, args []string, stdout, stderr io.Writer, transport http.RoundTripper) int {
	fail := func(err error) int {
		fmt.Fprintf(stderr, "robotscheck: %s\n", printable(err.Error()))
		return exitUnknown
	}
	o, err := parseFlags(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitAllowed
	case err != nil:
		fail(err)
		fmt.Fprintln(stderr, "run robotscheck -h for help")
		return exitUnknown
	}
	var f *found
	if o.file != "" {
		f, err = readFile(o)
	} else {
		f, err = askSite(ctx, o, transport)
	}
	if err != nil {
		if e, ok := errors.AsType[*politefetch.Error](err); ok && e.Outcome == politefetch.Barred {
			defer fmt.Fprintln(stderr, "If it is a server of yours, let its exact address through with -allow-addr HOST:PORT.")
		}
		return fail(err)
	}
	r := newReport(o, f)
	if o.json {
		err = r.writeJSON(stdout)
	} else {
		err = r.writeText(stdout)
	}
	switch {
	case err != nil:
		return fail(fmt.Errorf("writing the output: %w", err))
	case r.Allowed:
		return exitAllowed
	}
	return exitDisallowed
}

// found is a robots.txt: what it says to the crawler, and the whole of it.
type found struct {
	from  string // a file name or an address
	group *robots.Group
	file  *robots.File
	note  string // what is missing
}

// readFile reads the file of -file.
func readFile(o *options) (*found, error) {
	r, err := os.Open(o.file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // it was only read
	// One byte more than counts tells a file that was cut.
	body, err := io.ReadAll(io.LimitReader(r, robots.MaxBytes+1))
	if err != nil {
		return nil, err
	}
	f := robots.Parse(body)
	return &found{from: o.file, group: f.Group(o.agent), file: f}, nil
}

// askSite asks the site for its robots.txt as the crawler would. The error says why it
// can't be had.
func askSite(ctx context.Context, o *options, transport http.RoundTripper) (*found, error) {
	bot, err := politefetch.New(politefetch.Config{
		Product: o.agent, UserAgent: o.userAgent, Transport: transport,
		Guard: politefetch.GuardOptions{Allow: o.local},
	})
	if err != nil {
		return nil, err
	}
	group, err := bot.Robots(ctx, o.address)
	if err != nil {
		return nil, err
	}
	at := o.url.Scheme + "://" + o.url.Host + "/robots.txt"
	f := &found{from: at, group: group, file: &robots.File{}}
	// A group doesn't hand out its file, so that is asked for once more, in its turn.
	page, err := bot.Fetch(ctx, at, &politefetch.FetchOptions{RobotsAdvisory: true})
	switch {
	case err != nil:
		f.note = "sitemaps, licenses and diagnostics are missing: " + err.Error()
	case page.Status/100 == 2:
		f.file = robots.Parse(page.Body)
	}
	return f, nil
}
