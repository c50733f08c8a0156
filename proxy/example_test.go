package proxy_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/politefetch/sdk/politefetch/fetchtest"
	"github.com/politefetch/sdk/proxy"
	"github.com/politefetch/sdk/robots"
)

// shop is a site that the provider reads, so that the examples need no network.
func shop() *fetchtest.Relay {
	var site fetchtest.Site
	site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /private\n"))
	site.Set("/", fetchtest.HTML("<p>Welcome"))
	site.Set("/go", fetchtest.Redirect("/private/offer"))
	site.Set("/away", fetchtest.Redirect("https://elsewhere.example/"))
	site.Set("/busy", fetchtest.Status(429).With("Retry-After", "20"))
	return site.Relay()
}

// One site is read as its robots.txt allows, which comes by the same route.
func Example() {
	group := robots.Parse(nil).Group("ExampleBot") // until robots.txt is there
	route := &proxy.ScrapingBee{
		Key:  proxy.NewAPIKey("0123456789ABCDEF"), // os.Getenv("SCRAPINGBEE_API_KEY")
		Base: shop(),                              // leave it out to reach the provider
		Check: func(_ context.Context, u *url.URL) error {
			if u.Host != "shop.example" {
				return errors.New("not this site")
			}
			if v := group.Test(u); !v.Allowed {
				return errors.New(v.String())
			}
			return nil
		},
	}
	fetch := func(addr string) []byte {
		req, _ := http.NewRequest(http.MethodGet, addr, nil)
		req.Header.Set("User-Agent", "ExampleBot/1.0 (+https://bot.example/)")
		resp, err := route.RoundTrip(req)
		if err != nil {
			fmt.Println(err)
			return nil
		}
		defer resp.Body.Close()
		fmt.Println(resp.Status, resp.Request.URL)
		body, _ := io.ReadAll(resp.Body)
		return body
	}
	group = robots.Parse(fetch("https://shop.example/robots.txt")).Group("ExampleBot")
	for _, path := range []string{"/", "/private/x", "/go", "/away", "/busy"} {
		fetch("https://shop.example" + path)
	}
	// Output:
	// 200 OK https://shop.example/robots.txt
	// 200 OK https://shop.example/
	// proxy: https://shop.example/private/x: disallowed by robots.txt line 2: Disallow: /private
	// proxy: the answer came from https://shop.example/private/offer: disallowed by robots.txt line 2: Disallow: /private
	// proxy: the answer came from https://elsewhere.example/: not this site
	// 429 Too Many Requests https://shop.example/busy
}

// What asks cost is bounded by a Budget, and reported one by one.
func ExampleBudget() {
	relay := shop()
	relay.Set("/lost", fetchtest.RelayFault{Answer: fetchtest.Fail(errors.New("connection reset"))})
	budget := proxy.NewBudget(3)
	route := &proxy.ScrapingBee{
		Key: proxy.NewAPIKey("0123456789ABCDEF"), Base: relay, Budget: budget,
		Check: func(context.Context, *url.URL) error { return nil }, // a real one asks robots.txt
		Observe: func(a proxy.Ask) {
			fmt.Println(a.Start, a.Status, a.Credits, a.Uncertain)
		},
	}
	for _, path := range []string{"/", "/missing", "/lost", "/"} {
		req, _ := http.NewRequest(http.MethodGet, "https://shop.example"+path, nil)
		req.Header.Set("User-Agent", "ExampleBot/1.0 (+https://bot.example/)")
		resp, err := route.RoundTrip(req)
		if err != nil {
			fmt.Println(err)
			continue
		}
		resp.Body.Close()
	}
	fmt.Printf("%+v\n", budget.Usage())
	// Output:
	// https://shop.example/ 200 1 false
	// https://shop.example/missing 404 1 false
	// https://shop.example/lost 0 1 true
	// proxy: provider: down: connection reset
	// proxy: no credits left in the budget
	// {Limit:3 Spent:2 Uncertain:1 Reserved:0}
}

// Errors say whose doing it was.
func ExampleProviderError() {
	relay := shop()
	relay.Set("/", fetchtest.RelayQuota())
	route := &proxy.ScrapingBee{
		Key: proxy.NewAPIKey("0123456789ABCDEF"), Base: relay,
		Check: func(context.Context, *url.URL) error { return nil }, // a real one asks robots.txt
	}
	for range 2 {
		req, _ := http.NewRequest(http.MethodGet, "https://shop.example/", nil)
		req.Header.Set("User-Agent", "ExampleBot/1.0 (+https://bot.example/)")
		resp, err := route.RoundTrip(req)
		if p, ok := errors.AsType[*proxy.ProviderError](err); ok {
			fmt.Println(p.Kind, errors.Is(err, proxy.ErrStopped)) // the second was not sent
			continue
		}
		resp.Body.Close()
	}
	// Output:
	// quota false
	// quota true
}
