package fetchtest_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch/fetchtest"
)

// at is a request that came after ms milliseconds and took 100.
func at(ms int, addr string, a fetchtest.Answer) fetchtest.Exchange {
	u, err := url.Parse(addr)
	if err != nil {
		panic(err)
	}
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(ms) * time.Millisecond)
	if a.Status == 0 {
		a.Status = 200
	}
	return fetchtest.Exchange{
		Method: http.MethodGet, URL: u, Header: http.Header{"User-Agent": {"Bot/1.0"}},
		Began: began, Answered: began.Add(50 * time.Millisecond), Ended: began.Add(100 * time.Millisecond), Answer: a,
	}
}

func page(ms int, addr string) fetchtest.Exchange { return at(ms, addr, fetchtest.Answer{}) }

func TestAudit(t *testing.T) {
	const a, b = "https://a.example", "https://b.example"
	rules := fetchtest.Text("User-agent: *\nDisallow: /\n\nUser-agent: Other\nUser-agent: bot\nDisallow: /no\nAllow: /no/*.html$\nCrawl-delay: 2\n")
	cookie := page(0, a+"/")
	cookie.Header.Set("Cookie", "a=b")
	head := page(0, a+"/")
	head.Method = http.MethodHead
	carrying := func(name string) []fetchtest.Exchange {
		x := page(0, a+"/")
		x.Header.Set(name, "1")
		return []fetchtest.Exchange{x}
	}
	open := page(0, a+"/")
	open.Answered, open.Ended = time.Time{}, time.Time{}
	moves := func(n int) (log []fetchtest.Exchange) { // robots.txt, moved so often, and a page
		for i := range n {
			from := a + "/robots.txt"
			if i > 0 {
				from = fmt.Sprintf("%s/%d", a, i)
			}
			log = append(log, at(200*i, from, fetchtest.Redirect(fmt.Sprintf("/%d", i+1))))
		}
		return append(log, page(9000, a+"/x"))
	}
	tests := []struct {
		name string
		log  []fetchtest.Exchange
		p    fetchtest.Promise
		want string // in the error; "": kept
	}{
		{"nothing asked, nothing broken", nil, fetchtest.Promise{Product: "Bot", Concurrency: 1, Delay: time.Hour}, ""},
		{"user agent", []fetchtest.Exchange{page(0, a+"/")}, fetchtest.Promise{UserAgent: "Bot/2.0"}, `User-Agent is "Bot/1.0"`},
		{"user agent kept", []fetchtest.Exchange{page(0, a+"/")}, fetchtest.Promise{UserAgent: "Bot/1.0"}, ""},
		{"cookie", []fetchtest.Exchange{cookie}, fetchtest.Promise{Anonymous: true}, "carries Cookie"},
		{"method", []fetchtest.Exchange{head}, fetchtest.Promise{Anonymous: true}, "not GET"},
		{"delay from the answer's end", []fetchtest.Exchange{page(0, a+"/"), page(1099, a+"/")}, fetchtest.Promise{Delay: time.Second}, "came 999ms after"},
		{"delay kept", []fetchtest.Exchange{page(0, a+"/"), page(1100, a+"/")}, fetchtest.Promise{Delay: time.Second}, ""},
		{"delay, tolerance", []fetchtest.Exchange{page(0, a+"/"), page(1099, a+"/")}, fetchtest.Promise{Delay: time.Second, Tolerance: 2 * time.Millisecond}, ""},
		{"delay is each host's", []fetchtest.Exchange{page(0, a+"/"), page(200, b+"/")}, fetchtest.Promise{Delay: time.Second}, ""},
		{"delay of one site", []fetchtest.Exchange{page(0, a+"/"), page(200, b+"/")}, fetchtest.Promise{Delay: time.Second, OneSite: true}, "came 100ms after"},
		{"burst", []fetchtest.Exchange{page(0, a+"/"), page(1, a+"/"), page(2, a+"/")}, fetchtest.Promise{Delay: time.Second, Burst: 2}, "came 2ms after"},
		{"burst kept", []fetchtest.Exchange{page(0, a+"/"), page(1, a+"/"), page(1000, a+"/")}, fetchtest.Promise{Delay: time.Second, Burst: 2}, ""},
		{"in flight", []fetchtest.Exchange{page(0, a+"/"), page(99, a+"/")}, fetchtest.Promise{Concurrency: 1}, "2 requests in flight"},
		{"in flight kept", []fetchtest.Exchange{page(0, a+"/"), page(100, a+"/")}, fetchtest.Promise{Concurrency: 1}, ""},
		{"robots.txt first", []fetchtest.Exchange{page(0, a+"/")}, fetchtest.Promise{Product: "Bot"}, "robots.txt of https://a.example:443 had not been read"},
		{"exempt", []fetchtest.Exchange{page(0, a+"/")}, fetchtest.Promise{Product: "Bot", Exempt: []string{"/"}}, ""},
		{"disallowed by the own group", []fetchtest.Exchange{at(0, a+"/robots.txt", rules), page(5000, a+"/no")}, fetchtest.Promise{Product: "Bot"}, "disallowed by robots.txt line 6"},
		{"allowed by the longer rule", []fetchtest.Exchange{at(0, a+"/robots.txt", rules), page(5000, a+"/no/x.html")}, fetchtest.Promise{Product: "Bot"}, ""},
		{"disallowed by the other group", []fetchtest.Exchange{at(0, a+"/robots.txt", rules), page(5000, a+"/x")}, fetchtest.Promise{Product: "Third"}, "disallowed by robots.txt line 2"},
		{"crawl-delay", []fetchtest.Exchange{at(0, a+"/robots.txt", rules), page(1200, a+"/x")}, fetchtest.Promise{Product: "Bot", Delay: time.Second}, "promised 2s"},
		{"robots.txt 503", []fetchtest.Exchange{at(0, a+"/robots.txt", fetchtest.Status(503)), page(500, a+"/x")}, fetchtest.Promise{Product: "Bot"}, "could not be had"},
		{"robots.txt 404", []fetchtest.Exchange{at(0, a+"/robots.txt", fetchtest.Status(404)), page(500, a+"/x")}, fetchtest.Promise{Product: "Bot"}, ""},
		{"robots.txt moved", []fetchtest.Exchange{
			at(0, a+"/robots.txt", fetchtest.Redirect(b+"/r.txt")), at(200, b+"/r.txt", rules), page(9000, a+"/no"),
		}, fetchtest.Promise{Product: "Bot"}, "disallowed by robots.txt line 6"},
		{"robots.txt moved, kept", []fetchtest.Exchange{
			at(0, a+"/robots.txt", fetchtest.Redirect(b+"/r.txt")), at(200, b+"/r.txt", rules), page(9000, a+"/yes"),
		}, fetchtest.Promise{Product: "Bot"}, ""},
		{"robots.txt moved, twice asked for", []fetchtest.Exchange{
			at(0, a+"/robots.txt", fetchtest.Redirect(b+"/r.txt")), at(200, b+"/r.txt", rules),
			at(400, a+"/robots.txt", fetchtest.Redirect(b+"/r.txt")), at(600, b+"/r.txt", rules), page(9000, a+"/no"),
		}, fetchtest.Promise{Product: "Bot"}, "disallowed by robots.txt line 6"},
		{"robots.txt that leads to itself", []fetchtest.Exchange{at(0, a+"/robots.txt", fetchtest.Redirect(a+"/robots.txt")), page(9000, a+"/x")}, fetchtest.Promise{Product: "Bot"}, ""},
		{"before robots.txt had answered", []fetchtest.Exchange{at(0, a+"/robots.txt", rules), page(99, a+"/x")}, fetchtest.Promise{Product: "Bot"}, "had not been read"},
		{"escaped letters", []fetchtest.Exchange{at(0, a+"/robots.txt", rules), page(9000, a+"/%6eo")}, fetchtest.Promise{Product: "Bot"}, "disallowed by robots.txt line 6"},
		{"bytes that are no text", []fetchtest.Exchange{at(0, a+"/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /\xff*x$\n")), page(9000, a+"/%FFabx")}, fetchtest.Promise{Product: "Bot"}, "disallowed by robots.txt line 2"},
		{"another port has another robots.txt", []fetchtest.Exchange{at(0, a+"/robots.txt", rules), page(9000, "http://a.example/")}, fetchtest.Promise{Product: "Bot"}, "robots.txt of http://a.example:80"},
		{"retry-after", []fetchtest.Exchange{at(0, a+"/", fetchtest.Status(429).RetryAfter(3*time.Second)), page(3000, a+"/x")}, fetchtest.Promise{MaxWait: 30 * time.Second}, "asked for 3s, which is to be waited out"},
		{"retry-after kept, from the head", []fetchtest.Exchange{at(0, a+"/", fetchtest.Status(429).RetryAfter(3*time.Second)), page(3050, a+"/x")}, fetchtest.Promise{}, ""},
		{"long retry-after", []fetchtest.Exchange{at(0, a+"/", fetchtest.Status(503).RetryAfter(time.Hour)), page(5000, a+"/x")}, fetchtest.Promise{MaxWait: 30 * time.Second}, "which ends the visit"},
		{"retry-after as a date", []fetchtest.Exchange{at(0, a+"/", fetchtest.Status(503).With("Retry-After", "Thu, 01 Jan 2026 00:01:00 GMT")), page(5000, a+"/x")}, fetchtest.Promise{}, "asked for 59.95s"},
		{"retry-after of a redirect", []fetchtest.Exchange{at(0, a+"/", fetchtest.Redirect("/y").RetryAfter(3*time.Second)), page(1000, a+"/x"), page(2000, a+"/y")}, fetchtest.Promise{}, "came 1.95s after https://a.example/ answered 302"},
		{"retry-after of a redirect kept", []fetchtest.Exchange{at(0, a+"/", fetchtest.Redirect("/y").RetryAfter(3*time.Second)), page(1000, a+"/x"), page(3050, a+"/y")}, fetchtest.Promise{}, ""},
		{"retry-after of a page", []fetchtest.Exchange{at(0, a+"/", fetchtest.HTML("").RetryAfter(3*time.Second)), page(1000, a+"/x")}, fetchtest.Promise{}, ""},
		{"referer", carrying("Referer"), fetchtest.Promise{Anonymous: true}, "carries Referer"},
		{"credentials", carrying("Authorization"), fetchtest.Promise{Anonymous: true}, "carries Authorization"},
		{"credentials for a proxy", carrying("Proxy-Authorization"), fetchtest.Promise{Anonymous: true}, "carries Proxy-Authorization"},
		{"a body", carrying("Content-Length"), fetchtest.Promise{Anonymous: true}, "carries Content-Length"},
		{"in flight, one that never ended", []fetchtest.Exchange{open, page(9000, a+"/x")}, fetchtest.Promise{Concurrency: 1}, "2 requests in flight"},
		{"crawl-delay ends bursts", []fetchtest.Exchange{at(0, a+"/robots.txt", rules), page(2100, a+"/x"), page(2210, a+"/y")}, fetchtest.Promise{Product: "Bot", Delay: time.Second, Burst: 3}, "promised 2s"},
		{"robots.txt 429", []fetchtest.Exchange{at(0, a+"/robots.txt", fetchtest.Status(429)), page(500, a+"/x")}, fetchtest.Promise{Product: "Bot"}, "could not be had"},
		{"robots.txt 304, as bad as before", []fetchtest.Exchange{
			at(0, a+"/robots.txt", fetchtest.Status(503)), at(500, a+"/robots.txt", fetchtest.Status(304)), page(900, a+"/x"),
		}, fetchtest.Promise{Product: "Bot"}, "could not be had"},
		{"robots.txt 304, as good as before", []fetchtest.Exchange{
			at(0, a+"/robots.txt", rules), at(5000, a+"/robots.txt", fetchtest.Status(304)), page(9000, a+"/no"),
		}, fetchtest.Promise{Product: "Bot"}, "disallowed by robots.txt line 6"},
		{"robots.txt moved on, five times", moves(5), fetchtest.Promise{Product: "Bot"}, "could not be had"},
		{"robots.txt moved once too often", moves(6), fetchtest.Promise{Product: "Bot"}, ""},
		{"retry-after of another host of one site", []fetchtest.Exchange{
			at(0, a+"/", fetchtest.Status(429).RetryAfter(3*time.Second)), page(1000, b+"/x"),
		}, fetchtest.Promise{OneSite: true, Delay: time.Millisecond}, ""},
		{"retry-after of another host", []fetchtest.Exchange{at(0, a+"/", fetchtest.Status(429).RetryAfter(3*time.Second)), page(1000, b+"/x")}, fetchtest.Promise{}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := fetchtest.Audit(tt.log, tt.p)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.Error(t, err)
			assert.Contains(t, err.Error(), tt.want)
		})
	}
}
