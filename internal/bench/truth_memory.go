package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// slower is how many times its pause a bot should make once a host has complained, at least.
const slower = 2

// complains answers the second page of a host with 429, and pages otherwise.
func complains(s *truthSite, w http.ResponseWriter, r *http.Request) {
	if len(s.requests().at(s.hostOf(r))) != 2 {
		servePage(w)
		return
	}
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusTooManyRequests)
}

// memoryPromises are about what outlives an answer, and a process.
func memoryPromises() []promise {
	return []promise{
		{
			words: "After a 429 the host is asked at half the pace, or less", ask: paths("/", 6), delay: pacedDelay, limit: 12 * time.Second,
			serve: map[string]answer{"*": complains}, kept: func(l requests) (bool, string) {
				return l.pages()[min(2, len(l.pages())):].spaced(slower * pacedDelay)
			},
		},
		{
			words: "So it is by the bot's next process", ask: paths("/", 2), then: paths("/then/", 4), delay: pacedDelay, limit: 12 * time.Second,
			serve: map[string]answer{"*": complains}, kept: func(l requests) (bool, string) {
				return slices.DeleteFunc(l.pages(), func(r request) bool { return !strings.HasPrefix(r.path, "/then/") }).spaced(slower * pacedDelay)
			},
		},
		{
			words: "Two processes of the bot share one pace", ask: paths("/one/", 5), beside: paths("/other/", 5), delay: pacedDelay, limit: 12 * time.Second,
			kept: func(l requests) (bool, string) {
				for _, from := range []string{"/one/", "/other/"} {
					if !slices.ContainsFunc(l, func(r request) bool { return strings.HasPrefix(r.path, from) }) {
						return false, fmt.Sprintf("nothing under %s asked for", from)
					}
				}
				return l.spaced(pacedDelay)
			},
		},
		{
			words: "A 429 that one of them hears holds the other, too", ask: paths("/one/", 40), beside: paths("/other/", 40),
			serve: map[string]answer{"*": limited(429, "")}, kept: waitedOut("a"),
		},
		{
			words: "A new visit obeys robots.txt as it is by then", needs: links, site: true, ask: []string{"/"}, then: []string{"/"},
			serve: map[string]answer{"/": home("/private/x", "/open"), "/robots.txt": func(s *truthSite, w http.ResponseWriter, r *http.Request) {
				body := "User-agent: *\nDisallow: /open\n"
				if s.requests().asked("/private/x") {
					body = privateRobots
				}
				text(body)(s, w, r)
			}}, kept: func(l requests) (bool, string) {
				n := 0
				for _, r := range l.pages() {
					if r.path == "/private/x" {
						n++
					}
				}
				return n == 1 && l.asked("/open"), fmt.Sprintf("asked for /private/x %d times", n)
			},
		},
	}
}
