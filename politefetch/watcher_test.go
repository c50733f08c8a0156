package politefetch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
	"github.com/politefetch/sdk/ratepolicy"
	"github.com/politefetch/sdk/robots"
)

// The link watcher of rows R: its public page as a Config.
const (
	watcherProduct = "RotSweep"
	watcherAgent   = "Mozilla/5.0 (compatible; RotSweep/1.0; +https://rotsweep.com/agent)"
)

// watcherPromise is what the watcher's tests hold the server's log against.
var watcherPromise = fetchtest.Promise{
	UserAgent: watcherAgent, Anonymous: true, Product: watcherProduct,
	Concurrency: 2, Delay: time.Second, Burst: 2, MaxWait: 30 * time.Second,
}

func watcherConfig(site http.RoundTripper) politefetch.Config {
	return politefetch.Config{
		Product: watcherProduct, UserAgent: watcherAgent, Transport: site, Key: politefetch.SiteKey,
		Policy:  ratepolicy.Policy{Normal: ratepolicy.Pace{Concurrency: 2, Delay: time.Second, Burst: 2}},
		MaxBody: 4 << 20, MaxHops: 10, Timeout: 15 * time.Second,
	}
}

// monitoring is how a designated address is checked.
var monitoring = politefetch.FetchOptions{RobotsAdvisory: true, DropBody: true}

func check(t *testing.T, bot *politefetch.Crawler, addr string) (*politefetch.Page, error) {
	t.Helper()
	opts := monitoring
	return bot.Fetch(t.Context(), addr, &opts)
}

// checked is a check that ended with an answer.
func checked(t *testing.T, bot *politefetch.Crawler, addr string) *politefetch.Page {
	t.Helper()
	p, err := check(t, bot, addr)
	require.NoError(t, err, addr)
	return p
}

// inLine runs the checks at once, in line in the order given, and waits for all.
func inLine(t *testing.T, bot *politefetch.Crawler, addrs ...string) {
	t.Helper()
	var wg sync.WaitGroup
	for _, addr := range addrs {
		wg.Go(func() { _, _ = check(t, bot, addr) })
		synctest.Wait() // until it waits for its turn
	}
	wg.Wait()
}

// from returns the requests of a log that are for hosts with that ending.
func from(log []fetchtest.Exchange, domain string) []fetchtest.Exchange {
	var out []fetchtest.Exchange
	for _, x := range log {
		if strings.HasSuffix(x.URL.Hostname(), domain) {
			out = append(out, x)
		}
	}
	return out
}

// starts are the times at which requests came, counted from since.
func starts(log []fetchtest.Exchange, since time.Time) []time.Duration {
	var out []time.Duration
	for _, x := range log {
		out = append(out, x.Began.Sub(since))
	}
	return out
}

func pages(n int, format string) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf(format, i))
	}
	return out
}

func TestR01_UserAgentGetOnlyAnonymous(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/robots.txt", fetchtest.Text("").With("Set-Cookie", "r=1"))
		site.Set("/a", fetchtest.Redirect("/b").With("Set-Cookie", "a=1"))
		site.Set("/b", fetchtest.HTML("<form method=post><input name=x></form>").With("Set-Cookie", "b=1").With("Www-Authenticate", "Basic"))
		bot := newBot(t, watcherConfig(&site))
		checked(t, bot, site1+"/a")
		checked(t, bot, site1+"/b")
		_, err := check(t, bot, "https://user:secret@kauppa.example/a")
		require.ErrorIs(t, err, politefetch.ErrGuard, "credentials are not sent")
		assert.NotContains(t, err.Error(), "secret")

		assert.Equal(t, []string{site1 + "/robots.txt", site1 + "/a", site1 + "/b", site1 + "/b"}, asked(&site))
		for _, x := range site.Log() {
			assert.Equal(t, http.MethodGet, x.Method)
			assert.Equal(t, []string{watcherAgent}, x.Header.Values("User-Agent"), x.URL)
			assert.Subset(t, []string{"Accept", "Accept-Encoding", "User-Agent"}, headerNames(x.Header), "and nothing else")
		}
		require.NoError(t, fetchtest.Audit(site.Log(), watcherPromise))
	})
}

func headerNames(h http.Header) []string {
	var out []string
	for name := range h {
		out = append(out, name)
	}
	return out
}

