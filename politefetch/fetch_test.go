package politefetch_test

import (
	"context"
	"fmt"
	"io"
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

var _ http.RoundTripper = (*politefetch.Crawler)(nil)

func politeConfig(site *fetchtest.Site) politefetch.Config {
	return politefetch.Config{Product: "Bot", UserAgent: "Bot/1.0 (+https://bot.example/)", From: "bot@bot.example", Transport: site}
}

var politePromise = fetchtest.Promise{
	UserAgent: "Bot/1.0 (+https://bot.example/)", Anonymous: true, Product: "Bot", Concurrency: 1, Delay: time.Second,
}

func TestFetchOutcomes(t *testing.T) {
	tests := []struct {
		name    string
		answer  fetchtest.Answer
		outcome politefetch.Outcome
	}{
		{"200", fetchtest.HTML("x"), politefetch.Done},
		{"404", fetchtest.Status(404), politefetch.Done},
		{"410", fetchtest.Status(410), politefetch.Done},
		{"401", fetchtest.Status(401), politefetch.Refused},
		{"403", fetchtest.Status(403), politefetch.Refused},
		{"451", fetchtest.Status(451), politefetch.Refused},
		{"998", fetchtest.Status(998), politefetch.Refused},
		{"429", fetchtest.Status(429), politefetch.Limited},
		{"503 with Retry-After", fetchtest.Status(503).RetryAfter(time.Minute), politefetch.Limited},
		{"503", fetchtest.Status(503), politefetch.Failed},
		{"500", fetchtest.Status(500), politefetch.Failed},
		{"408", fetchtest.Status(408), politefetch.Failed},
		{"wall", fetchtest.Challenge(), politefetch.Walled},
		{"wall that limits", fetchtest.Status(429).RetryAfter(time.Minute).With("Cf-Mitigated", "challenge"), politefetch.Walled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var site fetchtest.Site
				site.Set("/a", tt.answer)
				p, err := newBot(t, politeConfig(&site)).Fetch(t.Context(), site1+"/a", nil)
				require.NoError(t, err, "an answer is not an error")
				assert.Equal(t, tt.outcome, p.Outcome)
				assert.Equal(t, site1+"/a", p.Final)
				assert.Equal(t, tt.answer.Status, p.Status)
				require.NoError(t, fetchtest.Audit(site.Log(), politePromise))
			})
		})
	}
}

func TestFetchKeepsOrDropsTheBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		const body = `<html lang=en><title>Title</title><a href=x>y</a>`
		site.Set("/a", fetchtest.HTML(body))
		site.Set("/json", fetchtest.Answer{Status: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: "{}"})
		gz := fetchtest.HTML(body).Gzip().With("Content-Type", "text/html").With("Content-Encoding", "gzip")
		site.Set("/gz", gz)
		bot := newBot(t, politeConfig(&site))
		for _, addr := range []string{"/a", "/gz"} {
			p, err := bot.Fetch(t.Context(), site1+addr, nil)
			require.NoError(t, err)
			assert.Equal(t, body, string(p.Body), addr)
			assert.Equal(t, "Title", p.Summary().Title)
			assert.Equal(t, []politefetch.Link{{URL: site1 + "/x"}}, p.Summary().Links)
		}
		p, err := bot.Fetch(t.Context(), site1+"/a", &politefetch.FetchOptions{DropBody: true})
		require.NoError(t, err)
		assert.Nil(t, p.Body)
		assert.Empty(t, p.Summary().Title)
		assert.Equal(t, 5, p.Summary().TitleLen)
		p, err = bot.Fetch(t.Context(), site1+"/json", nil)
		require.NoError(t, err)
		assert.Equal(t, "{}", string(p.Body))
		assert.Equal(t, 1, site.Count("/robots.txt"), "the copy is fresh for a day")
		for _, x := range site.Log() {
			assert.Equal(t, "bot@bot.example", x.Header.Get("From"))
			assert.Equal(t, "gzip", x.Header.Get("Accept-Encoding"))
		}
	})
}

