package main

import (
	"time"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/ratepolicy"
)

// In quotes stand the sentences of the bot's public page, https://kiwirank.com/bot/; what
// follows each keeps it.

var calendar = politefetch.Cadence{
	// "Once when a site is set up in KiwiRank. Then once a week. If the site asks us to slow
	// down, up to two more visits that week, about 4 hours apart."
	Every: 7 * 24 * time.Hour, Extras: 2, ExtraAfter: 4 * time.Hour,
	// "When the site's owner presses Recheck: at most once every 6 hours per site. If a
	// Recheck could not finish, the owner can press it again 10 minutes after it ended."
	RecheckEvery: 6 * time.Hour, RecheckAgain: 10 * time.Minute,
}

func (a *app) config(s *site, observe func(politefetch.Event)) politefetch.Config {
	cfg := politefetch.Config{
		Product: "KiwiRankBot",
		// "Every request carries this user agent."
		UserAgent: "Mozilla/5.0 (compatible; KiwiRankBot/1.0; +https://kiwirank.com/bot/)",
		Policy: ratepolicy.Policy{
			// "It makes at most 2 requests at a time. When a server answers 429 or 503 it drops to
			// one request at a time and waits for Retry-After up to 30 seconds."
			Normal: ratepolicy.Pace{Concurrency: 2, Delay: -1, MaxWait: 30 * time.Second},
			// "For 14 days after a site has limited our request rate it visits that site gently:
			// one request at a time, at least 2 seconds apart, waiting up to 60 seconds."
			Gentle:    ratepolicy.Pace{Concurrency: 1, Delay: 2 * time.Second, MaxWait: 60 * time.Second},
			GentleFor: 14 * 24 * time.Hour,
		},
		// "… skips pages the server keeps refusing, and stops the visit when …"
		Tries: 2, MaxSkips: 5,
		// "KiwiRankBot only visits websites that were added to a KiwiRank account."
		Allow:     s.allow,
		Key:       politefetch.SiteKey, // one pace and one memory for all names of a site
		Store:     a.memory(),
		Guard:     politefetch.GuardOptions{Allow: a.local},
		Transport: a.direct,
		Observe:   observe,
	}
	if a.route != nil && !s.barred {
		// "If such a site keeps limiting our own servers that way, it is read through our
		// crawling provider's standard proxy network instead. On that route it makes at most 2
		// requests at a time without the 2-second spacing, waits for Retry-After up to 30
		// seconds, and may ask for a page up to 3 times when the answer redirects to another
		// host. A site that answers with a bot wall is never read this way."
		cfg.Relay, cfg.Asks = a.route, 3
		cfg.Policy.RelayAfter = 1
		cfg.Policy.Relay = ratepolicy.Pace{Concurrency: 2, Delay: -1, MaxWait: 30 * time.Second}
	}
	return cfg
}

func (s *site) options(requested time.Time) *politefetch.VisitOptions {
	return &politefetch.VisitOptions{
		// "It reads the home page and robots.txt, then obeys robots.txt for everything else it
		// reads, llms.txt and the site's sitemaps included."
		HomeFirst: true, LLMs: true,
		Hosts: s.hosts, HTMLOnly: true, DropBodies: true, Requested: requested,
	}
}
