package main

import (
	"time"

	"github.com/politefetch/sdk/politefetch/fetchtest"
)

const (
	demoStart = "https://lamps.example/"
	demoKey   = "demo-key-0123456789" // of the stand-in, which takes no other
)

// demoPages are the pages of the bundled site's sitemap.
var demoPages = []string{"/table-lamps", "/floor-lamps", "/shades", "/about"}

// scriptDemo gives a site its pages.
func scriptDemo(s *fetchtest.Site) {
	s.Latency = 30 * time.Millisecond
	s.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /\n\nUser-agent: KiwiRankBot\nDisallow: /cart\n\nSitemap: "+demoStart+"sitemap.xml\n"))
	s.Set("/", fetchtest.HTML("<title>Lamps</title><p>We sell lamps and have done so since 1923.</p>"))
	s.Set("/llms.txt", fetchtest.Text("# Lamps\n\n> A shop.\n\n## Pages\n\n- [About](/about)\n- [The cart](/cart/1)\n"))
	locs := []string{demoStart, demoStart + "cart/1"}
	for i, path := range demoPages {
		locs = append(locs, demoStart+path[1:])
		// Answers that come at the same instant are in no order.
		s.Set(path, fetchtest.HTML("<title>"+path+"</title><p>Lamps, shades, bulbs.</p>").After(time.Duration(i)*7*time.Millisecond))
	}
	s.Set("/sitemap.xml", fetchtest.Sitemap(locs...))
}

// demoWall is what a bot wall answers in the site's place.
func demoWall() fetchtest.Answer {
	return fetchtest.HTML(`<!doctype html><title>Just a moment...</title><script>window._cf_chl_opt={cvId:"3"};</script>`)
}
