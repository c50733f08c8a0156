package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"strings"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/robots"
)

const usageHead = `usage: robotscheck -agent NAME [flags] https://site.example/path
       robotscheck -agent NAME -file robots.txt [flags] /path

Tells what a robots.txt lets the crawler NAME do: whether it may ask for the address,
which line decides, and what else the file says to it. Without -file the site is asked for
its robots.txt, politely.

`

const usageTail = `
exit codes:
  0  allowed
  1  disallowed
  2  it could not be told: robots.txt can't be had, or the command line is wrong
go run turns every code but 0 into 1: for exit codes, go build or go install the command.
`

// botPage is the page about the bot that a user agent must name, unless -ua names another.
const botPage = "https://github.com/politefetch/sdk"

// options are what the command line says.
type options struct {
	agent     string // product token
	userAgent string
	file      string           // "": the site is asked
	local     []netip.AddrPort // exact addresses that the guard lets through
	json      bool
	address   string   // as given
	url       *url.URL // its path and query at least
}

// parseFlags reads the command line. The error is flag.ErrHelp, or says what is wrong;
// the options then hold what was read until there.
func parseFlags(args []string, out io.Writer) (*options, error) {
	o := &options{}
	fs := flag.NewFlagSet("robotscheck", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // the caller prints errors
	fs.StringVar(&o.agent, "agent", "", "the crawler's product token, its `NAME` in robots.txt (default: that of -ua)")
	fs.StringVar(&o.userAgent, "ua", "", "the `USER-AGENT` to ask the site with; it holds the name and a page about the crawler (default \"NAME/1.0 (+"+botPage+")\")")
	fs.StringVar(&o.file, "file", "", "read this `FILE`, ask nobody")
	fs.Func("allow-addr", cli.AllowAddr, cli.AddrPorts(&o.local))
	fs.BoolVar(&o.json, "json", false, "write one JSON object, also where it could not be told")
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		cli.Help(out, fs, usageHead, usageTail)
		return o, err
	case err != nil:
		return o, err
	}
	if err := o.setAgent(); err != nil {
		return o, err
	}
	return o, o.setAddress(fs.Args())
}

// setAgent fills in whichever of the name and the user agent was not given.
func (o *options) setAgent() error {
	if o.agent == "" {
		o.agent = robots.TokenOf(o.userAgent)
	}
	if o.agent == "" {
		return errors.New("which crawler? Give its name with -agent")
	}
	if err := robots.CheckToken(o.agent); err != nil {
		return fmt.Errorf("-agent %q: %w", o.agent, err)
	}
	if o.userAgent == "" {
		o.userAgent = o.agent + "/1.0 (+" + botPage + ")"
	}
	return nil
}

// setAddress takes the address to ask about; with -file a path will do.
func (o *options) setAddress(args []string) error {
	switch {
	case len(args) == 0:
		return errors.New("which address?")
	case len(args) > 1:
		return fmt.Errorf("one address, please; flags go before it (there is also %q)", args[1])
	}
	o.address = args[0]
	if strings.HasPrefix(o.address, "/") {
		if o.file == "" {
			return fmt.Errorf("%q names no site; with -file a path will do", o.address)
		}
		return nil
	}
	u, err := cli.WebAddress(o.address)
	if err != nil {
		return err
	}
	o.url = u
	return nil
}