func TestR02_OnePageACheckAndRobotsOnceADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow:\nSitemap: /map.xml"))
		site.Set("/a", fetchtest.HTML(`<link rel=stylesheet href=/s.css><link rel=canonical href=/c><a href=/x>x</a><img src=/i.png><iframe src=/f></iframe><meta http-equiv=refresh content="0; url=/r">`))
		bot := newBot(t, watcherConfig(&site))
		for range 4 { // at 0, 8, 16 and 24 h
			p := checked(t, bot, site1+"/a")
			assert.Equal(t, 1, p.Tries)
			assert.Len(t, p.Summary().Links, 1)
			time.Sleep(8 * time.Hour)
		}
		assert.Equal(t, []string{site1 + "/robots.txt", site1 + "/a", site1 + "/a", site1 + "/a", site1 + "/robots.txt", site1 + "/a"}, asked(&site))
		require.NoError(t, fetchtest.Audit(site.Log(), watcherPromise))
	})
}

func TestR03_OneASecondADomainInOrderWithABurstOfTwo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Site{Fallback: func(*http.Request) fetchtest.Answer { return fetchtest.HTML("x") }}
		site.Set("/robots.txt", fetchtest.Text(""))
		bot := newBot(t, watcherConfig(&site))
		checked(t, bot, site1+"/robots-is-known")
		checked(t, bot, "https://toinen.example/robots-is-known")
		time.Sleep(time.Minute)

		start, before := time.Now(), len(site.Log())
		queue := pages(10, site1+"/%d")
		inLine(t, bot, append(queue, pages(3, "https://toinen.example/%d")...)...)
		log := site.Log()[before:]
		mine := from(log, "kauppa.example")
		const s = time.Second
		assert.Equal(t, []time.Duration{0, 0, 1 * s, 2 * s, 3 * s, 4 * s, 5 * s, 6 * s, 7 * s, 8 * s}, starts(mine, start), "a burst of two, then one a second")
		assert.Equal(t, []time.Duration{0, 0, 1 * s}, starts(from(log, "toinen.example"), start), "a domain waits for no other")
		var order []string
		for _, x := range mine {
			order = append(order, x.URL.String())
		}
		assert.Equal(t, queue, order, "in the order of the queue")
		require.NoError(t, fetchtest.Audit(site.Log(), watcherPromise))
	})
}

func TestR03_TheHostsOfADomainShareOnePace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Site{Latency: 30 * time.Millisecond}
		site.Set("/robots.txt", fetchtest.Text(""))
		bot := newBot(t, watcherConfig(&site))
		inLine(t, bot, "https://www.shop.co.uk/1", "https://blog.shop.co.uk/2", "https://shop.co.uk/3", "https://www.shop.co.uk/4", "https://other.co.uk/5")
		promise := watcherPromise
		promise.OneSite = true
		require.NoError(t, fetchtest.Audit(from(site.Log(), "shop.co.uk"), promise))
		other := from(site.Log(), "other.co.uk")
		assert.Equal(t, site.Log()[0].Began, other[0].Began, "a neighbour under the same public suffix waits for nobody")
		assert.Len(t, site.Log(), 3+4+1+1, "a robots.txt a host, and the pages")
	})
}

func TestR04_CrawlDelayLowersTheRateAndNeverRaisesIt(t *testing.T) {
	for value, want := range map[string]time.Duration{"5": 5 * time.Second, "0.1": time.Second, "0": time.Second} {
		t.Run(value, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := fetchtest.Site{Latency: 40 * time.Millisecond}
				site.Set("/robots.txt", fetchtest.Text("User-agent: RotSweep\nCrawl-delay: "+value+"\n"))
				bot := newBot(t, watcherConfig(&site))
				inLine(t, bot, pages(5, site1+"/%d")...)
				log := site.Log()
				require.Len(t, log, 6)
				for i := range log[1:] {
					gap := log[i+1].Began.Sub(log[i].Ended)
					if want > time.Second {
						assert.Equal(t, want, gap, "one request every %v, without a burst", want)
					}
				}
				require.NoError(t, fetchtest.Audit(log, watcherPromise))
			})
		})
	}
}

