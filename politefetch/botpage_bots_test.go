package politefetch_test

import (
	"context"
	"errors"
	"flag"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/proxy"
	"github.com/politefetch/sdk/ratepolicy"
)

var updatePages = flag.Bool("update", false, "write the golden pages of testdata/botpage anew")

// The three bots, by the values that they run by.

func kiwiRankPage() *politefetch.BotPage {
	return &politefetch.BotPage{
		Config: politefetch.Config{
			Product: rankerProduct, UserAgent: rankerAgent,
			Policy: ratepolicy.Policy{
				Normal:    ratepolicy.Pace{Concurrency: 2, Delay: -1, MaxWait: 30 * time.Second},
				Gentle:    ratepolicy.Pace{Concurrency: 1, Delay: 2 * time.Second, MaxWait: 60 * time.Second},
				GentleFor: 14 * 24 * time.Hour,
				Relay:     ratepolicy.Pace{Concurrency: 2, Delay: -1, MaxWait: 30 * time.Second}, RelayAfter: 1,
			},
			Store: newMapStore(), Relay: &proxy.ScrapingBee{Key: proxy.NewAPIKey("not-for-the-page"), Country: "us"},
			Key: politefetch.SiteKey, Allow: allowAllBut("left.example", errors.New("taken off")),
			Asks: 3, Tries: 2, MaxSkips: 5,
		},
		Visit:   &politefetch.VisitOptions{HomeFirst: true, LLMs: true, HTMLOnly: true, DropBodies: true},
		Cadence: &kiwiCadence,
		About:   "KiwiRankBot only visits websites that were added to a KiwiRank account. It does not crawl the web at large.",
		Contact: "support@kiwirank.com",
	}
}

func rotSweepPage() *politefetch.BotPage {
	return &politefetch.BotPage{
		Config: politefetch.Config{
			Product: "RotSweep", UserAgent: "Mozilla/5.0 (compatible; RotSweep/1.0; +https://rotsweep.com/agent)",
			Policy: ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: time.Second, Burst: 2, Concurrency: 2}},
			Store:  newMapStore(), Key: politefetch.SiteKey,
			Allow:   allowAllBut("left.example", errors.New("opted out")),
			MaxHops: 10, MaxBody: 4 << 20, Timeout: 15 * time.Second,
		},
		Monitor: &politefetch.FetchOptions{RobotsAdvisory: true, DropBody: true, MaxWait: -1}, Browser: true,
		Retry:   &politefetch.Retry{Failed: 10 * time.Minute, Refused: 6 * time.Hour},
		About:   "RotSweep is a link-rot and content-drift monitor. A customer of ours links to a page on your site and asked us to keep an eye on that link.",
		Contact: "support@rotsweep.com",
	}
}

func metrimatoPage() *politefetch.BotPage {
	cfg := scannerConfig(nil)
	cfg.Transport, cfg.Store, cfg.Admit = nil, newMapStore(), carries("code")
	visit := scannerVisit
	return &politefetch.BotPage{
		Config: cfg, Visit: &visit,
		Cadence: &politefetch.Cadence{Every: 7 * 24 * time.Hour, RecheckEvery: 24 * time.Hour, RecheckAgain: 24 * time.Hour},
		About:   "Metrimato-Scanner ajaa teknisen sivustotarkistuksen, jonka Metrimadon asiakkaat voivat kytkeä päälle omalle sivustolleen.",
		Contact: "https://metrimato.com/yhteys",
	}
}

var pageBots = map[string]func() *politefetch.BotPage{"kiwirank": kiwiRankPage, "rotsweep": rotSweepPage, "metrimato": metrimatoPage}

// A change is one value of a bot, changed. The page must say so in that section, in these
// words, which it did not have before, and nowhere else.
type change struct {
	field  string // whose place on the page this proves
	bots   string // by their first letters
	set    func(*politefetch.BotPage)
	where  string // sections
	en, fi string // "": something is gone
}

