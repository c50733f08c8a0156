package main

import (
	"fmt"
	"net/http"
	"time"
)

const (
	// pacedDelay is long beside what a busy machine adds to a request.
	pacedDelay = 400 * time.Millisecond
	slowAnswer = 250 * time.Millisecond
)

// slow answers with a page after a while.
func slow(_ *truthSite, w http.ResponseWriter, _ *http.Request) {
	time.Sleep(slowAnswer)
	servePage(w)
}

// pacePromises are about the time between requests.
func pacePromises() []promise {
	return []promise{
		{
			words: "One request at a time to a host", ask: paths("/", 8), serve: map[string]answer{"*": slow},
			kept: func(l requests) (bool, string) {
				most := 0
				for _, r := range l {
					most = max(most, r.beside)
				}
				return most == 1, fmt.Sprintf("%d at a time", most)
			},
		},
		{
			words: "The bot's pause lies between robots.txt and the first page, too", ask: paths("/", 2), delay: pacedDelay,
			kept: func(l requests) (bool, string) { return l.spaced(pacedDelay) },
		},
		{
			words: "The pause runs from the end of a slow answer", ask: paths("/", 4), delay: pacedDelay, serve: map[string]answer{"*": slow},
			kept: func(l requests) (bool, string) { return l.pages().spaced(pacedDelay + slowAnswer) },
		},
		{
			words: "A Crawl-delay lengthens the bot's pause", ask: paths("/", 3), delay: pacedDelay,
			serve: map[string]answer{"/robots.txt": text("User-agent: *\nCrawl-delay: 1\n")},
			kept:  func(l requests) (bool, string) { return l.pages().spaced(time.Second) },
		},
		{
			words: "A Crawl-delay never shortens it", ask: paths("/", 3), delay: pacedDelay,
			serve: map[string]answer{"/robots.txt": text("User-agent: *\nCrawl-delay: 0.1\n")},
			kept:  func(l requests) (bool, string) { return l.pages().spaced(pacedDelay) },
		},
	}
}

// home answers with a page that links to others.
func home(where ...string) answer {
	return func(s *truthSite, w http.ResponseWriter, _ *http.Request) {
		var linked []string
		for _, to := range where {
			linked = append(linked, s.location(to))
		}
		servePage(w, linked...)
	}
}