func TestR05_RedirectsToTheEndEachPacedOnItsOwnDomain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Site{Latency: 100 * time.Millisecond}
		site.Set("https://yksi.example/robots.txt", fetchtest.Text("User-agent: *\nCrawl-delay: 3\n"))
		addr := func(i int) string { return fmt.Sprintf("https://%s.example/%d", []string{"yksi", "kaksi"}[i%2], i) }
		for i := range 10 {
			site.Set(addr(i), fetchtest.Redirect(addr(i+1)))
		}
		site.Set(addr(10), fetchtest.HTML("x"))
		p := checked(t, newBot(t, watcherConfig(&site)), addr(0))

		assert.Equal(t, politefetch.Done, p.Outcome)
		assert.Equal(t, addr(10), p.Final)
		require.Len(t, p.Hops, 10)
		ended := make(map[string]time.Time)
		for _, x := range site.Log() {
			ended[x.URL.String()] = x.Ended
		}
		for i, h := range p.Hops {
			assert.Equal(t, politefetch.Hop{URL: addr(i), Status: 302, Location: addr(i + 1), At: ended[addr(i)], Took: site.Latency}, h)
		}
		slow := from(site.Log(), "yksi.example")
		for i := range slow[1:] {
			assert.GreaterOrEqual(t, slow[i+1].Began.Sub(slow[i].Ended), 3*time.Second, "the Crawl-delay of the hop's own domain")
		}
		require.NoError(t, fetchtest.Audit(site.Log(), watcherPromise))

		site.Set(addr(10), fetchtest.Redirect(addr(11)))
		p, err := check(t, newBot(t, watcherConfig(&site)), addr(0))
		require.ErrorIs(t, err, politefetch.ErrTooManyHops)
		assert.Zero(t, site.Count(addr(11)), "ten hops are the end")
		assert.Len(t, p.Hops, 11)
	})
}

func TestR05_ALoopIsTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/a", fetchtest.Redirect("https://kaksi.example/b"))
		site.Set("/b", fetchtest.Redirect(site1+"/c"))
		site.Set("/c", fetchtest.Redirect("//kaksi.example/b"))
		p, err := check(t, newBot(t, watcherConfig(&site)), site1+"/a")
		require.ErrorIs(t, err, politefetch.ErrRedirectLoop)
		assert.Equal(t, politefetch.Failed, p.Outcome)
		assert.Len(t, p.Hops, 3, "the chain says how it went round")
		for _, addr := range []string{"/a", "/b", "/c"} {
			assert.Equal(t, 1, site.Count(addr))
		}
	})
}

func TestR05_AWaitInterruptsAChainAndHopsGoOnWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/busy", fetchtest.Status(429).RetryAfter(time.Hour))
		site.Set("/a", fetchtest.Redirect("https://kaksi.example/b"))
		site.Set("/b", fetchtest.HTML("x"))
		bot := newBot(t, watcherConfig(&site))
		checked(t, bot, "https://kaksi.example/busy")

		p, err := check(t, bot, site1+"/a")
		var w *ratepolicy.WaitError
		require.ErrorAs(t, err, &w)
		assert.True(t, w.Held)
		assert.Equal(t, "kaksi.example", w.Key, "whose turn it is that has not come")
		require.Len(t, p.Hops, 1)
		assert.Zero(t, site.Count("/b"))

		time.Sleep(time.Until(w.Until))
		opts := monitoring
		opts.Hops = p.Hops
		p, err = bot.Fetch(t.Context(), p.URL, &opts)
		require.NoError(t, err)
		assert.Equal(t, "https://kaksi.example/b", p.Final)
		assert.Equal(t, 1, site.Count("/a"), "the chain does not start over")
		require.NoError(t, fetchtest.Audit(site.Log(), watcherPromise))
	})
}

func TestR06_ACheckEndsAfterFifteenSeconds(t *testing.T) {
	for name, tt := range map[string]struct {
		answer fetchtest.Answer
		status int
		cut    bool
	}{
		"no answer":    {fetchtest.Hang(), 0, false},
		"a slow drip":  {fetchtest.Answer{Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: "<p>words ", Endless: true, Drip: 700 * time.Microsecond}, 200, true},
		"a slow error": {fetchtest.Answer{Status: 500, Header: http.Header{"Content-Type": {"text/html"}}, Body: "<p>words ", Endless: true, Drip: 700 * time.Millisecond}, 500, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var site fetchtest.Site
				site.Set("/a", tt.answer)
				p, _ := check(t, newBot(t, watcherConfig(&site)), site1+"/a")
				assert.Equal(t, politefetch.Failed, p.Outcome)
				assert.Equal(t, tt.status, p.Status)
				assert.Equal(t, tt.cut, p.Truncated)
				log := site.Log()
				x := log[len(log)-1]
				assert.LessOrEqual(t, x.Ended.Sub(x.Began), 15*time.Second)
				if tt.status != 500 { // whose page is given less
					assert.Equal(t, 15*time.Second, x.Ended.Sub(x.Began))
				}
			})
		})
	}
}

