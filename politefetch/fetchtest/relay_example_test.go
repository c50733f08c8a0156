package fetchtest_test

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/politefetch/sdk/politefetch/fetchtest"
)

// A client of a crawling provider is tested with what the provider and the site behind it
// may do; afterwards both sides tell what they saw.
func ExampleRelay() {
	var site fetchtest.Site
	site.Set("/", fetchtest.Redirect("/home"))
	site.Set("/home", fetchtest.HTML("<p>Welcome"))
	relay := site.Relay()
	relay.Key = "0123456789ABCDEF"
	relay.Set("/", fetchtest.RelayBusy(3*time.Second), fetchtest.RelayFault{})

	for range 2 { // the code under test; with package proxy: ScrapingBee{Base: relay}
		req, _ := http.NewRequest(http.MethodGet, "https://provider.example/api/v1/?render_js=false&transparent_status_code=true"+
			"&forward_headers_pure=true&url=https%3A%2F%2Fshop.example%2F", nil)
		req.Header.Set("Authorization", "Bearer 0123456789ABCDEF")
		req.Header.Set("Spb-User-Agent", "ExampleBot/1.0")
		resp, err := relay.RoundTrip(req)
		if err != nil {
			fmt.Println(err)
			return
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		fmt.Println(resp.StatusCode, resp.Header.Get("Spb-Resolved-Url"), string(body))
	}
	for _, ask := range relay.Log() {
		fmt.Println(ask.URL, "asked for:", ask.Reply.Status, "for", ask.Cost)
		for _, hop := range ask.Hops {
			fmt.Println(" ", hop.URL, "was sent to", hop.Header.Get("User-Agent"))
		}
	}
	// Output:
	// 429  {"message":"Too many concurrent requests"}
	// 200 https://shop.example/home <p>Welcome
	// https://shop.example/ asked for: 429 for 0
	// https://shop.example/ asked for: 200 for 1
	//   https://shop.example/ was sent to ExampleBot/1.0
	//   https://shop.example/home was sent to ExampleBot/1.0
}
