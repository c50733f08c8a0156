package politefetch_test

import (
	"errors"
	"fmt"
	"net/http"
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
	"github.com/politefetch/sdk/proxy"
	"github.com/politefetch/sdk/ratepolicy"
)

// plainRelay is a relay that is no ScrapingBee: it follows redirects on a site of its own.
type plainRelay struct {
	site *fetchtest.Site

	mu    sync.Mutex
	asked []string
}

func (r *plainRelay) RoundTrip(req *http.Request) (*http.Response, error) {
	r.mu.Lock()
	r.asked = append(r.asked, req.URL.String())
	r.mu.Unlock()
	client := http.Client{Transport: r.site}
	return client.Do(req.Clone(req.Context()))
}

func (r *plainRelay) log() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.asked...)
}

// relayConfig is the ranker's Config with a relay, and a host that is due for it.
func relayConfig(t *testing.T, direct *fetchtest.Site, relay http.RoundTripper) politefetch.Config {
	t.Helper()
	cfg := rankerConfig(direct)
	cfg.Policy.RelayAfter = 1
	cfg.Policy.Relay = ratepolicy.Pace{Concurrency: 2, Delay: -1, MaxWait: 30 * time.Second}
	cfg.Relay = relay
	return cfg
}

// limitTwice makes a site go on limiting: once in normal mode, once in gentle mode.
func limitTwice(t *testing.T, bot *politefetch.Crawler, site *fetchtest.Site) {
	t.Helper()
	site.Set("/robots.txt", fetchtest.Status(404))
	site.Set("/", fetchtest.Status(429).RetryAfter(time.Second), fetchtest.HTML("home"))
	for range 2 {
		out := visit(t, bot, site1+"/", politefetch.VisitOptions{HomeFirst: true})
		require.True(t, out.report.Limited)
		require.False(t, out.report.Relayed)
		site.Set("/", fetchtest.Status(429).RetryAfter(time.Second), fetchtest.HTML("home"))
		time.Sleep(4 * time.Hour)
	}
	site.Set("/", fetchtest.HTML("home"))
}

func TestARelayIsCheckedWhereItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var direct, far fetchtest.Site
		relay := &plainRelay{site: &far}
		bot := newBot(t, relayConfig(t, &direct, relay))
		limitTwice(t, bot, &direct)
		before := len(direct.Log())

		far.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /closed\n"))
		far.Set("/", links("/a", "/to-closed", "/closed", "/off", "/to-b"))
		far.Set("/a", fetchtest.HTML("a"))
		far.Set("/to-closed", fetchtest.Redirect("/closed/secret"))
		far.Set("/closed/secret", fetchtest.HTML("secret"))
		far.Set("/off", fetchtest.Redirect("https://other.test/"))
		far.Set("https://other.test/", fetchtest.HTML("other"))
		far.Set("/to-b", fetchtest.Redirect("http"+site1[5:]+"/b"))
		far.Set("http"+site1[5:]+"/b", fetchtest.HTML("b"))
		out := visit(t, bot, site1+"/", politefetch.VisitOptions{HomeFirst: true})
		assert.True(t, out.report.Relayed)
		assert.Equal(t, politefetch.Done, out.report.Outcome, out.report.Why)
		assert.Len(t, direct.Log(), before, "nothing goes the direct way")
		assert.True(t, out.pages[site1+"/a"].Relayed)

		var e *politefetch.Error
		require.ErrorAs(t, out.errs[site1+"/to-closed"], &e)
		assert.Equal(t, politefetch.Disallowed, e.Outcome)
		assert.Equal(t, site1+"/closed/secret", e.URL)
		assert.Empty(t, out.pages[site1+"/to-closed"].Body)
		require.ErrorAs(t, out.errs[site1+"/closed"], &e)

		require.ErrorIs(t, out.errs[site1+"/off"], politefetch.ErrOffSite)
		n, robots := 0, 0
		for _, addr := range relay.log() {
			switch addr {
			case site1 + "/off":
				n++
			case "http" + site1[5:] + "/robots.txt":
				robots++
			case "https://other.test/robots.txt", site1 + "/closed":
				t.Errorf("asked for %s", addr)
			}
		}
		assert.Equal(t, 3, n, "asked for three times")
		assert.Equal(t, 1, robots, "the robots.txt of where it ended")
		require.NoError(t, out.errs[site1+"/to-b"])
		assert.Equal(t, "http"+site1[5:]+"/b", out.pages[site1+"/to-b"].Final)
	})
}

func TestNoConditionGoesThroughARelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var direct, far fetchtest.Site
		bot := newBot(t, relayConfig(t, &direct, &plainRelay{site: &far}))
		limitTwice(t, bot, &direct)
		direct.Set("/robots.txt", fetchtest.Text("").With("ETag", `"direct"`))
		time.Sleep(24 * time.Hour) // after which a copy is not fresh
		_, err := bot.Robots(t.Context(), site1+"/")
		require.NoError(t, err)
		far.Set("/robots.txt", fetchtest.Text("").With("ETag", `"far"`))
		far.Set("/", fetchtest.HTML("home"))
		for range 2 {
			time.Sleep(time.Hour)
			require.True(t, visit(t, bot, site1+"/", rankerVisit).report.Relayed)
		}
		require.Equal(t, 2, far.Count("/robots.txt"))
		for _, x := range far.Log() {
			assert.Empty(t, x.Header.Get("If-None-Match"), "the provider's copy may be anybody's")
		}
	})
}

func TestARelaysFailureIsNotTheSites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var direct fetchtest.Site
		broken := errors.New("relay is down")
		bot := newBot(t, relayConfig(t, &direct, failingRelay{broken}))
		limitTwice(t, bot, &direct)
		out := visit(t, bot, site1+"/", politefetch.VisitOptions{HomeFirst: true})
		assert.Equal(t, politefetch.NoRobots, out.report.Outcome, out.report.Why)
		require.ErrorIs(t, out.errs[site1+"/"], broken)
		assert.False(t, out.report.Limited)
	})
}

type failingRelay struct{ err error }

func (r failingRelay) RoundTrip(*http.Request) (*http.Response, error) { return nil, r.err }

// routed is a site that the ranker asks from its own servers and through its provider.
// Each has a log of its own; each visit is a process of its own on one store.
type routed struct {
	direct, far fetchtest.Site
	provider    *fetchtest.Relay
	budget      *proxy.Budget
	store       *mapStore
}

func newRouted() *routed {
	r := &routed{store: newMapStore()}
	r.direct.Latency, r.far.Latency = 100*time.Millisecond, 100*time.Millisecond
	mapped(&r.direct, 6)
	mapped(&r.far, 6)
	r.provider = r.far.Relay()
	r.provider.Key = "0123456789ABCDEF"
	return r
}

func (r *routed) bot(t *testing.T) *politefetch.Crawler {
	t.Helper()
	cfg := relayConfig(t, &r.direct, &proxy.ScrapingBee{Key: proxy.NewAPIKey("0123456789ABCDEF"), Base: r.provider, Budget: r.budget})
	cfg.Store = r.store
	return newBot(t, cfg)
}

func (r *routed) visit(t *testing.T) visited {
	t.Helper()
	return visit(t, r.bot(t), site1+"/", rankerVisit)
}

// visitWith makes a visit in which the site's own servers give some answers, once.
func (r *routed) visitWith(t *testing.T, path string, answers ...fetchtest.Answer) visited {
	t.Helper()
	r.direct.Set(path, append(slices.Clone(answers), fetchtest.HTML("x"))...)
	defer r.direct.Set(path, fetchtest.HTML("x"))
	return r.visit(t)
}

// limit makes the site due for the other route: once limited, and once more in gentle mode.
func (r *routed) limit(t *testing.T) {
	t.Helper()
	for range 2 {
		require.True(t, r.visitWith(t, "/p1", busy1s).report.Limited)
		time.Sleep(4 * time.Hour)
	}
}

// audit holds both logs against the promises of their routes, and the provider's against
// what it is to be asked for.
func (r *routed) audit(t *testing.T) {
	t.Helper()
	require.NoError(t, fetchtest.Audit(r.direct.Log(), rankerPromise))
	require.NoError(t, fetchtest.Audit(r.provider.Asked(), rankerPromise), "the site as the provider's origin side saw it")
	for _, x := range r.provider.Log() {
		for name, want := range map[string]string{
			"country_code": "us", "premium_proxy": "false", "stealth_proxy": "false", "render_js": "false",
			"forward_headers_pure": "true", "transparent_status_code": "true", "mode": "", "own_proxy": "", "session_id": "", "cookies": "",
		} {
			require.Equal(t, want, x.Params.Get(name), name)
		}
		require.LessOrEqual(t, x.InFlight, 2)
		for _, hop := range x.Hops {
			require.Equal(t, []string{rankerAgent}, hop.Header.Values("User-Agent"), hop.URL)
			for _, name := range []string{"Cookie", "Authorization", "If-None-Match", "If-Modified-Since", "Referer"} {
				require.Empty(t, hop.Header.Get(name))
			}
		}
	}
}

// asks are the paths that the provider was asked for, of the site.
func (r *routed) asks() []string {
	var out []string
	for _, x := range r.provider.Log() {
		out = append(out, x.URL.RequestURI())
	}
	return out
}

