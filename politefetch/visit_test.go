package politefetch_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
	"github.com/politefetch/sdk/ratepolicy"
)

func TestVisitEndsWhereRobotsCannotBeHad(t *testing.T) {
	html := fetchtest.HTML("<title>x</title>")
	tests := []struct {
		name    string
		answer  fetchtest.Answer
		outcome politefetch.Outcome
		why     string
	}{
		{"500", fetchtest.Status(500), politefetch.NoRobots, "answered 500"},
		{"503 with Retry-After", fetchtest.Status(503).RetryAfter(5 * time.Second), politefetch.NoRobots, "answered 503"},
		{"429 for ever", fetchtest.Status(429).RetryAfter(5 * time.Second), politefetch.Limited, "answered 429"},
		{"429, longer than is waited", fetchtest.Status(429).RetryAfter(time.Hour), politefetch.Limited, "Retry-After"},
		{"connection fails", fetchtest.Fail(errors.New("connection reset by peer")), politefetch.NoRobots, "connection reset"},
		{"hangs", fetchtest.Hang(), politefetch.NoRobots, "no complete answer in time"},
		{"breaks off", fetchtest.Text("User-agent: *\nDisallow: /a").With("Content-Encoding", "gzip"), politefetch.Done, ""}, // plain for all its header: read as it is
		{"a challenge in its place", fetchtest.Challenge(), politefetch.Walled, "cloudflare challenge"},
		{"a challenge with status 200", html.With("Cf-Mitigated", "challenge"), politefetch.Walled, "cloudflare"},
		{"redirect off the site", fetchtest.Redirect("https://other.example/robots.txt"), politefetch.NoRobots, "not one of the visit's hosts"},
		{"unknown encoding", fetchtest.Text("x").With("Content-Encoding", "br"), politefetch.NoRobots, "content coding"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var site fetchtest.Site
				site.Set("/robots.txt", tt.answer)
				site.Set("/", links())
				got := scan(t, &site, site1+"/", nil)
				assert.Equal(t, tt.outcome, got.report.Outcome, got.report.Why)
				assert.Contains(t, got.report.Why, tt.why)
				if tt.outcome == politefetch.Done {
					return
				}
				for _, addr := range asked(&site) {
					assert.Equal(t, site1+"/robots.txt", addr)
				}
				var e *politefetch.Error
				require.ErrorAs(t, got.errs[site1+"/"], &e)
				assert.Equal(t, tt.outcome, e.Outcome)
			})
		})
	}
}

func TestVisitReadsRobotsThatMoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/robots.txt", fetchtest.Redirect("/r/1"))
		for i := 1; i < 5; i++ {
			site.Set(fmt.Sprintf("/r/%d", i), fetchtest.Redirect(fmt.Sprintf("/r/%d", i+1)))
		}
		site.Set("/r/5", fetchtest.Text("User-agent: *\nDisallow: /a\n"))
		site.Set("/", links("/a"))
		cfg, opts := scannerConfig(&site), scannerVisit
		got := visit(t, newBot(t, cfg), site1+"/", opts)
		assert.Equal(t, 1, got.report.Disallowed, "five redirects are followed")

		site.Set("/r/5", fetchtest.Redirect("/r/6"))
		got = visit(t, newBot(t, cfg), site1+"/", opts)
		assert.Equal(t, 0, got.report.Disallowed, "six: as if there were none (RFC 9309 section 2.3.1.2)")
		assert.Zero(t, site.Count("/r/6"))
	})
}

func TestVisitWaitsOutALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Site{Latency: 40 * time.Millisecond}
		site.Set("/", links("/a", "/b"))
		site.Set("/a", fetchtest.Status(429).RetryAfter(20*time.Second), links())
		site.Set("/b", links())
		got := scan(t, &site, site1+"/", nil) // the audit looks for requests inside the wait
		assert.Equal(t, 3, got.report.Pages)
		assert.Equal(t, 2, got.pages[site1+"/a"].Tries)
		assert.Equal(t, 200, got.pages[site1+"/a"].Status)
		assert.True(t, got.report.Limited)
		assert.Equal(t, politefetch.Done, got.report.Outcome)
	})
}

func TestVisitEndsAtALongWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/", links("/a", "/b"))
		site.Set("/a", fetchtest.Status(503).RetryAfter(time.Hour))
		bot := newBot(t, scannerConfig(&site))
		start := time.Now()
		got := visit(t, bot, site1+"/", scannerVisit)
		until := site.Log()[4].Answered.Add(time.Hour)
		assert.Equal(t, politefetch.Limited, got.report.Outcome)
		assert.Equal(t, until, got.report.Opens)
		assert.Contains(t, got.report.Why, "Retry-After 3600")
		assert.Equal(t, 1, got.report.Left)
		assert.Less(t, time.Since(start), 10*time.Second, "the wait is not slept out")
		var w *ratepolicy.WaitError
		require.ErrorAs(t, got.errs[site1+"/a"], &w)
		assert.Equal(t, until, w.Until)

		again := visit(t, bot, site1+"/", scannerVisit)
		assert.Equal(t, politefetch.Limited, again.report.Outcome, "the hold outlives the visit")
		assert.Len(t, site.Log(), 5, "nothing was sent")
		time.Sleep(time.Until(until))
		assert.Equal(t, 1, visit(t, bot, site1+"/", scannerVisit).report.Pages, "and ends in time")
		assert.True(t, got.report.Limited)
	})
}

func TestVisitGivesUpPagesAndThenTheSite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		var hrefs []string
		for i := range 20 {
			hrefs = append(hrefs, fmt.Sprintf("/p%d", i))
			site.Set(hrefs[i], fetchtest.Status(503))
		}
		site.Set("/p2", links())
		site.Set("/", links(hrefs...))
		got := scan(t, &site, site1+"/", nil)
		assert.Equal(t, 2, site.Count("/p0"))
		assert.Equal(t, politefetch.Limited, got.report.Outcome)
		assert.Equal(t, 7, got.report.Skipped, "two, then five in a row")
		assert.Equal(t, 2, got.report.Pages)
		assert.Equal(t, 12, got.report.Left)
		assert.Contains(t, got.report.Why, "5 pages in a row")
	})
}

func TestVisitStopsAtAWall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/", links("/a", "/b"))
		site.Set("/a", fetchtest.HTML(`<title>Just a moment...</title><script>window._cf_chl_opt={cvId:"3"};</script>`))
		site.Set("/b", links())
		got := scan(t, &site, site1+"/", nil)
		assert.Equal(t, politefetch.Walled, got.report.Outcome)
		assert.Zero(t, site.Count("/b"))
		assert.Equal(t, politefetch.Challenge, got.pages[site1+"/a"].Wall.Kind)
		assert.Contains(t, got.report.Why, "cloudflare")
	})
}

func TestVisitStopsAtAWallInASitemapsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/", links("/b"))
		site.Set("/sitemap.xml", fetchtest.HTML(`<title>Just a moment...</title><script>window._cf_chl_opt={cvId:"3"};</script>`))
		got := scan(t, &site, site1+"/", nil)
		assert.Equal(t, politefetch.Walled, got.report.Outcome, got.report.Why)
		assert.Zero(t, site.Count("/"))
	})
}

func TestVisitAsksForEveryPageOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/", links("/a", "/a#x", "/./a", "/moved", "https://KAUPPA.example:443/b", "/b", "/loop", "/late"))
		site.Set("/a", links("/", "/moved", "/late"))
		site.Set("/moved", fetchtest.Redirect("/b"))
		site.Set("/b", links())
		site.Set("/late", fetchtest.Redirect("/a"))
		site.Set("/loop", fetchtest.Redirect("/loop2"))
		site.Set("/loop2", fetchtest.Redirect("/loop"))
		got := scan(t, &site, site1+"/", nil)
		for _, addr := range asked(&site) {
			assert.Equal(t, 1, site.Count(addr), addr)
		}
		assert.Equal(t, site1+"/b", got.pages[site1+"/moved"].Final)
		assert.Empty(t, got.pages[site1+"/late"].Final, "it leads to a page already read")
		assert.Equal(t, site1+"/a", got.pages[site1+"/late"].Hops[0].Location)
		assert.Zero(t, got.report.Left)
	})
}

func TestVisitReadsSeveralAtOnceInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Site{Fallback: func(r *http.Request) fetchtest.Answer {
			return links().After(time.Duration(len(r.URL.Path)%3) * time.Second)
		}}
		var locs []string
		for i := range 20 {
			locs = append(locs, site1+"/"+strings.Repeat("p", i+1))
		}
		site.Set("/robots.txt", fetchtest.Text("Sitemap: /map"))
		site.Set("/map", fetchtest.Sitemap(locs...))
		cfg := scannerConfig(&site)
		cfg.Policy.Normal = ratepolicy.Pace{Concurrency: 2, Delay: -1, Burst: 2}
		got := visit(t, newBot(t, cfg), site1+"/", scannerVisit)
		assert.Equal(t, append([]string{site1 + "/"}, locs...), got.order)
		require.NoError(t, fetchtest.Audit(site.Log(), fetchtest.Promise{Concurrency: 2, Product: scannerProduct}))
		require.Error(t, fetchtest.Audit(site.Log(), fetchtest.Promise{Concurrency: 1}), "two were in flight")
	})
}

