package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/examples/internal/timeline"
)

const usageHead = `usage: kiwirank visit|recheck [flags] -state DIR SITE…
       kiwirank status|due    [flags] -state DIR [SITE…]
       kiwirank -demo

Visits web sites as the bot KiwiRankBot does: robots.txt and the home page first, then
what robots.txt allows; at most 2 requests at a time; gently for 14 days after a site
limited it; through a crawling provider where that was not enough; never past a bot wall.

  visit    sets a site up, and visits it when it is due: weekly, and up to twice more
           after a visit that the site limited
  recheck  the owner's button: a visit now, if one may be asked for
  status   what the bot will do next, and why
  due      the sites that are due, a line each: address, kind of visit, since when;
           without a SITE, all that are remembered

The provider's key is taken from ` + keyVariable + ` alone. Without it there is no such
route, and such sites are asked gently.

`

const usageTail = `
exit codes:
  0    every visit was made and read the site; due: something is due
  1    some visit was not, or did not: the output says why; due: nothing is due
  2    the command line is wrong
  130  interrupted: what was done is remembered
go run turns every code but 0 into 1: for exit codes, go build or go install the command.
A cron job: kiwirank due -state DIR | cut -f1 | xargs -r kiwirank visit -state DIR
`

// options are what the command line says.
type options struct {
	command             string
	sites               []string
	state               string           // folder of what is remembered
	report              string           // file of the HTML page; "": none
	local               []netip.AddrPort // exact addresses that the guard lets through
	demo, json, verbose bool
	botPage             cli.PageForm
}

// parse reads the command line; flags may stand anywhere. The error is flag.ErrHelp, or
// says what is wrong.
func (o *options) parse(args []string, out io.Writer) error {
	fs := flag.NewFlagSet("kiwirank", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // the caller prints errors
	fs.StringVar(&o.state, "state", "", "remember in the folder `DIR` what sites asked for and what came of visits")
	fs.Func("allow-addr", cli.AllowAddr, cli.AddrPorts(&o.local))
	fs.Func("report", "at the end write an HTML page into `FILE`: a time line of every request of visit or recheck, and why it came then", func(s string) error {
		o.report = s
		return timeline.CheckFile(s)
	})
	fs.BoolVar(&o.json, "json", false, "write one JSON object a site")
	fs.BoolVar(&o.verbose, "v", false, "write every decision to standard error")
	fs.BoolVar(&o.demo, "demo", false, "play some weeks of a bundled site's life, without a network")
	fs.Func("bot-page", cli.BotPage, o.botPage.Set)
	var words []string
	for rest := args; ; {
		switch err := fs.Parse(rest); {
		case errors.Is(err, flag.ErrHelp):
			cli.Help(out, fs, usageHead, usageTail)
			return err
		case err != nil:
			return err
		}
		if rest = fs.Args(); len(rest) == 0 {
			break
		}
		words, rest = append(words, rest[0]), rest[1:]
	}
	return o.check(words)
}

func (o *options) check(words []string) error {
	alone := o.demo || o.botPage.Form != ""
	switch {
	case alone && len(words)+len(o.local)+len(o.state)+len(o.report) > 0:
		return errors.New("-demo and -bot-page stand alone: give no command, site, -state, -report or -allow-addr with them")
	case alone:
		return nil
	case len(words) == 0:
		return errors.New("which command? visit, recheck, status or due; or -demo")
	}
	o.command, o.sites = words[0], words[1:]
	switch {
	case !slices.Contains([]string{"visit", "recheck", "status", "due"}, o.command):
		hint := ""
		if strings.Contains(o.command, ".") {
			hint = fmt.Sprintf(": do you mean kiwirank visit %s ?", o.command)
		}
		return fmt.Errorf("%q is no command%s; there are visit, recheck, status and due", o.command, hint)
	case o.report != "" && o.command != "visit" && o.command != "recheck":
		return fmt.Errorf("-report is about requests, and kiwirank %s makes none", o.command)
	case o.state == "":
		return errors.New("-state DIR, please: a bot that forgets who asked it to slow down can't keep its promises")
	case len(o.sites) == 0 && (o.command == "visit" || o.command == "recheck"):
		return fmt.Errorf("which site? kiwirank %s -state %s https://site.example/", o.command, o.state)
	}
	return nil
}
