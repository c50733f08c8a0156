package main

import (
	"net/http"
	"time"
)

// networkPromises are about connections.
func networkPromises() []promise {
	closing := func(s *truthSite, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		servePage(w)
	}
	outside := func(l requests) (bool, string) {
		for _, r := range l {
			if r.host == "inside" {
				return false, "asked the private address for " + r.path
			}
		}
		return true, ""
	}
	again := 300 * time.Millisecond
	return []promise{
		{words: "A redirect does not lead to a private address", ask: []string{"/open", "/go?inside/secret"}, kept: func(l requests) (bool, string) {
			if !l.asked("/go?inside/secret") {
				return false, "the redirect was not asked for"
			}
			return outside(l)
		}},
		{
			words: "Nor does a name that is looked up anew (DNS rebinding)", ask: []string{"http://" + rebindName + "/1", "http://" + rebindName + "/2", "http://" + rebindName + "/3"},
			serve: map[string]answer{"/robots.txt": closing, "*": closing}, kept: outside,
		},
		{
			words: "A server's goodbye (HTTP/2 GOAWAY) is not answered with a burst of requests", ask: []string{"h2/page"}, delay: again, limit: 4 * time.Second,
			kept: func(l requests) (bool, string) {
				at := l.at("h2")
				switch n := len(at); {
				case n == 0:
					return false, "no page was asked for"
				case n > 2:
					return false, "more than 2 requests for one page"
				case n == 2:
					return at.spaced(again)
				}
				return true, ""
			},
		},
	}
}
