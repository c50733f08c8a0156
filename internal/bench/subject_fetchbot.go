package main

import (
	"io"
	"net/http"
	"sync/atomic"

	"github.com/PuerkitoBio/fetchbot"
)

func init() {
	Bots = append(Bots, Subject[Bot]{Peer, "fetchbot", Bot{Run: func(job *TruthJob) error {
		var left atomic.Int64
		left.Store(int64(len(job.Ask)))
		done := make(chan struct{})
		f := fetchbot.New(fetchbot.HandlerFunc(func(_ *fetchbot.Context, resp *http.Response, err error) {
			if err == nil {
				_, _ = io.Copy(io.Discard, resp.Body) // as whoever looks at pages does
			}
			if left.Add(-1) == 0 {
				close(done)
			}
		}))
		f.UserAgent, f.CrawlDelay = job.UserAgent, job.Delay
		q := f.Start()
		if _, err := q.SendStringGet(job.Ask...); err != nil {
			return err
		}
		<-done
		return q.Close()
	}, Lacks: map[need]string{
		bodies:   "it leaves the reading of pages to its caller",
		links:    "it leaves finding links to its caller",
		sitemaps: "it reads no sitemaps",
	}}})
}