func TestFetchFollowsRedirectsThroughTheWholePath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Site{Latency: time.Second}
		const other = "https://other.example"
		site.Set(site1+"/a", fetchtest.Redirect(other+"/b"))
		site.Set(other+"/b", fetchtest.Redirect("//other.example/c"))
		site.Set(other+"/c", fetchtest.HTML("x"))
		site.Set(other+"/robots.txt", fetchtest.Text("User-agent: bot\nDisallow: /d\nCrawl-delay: 4"))
		bot := newBot(t, politeConfig(&site))
		p, err := bot.Fetch(t.Context(), site1+"/a", nil)
		require.NoError(t, err)
		assert.Equal(t, other+"/c", p.Final)
		require.Len(t, p.Hops, 2)
		assert.Equal(t, politefetch.Hop{URL: site1 + "/a", Status: 302, Location: other + "/b", At: site.Log()[1].Ended, Took: time.Second}, p.Hops[0])

		site.Set(other+"/c", fetchtest.Redirect("/d"))
		p, err = bot.Fetch(t.Context(), site1+"/a", nil)
		var e *politefetch.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, politefetch.Disallowed, p.Outcome)
		assert.Equal(t, other+"/d", e.URL)
		assert.Zero(t, site.Count(other+"/d"))
		assert.Len(t, p.Hops, 3)
		require.NoError(t, fetchtest.Audit(site.Log(), politePromise), "each host at its own pace, Crawl-delay included")
	})
}

func TestFetchRedirectLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Site{Fallback: func(r *http.Request) fetchtest.Answer {
			if r.URL.Path == "/robots.txt" {
				return fetchtest.Answer{}
			}
			return fetchtest.Redirect(r.URL.Path + "x")
		}}
		bot := newBot(t, politeConfig(&site))
		p, err := bot.Fetch(t.Context(), site1+"/", nil)
		require.ErrorIs(t, err, politefetch.ErrTooManyHops)
		assert.Len(t, p.Hops, 11)
		assert.Len(t, site.Log(), 12, "robots.txt, the address, ten hops")

		site.Set("/self", fetchtest.Redirect("/self"))
		site.Set("/nowhere", fetchtest.Status(302))
		site.Set("/ftp", fetchtest.Redirect("ftp://kauppa.example/"))
		site.Set("/long", fetchtest.Redirect("/"+strings.Repeat("a", 9<<20)))
		for addr, want := range map[string]error{"/self": politefetch.ErrRedirectLoop, "/nowhere": politefetch.ErrBadRedirect, "/ftp": politefetch.ErrBadRedirect, "/long": politefetch.ErrBadRedirect} {
			p, err := bot.Fetch(t.Context(), site1+addr, nil)
			require.ErrorIs(t, err, want, addr)
			assert.Equal(t, politefetch.Failed, p.Outcome, addr)
			assert.Less(t, len(err.Error()), 1000, addr)
			assert.Equal(t, 302, p.Status)
		}
		cfg := politeConfig(&site)
		cfg.MaxHops = -1
		p, err = newBot(t, cfg).Fetch(t.Context(), site1+"/", nil)
		require.ErrorIs(t, err, politefetch.ErrTooManyHops)
		assert.Len(t, p.Hops, 1)
	})
}

// An answer that breaks off is one all the same: what was read of it has an address.
func TestAPageThatBreaksOffSaysWhereItWas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		site.Set("/", fetchtest.Redirect("/drip"))
		site.Set("/drip", fetchtest.Answer{Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: "<p>words ", Endless: true, Drip: time.Second})
		site.Set("/hang", fetchtest.Hang())
		bot := newBot(t, politeConfig(site))
		p, err := bot.Fetch(t.Context(), site1+"/", nil)
		require.ErrorIs(t, err, politefetch.ErrTooSlow)
		assert.Equal(t, politefetch.Failed, p.Outcome)
		assert.True(t, p.Truncated)
		assert.NotEmpty(t, p.Body)
		assert.Equal(t, site1+"/drip", p.Final)
		assert.Len(t, p.Hops, 1)

		p, err = bot.Fetch(t.Context(), site1+"/hang", nil)
		require.ErrorIs(t, err, politefetch.ErrTooSlow)
		assert.Empty(t, p.Final, "nothing answered")
	})
}

