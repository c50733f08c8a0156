package main

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/politefetch/sdk/politefetch/fetchtest"
)

// demoCode is the tracking code of the bundled site.
const demoCode = "metrimato-4711-demo"

// A demoSize says how large the bundled site is and how slowly it wants to be read.
type demoSize struct {
	articles   int
	crawlDelay time.Duration
}

// The demo as -demo shows it: some 60 pages in well under a minute.
var fullDemo = demoSize{articles: 40, crawlDelay: 400 * time.Millisecond}

// demoSite scripts the bundled site, which is served at base ("http://127.0.0.1:8080").
func demoSite(base string, size demoSize) *fetchtest.Site {
	s := &fetchtest.Site{Latency: 5 * time.Millisecond}
	set := func(path string, answers ...fetchtest.Answer) { s.Set(path, answers...) }

	set("/robots.txt", fetchtest.Text(fmt.Sprintf(demoRobots, size.crawlDelay.Seconds(), base)))
	set("/sitemap_index.xml", fetchtest.SitemapIndex(base+"/sitemap-articles.xml.gz", base+"/sitemap-pages.xml"))

	var home strings.Builder
	home.WriteString("<p>This is the home page. <script>track('" + demoCode + "')</script>")
	for _, path := range []string{"/about", "/articles/1", "/logo.png", "/brochure.pdf", "/shop/cart"} {
		fmt.Fprintf(&home, ` <a href="%s">%s</a>`, path, path)
	}
	set("/", demoPage("Welcome", home.String()))

	articles := make([]string, size.articles)
	for i := range articles {
		path := fmt.Sprintf("/articles/%d", i+1)
		articles[i] = base + path
		set(path, demoPage(fmt.Sprintf("Article %d", i+1), demoText(i)))
	}
	set("/sitemap-articles.xml.gz", fetchtest.Sitemap(articles...).Gzip())

	// Pages that say the same under two addresses and in two dresses.
	about := "<p>We sell lamps and have done so since 1923.</p>"
	set("/about", demoPage("About us", about))
	set("/about-us", demoPage("About us", `<div class="new">`+about+`</div>`))
	set("/articles/1/print", demoPage("Article 1", demoText(0)))

	// Redirects: on the site, to a page that has a row of its own, off it, and in a circle.
	set("/old-home", fetchtest.Redirect("/welcome"))
	set("/welcome", demoPage("Hello", "<p>The address that the old one leads to.</p>"))
	set("/old-about", fetchtest.Redirect("/about"))
	set("/partner", fetchtest.Redirect("https://partner.example/offers"))
	set("/circle", fetchtest.Redirect("/circle/round"))
	set("/circle/round", fetchtest.Redirect("/circle"))
	set("/to-cart", fetchtest.Redirect("/shop/cart"))

	// What is no HTML: by its address it is not asked for, else dropped at its head.
	set("/logo.png", fetchtest.Answer{Status: http.StatusOK, Header: http.Header{"Content-Type": {"image/png"}}, Body: "\x89PNG"})
	set("/brochure.pdf", fetchtest.Answer{Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/pdf"}}, Body: "%PDF-1.7"})
	set("/download", fetchtest.Answer{Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/pdf"}}, Body: "%PDF-1.7"})

	set("/everything", demoPage("Everything on one page", strings.Repeat("<p>Lamps, shades, bulbs and switches.</p>\n", 60_000)))
	set("/gone", fetchtest.HTML("<p>It was here once.").With("X-Robots-Tag", "noindex"))
	set("/empty", fetchtest.HTML(""))
	set("/broken", fetchtest.Status(http.StatusInternalServerError))
	set("/members", fetchtest.Status(http.StatusForbidden))
	set("/busy", fetchtest.Status(http.StatusTooManyRequests).RetryAfter(2*time.Second), demoPage("Busy", "<p>The second time it answers.</p>"))
	set("/contact", demoPage("Contact", `<form action="/send"><input name="q"></form><p>Write to us.</p>`))

	var pages []string
	for _, path := range []string{
		"/", "/about", "/about-us", "/articles/1/print", "/old-home", "/old-about", "/partner", "/circle", "/to-cart",
		"/shop/cart", "/shop/checkout", "/search?q=lamp", "/logo.png", "/brochure.pdf", "/download", "/everything",
		"/gone", "/empty", "/broken", "/members", "/missing", "/busy", "/contact",
	} {
		pages = append(pages, base+path)
	}
	set("/sitemap-pages.xml", fetchtest.Sitemap(pages...))
	return s
}

// demoRobots has a group of its own for the scanner: the one for all others does not bind
// it.
const demoRobots = `User-agent: *
Disallow: /

User-agent: Metrimato-Scanner
Crawl-delay: %g
Disallow: /shop/
Disallow: /*?q=

Sitemap: %s/sitemap_index.xml
`

func demoPage(title, body string) fetchtest.Answer {
	return fetchtest.HTML("<!doctype html>\n<html lang=\"en\"><head><title>" + title + "</title>" +
		`<meta name="description" content="A page of the bundled site."><link rel="stylesheet" href="/style.css">` +
		"</head><body>\n<h1>" + title + "</h1>\n" + body + "\n<img src=\"/logo.png\"></body></html>\n")
}

// demoText is some text, another for each n.
func demoText(n int) string {
	words := strings.Fields("lamps light rooms shades soften bright bulbs while switches rest near every door")
	var b strings.Builder
	b.WriteString("<p>")
	for i := range 40 + 7*(n%9) {
		b.WriteString(words[(i*(n+3)+n)%len(words)] + " ")
	}
	fmt.Fprintf(&b, "</p><p>Number %d. <a href=\"/articles/%d\">Next</a> <a href=\"/about\">About</a></p>", n, n+2)
	return b.String()
}
