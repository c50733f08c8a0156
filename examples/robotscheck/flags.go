package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"strings"

	"github.com/politefetch/sdk/robots"
)

const usageHead = `usage: robotscheck -agent NAME [flags] https://site.example/path
       robotscheck -agent NAME -file robots.txt [flags] /path

Tells what a robots.txt lets the crawler NAME do: whether it may ask for the address, which
line decides, and what else the file says to it. Without -file the site is asked for its
robots.txt, politely.

`

const usageTail = `
exit codes:
  0  allowed
  1  disallowed
  2  it could not be told: robots.txt can't be had, or the command line is wrong
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

// parseFlags reads the command line. The error is flag.ErrHelp, or says what is wrong.
func parseFlags(args []string, out io.Writer) (*options, error) {
	o := &options{}
	fs := flag.NewFlagSet("robotscheck", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // the caller prints errors
	fs.StringVar(&o.agent, "agent", "", "the crawler's product token, its `NAME` in robots.txt (default: that of -ua)")
	fs.StringVar(&o.userAgent, "ua", "", "the `USER-AGENT` to ask the site with; it holds the name and a page about the crawler (default \"NAME/1.0 (+"+botPage+")\")")
	fs.StringVar(&o.file, "file", "", "read this `FILE`, ask nobody")
	fs.Func("allow-addr", "let the address guard pass exactly `HOST:PORT`, an IP address and a port, such as a local server's; may be repeated", o.addLocal)
	fs.BoolVar(&o.json, "json", false, "write one JSON object")
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(out, usageHead)
		fs.SetOutput(out)
		fs.PrintDefaults()
		fmt.Fprint(out, usageTail)
		return nil, err
	case err != nil:
		return nil, err
	}
	if err := o.setAgent(); err != nil {
		return nil, err
	}
	return o, o.setAddress(fs.Args())
}

func (o *options) addLocal(s string) error {
	a, err := netip.ParseAddrPort(s)
	if err != nil {
		return errors.New("not an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080")
	}
	o.local = append(o.local, a)
	return nil
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
	u, err := url.Parse(o.address)
	switch {
	case err != nil:
		return fmt.Errorf("%q is not a web address", o.address)
	case u.Scheme != "http" && u.Scheme != "https":
		if !strings.Contains(o.address, "://") {
			return fmt.Errorf("%q is not a web address; do you mean https://%s ?", o.address, o.address)
		}
		return fmt.Errorf("%q is not a web address: it begins with neither http:// nor https://", o.address)
	case u.Hostname() == "":
		return fmt.Errorf("%q is not a web address: it names no host", o.address)
	case u.User != nil:
		return errors.New("the address holds a user name; none is ever sent")
	}
	o.url = u
	return nil
}