var (
	busy1s = late(fetchtest.Status(429).RetryAfter(time.Second))
	busy1h = late(fetchtest.Status(429).RetryAfter(time.Hour))
)

func TestK08_AHostThatGoesOnLimitingIsReadThroughTheProvider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRouted()
		r.far.Set("/robots.txt", fetchtest.Text("User-agent: KiwiRankBot\nDisallow: /p2\nDisallow: /llms.txt\nSitemap: /map.xml\nSitemap: /p2/map.xml\n").With("ETag", `"far"`))
		first := r.visitWith(t, "/p1", busy1s, busy1s)
		assert.True(t, first.report.Limited)
		assert.False(t, first.report.Relayed)
		time.Sleep(4 * time.Hour)
		again := r.visitWith(t, "/p1", busy1s)
		assert.True(t, again.report.Gentle, "gentle first")
		assert.False(t, again.report.Relayed, "and the route of a visit stays")
		assert.Empty(t, r.provider.Log())
		limited := again.report.Ended

		for range 2 {
			time.Sleep(4 * time.Hour)
			sent := len(r.direct.Log())
			got := r.visit(t)
			assert.True(t, got.report.Relayed)
			assert.False(t, got.report.Gentle)
			assert.Equal(t, politefetch.Done, got.report.Outcome, got.report.Why)
			assert.True(t, got.pages[site1+"/p0"].Relayed)
			assert.Equal(t, 7-1, got.report.Pages)
			assert.Len(t, r.direct.Log(), sent, "nothing is asked for directly")
		}
		want := []string{"/robots.txt", "/", "/map.xml", "/p0", "/p1", "/p3", "/p4", "/p5"}
		assert.ElementsMatch(t, slices.Concat(want, want), r.asks(), "robots.txt is obeyed for every address")
		r.audit(t)

		// A limit that the provider meets renews nothing: two weeks after the last direct one
		// the site is asked directly again.
		r.far.Set("/p1", busy1s)
		time.Sleep(10 * 24 * time.Hour)
		got := r.visit(t)
		assert.True(t, got.report.Relayed)
		assert.Equal(t, 1, got.report.Skipped, "what is refused there is left unread")
		time.Sleep(time.Until(limited.Add(14 * 24 * time.Hour)))
		got = r.visit(t)
		assert.False(t, got.report.Relayed)
		assert.False(t, got.report.Gentle)
		r.audit(t)
	})
}

func TestK08_GentleIsEnoughForAHostThatStopsLimiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRouted()
		r.visitWith(t, "/p1", busy1s)
		for range 13 {
			time.Sleep(24 * time.Hour)
			got := r.visitWith(t, "/p1", fetchtest.Status(503)) // bare: the server's trouble, not our rate
			assert.True(t, got.report.Gentle)
		}
		assert.Empty(t, r.provider.Log())
	})
}

