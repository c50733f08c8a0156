package politefetch_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
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

// The tests in this file are of the half-sentences: what a row promises on its other route,
// over all hosts of a site, in a redirect chain, in the middle of a run.

func TestK03_TheProvidersRouteKeepsItToo(t *testing.T) {
	t.Run("robots.txt and the home page come first, and are exempt", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRouted()
			r.limit(t)
			r.far.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /$\nDisallow: /p1\nSitemap: /map.xml\n"))
			got := r.visit(t)
			require.True(t, got.report.Relayed)
			require.NoError(t, got.errs[site1+"/"])
			assert.Equal(t, "home", string(got.pages[site1+"/"].Body))
			assert.Equal(t, 2, got.pages[site1+"/"].Robots.Line, "which the page says")
			assert.Equal(t, []string{"/robots.txt", "/"}, r.asks()[:2])
			assert.Zero(t, r.provider.Count("/p1"))
			assert.Equal(t, 1, r.provider.Count("/p2"))
			r.audit(t)
		})
	})
	t.Run("where the home page and llms.txt lead to is not", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRouted()
			r.limit(t)
			r.far.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /closed\nSitemap: /map.xml\n"))
			r.far.Set("/", fetchtest.Redirect("/closed/home"))
			r.far.Set("/closed/home", fetchtest.HTML("closed words"))
			r.far.Set("/llms.txt", fetchtest.Redirect("/closed/llms.txt"))
			r.far.Set("/closed/llms.txt", fetchtest.Text("# closed words\n\n- [x](/from-llms)\n"))
			got := r.visit(t)
			require.True(t, got.report.Relayed)
			for path, at := range map[string]string{"/": "/closed/home", "/llms.txt": "/closed/llms.txt"} {
				var e *politefetch.Error
				require.ErrorAs(t, got.errs[site1+path], &e)
				assert.Equal(t, politefetch.Disallowed, e.Outcome)
				assert.Equal(t, site1+at, e.URL)
				assert.Empty(t, got.pages[site1+path].Body, "left out")
			}
			assert.Zero(t, r.provider.Count("/from-llms"), "nothing in it is believed")
			r.audit(t)
		})
	})
}

func TestK03_WhereLLMsLeadsToIsHeldAgainstRobots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		mapped(&site, 1)
		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /closed\nSitemap: /map.xml\n"))
		site.Set("/llms.txt", fetchtest.Redirect("/closed/llms.txt"))
		got := rank(t, &site, nil)
		assert.Zero(t, site.Count("/closed/llms.txt"))
		var e *politefetch.Error
		require.ErrorAs(t, got.errs[site1+"/llms.txt"], &e)
		assert.Equal(t, 2, e.Robots.Line)
		assert.Equal(t, politefetch.Done, got.report.Outcome)
	})
}

func TestK04_TheProvidersRouteKeepsItToo(t *testing.T) {
	for name, answer := range map[string]fetchtest.Answer{
		"500": fetchtest.Status(500), "503": fetchtest.Status(503), "503 with Retry-After": fetchtest.Status(503).RetryAfter(time.Second),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRouted()
				r.far.Set("/robots.txt", fetchtest.Text("Sitemap: /map.xml\n"), answer)
				r.limit(t)
				require.Equal(t, politefetch.Done, r.visit(t).report.Outcome, "a good copy is at hand")
				asked, sent := len(r.asks()), len(r.direct.Log())
				got := r.visit(t)
				assert.True(t, got.report.Relayed)
				assert.Equal(t, []string{"/robots.txt"}, r.asks()[asked:], "asked for at the start, and nothing after it")
				assert.Equal(t, politefetch.NoRobots, got.report.Outcome)
				assert.Contains(t, got.report.Why, "answered "+name[:3])
				assert.Len(t, r.direct.Log(), sent)
				r.audit(t)
			})
		})
	}
	t.Run("unreachable", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRouted()
			r.limit(t)
			r.provider.Set("/robots.txt", fetchtest.RelayUnreachable())
			got := r.visit(t)
			assert.Equal(t, []string{"/robots.txt"}, r.asks())
			assert.Equal(t, politefetch.NoRobots, got.report.Outcome, got.report.Why)
		})
	})
	t.Run("a 429 is waited out", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRouted()
			r.far.Set("/robots.txt", late(fetchtest.Status(429).RetryAfter(30*time.Second)), fetchtest.Text("Sitemap: /map.xml\n"))
			r.limit(t)
			got := r.visit(t)
			assert.Equal(t, politefetch.Done, got.report.Outcome, got.report.Why)
			assert.True(t, got.report.Limited, "and counts as a limit")
			log := r.provider.Asked()
			require.Equal(t, 2, r.provider.Count("/robots.txt"))
			assert.Equal(t, "/robots.txt", log[1].URL.Path)
			assert.GreaterOrEqual(t, log[1].Began.Sub(log[0].Answered), 30*time.Second)
			r.audit(t)
		})
	})
	t.Run("unless it asks for too much", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRouted()
			r.far.Set("/robots.txt", late(fetchtest.Status(429).RetryAfter(31*time.Second)))
			r.limit(t)
			got := r.visit(t)
			assert.Equal(t, politefetch.Limited, got.report.Outcome, got.report.Why)
			assert.Equal(t, []string{"/robots.txt"}, r.asks())
		})
	})
}