func TestR06_AChainThatGoesOnHasWhatIsLeftOfTheFifteenSeconds(t *testing.T) {
	const s = time.Second
	for name, tt := range map[string]struct {
		first time.Duration                // the first hop's
		known func(hops []politefetch.Hop) // what the caller has kept of it
		want  time.Duration                // the second's, which never answers
	}{
		"it is taken off":                    {10 * s, func([]politefetch.Hop) {}, 5 * s},
		"of a chain that does not say so":    {10 * s, func(h []politefetch.Hop) { h[0].Took = 0 }, 15 * s},
		"less than nothing is no more":       {10 * s, func(h []politefetch.Hop) { h[0].Took = -1 << 62 }, 15 * s},
		"where nothing is left nothing goes": {10 * s, func(h []politefetch.Hop) { h[0].Took = 1<<63 - 1 }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var site fetchtest.Site
				site.Set("/busy", fetchtest.Status(429).RetryAfter(time.Hour))
				site.Set("/a", fetchtest.Answer{Status: 302, Header: http.Header{"Location": {"https://kaksi.example/b"}}, Delay: tt.first})
				site.Set("/b", fetchtest.Hang())
				bot := newBot(t, watcherConfig(&site))
				checked(t, bot, "https://kaksi.example/busy")
				p, err := check(t, bot, site1+"/a")
				var w *ratepolicy.WaitError
				require.ErrorAs(t, err, &w)
				require.Len(t, p.Hops, 1)
				assert.Equal(t, tt.first, p.Hops[0].Took)
				time.Sleep(time.Until(w.Until))

				stored, err := json.Marshal(p.Hops)
				require.NoError(t, err)
				opts := monitoring
				require.NoError(t, json.Unmarshal(stored, &opts.Hops))
				tt.known(opts.Hops)
				before := len(site.Log())
				p, err = bot.Fetch(t.Context(), p.URL, &opts)
				require.ErrorIs(t, err, politefetch.ErrTooSlow)
				assert.Equal(t, politefetch.Failed, p.Outcome)
				var took time.Duration
				for _, x := range site.Log()[before:] {
					took += x.Ended.Sub(x.Began)
				}
				assert.Equal(t, tt.want, took)
			})
		})
	}
}

func TestR06_ReadingStopsAfterAFewMegabytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		long := strings.Repeat("<p>words of a page without an end</p>\n", 1000)
		site.Set("/html", fetchtest.Answer{Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: long, Endless: true})
		site.Set("/file", fetchtest.Answer{Status: 200, Header: http.Header{"Content-Type": {"application/pdf"}}, Body: long, Endless: true})
		bot := newBot(t, watcherConfig(&site))
		p := checked(t, bot, site1+"/html")
		assert.True(t, p.Truncated)
		assert.Equal(t, politefetch.Done, p.Outcome, "it is there")
		assert.EqualValues(t, 4<<20, p.Summary().Bytes)
		p = checked(t, bot, site1+"/file")
		assert.True(t, p.Truncated)
		assert.Equal(t, politefetch.Done, p.Outcome)
		assert.EqualValues(t, 4<<20, p.Summary().Bytes)
		log := site.Log()
		assert.LessOrEqual(t, log[1].Sent, int64(4<<20+64<<10))
		assert.LessOrEqual(t, log[2].Sent, int64(4<<20+64<<10))
		require.NoError(t, fetchtest.Audit(log, watcherPromise))
	})
}

func TestR07_ItsOwnGroupReplacesTheStar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /\nCrawl-delay: 60\n\nUser-agent: rotsweep\nDisallow: /own\n"))
		bot := newBot(t, watcherConfig(&site))
		p := checked(t, bot, site1+"/a")
		assert.True(t, p.Robots.Allowed, p.Robots)
		start := time.Now()
		p = checked(t, bot, site1+"/own")
		assert.False(t, p.Robots.Allowed)
		assert.Equal(t, 6, p.Robots.Line)
		assert.LessOrEqual(t, time.Since(start), time.Second, "the star's Crawl-delay is not its own")
		_, err := bot.Fetch(t.Context(), site1+"/b", nil)
		require.NoError(t, err)
		_, err = bot.Fetch(t.Context(), site1+"/own/b", nil)
		require.Error(t, err)
		promise := watcherPromise
		promise.Exempt = []string{site1 + "/own"}
		require.NoError(t, fetchtest.Audit(site.Log(), promise))
	})
}

func TestR08_ScanningObeysMonitoringRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		const other = "https://kaksi.example"
		site.Set(site1+"/robots.txt", fetchtest.Text("User-agent: RotSweep\nDisallow: /closed\nDisallow: /moved\n"))
		site.Set(other+"/robots.txt", fetchtest.Text("User-agent: *\nAllow: /\n"))
		site.Set("/closed", fetchtest.HTML("<p>here"))
		site.Set("/moved", fetchtest.Redirect(other+"/open"))
		site.Set("/open", fetchtest.HTML("<p>there"))
		bot := newBot(t, watcherConfig(&site))
		closed := robots.Verdict{Reason: robots.ReasonRule, Line: 2, Rule: "Disallow: /closed"}

		p, err := bot.Fetch(t.Context(), site1+"/closed", nil) // a page that is to be scanned
		var e *politefetch.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, politefetch.Disallowed, p.Outcome)
		assert.Equal(t, closed, e.Robots)
		resp, err := (&http.Client{Transport: bot}).Get(site1 + "/closed") // a sitemap that is
		if err == nil {
			_ = resp.Body.Close()
		}
		require.ErrorAs(t, err, &e)
		assert.Equal(t, closed, e.Robots)
		v := visit(t, bot, site1+"/closed", politefetch.VisitOptions{})
		assert.Equal(t, politefetch.Disallowed, v.report.Outcome)
		assert.Zero(t, site.Count("/closed"))
		require.NoError(t, fetchtest.Audit(site.Log(), watcherPromise))

		p = checked(t, bot, site1+"/closed")
		assert.Equal(t, politefetch.Done, p.Outcome)
		assert.Equal(t, 200, p.Status)
		assert.Equal(t, closed, p.Robots, "the result says which rule and line")
		assert.Equal(t, 1, site.Count("/closed"))

		p = checked(t, bot, site1+"/moved")
		assert.Equal(t, other+"/open", p.Final)
		assert.Equal(t, robots.Verdict{Reason: robots.ReasonRule, Line: 3, Rule: "Disallow: /moved"}, p.Robots,
			"what was disallowed is the address that was designated, wherever it leads")
	})
}

func TestR09_A429HoldsTheWholeDomain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Site{Fallback: func(*http.Request) fetchtest.Answer { return fetchtest.HTML("x") }}
		site.Set("/robots.txt", fetchtest.Text(""))
		site.Set("https://www.kauppa.example/busy", fetchtest.Status(429).RetryAfter(20*time.Second))
		site.Set("https://www.kauppa.example/closed", fetchtest.Status(429).RetryAfter(3*time.Hour))
		bot := newBot(t, watcherConfig(&site))
		inLine(t, bot, "https://www.kauppa.example/busy", "https://blog.kauppa.example/1", "https://www.kauppa.example/2", "https://toinen.example/3")
		log := site.Log()
		busy := log[slices.IndexFunc(log, func(x fetchtest.Exchange) bool { return x.URL.Path == "/busy" })]
		for _, x := range log {
			switch {
			case !x.Began.After(busy.Began):
			case strings.HasSuffix(x.URL.Host, "kauppa.example"):
				assert.GreaterOrEqual(t, x.Began.Sub(busy.Answered), 20*time.Second, x.URL)
			default:
				assert.Less(t, x.Began.Sub(busy.Answered), 2*time.Second, "another domain is untouched")
			}
		}
		assert.Equal(t, 1, site.Count("/1")+site.Count("/3")-1)

		p := checked(t, bot, "https://www.kauppa.example/closed")
		assert.Equal(t, politefetch.Limited, p.Outcome)
		opens := time.Now().Add(3 * time.Hour)
		assert.Equal(t, opens, p.Opens)
		before := len(site.Log())
		for _, addr := range []string{"https://www.kauppa.example/4", "https://blog.kauppa.example/5", "https://new.kauppa.example/6"} {
			_, err := check(t, bot, addr)
			var w *ratepolicy.WaitError
			require.ErrorAs(t, err, &w, addr)
			assert.True(t, w.Held)
			assert.Equal(t, "kauppa.example", w.Key)
			assert.Equal(t, opens, w.Until)
			at, again := politefetch.Retry{}.Next(p, err, 1)
			assert.True(t, again)
			assert.Equal(t, opens, at)
		}
		assert.Len(t, site.Log(), before, "a robots.txt waits too")
		checked(t, bot, "https://toinen.example/7")
		time.Sleep(time.Until(opens))
		assert.Equal(t, politefetch.Done, checked(t, bot, "https://new.kauppa.example/6").Outcome)
		require.NoError(t, fetchtest.Audit(site.Log(), watcherPromise))
	})
}

