package main

import (
	"fmt"
	"net/url"

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
	Bots = append(Bots, Subject[Bot]{Peer, collyName, Bot{Run: func(job *TruthJob) error {
		c := colly.NewCollector(colly.Async(true), colly.UserAgent(job.UserAgent))
		c.IgnoreRobotsTxt = false
		c.DisableCookies()
		for _, host := range job.Hosts {
			if err := c.Limit(&colly.LimitRule{DomainGlob: host, Parallelism: 1, Delay: job.Delay}); err != nil {
				return err
			}
		}
		return collyJob(c, job)
	}, Lacks: map[need]string{sitemaps: collyNoSitemaps}}})
}

const collyNoSitemaps = "it leaves finding sitemaps to its caller"

// collyJob has a collector do a job.
func collyJob(c *colly.Collector, job *TruthJob) error {
	if job.Site {
		home, err := url.Parse(job.Ask[0])
		if err != nil {
			return err
		}
		c.AllowedDomains = []string{home.Hostname()}
		c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
	}
	for _, addr := range job.Ask {
		_ = c.Visit(addr) // what it refuses, the server doesn't see
	}
	c.Wait()
	return nil
}
