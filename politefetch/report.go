package politefetch

import (
	"time"

	"github.com/politefetch/sdk/robots"
)

// A Report sums a visit up. It is plain data.
type Report struct {
	Site      string    // the start's scheme, host and port
	Requested time.Time // when the recheck was asked for; zero: a scheduled visit
	Began     time.Time // zero: Pages was not ranged over
	Ended     time.Time // zero: not yet
	Outcome   Outcome   // "" while it runs, or when something of the bot's own ended it: loop, context, pace or store
	Why       string    // in words: what ended the visit

	Robots  robots.Verdict // what robots.txt says of the start
	Opens   time.Time      // when the site may be asked again, if it asked for a wait; a lower bound
	Limited bool           // the site asked for fewer requests
	Gentle  bool           // the visit was gentle from its start: the site had asked for that before

	Relayed bool // it went through Config.Relay

	Sitemap  string            // in words: where addresses came from
	Links    bool              // links were followed, there being no sitemap
	Admitted map[string]string // what Admit said of each host that was verified

	Pages      int // answered
	Skipped    int // given up after Tries, each answered 429 or 503
	Disallowed int // by robots.txt
	Barred     int // not asked for: off the site, or refused by the guard, Allow or Admit
	Failed     int // every other error
	Left       int // known and not asked for

	Received int64 // sum of [Event].Received: bytes of content, those of robots.txt and sitemaps included
}
