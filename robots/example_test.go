package robots_test

import (
	"fmt"

	"github.com/politefetch/sdk/robots"
)

func Example() {
	file := robots.Parse([]byte(`
User-agent: *
Crawl-delay: 5
Disallow: /private
Allow: /private/press/

Sitemap: https://example.com/sitemap.xml
`))
	group := file.Group("KiwiRankBot")
	for _, path := range []string{"/", "/private/a.html", "/private/press/1.html"} {
		fmt.Println(path, group.TestPath(path))
	}
	delay, _ := group.CrawlDelay()
	fmt.Println(delay, file.Sitemaps())
	// Output:
	// / allowed: no rule of robots.txt matches
	// /private/a.html disallowed by robots.txt line 4: Disallow: /private
	// /private/press/1.html allowed by robots.txt line 5: Allow: /private/press/
	// 5s [https://example.com/sitemap.xml]
}