func TestK09_AWallBarsTheProvidersRoute(t *testing.T) {
	const day = 24 * time.Hour
	relayed := func(t *testing.T, r *routed, got visited) bool {
		t.Helper()
		time.Sleep(4 * time.Hour)
		return got.report.Relayed
	}
	t.Run("wall, then limits", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRouted()
			got := r.visitWith(t, "/p1", fetchtest.Challenge())
			assert.Equal(t, politefetch.Walled, got.report.Outcome)
			time.Sleep(20 * day) // gentle memory has nothing to do with it
			for range 3 {
				got = r.visitWith(t, "/p2", busy1h) // limited; and not a whole visit
				assert.Equal(t, politefetch.Limited, got.report.Outcome)
				assert.False(t, relayed(t, r, got))
			}
			assert.False(t, relayed(t, r, r.visit(t)), "this one is whole, and without a wall")
			assert.True(t, relayed(t, r, r.visit(t)))
			r.audit(t)
		})
	})
	t.Run("limits, then a wall", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRouted()
			r.visitWith(t, "/p1", busy1s)
			time.Sleep(4 * time.Hour)
			r.direct.Set("/p3", fetchtest.Challenge())
			got := r.visitWith(t, "/p1", busy1s) // limited in gentle mode: due, but for the wall
			assert.True(t, got.report.Limited)
			assert.Equal(t, politefetch.Walled, got.report.Outcome)
			assert.False(t, relayed(t, r, got))
			got = r.visit(t)
			assert.Equal(t, politefetch.Walled, got.report.Outcome)
			assert.False(t, relayed(t, r, got))
			r.direct.Set("/p3", fetchtest.Status(500))
			assert.False(t, relayed(t, r, r.visitWith(t, "/p4", busy1h)), "not whole")
			got = r.visit(t)
			assert.Equal(t, politefetch.Done, got.report.Outcome)
			assert.False(t, relayed(t, r, got), "barred until this one has ended")
			assert.True(t, relayed(t, r, r.visit(t)))
			r.audit(t)
		})
	})
	t.Run("a wall in robots.txt's place", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRouted()
			r.visitWith(t, "/p1", busy1s)
			time.Sleep(4 * time.Hour)
			robots := fetchtest.Text("Sitemap: /map.xml\n")
			r.direct.Set("/robots.txt", busy1s, fetchtest.Challenge())
			got := r.visit(t)
			assert.True(t, got.report.Limited)
			assert.Equal(t, politefetch.Walled, got.report.Outcome)
			r.direct.Set("/robots.txt", robots)
			time.Sleep(4 * time.Hour)
			assert.False(t, relayed(t, r, r.visit(t)))
			assert.True(t, relayed(t, r, r.visit(t)))
		})
	})
	t.Run("a wall that the provider meets ends that visit", func(t *testing.T) {
		for _, first := range []string{"/robots.txt", "/", "/map.xml", "/llms.txt", "/p0", "/p1"} {
			synctest.Test(t, func(t *testing.T) {
				r := newRouted()
				r.limit(t)
				sent := len(r.direct.Log())
				r.far.Set(first, fetchtest.HTML(`<title>Just a moment...</title><script>window._cf_chl_opt={cvId:"3"};</script>`).After(time.Second))
				got := r.visit(t)
				assert.Equal(t, politefetch.Walled, got.report.Outcome, "%s: %s", first, got.report.Why)
				assert.Contains(t, got.report.Why, "cloudflare challenge")
				assert.True(t, got.report.Relayed)
				assert.Len(t, r.direct.Log(), sent)
				var met time.Time
				for _, x := range r.provider.Log() {
					if x.URL.Path == first {
						met = x.Ended
					}
				}
				for _, x := range r.provider.Log() {
					assert.False(t, x.Began.After(met), "%s after the wall", x.URL)
				}
				r.audit(t)
			})
		}
	})
}

func TestK10_ThePaceOfTheProvidersRoute(t *testing.T) {
	t.Run("two at a time, no spacing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRouted()
			mapped(&r.far, 20)
			r.limit(t)
			r.visit(t)
			log := r.provider.Asked()
			assert.Equal(t, 2, together(log, time.Time{}))
			assert.LessOrEqual(t, log[len(log)-1].Ended.Sub(log[0].Began), time.Duration(4+10)*100*time.Millisecond, "as fast as two at a time go")
			r.audit(t)
		})
	})
	t.Run("30 s are waited out, one at a time then, still without spacing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRouted()
			mapped(&r.far, 20)
			r.far.Set("/p3", late(fetchtest.Status(429).RetryAfter(30*time.Second)), fetchtest.HTML("x"))
			r.limit(t)
			got := r.visit(t)
			assert.Equal(t, politefetch.Done, got.report.Outcome, got.report.Why)
			assert.Equal(t, 21, got.report.Pages)
			log := r.provider.Asked()
			i := slices.IndexFunc(log, func(x fetchtest.Exchange) bool { return x.Answer.Status == 429 })
			after := log[i].Ended.Add(time.Second)
			assert.Equal(t, 1, together(log, after))
			assert.Zero(t, leastGap(log, after.Add(time.Minute/2)))
			r.audit(t)
		})
	})
	t.Run("31 s are not", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRouted()
			r.far.Set("/p3", late(fetchtest.Status(503).RetryAfter(31*time.Second)))
			r.limit(t)
			began := time.Now()
			got := r.visit(t)
			assert.Equal(t, politefetch.Limited, got.report.Outcome)
			assert.Contains(t, got.report.Why, "Retry-After 31")
			assert.Less(t, time.Since(began), 10*time.Second)
			r.audit(t)
		})
	})
	t.Run("refused there is left unread, to be read at the next visit", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRouted()
			r.far.Set("/p3", busy1s, busy1s, fetchtest.HTML("x"))
			r.far.Set("/p4", fetchtest.Status(403), fetchtest.HTML("x"))
			r.limit(t)
			got := r.visit(t)
			assert.Equal(t, politefetch.Limited, got.pages[site1+"/p3"].Outcome)
			assert.Equal(t, politefetch.Refused, got.pages[site1+"/p4"].Outcome)
			assert.Equal(t, []int{2, 1}, []int{r.provider.Count("/p3"), r.provider.Count("/p4")})
			assert.Zero(t, r.direct.Count("/p3")+r.direct.Count("/p4")-4, "nor directly")
			time.Sleep(4 * time.Hour)
			got = r.visit(t)
			assert.Equal(t, politefetch.Done, got.pages[site1+"/p3"].Outcome)
			assert.Equal(t, politefetch.Done, got.pages[site1+"/p4"].Outcome)
			r.audit(t)
		})
	})
	t.Run("a page is asked for three times while it leads to another host", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRouted()
			away := fetchtest.Redirect("https://geo.example/x")
			r.far.Set("https://geo.example/x", fetchtest.HTML("of another host"))
			r.far.Set("/p0", away)
			r.far.Set("/p1", away, away, fetchtest.HTML("the third time"))
			r.far.Set("/p2", fetchtest.Redirect("/landing"))
			r.far.Set("/landing", fetchtest.HTML("on the site"))
			r.limit(t)
			got := r.visit(t)
			require.ErrorIs(t, got.errs[site1+"/p0"], politefetch.ErrOffSite)
			assert.Equal(t, politefetch.Barred, got.pages[site1+"/p0"].Outcome)
			assert.Empty(t, got.pages[site1+"/p0"].Body)
			assert.Equal(t, "the third time", string(got.pages[site1+"/p1"].Body))
			assert.Equal(t, site1+"/landing", got.pages[site1+"/p2"].Final)
			assert.Equal(t, []int{3, 3, 1}, []int{r.provider.Count("/p0"), r.provider.Count("/p1"), r.provider.Count("/p2")})
			assert.Equal(t, 1, got.pages[site1+"/p0"].Tries)
			for _, x := range r.provider.Log() {
				for _, hop := range x.Hops {
					assert.NotEqual(t, "https://geo.example/robots.txt", hop.URL.String())
				}
			}
			r.audit(t)
		})
	})
}

