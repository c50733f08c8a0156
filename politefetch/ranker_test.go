package politefetch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
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

// The site visitor of rows K: its public page as a Config. Rows K08 to K11, its route
// through a provider, are in relay_test.go.
const (
	rankerProduct = "KiwiRankBot"
	rankerAgent   = "Mozilla/5.0 (compatible; KiwiRankBot/1.0; +https://kiwirank.com/bot/)"
)

// rankerPromise is what every test of the ranker holds the server's log against. The 2 s
// between requests that a limit brings are looked for one by one.
var rankerPromise = fetchtest.Promise{
	UserAgent: rankerAgent, Anonymous: true, Product: rankerProduct, Exempt: []string{"/"},
	Concurrency: 2, MaxWait: 30 * time.Second, OneSite: true,
}

func rankerConfig(site *fetchtest.Site) politefetch.Config {
	return politefetch.Config{
		Product: rankerProduct, UserAgent: rankerAgent, Transport: site,
		Policy: ratepolicy.Policy{
			Normal: ratepolicy.Pace{Concurrency: 2, Delay: -1, MaxWait: 30 * time.Second},
			Gentle: ratepolicy.Pace{Concurrency: 1, Delay: 2 * time.Second, MaxWait: 60 * time.Second},
		},
	}
}

var rankerVisit = politefetch.VisitOptions{HomeFirst: true, LLMs: true}

// rank makes a visit as the ranker does and audits what the site saw.
func rank(t *testing.T, site *fetchtest.Site, change func(*politefetch.Config, *politefetch.VisitOptions)) visited {
	t.Helper()
	cfg, opts := rankerConfig(site), rankerVisit
	if change != nil {
		change(&cfg, &opts)
	}
	out := visit(t, newBot(t, cfg), site1+"/", opts)
	require.NoError(t, fetchtest.Audit(site.Log(), rankerPromise))
	return out
}

// reportOf is rank for a goroutine of its own.
func reportOf(ctx context.Context, bot *politefetch.Crawler) politefetch.Report {
	v, err := bot.Visit(site1+"/", &rankerVisit)
	if err != nil {
		return politefetch.Report{Why: err.Error()}
	}
	for _, err := range v.Pages(ctx) {
		_ = err // it is in the report
	}
	return v.Report()
}

// mapped scripts a site with a sitemap of so many pages, /p0 and on, and returns their
// paths.
func mapped(site *fetchtest.Site, n int) []string {
	var paths, locs []string
	for i := range n {
		paths = append(paths, fmt.Sprintf("/p%d", i))
		locs = append(locs, site1+paths[i])
		site.Set(paths[i], fetchtest.HTML(paths[i]))
	}
	site.Set("/robots.txt", fetchtest.Text("Sitemap: "+site1+"/map.xml\n"))
	site.Set("/", fetchtest.HTML("home"))
	site.Set("/map.xml", fetchtest.Sitemap(locs...))
	return paths
}

func paths(site *fetchtest.Site) []string {
	var out []string
	for _, x := range site.Log() {
		out = append(out, x.URL.RequestURI())
	}
	return out
}

// together is the most requests in flight among those of a log that came at or after from.
func together(log []fetchtest.Exchange, from time.Time) int {
	most := 0
	for _, x := range log {
		n := 0
		for _, y := range log {
			if !y.Began.After(x.Began) && y.Ended.After(x.Began) {
				n++
			}
		}
		if !x.Began.Before(from) {
			most = max(most, n)
		}
	}
	return most
}

// leastGap is the shortest time from an answer's end to a later request, among the
// requests of a log that came at or after from.
func leastGap(log []fetchtest.Exchange, from time.Time) time.Duration {
	least := time.Duration(1<<63 - 1)
	for i, x := range log {
		if x.Began.Before(from) {
			continue
		}
		for _, y := range log[:i] {
			least = min(least, x.Began.Sub(y.Ended))
		}
	}
	return least
}

// late makes an answer come a little later than others do: what comes at the same instant
// as a request goes out is in no order.
func late(a fetchtest.Answer) fetchtest.Answer { return a.After(37 * time.Millisecond) }

// find returns a site's n-th request for a path.
func find(t *testing.T, site *fetchtest.Site, path string, n int) fetchtest.Exchange {
	t.Helper()
	for _, x := range site.Log() {
		if x.URL.RequestURI() == path {
			if n--; n == 0 {
				return x
			}
		}
	}
	t.Fatalf("%s was not asked for so often: %v", path, paths(site))
	return fetchtest.Exchange{}
}

