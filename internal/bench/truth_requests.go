package main

import (
	"fmt"
	"net/http"
	"strings"
)

// none reports whether no request has a header field.
func none(field string) func(l requests) (bool, string) {
	return func(l requests) (bool, string) {
		for _, r := range l {
			if v := r.header.Get(field); v != "" {
				return false, r.path + " with " + field
			}
		}
		return len(l.pages()) > 1, "no second page was asked for"
	}
}

// requestPromises are about what a request says and what it is for.
func requestPromises() []promise {
	return []promise{
		{
			words: "Every request names the bot: robots.txt, pages, redirects", by: "RFC 9309 2.2.1", ask: []string{"/go?/there", "b/page"},
			kept: func(l requests) (bool, string) {
				for _, r := range l {
					if ua := r.header.Get("User-Agent"); !strings.Contains(ua, truthProduct) {
						return false, fmt.Sprintf("%s from %q", r.path, ua)
					}
				}
				return true, ""
			},
		},
		{
			words: "No cookie comes back", ask: []string{"/1", "/2"}, serve: map[string]answer{
				"/1": func(_ *truthSite, w http.ResponseWriter, _ *http.Request) {
					http.SetCookie(w, &http.Cookie{Name: "visitor", Value: "1", Path: "/"})
					servePage(w)
				},
			}, kept: none("Cookie"),
		},
		{words: "No Referer: no page learns where the bot came from", ask: []string{"/go?/there"}, kept: none("Referer")},
		{
			words: "Sitemaps obey robots.txt", needs: sitemaps, site: true, ask: []string{"/"},
			serve: map[string]answer{"/robots.txt": text("User-agent: *\nDisallow: /private\nSitemap: {a}/private/map.xml\n")},
			kept:  obeyed("/private/map.xml", "/"),
		},
	}
}
