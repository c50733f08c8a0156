package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/politefetch/sdk/examples/internal/cli"
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
	o, err := parseFlags(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitAllowed
	case err != nil:
		fail(o, err, stdout, stderr)
		fmt.Fprintln(stderr, "run robotscheck -h for help")
		return exitUnknown
	}
	var group *robots.Group
	if o.file != "" {
		group, err = readFile(o)
	} else {
		group, err = askSite(ctx, o, transport)
	}
	if err != nil {
		fail(o, err, stdout, stderr)
		if hint := cli.GuardHint(err, o.local); hint != "" {
			fmt.Fprintln(stderr, printable(hint))
		}
		return exitUnknown
	}
	r := newReport(o, group)
	if o.json {
		err = writeJSON(stdout, r)
	} else {
		err = r.writeText(stdout)
	}
	switch {
	case err != nil:
		fmt.Fprintf(stderr, "robotscheck: writing the output: %s\n", printable(err.Error()))
		return exitUnknown
	case r.Allowed:
		return exitAllowed
	}
	return exitDisallowed
}

// fail says why it could not be told.
func fail(o *options, err error, stdout, stderr io.Writer) {
	fmt.Fprintf(stderr, "robotscheck: %s\n", printable(err.Error()))
	if !o.json {
		return
	}
	if err := writeJSON(stdout, newUnknown(o, err)); err != nil {
		fmt.Fprintf(stderr, "robotscheck: writing the output: %s\n", printable(err.Error()))
	}
}

// readFile reads the file of -file.
func readFile(o *options) (*robots.Group, error) {
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
	return robots.Parse(body).Group(o.agent), nil
}

// askSite asks the site for its robots.txt, as the crawler would. The error says why it
// can't be had.
func askSite(ctx context.Context, o *options, transport http.RoundTripper) (*robots.Group, error) {
	bot, err := politefetch.New(politefetch.Config{
		Product: o.agent, UserAgent: o.userAgent, Transport: transport,
		Guard: politefetch.GuardOptions{Allow: o.local},
	})
	if err != nil {
		return nil, err
	}
	return bot.Robots(ctx, o.address)
}