func TestK01_NothingButTheSiteThatWasAdded(t *testing.T) {
	errNotAdded := errors.New("not in any account")
	onlySite1 := func(_ context.Context, u *url.URL) error {
		if u.Hostname() != "kauppa.example" {
			return errNotAdded
		}
		return nil
	}
	const other = "https://other.example"
	ownHost := func(t *testing.T, site *fetchtest.Site) {
		t.Helper()
		for _, addr := range asked(site) {
			assert.Contains(t, addr, site1+"/", "asked for %s", addr)
		}
	}
	t.Run("links, sitemaps, llms.txt, redirects", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var site fetchtest.Site
			site.Set("/robots.txt", fetchtest.Text("Sitemap: "+other+"/map.xml\nSitemap: /index.xml\n"))
			site.Set("/index.xml", fetchtest.SitemapIndex(site1+"/map.xml", other+"/child.xml", site1+"/moved.xml"))
			site.Set("/map.xml", fetchtest.Sitemap(site1+"/a", other+"/b", "https://www.kauppa.example/c", "https://kauppa.example.other.example/", site1+"/away", site1+"/away-by-two"))
			site.Set("/moved.xml", fetchtest.Redirect(other+"/moved.xml"))
			site.Set("/llms.txt", fetchtest.Text("# S\n\n- [x](https://other.example/llms)\n- [y](/from-llms)\n"))
			site.Set("/", links(other+"/", "//other.example/x", "https://kauppa.example:8443/port", "/linked"))
			site.Set("/a", links(other+"/deep"))
			site.Set("/from-llms", fetchtest.HTML("x"))
			site.Set("/linked", fetchtest.HTML("x"))
			site.Set("/away", fetchtest.Redirect(other+"/landing"))
			site.Set("/away-by-two", fetchtest.Redirect("/hop"))
			site.Set("/hop", fetchtest.Redirect("//www.kauppa.example/"))
			got := rank(t, &site, func(c *politefetch.Config, o *politefetch.VisitOptions) { c.Allow, o.FollowLinks = onlySite1, true })
			ownHost(t, &site)
			assert.Equal(t, politefetch.Done, got.report.Outcome, got.report.Why)
			for path, want := range map[string]string{"/away": other + "/landing", "/away-by-two": "https://www.kauppa.example/"} {
				var e *politefetch.Error
				require.ErrorAs(t, got.errs[site1+path], &e)
				assert.Equal(t, politefetch.Barred, e.Outcome)
				assert.Equal(t, want, e.URL)
				require.ErrorIs(t, e, politefetch.ErrOffSite)
				assert.Empty(t, got.pages[site1+path].Body)
			}
			assert.ElementsMatch(t, []string{site1 + "/", site1 + "/a", site1 + "/away", site1 + "/away-by-two", site1 + "/llms.txt", site1 + "/from-llms", site1 + "/linked", "https://kauppa.example:8443/port"}, got.order)
			require.ErrorIs(t, got.errs["https://kauppa.example:8443/port"], politefetch.ErrGuard, "another port is no way out either")
			assert.Contains(t, got.report.Sitemap, other+"/child.xml: not one of the visit's hosts")
		})
	})
	t.Run("what is found there, asked for by itself", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var site fetchtest.Site
			cfg := rankerConfig(&site)
			cfg.Allow = onlySite1
			bot := newBot(t, cfg)
			for _, addr := range []string{other + "/", "https://www.kauppa.example/", "https://kauppa.example.other.example/"} {
				_, err := bot.Fetch(t.Context(), addr, nil)
				var e *politefetch.Error
				require.ErrorAs(t, err, &e)
				assert.Equal(t, politefetch.Barred, e.Outcome)
				require.ErrorIs(t, e, errNotAdded)
				got := visit(t, bot, addr, rankerVisit)
				require.ErrorIs(t, got.errs[addr], errNotAdded)
				assert.Equal(t, politefetch.Barred, got.report.Outcome)
			}
			assert.Empty(t, site.Log(), "robots.txt included")
		})
	})
	t.Run("robots.txt that moved away", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var site fetchtest.Site
			site.Set("/robots.txt", fetchtest.Redirect(other+"/robots.txt"))
			site.Set("/", fetchtest.HTML("x"))
			got := rank(t, &site, nil)
			ownHost(t, &site)
			require.ErrorIs(t, got.errs[site1+"/"], politefetch.ErrOffSite)
			assert.Equal(t, politefetch.NoRobots, got.report.Outcome)
		})
	})
	t.Run("home page that moved away", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var site fetchtest.Site
			site.Set("/", fetchtest.Redirect(other+"/"))
			got := rank(t, &site, nil)
			ownHost(t, &site)
			require.ErrorIs(t, got.errs[site1+"/"], politefetch.ErrOffSite)
			assert.Equal(t, politefetch.Barred, got.report.Outcome, got.report.Why)
		})
	})
}

func TestK02_UserAgentAndRobotsToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		mapped(&site, 3)
		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /\n\nUser-agent: kiwirankbot\nDisallow: /p1\nSitemap: /map.xml\n\nUser-agent: KiwiRank\nDisallow: /p2\n"))
		site.Set("/llms.txt", fetchtest.Redirect("/llms-full.txt"))
		site.Set("/llms-full.txt", fetchtest.Text("# x"))
		site.Set("/p0", late(fetchtest.Status(429).RetryAfter(time.Second)), fetchtest.HTML("x"))
		got := rank(t, &site, nil) // the audit looks at each request's User-Agent
		assert.ElementsMatch(t, []string{"/robots.txt", "/", "/map.xml", "/llms.txt", "/llms-full.txt", "/p0", "/p0", "/p2"}, paths(&site),
			"the group that names the bot replaces the one for all whole")
		assert.Equal(t, 5, got.pages[site1+"/p1"].Robots.Line)
		for _, x := range site.Log() {
			assert.Equal(t, []string{rankerAgent}, x.Header.Values("User-Agent"), x.URL)
		}
	})
}

func TestK03_RobotsAndTheHomePageFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/robots.txt", fetchtest.Text("User-agent: KiwiRankBot\nDisallow: /$\nDisallow: /closed\nSitemap: /sitemap.xml\nSitemap: /closed.xml\n"))
		site.Set("/", links("/from-home"))
		site.Set("/sitemap.xml", fetchtest.Sitemap(site1+"/a", site1+"/closed/b"))
		site.Set("/llms.txt", fetchtest.Text("# Site\n\n## Docs\n\n- [One](/one): the first\n- [No](/closed/two)\n"))
		for _, p := range []string{"/a", "/one", "/from-home"} {
			site.Set(p, fetchtest.HTML(p))
		}
		out := rank(t, &site, nil)
		require.NoError(t, out.errs[site1+"/"], "the home page is read although robots.txt disallows it")
		assert.False(t, out.pages[site1+"/"].Robots.Allowed, "which the page says")
		assert.Equal(t, 2, out.pages[site1+"/"].Robots.Line)
		assert.ElementsMatch(t, []string{"/robots.txt", "/", "/sitemap.xml", "/llms.txt", "/a", "/one"}, paths(&site))
		assert.Equal(t, []string{"/robots.txt", "/"}, paths(&site)[:2])
		assert.Equal(t, politefetch.Done, out.report.Outcome, out.report.Why)
		assert.Equal(t, 2, out.report.Disallowed)
		assert.Contains(t, out.report.Sitemap, "/llms.txt: 2 links")
		assert.NotEmpty(t, out.pages[site1+"/llms.txt"].Body)
	})
}

func TestLLMsMayMoveWhereHTMLAloneIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		mapped(&site, 1)
		site.Set("/p0", fetchtest.Redirect("/p0.txt"))
		site.Set("/llms.txt", fetchtest.Redirect("/docs/llms.txt"))
		site.Set("/docs/llms.txt", fetchtest.Text("# Site\n\n- [One](one)\n- [Raw](raw.md)\n"))
		site.Set("/docs/one", fetchtest.HTML("one"))
		got := rank(t, &site, func(_ *politefetch.Config, o *politefetch.VisitOptions) { o.HTMLOnly = true })
		assert.ElementsMatch(t, []string{"/robots.txt", "/", "/map.xml", "/llms.txt", "/docs/llms.txt", "/p0", "/docs/one"}, paths(&site))
		require.ErrorIs(t, got.errs[site1+"/p0"], politefetch.ErrNotWanted)
		assert.Contains(t, got.report.Sitemap, "/llms.txt: 2 links")
	})
}

func TestK03_RobotsIsObeyedForEverythingElse(t *testing.T) {
	t.Run("sitemaps, llms.txt, hops", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var site fetchtest.Site
			site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /llms.txt\nDisallow: /closed\nSitemap: /closed.xml\nSitemap: /index.xml\nSitemap: /hop.xml\n"))
			site.Set("/index.xml", fetchtest.SitemapIndex(site1+"/closed-child.xml", site1+"/map.xml"))
			site.Set("/map.xml", fetchtest.Sitemap(site1+"/hop", site1+"/two-hops"))
			site.Set("/hop.xml", fetchtest.Redirect("/closed-hop.xml"))
			site.Set("/hop", fetchtest.Redirect("/closed/1"))
			site.Set("/two-hops", fetchtest.Redirect("/open"))
			site.Set("/open", fetchtest.Redirect("/closed/2"))
			site.Set("/", fetchtest.HTML("home"))
			got := rank(t, &site, nil)
			assert.ElementsMatch(t, []string{"/robots.txt", "/", "/index.xml", "/map.xml", "/hop.xml", "/hop", "/two-hops", "/open"}, paths(&site))
			for _, p := range []string{"/hop", "/two-hops", "/llms.txt"} {
				var e *politefetch.Error
				require.ErrorAs(t, got.errs[site1+p], &e)
				assert.Equal(t, politefetch.Disallowed, e.Outcome)
				assert.Equal(t, robots.ReasonRule, e.Robots.Reason)
			}
		})
	})
	t.Run("the home page's own hops", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var site fetchtest.Site
			site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /home\n"))
			site.Set("/", fetchtest.Redirect("/home"))
			got := rank(t, &site, nil)
			assert.Zero(t, site.Count("/home"))
			var e *politefetch.Error
			require.ErrorAs(t, got.errs[site1+"/"], &e)
			assert.Equal(t, site1+"/home", e.URL)
			assert.Equal(t, 2, e.Robots.Line)
			assert.Equal(t, politefetch.Disallowed, got.report.Outcome)
			assert.Contains(t, got.report.Why, "line 2")
		})
	})
	t.Run("exempt is the home page alone, not what leads back to it", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var site fetchtest.Site
			site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /$\nDisallow: /?\n"))
			site.Set("/", links("/back", "/?q"))
			site.Set("/back", fetchtest.Redirect("/"))
			rank(t, &site, nil)
			assert.Equal(t, 1, site.Count("/"))
			assert.Zero(t, site.Count("/?q"))
		})
	})
}

