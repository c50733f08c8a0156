package main

import (
	"bytes"
	"net/http"
	"net/url"

	"github.com/politefetch/sdk/internal/page"
)

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
}