var changes = []change{
	{"Config.Product", "m", func(b *politefetch.BotPage) { b.Config.Product = "Metrimato" }, "title who block", "A group that names Metrimato replaces", "botin Metrimato, korvaa"},
	{"Config.UserAgent", "krm", func(b *politefetch.BotPage) { b.Config.UserAgent += " v9" }, "who", ") v9", ") v9"},
	{"Config.From", "krm", func(b *politefetch.BotPage) { b.Config.From = "bot@mail.example" }, "who", "request carries these header fields:", "From: bot@mail.example"},
	{"Config.Store", "krm", func(b *politefetch.BotPage) { b.Config.Store = nil }, "gentle", "until the bot is restarted", "käynnistetään uudelleen"},
	{"Config.Transport", "krm", func(b *politefetch.BotPage) { b.Config.Transport = proxyless{} }, "never", "names a private, local or link-local network", "linkkipaikallisen"},
	{"Config.Relay", "k", func(b *politefetch.BotPage) { b.Config.Relay = proxyless{} }, "relay", "crawling provider instead.", "palveluntarjoajamme kautta."},
	{"Config.Relay.Country", "k", func(b *politefetch.BotPage) { b.Config.Relay = &proxy.ScrapingBee{Country: "fi"} }, "relay", "in this country: FI", "tästä maasta: FI"},
	{"Config.Key", "m", func(b *politefetch.BotPage) { b.Config.Key = politefetch.SiteKey }, "pace slow gentle", "at a time for each registrable domain", "kutakin rekisteröityä verkkotunnusta kohti"},
	{"Config.Key", "k", func(b *politefetch.BotPage) { b.Config.Key = nil }, "pace slow gentle", "at a time for each host", "kutakin palvelinta kohti"},
	{"Config.Key", "r", func(b *politefetch.BotPage) { b.Config.Key = ratepolicy.HostKey }, "pace slow gentle refused", "at a time for each host", "kutakin palvelinta kohti"},
	{"Config.Key", "r", func(b *politefetch.BotPage) { b.Config.Key = func(*url.URL) string { return "all" } }, "pace slow gentle refused", "for each group of hosts", "yhteen kuuluvien palvelinten joukkoa kohti"},
	{"Config.Allow", "m", func(b *politefetch.BotPage) { b.Config.Allow = func(context.Context, *url.URL) error { return nil } }, "reads", "A site taken off gets no request at all", "ei saa ainuttakaan pyyntöä"},
	{"Config.Allow", "r", func(b *politefetch.BotPage) { b.Config.Allow = nil }, "reads block", "", ""},
	{"Config.Admit", "k", func(b *politefetch.BotPage) { b.Config.Admit = carries("x") }, "reads", "verified by its home page", "etusivulta on varmistettu"},
	{"Config.MaxPages", "km", func(b *politefetch.BotPage) { b.Config.MaxPages = 1234 }, "limits", "at most 1,234 pages", "enintään 1\u00a0234 sivua"},
	{"Config.MaxPages", "km", func(b *politefetch.BotPage) { b.Config.MaxPages = -1 }, "limits", "are not limited in number", "ei ole rajattu"},
	{"Config.MaxBody", "krm", func(b *politefetch.BotPage) { b.Config.MaxBody = 5 << 20 }, "limits", "At most 5 MiB of a page", "enintään 5 MiB"},
	{"Config.MaxBody", "krm", func(b *politefetch.BotPage) { b.Config.MaxBody = 1_234_567 }, "limits", "At most 1,234,567 bytes", "enintään 1\u00a0234\u00a0567 tavua"},
	{"Config.MaxHops", "krm", func(b *politefetch.BotPage) { b.Config.MaxHops = 7 }, "limits", "at most 7 hops", "enintään 7 askelta"},
	{"Config.MaxHops", "krm", func(b *politefetch.BotPage) { b.Config.MaxHops = -1 }, "limits", "Redirects are not followed", "Uudelleenohjauksia ei seurata"},
	{"Config.Timeout", "krm", func(b *politefetch.BotPage) { b.Config.Timeout = 21 * time.Second }, "limits", "after 21 seconds on the network", "enintään 21 sekuntia"},
	{"Config.Tries", "km", func(b *politefetch.BotPage) { b.Config.Tries = 4 }, "slow", "asked for up to 4 times and then skipped", "enintään 4 kertaa, minkä jälkeen"},
	{"Config.Tries", "km", func(b *politefetch.BotPage) { b.Config.Tries = 1 }, "slow", "not asked for again in that visit", "ei pyydetä samalla käynnillä uudelleen"},
	{"Config.MaxSkips", "km", func(b *politefetch.BotPage) { b.Config.MaxSkips = 8 }, "slow", "8 pages skipped in a row end", "8 peräkkäin väliin jätettyä"},
	{"Config.MaxSkips", "km", func(b *politefetch.BotPage) { b.Config.MaxSkips = -1 }, "slow", "", ""},
	{"Config.Asks", "k", func(b *politefetch.BotPage) { b.Config.Asks = 6 }, "relay", "asked for up to 6 times if", "enintään 6 kertaa, jos"},

	{"Guard.Allow", "krm", func(b *politefetch.BotPage) { b.Config.Guard.Allow = addrPorts("127.0.0.1:8080") }, "never", "exception, for servers of its own: 127.0.0.1:8080", "omat palvelimet: 127.0.0.1:8080"},
	{"Guard.Deny", "krm", func(b *politefetch.BotPage) { b.Config.Guard.Deny = prefixes("203.0.113.0/24") }, "never", "Nor does it connect to 203.0.113.0/24", "myöskään näihin: 203.0.113.0/24"},
	{"Guard.AnyPort", "krm", func(b *politefetch.BotPage) { b.Config.Guard.AnyPort = true }, "never", "Ports that browsers block", "Portteihin, jotka selaimet estävät"},
	{"Guard.Own", "krm", func(b *politefetch.BotPage) { b.Config.Guard.Own = true }, "never", "to public addresses only. Every", "julkisiin osoitteisiin. Jokainen"},
	{"Guard.SkipBlocked", "krm", func(b *politefetch.BotPage) { b.Config.Guard.SkipBlocked = true }, "never", "", ""},

	{"Policy.Normal.Concurrency", "k", func(b *politefetch.BotPage) { b.Config.Policy.Normal.Concurrency = 5 }, "pace", "At most 5 requests at a time for each registrable domain", "Enintään 5 pyyntöä kerrallaan"},
	{"Policy.Normal.Concurrency", "k", func(b *politefetch.BotPage) { b.Config.Policy.Normal.Concurrency = 0 }, "pace", "One request at a time for each registrable domain", "Yksi pyyntö kerrallaan kutakin"},
	{"Policy.Normal.Concurrency", "r", func(b *politefetch.BotPage) { b.Config.Policy.Normal.Concurrency = 1 }, "pace", "One request at a time", "Yksi pyyntö kerrallaan"},
	{"Policy.Normal.Concurrency", "r", func(b *politefetch.BotPage) { b.Config.Policy.Normal.Concurrency = 9 }, "", "", ""}, // Burst is less
	{"Policy.Normal.Concurrency", "r", func(b *politefetch.BotPage) {
		b.Config.Policy.Normal.Concurrency, b.Config.Policy.Normal.Burst = 9, 6
	}, "pace", "At most 6 requests at a time", "Enintään 6 pyyntöä kerrallaan"},
	{"Policy.Normal.Delay", "m", func(b *politefetch.BotPage) { b.Config.Policy.Normal.Delay = 700 * time.Millisecond }, "pace", "At least 0.7 seconds between", "vähintään 0,7 sekuntia"},
	{"Policy.Normal.Delay", "m", func(b *politefetch.BotPage) { b.Config.Policy.Normal.Delay = 0 }, "pace", "At least 1 second between", "vähintään 1 sekunti."},
	{"Policy.Normal.Delay", "r", func(b *politefetch.BotPage) { b.Config.Policy.Normal.Delay = 1500 * time.Millisecond }, "pace", "one request every 1.5 seconds", "yksi pyyntö 1,5 sekunnin välein"},
	{"Policy.Normal.Delay", "r", func(b *politefetch.BotPage) { b.Config.Policy.Normal.Delay = 26 * time.Hour }, "pace gentle robots block", "copy is used for at most 52 hours", "enintään 52 tuntia"},
	{"Policy.Normal.Burst", "r", func(b *politefetch.BotPage) { b.Config.Policy.Normal.Burst = 4 }, "pace", "a burst of at most 4", "enintään 4 pyynnön rypäs"},
	{"Policy.Normal.MaxWait", "km", func(b *politefetch.BotPage) { b.Config.Policy.Normal.MaxWait = 45 * time.Second }, "slow", "waits for Retry-After up to 45 seconds", "Retry-After-aikaa enintään 45 sekuntia"},
	{"Policy.Normal.MaxWait", "km", func(b *politefetch.BotPage) { b.Config.Policy.Normal.MaxWait = -1 }, "slow", "No Retry-After is waited for", "ei odoteta Retry-After-aikaa"},
	{"Policy.Gentle.Concurrency", "k", func(b *politefetch.BotPage) {
		b.Config.Policy.Gentle.Concurrency, b.Config.Policy.Gentle.Burst = 3, 3
	}, "gentle", "at most 3 requests at a time, one every 2 seconds on average with a burst of at most 3", "enintään 3 pyyntöä kerrallaan, keskimäärin yksi 2 sekunnin välein, enintään 3 pyynnön ryppäinä"},
	{"Policy.Gentle.Burst", "krm", func(b *politefetch.BotPage) { b.Config.Policy.Gentle.Burst = 6 }, "gentle", "with a burst of at most 6", "enintään 6 pyynnön ryppäinä"},
	{"Policy.Gentle.Delay", "km", func(b *politefetch.BotPage) { b.Config.Policy.Gentle.Delay = 5 * time.Second }, "gentle slow", "at least 5 seconds apart", "pyyntöjen välissä vähintään 5 sekuntia"},
	{"Policy.Gentle.Delay", "km", func(b *politefetch.BotPage) { b.Config.Policy.Gentle.Delay = 7 * time.Second }, "gentle slow", "keeps at least 7 seconds between them", "välissä on myös vähintään 7 sekuntia"},
	{"Policy.Gentle.Delay", "r", func(b *politefetch.BotPage) { b.Config.Policy.Gentle.Delay = 5 * time.Second }, "gentle", "at least 5 seconds apart", "pyyntöjen välissä vähintään 5 sekuntia"},
	{"Policy.Gentle.MaxWait", "krm", func(b *politefetch.BotPage) { b.Config.Policy.Gentle.MaxWait = 90 * time.Second }, "gentle", "Retry-After up to 90 seconds", "Retry-After-aikaa odotetaan enintään 90 sekuntia"},
	{"Policy.GentleFor", "krm", func(b *politefetch.BotPage) { b.Config.Policy.GentleFor = 9 * 24 * time.Hour }, "gentle", "For 9 days after", "varoen 9 päivän ajan"},
	{"Policy.GentleFor", "rm", func(b *politefetch.BotPage) { b.Config.Policy.GentleFor = -1 }, "gentle", "", ""}, // with a Relay it is an error
	{"Policy.Relay.Concurrency", "k", func(b *politefetch.BotPage) { b.Config.Policy.Relay.Concurrency = 4 }, "relay", "At most 4 requests at a time, without", "Enintään 4 pyyntöä kerrallaan ilman"},
	{"Policy.Relay.Delay", "k", func(b *politefetch.BotPage) { b.Config.Policy.Relay.Delay = 3 * time.Second }, "relay", "One request at a time, at least 3 seconds apart", "Yksi pyyntö kerrallaan, pyyntöjen välissä vähintään 3 sekuntia"},
	{"Policy.Relay.Burst", "k", func(b *politefetch.BotPage) {
		b.Config.Policy.Relay.Delay, b.Config.Policy.Relay.Burst = 3*time.Second, 8
	}, "relay", "one every 3 seconds on average with a burst of at most 8", "keskimäärin yksi 3 sekunnin välein, enintään 8 pyynnön ryppäinä"},
	{"Policy.Relay.MaxWait", "k", func(b *politefetch.BotPage) { b.Config.Policy.Relay.MaxWait = 25 * time.Second }, "relay", "Retry-After up to 25 seconds", "odotetaan enintään 25 sekuntia"},
	{"Policy.RelayAfter", "k", func(b *politefetch.BotPage) { b.Config.Policy.RelayAfter = 3 }, "relay", "limits the rate 3 times more", "pyytää vielä 3 kertaa hidastamaan"},
	{"Policy.FailLocal", "krm", func(b *politefetch.BotPage) { b.Config.Policy.FailLocal = 0.25 }, "pace", "one request at a time and at least 8 seconds between two", "yksi pyyntö kerrallaan, pyyntöjen välissä vähintään 8 sekuntia"},
	{"Policy.Backoff", "krm", func(b *politefetch.BotPage) { b.Config.Policy.Backoff = 11 * time.Second }, "slow", "at least 11 seconds, and by longer ones", "vähintään 11 sekuntia, ja kauemmin"},
	{"Policy.Backoff", "krm", func(b *politefetch.BotPage) { b.Config.Policy.Backoff = -1 }, "slow", "", ""},

	{"VisitOptions", "r", func(b *politefetch.BotPage) { b.Visit = new(politefetch.VisitOptions) }, "block robots reads pace limits slow refused", "Every visit begins with robots.txt", "Jokaisen käynnin aluksi haetaan robots.txt"},
	{"VisitOptions", "m", func(b *politefetch.BotPage) { b.Visit = nil }, "block robots reads pace limits slow refused never", "It makes GET and HEAD requests only", "vain GET- ja HEAD-pyyntöjä"},
	{"VisitOptions.MaxPages", "km", func(b *politefetch.BotPage) { b.Visit.MaxPages = 60 }, "limits", "at most 60 pages", "enintään 60 sivua"},
	{"VisitOptions.HomeFirst", "m", func(b *politefetch.BotPage) { b.Visit.HomeFirst = true }, "block robots reads", "robots.txt and the page that the visit starts at come first", "Ensin luetaan robots.txt ja sivu, josta käynti alkaa"},
	{"VisitOptions.LLMs", "m", func(b *politefetch.BotPage) { b.Visit.LLMs = true }, "robots reads", "HTML and nothing else but llms.txt", "mitään muuta kuin llms.txt-tiedoston"},
	{"VisitOptions.FollowLinks", "km", func(b *politefetch.BotPage) { b.Visit.FollowLinks = true }, "reads", "Links on those pages are followed as well", "Myös niillä sivuilla olevia linkkejä"},
	{"VisitOptions.HTMLOnly", "km", func(b *politefetch.BotPage) { b.Visit.HTMLOnly = false }, "reads", "", ""},
	{"VisitOptions.DropBodies", "km", func(b *politefetch.BotPage) { b.Visit.DropBodies = false }, "reads", "", ""},

	{"FetchOptions", "k", func(b *politefetch.BotPage) { b.Monitor = new(politefetch.FetchOptions) }, "block robots reads refused", "One page for each check", "Yksi sivu tarkistusta kohti"},
	{"FetchOptions.RobotsAdvisory", "r", func(b *politefetch.BotPage) { b.Monitor.RobotsAdvisory = false }, "block robots", "", ""},
	{"FetchOptions.Browser", "r", func(b *politefetch.BotPage) { b.Browser = false }, "who", "Every request carries", "Jokaisessa pyynnössä on"},
	{"FetchOptions.Browser", "r", func(b *politefetch.BotPage) { b.Browser, b.Monitor.Browser = false, politefetch.BrowserSafari }, "", "", ""},
	{"FetchOptions.DropBody", "r", func(b *politefetch.BotPage) { b.Monitor.DropBody = false }, "reads", "", ""},

	{"Cadence", "km", func(b *politefetch.BotPage) { b.Cadence = nil }, "schedule", "", ""},
	{"Cadence.Every", "km", func(b *politefetch.BotPage) {
		b.Cadence = cadenceOf(b, func(c *politefetch.Cadence) { c.Every = 10 * 24 * time.Hour })
	}, "schedule", "then once every 10 days", "sen jälkeen 10 päivän välein"},
	{"Cadence.Every", "km", func(b *politefetch.BotPage) {
		b.Cadence = cadenceOf(b, func(c *politefetch.Cadence) { c.Every = 24 * time.Hour })
	}, "schedule", "then once a day", "sen jälkeen kerran vuorokaudessa"},
	{"Cadence.Extras", "km", func(b *politefetch.BotPage) { b.Cadence = cadenceOf(b, func(c *politefetch.Cadence) { c.Extras = 5 }) }, "schedule", "up to 5 more visits", "enintään 5 lisäkäyntiä"},
	{"Cadence.ExtraAfter", "k", func(b *politefetch.BotPage) {
		b.Cadence = cadenceOf(b, func(c *politefetch.Cadence) { c.ExtraAfter = 9 * time.Hour })
	}, "schedule", "about 9 hours apart", "noin 9 tunnin välein"},
	{"Cadence.RecheckEvery", "km", func(b *politefetch.BotPage) {
		b.Cadence = cadenceOf(b, func(c *politefetch.Cadence) { c.RecheckEvery = 8 * time.Hour })
	}, "schedule", "once every 8 hours for each site", "kerran 8 tunnin aikana"},
	{"Cadence.RecheckAgain", "km", func(b *politefetch.BotPage) {
		b.Cadence = cadenceOf(b, func(c *politefetch.Cadence) { c.RecheckAgain = 17 * time.Minute })
	}, "schedule", "asked for 17 minutes after it ended", "kulunut 17 minuuttia"},
	{"Cadence.RecheckAgain", "m", func(b *politefetch.BotPage) {
		b.Cadence = cadenceOf(b, func(c *politefetch.Cadence) { c.RecheckAgain = 17 * time.Hour })
	}, "schedule", "never within 17 hours", "siitä on kulunut 17 tuntia"},

	{"Retry", "r", func(b *politefetch.BotPage) { b.Retry = nil }, "refused", "", ""},
	{"Retry.Failed", "r", func(b *politefetch.BotPage) { b.Retry.Failed = 12 * time.Minute }, "refused", "retried once, about 12 minutes later", "noin 12 minuutin kuluttua"},
	{"Retry.Failed", "r", func(b *politefetch.BotPage) { b.Retry.Failed = -1 }, "refused", "(5xx) are not retried", "(5xx), osoitetta ei yritetä uudelleen"},
	{"Retry.Refused", "r", func(b *politefetch.BotPage) { b.Retry.Refused = 8 * time.Hour }, "refused", "for at least 8 hours", "vähintään 8 tunnin ajaksi"},
	{"Retry.Refused", "r", func(b *politefetch.BotPage) { b.Retry.Refused = -1 }, "refused", "The address is not tried again", "rikki. Osoitetta ei yritetä uudelleen"},
}

