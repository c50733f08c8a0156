package main

import (
	"fmt"
	"net/http"
	"slices"
	"time"
)

const (
	limitedFor = 2 * time.Second
	limitedAt  = 3 // pages
)

// limited answers the third page of a host, and what comes in the two seconds after that,
// with a status and a Retry-After, and pages otherwise. The wait is the rest of the two
// seconds, rounded up, or the instant in a form of dates.
func limited(code int, form string) answer {
	return func(s *truthSite, w http.ResponseWriter, r *http.Request) {
		end, ok := s.requests().at(s.hostOf(r)).limitEnds()
		if !ok || time.Now().After(end) {
			servePage(w)
			return
		}
		w.Header().Set("Retry-After", fmt.Sprint(int(time.Until(end)/time.Second)+1))
		if form != "" {
			w.Header().Set("Retry-After", end.Add(time.Second).UTC().Format(form)) // whole seconds, rounded up
		}
		w.WriteHeader(code)
	}
}

// limitEnds is when a host that limits after its third page opens again.
func (l requests) limitEnds() (time.Time, bool) {
	if len(l) < limitedAt {
		return time.Time{}, false
	}
	return l[limitedAt-1].began.Add(limitedFor), true
}

// waitedOut reports whether hosts that limited were left alone until they opened.
func waitedOut(hosts ...string) func(l requests) (bool, string) {
	return func(l requests) (bool, string) {
		for _, host := range hosts {
			at := l.at(host)
			end, ok := at.limitEnds()
			if !ok {
				return false, fmt.Sprintf("%d requests", len(at))
			}
			if n := at[limitedAt:].before(end); n > 0 {
				return false, fmt.Sprintf("%d requests within the 2 s", n)
			}
		}
		return true, ""
	}
}

// before counts what came before an instant.
func (l requests) before(end time.Time) int {
	n, _ := slices.BinarySearchFunc(l, end, func(r request, end time.Time) int { return r.began.Compare(end) })
	return n
}

// limitPromises are about hosts that ask for fewer requests.
func limitPromises() []promise {
	many := paths("/", 40)
	return []promise{
		{
			words: "429 with Retry-After holds every request to the host", by: "RFC 6585 4", ask: many,
			serve: map[string]answer{"*": limited(429, "")}, kept: waitedOut("a"),
		},
		{
			words: "So it does as a date, in each of the three forms", by: "RFC 9110 5.6.7",
			ask: slices.Concat(paths("a/", 40), paths("b/", 40), paths("c/", 40)),
			serve: map[string]answer{
				"a*": limited(429, http.TimeFormat), "b*": limited(429, "Monday, 02-Jan-06 15:04:05 GMT"), "c*": limited(429, time.ANSIC),
			},
			kept: waitedOut("a", "b", "c"),
		},
		{
			words: "503 and 403 with Retry-After do the same", by: "RFC 9110 10.2.3", ask: append(paths("a/", 40), paths("b/", 40)...),
			serve: map[string]answer{"a*": limited(503, ""), "b*": limited(403, "")}, kept: waitedOut("a", "b"),
		},
		{
			words: "A redirect's Retry-After is waited out before its next hop", by: "RFC 9110 10.2.3", ask: []string{"/moved"},
			serve: map[string]answer{"/moved": func(s *truthSite, w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Retry-After", "2")
				redirect("/there")(s, w, r)
			}}, kept: func(l requests) (bool, string) { return l.pages().spaced(limitedFor) },
		},
		{
			words: "Other hosts are asked meanwhile", ask: append(paths("a/", 40), paths("b/", 40)...),
			serve: map[string]answer{"a*": limited(429, "")}, kept: func(l requests) (bool, string) {
				end, ok := l.at("a").limitEnds()
				b := l.at("b")
				n := b.before(end) - b.before(end.Add(-limitedFor))
				return ok && n > 5, fmt.Sprintf("%d requests to the other host in the 2 s", n)
			},
		},
		{
			words: "A bot wall's page ends the reading of a site", needs: links, site: true, ask: []string{"/"},
			serve: map[string]answer{"/": home(paths("/", 6)...), "*": challenge(403)}, kept: func(l requests) (bool, string) {
				n := len(slices.DeleteFunc(l.pages(), func(r request) bool { return r.path == "/" }))
				return n == 1, fmt.Sprintf("%d walls met", n)
			},
		},
	}
}