func TestK11_WhereTheProviderEndedIsHeldAgainstRobots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRouted()
		const www = "https://www.kauppa.example"
		r.far.Set("http://kauppa.example/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /closed\n"))
		r.far.Set(www+"/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /secret\n"))
		r.far.Set("/secret", fetchtest.HTML("secret words"))
		r.far.Set("/closed", fetchtest.HTML("closed words"))
		r.far.Set("/open", fetchtest.HTML("open words"))
		r.far.Set("/p0", fetchtest.Redirect("/secret"))
		r.far.Set("/p1", fetchtest.Redirect("http://kauppa.example/closed"))
		r.far.Set("/p2", fetchtest.Redirect(www+"/open"))
		r.far.Set("/p3", fetchtest.Redirect("/p4"))
		r.far.Set("/p5", fetchtest.Redirect("https://other.example/"))
		r.far.Set("https://other.example/", fetchtest.HTML("other words"))
		r.far.Set("/map.xml", fetchtest.Redirect("/secret.xml"))
		r.far.Set("/sitemap.xml", fetchtest.Sitemap(site1+"/p0", site1+"/p1", site1+"/p2", site1+"/p3", site1+"/p4", site1+"/p5", www+"/open"))
		r.far.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /secret\nSitemap: /map.xml\nSitemap: /sitemap.xml\n"))
		r.limit(t)
		opts := rankerVisit
		opts.Hosts = []string{"kauppa.example", "www.kauppa.example"}
		got := visit(t, r.bot(t), site1+"/", opts)
		assert.True(t, got.report.Relayed)
		assert.Equal(t, politefetch.Done, got.report.Outcome, got.report.Why)
		for path, want := range map[string]struct {
			url  string
			line int
		}{"/p0": {site1 + "/secret", 2}, "/p1": {"http://kauppa.example/closed", 2}} {
			var e *politefetch.Error
			require.ErrorAs(t, got.errs[site1+path], &e)
			assert.Equal(t, politefetch.Disallowed, e.Outcome)
			assert.Equal(t, want.url, e.URL)
			assert.Equal(t, want.line, e.Robots.Line)
			assert.Equal(t, 1, r.provider.Count(path), "not asked for again")
		}
		var off *politefetch.Error
		require.ErrorAs(t, got.errs[site1+"/p5"], &off)
		require.ErrorIs(t, off, politefetch.ErrOffSite)
		assert.Equal(t, "https://other.example/", off.URL)
		require.NoError(t, got.errs[site1+"/p2"])
		assert.Equal(t, 1, r.provider.Count("/p2"), "once its robots.txt is read, the place where the page is is asked for")
		assert.Equal(t, www+"/open", got.pages[site1+"/p2"].Final)
		assert.Equal(t, "open words", string(got.pages[site1+"/p2"].Body))
		for _, p := range got.pages {
			assert.NotContains(t, string(p.Body), "secret words")
			assert.NotContains(t, string(p.Body), "closed words")
			assert.NotContains(t, string(p.Body), "other words")
		}
		read := 0
		for _, p := range got.pages {
			if p.Final == site1+"/p4" {
				read++
			}
		}
		assert.Equal(t, 1, read, "a page that two addresses lead to is handed on once")
		assert.Contains(t, got.report.Sitemap, "disallowed by robots.txt line 2")
		for _, x := range r.provider.Log() {
			assert.NotEqual(t, "other.example", x.URL.Hostname(), "nothing off the site is asked for, robots.txt least of all")
		}
		assert.Equal(t, 1, r.provider.Count(www+"/robots.txt"))
		r.audit(t)
	})
}

