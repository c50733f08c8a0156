package main

import (
	"fmt"

	"github.com/gocolly/colly/v2"
)

func init() {
	Crawls = append(Crawls, Subject[FetchPages]{Peer, collyName, func(base string, pages int) (links int, err error) {
		c := colly.NewCollector(colly.UserAgent(benchAgent))
		c.IgnoreRobotsTxt = false
		words := 0
		c.OnHTML("title", func(e *colly.HTMLElement) { words += len(e.Text) })
		c.OnHTML(`meta[name="robots"]`, func(e *colly.HTMLElement) { words += len(e.Attr("content")) })
		c.OnHTML(`link[rel="canonical"]`, func(e *colly.HTMLElement) { words += len(e.Attr("href")) })
		c.OnHTML("body", func(e *colly.HTMLElement) { words += len(e.Text) })
		c.OnHTML("a[href]", func(e *colly.HTMLElement) {
			if e.Request.AbsoluteURL(e.Attr("href")) != "" {
				links++
			}
		})
		for i := range pages {
			if err := c.Visit(fmt.Sprint(base, "/p/", i)); err != nil {
				return links, err
			}
		}
		return links, nil
	}})
}
