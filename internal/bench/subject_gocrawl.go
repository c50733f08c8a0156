package main

import (
	"net/http"

	"github.com/PuerkitoBio/gocrawl"
	"github.com/PuerkitoBio/goquery"
)

// gocrawlExtender follows links or doesn't, and is silent.
type gocrawlExtender struct {
	gocrawl.DefaultExtender
	follow bool
}

func (*gocrawlExtender) Log(gocrawl.LogFlags, gocrawl.LogFlags, string) {}

func (e *gocrawlExtender) Visit(*gocrawl.URLContext, *http.Response, *goquery.Document) (any, bool) {
	return nil, e.follow
}

func init() {
	Bots = append(Bots, Subject[Bot]{Peer, "gocrawl", Bot{Run: func(job *TruthJob) error {
		o := gocrawl.NewOptions(&gocrawlExtender{follow: job.Site})
		o.RobotUserAgent, o.UserAgent, o.CrawlDelay, o.SameHostOnly = job.Product, job.UserAgent, job.Delay, job.Site
		return gocrawl.NewCrawlerWithOptions(o).Run(job.Ask)
	}, Lacks: map[need]string{sitemaps: "it reads no sitemaps"}}})
}
