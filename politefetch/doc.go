// Package politefetch fetches web pages for a bot and keeps what the bot's public page
// promises: it obeys robots.txt, paces itself per host, sits out Retry-After, remembers
// who asked it to slow down, stops at bot walls and stays off private networks.
//
// A [Crawler] does nothing on its own. The caller's scheduler decides what is asked for
// and when to try; the Crawler decides whether, how fast, and says "not before" with a
// [ratepolicy.WaitError] instead of sleeping for hours. There are three ways in:
//
//   - [Crawler.Fetch] reads one address, its redirects included.
//   - [Crawler.Visit] reads a site: range over [Visit.Pages], then see [Visit.Report].
//   - [Crawler.RoundTrip] makes a Crawler the Transport of any [net/http.Client].
//
// A bot is a [Config]:
//
//	bot, err := politefetch.New(politefetch.Config{
//		Product:   "ExampleBot",
//		UserAgent: "ExampleBot/1.0 (+https://bot.example/)",
//	})
//	...
//	visit, err := bot.Visit("https://example.com/", &politefetch.VisitOptions{HTMLOnly: true})
//	...
//	for page, err := range visit.Pages(ctx) {
//		...
//	}
//	fmt.Println(visit.Report().Why)
//
// # One fetch
//
// Every request, those for robots.txt and sitemaps and every redirect hop included, takes
// the same way: the address is checked (see [CheckURL]), then the visit's hosts and
// [Config].Allow, then robots.txt, then for visits [Config].Admit; it waits for the
// host's turn, is sent as one wire request, and its answer is looked at for a bot wall
// before anything in it is believed. Each step can refuse with an [*Error] that says
// which rule, line, header or state did it and until when, and each decision is an
// [Event] for [Config].Observe.
//
// # Time and concurrency
//
// Whatever a call starts has ended when it returns: no goroutine outlives it and no timer
// runs between calls, but for the idle connections of the default Transport (see
// [Crawler.CloseIdleConnections]). A Crawler is safe for concurrent use. All waiting is on timers and
// contexts, so that bots can be tested in fake time: see package fetchtest.
//
// # Around it
//
// [Cadence] and [Retry] say when to visit and ask again, [TLSFaultOf] what is wrong with a
// certificate, [Summary] and [Fingerprint] what a page comes to. A [BotPage] writes the bot's
// public page from its Config. Config.Relay is another route to sites that go on limiting.
//
// # What it does not do
//
// It keeps no cookies, sends no credentials and no Referer, runs no scripts, takes no
// proxy from the environment, and does not decide what to fetch or how often.
package politefetch
