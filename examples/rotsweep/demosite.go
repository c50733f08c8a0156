package main

import (
	"net/http"
	"strings"
	"time"

	"github.com/politefetch/sdk/politefetch/fetchtest"
)

const (
	demoClosed = "https://members.example/area" // robots.txt disallows it
	demoGuised = "picky.example"                // where one link is asked for as a browser
)

// demoList is the list of the bundled sites.
const demoList = `# what a customer's pages link to
https://steady.example/guide
https://steady.example/catalogue   # answers 304 while it is the same
https://steady.example/guide#prices
https://offers.example/spring
https://news.example/statement
https://news.example/archive
https://gone.example/page
https://round.example/a
https://blip.example/
https://down.example/
https://gate.example/
https://picky.example/report browser=firefox
https://wall.example/
` + demoClosed + `
https://slow.example/1
https://slow.example/2
https://www.busy.example/1
https://blog.busy.example/2
https://left-alone.example/
`

const (
	demoText = "We sell lamps and have done so since 1923. Our shop is open on weekdays, and on the first Saturday of each month. " +
		"Lamps that were bought from us are repaired free of charge for ten years; shades and bulbs are not. Write to us, or come by: the kettle is on."
	demoOther = "This domain may be for sale. Make an offer, or have a look at what others look for: insurance, holidays, loans, shoes."
)

// demoSites scripts the bundled sites as they are at first.
func demoSites() *fetchtest.Site {
	s := &fetchtest.Site{Latency: 15 * time.Millisecond, Fallback: func(r *http.Request) fetchtest.Answer {
		if r.Host == demoGuised || r.URL.Host == demoGuised {
			if r.URL.Path != "/robots.txt" && strings.Contains(r.Header.Get("User-Agent"), "RotSweep") {
				return fetchtest.Status(http.StatusForbidden)
			}
			return demoPage(demoText)
		}
		return fetchtest.Answer{}
	}}
	s.Set("https://steady.example/guide", demoPage(demoText), fetchtest.HTML("<body class=new><main><h1>A <b>page</b></h1><p>"+demoText+"</p></main><!-- made at 12:04 -->"))
	catalogue := demoPage(demoText).With("Etag", `"7"`)
	s.Set("https://steady.example/catalogue", catalogue, fetchtest.Status(http.StatusNotModified).With("Etag", `"7"`))
	s.Set("https://offers.example/spring", demoPage(demoText))
	s.Set("https://news.example/statement", demoPage(demoText))
	s.Set("https://news.example/archive", demoPage(demoText))
	s.Set("https://gone.example/page", demoPage(demoText))
	s.Set("https://round.example/a", demoPage(demoText))
	s.Set("https://blip.example/", demoPage(demoText))
	s.Set("https://down.example/", demoPage(demoText))
	s.Set("https://gate.example/", demoPage(demoText))
	s.Set("https://wall.example/", demoPage(demoText))
	s.Set("https://members.example/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /\n\nUser-agent: RotSweep\nDisallow: /area\n"))
	s.Set(demoClosed, demoPage(demoText))
	s.Set("https://slow.example/robots.txt", fetchtest.Text("User-agent: *\nCrawl-delay: 1\n"))
	s.Set("https://slow.example/1", demoPage(demoText))
	s.Set("https://slow.example/2", fetchtest.Redirect("https://steady.example/guide"))
	s.Set("https://www.busy.example/1", demoPage(demoText))
	s.Set("https://blog.busy.example/2", demoPage(demoText))
	s.Set("https://left-alone.example/", demoPage(demoText))
	s.Set("https://parked.example/", demoPage(demoOther))
	return s
}

// demoChanges is what becomes of them.
func demoChanges(s *fetchtest.Site) {
	s.Set("https://offers.example/spring", fetchtest.Redirect("https://parked.example/"))
	s.Set("https://news.example/statement", demoPage(demoOther))
	s.Set("https://news.example/archive", demoPage(strings.Replace(demoText, "weekdays", "Mondays", 1)))
	s.Set("https://gone.example/page", fetchtest.Status(http.StatusGone))
	s.Set("https://round.example/a", fetchtest.Redirect("/b"))
	s.Set("https://round.example/b", fetchtest.Redirect("/a"))
	s.Set("https://blip.example/", fetchtest.Status(http.StatusBadGateway))
	s.Set("https://down.example/", fetchtest.Status(http.StatusServiceUnavailable))
	s.Set("https://gate.example/", fetchtest.Status(http.StatusForbidden))
	s.Set("https://wall.example/", fetchtest.Challenge())
	s.Set("https://www.busy.example/1", fetchtest.Status(http.StatusTooManyRequests).RetryAfter(time.Hour))
}

// demoRecovers is how a blip ends.
func demoRecovers(s *fetchtest.Site) { s.Set("https://blip.example/", demoPage(demoText)) }

func demoPage(text string) fetchtest.Answer {
	return fetchtest.HTML("<!doctype html>\n<html lang=en><head><title>A bundled page</title></head><body><h1>A page</h1>\n<p>" + text + "</p></body></html>\n")
}