func TestR10_RefusedIsNotBroken(t *testing.T) {
	plan := politefetch.Retry{Refused: 6 * time.Hour}
	refusals := map[string]fetchtest.Answer{"a wall": fetchtest.Challenge()}
	for _, status := range []int{401, 403, 407, 451, 999} {
		refusals[fmt.Sprint(status)] = fetchtest.Status(status)
	}
	for name, answer := range refusals {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var site fetchtest.Site
				site.Set("/robots.txt", fetchtest.Text(""))
				site.Set("/no", answer, answer, answer.RetryAfter(7*time.Hour))
				site.Set("/yes", fetchtest.HTML("x"))
				bot := newBot(t, watcherConfig(&site))
				for tries := range 2 { // however often
					p := checked(t, bot, site1+"/no")
					assert.Contains(t, []politefetch.Outcome{politefetch.Refused, politefetch.Walled}, p.Outcome)
					at, again := plan.Next(p, nil, tries+1)
					assert.True(t, again)
					assert.Equal(t, p.Ended.Add(6*time.Hour), at, "that address backs off")
					time.Sleep(2 * time.Second)
					start := time.Now()
					assert.Equal(t, politefetch.Done, checked(t, bot, site1+"/yes").Outcome)
					assert.LessOrEqual(t, time.Since(start), time.Second, "the others do not")
					time.Sleep(time.Until(at))
				}
				p := checked(t, bot, site1+"/no")
				at, _ := plan.Next(p, nil, 3)
				assert.Equal(t, p.Ended.Add(7*time.Hour), at, "as it asked")
				_, err := check(t, bot, site1+"/yes")
				var w *ratepolicy.WaitError
				require.ErrorAs(t, err, &w, "with Retry-After the whole domain waits")
				assert.Equal(t, at, w.Until)
				require.NoError(t, fetchtest.Audit(site.Log(), watcherPromise))
			})
		})
	}
}

func TestR11_ABlipReportsNothing(t *testing.T) {
	plan := politefetch.Retry{Failed: 10 * time.Minute}
	down := errors.New("connection reset")
	for name, tt := range map[string]struct {
		answers []fetchtest.Answer
		wait    time.Duration // from the first try's end to the second
		broken  bool
	}{
		"a blip":                     {[]fetchtest.Answer{fetchtest.Status(500), fetchtest.HTML("x")}, 10 * time.Minute, false},
		"a time-out, then an answer": {[]fetchtest.Answer{fetchtest.Hang(), fetchtest.HTML("x")}, 10 * time.Minute, false},
		"no connection, then gone":   {[]fetchtest.Answer{fetchtest.Fail(down), fetchtest.Status(404)}, 10 * time.Minute, false},
		"an outage":                  {[]fetchtest.Answer{fetchtest.Status(502), fetchtest.Fail(down)}, 10 * time.Minute, true},
		"a longer wait":              {[]fetchtest.Answer{fetchtest.Status(500).RetryAfter(time.Hour), fetchtest.Status(500)}, time.Hour, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var site fetchtest.Site
				site.Set("/robots.txt", fetchtest.Text(""))
				site.Set("/a", tt.answers...)
				bot := newBot(t, watcherConfig(&site))
				p, err := check(t, bot, site1+"/a")
				assert.Equal(t, politefetch.Failed, p.Outcome)
				at, again := plan.Next(p, err, 1)
				require.True(t, again, "pending: nothing is reported yet")
				time.Sleep(time.Until(at))
				p, err = check(t, bot, site1+"/a")
				_, again = plan.Next(p, err, 2)
				assert.False(t, again, "one retry")
				assert.Equal(t, tt.broken, p.Outcome == politefetch.Failed)
				log := site.Log()
				require.Len(t, log, 3)
				assert.Equal(t, tt.wait, log[2].Began.Sub(log[1].Ended))
			})
		})
	}
}

// fullDisk is a disk that is full.
type fullDisk struct{ err error }

func (s fullDisk) Update(context.Context, string, func(time.Time, []byte) ([]byte, time.Time)) error {
	return s.err
}