func TestK04_AServerErrorForRobotsEndsTheVisit(t *testing.T) {
	tests := []struct {
		name    string
		answer  fetchtest.Answer
		limited bool
		why     string
	}{
		{"500", fetchtest.Status(500), false, "answered 500"},
		{"503", fetchtest.Status(503), false, "answered 503"},
		{"503 with Retry-After", fetchtest.Status(503).RetryAfter(5 * time.Second), true, "answered 503"},
		{"599", fetchtest.Status(599), false, "answered 599"},
		{"unreachable", fetchtest.Fail(errors.New("connection refused")), false, "connection refused"},
		{"silent", fetchtest.Hang(), false, "no complete answer in time"},
	}
	good := fetchtest.Text("User-agent: *\nAllow: /\nSitemap: /map.xml\n").With("ETag", `"1"`).With("Cache-Control", "max-age=86400")
	for _, copyAtHand := range []bool{false, true} {
		for _, tt := range tests {
			t.Run(fmt.Sprintf("%s, good copy %v", tt.name, copyAtHand), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var site fetchtest.Site
					mapped(&site, 3)
					bot := newBot(t, rankerConfig(&site))
					sent := 0
					if copyAtHand {
						site.Set("/robots.txt", good)
						require.Equal(t, 4, visit(t, bot, site1+"/", rankerVisit).report.Pages)
						sent = len(site.Log())
						time.Sleep(time.Hour)
					}
					site.Set("/robots.txt", tt.answer)
					got := visit(t, bot, site1+"/", rankerVisit)
					assert.Equal(t, []string{"/robots.txt"}, paths(&site)[sent:], "asked for at the start, and nothing after it")
					if copyAtHand {
						assert.Equal(t, `"1"`, site.Log()[sent].Header.Get("If-None-Match"), "revalidated")
					}
					assert.Equal(t, politefetch.NoRobots, got.report.Outcome)
					assert.Contains(t, got.report.Why, tt.why)
					assert.Contains(t, got.report.Why, site1+"/robots.txt")
					assert.Equal(t, tt.limited, got.report.Limited)
					assert.Equal(t, robots.ReasonUnreachable, got.report.Robots.Reason)
					require.Error(t, got.errs[site1+"/"])
					require.NoError(t, fetchtest.Audit(site.Log(), rankerPromise))
				})
			})
		}
	}
	t.Run("of the host that the home page leads to", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var site fetchtest.Site
			mapped(&site, 3)
			site.Set("/", fetchtest.Redirect("https://www.kauppa.example/"))
			site.Set("https://www.kauppa.example/robots.txt", fetchtest.Status(500))
			got := rank(t, &site, func(_ *politefetch.Config, o *politefetch.VisitOptions) {
				o.Hosts = []string{"kauppa.example", "www.kauppa.example"}
			})
			assert.Equal(t, []string{site1 + "/robots.txt", site1 + "/", "https://www.kauppa.example/robots.txt"}, asked(&site))
			assert.Equal(t, politefetch.NoRobots, got.report.Outcome, got.report.Why)
		})
	})
}

func TestK04_A429ForRobotsIsWaitedOut(t *testing.T) {
	busy := fetchtest.Status(429)
	good := fetchtest.Text("Sitemap: /map.xml\n")
	t.Run("as a page's", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			site := fetchtest.Site{Latency: 100 * time.Millisecond}
			mapped(&site, 4)
			site.Set("/robots.txt", busy.RetryAfter(30*time.Second), good)
			got := rank(t, &site, nil)
			assert.Equal(t, politefetch.Done, got.report.Outcome, got.report.Why)
			assert.True(t, got.report.Limited, "it counts as a limit")
			assert.Equal(t, 5, got.report.Pages)
			assert.Equal(t, 30*time.Second, find(t, &site, "/robots.txt", 2).Began.Sub(find(t, &site, "/robots.txt", 1).Answered))
			assert.Equal(t, 2*time.Second, leastGap(site.Log(), site.Log()[1].Began))
		})
	})
	t.Run("and remembered", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var site fetchtest.Site
			mapped(&site, 4)
			site.Set("/robots.txt", busy.RetryAfter(time.Second), good)
			bot := newBot(t, rankerConfig(&site))
			visit(t, bot, site1+"/", rankerVisit)
			time.Sleep(24 * time.Hour)
			assert.True(t, visit(t, bot, site1+"/", rankerVisit).report.Gentle)
		})
	})
	for name, answer := range map[string]fetchtest.Answer{"twice": busy.RetryAfter(time.Second), "longer than is waited": busy.RetryAfter(31 * time.Second)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var site fetchtest.Site
				mapped(&site, 4)
				site.Set("/robots.txt", answer)
				got := rank(t, &site, nil)
				assert.Equal(t, politefetch.Limited, got.report.Outcome)
				assert.True(t, got.report.Limited)
				for _, p := range paths(&site) {
					assert.Equal(t, "/robots.txt", p)
				}
				last := site.Log()[len(site.Log())-1]
				wait, err := time.ParseDuration(answer.Header.Get("Retry-After") + "s")
				require.NoError(t, err)
				assert.False(t, got.report.Opens.Before(last.Answered.Add(wait)), "the report says when to come again")
			})
		})
	}
}

func TestK05_TwoAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Site{Latency: time.Second}
		all := mapped(&site, 20)
		for i, p := range all {
			site.Set(p, fetchtest.HTML(p).After(time.Duration(i%3)*time.Second))
		}
		got := rank(t, &site, nil)
		assert.Equal(t, 21, got.report.Pages)
		assert.Equal(t, 2, together(site.Log(), time.Time{}), "the high-water mark: two, and not more")
	})
	t.Run("two visits by two processes", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			site := fetchtest.Site{Latency: time.Second}
			mapped(&site, 20)
			store := newMapStore()
			done := make(chan politefetch.Report)
			for range 2 {
				cfg := rankerConfig(&site)
				cfg.Store = store
				bot := newBot(t, cfg)
				go func() { done <- reportOf(t.Context(), bot) }()
			}
			assert.Equal(t, 21, (<-done).Pages)
			assert.Equal(t, 21, (<-done).Pages)
			assert.Equal(t, 2, together(site.Log(), time.Time{}))
		})
	})
}