func TestVisitOfAnEndlessPageAndASlowOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/", links("/endless", "/slow", "/hang", "/ok"))
		site.Set("/endless", fetchtest.Answer{Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: strings.Repeat("<p>x", 1000), Endless: true})
		site.Set("/slow", fetchtest.Answer{Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: "<p>x", Drip: time.Second, Endless: true})
		site.Set("/hang", fetchtest.Hang())
		site.Set("/ok", links())
		got := scan(t, &site, site1+"/", nil)
		assert.True(t, got.pages[site1+"/endless"].Truncated)
		assert.EqualValues(t, 2_000_000, got.pages[site1+"/endless"].Summary().Bytes)
		for _, addr := range []string{site1 + "/slow", site1 + "/hang"} {
			require.Error(t, got.errs[addr], addr)
			assert.Equal(t, politefetch.Failed, got.pages[addr].Outcome, addr)
			assert.Regexp(t, "in time|less than 1 KiB a second", got.errs[addr].Error())
		}
		assert.True(t, got.pages[site1+"/slow"].Truncated)
		assert.Equal(t, 3, got.report.Pages)
		assert.Equal(t, 2, got.report.Failed)
		for _, x := range site.Log() {
			assert.LessOrEqual(t, x.Ended.Sub(x.Began), 15*time.Second, "the limit of one address")
		}
	})
}

func TestVisitOfALargeSitemapKeepsLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Site{Fallback: func(*http.Request) fetchtest.Answer { return links() }}
		locs := make([]string, 50_000)
		for i := range locs {
			locs[i] = fmt.Sprintf("%s/p/%d", site1, i)
		}
		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /p/1\nSitemap: /map\nSitemap: /map2"))
		site.Set("/map", fetchtest.Sitemap(locs...).Gzip())
		got := scan(t, &site, site1+"/", func(_ *politefetch.Config, o *politefetch.VisitOptions) { o.MaxPages = 20 })
		assert.Equal(t, 20, got.report.Pages)
		assert.Equal(t, 50_001, got.report.Pages+got.report.Disallowed+got.report.Left)
		assert.Zero(t, site.Count("/map2"), "no more sitemaps are asked for than are needed")
		for _, addr := range asked(&site) {
			assert.NotContains(t, addr, "/p/1")
		}
	})
}

func TestVisitInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/", links("/hang", "/b"))
		site.Set("/hang", fetchtest.Hang())
		bot := newBot(t, scannerConfig(&site))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(5*time.Second, cancel)
		v, err := bot.Visit(site1+"/", &scannerVisit)
		require.NoError(t, err)
		start, n := time.Now(), 0
		for range v.Pages(ctx) {
			n++
		}
		assert.Equal(t, 5*time.Second, time.Since(start), "at once")
		assert.Equal(t, 2, n)
		rep := v.Report()
		assert.Empty(t, rep.Outcome)
		assert.Contains(t, rep.Why, "interrupted")
		assert.Equal(t, 1, rep.Pages)
		assert.Equal(t, 1, rep.Left)
	})
}

func TestVisitIsForOneRange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/", links("/a"))
		bot := newBot(t, scannerConfig(&site))
		v, err := bot.Visit(site1, &scannerVisit)
		require.NoError(t, err)
		assert.Empty(t, site.Log(), "nothing is sent before the range")
		for range v.Pages(t.Context()) {
			break // the caller's loop may end any time
		}
		assert.Empty(t, v.Report().Outcome)
		for _, err := range v.Pages(t.Context()) {
			require.Error(t, err)
		}
	})
}

func TestVisitOptionsAreChecked(t *testing.T) {
	bot := newBot(t, scannerConfig(new(fetchtest.Site)))
	_, err := bot.Visit("http://127.0.0.1/", nil)
	var e *politefetch.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, politefetch.Barred, e.Outcome)
	_, err = bot.Visit("kauppa.example", nil)
	require.Error(t, err)
	_, err = bot.Visit("https://u:geheim@kauppa.example/", nil)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "geheim")
	_, err = bot.Visit(site1, &politefetch.VisitOptions{Hosts: []string{"other.example"}})
	require.ErrorContains(t, err, "kauppa.example")
	_, err = bot.Visit(site1, &politefetch.VisitOptions{Hosts: []string{"kauppa.example", "bad host"}})
	require.ErrorContains(t, err, "bad host")
}
