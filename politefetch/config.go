package politefetch

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/mail"
	"net/url"
	"strings"
	"time"

	"github.com/politefetch/sdk/ratepolicy"
	"github.com/politefetch/sdk/robots"
)

// Config describes a bot. Product and UserAgent are required. The zero value of every
// other field is the polite default that its comment names; where a number can be
// negative, negative means none. What a Config limits is a ceiling: the options of a
// single call can lower it, never raise it.
type Config struct {
	// Product is the bot's product token, such as "ExampleBot": the name of its groups in
	// robots.txt (RFC 9309 section 2.2.1). Letters, "-" and "_"; digits and ".!+~", which
	// the RFC does not know, are let pass because bots with them exist.
	Product string
	// UserAgent is sent with every request, robots.txt included. It must contain Product
	// and the address of a page about the bot: "ExampleBot/1.0 (+https://bot.example/)".
	UserAgent string
	// From is a mail address that is sent with every request (RFC 9110 section 10.1.2).
	// "": not sent.
	From string

	// Policy is the bot's pace and memory. Zero: one request at a time, a second after the
	// last answer, gentler for 14 days with hosts that asked for fewer requests.
	Policy ratepolicy.Policy
	// Store keeps what hosts asked for, and copies of their robots.txt, for all of the bot's
	// processes and its next start. Nil: memory that ends with the process.
	Store ratepolicy.Store

	// Transport sends the requests. It must send at most one wire request a call and follow
	// no redirects. Nil: NewTransport(&Guard), which connects to public addresses only.
	Transport http.RoundTripper
	// Relay sends the requests of visits to sites that went on limiting in gentle mode
	// (Policy.RelayAfter, which goes with it: one without the other is an error), such as a
	// [proxy.ScrapingBee], whose Check the Crawler sets itself. A response's Request.URL says
	// where it ended; the Crawler checks that against the visit's hosts, Allow and robots.txt
	// before anything in it is believed. Nil: such sites are asked directly, gently.
	Relay http.RoundTripper
	// Key names the host that an address is paced and remembered under. Nil:
	// [ratepolicy.HostKey]. A visit paces all its hosts under the key of its start as well.
	Key func(*url.URL) string

	// Allow is asked about every address before anything is sent to it: at every redirect
	// hop, for robots.txt and sitemaps too. Its error is what the [*Error] wraps. Use it
	// for a bot's scope and for a list of domains that opted out. It must be safe for
	// concurrent use. Nil: every address.
	Allow func(context.Context, *url.URL) error
	// Admit proves that a host may be visited, once a host and visit, before anything but
	// its robots.txt and its home page is asked for. It reads that home page while it
	// streams (decoded, at most MaxBody bytes; it need not read to the end) and says how
	// the host was verified, or an error; [Report].Admitted keeps what it said. A home page
	// that robots.txt disallows, that is not HTML with status 200 or that leads to another
	// host proves nothing: such a host is not admitted. It is asked in visits only and
	// must be safe for concurrent use. Nil: every host is admitted.
	Admit func(ctx context.Context, host string, home io.Reader) (how string, err error)

	// Guard says which addresses may be connected to.
	Guard GuardOptions

	MaxPages int   // pages asked for in a visit; 0: 500, negative: no limit
	MaxBody  int64 // bytes read of one decoded body; 0: 2 MiB
	MaxHops  int   // redirects followed; 0: 10, negative: none
	Tries    int   // times a visit asks for a page while it answers 429 or 503; 0: 2, at least 1
	Asks     int   // times the Relay is asked for one page, while answers come from another host; 0: 3, at least 1
	MaxSkips int   // pages in a row that were given up after Tries, or at which the Relay failed, that end a visit; 0: 5, negative: no limit
	// Timeout bounds the time on the network for one address, redirects included (those of
	// FetchOptions.Hops too), waits for turns and each robots.txt, which has as long, not;
	// 0: 15 s. A request through the Relay has 3 min, or less if the Relay
	// says. The default Transport also gives a connection 10 s to be made and an answer 10 s
	// to begin. A body slower than 1 KiB/s on average, once 5 s were spent waiting for it, is
	// given up ([ErrTooSlow]), but not through the Relay.
	Timeout time.Duration

	// Observe is given every decision as it is made. It must be safe for concurrent use
	// and return soon: the request waits for it. Nil: none.
	Observe func(Event)
	// Logger is given the same as log records at level Info. Nil: none.
	Logger *slog.Logger
}