func TestK06_OneAtATimeAfterALimit(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer fetchtest.Answer
		gap    time.Duration // between all later requests
	}{
		{"429", fetchtest.Status(429).RetryAfter(4 * time.Second), 2 * time.Second},
		{"429 without a wait", fetchtest.Status(429), 2 * time.Second},
		{"503 with Retry-After", fetchtest.Status(503).RetryAfter(4 * time.Second), 2 * time.Second},
		{"bare 503", fetchtest.Status(503), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := fetchtest.Site{Latency: time.Second}
				all := mapped(&site, 12)
				site.Set(all[4], late(tt.answer), fetchtest.HTML("x"))
				got := rank(t, &site, nil)
				assert.Equal(t, 13, got.report.Pages)
				assert.Equal(t, 2, got.pages[site1+all[4]].Tries)
				said := find(t, &site, all[4], 1).Answered
				assert.Equal(t, 2, together(site.Log(), time.Time{}))
				assert.Equal(t, 1, together(site.Log(), said.Add(1)), "for the rest of the visit")
				assert.Equal(t, tt.gap, max(leastGap(site.Log(), said.Add(1)), 0))
				assert.Equal(t, tt.gap > 0, got.report.Limited, "a bare 503 is no limit")
			})
		})
	}
}

func TestK06_ThirtySecondsAreWaitedOut(t *testing.T) {
	for _, code := range []int{429, 503} {
		synctest.Test(t, func(t *testing.T) {
			var site fetchtest.Site
			all := mapped(&site, 3)
			site.Set(all[1], late(fetchtest.Status(code).RetryAfter(30*time.Second)), fetchtest.HTML("x"))
			got := rank(t, &site, nil) // the audit looks for requests inside the wait
			assert.Equal(t, 4, got.report.Pages)
			said := find(t, &site, all[1], 1).Answered
			i := slices.IndexFunc(site.Log(), func(x fetchtest.Exchange) bool { return x.Began.After(said) })
			assert.Equal(t, 30*time.Second, site.Log()[i].Began.Sub(said), "and no longer")
			assert.Equal(t, 2, site.Count(all[1]))
			assert.Equal(t, politefetch.Done, got.report.Outcome)
		})
	}
}

func TestK06_ALongerWaitEndsTheVisit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		all := mapped(&site, 6)
		site.Set(all[1], fetchtest.Status(429).RetryAfter(31*time.Second).After(time.Second))
		got := rank(t, &site, nil)
		until := find(t, &site, all[1], 1).Answered.Add(31 * time.Second)
		assert.Equal(t, politefetch.Limited, got.report.Outcome)
		assert.Equal(t, until, got.report.Opens, "the instant that was asked for")
		assert.Contains(t, got.report.Why, "Retry-After 31")
		assert.Contains(t, got.report.Why, until.UTC().Format(time.RFC3339))
		assert.Equal(t, 1, site.Count(all[1]))
		assert.Less(t, time.Since(site.Log()[0].Began), 31*time.Second, "it is not slept out")
		assert.Positive(t, got.report.Left)
	})
}

func TestK06_PagesThatAreRefusedTwiceAreSkippedAndFiveInARowEndTheVisit(t *testing.T) {
	for _, gentle := range []bool{false, true} {
		t.Run(fmt.Sprintf("gentle %v", gentle), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := fetchtest.Site{Latency: 100 * time.Millisecond}
				all := mapped(&site, 20)
				bot := newBot(t, rankerConfig(&site))
				if gentle {
					site.Set("/", fetchtest.Status(429).RetryAfter(time.Second), fetchtest.HTML("home"))
					require.True(t, visit(t, bot, site1+"/", politefetch.VisitOptions{HomeFirst: true, MaxPages: 1}).report.Limited)
				}
				began, sent := time.Now(), len(site.Log())
				busy := []fetchtest.Answer{fetchtest.Status(429).RetryAfter(time.Second), fetchtest.Status(503)}
				for i, p := range all {
					if i != 4 {
						site.Set(p, late(busy[i%2]))
					}
				}
				got := visit(t, bot, site1+"/", rankerVisit)
				require.NoError(t, fetchtest.Audit(site.Log(), rankerPromise))
				assert.Equal(t, gentle, got.report.Gentle)
				asked := make(map[string]int)
				for _, p := range paths(&site)[sent:] {
					asked[p]++
				}
				for i, p := range all {
					switch {
					case i == 4:
						assert.Equal(t, 1, asked[p])
					case i <= 9: // four, a page that answers, five in a row
						assert.Equal(t, 2, asked[p], p)
						assert.Equal(t, 2, got.pages[site1+p].Tries)
						require.NoError(t, got.errs[site1+p])
					default:
						assert.Zero(t, asked[p], p)
					}
				}
				assert.Equal(t, 9, got.report.Skipped)
				assert.Equal(t, politefetch.Limited, got.report.Outcome)
				assert.Contains(t, got.report.Why, "5 pages in a row")
				first := find(t, &site, all[0], 1)
				assert.GreaterOrEqual(t, leastGap(site.Log(), first.Ended.Add(1)), 2*time.Second, "once limited")
				assert.True(t, began.Before(first.Began))
			})
		})
	}
}

func TestAWallAnsweredToOneOfTwoEndsBoth(t *testing.T) {
	t.Run("in flight", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			site := fetchtest.Site{Latency: time.Second}
			all := mapped(&site, 9)
			site.Set(all[1], fetchtest.Challenge())
			site.Set(all[0], fetchtest.HTML("x").After(10*time.Second))
			got := rank(t, &site, nil)
			assert.Equal(t, politefetch.Walled, got.report.Outcome, got.report.Why)
			assert.ElementsMatch(t, []string{all[0], all[1]}, paths(&site)[4:])
		})
	})
	t.Run("while the other waits to be asked again", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			site := fetchtest.Site{Latency: time.Second}
			all := mapped(&site, 9)
			site.Set(all[0], fetchtest.Status(503))
			site.Set(all[1], fetchtest.Challenge().After(time.Second))
			got := rank(t, &site, nil)
			assert.Equal(t, politefetch.Walled, got.report.Outcome, got.report.Why)
			assert.Contains(t, got.report.Why, "wall")
			assert.ElementsMatch(t, []string{all[0], all[1]}, paths(&site)[4:], "nothing more is sent")
		})
	})
}