// What the provider says for itself is no word of the site's.
func TestProviderFailuresLeaveTheSitesMemoryAlone(t *testing.T) {
	for _, tt := range []struct {
		name  string
		fault fetchtest.RelayFault
		at    string // the address whose ask goes wrong
		ends  bool   // the visit, there
		why   string
	}{
		{"busy at robots.txt", fetchtest.RelayBusy(time.Minute), "/robots.txt", true, "provider: busy"},
		{"down at robots.txt", fetchtest.RelayFault{Answer: fetchtest.Status(502)}, "/robots.txt", true, "provider: down"},
		{"out of credits at robots.txt", fetchtest.RelayQuota(), "/robots.txt", true, "out of credits"},
		{"busy at a page", fetchtest.RelayBusy(time.Minute), "/p2", false, "every address"},
		{"down at a page", fetchtest.RelayFault{Answer: fetchtest.Status(503).RetryAfter(time.Hour)}, "/p2", false, "every address"},
		{"out of credits at a page", fetchtest.RelayQuota(), "/p2", true, "out of credits"},
		{"key not accepted", fetchtest.RelayFault{Answer: fetchtest.Status(403)}, "/p2", true, "key is not accepted"},
		{"unreachable from there", fetchtest.RelayUnreachable(), "/p2", false, "every address"},
		{"no answer of an API", fetchtest.RelayFault{Answer: fetchtest.Redirect("https://elsewhere.example/")}, "/p2", true, "drift"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRouted()
				r.limit(t)
				bot := r.bot(t)
				before, err := bot.Limiter().Status(t.Context(), "kauppa.example")
				require.NoError(t, err)
				sent := len(r.direct.Log())
				r.provider.Set(tt.at, tt.fault)
				got := visit(t, bot, site1+"/", rankerVisit)
				assert.True(t, got.report.Relayed)
				assert.False(t, got.report.Limited, "nobody asked for fewer requests")
				assert.Contains(t, got.report.Why, tt.why)
				if tt.ends {
					assert.Equal(t, politefetch.Failed, got.report.Outcome, got.report.Why)
				} else {
					assert.Equal(t, politefetch.Done, got.report.Outcome)
					assert.Equal(t, 1, got.report.Failed)
				}
				assert.NotContains(t, fmt.Sprintf("%+v %v", got.report, got.errs), "0123456789ABCDEF")
				assert.Len(t, r.direct.Log(), sent, "and nobody falls back on asking directly")

				after, err := bot.Limiter().Status(t.Context(), "kauppa.example")
				require.NoError(t, err)
				assert.Equal(t, before.GentleUntil, after.GentleUntil)
				assert.Equal(t, before.Constraints[0], after.Constraints[0])
				assert.Len(t, after.Constraints, len(before.Constraints))
				p, err := bot.Fetch(t.Context(), site1+"/p2", nil)
				require.NoError(t, err, "a fetch goes directly, and finds the site as it was")
				assert.Equal(t, politefetch.Done, p.Outcome)
				r.provider.Set(tt.at)
				time.Sleep(4 * time.Hour)
				got = r.visit(t)
				assert.True(t, got.report.Relayed, "the route stays")
				assert.Equal(t, 7, got.report.Pages)
				r.audit(t)
			})
		})
	}
}

func TestAProviderThatIsDownIsNotAskedForEveryPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRouted()
		mapped(&r.far, 30)
		r.limit(t)
		down := fetchtest.RelayFault{Answer: fetchtest.Status(502)}
		for i := range 30 {
			if i != 4 {
				r.provider.Set(fmt.Sprintf("/p%d", i), down)
			}
		}
		got := r.visit(t)
		assert.Equal(t, politefetch.Failed, got.report.Outcome)
		assert.Contains(t, got.report.Why, "the relay failed at 5 pages in a row")
		assert.Contains(t, got.report.Why, "provider: down")
		assert.Equal(t, 2, got.report.Pages, "the home page, and one in between")
		assert.LessOrEqual(t, len(r.provider.Log()), 4+10+1, "four, a page that came, five in a row, and one beside the last")
		assert.False(t, got.report.Limited)
	})
}

