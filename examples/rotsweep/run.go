package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/examples/internal/timeline"
	"github.com/politefetch/sdk/politefetch"
)

// Exit codes.
const (
	exitNothing     = 0
	exitFailed      = 1
	exitUsage       = 2
	exitFound       = 3
	exitInterrupted = 130
)

// run is the whole command. A nil transport is the library's own, which connects to
// public addresses only.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, transport http.RoundTripper) int {
	o, err := parseFlags(args, stdout)
	c := &command{options: o, stdout: stdout, stderr: stderr, cfg: config(), plan: plan()}
	c.cfg.Transport = transport
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitNothing
	case err != nil:
		return c.fail(exitUsage, fmt.Errorf("%w\nrun rotsweep -h for help", err))
	case o.demo:
		return demo(ctx, c, fullDemo)
	case o.page.Form != "":
		if err := o.page.Write(stdout, c.botPage()); err != nil {
			return c.fail(exitFailed, err)
		}
		return exitNothing
	}
	return c.run(ctx, stdin)
}

// A command is one run of rotsweep.
type command struct {
	*options
	cfg  politefetch.Config
	plan politefetch.Retry

	stdout, stderr io.Writer
	events         timeline.Log // if there is to be a page of them
	mu             sync.Mutex   // guards stderr and what follows
	count          tally
	lost           bool // the state could not be read or written
	screen         progress
	swept          []*link
	started        func(*sweeper) // for tests
	brief          bool           // the report alone, without the table
}

// fail says why nothing more is done.
func (c *command) fail(code int, err error) int {
	c.say("rotsweep: %s", plain(err))
	return code
}

// plain is an error's text without the package that it comes from, and with its address
// once.
func plain(err error) string {
	if e, ok := errors.AsType[*politefetch.Error](err); ok && strings.HasPrefix(err.Error(), "politefetch: ") {
		return e.URL + ": " + reason(e)
	}
	return err.Error()
}

// say writes a line to standard error, from any goroutine.
func (c *command) say(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.screen != nil {
		c.screen.clear()
	}
	for line := range strings.SplitSeq(fmt.Sprintf(format, args...), "\n") {
		fmt.Fprintln(c.stderr, cli.Printable(line))
	}
}

func (c *command) run(ctx context.Context, stdin io.Reader) int {
	if len(c.stops) > 0 {
		if err := c.state.stop(c.stops); err != nil {
			return c.fail(exitFailed, err)
		}
		for _, domain := range c.stops {
			c.say("%s is stopped: nothing is sent to it and its subdomains any more (%s)", domain, c.state.stopped())
		}
		if c.file == "" && c.kind == "" && !c.watch {
			return exitNothing
		}
	}
	return c.once(ctx, stdin)
}

// once makes the bot, reads the list and sweeps it, or watches.
func (c *command) once(ctx context.Context, stdin io.Reader) int {
	bot, err := c.crawler()
	if err != nil {
		return c.fail(exitUsage, err)
	}
	if err := c.state.allow(ctx, new(url.URL)); err != nil {
		return c.fail(exitFailed, err) // else each link would say so
	}
	links, code := c.list(ctx, bot, stdin)
	if links == nil {
		return code
	}
	if err := c.recall(links); err != nil {
		return c.fail(exitFailed, err)
	}
	c.swept = links
	return c.sweep(ctx, bot, links)
}

// crawler makes the bot.
func (c *command) crawler() (*politefetch.Crawler, error) { return politefetch.New(c.settings()) }

// settings are the bot's, with what the command line adds.
func (c *command) settings() politefetch.Config {
	c.cfg.Guard.Allow = c.local
	c.cfg.Allow = c.state.allow
	c.cfg.Observe = c.observe
	if c.state != "" {
		c.cfg.Store = c.state.hosts() // what domains asked for outlives the run, and other runs know it
	}
	return c.cfg
}

// list returns the links to watch; nil and an exit code if there are none.
func (c *command) list(ctx context.Context, bot *politefetch.Crawler, stdin io.Reader) ([]*link, int) {
	if c.kind == "" {
		links, err := c.links(stdin)
		if err != nil {
			return nil, c.fail(exitUsage, err)
		}
		if c.file == "" {
			return links, 0
		}
		return c.kept(links)
	}
	c.say("looking for links on %s: robots.txt first", c.from)
	f := &finder{bot: bot, note: c.say}
	err := f.find(ctx, c.kind, c.from)
	switch {
	case ctx.Err() != nil:
		return nil, c.fail(exitInterrupted, context.Cause(ctx))
	case err != nil:
		c.fail(exitFailed, err)
		if hint := cli.GuardHint(err, c.local); hint != "" {
			c.say("%s", hint)
		}
		return nil, exitFailed
	case len(f.links) == 0:
		return nil, c.fail(exitNothing, fmt.Errorf("no link on %s leads off its domain", cli.Plural(f.pages, "page", "pages")))
	}
	c.say("%s on %s", cli.Plural(len(f.links), "link", "links"), cli.Plural(f.pages, "page", "pages"))
	return c.kept(f.links)
}

func (c *command) kept(links []*link) ([]*link, int) {
	if err := c.state.saveList(links); err != nil {
		return nil, c.fail(exitFailed, err)
	}
	return links, 0
}

// recall reads what is known of the links.
func (c *command) recall(links []*link) error {
	for _, l := range links {
		switch err := c.state.load(l.URL, &l.record); {
		case errors.Is(err, errDamaged):
			c.say("%v", err)
		case err != nil:
			return err
		}
	}
	return nil
}

// sweep asks for the links and shows what comes of it.
func (c *command) sweep(ctx context.Context, bot *politefetch.Crawler, links []*link) int {
	c.count.links(links)
	c.say("%s", c.count.intro(c.watch, c.every))
	c.screen = newProgress(c.stderr, c.verbose)
	s := &sweeper{
		bot: bot, state: c.state, watch: c.watch,
		rules: rules{plan: c.plan, every: c.every, drift: c.drift, accept: c.accept},
		other: func(l *link) {
			c.say("rotsweep: another run on %s is checking %s: what it finds is waited for", c.state, l.URL)
		},
		wrong: func(err error) { c.say("rotsweep: %s; it is tried again", plain(err)) },
		lost: func(err error) {
			c.say("rotsweep: %v", err)
			c.mu.Lock()
			defer c.mu.Unlock()
			c.lost = true
		},
	}
	out := &output{w: c.stdout, json: c.json, watch: c.watch, brief: c.brief, clear: c.clear}
	s.told = func(l *link) {
		c.told(l)
		out.link(l)
	}
	s.show = func() { c.show(s) }
	began := time.Now()
	if c.started != nil {
		c.started(s)
	}
	s.start(links)
	s.run(ctx)
	c.clear()

	sum := c.summary(links, began, ctx.Err() != nil)
	out.end(links, sum)
	if c.report != "" {
		if err := c.htmlReport(links, sum).WriteFile(c.report); err != nil {
			out.err = errors.Join(out.err, err)
		}
	}
	switch {
	case s.err != nil:
		return c.fail(exitFailed, s.err)
	case out.err != nil:
		return c.fail(exitFailed, fmt.Errorf("writing the output: %w", out.err))
	case c.lost:
		return c.fail(exitFailed, errors.New("what was found could not all be remembered"))
	}
	return sum.code(c.watch)
}