func TestR11_TheBotsOwnStoreIsNoFailureOfALink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		full := errors.New("no space left on device")
		cfg := watcherConfig(&site)
		cfg.Store = fullDisk{full}
		p, err := check(t, newBot(t, cfg), site1+"/a")
		require.ErrorIs(t, err, politefetch.ErrStore)
		require.ErrorIs(t, err, full)
		assert.Empty(t, site.Log())
		at, again := politefetch.Retry{}.Next(p, err, 7)
		assert.True(t, again, "it is never reported, however often")
		assert.Equal(t, p.Ended.Add(10*time.Minute), at)
	})
}

func TestR13_ABrowsersHeaderForOneCheck(t *testing.T) {
	const other = "https://kaksi.example"
	for _, browser := range []string{politefetch.BrowserChrome, politefetch.BrowserFirefox, politefetch.BrowserSafari} {
		t.Run(browser, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var site fetchtest.Site
				site.Set("/robots.txt", fetchtest.Text("User-agent: RotSweep\nDisallow: /no\nCrawl-delay: 2\n"))
				site.Set("/no", fetchtest.Redirect(other+"/there").With("Set-Cookie", "a=1"))
				site.Set("/there", fetchtest.HTML("x"))
				site.Set("/refuses", fetchtest.Status(403))
				bot := newBot(t, watcherConfig(&site))
				p := checked(t, bot, site1+"/refuses")
				assert.Equal(t, politefetch.Refused, p.Outcome)
				assert.Empty(t, p.Browser, "never automatic")

				opts := monitoring
				opts.Browser = browser
				p, err := bot.Fetch(t.Context(), site1+"/no", &opts)
				require.NoError(t, err)
				assert.Equal(t, browser, p.Browser, "the result says so")
				assert.Equal(t, 2, p.Robots.Line, "the bot's own group")
				assert.Equal(t, other+"/there", p.Final)
				checked(t, bot, site1+"/refuses")
				checked(t, bot, other+"/there")
				opts.RobotsAdvisory = false
				_, err = bot.Fetch(t.Context(), site1+"/no", &opts)
				require.Error(t, err, "a guise is no leave")

				var own []string
				for _, x := range site.Log() {
					assert.Equal(t, "gzip", x.Header.Get("Accept-Encoding"), "as ever")
					assert.Empty(t, x.Header.Get("Cookie"))
					assert.Len(t, x.Header.Values("User-Agent"), 1)
					if x.Header.Get("User-Agent") == watcherAgent {
						own = append(own, x.URL.String())
						assert.Len(t, x.Header, 3, "nothing of a browser's")
						continue
					}
					assert.Contains(t, x.Header.Get("User-Agent"), map[string]string{"chrome": "Chrome/", "firefox": "Firefox/", "safari": "Version/"}[browser])
					assert.NotContains(t, x.Header.Get("User-Agent"), watcherProduct)
					assert.NotEmpty(t, x.Header.Get("Accept-Language"))
				}
				assert.Equal(t, []string{site1 + "/robots.txt", site1 + "/refuses", other + "/robots.txt", site1 + "/refuses", other + "/there"}, own)
				promise := watcherPromise
				promise.UserAgent, promise.Exempt = "", []string{site1 + "/no"}
				require.NoError(t, fetchtest.Audit(site.Log(), promise), "paced as ever")
			})
		})
	}
}

func TestR14_AStoppedDomainSeesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Site{Latency: 100 * time.Millisecond}
		stop := errors.New("stopped on request, 12 March")
		site.Set("/to-it", fetchtest.Redirect("https://www.stopped.example/landing"))
		site.Set("https://kaksi.example/robots.txt", fetchtest.Redirect("https://stopped.example/robots.txt"))
		var mu sync.Mutex
		stopped := map[string]bool{"stopped.example": true}
		cfg := watcherConfig(&site)
		cfg.Allow = func(_ context.Context, u *url.URL) error {
			mu.Lock()
			defer mu.Unlock()
			if stopped[politefetch.SiteKey(u)] {
				return stop
			}
			return nil
		}
		bot := newBot(t, cfg)
		for _, addr := range []string{"https://stopped.example/", "https://www.stopped.example/a", site1 + "/to-it"} {
			opts := monitoring
			opts.Browser = politefetch.BrowserChrome
			p, err := bot.Fetch(t.Context(), addr, &opts)
			require.ErrorIs(t, err, stop)
			assert.Equal(t, politefetch.Barred, p.Outcome)
		}
		checked(t, bot, "https://kaksi.example/a")

		// Those in line when the request to stop comes see nothing either.
		before := len(from(site.Log(), "kauppa.example"))
		go func() {
			time.Sleep(2500 * time.Millisecond)
			mu.Lock()
			defer mu.Unlock()
			stopped["kauppa.example"] = true
		}()
		time.Sleep(2 * time.Second)
		start := time.Now()
		inLine(t, bot, pages(9, site1+"/%d")...)
		late := from(site.Log(), "kauppa.example")[before:]
		require.NotEmpty(t, late)
		for _, x := range late {
			assert.Less(t, x.Began.Sub(start), 500*time.Millisecond, x.URL)
		}
		assert.Empty(t, from(site.Log(), "stopped.example"), "no request, its robots.txt included")
	})
}

func TestR12_AFingerprintOfWhatThePageSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		const text = "Lamps for every room. We have made them since 1923."
		site.Set("/a",
			fetchtest.HTML(`<html lang=en><head><title>Lamps</title></head><body class="x" id="1"><script nonce="4711">var made = "9 March"</script><p>`+text+`</p></body>`),
			fetchtest.HTML("<!doctype html><title>Lamps</title><style>p{}</style><body id=1 class=x>\n<div><p>Lamps for <b>every</b> room.\n We have made them since 1923.</div><!-- 10 March -->"),
			fetchtest.HTML("<title>Lamps</title><p>This domain is for sale. Ask us for a price, and for others like it."),
			fetchtest.Redirect("https://parked.example/"))
		site.Set("https://parked.example/", fetchtest.HTML("<title>Lamps</title><p>"+text))
		bot := newBot(t, watcherConfig(&site))
		first := checked(t, bot, site1+"/a").Summary().Fingerprint
		require.NotEmpty(t, first)
		alike := func(f politefetch.Fingerprint) float64 {
			score, ok := f.Similarity(first)
			require.True(t, ok)
			return score
		}
		same := checked(t, bot, site1+"/a").Summary().Fingerprint
		assert.Equal(t, first, same, "the same text in other markup")
		assert.InDelta(t, 1, alike(same), 0)
		other := checked(t, bot, site1+"/a").Summary().Fingerprint
		assert.NotEqual(t, first, other, "another text")
		assert.Less(t, alike(other), 0.6)
		p := checked(t, bot, site1+"/a")
		assert.Equal(t, first, p.Summary().Fingerprint, "the same text")
		assert.Equal(t, "https://parked.example/", p.Final, "elsewhere, which is a change too")
		assert.Nil(t, p.Body)
		assert.NotContains(t, fmt.Sprintf("%+v %+v", p, p.Summary()), "1923", "nothing of the text is kept")
	})
}

func TestR12_AConditionalRequestSaysThatNothingChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Site{}
		site.Set("/robots.txt", fetchtest.Text(""))
		site.Set("/a", fetchtest.HTML("<p>x").With("ETag", `"1"`), fetchtest.Status(304).With("ETag", `"1"`), fetchtest.Redirect("/b"))
		site.Set("/b", fetchtest.HTML("<p>x"))
		bot := newBot(t, watcherConfig(&site))
		opts := monitoring
		opts.Earlier = checked(t, bot, site1+"/a").Header
		p, err := bot.Fetch(t.Context(), site1+"/a", &opts)
		require.NoError(t, err)
		assert.Equal(t, politefetch.Unchanged, p.Outcome)
		_, again := politefetch.Retry{}.Next(p, err, 1)
		assert.False(t, again)
		p, err = bot.Fetch(t.Context(), site1+"/a", &opts)
		require.NoError(t, err)
		assert.Equal(t, site1+"/b", p.Final)
		log := site.Log()
		assert.Equal(t, []string{"", "", `"1"`, `"1"`, ""}, []string{
			log[0].Header.Get("If-None-Match"), log[1].Header.Get("If-None-Match"), log[2].Header.Get("If-None-Match"),
			log[3].Header.Get("If-None-Match"), log[4].Header.Get("If-None-Match"),
		}, "on the address alone, not on where it leads")
	})
}

// R08: a robots.txt that can't be had is advisory too, a wall in its place included.
func TestR08_AWallInPlaceOfRobotsIsAdvisoryToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/robots.txt", fetchtest.Challenge())
		site.Set("/a", fetchtest.HTML("x"))
		p, err := newBot(t, politeConfig(&site)).Fetch(t.Context(), "http://s.example/a", &politefetch.FetchOptions{RobotsAdvisory: true})
		require.NoError(t, err)
		assert.Equal(t, politefetch.Done, p.Outcome)
		assert.False(t, p.Robots.Allowed)
		assert.Equal(t, 1, site.Count("/a"))
	})
}
