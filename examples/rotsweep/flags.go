package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/examples/internal/timeline"
)

const usageHead = `usage: rotsweep [flags] [FILE|-]
       rotsweep [flags] -scan page|sitemap URL
       rotsweep [flags] -bot-page FORM
       rotsweep -demo

Watches links as the bot RotSweep does: asks for each address of a list, about one a
second of each domain and many domains side by side, and says which of them broke, moved,
or no longer say what they used to. The list has an address a line; # begins a comment:

  https://site.example/terms
  https://site.example/report browser=chrome   # its host refuses bots

FILE - is standard input. With -state and no FILE the list of the last run is taken.

`

const usageTail = `
verdicts:
  ok           it is there and says what it did
  moved        it leads elsewhere than it did
  drifted 0.42 its text has this much in common with what it was (0 nothing, 1 all)
  broken       404, 410 and the like; or no answer, or 5xx, twice, ten minutes apart
  pending      it failed once and is tried again before that is reported (-state)
  refused      the bot is not wanted, which says nothing of it; tried again after 6 h
  limited      its domain asked for a pause
  stopped      its domain is on the opt-out list (-stop): nothing is sent to it
  not asked    its address is none that a bot may ask for

exit codes:
  0    nothing to report: no link is broken, has moved, has drifted or was not asked for
  1    the sweep could not be made: the last line says why
  2    the command line, or the list, is wrong
  3    the sweep was made, and there is something to report
  130  the sweep was interrupted; a -watch is ended that way, with 0
go run turns every code but 0 into 1: for exit codes, go build or go install the command.
`

// The defaults of flags.
const (
	defaultEvery = 24 * time.Hour
	leastEvery   = 10 * time.Minute
	defaultDrift = 0.9
)

// options are what the command line says.
type options struct {
	file   string // of the list; "-": standard input; "": the list of the last run
	kind   string // -scan: "page" or "sitemap"
	from   string // and what is scanned
	state  state
	stops  []string
	local  []netip.AddrPort // exact addresses that the guard lets through
	every  time.Duration
	drift  float64
	accept bool
	page   cli.PageForm // -bot-page
	report string       // file of the HTML page; "": none

	watch, demo, json, verbose bool
}

// parseFlags reads the command line. The error is flag.ErrHelp, or says what is wrong.
func parseFlags(args []string, out io.Writer) (*options, error) {
	o := &options{every: defaultEvery, drift: defaultDrift}
	fs := flag.NewFlagSet("rotsweep", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // the caller prints errors
	fs.Func("scan", "take the list from a page or a sitemap (`KIND` is page or sitemap): the links that lead off the page's domain, or off that of the sitemap's pages; robots.txt is obeyed", o.setKind)
	fs.StringVar((*string)(&o.state), "state", "", "remember in the folder `DIR` the list, what links said and where they led, when each is due, and what domains asked for")
	fs.BoolVar(&o.watch, "watch", false, "go on: check each link when it is due, until Ctrl-C")
	fs.Func("every", "with -watch: check a link that often, such as 12h (default 24h, `TIME` at least 10m)", o.setEvery)
	fs.Func("drift", "call a page drifted if it is less alike to what it was than `X`, from 0 to 1 (default 0.9)", o.setDrift)
	fs.BoolVar(&o.accept, "accept", false, "take what links say and where they lead now as what later sweeps compare with")
	fs.Func("stop", "with -state: never ask `DOMAIN` and its subdomains for anything again; may be repeated, needs no list", func(s string) error {
		o.stops = append(o.stops, s)
		return checkDomain(s)
	})
	fs.Func("allow-addr", cli.AllowAddr, cli.AddrPorts(&o.local))
	fs.BoolVar(&o.demo, "demo", false, "sweep bundled sites: no network is needed")
	fs.Func("bot-page", cli.BotPage, o.page.Set)
	fs.Func("report", "at the end write an HTML page into `FILE`: a time line of every request to every domain, and why it came then", func(s string) error {
		o.report = s
		return timeline.CheckFile(s)
	})
	fs.BoolVar(&o.json, "json", false, "write one JSON object a check, and the report as the last, instead of a table")
	fs.BoolVar(&o.verbose, "v", false, "write every decision to standard error")
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		cli.Help(out, fs, usageHead, usageTail)
		return nil, err
	case err != nil:
		return nil, err
	}
	return o, o.setList(fs.Args())
}

func (o *options) setKind(s string) error {
	if o.kind = s; s != "page" && s != "sitemap" {
		return errors.New("what is scanned is a page or a sitemap: -scan page https://site.example/links")
	}
	return nil
}

func (o *options) setEvery(s string) error {
	d, err := time.ParseDuration(s)
	if err != nil {
		return errors.New("not a time, such as 12h or 90m")
	}
	if o.every = d; d < leastEvery {
		return fmt.Errorf("a link is checked every %v at most", leastEvery)
	}
	return nil
}

func (o *options) setDrift(s string) error {
	x, err := strconv.ParseFloat(s, 64)
	if o.drift = x; err != nil || !(x >= 0 && x <= 1) {
		return errors.New("not a number from 0 to 1")
	}
	return nil
}

// setList takes where the list comes from.
func (o *options) setList(args []string) error {
	switch {
	case o.demo && (len(args) > 0 || o.kind != "" || o.state != "" || len(o.local) > 0 || o.watch):
		return errors.New("-demo brings its own list: give no FILE, -scan, -state, -watch or -allow-addr with it")
	case o.page.Form != "" && (o.demo || o.watch || len(args)+len(o.stops) > 0 || o.kind != ""):
		return errors.New("-bot-page is about the bot, whichever links: give no FILE, -scan, -watch, -stop or -demo with it")
	case len(o.stops) > 0 && o.state == "":
		return errors.New("-stop goes with -state, which keeps the opt-out list")
	case len(args) > 1:
		return fmt.Errorf("one list, please; flags go before it (there is also %q)", args[1])
	case o.kind != "" && len(args) == 0:
		return fmt.Errorf("which %s? Give its address after -scan %s", o.kind, o.kind)
	case o.kind != "":
		o.from = args[0]
		_, err := cli.WebAddress(o.from)
		return err
	case o.accept && o.state == "" && !o.demo:
		return errors.New("-accept goes with -state, which remembers what was found")
	case len(args) == 1:
		if strings.Contains(args[0], "://") {
			return fmt.Errorf("%s is an address, not a list: write it into a FILE or pipe it into rotsweep -; for the links on its page there is -scan page", cli.WithoutPassword(args[0]))
		}
		o.file = args[0]
	case o.demo, o.page.Form != "", len(o.stops) > 0:
	case o.state == "":
		return errors.New("which links? Give a FILE with an address a line, - for standard input, -scan, or -demo")
	}
	return nil
}

// links reads the list.
func (o *options) links(stdin io.Reader) ([]*link, error) {
	path := o.file
	switch path {
	case "-":
		return readList(stdin)
	case "":
		path = o.state.list()
	}
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) && o.file == "" {
		return nil, fmt.Errorf("no run has left a list in %s: give a FILE, - for standard input, or -scan", string(o.state))
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	return readList(f)
}
