package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/ratepolicy"
)

// benchIdleHosts weighs a Crawler's memory of hosts. The first time, and again once all
// have been asked a second time: it must not grow.
func benchIdleHosts(b *bench, title string) error {
	const hosts = 10_000
	names := make([]string, hosts)
	for i := range names {
		names[i] = fmt.Sprintf("https://www.host-%d.example.com/", i)
	}
	before := liveHeap()
	bot, err := politefetch.New(politefetch.Config{
		Product: "BenchBot", UserAgent: benchAgent, Transport: anySite{},
		Policy: ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: -1}},
	})
	if err != nil {
		return err
	}
	var rows [][]string
	for _, times := range []string{"one page of each", "another page of each"} {
		for _, name := range names {
			p, err := bot.Fetch(context.Background(), name, &politefetch.FetchOptions{DropBody: true})
			if err != nil {
				return err
			}
			if p.Outcome != politefetch.Done {
				return fmt.Errorf("%s: %s", name, p.Outcome)
			}
		}
		rows = append(rows, []string{times, fmt.Sprintf("%.0f", (float64(liveHeap())-float64(before))/hosts), fmt.Sprint(runtime.NumGoroutine())})
	}
	runtime.KeepAlive(bot)
	b.table(title, []string{"after", "heap bytes a host", "goroutines"}, rows)
	return nil
}

// anySite answers for every host: robots.txt with ten rules, and a small page.
type anySite struct{}

func (anySite) RoundTrip(r *http.Request) (*http.Response, error) {
	contentType, body := "text/html; charset=utf-8", "<title>Hello</title><p>A page of "+r.URL.Host
	if r.URL.Path == "/robots.txt" {
		contentType, body = "text/plain", "User-agent: *\n"+strings.Repeat("Disallow: /private/\n", 10)
	}
	return &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: -1,
		Header: http.Header{"Content-Type": {contentType}}, Body: io.NopCloser(strings.NewReader(body)), Request: r,
	}, nil
}
