package main

import (
	"fmt"
	"net/http"

	"github.com/politefetch/sdk/internal/page"
)

// The bare client asks, reads what ours reads, and nothing else: no robots.txt, no pace, no
// limits.
func init() {
	Crawls = append(Crawls, Subject[FetchPages]{Other, bareClient, func(base string, pages int) (links int, err error) {
		transport := &http.Transport{}
		defer transport.CloseIdleConnections()
		for i := range pages {
			req, err := http.NewRequest(http.MethodGet, fmt.Sprint(base, "/p/", i), nil)
			if err != nil {
				return links, err
			}
			req.Header.Set("User-Agent", benchAgent)
			resp, err := transport.RoundTrip(req)
			if err != nil {
				return links, err
			}
			facts, err := page.Scan(resp.Body, &page.Options{URL: req.URL, Header: resp.Header, Status: resp.StatusCode, Product: "BenchBot"})
			resp.Body.Close()
			if err != nil {
				return links, err
			}
			links += len(facts.Links)
		}
		return links, nil
	}})
}
