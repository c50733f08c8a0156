package politefetch

import (
	"net/http"
	"time"

	"github.com/politefetch/sdk/robots"
)

// A Page is what came of asking for one address. It is plain data and the caller's to
// keep.
type Page struct {
	URL     string  // the address asked for, in canonical form
	Final   string  // the address that answered, after redirects; "" when none did
	Outcome Outcome // what the answer, or the lack of one, means
	// Opens is the earliest time at which the host that was asked last may be asked again:
	// by the bot's own pace after any answer, or later where the answer or a hold says so.
	// It is a lower bound; zero: nothing was sent.
	Opens time.Time

	Status    int         // of the last answer; 0: none
	Header    http.Header // of the last answer; when bodies are dropped only what tells its type, date and validators
	Body      []byte      // decoded; nil when dropped, not wanted or not there
	Truncated bool        // there was more than MaxBody, or the answer broke off
	// Hops are the redirects, in order. Where Final is "" without an error, they lead to an
	// address that the visit reads for itself.
	Hops []Hop

	Robots  robots.Verdict // what robots.txt says of the last address asked for; with RobotsAdvisory, of the first that it disallows
	Wall    Wall           // the bot wall that answered, if one did
	Relayed bool           // it came through Config.Relay, which follows redirects itself: there are no Hops
	Browser string         // whose header fields were sent in place of the bot's; "": none
	Tries   int            // times the address was asked for, a limited one in visits again; 0: nothing was sent
	Began   time.Time      // when the first request went out; zero: none did
	Ended   time.Time      // when the last answer was read, or it was clear that there would be none

	counted bool // this try is in Tries
	cookies bool // a redirect set some
	summary *Summary
}

// A Hop is one redirect.
type Hop struct {
	URL      string // that answered
	Status   int
	Location string // resolved
	At       time.Time
	Took     time.Duration // on the network: what it took off Config.Timeout. Zero: through the Relay
}
