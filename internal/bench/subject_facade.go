package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/politefetch/sdk/internal/page"
	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/ratepolicy"
)

const benchAgent = "BenchBot/1.0 (+https://bench.example/bot)"

func init() {
	base := &url.URL{Scheme: "https", Host: "www.example.com", Path: "/dir/page"}
	header := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	Pages = append(Pages, Subject[ReadPage]{Ours, ours, func(body []byte) (PageFacts, error) {
		f, err := page.Scan(bytes.NewReader(body), &page.Options{URL: base, Header: header})
		if err != nil {
			return PageFacts{}, err
		}
		robots := ""
		if f.NoIndex {
			robots = "noindex, follow"
		}
		return PageFacts{Title: f.Title, Robots: robots, Canonical: f.Canonical, Links: len(f.Links), Words: f.Words}, nil
	}})

	Crawls = append(Crawls,
		Subject[FetchPages]{Ours, ours + ", Fetch", func(base string, pages int) (links int, err error) {
			bot, err := localBot(base)
			if err != nil {
				return 0, err
			}
			defer bot.CloseIdleConnections()
			for i := range pages {
				p, err := bot.Fetch(context.Background(), fmt.Sprint(base, "/p/", i), &politefetch.FetchOptions{DropBody: true})
				if err != nil {
					return links, err
				}
				links += len(p.Summary().Links)
			}
			return links, nil
		}},
		Subject[FetchPages]{Ours, ours + ", Visit", func(base string, pages int) (links int, err error) {
			bot, err := localBot(base)
			if err != nil {
				return 0, err
			}
			defer bot.CloseIdleConnections()
			v, err := bot.Visit(base+"/p/0", &politefetch.VisitOptions{MaxPages: pages, DropBodies: true})
			if err != nil {
				return 0, err
			}
			read := 0
			for p, err := range v.Pages(context.Background()) {
				if err != nil {
					return links, err
				}
				read++
				links += len(p.Summary().Links)
			}
			if read != pages {
				return links, fmt.Errorf("read %d pages: %s", read, v.Report().Why)
			}
			return links, nil
		}})
}

// localBot is a bot that may connect to one address of this machine, and doesn't wait.
func localBot(base string) (*politefetch.Crawler, error) {
	addr, err := netip.ParseAddrPort(strings.TrimPrefix(base, "http://"))
	if err != nil {
		return nil, err
	}
	return politefetch.New(politefetch.Config{
		Product: "BenchBot", UserAgent: benchAgent, MaxPages: -1,
		Guard:  politefetch.GuardOptions{Allow: []netip.AddrPort{addr}},
		Policy: ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: -1}},
	})
}
