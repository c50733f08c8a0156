package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/robots"
	"github.com/politefetch/sdk/sitemap"
)

const usageHead = `usage: sitemapls [flags] https://site.example/
       sitemapls [flags] https://site.example/sitemap.xml
       sitemapls [flags] -file FILE [ADDRESS]

Lists the addresses of a site's sitemaps, of one sitemap, or of a file. For a site it
reads the sitemaps that robots.txt names or else /sitemap.xml or /sitemap_index.xml.
Indexes are followed, politely. With -file, ADDRESS says where the file is from: relative
addresses in it are resolved against that.

`

const usageTail = `
exit codes:
  0    everything was read
  1    something could not be read, or not whole; what was read is printed all the same
  2    there is nothing to read, or the command line is wrong
  130  it was interrupted; what was read until then is printed
go run turns every code but 0 into 1: for exit codes, go build or go install the command.
`

const (
	name    = "sitemapls"
	botPage = "https://github.com/politefetch/sdk" // what a user agent names, unless -ua names another
)

// options are what the command line says.
type options struct {
	file     string   // "-": standard input; "": address is asked for
	address  *url.URL // nil: none was given, but a file
	noFollow bool
	llms     bool
	json     bool
	ext      bool
	since    time.Time // zero: no matter when
	max      int       // addresses; 0: no limit
	maxFiles int

	agent, userAgent string
	local            []netip.AddrPort // exact addresses that the guard lets through
}

// parseFlags reads the command line. The error is flag.ErrHelp, or says what is wrong.
func parseFlags(args []string, out io.Writer) (*options, error) {
	o := &options{maxFiles: sitemap.DefaultMaxFiles}
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard) // the caller prints errors
	fs.StringVar(&o.file, "file", "", "read this `FILE`; \"-\" is standard input. The sitemaps that an index names are asked for, unless -no-follow")
	fs.BoolVar(&o.noFollow, "no-follow", false, "list the sitemaps that an index names instead of reading them")
	fs.BoolVar(&o.llms, "llms", false, "print the links of /llms.txt, or of FILE, instead: title, address and section, with tabs between them")
	fs.BoolVar(&o.json, "json", false, "write one JSON object an address, with all that is said of it")
	fs.BoolVar(&o.ext, "ext", false, "also read alternates, images, videos and news, for -json")
	fs.Func("since", "leave out what has not changed since `DATE`, such as 2026, 2026-01, 2026-01-31 or 2026-01-31T12:00:00Z; what has no date stays", o.setSince)
	fs.Func("max", "stop after `N` addresses", positive(&o.max))
	fs.Func("max-files", "ask for at most `N` sitemaps (default "+strconv.Itoa(o.maxFiles)+")", positive(&o.maxFiles))
	fs.StringVar(&o.agent, "agent", "", "the product token, the `NAME` in robots.txt, to go by (default: that of -ua, or else "+name+")")
	fs.StringVar(&o.userAgent, "ua", "", "the `USER-AGENT` to ask with; it holds the name and a page about the crawler (default \"NAME/1.0 (+"+botPage+")\")")
	fs.Func("allow-addr", cli.AllowAddr, cli.AddrPorts(&o.local))
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		cli.Help(out, fs, usageHead, usageTail)
		return nil, err
	case err != nil:
		return nil, err
	case o.llms && (o.noFollow || o.ext || !o.since.IsZero()):
		return nil, errors.New("-no-follow, -ext and -since are for sitemaps, not for -llms")
	}
	if err := o.setAgent(); err != nil {
		return nil, err
	}
	return o, o.setAddress(fs.Args())
}

func (o *options) setSince(s string) error {
	for _, form := range []string{"2006", "2006-01", time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(form, s); err == nil {
			o.since = t
			return nil
		}
	}
	return errors.New("not a date, such as 2026-01-31")
}

func positive(to *int) func(string) error {
	return func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return errors.New("not a number from 1")
		}
		*to = n
		return nil
	}
}

// setAgent fills in whichever of the name and the user agent was not given.
func (o *options) setAgent() error {
	if o.agent == "" {
		o.agent = name
		if o.userAgent != "" {
			o.agent = robots.TokenOf(o.userAgent)
		}
	}
	if err := robots.CheckToken(o.agent); err != nil {
		return fmt.Errorf("-agent %q: %w", o.agent, err)
	}
	if o.userAgent == "" {
		o.userAgent = o.agent + "/1.0 (+" + botPage + ")"
	}
	return nil
}

// setAddress takes the address to ask, or the one that a file is from.
func (o *options) setAddress(args []string) error {
	switch {
	case len(args) == 0 && o.file != "":
		return nil
	case len(args) == 0:
		return errors.New("which site? Give its address, or a file with -file")
	case len(args) > 1:
		return fmt.Errorf("one address, please; flags go before it (there is also %q)", args[1])
	}
	u, err := cli.WebAddress(args[0])
	if err != nil {
		return err
	}
	o.address = u
	return nil
}

// wholeSite reports whether the address is a site's, not that of one file.
func (o *options) wholeSite() bool {
	return (o.address.Path == "" || o.address.Path == "/") && o.address.RawQuery == ""
}