func (cfg *Config) check() error {
	wrong := func(field, format string, args ...any) error {
		return fmt.Errorf("politefetch: Config.%s: %w", field, fmt.Errorf(format, args...))
	}
	if err := robots.CheckToken(cfg.Product); err != nil {
		return wrong("Product", "%w", err)
	}
	ua := cfg.UserAgent
	switch {
	case !strings.Contains(strings.ToLower(ua), strings.ToLower(cfg.Product)):
		return wrong("UserAgent", "%q does not contain Product %q", ua, cfg.Product)
	case !strings.Contains(ua, "http://") && !strings.Contains(ua, "https://"):
		return wrong("UserAgent", "%q does not hold the address of a page about the bot, such as (+https://…)", ua)
	case !fieldValue(ua):
		return wrong("UserAgent", "%q holds characters that no header may", ua)
	}
	if cfg.From != "" {
		if a, err := mail.ParseAddress(cfg.From); err != nil || a.Address != cfg.From {
			return wrong("From", "%q is not a bare mail address", cfg.From)
		}
	}
	switch {
	case cfg.MaxBody < 0:
		return wrong("MaxBody", "%d is negative", cfg.MaxBody)
	case cfg.Tries < 0:
		return wrong("Tries", "%d is negative", cfg.Tries)
	case cfg.Asks < 0:
		return wrong("Asks", "%d is negative", cfg.Asks)
	case cfg.Policy.RelayAfter > 0 && cfg.Relay == nil:
		return wrong("Relay", "is nil, and Policy.RelayAfter is %d", cfg.Policy.RelayAfter)
	case cfg.Relay != nil && cfg.Policy.RelayAfter <= 0:
		return wrong("Policy.RelayAfter", "is %d, so that Relay is never asked", cfg.Policy.RelayAfter)
	case cfg.Relay != nil && cfg.Policy.GentleFor < 0:
		return wrong("Policy.GentleFor", "%v is negative: without gentle mode Relay is never asked", cfg.Policy.GentleFor)
	case cfg.Timeout < 0:
		return wrong("Timeout", "%v is negative", cfg.Timeout)
	case cfg.Policy.LeaseFor > 0 && cfg.Policy.LeaseFor < cfg.longest()+leaseSlack:
		return wrong("Policy.LeaseFor", "%v is not %v longer than a request may take (%v): a turn would run out under it", cfg.Policy.LeaseFor, leaseSlack, cfg.longest())
	}
	return nil
}

// fieldValue reports whether s is visible ASCII and spaces (RFC 9110 section 5.5).
func fieldValue(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) < 0
}

const (
	defaultTimeout = 15 * time.Second
	leaseSlack     = 15 * time.Second // for the store's calls, and an answer's last bytes
	relayTimeout   = 3 * time.Minute  // of one request through the Relay, which asks in its turn
)

// longest is what one request may take.
func (cfg *Config) longest() time.Duration {
	d := cmp.Or(cfg.Timeout, defaultTimeout)
	if cfg.Relay != nil {
		d = max(d, relayTimeout)
	}
	return d
}

func (cfg *Config) setDefaults() {
	cfg.MaxPages = cmp.Or(cfg.MaxPages, 500)
	cfg.MaxBody = cmp.Or(cfg.MaxBody, 2<<20)
	cfg.MaxHops = cmp.Or(cfg.MaxHops, 10)
	cfg.Tries = cmp.Or(cfg.Tries, 2)
	cfg.Asks = cmp.Or(cfg.Asks, 3)
	cfg.MaxSkips = cmp.Or(cfg.MaxSkips, 5)
	cfg.Timeout = cmp.Or(cfg.Timeout, defaultTimeout)
	if cfg.Policy.LeaseFor <= 0 {
		cfg.Policy.LeaseFor = max(time.Minute, cfg.longest()+leaseSlack)
	}
	if cfg.Transport == nil {
		cfg.Transport = NewTransport(&cfg.Guard)
	}
	if cfg.Key == nil {
		cfg.Key = ratepolicy.HostKey
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
}
