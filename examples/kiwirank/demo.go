package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
)

const demoIntro = `The life of one site, %s: set-up, a limit, the extra visits, gentle mode, the
provider's route, bot walls. The site and the provider are bundled, no network is asked.
The bot is the real one, with its real policy and calendar. Time is compressed: within a
visit it is the machine's (2 s between gentle requests are 2 s); between visits the clock
is put forward.`

// A demo is one telling of the story. Its first error ends it.
type demo struct {
	*app
	ctx         context.Context //nolint:containedctx // it lives as long as one call of playDemo
	direct, far *fetchtest.Site
	relay       *fetchtest.Relay
	broken      []error // promises
	err         error
}

// playDemo tells the story and holds both logs against the bot's page.
func (a *app) playDemo(ctx context.Context) int {
	dir, err := os.MkdirTemp("", "kiwirank-demo-")
	if err != nil {
		return a.code(err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	d := &demo{app: a, ctx: ctx, direct: new(fetchtest.Site), far: new(fetchtest.Site)}
	scriptDemo(d.direct)
	scriptDemo(d.far)
	d.relay = d.far.Relay()
	d.relay.Key = demoKey
	a.state, a.sites, a.json = dir, []string{demoStart}, false
	d.equip()
	a.say(demoIntro, demoStart)
	d.story()
	switch {
	case ctx.Err() != nil:
		return exitInterrupted
	case d.err != nil:
		return a.code(d.err)
	}
	return d.verdict()
}

// equip gives the command the demo's network, store and key.
func (d *demo) equip() {
	a := d.app
	a.direct, a.provider, a.key = d.direct, d.relay, demoKey
	a.store = &demoStore{clock: &a.clock, recs: make(map[string]demoRecord)}
	d.err = a.setRoute()
}

// story is told in order.
func (d *demo) story() {
	d.tell("A shop is added to an account. It is set up.")
	d.come("visit", politefetch.Done)
	d.tell("Too keen: the next visit is not due.")
	d.refused("visit")

	d.wait("A week later. This time the shop's server is busy, and says so. The bot waits as it is asked, and goes one at a time, 2 s apart, from then on.", d.until())
	d.direct.Set("/floor-lamps", fetchtest.Status(http.StatusTooManyRequests).RetryAfter(time.Second).After(20*time.Millisecond), fetchtest.HTML("<p>Floor lamps."))
	d.come("visit", politefetch.Done)
	d.look()

	d.wait("Four hours later: the first extra visit. All of it is gentle, which takes a while; and the server limits it again.", d.until())
	d.direct.Set("/shades", fetchtest.Status(http.StatusServiceUnavailable).RetryAfter(time.Second), fetchtest.HTML("<p>Shades."))
	d.come("visit", politefetch.Done)
	d.look()

	d.wait("Four hours later: the second extra visit, through the provider.", d.until())
	d.come("visit", politefetch.Done)
	d.seen()

	d.wait("The owner presses Recheck. The provider meets a bot wall: that ends the visit.", d.clock.now().Add(time.Hour))
	d.far.Set("/about", demoWall().After(30*time.Millisecond))
	d.come("recheck", politefetch.Walled)
	d.tell("And presses it again.")
	d.refused("recheck")
	d.far.Set("/about", fetchtest.HTML("<p>About."))

	d.wait("The next weekly visit goes through the provider too.", d.until())
	d.come("visit", politefetch.Done)
	d.wait("Two weeks after its last limit the site is asked directly again, as usual. But now there is a bot wall before it.", d.until().Add(12*time.Hour))
	d.direct.Set("/", demoWall())
	d.come("visit", politefetch.Walled)
	d.look()
}

// until is when the next visit is due.
func (d *demo) until() time.Time {
	s, err := d.open(d.ctx, demoStart)
	if err != nil {
		d.err = errors.Join(d.err, err)
		return d.clock.now()
	}
	return d.next(s.past).At
}

// wait puts the clock forward.
func (d *demo) wait(text string, until time.Time) {
	if w := until.Sub(d.clock.now()); w > 0 {
		d.clock.ahead += w
	}
	d.tell(text)
}

// say writes a paragraph.
func (a *app) say(format string, args ...any) {
	fmt.Fprintln(a.stdout, wrap(fmt.Sprintf(format, args...), 0, a.width()))
}

func (d *demo) tell(text string) {
	if d.err == nil && d.ctx.Err() == nil {
		fmt.Fprintf(d.stdout, "\n--- %s\n", d.clock.now().Format("Monday 2 January, 15:04"))
		d.say("%s", text)
		fmt.Fprintln(d.stdout)
	}
}

// come makes a visit and holds what the site saw of it against the bot's page.
func (d *demo) come(command string, want politefetch.Outcome) {
	if d.err != nil || d.ctx.Err() != nil {
		return
	}
	d.command = command
	fmt.Fprintf(d.stdout, "$ kiwirank %s %s\n", command, demoStart)
	direct, relayed := len(d.direct.Log()), len(d.relay.Asked())
	rec, err := d.visit(d.ctx, demoStart)
	if err != nil {
		d.err = err
		return
	}
	if rec.Outcome != want {
		d.broken = append(d.broken, fmt.Errorf("the visit's outcome is %q, not %q", rec.Outcome, want))
	}
	p := promise
	if rec.Gentle {
		p.Concurrency, p.Delay = 1, 2*time.Second
	}
	d.broken = append(d.broken, fetchtest.Audit(d.direct.Log()[direct:], p), fetchtest.Audit(d.relay.Asked()[relayed:], promise))
}

// refused asks for a visit that would come too soon.
func (d *demo) refused(command string) {
	if d.err != nil || d.ctx.Err() != nil {
		return
	}
	d.command = command
	fmt.Fprintf(d.stdout, "$ kiwirank %s %s\n", command, demoStart)
	_, err := d.visit(d.ctx, demoStart)
	if soon, ok := errors.AsType[*tooSoonError](err); ok {
		d.say("%s", soon)
		return
	}
	d.err = fmt.Errorf("the visit was not refused: %w", err)
}

// seen shows what the site saw of a visit through the provider.
func (d *demo) seen() {
	if log := d.relay.Log(); d.err == nil && len(log) > 0 {
		x := &log[len(log)-1]
		fmt.Fprintln(d.stdout)
		d.say("The provider was asked with country_code=%s, premium_proxy=%s, stealth_proxy=%s, render_js=%s; the site saw the user agent %s.",
			x.Params.Get("country_code"), x.Params.Get("premium_proxy"), x.Params.Get("stealth_proxy"), x.Params.Get("render_js"), x.Header.Get("User-Agent"))
	}
}

// look shows the status.
func (d *demo) look() {
	if d.err != nil || d.ctx.Err() != nil {
		return
	}
	fmt.Fprintf(d.stdout, "\n$ kiwirank status %s\n", demoStart)
	s, err := d.open(d.ctx, demoStart)
	if err == nil {
		err = d.explain(d.ctx, s)
	}
	d.err = err
}

// promise is the bot's page as fetchtest.Audit takes it. Clocks that run on a busy machine
// are forgiven 10 ms.
var promise = fetchtest.Promise{
	Product: "KiwiRankBot", UserAgent: "Mozilla/5.0 (compatible; KiwiRankBot/1.0; +https://kiwirank.com/bot/)", Anonymous: true,
	Exempt: []string{"/"}, Concurrency: 2, MaxWait: 30 * time.Second, OneSite: true, Tolerance: 10 * time.Millisecond,
}

// verdict says whether the logs keep the promise.
func (d *demo) verdict() int {
	direct, relayed := d.direct.Log(), d.relay.Asked()
	fmt.Fprintln(d.stdout)
	d.say("The site's own log: %s directly, %s through the provider, for %s.",
		cli.Plural(len(direct), "request", "requests"), cli.Plural(len(relayed), "request", "requests"), cli.Plural(d.relay.Used(), "credit", "credits"))
	if err := errors.Join(d.broken...); err != nil {
		fmt.Fprintf(d.stdout, "Promises that were BROKEN:\n%v\n", err)
		return exitNotDone
	}
	d.say("Every promise was kept: the user agent on each request, on both routes; robots.txt first and " +
		"obeyed; at most 2 requests at a time, and gentle visits one at a time, 2 s apart; no request " +
		"in a wait that was asked for.")
	return exitDone
}