func TestK07_GentleForFourteenDaysInEveryVisit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Site{Latency: time.Second}
		store := newMapStore()
		all := mapped(&site, 5)
		go1 := func() visited { // each visit is a process of its own
			cfg := rankerConfig(&site)
			cfg.Store = store
			return visit(t, newBot(t, cfg), site1+"/", rankerVisit)
		}
		limit := func(wait time.Duration) time.Time {
			site.Set(all[2], late(fetchtest.Status(429).RetryAfter(wait)), fetchtest.HTML("x"))
			got := go1()
			assert.Equal(t, politefetch.Done, got.report.Outcome, got.report.Why)
			assert.True(t, got.report.Limited)
			for _, x := range slices.Backward(site.Log()) {
				if x.Answer.Status == 429 {
					return x.Ended
				}
			}
			return time.Time{}
		}
		gentle := func(from time.Time, want bool) {
			t.Helper()
			n := len(site.Log())
			got := go1()
			log := site.Log()[n:]
			assert.Equal(t, want, got.report.Gentle)
			if !want {
				assert.Equal(t, 2, together(log, time.Time{}), "%v after the limit", log[0].Began.Sub(from))
				return
			}
			assert.Equal(t, 1, together(log, time.Time{}))
			assert.Equal(t, 2*time.Second, leastGap(log, time.Time{}))
		}
		const day = 24 * time.Hour
		at := limit(5 * time.Second)
		for _, d := range []time.Duration{time.Minute, day, 10 * day, 14*day - time.Minute} {
			time.Sleep(time.Until(at.Add(d)))
			gentle(at, true)
		}
		time.Sleep(time.Until(at.Add(14 * day)))
		gentle(at, false)

		at = limit(5 * time.Second)
		time.Sleep(13 * day)
		again := limit(60 * time.Second) // gentle, a minute is waited out
		i := slices.IndexFunc(site.Log(), func(x fetchtest.Exchange) bool { return x.Began.After(again) })
		assert.Equal(t, 60*time.Second, site.Log()[i].Began.Sub(again))
		time.Sleep(time.Until(at.Add(14 * day)))
		gentle(at, true) // the 14 days count from the last limit
		time.Sleep(time.Until(again.Add(14*day - time.Minute)))
		gentle(again, true)

		site.Set(all[2], late(fetchtest.Status(429).RetryAfter(61*time.Second)))
		got := go1()
		assert.Equal(t, politefetch.Limited, got.report.Outcome, "more than a minute is not")
		require.NoError(t, fetchtest.Audit(site.Log(), rankerPromise))
	})
}

// A redirect may ask for a pause, too (RFC 9110 section 10.2.3).
func TestK07_ARedirectsPauseIsWaitedOutAsAHoldIs(t *testing.T) {
	for _, tt := range []struct {
		gentle bool
		pause  time.Duration
		want   bool
	}{
		{false, 30 * time.Second, true},
		{false, 31 * time.Second, false},
		{true, 60 * time.Second, true},
		{true, 61 * time.Second, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			site := fetchtest.Site{Latency: time.Second}
			all := mapped(&site, 2)
			site.Set("/moved", fetchtest.HTML("moved"))
			bot := newBot(t, rankerConfig(&site))
			if tt.gentle {
				site.Set("/busy", late(fetchtest.Status(429).RetryAfter(5*time.Second)))
				p, err := bot.Fetch(t.Context(), site1+"/busy", nil)
				require.NoError(t, err)
				require.Equal(t, politefetch.Limited, p.Outcome)
				time.Sleep(time.Hour)
			}
			site.Set(all[1], fetchtest.Redirect("/moved").RetryAfter(tt.pause))
			got := visit(t, bot, site1+"/", rankerVisit)
			require.Equal(t, tt.gentle, got.report.Gentle)
			if !tt.want {
				assert.Equal(t, politefetch.Limited, got.report.Outcome, "%+v", tt)
				assert.NotContains(t, asked(&site), site1+"/moved")
				return
			}
			assert.Equal(t, politefetch.Done, got.report.Outcome, "%+v", tt)
			assert.Equal(t, tt.pause, find(t, &site, "/moved", 1).Began.Sub(find(t, &site, all[1], 1).Ended))
		})
	}
}

func TestK07_ALimitHoldsForVisitsUnderWayElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Site{Latency: time.Second}
		mapped(&site, 20)
		site.Set("/other", late(fetchtest.Status(429).RetryAfter(5*time.Second)))
		store := newMapStore()
		process := func() *politefetch.Crawler {
			cfg := rankerConfig(&site)
			cfg.Store = store
			return newBot(t, cfg)
		}
		done := make(chan politefetch.Report)
		bot := process()
		go func() { done <- reportOf(t.Context(), bot) }()
		time.Sleep(7500 * time.Millisecond) // two at a time by then
		p, err := process().Fetch(t.Context(), site1+"/other", nil)
		require.NoError(t, err)
		require.Equal(t, politefetch.Limited, p.Outcome)
		rep := <-done
		assert.Equal(t, 21, rep.Pages)
		assert.False(t, rep.Gentle, "it was not when it began")
		require.NoError(t, fetchtest.Audit(site.Log(), rankerPromise))
		require.NoError(t, auditGentle(site.Log()))
	})
}

// history is what the owner of a bot stores: Reports, as JSON.
type history struct{ stored []byte }

func (h *history) past(t *testing.T) []politefetch.Report {
	t.Helper()
	var past []politefetch.Report
	if h.stored != nil {
		require.NoError(t, json.Unmarshal(h.stored, &past))
	}
	return past
}

