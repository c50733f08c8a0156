package fetchtest_test

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/politefetch/sdk/politefetch/fetchtest"
)

// A site is scripted address by address; its last answer is given again.
func ExampleSite() {
	var site fetchtest.Site
	site.Set("/", fetchtest.Status(http.StatusServiceUnavailable).RetryAfter(time.Minute), fetchtest.HTML("<p>hi"))

	client := &http.Client{Transport: &site} // a bot's Config.Transport, too
	for range 3 {
		resp, err := client.Get("https://site.example/")
		if err != nil {
			fmt.Println(err)
			return
		}
		resp.Body.Close()
	}
	for _, x := range site.Log() {
		fmt.Println(x.Method, x.URL, x.Answer.Status)
	}
	// Output:
	// GET https://site.example/ 503
	// GET https://site.example/ 200
	// GET https://site.example/ 200
}

// What a bot did is held against what it promised. This one is no bot yet: it asks for
// what robots.txt disallows.
func ExampleAudit() {
	var site fetchtest.Site
	site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /private\n"))
	site.Set("/private", fetchtest.HTML("<p>hi"))

	client := &http.Client{Transport: &site}
	for _, path := range []string{"/robots.txt", "/private"} {
		resp, err := client.Get("https://site.example" + path)
		if err != nil {
			fmt.Println(err)
			return
		}
		resp.Body.Close()
	}
	err := fetchtest.Audit(site.Log(), fetchtest.Promise{Product: "ExampleBot", Concurrency: 1})
	_, what, _ := strings.Cut(err.Error(), "Z: ") // before it: which request, and when
	fmt.Println(what)
	// Output:
	// disallowed by robots.txt line 2
}
