package main

import (
	"time"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/ratepolicy"
)

// config is the bot. In quotes stand the sentences of its public page,
// https://rotsweep.com/agent; what follows each keeps it.
func config() politefetch.Config {
	return politefetch.Config{
		// "Add a group for RotSweep to your robots.txt … it replaces the * group entirely."
		Product: "RotSweep",
		// "By default every request we make carries this User-Agent."
		UserAgent: "Mozilla/5.0 (compatible; RotSweep/1.0; +https://rotsweep.com/agent)",
		// "Paced per domain."
		Key: politefetch.SiteKey,
		// "Roughly one request per second per domain by default, with a burst of two."
		Policy: ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: time.Second, Burst: 2, Concurrency: 2}},
		// "Redirects are followed to the end, up to ten hops, and we stop on a loop."
		MaxHops: 10,
		// "A check times out after fifteen seconds …
		Timeout: 15 * time.Second,
		// … and stops reading after a few megabytes."
		MaxBody: 4 << 20,
	}
}

// plan is what a check that came to nothing is worth.
func plan() politefetch.Retry {
	return politefetch.Retry{
		// "Timeouts and 5xx are retried once, about ten minutes later, before anything is reported."
		Failed: 10 * time.Minute,
		// "403 and 401 are read as 'we were refused' … We back off and try again later."
		Refused: 6 * time.Hour,
	}
}

// monitoring is how a link that somebody designated is checked.
func monitoring(l *link) *politefetch.FetchOptions {
	return &politefetch.FetchOptions{
		// "Here robots.txt is advisory: we record the disallow against the result, and we still
		// perform the check."
		RobotsAdvisory: true,
		// "A customer may opt a specific URL into a browser-like fetch."
		Browser:  l.browser,
		DropBody: true,        // a fingerprint is all that is kept
		Earlier:  l.earlier(), // a page that did not change need not be sent again
		Hops:     l.Chain,     // a chain that had to wait goes on where it was
		MaxWait:  -1,          // "Checks queued for the same domain wait their turn": in the sweep's queue
	}
}

// scanning is how a page is read that somebody wants looked through for links.
func scanning() *politefetch.FetchOptions {
	// "Scanning fully respects robots.txt. A disallow means we do not fetch the page."
	return &politefetch.FetchOptions{DropBody: true}
}