func (h *history) add(t *testing.T, r politefetch.Report) {
	t.Helper()
	b, err := json.Marshal(append(h.past(t), r))
	require.NoError(t, err)
	h.stored = b
}

// TestK12_TheCalendarOfRealVisits lives through three weeks by what the reports say.
func TestK12_TheCalendarOfRealVisits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Site{Latency: 10 * time.Second}
		all := mapped(&site, 2)
		cfg := rankerConfig(&site)
		cfg.Store = newMapStore()
		bot := newBot(t, cfg)
		var h history
		start := time.Now()
		var starts []time.Duration
		answers := map[int]fetchtest.Answer{ // by visit
			1: fetchtest.Status(429).RetryAfter(time.Second), // the second, a weekly one
			2: fetchtest.Status(503).RetryAfter(time.Second), // its first extra
			3: fetchtest.Status(429).RetryAfter(time.Second), // its second
			5: fetchtest.Challenge(),
		}
		var ended []time.Duration
		for n := range 7 {
			time.Sleep(time.Until(kiwiCadence.Next(h.past(t))))
			starts = append(starts, time.Since(start))
			site.Set(all[0], fetchtest.HTML("x"))
			if a, ok := answers[n]; ok {
				site.Set(all[0], a, fetchtest.HTML("x"))
			}
			got := visit(t, bot, site1+"/", rankerVisit)
			h.add(t, got.report)
			ended = append(ended, got.report.Ended.Sub(start))
		}
		const week, extra = 7 * 24 * time.Hour, 4 * time.Hour
		assert.Equal(t, []time.Duration{
			0, week, ended[1] + extra, ended[2] + extra, 2 * week, 3 * week, 4 * week,
		}, starts, "once at set-up, weekly, two extras that week and no third, none after a wall")
		past := h.past(t)
		assert.Equal(t, politefetch.Walled, past[5].Outcome)
		assert.Equal(t, []bool{false, true, true, true, false, false, false}, []bool{
			past[0].Limited, past[1].Limited, past[2].Limited, past[3].Limited, past[4].Limited, past[5].Limited, past[6].Limited,
		})
	})
}

// TestK13_TheButtonAfterRealVisits presses Recheck as soon as the reports allow it.
func TestK13_TheButtonAfterRealVisits(t *testing.T) {
	long := fetchtest.Status(429).RetryAfter(31 * time.Second)
	short := fetchtest.Status(429).RetryAfter(time.Second)
	for _, tt := range []struct {
		name    string
		set     map[string][]fetchtest.Answer
		outcome politefetch.Outcome
		opens   func(requested, ended time.Time) time.Time
	}{
		{"finished: six hours from the request", nil, politefetch.Done, func(r, _ time.Time) time.Time { return r.Add(6 * time.Hour) }},
		{"limited, and read whole all the same", map[string][]fetchtest.Answer{"/p0": {short, fetchtest.HTML("x")}}, politefetch.Done, func(r, _ time.Time) time.Time { return r.Add(6 * time.Hour) }},
		{"could not finish: ten minutes from the end", map[string][]fetchtest.Answer{"/robots.txt": {fetchtest.Status(500)}}, politefetch.NoRobots, func(_, e time.Time) time.Time { return e.Add(10 * time.Minute) }},
		{"limited: six hours from the end", map[string][]fetchtest.Answer{"/p0": {long}}, politefetch.Limited, func(_, e time.Time) time.Time { return e.Add(6 * time.Hour) }},
		{"walled: the same", map[string][]fetchtest.Answer{"/p0": {fetchtest.Challenge()}}, politefetch.Walled, func(_, e time.Time) time.Time { return e.Add(6 * time.Hour) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := fetchtest.Site{Latency: 10 * time.Second}
				mapped(&site, 3)
				bot := newBot(t, rankerConfig(&site))
				var h history
				h.add(t, visit(t, bot, site1+"/", rankerVisit).report)
				time.Sleep(time.Hour)
				assert.Zero(t, kiwiCadence.RecheckOpens(h.past(t)), "at once")
				opts := rankerVisit
				opts.Requested = time.Now()
				time.Sleep(time.Minute) // it stood in a queue
				for addr, answers := range tt.set {
					site.Set(addr, answers...)
				}
				got := visit(t, bot, site1+"/", opts)
				h.add(t, got.report)
				assert.Equal(t, tt.outcome, got.report.Outcome, got.report.Why)
				assert.True(t, tt.opens(opts.Requested, got.report.Ended).Equal(kiwiCadence.RecheckOpens(h.past(t))))
			})
		})
	}
	t.Run("limited: at the next scheduled visit if that is sooner", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var site fetchtest.Site
			all := mapped(&site, 3)
			bot := newBot(t, rankerConfig(&site))
			var h history
			h.add(t, visit(t, bot, site1+"/", rankerVisit).report)
			next := kiwiCadence.Next(h.past(t))
			time.Sleep(time.Until(next.Add(-time.Hour)))
			site.Set(all[0], long)
			opts := rankerVisit
			opts.Requested = time.Now()
			h.add(t, visit(t, bot, site1+"/", opts).report)
			assert.True(t, next.Equal(kiwiCadence.RecheckOpens(h.past(t))))
			assert.True(t, next.Equal(kiwiCadence.Next(h.past(t))), "which the recheck does not move")
		})
	})
}

