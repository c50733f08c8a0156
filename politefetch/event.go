package politefetch

import (
	"context"
	"log/slog"
	"time"

	"github.com/politefetch/sdk/robots"
)

// An Event is one decision, or one thing learned, on the way of a request. It is plain
// data; which fields are set depends on the Kind.
type Event struct {
	Kind    EventKind
	At      time.Time      // Answer: when the answer had been read
	URL     string         // the address it is about
	Key     string         // the host key that was waited for, held or released
	Held    bool           // Wait: the host asked for it; false: the bot's own pace, or a Crawl-delay
	Until   time.Time      // Wait: the turn's lower bound; Limit: end of the hold
	Status  int            // Answer, Limit, Wall
	Robots  robots.Verdict // Forbid
	Outcome Outcome        // Bar, Forbid, Skip, End
	Relayed bool           // Send, Answer, Limit, Wall: through Config.Relay
	Gentle  bool           // Send, Answer, Limit, Wall: at the gentle pace
	Took    time.Duration  // Answer: time on the network
	// Received is, of an Answer, how many bytes of its content (RFC 9110 section 6.4) were
	// read: as they were sent, before a content coding such as gzip was undone. The head, what
	// HTTP and TLS add on the way, and what was sent but not read any more are not in it. Of
	// one through the Relay it is what the Relay hands over; a [proxy.ScrapingBee] has
	// undone the content coding by then.
	Received int64
	Why      string // in words: which rule, header or state decided
}

// EventKind says what an Event is about.
type EventKind string

// The kinds of Events, in the order of a request's way.
const (
	EventBar      EventKind = "bar"      // the address guard, the visit's hosts, Allow or Admit refused the address
	EventRobots   EventKind = "robots"   // a robots.txt was read, or could not be
	EventForbid   EventKind = "forbid"   // robots.txt disallows the address; no Outcome: it is asked for all the same, being exempt
	EventAdmit    EventKind = "admit"    // Admit said yes to a host; Why says how it was verified
	EventWait     EventKind = "wait"     // the host's turn is not now, be it waited for or told to the caller
	EventStore    EventKind = "store"    // the bot's own Store failed, and this process goes on alone (Policy.FailLocal)
	EventSend     EventKind = "send"     // a request goes out
	EventAnswer   EventKind = "answer"   // an answer was read, or the request failed
	EventRedirect EventKind = "redirect" // the answer leads elsewhere
	EventLimit    EventKind = "limit"    // the host asked for fewer requests
	EventWall     EventKind = "wall"     // a bot wall answered
	EventSitemap  EventKind = "sitemap"  // a sitemap was read, or could not be
	EventSkip     EventKind = "skip"     // a visit gave a page up
	EventEnd      EventKind = "end"      // a visit ended
)

// observe hands an event to the bot's observer and logger.
func (c *Crawler) observe(ctx context.Context, e Event) {
	if e.At.IsZero() {
		e.At = time.Now()
	}
	e.Why = clip(e.Why)
	if c.cfg.Observe != nil {
		c.cfg.Observe(e)
	}
	if !c.cfg.Logger.Enabled(ctx, slog.LevelInfo) {
		return
	}
	attrs := make([]slog.Attr, 0, 8)
	add := func(key, value string) {
		if value != "" {
			attrs = append(attrs, slog.String(key, value))
		}
	}
	add("url", clip(e.URL))
	add("key", e.Key)
	if !e.Until.IsZero() {
		attrs = append(attrs, slog.Time("until", e.Until))
	}
	if e.Status != 0 {
		attrs = append(attrs, slog.Int("status", e.Status))
	}
	if e.Received != 0 {
		attrs = append(attrs, slog.Int64("received", e.Received))
	}
	add("outcome", string(e.Outcome))
	add("why", e.Why)
	c.cfg.Logger.LogAttrs(ctx, slog.LevelInfo, string(e.Kind), attrs...)
}
