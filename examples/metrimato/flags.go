package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/examples/internal/timeline"
)

// maxCode bounds the length of a tracking code.
const maxCode = 1024

const usageHead = `usage: metrimato [flags] https://site.example/
       metrimato -demo
       metrimato [flags] -bot-page FORM

Scans a web site as the bot Metrimato-Scanner does: robots.txt and sitemaps first, one
HTML page at a time, at least 0.3 s apart, at most 500 pages. Prints lengths, counts and
addresses of its pages, nothing of their text.

`

const usageTail = `
exit codes:
  0    the site was scanned (or as much of it as -max-pages lets)
  1    it could not be scanned, or the scan stopped early, or (-state) it is not due yet
       or another process is scanning it: the report says why
  2    the command line is wrong
  130  the scan was interrupted: the report covers what was done
go run turns every code but 0 into 1: for exit codes, go build or go install the command.
`

// options are what the command line says.
type options struct {
	job
	demo, json, verbose bool
	report              string // file of the HTML page; "": none
	botPage             cli.PageForm
}

// parseFlags reads the command line. The error is flag.ErrHelp, or says what is wrong.
func parseFlags(args []string, out io.Writer) (*options, error) {
	o := &options{}
	var more []string
	fs := flag.NewFlagSet("metrimato", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // the caller prints errors
	fs.Func("max-pages", "read at most `N` pages, 1 to 500 (default 500)", o.setMaxPages)
	fs.Func("allow-host", "a further `DOMAIN` of the site; may be repeated", func(s string) error {
		more = append(more, s)
		return checkHost(s)
	})
	fs.Func("allow-addr", cli.AllowAddr, cli.AddrPorts(&o.local))
	fs.Func("own-proof", "visit a domain only if its home page holds `CODE`", o.setCode)
	fs.StringVar(&o.state, "state", "", "remember in the folder `DIR` what sites asked for and when they were scanned: a site is scanned once a week, by one run at a time; a run that is broken off counts")
	fs.BoolVar(&o.byHand, "by-hand", false, "with -state: a run on top of the weekly one, at most one in 24 hours; one that is broken off counts")
	fs.BoolVar(&o.demo, "demo", false, "scan a bundled site that is served on this machine: no network is needed")
	fs.Func("report", "at the end write an HTML page into `FILE`: a time line of every request, and why it came then", func(s string) error {
		o.report = s
		return timeline.CheckFile(s)
	})
	fs.Func("bot-page", cli.BotPage, o.botPage.Set)
	fs.BoolVar(&o.json, "json", false, "write one JSON object a page, and the report as the last, instead of a table")
	fs.BoolVar(&o.verbose, "v", false, "write every decision to standard error")
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		cli.Help(out, fs, usageHead, usageTail)
		return nil, err
	case err != nil:
		return nil, err
	}
	return o, o.setStart(fs.Args(), more)
}

func (o *options) setMaxPages(s string) error {
	var rest string
	if n, _ := fmt.Sscanf(s, "%d%s", &o.maxPages, &rest); n != 1 || o.maxPages < 1 {
		return errors.New("not a number from 1 to 500")
	}
	if o.maxPages > pageCeiling {
		return fmt.Errorf("the scanner reads at most %d pages a run", pageCeiling)
	}
	return nil
}

func (o *options) setCode(s string) error {
	if s == "" || len(s) > maxCode {
		return fmt.Errorf("a code has 1 to %d bytes", maxCode)
	}
	o.code = s
	return nil
}

func checkHost(s string) error {
	if s == "" || strings.ContainsAny(s, "/:@*?# ") {
		return errors.New("not a bare domain, such as www.site.example")
	}
	return nil
}

// setStart takes the site's address and its further domains.
func (o *options) setStart(args, more []string) error {
	switch {
	case o.demo && len(args)+len(more)+len(o.local) > 0, o.demo && o.code+o.state != "":
		return errors.New("-demo brings its own site: give no address, -allow-host, -allow-addr, -own-proof or -state with it")
	case o.botPage.Form != "" && (o.demo || len(args)+len(more) > 0):
		return errors.New("-bot-page is about the bot, whichever site: give no address, -allow-host or -demo with it")
	case o.byHand && o.state == "":
		return errors.New("-by-hand goes with -state, which knows when the site was scanned last")
	case o.demo, o.botPage.Form != "":
		return nil
	case len(args) == 0:
		return errors.New("which site? Give its address, or -demo")
	case len(args) > 1:
		return fmt.Errorf("one address, please; flags go before it (there is also %q)", args[1])
	}
	o.start = args[0]
	u, err := cli.WebAddress(o.start)
	if err != nil {
		return err
	}
	if len(more) > 0 {
		o.hosts = append([]string{u.Hostname()}, more...)
	}
	return nil
}