func TestK05_TwoAtATimeOverAllHostsOfASite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Site{Latency: time.Second, Fallback: func(*http.Request) fetchtest.Answer { return fetchtest.HTML("x") }}
		hosts := []string{"kauppa.example", "www.kauppa.example"}
		var locs []string
		for i := range 20 {
			locs = append(locs, fmt.Sprintf("https://%s/p%d", hosts[i/2%2], i))
		}
		site.Set("/robots.txt", fetchtest.Text("Sitemap: "+site1+"/map.xml\n"))
		site.Set("/map.xml", fetchtest.Sitemap(locs...))
		opts := rankerVisit
		opts.Hosts = hosts
		store := newMapStore()
		var wg sync.WaitGroup
		for range 2 { // processes
			cfg := rankerConfig(&site)
			cfg.Store = store
			bot := newBot(t, cfg)
			wg.Go(func() {
				v, err := bot.Visit(site1+"/", &opts)
				if assert.NoError(t, err) {
					for range v.Pages(t.Context()) {
					}
					assert.GreaterOrEqual(t, v.Report().Pages, 21)
				}
			})
		}
		wg.Wait()
		assert.Equal(t, 2, together(site.Log(), time.Time{}), "two in all, not two a host")
	})
}

func TestK06_ALimitMetOnASitemapCountsAsAPages(t *testing.T) {
	for _, path := range []string{"/map.xml", "/llms.txt"} {
		t.Run(path, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := fetchtest.Site{Latency: time.Second}
				mapped(&site, 8)
				page := site1 + "/p0"
				served := map[string]fetchtest.Answer{
					"/map.xml": fetchtest.Sitemap(page, site1+"/p1", site1+"/p2", site1+"/p3"), "/llms.txt": fetchtest.Text("# S\n\n- [x](/p5)\n"),
				}[path]
				site.Set(path, late(fetchtest.Status(429).RetryAfter(30*time.Second)), served)
				got := rank(t, &site, nil)
				assert.Equal(t, politefetch.Done, got.report.Outcome, got.report.Why)
				assert.True(t, got.report.Limited)
				assert.Equal(t, 2, site.Count(path), "waited out, and asked for again")
				assert.Equal(t, 1, site.Count("/p1"))
				said := find(t, &site, path, 1).Answered
				assert.Equal(t, 1, together(site.Log(), said.Add(1)))
				assert.GreaterOrEqual(t, leastGap(site.Log(), said.Add(1)), 2*time.Second)
			})
		})
	}
}

func TestR06_FifteenSecondsAreForTheWholeChain(t *testing.T) {
	for last, want := range map[time.Duration]politefetch.Outcome{2 * time.Second: politefetch.Done, 4 * time.Second: politefetch.Failed} {
		t.Run(last.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var site fetchtest.Site
				site.Set("/robots.txt", fetchtest.Text("User-agent: *\nCrawl-delay: 20\n")) // waiting for a turn is no time on the network
				site.Set("/a", fetchtest.Redirect("/b").After(6*time.Second))
				site.Set("/b", fetchtest.Redirect("/c").After(6*time.Second))
				site.Set("/c", fetchtest.HTML("x").After(last))
				p, err := check(t, newBot(t, watcherConfig(&site)), site1+"/a")
				assert.Equal(t, want, p.Outcome)
				assert.Len(t, p.Hops, 2)
				x := find(t, &site, "/c", 1)
				assert.Equal(t, min(last, 3*time.Second), x.Ended.Sub(x.Began))
				if want == politefetch.Failed {
					require.ErrorIs(t, err, politefetch.ErrTooSlow)
				}
				require.NoError(t, fetchtest.Audit(site.Log(), watcherPromise))
			})
		})
	}
}

func TestR08_AHopThatIsDisallowedIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /closed\nDisallow: /shut\n"))
		site.Set("/a", fetchtest.Redirect("/closed"))
		site.Set("/closed", fetchtest.Redirect("/shut"))
		site.Set("/shut", fetchtest.Redirect("/open"))
		site.Set("/open", fetchtest.HTML("x"))
		p := checked(t, newBot(t, watcherConfig(&site)), site1+"/a")
		assert.Equal(t, site1+"/open", p.Final)
		assert.Equal(t, robots.Verdict{Reason: robots.ReasonRule, Line: 2, Rule: "Disallow: /closed"}, p.Robots, "the first that is disallowed")
	})
}

func TestR11_ARobotsTxtThatFailsMayAskForALongerWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/robots.txt", fetchtest.Status(500).RetryAfter(time.Hour))
		p, err := newBot(t, watcherConfig(&site)).Fetch(t.Context(), site1+"/a", nil)
		require.Error(t, err)
		assert.Equal(t, politefetch.NoRobots, p.Outcome)
		at, again := politefetch.Retry{}.Next(p, err, 1)
		assert.True(t, again)
		assert.Equal(t, site.Log()[0].Answered.Add(time.Hour), at)
		assert.Zero(t, site.Count("/a"))
	})
}

func TestR12_ADateAloneMakesARequestConditional(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const date = "Tue, 01 Sep 2026 10:00:00 GMT"
		var site fetchtest.Site
		site.Set("/robots.txt", fetchtest.Text(""))
		site.Set("/a", fetchtest.HTML("<p>x").With("Last-Modified", date), fetchtest.Status(304))
		bot := newBot(t, watcherConfig(&site))
		opts := monitoring
		opts.Earlier = checked(t, bot, site1+"/a").Header
		p, err := bot.Fetch(t.Context(), site1+"/a", &opts)
		require.NoError(t, err)
		assert.Equal(t, politefetch.Unchanged, p.Outcome)
		assert.Equal(t, date, find(t, &site, "/a", 2).Header.Get("If-Modified-Since"))
		assert.Empty(t, find(t, &site, "/a", 2).Header.Values("If-None-Match"))

		p, err = check(t, bot, site1+"/a") // without a condition there is nothing that could be unchanged
		require.ErrorContains(t, err, "304")
		assert.Equal(t, politefetch.Failed, p.Outcome)
		assert.Equal(t, 3, site.Count("/a"))
	})
}

func TestR13_TLSIsTheBotsOwn(t *testing.T) {
	var mu sync.Mutex
	var hellos []string
	srv := httptest.NewUnstartedServer(http.NotFoundHandler())
	srv.TLS = &tls.Config{GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
		mu.Lock()
		defer mu.Unlock()
		hellos = append(hellos, fmt.Sprint(h.SupportedVersions, h.CipherSuites, h.SupportedCurves, h.SignatureSchemes, h.SupportedProtos, h.Extensions))
		return nil, nil
	}}
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	defer srv.Close()
	cfg := watcherConfig(nil)
	cfg.Transport = nil
	cfg.Policy.Normal = ratepolicy.Pace{Delay: time.Microsecond}
	cfg.Guard.Allow = []netip.AddrPort{netip.MustParseAddrPort(srv.Listener.Addr().String())}
	bot := newBot(t, cfg)
	for _, browser := range []string{"", politefetch.BrowserChrome, politefetch.BrowserFirefox, politefetch.BrowserSafari} {
		opts := monitoring
		opts.Browser = browser
		_, err := bot.Fetch(t.Context(), srv.URL+"/", &opts) // whose certificate is nobody's: the greeting is all it sees
		require.Error(t, err)
	}
	mu.Lock()
	defer mu.Unlock()
	require.Len(t, hellos, 5, "for robots.txt, and four checks")
	for _, h := range hellos {
		assert.Equal(t, hellos[0], h)
	}
}

