// Package proxy carries requests through a crawling provider, as an [http.RoundTripper]:
// for sites that go on limiting the bot's own addresses, never for those that turn bots away.
//
// [ScrapingBee] is the one provider so far. It asks for plain pages (no browser, no cookies,
// the standard proxy network, one country that is always named) under the bot's own
// User-Agent, and the rules go with it:
//
//	route := &proxy.ScrapingBee{
//		Key:   proxy.NewAPIKey(os.Getenv("SCRAPINGBEE_API_KEY")),
//		Check: func(ctx context.Context, u *url.URL) error { ... }, // robots.txt, scope, opt-out
//	}
//	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://shop.example/", nil)
//	...
//	req.Header.Set("User-Agent", "ExampleBot/1.0 (+https://bot.example/)")
//	resp, err := route.RoundTrip(req) // resp.Request.URL is where it ended
//
// The provider follows redirects by itself and can't be told not to. So Check is asked
// twice: before an address is sent, and for the address that the answer came from, whose
// body is dropped if it may not be read.
//
// # Whose answer it is
//
// The provider hands on what the site answered, a 404 or a 429 with its Retry-After
// included, as a [http.Response]. What the provider says for itself is a [*ProviderError],
// and says nothing of the site: not that it is down, not that it limits. A site that the
// provider could not reach is [ErrUnreachable], a bot wall in the site's place is a
// [*WallError], after which the route is closed for that site.
//
// # The key
//
// The key travels in the Authorization header of the requests to the provider and is never
// part of a URL, an error, an [Ask] or an answer of this package; [APIKey] prints as
// REDACTED.
//
// # What it does not do
//
// It does not pace (package ratepolicy does), does not read robots.txt by itself, and does
// not ask again when an answer came from another site: one call of RoundTrip is one ask.
// There are no conditional requests, ranges or HEAD through the provider.
package proxy
