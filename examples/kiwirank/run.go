package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/examples/internal/timeline"
	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/proxy"
	"github.com/politefetch/sdk/ratepolicy"
)

// Exit codes.
const (
	exitDone        = 0
	exitNotDone     = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// app is one run of the command.
type app struct {
	options
	stdout, stderr   io.Writer
	key              string             // of the provider; "": there is no such route
	direct, provider http.RoundTripper  // nil: the network
	store            ratepolicy.Store   // nil: the folder -state
	route            *proxy.ScrapingBee // nil: none
	clock            clock
	page             timeline.Run // what -report writes, so far
	events           timeline.Log
}

// A clock may be ahead of the machine's: the demo's is put forward between visits.
type clock struct{ ahead time.Duration }

func (c *clock) now() time.Time { return time.Now().Add(c.ahead) }

// of is the library's word for an instant by this clock.
func (c *clock) of(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(c.ahead)
}

// run is the whole command.
func (a *app) run(ctx context.Context, args []string) int {
	err := a.parse(args, a.stdout)
	if err == nil && !a.demo {
		err = a.setRoute()
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitDone
	case err != nil:
		fmt.Fprintf(a.stderr, "kiwirank: %s\nrun kiwirank -h for help\n", cli.Printable(err.Error()))
		return exitUsage
	case a.demo:
		return a.playDemo(ctx)
	case a.botPage.Form != "":
		if a.route == nil {
			fmt.Fprintf(a.stderr, "kiwirank: %s, so the page does not speak of it\n", noRoute)
		}
		return a.code(a.botPage.Write(a.stdout, a.publicPage()))
	}
	switch a.command {
	case "visit", "recheck":
		return a.visits(ctx)
	case "status":
		return a.statuses(ctx)
	default:
		return a.dues(ctx)
	}
}

// memory is what the limiter remembers in.
func (a *app) memory() ratepolicy.Store {
	if a.store != nil {
		return a.store
	}
	return ratepolicy.Dir(a.state)
}

// code is the exit code of an error, which it tells.
func (a *app) code(err error) int {
	if err == nil {
		return exitDone
	}
	fmt.Fprintf(a.stderr, "kiwirank: %s\n", cli.Printable(err.Error()))
	if hint := cli.GuardHint(err, a.local); hint != "" {
		fmt.Fprintln(a.stderr, hint)
	}
	return exitNotDone
}

// put writes a result: as JSON, or as text.
func (a *app) put(object any, text string) error {
	if a.json {
		return json.NewEncoder(a.stdout).Encode(object)
	}
	_, err := io.WriteString(a.stdout, text)
	return err
}

// publicPage is the bot's public page, from the very values of this run.
func (a *app) publicPage() *politefetch.BotPage {
	s := &site{}
	return &politefetch.BotPage{
		Config: a.config(s, nil), Visit: s.options(time.Time{}), Cadence: &calendar,
		About: about[a.botPage.Lang], Contact: "support@kiwirank.com", Lang: a.botPage.Lang,
	}
}

// about is what the bot's public page begins with.
var about = map[string]string{
	"en": "KiwiRankBot only visits websites that were added to a KiwiRank account. It does not crawl the web at large.",
	"fi": "KiwiRankBot käy vain sivustoilla, jotka on lisätty KiwiRank-tilille. Se ei haravoi verkkoa laajemmin.",
}
