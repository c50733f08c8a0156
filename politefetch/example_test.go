package politefetch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
	"github.com/politefetch/sdk/ratepolicy"
)

// exampleBot is a bot whose network is a scripted site, so that the examples need none.
func exampleBot(site *fetchtest.Site) *politefetch.Crawler {
	bot, err := politefetch.New(politefetch.Config{
		Product:   "ExampleBot",
		UserAgent: "ExampleBot/1.0 (+https://bot.example/)",
		Policy:    ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: time.Millisecond}},
		Transport: site, // leave it out to reach the web
	})
	if err != nil {
		panic(err)
	}
	return bot
}

func ExampleCrawler_Visit() {
	var site fetchtest.Site
	site.Set("/robots.txt", fetchtest.Text("User-agent: ExampleBot\nDisallow: /private\n"))
	site.Set("/sitemap.xml", fetchtest.Sitemap("https://site.example/a", "https://site.example/private"))
	site.Set("/", fetchtest.HTML("<title>Home</title><p>Two words"))
	site.Set("/a", fetchtest.HTML("<title>A</title><p>And three words"))

	visit, err := exampleBot(&site).Visit("https://site.example/", &politefetch.VisitOptions{HTMLOnly: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for page, err := range visit.Pages(context.Background()) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(page.Status, page.URL, page.Summary().Words, "words")
	}
	fmt.Println(visit.Report().Outcome)
	// Output:
	// 200 https://site.example/ 2 words
	// 200 https://site.example/a 3 words
	// politefetch: https://site.example/private: disallowed by robots.txt line 2: Disallow: /private
	// done
}

func ExampleCrawler_Fetch() {
	var site fetchtest.Site
	site.Set("/news", fetchtest.Redirect("/today"))
	site.Set("/today", fetchtest.HTML("<title>Today</title>"))
	site.Set("/busy", fetchtest.Status(429).RetryAfter(time.Hour))
	bot := exampleBot(&site)

	page, err := bot.Fetch(context.Background(), "https://site.example/news", nil)
	fmt.Println(page.Final, page.Summary().Title, err)

	page, err = bot.Fetch(context.Background(), "https://site.example/busy", nil)
	fmt.Println(page.Outcome, err) // an answer is not an error
	_, err = bot.Fetch(context.Background(), "https://site.example/today", nil)
	if w, ok := errors.AsType[*ratepolicy.WaitError](err); ok {
		fmt.Println("come back in", time.Until(w.Until).Round(time.Minute)) // the host's every address waits
	}
	// Output:
	// https://site.example/today Today <nil>
	// limited <nil>
	// come back in 1h0m0s
}

func ExampleCrawler_RoundTrip() {
	var site fetchtest.Site
	site.Set("/feed.xml", fetchtest.XML("<rss/>"))
	client := &http.Client{Transport: exampleBot(&site)}

	resp, err := client.Get("https://site.example/feed.xml")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	fmt.Println(string(body), err)
	for _, x := range site.Log() {
		fmt.Println(x.URL, x.Header.Get("User-Agent"))
	}
	// Output:
	// <rss/> <nil>
	// https://site.example/robots.txt ExampleBot/1.0 (+https://bot.example/)
	// https://site.example/feed.xml ExampleBot/1.0 (+https://bot.example/)
}

func ExampleCrawler_Robots() {
	var site fetchtest.Site
	site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /\n\nUser-agent: ExampleBot\nDisallow: /cgi-bin/\nCrawl-delay: 2\n"))

	group, err := exampleBot(&site).Robots(context.Background(), "https://site.example/")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(group.TestPath("/cgi-bin/x"))
	delay, _ := group.CrawlDelay()
	fmt.Println(delay)
	// Output:
	// disallowed by robots.txt line 5: Disallow: /cgi-bin/
	// 2s
}