func TestK14_TheReportSaysWhyTheCheckCouldNotRun(t *testing.T) {
	wall := fetchtest.HTML(`<title>Just a moment...</title><script>window._cf_chl_opt={cvId:"3"};</script>`)
	for _, tt := range []struct {
		name    string
		set     map[string][]fetchtest.Answer
		outcome politefetch.Outcome
		why     string
		line    int
		rule    string
	}{
		{
			"blocked by robots.txt, as the bot's page says how",
			map[string][]fetchtest.Answer{"/robots.txt": {fetchtest.Text("# ours\nUser-agent: KiwiRankBot\nDisallow: /\n")}},
			politefetch.Disallowed, "disallowed by robots.txt line 3: Disallow: /", 3, "Disallow: /",
		},
		{
			"blocked for all",
			map[string][]fetchtest.Answer{"/robots.txt": {fetchtest.Text("User-agent: *\nDisallow: *\nSitemap: /map.xml\n")}},
			politefetch.Disallowed, "disallowed by robots.txt line 2: Disallow: *", 2, "Disallow: *",
		},
		{"robots.txt broken", map[string][]fetchtest.Answer{"/robots.txt": {fetchtest.Status(502)}}, politefetch.NoRobots, "GET https://kauppa.example/robots.txt: answered 502", 0, ""},
		{"unreachable", map[string][]fetchtest.Answer{"/robots.txt": {fetchtest.Fail(errors.New("no route to host"))}}, politefetch.NoRobots, "no route to host", 0, ""},
		{"home page down", map[string][]fetchtest.Answer{"/": {fetchtest.Status(500)}, "/robots.txt": {fetchtest.Status(404)}, "/map.xml": {fetchtest.Status(404)}}, politefetch.Failed, "https://kauppa.example/: answered 500", 0, ""},
		{"walled", map[string][]fetchtest.Answer{"/": {wall}}, politefetch.Walled, "a bot wall answered at https://kauppa.example/: cloudflare challenge", 0, ""},
		{"walled at robots.txt", map[string][]fetchtest.Answer{"/robots.txt": {wall}}, politefetch.Walled, "GET https://kauppa.example/robots.txt: a bot wall answered: cloudflare challenge", 0, ""},
		{"rate limited", map[string][]fetchtest.Answer{"/": {fetchtest.Status(429).RetryAfter(time.Hour)}}, politefetch.Limited, "answered 429, Retry-After 3600", 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var site fetchtest.Site
				mapped(&site, 3)
				for addr, answers := range tt.set {
					site.Set(addr, answers...)
				}
				got := rank(t, &site, nil)
				assert.Equal(t, tt.outcome, got.report.Outcome, got.report.Why)
				assert.Contains(t, got.report.Why, tt.why)
				assert.Equal(t, tt.line, got.report.Robots.Line)
				assert.Equal(t, tt.rule, got.report.Robots.Rule)
				assert.Equal(t, tt.outcome == politefetch.Limited, !got.report.Opens.IsZero() && got.report.Limited)
			})
		})
	}
	t.Run("home page disallowed, others not: the check did run", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var site fetchtest.Site
			mapped(&site, 3)
			site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /$\nSitemap: /map.xml\n"))
			assert.Equal(t, politefetch.Done, rank(t, &site, nil).report.Outcome)
		})
	})
}

func TestG06_WhatWasPromisedIsAssertedInFakeTime(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*politefetch.Config)
		says   string // of the audit; "": nothing
	}{
		{"kept", func(*politefetch.Config) {}, ""},
		{"another user agent", func(c *politefetch.Config) { c.UserAgent = "KiwiRankBot/2.0 (+https://kiwirank.com/bot/)" }, `User-Agent is "KiwiRankBot/2.0`},
		{"too fast", func(c *politefetch.Config) { c.Policy.Normal.Delay = time.Second }, "promised 2s"},
		{"too many at a time", func(c *politefetch.Config) { c.Policy.Normal = ratepolicy.Pace{Concurrency: 2, Delay: -1} }, "2 requests in flight, promised at most 1"},
		{"disallowed", altered("/robots.txt", func(r *http.Response) { r.Body = http.NoBody }), "disallowed by robots.txt line 2"},
		{"inside a hold", altered("/p1", func(r *http.Response) { r.Header.Del("Retry-After") }), "answered 429 and asked for 30s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				site := fetchtest.Site{Latency: 100 * time.Millisecond}
				mapped(&site, 4)
				site.Set("/sitemap.xml", fetchtest.Sitemap(site1+"/p0", site1+"/p1", site1+"/p2", site1+"/p3"))
				site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /p2\n"))
				site.Set("/p1", fetchtest.Status(429).RetryAfter(30*time.Second), fetchtest.HTML("x"))
				cfg := rankerConfig(&site)
				cfg.Policy.Normal = ratepolicy.Pace{Delay: 2 * time.Second}
				tt.change(&cfg)
				visit(t, newBot(t, cfg), site1+"/", rankerVisit)
				promise := rankerPromise
				promise.Concurrency, promise.Delay = 1, 2*time.Second
				err := fetchtest.Audit(site.Log(), promise)
				if tt.says == "" {
					require.NoError(t, err)
					assert.Greater(t, time.Since(began), 30*time.Second, "in time that only the test's bubble has")
					return
				}
				require.ErrorContains(t, err, tt.says)
			})
		})
	}
}

// altered is a network that shows the bot another answer for a path than the site gave.
func altered(path string, alter func(*http.Response)) func(*politefetch.Config) {
	return func(c *politefetch.Config) {
		site := c.Transport
		c.Transport = roundTripper(func(req *http.Request) (*http.Response, error) {
			resp, err := site.RoundTrip(req)
			if err == nil && req.URL.Path == path {
				alter(resp)
			}
			return resp, err
		})
	}
}
