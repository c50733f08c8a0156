package politefetch

import (
	"embed"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/politefetch/sdk/proxy"
	"github.com/politefetch/sdk/ratepolicy"
	"github.com/politefetch/sdk/robots"
)

//go:embed botpage/*.tmpl
var botPageFiles embed.FS

// botFacts are what the sentences of a bot's page may tell: the values of a Crawler that
// was made for it, and of the plans as they answer, so that no default is written down twice.
type botFacts struct {
	Product, From string

	Visit                 bool // it visits sites
	HomeFirst, LLMs       bool
	FollowLinks, HTMLOnly bool
	DropBodies, Admit     bool
	Checks                bool // it asks for single addresses
	Monitor, Advisory     bool // somebody designated those
	DropBody, Allow       bool
	Head                  bool // nothing says that it is GET alone
	Browsers              []string
	RobotsFresh           time.Duration // a copy is used at most
	RobotsLast            time.Duration // and while the file can't be had
	Normal, Gentle, Relay paceFacts
	GentleFor, Backoff    time.Duration
	GoesAlone             bool          // each process, while the Store fails
	Alone                 time.Duration // between two requests of one process then
	Forgets               bool          // with the process
	Unit                  string        // what has one pace: "host", "domain" or "group"
	MaxPages, MaxHops     int
	MaxBody               int64
	Timeout, RelayTime    time.Duration // RelayTime 0: no relay
	Tries, Asks, MaxSkips int
	RelayAfter            int // 0: never
	Provider, Country     string
	Cadence               *Cadence
	Retry                 *Retry
	Refusals              []string // the statuses that are read so
	Guarded, AnyPort      bool
	SkipBlocked, Own      bool
	Denied, Excepted      []string
}

// paceFacts are a pace, and how many requests it really has in flight.
type paceFacts struct {
	ratepolicy.Pace
	AtOnce int
}

func factsOfPace(p ratepolicy.Pace) paceFacts {
	p.Delay, p.MaxWait = max(p.Delay, 0), max(p.MaxWait, 0)
	f := paceFacts{p, p.Concurrency}
	if p.Delay > 0 {
		f.AtOnce = min(p.Concurrency, p.Burst)
	}
	return f
}

// facts reads the values off a Crawler that is made of the page's Config.
func (b *BotPage) facts() (*botFacts, error) {
	c, err := newCrawler(b.Config) // the page needs no key
	if err != nil {
		return nil, wrongPage("Config", err)
	}
	cfg, policy := &c.cfg, c.lim.Policy()
	f := &botFacts{
		Product: cfg.Product, From: cfg.From, Allow: cfg.Allow != nil, Admit: cfg.Admit != nil,
		Checks: b.Monitor != nil || b.Visit == nil, Head: b.Monitor == nil && b.Visit == nil,
		RobotsFresh: c.robotsFresh(), RobotsLast: robotsLast,
		Normal: factsOfPace(policy.Normal), Gentle: factsOfPace(policy.Gentle), Relay: factsOfPace(policy.Relay),
		GentleFor: max(policy.GentleFor, 0), Backoff: max(policy.Backoff, 0), RelayAfter: policy.RelayAfter,
		Forgets: cfg.Store == nil, Unit: unitOf(cfg.Key),
		MaxPages: cfg.MaxPages, MaxHops: cfg.MaxHops, MaxBody: cfg.MaxBody, Timeout: cfg.Timeout,
		Tries: cfg.Tries, Asks: cfg.Asks, MaxSkips: cfg.MaxSkips, Refusals: refusals(),
		Guarded: b.Config.Transport == nil, AnyPort: cfg.Guard.AnyPort, SkipBlocked: cfg.Guard.SkipBlocked, Own: cfg.Guard.Own,
		Denied: texts(cfg.Guard.Deny), Excepted: texts(cfg.Guard.Allow),
	}
	if policy.FailLocal > 0 && cfg.Store != nil {
		f.GoesAlone = true
		f.Alone = time.Duration(float64(max(policy.Normal.Delay, policy.Gentle.Delay)) / policy.FailLocal)
	}
	if cfg.Relay != nil && b.Visit != nil {
		f.RelayTime = relayTimeout
	}
	if bee, ok := cfg.Relay.(*proxy.ScrapingBee); ok {
		f.Provider, f.Country = "ScrapingBee", strings.ToUpper(bee.Country)
	}
	if b.Visit != nil {
		if err := f.visit(c, b.Visit); err != nil {
			return nil, err
		}
	}
	if m := b.Monitor; m != nil {
		f.Monitor, f.Advisory, f.DropBody = true, m.RobotsAdvisory, m.DropBody
	}
	if b.Browser || f.Monitor && b.Monitor.Browser != "" {
		for _, name := range slices.Sorted(maps.Keys(browsers)) {
			f.Browsers = append(f.Browsers, strings.ToUpper(name[:1])+name[1:])
		}
	}
	if b.Cadence != nil {
		filled := b.Cadence.filled()
		f.Cadence = &filled
	}
	if b.Retry != nil {
		f.Retry = retryFacts(*b.Retry)
	}
	return f, nil
}