// What a redirect that leads nowhere says is in the error, for whoever has to mend it.
func TestARedirectThatLeadsNowhereSaysWhy(t *testing.T) {
	for name, tt := range map[string]struct {
		set  map[string]fetchtest.Answer
		want string
	}{
		"no web address": {map[string]fetchtest.Answer{"/": fetchtest.Redirect("tel:+358-9-1")}, "redirect without a usable Location: scheme is not http or https: \"tel:+358-9-1\""},
		"no host":        {map[string]fetchtest.Answer{"/": fetchtest.Redirect("https://")}, "redirect without a usable Location: missing or malformed host: \"https://\""},
		"a password":     {map[string]fetchtest.Answer{"/": fetchtest.Redirect("https://u:geheim@kauppa.example/")}, "redirect without a usable Location: it holds a user name: \"https://\\u2026@kauppa.example/\""},
		"no Location":    {map[string]fetchtest.Answer{"/": fetchtest.Status(302)}, "redirect without a usable Location"},
		"itself":         {map[string]fetchtest.Answer{"/": fetchtest.Redirect("/")}, "redirects lead back to an address already asked for"},
		"itself with a cookie": {
			map[string]fetchtest.Answer{"/": fetchtest.Redirect("/").With("Set-Cookie", "a=1")},
			"redirects lead back to an address already asked for; they set a cookie, and none is ever sent",
		},
		"a round with a cookie": {
			map[string]fetchtest.Answer{"/": fetchtest.Redirect("/set").With("Set-Cookie", "a=1"), "/set": fetchtest.Redirect("/")},
			"redirects lead back to an address already asked for; they set a cookie, and none is ever sent",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := &fetchtest.Site{}
				for path, a := range tt.set {
					site.Set(path, a)
				}
				_, err := newBot(t, politeConfig(site)).Fetch(t.Context(), site1+"/", &politefetch.FetchOptions{DropBody: true})
				require.Equal(t, tt.want, errorOf(t, err).Reason())
				assert.NotContains(t, err.Error(), "geheim")
			})
		})
	}
}

func TestFetchGoesOnWithAChainThatAWaitInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/a", fetchtest.Redirect("/b"))
		site.Set("/b", fetchtest.HTML("x"))
		bot := newBot(t, politeConfig(&site))
		_, err := bot.Robots(t.Context(), site1)
		require.NoError(t, err)
		time.Sleep(time.Minute)
		p, err := bot.Fetch(t.Context(), site1+"/a", &politefetch.FetchOptions{MaxWait: -1})
		var w *ratepolicy.WaitError
		require.ErrorAs(t, err, &w)
		assert.Empty(t, p.Outcome, "its turn has not come: the host asked for nothing")
		assert.Equal(t, w.Until, p.Opens)
		require.Len(t, p.Hops, 1)
		time.Sleep(time.Until(p.Opens))
		p, err = bot.Fetch(t.Context(), p.URL, &politefetch.FetchOptions{MaxWait: -1, Hops: p.Hops})
		require.NoError(t, err)
		assert.Equal(t, site1+"/b", p.Final)
		assert.Equal(t, site1+"/a", p.URL)
		assert.Equal(t, 1, site.Count("/a"), "the chain does not start over")

		for raw, want := range map[string]string{
			"HTTPS://KAUPPA.example:443/x/../a#part": site1 + "/a", "https://user:geheim@kauppa.example/a": "https://…@kauppa.example/a",
		} {
			p, err = bot.Fetch(t.Context(), raw, &politefetch.FetchOptions{Hops: p.Hops})
			require.NoError(t, err)
			assert.Equal(t, want, p.URL, "as without Hops")
		}
	})
}

func TestFetchWithoutRobots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/robots.txt", fetchtest.Status(502))
		site.Set("/a", fetchtest.HTML("x"))
		bot := newBot(t, politeConfig(&site))
		p, err := bot.Fetch(t.Context(), site1+"/a", nil)
		var e *politefetch.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, politefetch.NoRobots, p.Outcome)
		assert.Equal(t, robots.ReasonUnreachable, e.Robots.Reason)
		assert.Zero(t, site.Count("/a"))

		p, err = bot.Fetch(t.Context(), site1+"/a", &politefetch.FetchOptions{RobotsAdvisory: true})
		require.NoError(t, err, "a designated address is asked for, and the page says how it stood")
		assert.Equal(t, politefetch.Done, p.Outcome)
		assert.False(t, p.Robots.Allowed)
		assert.Equal(t, robots.ReasonUnreachable, p.Robots.Reason)
		assert.Equal(t, 1, site.Count("/robots.txt"), "a failure is not asked about again at once")

		time.Sleep(time.Minute)
		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /a"))
		p, err = bot.Fetch(t.Context(), site1+"/a", &politefetch.FetchOptions{RobotsAdvisory: true})
		require.NoError(t, err)
		assert.Equal(t, robots.Verdict{Reason: robots.ReasonRule, Line: 2, Rule: "Disallow: /a"}, p.Robots)
	})
}

func TestRobotsIsAskedForOnceByMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Site{Latency: time.Second, Fallback: func(*http.Request) fetchtest.Answer { return fetchtest.HTML("x") }}
		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /x"))
		bot := newBot(t, politeConfig(&site))
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				_, err := bot.Fetch(t.Context(), fmt.Sprintf("%s/%d", site1, i), nil)
				assert.NoError(t, err)
			})
		}
		wg.Wait()
		assert.Equal(t, 1, site.Count("/robots.txt"))
		require.NoError(t, fetchtest.Audit(site.Log(), politePromise))
	})
}

func TestRobotsFreshness(t *testing.T) {
	tests := []struct {
		field, value string
		after        time.Duration
	}{
		{"", "", 24 * time.Hour},
		{"Cache-Control", "public, max-age=3600", time.Hour},
		{"Cache-Control", "max-age=864000", 24 * time.Hour},
		{"Cache-Control", "no-store", time.Minute},
		{"Cache-Control", "public, no-cache", time.Minute},
		{"Expires", "Sat, 01 Jan 2000 02:00:00 GMT", 2 * time.Hour},
		{"Expires", "0", 24 * time.Hour},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			var site fetchtest.Site
			site.Set("/robots.txt", fetchtest.Text("User-agent: *\nAllow: /").With(tt.field, tt.value))
			bot := newBot(t, politeConfig(&site))
			start := time.Now()
			ask := func() int {
				_, err := bot.Robots(t.Context(), site1+"/")
				require.NoError(t, err)
				return site.Count("/robots.txt")
			}
			ask()
			time.Sleep(time.Until(start.Add(tt.after - time.Second)))
			assert.Equal(t, 1, ask(), "%s: %s", tt.field, tt.value)
			time.Sleep(time.Until(start.Add(tt.after + time.Second)))
			assert.Equal(t, 2, ask(), "%s: %s", tt.field, tt.value)
		})
	}
}

func TestM11_NoCallIsFasterThanThePolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Site{Latency: 50 * time.Millisecond, Fallback: func(*http.Request) fetchtest.Answer { return links("/x", "/y", "/z") }}
		bot := newBot(t, scannerConfig(&site))
		client := &http.Client{Transport: bot}
		var wg sync.WaitGroup
		for i := range 3 { // every way in, at once, against one site
			wg.Go(func() {
				_, _ = bot.Fetch(t.Context(), fmt.Sprintf("%s/f%d", site1, i), &politefetch.FetchOptions{MaxWait: time.Hour, RobotsAdvisory: true})
			})
			wg.Go(func() {
				resp, err := client.Get(fmt.Sprintf("%s/r%d", site1, i))
				if assert.NoError(t, err) {
					_ = resp.Body.Close()
				}
			})
			wg.Go(func() {
				v, err := bot.Visit(site1+"/", &politefetch.VisitOptions{MaxPages: 1 << 30})
				if assert.NoError(t, err) {
					for range v.Pages(t.Context()) {
					}
				}
			})
		}
		wg.Wait()
		assert.Greater(t, len(site.Log()), 20)
		promise := scannerPromise
		promise.Product = "" // each visit asks for robots.txt anew
		require.NoError(t, fetchtest.Audit(site.Log(), promise))
	})
}