func TestM05_NoTextIsInTheStoreTheLogOrAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const secret = "salaisuus"
		var site fetchtest.Site
		page := fetchtest.HTML("<title>" + secret + "</title><p>" + secret + `<a href="/missing">x</a><a href="/broken">x</a><a href="/plain">x</a>`)
		site.Set("/", page.With("Set-Cookie", secret+"=1").With("X-Text", secret))
		broken := page
		broken.Status, broken.Endless, broken.Drip = 200, true, time.Second
		site.Set("/broken", broken)
		site.Set("/plain", fetchtest.Text(secret))
		site.Set("/missing", fetchtest.Answer{Status: 500, Header: http.Header{"Content-Type": {"text/plain"}}, Body: secret})
		store := newMapStore()
		var said bytes.Buffer
		var mu sync.Mutex
		got := scan(t, &site, site1+"/", func(c *politefetch.Config, _ *politefetch.VisitOptions) {
			c.Store, c.Logger = store, slog.New(slog.NewJSONHandler(&said, nil))
			c.Observe = func(e politefetch.Event) {
				mu.Lock()
				defer mu.Unlock()
				fmt.Fprintf(&said, "%+v\n", e)
			}
		})
		assert.ElementsMatch(t, []string{site1 + "/", site1 + "/missing", site1 + "/broken", site1 + "/plain"}, got.order)
		for _, p := range got.pages {
			assert.Nil(t, p.Body)
			fmt.Fprintf(&said, "%+v %+v %v\n", p, p.Summary(), got.errs[p.URL])
		}
		for key, r := range store.recs {
			fmt.Fprintf(&said, "%s %s\n", key, r.rec)
		}
		assert.Contains(t, said.String(), site1+"/plain")
		assert.NotContains(t, said.String(), secret)
	})
}

func TestM09_TheHookSeesTheHomePageAsItStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/", fetchtest.Answer{
			Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: strings.Repeat("<p>x</p>\n", 1000), Drip: 500 * time.Microsecond,
		})
		var saw time.Time
		scan(t, &site, site1+"/", func(c *politefetch.Config, _ *politefetch.VisitOptions) {
			c.Admit = func(_ context.Context, _ string, home io.Reader) (string, error) {
				_, err := io.ReadFull(home, make([]byte, 100))
				saw = time.Now()
				return "by its first words", err
			}
		})
		x := find(t, &site, "/", 1)
		assert.Equal(t, 4500*time.Millisecond, x.Ended.Sub(x.Began))
		assert.WithinDuration(t, x.Began, saw, time.Second, "long before it has ended")
	})
}

func TestM09_AStopIsHeededInTheMiddleOfARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		mapped(&site, 8)
		var stop atomic.Bool
		stopped := errors.New("stopped on request")
		cfg := scannerConfig(&site)
		cfg.Allow = func(context.Context, *url.URL) error {
			if stop.Load() {
				return stopped
			}
			return nil
		}
		v, err := newBot(t, cfg).Visit(site1+"/", &scannerVisit)
		require.NoError(t, err)
		read, sent := 0, 0
		for _, err := range v.Pages(t.Context()) {
			if read++; read == 3 {
				stop.Store(true)
				sent = len(site.Log())
			} else if read > 3 {
				require.ErrorIs(t, err, stopped)
			}
		}
		assert.Len(t, site.Log(), sent, "nothing more of it, though six pages are known")
		assert.Equal(t, 3, v.Report().Pages)
		assert.Equal(t, 6, v.Report().Barred)
	})
}

func TestM11_NoCallLiftsTheLimitOfPages(t *testing.T) {
	for _, n := range []int{0, -1, 1 << 40} {
		synctest.Test(t, func(t *testing.T) {
			var site fetchtest.Site
			mapped(&site, 20)
			got := scan(t, &site, site1+"/", func(c *politefetch.Config, o *politefetch.VisitOptions) { c.MaxPages, o.MaxPages = 5, n })
			assert.Equal(t, 5, got.report.Pages, n)
			assert.Equal(t, 16, got.report.Left)
		})
	}
}