func TestAnEmptyBudgetEndsTheVisit(t *testing.T) {
	for _, credits := range []float64{0, 1, 5} {
		t.Run(fmt.Sprintf("%v credits", credits), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRouted()
				r.limit(t)
				r.budget = proxy.NewBudget(credits)
				got := r.visit(t)
				assert.Equal(t, politefetch.Failed, got.report.Outcome)
				assert.Contains(t, got.report.Why, "no credits left in the budget")
				assert.Len(t, r.provider.Log(), int(credits))
				assert.InDelta(t, 0, r.budget.Usage().Left(), 0.01)
				assert.False(t, got.report.Limited)
				if credits == 5 {
					assert.Positive(t, got.report.Pages)
					assert.Positive(t, got.report.Left+got.report.Failed)
				}
			})
		})
	}
}

func TestARobotsTxtThatTheProviderFindsOffTheSiteCannotBeHad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRouted()
		r.far.Set("/robots.txt", fetchtest.Redirect("https://other.example/robots.txt"))
		r.far.Set("https://other.example/robots.txt", fetchtest.Text("User-agent: *\nAllow: /\n"))
		r.limit(t)
		got := r.visit(t)
		assert.Equal(t, politefetch.NoRobots, got.report.Outcome, got.report.Why)
		require.ErrorIs(t, got.errs[site1+"/"], politefetch.ErrOffSite)
		assert.Equal(t, []string{"/robots.txt", "/robots.txt", "/robots.txt"}, r.asks())
	})
}

func TestAPageOverTheRelaysMaximumIsTruncated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		fake := site.Relay()
		bot := newBot(t, relayConfig(t, &site, &proxy.ScrapingBee{Key: proxy.NewAPIKey("0123456789abcdef"), Base: fake}))
		limitTwice(t, bot, &site)
		site.Set("/", fetchtest.HTML("<p>"+strings.Repeat("word ", 1_000_000)))
		out := visit(t, bot, site1+"/", politefetch.VisitOptions{HomeFirst: true})
		require.NoError(t, out.errs[site1+"/"])
		p := out.pages[site1+"/"]
		assert.True(t, p.Relayed)
		assert.True(t, p.Truncated)
		assert.Equal(t, politefetch.Done, p.Outcome)
		assert.Len(t, p.Body, 2<<20)
		assert.Equal(t, politefetch.Done, out.report.Outcome, out.report.Why)
	})
}

func TestOverlongAddressesAreNoEndOfTheRelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		fake := site.Relay()
		bot := newBot(t, relayConfig(t, &site, &proxy.ScrapingBee{Key: proxy.NewAPIKey("0123456789abcdef"), Base: fake}))
		limitTwice(t, bot, &site)
		site.Set("/", links("/a", "/b"))
		site.Set("/b", fetchtest.HTML("b"))
		fake.Set(site1+"/a", fetchtest.RelayFault{Answer: fetchtest.Status(414)})
		out := visit(t, bot, site1+"/", politefetch.VisitOptions{HomeFirst: true})
		require.Error(t, out.errs[site1+"/a"])
		require.NoError(t, out.errs[site1+"/b"])
		assert.Equal(t, politefetch.Done, out.report.Outcome, out.report.Why)
	})
}

func TestARelayThatCannotWorkIsRefusedAtOnce(t *testing.T) {
	var site fetchtest.Site
	_, err := politefetch.New(relayConfig(t, &site, &proxy.ScrapingBee{Base: site.Relay()}))
	require.ErrorContains(t, err, "Config.Relay")
	require.ErrorContains(t, err, "Key")
}