func TestG01_ACallWaitsOrSaysUntilWhenAndLeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the bubble fails if a goroutine is left
		var site fetchtest.Site
		site.Set("/a", fetchtest.Status(429).RetryAfter(2*time.Hour), fetchtest.HTML("x"))
		site.Set("/b", fetchtest.HTML("x"))
		bot := newBot(t, politeConfig(&site))
		p, err := bot.Fetch(t.Context(), site1+"/a", nil)
		require.NoError(t, err)
		until := p.Opens
		assert.Equal(t, time.Now().Add(2*time.Hour), until)

		start := time.Now()
		for _, maxWait := range []time.Duration{0, -1, time.Hour} { // the policy's 30 s, none, an hour
			_, err = bot.Fetch(t.Context(), site1+"/b", &politefetch.FetchOptions{MaxWait: maxWait})
			var w *ratepolicy.WaitError
			require.ErrorAs(t, err, &w, maxWait)
			assert.Equal(t, until, w.Until)
			assert.Contains(t, w.Why, "429")
		}
		assert.Equal(t, start, time.Now(), "nothing is slept out")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute+1)
		defer cancel()
		_, err = bot.Fetch(ctx, site1+"/b", nil)
		require.Error(t, err)
		assert.Equal(t, start, time.Now(), "nor waited for up to the context's end")
		assert.Len(t, site.Log(), 2)

		time.Sleep(time.Until(until))
		p, err = bot.Fetch(t.Context(), site1+"/b", &politefetch.FetchOptions{MaxWait: -1})
		require.NoError(t, err)
		assert.Equal(t, politefetch.Done, p.Outcome)
	})
}

func TestG02_AnyClientBecomesPolite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/robots.txt", fetchtest.Text("User-agent: Bot\nDisallow: /no"))
		site.Set("/a", fetchtest.Redirect("/b"))
		site.Set("/b", fetchtest.HTML("<p>body").Gzip().With("Content-Type", "text/html").With("Content-Encoding", "gzip"))
		site.Set("/big", fetchtest.Answer{Status: 200, Body: "x", Endless: true})
		site.Set("/wall", fetchtest.Challenge())
		site.Set("/etag", fetchtest.Status(304))
		client := &http.Client{Transport: newBot(t, politeConfig(&site))}

		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, site1+"/a", nil)
		require.NoError(t, err)
		req.Header.Set("Cookie", "a=b")
		req.Header.Set("Authorization", "Bearer secret")
		req.Header.Set("User-Agent", "other")
		resp, err := client.Do(req)
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Equal(t, "<p>body", string(body))
		assert.EqualValues(t, 7, resp.ContentLength)
		assert.Equal(t, "/b", resp.Request.URL.Path)

		_, err = client.Get(site1 + "/no")
		var e *politefetch.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, politefetch.Disallowed, e.Outcome)
		_, err = client.Get(site1 + "/wall")
		require.ErrorAs(t, err, &e)
		assert.Equal(t, politefetch.Walled, e.Outcome)
		_, err = client.Get("http://127.0.0.1/")
		require.ErrorAs(t, err, &e)
		assert.Equal(t, politefetch.Barred, e.Outcome)
		_, err = client.Post(site1+"/a", "text/plain", strings.NewReader("x"))
		require.ErrorIs(t, err, politefetch.ErrMethod)
		require.ErrorAs(t, err, &e)
		assert.Equal(t, politefetch.Barred, e.Outcome)

		resp, err = client.Get(site1 + "/big")
		require.NoError(t, err)
		n, err := io.Copy(io.Discard, resp.Body)
		require.ErrorIs(t, err, politefetch.ErrTooLarge)
		assert.EqualValues(t, 2<<20, n)

		req, err = http.NewRequestWithContext(t.Context(), http.MethodGet, site1+"/etag", nil)
		require.NoError(t, err)
		req.Header.Set("If-None-Match", `"1"`)
		resp, err = client.Do(req)
		require.NoError(t, err)
		assert.Equal(t, http.StatusNotModified, resp.StatusCode)
		log := site.Log()
		assert.Equal(t, `"1"`, log[len(log)-1].Header.Get("If-None-Match"))
		require.NoError(t, fetchtest.Audit(log, politePromise))
	})
}