// What the public pages of the bots say of their behaviour, and what the page that is made
// says of it, in both languages.
var pageSays = map[string][]struct{ says, en, fi string }{
	"kiwirank": {
		{"every request carries this user agent", "Every request carries this user agent: User-Agent: Mozilla/5.0 (compatible; KiwiRankBot/1.0; +https://kiwirank.com/bot/)", "tunniste (user agent): User-Agent: Mozilla/5.0 (compatible; KiwiRankBot/1.0; +https://kiwirank.com/bot/)"},
		{"added websites only", "stays on the host names of its site", "pysyy sivuston omissa verkkotunnuksissa"},
		{"once at set-up, then once a week", "Once when a site is set up, then once a week", "sen jälkeen kerran viikossa"},
		{"up to two more that week, 4 hours apart", "up to 2 more visits before the next scheduled one, about 4 hours apart", "enintään 2 lisäkäyntiä ennen seuraavaa säännöllistä käyntiä, noin 4 tunnin välein"},
		{"HTTP 429, or 503 with Retry-After, without a bot-wall marker", "HTTP 429, or by 503 with Retry-After, without the signs of a bot wall", "429 tai tilakoodilla 503 ja Retry-After-kentällä, ilman merkkejä botinestosta"},
		{"recheck at most every 6 hours, counted from the request of the last that finished", "at most once every 6 hours for each site, counted from when the last recheck that finished was requested", "enintään kerran 6 tunnin aikana sivustoa kohti, laskettuna siitä, kun viimeisin loppuun päässyt tarkistus pyydettiin"},
		{"an unfinished one again after 10 minutes", "10 minutes after it ended", "kulunut 10 minuuttia"},
		{"limited or blocked: next visit or 6 hours after it ended", "at the next scheduled visit or 6 hours after it ended, whichever is sooner, and never within 10 minutes", "seuraavan säännöllisen käynnin aikaan tai kun sen päättymisestä on kulunut 6 tuntia"},
		{"home page and robots.txt first", "robots.txt and the page that the visit starts at come first", "Ensin luetaan robots.txt ja sivu, josta käynti alkaa"},
		{"obeys robots.txt for everything else, llms.txt and sitemaps included", "no page, no sitemap, no llms.txt, and nothing that a redirect leads to", "ei sivua, ei sivukarttaa, ei llms.txt-tiedostoa eikä mitään, mihin uudelleenohjaus johtaa"},
		{"stops at a server error of robots.txt", "server error or a bot wall, or not at all, the visit ends there", "käynti päättyy siihen"},
		{"at most 2 at a time", "At most 2 requests at a time", "Enintään 2 pyyntöä kerrallaan"},
		{"one at a time after 429 or 503", "After a 429 or 503 the rest of the visit makes one request at a time", "käynnin loppuosassa tehdään yksi pyyntö kerrallaan"},
		{"waits for Retry-After up to 30 seconds", "A visit waits for Retry-After up to 30 seconds", "Retry-After-aikaa enintään 30 sekuntia"},
		{"skips pages that are refused again", "up to 2 times and then skipped, and 5 pages skipped in a row end the visit", "enintään 2 kertaa, minkä jälkeen se jätetään väliin; 5 peräkkäin väliin jätettyä sivua päättää käynnin"},
		{"stops at a longer wait", "asks for a longer wait, the visit ends", "pidempää odotusta, käynti päättyy"},
		{"gentle for 14 days", "For 14 days after a registrable domain last asked for fewer requests, the bot is gentle with it: one request at a time, at least 2 seconds apart, waiting for Retry-After up to 60 seconds", "varoen 14 päivän ajan siitä, kun sieltä viimeksi pyydettiin hidastamaan: yksi pyyntö kerrallaan, pyyntöjen välissä vähintään 2 sekuntia, ja Retry-After-aikaa odotetaan enintään 60 sekuntia"},
		{"then the provider", "limits the rate again within that time, later visits within it read the site by way of our crawling provider instead (ScrapingBee, its standard proxies, with addresses in this country: US)", "palveluntarjoajamme kautta (ScrapingBee, sen tavalliset välityspalvelimet, joiden osoitteet ovat tästä maasta: US)"},
		{"same user agent, robots.txt obeyed", "still KiwiRankBot there, with the same user agent, and still obeys robots.txt for every address", "silloinkin KiwiRankBot, sen tunniste on sama, ja se noudattaa robots.txt-tiedostoa"},
		{"refused there: unread until the next check", "left unread until the next visit", "jää lukematta seuraavaan käyntiin asti"},
		{"never for walled sites, stops at the first wall", "never read this way, and the route ends at the first bot wall or challenge page", "ei koskaan lueta näin, ja tämä reitti päättyy ensimmäiseen"},
		{"2 at a time without spacing, 30 seconds", "At most 2 requests at a time, without a pause between them, waiting for Retry-After up to 30 seconds", "Enintään 2 pyyntöä kerrallaan ilman taukoa niiden välissä, ja Retry-After-aikaa odotetaan enintään 30 sekuntia"},
		{"up to 3 asks", "up to 3 times if the answer comes from another site", "enintään 3 kertaa, jos vastaus tulee toiselta sivustolta"},
		{"the provider follows redirects", "requested before KiwiRankBot can check it", "ennen kuin KiwiRankBot voi tarkistaa sen"},
		{"what may not be read is left out", "a page that may not be read is left out", "sivu, jota ei saa lukea, jätetään pois"},
		{"how to block it", "User-agent: KiwiRankBot Disallow: /", "User-agent: KiwiRankBot Disallow: /"},
		{"contact", "support@kiwirank.com", "support@kiwirank.com"},
	},
	"rotsweep": {
		{"by default this user agent", "By default every request carries this user agent: User-Agent: Mozilla/5.0 (compatible; RotSweep/1.0; +https://rotsweep.com/agent)", "Oletuksena jokaisessa pyynnössä on tämä tunniste"},
		{"what does not match is not ours", "claims to be RotSweep and does not match this is not ours", "RotSweep mutta ei vastaa tätä, ei ole meidän"},
		{"browser-like fetch", "a single address may be opted into a browser-like check. The requests of such a check carry the header fields of Chrome, Firefox or Safari", "(Chrome, Firefox tai Safari)"},
		{"GET only", "GET requests only. It never posts, submits a form or writes anything", "vain GET-pyyntöjä. Se ei koskaan lähetä lomakkeita eikä kirjoita mitään"},
		{"one page a check", "One page for each check", "Yksi sivu tarkistusta kohti"},
		{"links are not followed", "Links are not followed", "Linkkejä ei seurata"},
		{"one request a second a domain, burst of two", "On average at most one request every second for each registrable domain, with a burst of at most 2", "yksi pyyntö sekunnin välein kutakin rekisteröityä verkkotunnusta kohti; hiljaisen jakson jälkeen enintään 2 pyynnön rypäs"},
		{"queued checks wait their turn", "wait their turn", "odottavat vuoroaan"},
		{"Crawl-delay", "A Crawl-delay that is longer than the bot's own pace is kept", "Jos Crawl-delay on pidempi kuin botin oma tahti, sitä noudatetaan"},
		{"redirects to the end, ten hops, no loop", "Redirects are followed to their end, at most 10 hops and never in a loop", "enintään 10 askelta eikä koskaan kehässä"},
		{"fifteen seconds", "after 15 seconds on the network", "enintään 15 sekuntia"},
		{"a few megabytes", "At most 4 MiB of a page", "enintään 4 MiB"},
		{"how to block it", "User-agent: RotSweep Disallow: /", "User-agent: RotSweep Disallow: /"},
		{"the group replaces *", "replaces the * group for this bot entirely", "korvaa sen osalta *-ryhmän kokonaan"},
		{"scanning obeys", "reading a page or a sitemap to find the links in it, obeys robots.txt in full", "lukeminen linkkien löytämiseksi, noudattaa robots.txt-tiedostoa täysin"},
		{"monitoring is advisory", "robots.txt is advisory: a rule against it is recorded with the result, and the check is made all the same", "robots.txt on ohjeellinen: esto kirjataan tulokseen, ja tarkistus tehdään silti"},
		{"tell us and we will stop them", "tell us (see the end of this page), and we will stop them", "niin lopetamme ne"},
		{"429 for the whole domain, as long as asked", "Retry-After is honoured for the whole registrable domain and for as long as it asks, not only for the address that returned it. Every other request there waits it out", "koko rekisteröityä verkkotunnusta niin pitkään kuin palvelin pyytää, ei vain osoitetta, joka sen palautti. Kaikki muutkin"},
		{"401 and 403 are refusals", "401, 403, 407 and 451 are read as “we were refused”, not as “this page is broken”", "401, 403, 407 ja 451 tulkitaan niin, että meidät torjuttiin"},
		{"back off, Retry-After honoured", "left alone for at least 6 hours and tried again later. If there is a Retry-After with it, that is honoured too", "vähintään 6 tunnin ajaksi, ja sitä yritetään myöhemmin uudelleen. Jos mukana on Retry-After, sitäkin noudatetaan"},
		{"time-outs and 5xx once, ten minutes later", "Time-outs, failed connections and server errors (5xx) are retried once, about 10 minutes later, before anything is reported", "kerran uudelleen noin 10 minuutin kuluttua, ennen kuin mitään raportoidaan"},
		{"robots.txt once a day", "copy is used for at most 24 hours", "kopiota käytetään enintään 24 tuntia"},
		{"contact", "support@rotsweep.com", "support@rotsweep.com"},
	},
	"metrimato": {
		{"the user agent", "User-Agent: Metrimato-Scanner/1.0 (+https://metrimato.com/scanner)", "User-Agent: Metrimato-Scanner/1.0 (+https://metrimato.com/scanner)"},
		{"only sites that carry the code", "A host is visited only once it is verified by its home page that it belongs to the customer", "vasta, kun sen etusivulta on varmistettu, että se kuuluu asiakkaalle"},
		{"500 pages a run", "A visit asks for at most 500 pages", "Yksi käynti hakee enintään 500 sivua"},
		{"0.3 seconds between requests", "At least 0.3 seconds between the end of an answer and the next request", "seuraavaan pyyntöön kuluu vähintään 0,3 sekuntia"},
		{"longer if robots.txt asks", "A Crawl-delay that is longer than the bot's own pace is kept", "Jos Crawl-delay on pidempi kuin botin oma tahti, sitä noudatetaan"},
		{"sitemap first", "robots.txt comes first, then the site's sitemaps", "Ensin luetaan robots.txt, sitten sivuston sivukartat"},
		{"links only where there is no sitemap", "Only where there is no sitemap, links are followed", "Vasta jos sivukarttaa ei ole, linkkejä seurataan"},
		{"blocked paths are not fetched", "What it disallows is not asked for", "Estettyjä osoitteita ei haeta"},
		{"HTML only", "Images, videos, style sheets and scripts are not asked for", "Kuvia, videoita, tyylitiedostoja tai skriptejä ei pyydetä"},
		{"two megabytes", "At most 2,000,000 bytes of a page are read. The rest is cut off", "enintään 2\u00a0000\u00a0000 tavua. Loppu katkaistaan"},
		{"content is not kept", "The content of pages is not kept. Markup becomes lengths, counts, addresses and a digest in memory", "Merkkaus puretaan muistissa pituuksiksi, lukumääriksi, osoitteiksi ja tiivisteeksi, ja teksti heitetään pois"},
		{"GET only, own domains only", "GET requests only. It never posts, submits a form", "vain GET-pyyntöjä. Se ei koskaan lähetä lomakkeita"},
		{"it does not leave the site", "stays on the host names of its site", "Käynti pysyy sivuston omissa verkkotunnuksissa"},
		{"no cookies, no credentials", "no cookies and no credentials", "ei lähetä evästeitä eikä tunnuksia"},
		{"weekly", "then once a week", "sen jälkeen kerran viikossa"},
		{"runs by hand are limited", "at most once every 24 hours for each site", "enintään kerran 24 tunnin aikana sivustoa kohti"},
		{"how to block it", "User-agent: Metrimato-Scanner Disallow: /", "User-agent: Metrimato-Scanner Disallow: /"},
		{"a change takes effect at the next run", "A change takes effect at the next visit", "Muutos astuu voimaan seuraavalla käynnillä"},
		{"every domain is resolved and checked", "Every host name is resolved and checked on the address that is really connected to, again at every redirect", "Jokainen verkkotunnus ratkaistaan, ja osoite, johon todella otetaan yhteys, tarkistetaan, ja uudelleen jokaisella uudelleenohjauksella"},
		{"private addresses are refused", "It connects to public addresses only", "yhteyttä vain julkisiin osoitteisiin"},
		{"the pace is a ceiling", "The pace is a ceiling and not negotiable", "Tahti on katossa eikä neuvoteltavissa"},
		{"one at a time", "One request at a time for each host; all hosts of one visit count together", "Yksi pyyntö kerrallaan kutakin palvelinta kohti; yhden käynnin kaikki palvelimet lasketaan yhteen"},
		{"contact", "https://metrimato.com/yhteys", "https://metrimato.com/yhteys"},
	},
}

