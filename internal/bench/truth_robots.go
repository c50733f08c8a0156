package main

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// status answers with a status and, where it isn't 0, a Retry-After in seconds.
func status(code, wait int) answer {
	return func(_ *truthSite, w http.ResponseWriter, _ *http.Request) {
		if wait > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(wait))
		}
		w.WriteHeader(code)
	}
}

// cut ends the connection in place of an answer.
func cut(*truthSite, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// challenge answers with a bot wall's page, with a status.
func challenge(code int) answer {
	return func(_ *truthSite, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Server", "cloudflare")
		if code == http.StatusForbidden {
			w.Header().Set("Cf-Mitigated", "challenge")
		}
		w.WriteHeader(code)
		fmt.Fprint(w, `<!doctype html><title>Just a moment...</title><script>window._cf_chl_opt={cType:"managed"};`+
			`var s=document.createElement("script");s.src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=0000000000000000"</script>`)
	}
}

// redirect answers with a redirect.
func redirect(where string) answer {
	return func(s *truthSite, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", s.location(where))
		w.WriteHeader(http.StatusMovedPermanently)
	}
}

func nothing(l requests) (bool, string) {
	return len(l.pages()) == 0, fmt.Sprintf("%d pages asked for", len(l.pages()))
}

const privateRobots = "User-agent: *\nDisallow: /private\n"

// robotsPromises are about fetching robots.txt.
func robotsPromises() []promise {
	unread := func(words, by string, robots answer) promise {
		return promise{words: words, by: by, ask: []string{"/1", "/2"}, serve: map[string]answer{"/robots.txt": robots}, kept: nothing}
	}
	moved := map[string]answer{"a/robots.txt": redirect("/r1"), "a/r5": text(privateRobots), "b/robots.txt": text(privateRobots)}
	for i := 1; i < 5; i++ {
		moved["a/r"+strconv.Itoa(i)] = redirect("/r" + strconv.Itoa(i+1))
	}
	forty := paths("/", 40)
	return []promise{
		{words: "No robots.txt (404): all is open", ask: []string{"/open"}, kept: obeyed("", "/open")},
		unread("robots.txt answered 503: nothing is asked for", "RFC 9309 2.3.1.4", status(503, 0)),
		unread("robots.txt cut off: nothing is asked for", "RFC 9309 2.3.1.4", cut),
		unread("robots.txt answered 429 with Retry-After: no page is asked for before it was had", "", status(429, 2)),
		unread("A bot wall's page in place of robots.txt (with status 200) opens nothing", "", challenge(200)),
		{
			words: "robots.txt redirected five times is obeyed", by: "RFC 9309 2.3.1.2", ask: []string{"/private/x", "/open"},
			serve: moved, kept: obeyed("/private/x", "/open"),
		},
		{
			words: "robots.txt redirected to another host is obeyed", by: "RFC 9309 2.3.1.2", ask: []string{"/private/x", "/open"},
			serve: map[string]answer{"a/robots.txt": redirect("b/robots.txt"), "b/robots.txt": text(privateRobots)}, kept: obeyed("/private/x", "/open"),
		},
		{
			words: "robots.txt is asked for once, not for every page", ask: forty, delay: -1,
			serve: map[string]answer{"/robots.txt": text(privateRobots)}, kept: func(l requests) (bool, string) {
				n := len(l) - len(l.pages())
				return n == 1 && len(l.pages()) > 20, fmt.Sprintf("%d times for %d pages", n, len(l.pages()))
			},
		},
		{
			words: "An endless robots.txt is left", by: "RFC 9309 2.5", ask: []string{"/open"}, serve: map[string]answer{"/robots.txt": endless("# " + strings.Repeat("x", 1021) + "\n")},
			kept: leftEarly("/robots.txt"),
		},
	}
}

// paths are prefix+"1" and so on.
func paths(prefix string, n int) []string {
	var out []string
	for i := range n {
		out = append(out, prefix+strconv.Itoa(i+1))
	}
	return out
}