func TestG04_EveryDecisionExplainsItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/robots.txt", fetchtest.Text("User-agent: bot\nDisallow: /no\nCrawl-delay: 3\n"))
		site.Set("/limited", fetchtest.Status(429).RetryAfter(10*time.Second), fetchtest.HTML("x"))
		site.Set("/wall", fetchtest.Challenge())
		site.Set("/moved", fetchtest.Redirect("/no"))
		cfg := politeConfig(&site)
		var mu sync.Mutex
		var events []politefetch.Event
		cfg.Observe = func(e politefetch.Event) {
			mu.Lock()
			defer mu.Unlock()
			assert.NotZero(t, e.At)
			events = append(events, e)
		}
		cfg.Allow = func(_ context.Context, u *url.URL) error {
			if u.Path == "/opted-out" {
				return fmt.Errorf("opted out by ticket 12")
			}
			return nil
		}
		bot := newBot(t, cfg)
		last := func(kind politefetch.EventKind) politefetch.Event {
			for _, e := range slices.Backward(events) {
				if e.Kind == kind {
					return e
				}
			}
			require.Fail(t, "no event", "%s", kind)
			return politefetch.Event{}
		}
		_, err := bot.Fetch(t.Context(), site1+"/no", nil)
		for _, part := range []string{site1 + "/no", "robots.txt", "line 2", "Disallow: /no"} {
			assert.Contains(t, err.Error(), part)
		}
		assert.Equal(t, 2, last(politefetch.EventForbid).Robots.Line)

		_, err = bot.Fetch(t.Context(), site1+"/opted-out", nil)
		assert.Contains(t, err.Error(), "opted out by ticket 12")
		assert.Contains(t, last(politefetch.EventBar).Why, "ticket 12")

		p, err := bot.Fetch(t.Context(), site1+"/limited", nil)
		require.NoError(t, err)
		assert.Contains(t, last(politefetch.EventWait).Why, "Crawl-delay 3s")
		limit := last(politefetch.EventLimit)
		assert.Contains(t, limit.Why, "answered 429, Retry-After asks for 10s")
		assert.Equal(t, p.Opens, limit.Until)

		_, err = bot.Fetch(t.Context(), site1+"/moved", nil)
		require.Error(t, err)
		assert.Contains(t, last(politefetch.EventRedirect).Why, "/no")
		status, err := bot.Limiter().Status(t.Context(), ratepolicy.HostKey(&url.URL{Scheme: "https", Host: "kauppa.example"}))
		require.NoError(t, err)
		assert.Contains(t, status.String(), "gentle")

		_, err = bot.Fetch(t.Context(), site1+"/wall", nil)
		require.NoError(t, err)
		assert.Contains(t, last(politefetch.EventWall).Why, "cloudflare challenge")
		assert.NotEmpty(t, last(politefetch.EventSend).URL)
		assert.Equal(t, 403, last(politefetch.EventAnswer).Status)
		assert.Equal(t, 200, last(politefetch.EventRobots).Status)
	})
}

func TestAnErrorPageWithoutATypeIsReadWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		body := strings.Repeat("no such thing. ", 1000)
		site.Set("/a", fetchtest.Answer{Status: 404, Body: body})
		p, err := newBot(t, politeConfig(&site)).Fetch(t.Context(), site1+"/a", nil)
		require.NoError(t, err)
		assert.Equal(t, body, string(p.Body))
	})
}

func TestAFailureOnTheWireIsToldApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/slow", fetchtest.Hang())
		site.Set("/br", fetchtest.HTML("x").With("Content-Encoding", "br"))
		bot := newBot(t, politeConfig(&site))
		_, err := bot.Fetch(t.Context(), site1+"/slow", nil)
		require.ErrorIs(t, err, politefetch.ErrTooSlow)
		_, err = bot.Fetch(t.Context(), site1+"/br", nil)
		require.ErrorIs(t, err, politefetch.ErrEncoding)
	})
}

func TestAValidatorThatIsNoDateIsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/a", fetchtest.HTML("x"))
		bot := newBot(t, politeConfig(&site))
		for _, h := range []http.Header{
			{"Last-Modified": {"yesterday"}},
			{"Last-Modified": {"yesterday"}, "Etag": {"\"1\"\r\nX: y"}},
		} {
			_, err := bot.Fetch(t.Context(), site1+"/a", &politefetch.FetchOptions{Earlier: h})
			require.NoError(t, err)
		}
		for _, x := range site.Log() {
			assert.NotContains(t, x.Header, "If-Modified-Since")
			assert.NotContains(t, x.Header, "If-None-Match")
		}
	})
}