// visit reads the options off a visit that is prepared with them.
func (f *botFacts) visit(c *Crawler, opts *VisitOptions) error {
	options := *opts
	options.Hosts = nil // the page is about every site
	v, err := c.Visit("https://www.example.com/", &options)
	if err != nil {
		return wrongPage("Visit", err)
	}
	f.Visit, f.MaxPages = true, v.opts.MaxPages
	f.HomeFirst, f.LLMs, f.FollowLinks = v.opts.HomeFirst, v.opts.LLMs, v.opts.FollowLinks
	f.HTMLOnly, f.DropBodies = v.opts.HTMLOnly, v.opts.DropBodies
	return nil
}

// robotsFresh is how long a copy of a robots.txt without a Crawl-delay may be used.
func (c *Crawler) robotsFresh() time.Duration {
	none := &robotsCopy{group: robots.Parse(nil).Group(c.cfg.Product)}
	return max(robotsFresh, c.errand().leastFresh(none))
}

// unitOf names what a Key puts under one pace, by what it makes of addresses where the two
// well-known ones differ.
func unitOf(key func(*url.URL) string) string {
	unit := ""
	for _, raw := range []string{"https://www.example.com/a", "http://a.b.example.co.uk:8080/", "https://example.org/"} {
		u, err := url.Parse(raw)
		if err != nil {
			return "group"
		}
		got, host, domain := key(u), ratepolicy.HostKey(u), SiteKey(u)
		is := "group"
		switch {
		case host == domain && got == host:
			continue
		case got == host:
			is = "host"
		case got == domain:
			is = "domain"
		}
		if unit != "" && unit != is {
			return "group"
		}
		unit = is
	}
	return unit
}

// refusals are the statuses that HTTP knows and that are read as a refusal.
func refusals() []string {
	var out []string
	for status := http.StatusBadRequest; status < 600; status++ {
		if outcomeOf(ratepolicy.Answer{Status: status}) == Refused {
			out = append(out, fmt.Sprint(status))
		}
	}
	return out
}

// retryFacts asks a plan what it does with a failure and with a refusal; 0: nothing.
func retryFacts(r Retry) *Retry {
	after := func(o Outcome) time.Duration {
		ended := time.Unix(0, 0)
		if at, again := r.Next(&Page{Outcome: o, Ended: ended}, nil, 1); again {
			return at.Sub(ended)
		}
		return 0
	}
	return &Retry{Failed: after(Failed), Refused: after(Refused)}
}

func texts[T fmt.Stringer](list []T) []string {
	var out []string
	for _, x := range list {
		out = append(out, x.String())
	}
	return out
}