func TestG05_KiwiRankBot(t *testing.T)      { holdPage(t, "kiwirank") }
func TestG05_RotSweep(t *testing.T)         { holdPage(t, "rotsweep") }
func TestG05_MetrimatoScanner(t *testing.T) { holdPage(t, "metrimato") }

// holdPage holds one bot's page against the values that the bot runs by.
func holdPage(t *testing.T, bot string) {
	t.Helper()
	for _, lang := range []string{"en", "fi"} {
		before := render(t, pageBots[bot](), lang)
		t.Run(lang+"/says", func(t *testing.T) {
			text := strings.Join(before.lines, " ")
			for _, s := range pageSays[bot] {
				want := s.en
				if lang == "fi" {
					want = s.fi
				}
				assert.Contains(t, text, want, s.says)
			}
		})
		explained := newExplained(before)
		for _, c := range changes {
			if !strings.Contains(c.bots, bot[:1]) {
				continue
			}
			t.Run(lang+"/"+c.field, func(t *testing.T) {
				page := pageBots[bot]()
				c.set(page)
				after := render(t, page, lang)
				assert.ElementsMatch(t, strings.Fields(c.where), differ(before, after), "the sections that change")
				want := c.en
				if lang == "fi" {
					want = c.fi
				}
				if want != "" {
					assert.NotContains(t, before.text(c.where), want)
					assert.Contains(t, after.text(c.where), want)
				}
				explained.by(after)
			})
		}
		t.Run(lang+"/numbers", func(t *testing.T) { assert.Empty(t, explained.left(), "numbers that no value changes") })
		t.Run(lang+"/golden", func(t *testing.T) {
			golden(t, bot+"."+lang+".md", before.markdown)
			if lang == "en" || bot == "metrimato" {
				golden(t, bot+"."+lang+".html", before.html)
			}
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "botpage", name)
	if *updatePages {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "go test ./politefetch -run G05 -update writes it")
	assert.Equal(t, string(want), got)
}