// A page may lead to a host of the site whose robots.txt is yet to be read. What that host
// says meanwhile is the site's word: a wait is sat out, and nothing is sent after a wall.
func TestK10_ALimitOrWallIsHeardWhereTheRelayEnds(t *testing.T) {
	for name, answer := range map[string]fetchtest.Answer{
		"limit": fetchtest.Status(429).RetryAfter(20 * time.Second),
		"hold":  fetchtest.Status(403).RetryAfter(20 * time.Second),
		"long":  fetchtest.Status(503).RetryAfter(time.Hour),
		"wall":  fetchtest.Challenge(),
	} {
		for _, closed := range []bool{false, true} {
			for _, bee := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, closed %v, ScrapingBee %v", name, closed, bee), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						var direct, far fetchtest.Site
						provider := far.Relay()
						var relay http.RoundTripper = &proxy.ScrapingBee{Key: proxy.NewAPIKey("0123456789ABCDEF"), Base: provider}
						if !bee {
							relay = &plainRelay{site: &far}
						}
						bot := newBot(t, relayConfig(t, &direct, relay))
						limitTwice(t, bot, &direct)
						end := "http" + site1[5:] + "/b"
						far.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /closed\n"))
						if closed {
							end = site1 + "/closed"
						}
						far.Set("/", links("/a", "/c", "/d", "/e"))
						far.Set("/a", fetchtest.Redirect(end))
						far.Set(end, answer, fetchtest.HTML("b"))
						for _, p := range []string{"/c", "/d", "/e"} {
							far.Set(p, fetchtest.HTML("c").After(37*time.Millisecond))
						}
						out := visit(t, bot, site1+"/", politefetch.VisitOptions{HomeFirst: true})
						require.True(t, out.report.Relayed)
						var heard time.Time
						log, finals := far.Log(), make(map[int]string)
						if bee {
							log = provider.Asked()
							for i, x := range provider.Log() {
								finals[i] = x.Final
							}
						}
						for i, x := range log {
							if !heard.IsZero() && x.Began.After(heard) {
								assert.NotEqual(t, "wall", name, "%s after a wall", x.URL)
								assert.NotEqual(t, "long", name, "%s in the wait", x.URL)
								assert.GreaterOrEqual(t, x.Began.Sub(heard), 20*time.Second, "%s in the wait", x.URL)
							}
							if (x.URL.String() == end || finals[i] == end) && heard.IsZero() {
								heard = x.Ended
							}
						}
						require.False(t, heard.IsZero())
						assert.Equal(t, name == "limit" || name == "long", out.report.Limited)
						switch name {
						case "wall":
							assert.Equal(t, politefetch.Walled, out.report.Outcome, out.report.Why)
						case "long":
							assert.Equal(t, politefetch.Limited, out.report.Outcome, out.report.Why)
						default:
							assert.Equal(t, politefetch.Done, out.report.Outcome, out.report.Why)
						}
					})
				})
			}
		}
	}
}

func TestACrawlDelayHoldsWhereTheRelayEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var direct, far fetchtest.Site
		bot := newBot(t, relayConfig(t, &direct, &plainRelay{site: &far}))
		limitTwice(t, bot, &direct)
		other := "http" + site1[5:]
		far.Set(site1+"/", links("/a"))
		far.Set(site1+"/a", fetchtest.Redirect(other+"/a"))
		far.Set(other+"/robots.txt", fetchtest.Text("User-agent: *\nCrawl-delay: 9\n"))
		far.Set(other+"/a", fetchtest.HTML("a"))
		out := visit(t, bot, site1+"/", politefetch.VisitOptions{HomeFirst: true})
		require.Equal(t, other+"/a", out.pages[site1+"/a"].Final)
		log := far.Log()
		last := log[len(log)-1]
		require.Equal(t, other+"/a", last.URL.String())
		assert.GreaterOrEqual(t, last.Began.Sub(log[len(log)-2].Ended), 9*time.Second)
	})
}

// With one key a host, a host that walled our servers in a visit of its own is no further
// host of a relayed visit.
func TestK09_AWalledFurtherHostIsNotRelayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var direct, far fetchtest.Site
		for _, s := range []*fetchtest.Site{&direct, &far} {
			s.Set("https://a.example/", links("https://b.a.example/x"))
			s.Set("https://b.a.example/x", fetchtest.HTML("x"))
		}
		relay := far.Relay()
		cfg := relayConfig(t, &direct, &proxy.ScrapingBee{Key: proxy.NewAPIKey("0123456789ABCDEF"), Base: relay})
		cfg.Key = ratepolicy.HostKey
		bot := newBot(t, cfg)
		direct.Set("https://b.a.example/", fetchtest.Challenge())
		out := visit(t, bot, "https://b.a.example/", politefetch.VisitOptions{HomeFirst: true})
		require.Equal(t, politefetch.Walled, out.report.Outcome)
		for range 2 {
			direct.Set("https://a.example/", fetchtest.Status(429).RetryAfter(time.Second), fetchtest.HTML("x"))
			visit(t, bot, "https://a.example/", politefetch.VisitOptions{HomeFirst: true, MaxPages: 1})
			time.Sleep(4 * time.Hour)
		}
		out = visit(t, bot, "https://a.example/", politefetch.VisitOptions{HomeFirst: true, Hosts: []string{"a.example", "b.a.example"}})
		require.True(t, out.report.Relayed)
		for _, x := range relay.Log() {
			assert.NotEqual(t, "b.a.example", x.URL.Hostname(), x.URL.String())
		}
	})
}
