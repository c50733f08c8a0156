package main

import (
	"net/http"
	"time"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/ratepolicy"
)

// pageCeiling is the most pages that one run reads.
const pageCeiling = 500

// "A site is checked once a week, and a run started by hand is limited on top of that."
var calendar = politefetch.Cadence{Every: 7 * 24 * time.Hour, RecheckEvery: 24 * time.Hour, RecheckAgain: 24 * time.Hour}

// config is the bot. In quotes stand the sentences of its public page,
// https://metrimato.com/scanner, in English; what follows each keeps it.
func (j *job) config(transport http.RoundTripper, observe func(politefetch.Event)) politefetch.Config {
	cfg := politefetch.Config{
		// "The group in robots.txt that names Metrimato-Scanner is enough to turn it away."
		Product: "Metrimato-Scanner",
		// "The address in its name leads here, so the bot is known by its log line alone."
		UserAgent: "Metrimato-Scanner/1.0 (+https://metrimato.com/scanner)",
		// "One run fetches at most 500 pages …
		MaxPages: pageCeiling,
		Policy: ratepolicy.Policy{Normal: ratepolicy.Pace{
			// … and waits 0.3 seconds between requests, or longer if robots.txt asks for it."
			Delay: 300 * time.Millisecond,
			// "One request at a time for each site. The pace is capped, not negotiable."
			Concurrency: 1,
		}},
		// "An answer of more than two megabytes is cut."
		MaxBody: 2_000_000,
		// "Every domain is resolved and checked before it is contacted, and again at every
		// redirect. One that leads to a private or link-local address is not fetched."
		Guard:     politefetch.GuardOptions{Allow: j.local},
		Transport: transport,
		Observe:   observe,
	}
	if j.state != "" {
		cfg.Store = ratepolicy.Dir(j.state) // who asked for a slower pace is known for 14 days
	}
	if j.code != "" {
		// "Ownership is proved by the tracking code on that very domain."
		cfg.Admit = proof(j.code)
	}
	return cfg
}

// visit prepares the run.
func (j *job) visit(cfg politefetch.Config) (*politefetch.Visit, error) {
	bot, err := politefetch.New(cfg)
	if err != nil {
		return nil, err
	}
	return bot.Visit(j.start, j.visitOptions())
}

// visitOptions are those of the run.
func (j *job) visitOptions() *politefetch.VisitOptions {
	return &politefetch.VisitOptions{
		Hosts:      j.hosts,    // "Only to the site's own domains."
		HTMLOnly:   true,       // "Images, videos, style sheets and scripts are not asked for at all."
		DropBodies: true,       // "Markup becomes lengths, counts and addresses; the body is thrown away."
		MaxPages:   j.maxPages, // lower than the ceiling, never higher
		Requested:  j.requested(),
	}
}
