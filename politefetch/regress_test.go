package politefetch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"runtime"
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
)

// The tests of this file each hold one promise that a careless change would break.

const hostA, hostB = "https://a.example", "https://b.example"

func bothHosts() politefetch.VisitOptions {
	o := scannerVisit
	o.Hosts = []string{"a.example", "b.example"}
	return o
}

// world is a site in fake time.
type world struct {
	t    *testing.T
	site *fetchtest.Site
}

// inBubble runs a test in fake time.
func inBubble(t *testing.T, fn func(in world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { fn(world{t, new(fetchtest.Site)}) })
}

func TestAHostIsHeldForAllWhateverVisitItBelongsTo(t *testing.T) {
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		site.Set(hostA+"/", links(hostB+"/x"))
		site.Set(hostB+"/x", fetchtest.Status(429).RetryAfter(time.Hour))
		site.Set(hostB+"/y", links())
		bot := newBot(t, scannerConfig(site))
		visit(t, bot, hostA+"/", bothHosts())
		_, err := bot.Fetch(t.Context(), hostB+"/y", nil)
		var w *ratepolicy.WaitError
		require.ErrorAs(t, err, &w)
		assert.True(t, w.Held)
		require.NoError(t, fetchtest.Audit(site.Log(), scannerPromise))
	})
}

func TestTwoVisitsOfOneHostTakeTurns(t *testing.T) {
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		site.Latency = 100 * time.Millisecond
		for _, h := range []string{hostA, hostB} {
			site.Set(h+"/", links(hostA+"/1", hostB+"/1", hostA+"/2", hostB+"/2"))
		}
		bot := newBot(t, scannerConfig(site))
		var wg sync.WaitGroup
		for _, start := range []string{hostA, hostB} { // each the other's further host
			wg.Go(func() {
				o := bothHosts()
				v, err := bot.Visit(start+"/", &o)
				if assert.NoError(t, err) {
					for range v.Pages(t.Context()) {
					}
					assert.Equal(t, politefetch.Done, v.Report().Outcome, v.Report().Why)
				}
			})
		}
		wg.Wait()
		promise := scannerPromise
		promise.OneSite, promise.Product = false, ""
		require.NoError(t, fetchtest.Audit(site.Log(), promise))
	})
}

func TestALeaseOutlastsTheLongestRequest(t *testing.T) {
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		site.Set("/slow", links().After(100*time.Second))
		cfg := scannerConfig(site)
		cfg.Timeout = 3 * time.Minute
		bot := newBot(t, cfg)
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = bot.Fetch(t.Context(), hostA+"/slow", nil) })
		time.Sleep(5 * time.Second)
		_, err := bot.Fetch(t.Context(), hostA+"/b", nil)
		require.NoError(t, err)
		wg.Wait()
		require.NoError(t, fetchtest.Audit(site.Log(), scannerPromise))
		cfg.Policy.LeaseFor = time.Minute
		_, err = politefetch.New(cfg)
		require.ErrorContains(t, err, "LeaseFor")
	})
}

func TestThePageLimitCountsProofPages(t *testing.T) {
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		site.Set("/", fetchtest.HTML("CODE"))
		site.Set("/sitemap.xml", fetchtest.Sitemap(hostA+"/1", hostB+"/2", hostA+"/3", hostA+"/4"))
		cfg := scannerConfig(site)
		cfg.MaxPages, cfg.Admit = 3, carries("CODE")
		got := visit(t, newBot(t, cfg), hostA+"/", bothHosts())
		pages := 0
		for _, addr := range asked(site) {
			if !strings.HasSuffix(addr, ".txt") && !strings.HasSuffix(addr, ".xml") {
				pages++
			}
		}
		assert.Equal(t, 3, pages, "%v %v", asked(site), got.errs)
	})
}

func TestAPageIsNotReadAsASitemapToo(t *testing.T) {
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		site.Set("/", links("/a"))
		site.Set("/a", links())
		site.Set("/sitemap.xml", fetchtest.Redirect("/"))
		site.Set("/sitemap_index.xml", fetchtest.Redirect("/a"))
		got := scan(t, site, hostA+"/", nil)
		assert.Equal(t, 1, site.Count("/"))
		assert.Equal(t, 1, site.Count("/a"))
		assert.Equal(t, 2, got.report.Pages, "no sitemap: links are followed")
	})
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		site.Set("/robots.txt", fetchtest.Text("Sitemap: /"))
		site.Set("/", links("/a"))
		site.Set("/a", links())
		got := scan(t, site, hostA+"/", nil)
		assert.Equal(t, 1, site.Count("/"))
		assert.Equal(t, 2, got.report.Pages)
	})
}

func TestHTMLOnlyHoldsForHopsAndIndexes(t *testing.T) {
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		site.Set("/robots.txt", fetchtest.Text("Sitemap: /map"))
		site.Set("/map", fetchtest.SitemapIndex(hostA+"/a.png", hostA+"/s.css", hostA+"/pages"))
		site.Set("/pages", fetchtest.Sitemap(hostA+"/x"))
		site.Set("/", links())
		site.Set("/x", fetchtest.Redirect("/photo.jpg"))
		got := scan(t, site, hostA+"/", nil)
		assert.Zero(t, site.Count("/photo.jpg")+site.Count("/a.png")+site.Count("/s.css"))
		require.ErrorIs(t, got.errs[hostA+"/x"], politefetch.ErrNotWanted)
	})
}

func TestPagesInARowAreCountedPastClosedOnes(t *testing.T) {
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		var locs []string
		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /no"))
		site.Set("/", links())
		for i := range 40 {
			locs = append(locs, fmt.Sprintf("%s/p%d", hostA, i), fmt.Sprintf("%s/no%d", hostA, i))
			site.Set(fmt.Sprintf("/p%d", i), fetchtest.Status(503))
		}
		site.Set("/sitemap.xml", fetchtest.Sitemap(locs...))
		got := scan(t, site, hostA+"/", nil)
		assert.Equal(t, 5, got.report.Skipped)
		assert.Equal(t, politefetch.Limited, got.report.Outcome)
	})
}

func TestADomainIsStoppedForThoseInLineToo(t *testing.T) {
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		site.Set("/", links())
		var mu sync.Mutex
		stopped := false
		cfg := scannerConfig(site)
		cfg.Allow = func(context.Context, *url.URL) error {
			mu.Lock()
			defer mu.Unlock()
			if stopped {
				return errors.New("stopped")
			}
			return nil
		}
		bot := newBot(t, cfg)
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() { _, _ = bot.Fetch(t.Context(), fmt.Sprintf("%s/%d", hostA, i), nil) })
		}
		time.Sleep(3100 * time.Millisecond) // between two turns
		mu.Lock()
		stopped = true
		mu.Unlock()
		sent := len(site.Log())
		wg.Wait()
		assert.Len(t, site.Log(), sent)
	})
}

func TestARedirectIsFollowedWhenItAsksToBe(t *testing.T) {
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		site.Set("/a", fetchtest.Redirect("/b").RetryAfter(10*time.Second))
		site.Set("/b", links())
		site.Set("/far", fetchtest.Redirect("/b").RetryAfter(time.Hour))
		bot := newBot(t, scannerConfig(site))
		p, err := bot.Fetch(t.Context(), hostA+"/a", nil)
		require.NoError(t, err)
		assert.Equal(t, hostA+"/b", p.Final)
		p, err = bot.Fetch(t.Context(), hostA+"/far", nil)
		var w *ratepolicy.WaitError
		require.ErrorAs(t, err, &w)
		assert.Equal(t, w.Until, p.Opens)
		_, err = bot.Fetch(t.Context(), hostA+"/b", nil)
		require.NoError(t, err, "it binds that hop, not the host")
		log := site.Log()
		assert.GreaterOrEqual(t, log[2].Began.Sub(log[1].Answered), 10*time.Second)
	})
}

func TestACallerThatDoesNotWaitGetsThereInTheEnd(t *testing.T) {
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nCrawl-delay: 120").With("Cache-Control", "no-cache"))
		site.Set("/", links())
		bot := newBot(t, scannerConfig(site))
		for range 10 {
			_, err := bot.Fetch(t.Context(), hostA+"/", &politefetch.FetchOptions{MaxWait: -1})
			w, ok := errors.AsType[*ratepolicy.WaitError](err)
			if !ok {
				break
			}
			time.Sleep(time.Until(w.Until))
		}
		assert.Equal(t, 1, site.Count("/"))
	})
}

func TestACallerThatDoesNotWaitDoesNotWaitForRobotsEither(t *testing.T) {
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		site.Set("/robots.txt", fetchtest.Text("").After(10*time.Second))
		bot := newBot(t, scannerConfig(site))
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = bot.Fetch(t.Context(), hostA+"/a", nil) })
		time.Sleep(time.Second)
		for maxWait, want := range map[time.Duration]time.Duration{-1: 0, 2 * time.Second: 2 * time.Second} {
			start := time.Now()
			_, err := bot.Fetch(t.Context(), hostA+"/b", &politefetch.FetchOptions{MaxWait: maxWait})
			_, ok := errors.AsType[*ratepolicy.WaitError](err)
			assert.True(t, ok, err)
			assert.Equal(t, want, time.Since(start))
		}
		wg.Wait()
	})
}

func TestAdmitIsAskedOnceHoweverManyReadAtOnce(t *testing.T) {
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		site.Latency = time.Second
		site.Set("/", fetchtest.HTML("CODE"))
		site.Set(hostA+"/sitemap.xml", fetchtest.Sitemap(hostB+"/", hostB+"/x", hostB+"/y", hostB+"/z"))
		cfg := scannerConfig(site)
		cfg.Admit = carries("CODE")
		cfg.Policy.Normal = ratepolicy.Pace{Concurrency: 3, Burst: 3, Delay: -1}
		got := visit(t, newBot(t, cfg), hostA+"/", bothHosts())
		assert.Empty(t, got.errs)
		assert.Equal(t, 1, site.Count(hostB+"/"))
		assert.Equal(t, 5, got.report.Pages)
	})
}

func TestAdmitMayFailSlowlyAndBadly(t *testing.T) {
	big := fetchtest.HTML(strings.Repeat("<p>x</p>", 20_000) + "CODE")
	t.Run("slow", func(t *testing.T) {
		inBubble(t, func(in world) {
			t, site := in.t, in.site
			site.Set("/", big)
			cfg := scannerConfig(site)
			cfg.Admit = func(ctx context.Context, host string, home io.Reader) (string, error) {
				time.Sleep(2 * time.Minute)
				return carries("CODE")(ctx, host, home)
			}
			bot := newBot(t, cfg)
			var wg sync.WaitGroup
			wg.Go(func() {
				time.Sleep(30 * time.Second)
				_, err := bot.Fetch(t.Context(), hostA+"/other", nil)
				assert.NoError(t, err, "no turn is held meanwhile")
			})
			got := visit(t, bot, hostA+"/", scannerVisit)
			wg.Wait()
			assert.Equal(t, politefetch.Done, got.report.Outcome, got.report.Why)
			require.NoError(t, fetchtest.Audit(site.Log(), scannerPromise))
		})
	})
	t.Run("asks the same bot", func(t *testing.T) {
		inBubble(t, func(in world) {
			t, site := in.t, in.site
			site.Set("/", big)
			var bot *politefetch.Crawler
			cfg := scannerConfig(site)
			cfg.Admit = func(ctx context.Context, _ string, _ io.Reader) (string, error) {
				_, err := bot.Fetch(ctx, hostA+"/proof", nil)
				return "by another page", err
			}
			bot = newBot(t, cfg)
			start := time.Now()
			got := visit(t, bot, hostA+"/", scannerVisit)
			assert.Equal(t, politefetch.Done, got.report.Outcome, got.report.Why)
			assert.Less(t, time.Since(start), 10*time.Second)
		})
	})
	t.Run("ends its goroutine", func(t *testing.T) {
		inBubble(t, func(in world) {
			t, site := in.t, in.site
			site.Set("/", big)
			cfg := scannerConfig(site)
			cfg.Admit = func(context.Context, string, io.Reader) (string, error) { runtime.Goexit(); return "", nil }
			assert.Equal(t, politefetch.Barred, visit(t, newBot(t, cfg), hostA+"/", scannerVisit).report.Outcome)
		})
	})
	t.Run("panics where the caller can recover it", func(t *testing.T) {
		inBubble(t, func(in world) {
			t, site := in.t, in.site
			site.Set("/", big)
			cfg := scannerConfig(site)
			cfg.Admit = func(context.Context, string, io.Reader) (string, error) { panic("admit") }
			assert.PanicsWithValue(t, "admit", func() { visit(t, newBot(t, cfg), hostA+"/", scannerVisit) })

			cfg.Admit = nil
			cfg.Observe = func(e politefetch.Event) {
				if strings.HasSuffix(e.URL, "/1") {
					panic("observe")
				}
			}
			site.Set("/", links("/1"))
			v, err := newBot(t, cfg).Visit(hostA+"/", &scannerVisit)
			require.NoError(t, err)
			assert.PanicsWithValue(t, "observe", func() {
				for range v.Pages(t.Context()) {
				}
			})
			assert.False(t, v.Report().Ended.IsZero())
		})
	})
	t.Run("home page that is limited once", func(t *testing.T) {
		inBubble(t, func(in world) {
			t, site := in.t, in.site
			site.Set("/", fetchtest.Status(429).RetryAfter(2*time.Second), big)
			cfg := scannerConfig(site)
			cfg.Admit = carries("CODE")
			got := visit(t, newBot(t, cfg), hostA+"/", scannerVisit)
			assert.Equal(t, politefetch.Done, got.report.Outcome, got.report.Why)
			assert.Len(t, got.report.Admitted, 1)
		})
	})
}

func TestAVisitThatReadNothingSaysWhatItsStartCameTo(t *testing.T) {
	tests := []struct {
		home    fetchtest.Answer
		outcome politefetch.Outcome
	}{
		{fetchtest.Status(500), politefetch.Failed},
		{fetchtest.Status(403), politefetch.Refused},
		{fetchtest.Status(503), politefetch.Failed},
		{fetchtest.Status(429).RetryAfter(time.Second), politefetch.Limited},
		{fetchtest.Status(503).RetryAfter(0), politefetch.Limited},
		{fetchtest.Fail(errors.New("reset")), politefetch.Failed},
	}
	for _, tt := range tests {
		for _, admit := range []bool{false, true} {
			inBubble(t, func(in world) {
				t, site := in.t, in.site
				site.Set("/", tt.home)
				cfg := scannerConfig(site)
				if admit {
					cfg.Admit = carries("CODE")
				}
				got := visit(t, newBot(t, cfg), hostA+"/", scannerVisit)
				assert.Equal(t, tt.outcome, got.report.Outcome, "%d, admit %v: %s", tt.home.Status, admit, got.report.Why)
				assert.Zero(t, got.report.Left)
			})
		}
	}
}

func TestALimitBehindARedirectIsWaitedOut(t *testing.T) {
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		site.Set("/", links("/old"))
		site.Set("/old", fetchtest.Redirect("/new"))
		site.Set("/new", fetchtest.Status(429).RetryAfter(2*time.Second), links())
		got := scan(t, site, hostA+"/", nil)
		assert.Equal(t, 200, got.pages[hostA+"/old"].Status)
		assert.Equal(t, 1, site.Count("/old"), "the chain goes on where it was")
		assert.Len(t, got.pages[hostA+"/old"].Hops, 1)
	})
}

func TestADeadlineIsTheCallersAndAnInterruptedPageNobodysFailure(t *testing.T) {
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		site.Fallback = func(*http.Request) fetchtest.Answer {
			return links("/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8", "/9")
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second+1)
		defer cancel()
		v, err := newBot(t, scannerConfig(site)).Visit(hostA+"/", &scannerVisit)
		require.NoError(t, err)
		for range v.Pages(ctx) {
		}
		assert.Empty(t, v.Report().Outcome, v.Report().Why)
		assert.False(t, v.Report().Limited)
		assert.Zero(t, v.Report().Failed)
	})
}

func TestOpensTellsWhatRobotsTxtAskedFor(t *testing.T) {
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		site.Set("/robots.txt", fetchtest.Status(503).RetryAfter(time.Hour))
		got := scan(t, site, hostA+"/", nil)
		assert.Equal(t, politefetch.NoRobots, got.report.Outcome)
		assert.Equal(t, site.Log()[0].Answered.Add(time.Hour), got.report.Opens)
	})
}

func TestLeftCountsEachAddressOnce(t *testing.T) {
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		var hrefs []string
		for i := range 3000 {
			hrefs = append(hrefs, fmt.Sprintf("/p%d", i))
		}
		site.Fallback = func(r *http.Request) fetchtest.Answer {
			if strings.HasSuffix(r.URL.Path, ".xml") || r.URL.Path == "/robots.txt" {
				return fetchtest.Answer{}
			}
			return links(hrefs...)
		}
		got := scan(t, site, hostA+"/", func(_ *politefetch.Config, o *politefetch.VisitOptions) { o.MaxPages = 5 })
		assert.Equal(t, 5, got.report.Pages)
		assert.Equal(t, 3001-5, got.report.Left)
	})
}

func TestAStoreThatFailsLaterEndsTheVisit(t *testing.T) {
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		site.Set("/", links("/1", "/2"))
		store := &dyingStore{mapStore: newMapStore(), left: 12}
		cfg := scannerConfig(site)
		cfg.Store = store
		got := visit(t, newBot(t, cfg), hostA+"/", scannerVisit)
		assert.Empty(t, got.report.Outcome)
		assert.Contains(t, got.report.Why, "store")
		for _, err := range got.errs {
			require.ErrorIs(t, err, errDied)
		}
	})
}

var errDied = errors.New("died")

// dyingStore fails after some updates.
type dyingStore struct {
	*mapStore
	left int
}

func (s *dyingStore) Update(ctx context.Context, key string, fn func(time.Time, []byte) ([]byte, time.Time)) error {
	if s.left--; s.left < 0 {
		return errDied
	}
	return s.mapStore.Update(ctx, key, fn)
}

func TestA304OfALostCopyIsNotAnEmptyFile(t *testing.T) {
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		site.Fallback = func(r *http.Request) fetchtest.Answer {
			switch {
			case r.URL.Path != "/robots.txt":
				return links()
			case r.Header.Get("If-None-Match") == `"v1"`:
				return fetchtest.Status(304)
			}
			return fetchtest.Text("User-agent: *\nDisallow: /no\n").With("ETag", `"v1"`)
		}
		cfg := scannerConfig(site)
		cfg.Store = newMapStore()
		bot := newBot(t, cfg)
		for range 3 { // the store's record is gone, the memory's copy is not; then another process
			_, err := bot.Fetch(t.Context(), hostA+"/no/1", nil)
			require.Error(t, err)
			time.Sleep(31 * 24 * time.Hour)
		}
		_, err := newBot(t, cfg).Fetch(t.Context(), hostA+"/no/1", nil)
		require.Error(t, err)
	})
}

func TestNothingOfADroppedPageStays(t *testing.T) {
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		page := fetchtest.HTML(`<html lang="geheim geheim"><p>geheim`).With("Link", `<x>; title="geheim"`).With("Set-Cookie", "a=geheim")
		lost := page
		lost.Status = 302
		site.Set("/page", page)
		site.Set("/lost", lost)
		bot := newBot(t, politeConfig(site))
		for _, addr := range []string{"/page", "/lost"} {
			p, _ := bot.Fetch(t.Context(), hostA+addr, &politefetch.FetchOptions{DropBody: true})
			assert.NotContains(t, fmt.Sprintf("%+v %+v", p, p.Summary()), "geheim", addr)
			assert.NotEmpty(t, p.Header.Get("Content-Type"))
		}
	})
}

func TestPasswordsStayOutOfSight(t *testing.T) {
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		var seen strings.Builder
		cfg := politeConfig(site)
		cfg.Observe = func(e politefetch.Event) { fmt.Fprintf(&seen, "%+v\n", e) }
		site.Set("/a", fetchtest.Redirect("https://user:hunter2@a.example/x"))
		bot := newBot(t, cfg)
		for _, addr := range []string{
			hostA + "/a", "https://u:hunter2@a.example/", "https:u:hunter2@a.example/", "https:/u:hunter2@a.example/",
			`https:\\u:hunter2@a.example/`, "u:hunter2@a.example/", "https://u:hunter2@[::1/", "ftp://u:hunter2@a.example/",
		} {
			p, err := bot.Fetch(t.Context(), addr, nil)
			require.Error(t, err, addr)
			p.Header = nil // is the server's, as it came
			_, verr := bot.Visit(addr, &politefetch.VisitOptions{Hosts: []string{addr}})
			fmt.Fprintf(&seen, "%+v %v %#v %v\n", p, err, err, verr)
		}
		assert.NotContains(t, seen.String(), "hunter2")
	})
}

func TestACutErrorPageSaysSo(t *testing.T) {
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		for addr, cut := range map[string]int{"/html": 440_000, "/exact": 256 << 10, "/text": 440_000} {
			a := fetchtest.HTML(strings.Repeat("x", cut))
			if addr == "/text" {
				a = fetchtest.Text(a.Body)
			}
			a.Status = 404
			site.Set(addr, a)
			p, err := newBot(t, politeConfig(site)).Fetch(t.Context(), hostA+addr, nil)
			require.NoError(t, err)
			assert.Equal(t, cut > 256<<10, p.Truncated, addr)
			assert.Len(t, p.Body, 256<<10, addr)
		}
	})
}

func TestOddTransportsAreErrorsNotPanics(t *testing.T) {
	for name, answer := range map[string]func(*http.Request) (*http.Response, error){
		"nothing":  func(*http.Request) (*http.Response, error) { return nil, nil },
		"no body":  func(r *http.Request) (*http.Response, error) { return &http.Response{StatusCode: 200, Request: r}, nil },
		"status 0": func(*http.Request) (*http.Response, error) { return &http.Response{Body: http.NoBody}, nil },
	} {
		inBubble(t, func(in world) {
			t := in.t
			cfg := politeConfig(nil)
			cfg.Transport = roundTripper(answer)
			p, _ := newBot(t, cfg).Fetch(t.Context(), hostA+"/", nil)
			assert.NotNil(t, p, name)
		})
	}
	_, err := newBot(t, politeConfig(new(fetchtest.Site))).RoundTrip(&http.Request{})
	require.Error(t, err)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestConfigIsCopied(t *testing.T) {
	cfg := politeConfig(new(fetchtest.Site))
	cfg.Guard.Allow = []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:1")}
	bot := newBot(t, cfg)
	cfg.Guard.Allow[0] = netip.MustParseAddrPort("127.0.0.1:2")
	_, err := bot.Visit("http://127.0.0.1:2/", nil)
	require.ErrorIs(t, err, politefetch.ErrGuard)
	_, err = bot.Visit("http://127.0.0.1:1/", nil)
	require.NoError(t, err)
}

func TestHostsMayBeIPv6(t *testing.T) {
	bot := newBot(t, politeConfig(new(fetchtest.Site)))
	for _, host := range []string{"2606:4700::1111", "[2606:4700::1111]"} {
		_, err := bot.Visit("https://[2606:4700::1111]/", &politefetch.VisitOptions{Hosts: []string{host}})
		require.NoError(t, err, host)
	}
}

func TestSloppyContentTypesAreHTMLAllTheSame(t *testing.T) {
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		for i, ct := range []string{"text/html; charset=a; charset=b", "text/html,text/html;charset=utf-8", "TEXT/HTML", " ", "text/html;"} {
			addr := fmt.Sprintf("/%d", i)
			site.Set(addr, fetchtest.HTML("<!doctype html><p>two words").With("Content-Type", ct))
			p, err := newBot(t, politeConfig(site)).Fetch(t.Context(), hostA+addr, nil)
			require.NoError(t, err)
			assert.Equal(t, 2, p.Summary().Words, "%q", ct)
		}
	})
}

func TestBeganAndTriesTellWhatWasSent(t *testing.T) {
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /no"))
		site.Set("/hang", fetchtest.Hang())
		site.Set("/fail", fetchtest.Fail(errors.New("reset")))
		bot := newBot(t, politeConfig(site))
		for addr, tries := range map[string]int{"/no": 0, "/hang": 1, "/fail": 1} {
			p, err := bot.Fetch(t.Context(), hostA+addr, nil)
			require.Error(t, err, addr)
			assert.Equal(t, tries, p.Tries, addr)
			assert.Equal(t, tries == 0, p.Began.IsZero(), addr)
			assert.False(t, p.Ended.IsZero(), addr)
		}
	})
}

func TestAHoldCountsFromTheHead(t *testing.T) {
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		slow := fetchtest.HTML("<p>busy</p>").RetryAfter(10 * time.Second)
		slow.Status, slow.Drip = 429, 100*time.Millisecond
		site.Set("/a", slow)
		p, err := newBot(t, politeConfig(site)).Fetch(t.Context(), hostA+"/a", nil)
		require.NoError(t, err)
		assert.Equal(t, site.Log()[1].Answered.Add(10*time.Second), p.Opens)
	})
}

func TestASitemapOfAnUnprovedHostIsNotRead(t *testing.T) {
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		site.Set(hostA+"/robots.txt", fetchtest.Text("Sitemap: "+hostB+"/map"))
		site.Set(hostA+"/", fetchtest.HTML("CODE"))
		site.Set(hostB+"/", fetchtest.HTML("no"))
		site.Set(hostB+"/map", fetchtest.Sitemap(hostA+"/x"))
		cfg := scannerConfig(site)
		cfg.Admit = carries("CODE")
		got := visit(t, newBot(t, cfg), hostA+"/", bothHosts())
		assert.Zero(t, site.Count(hostB+"/map"))
		assert.Equal(t, 1, site.Count(hostB+"/"))
		assert.Contains(t, got.report.Sitemap, "does not carry the code")
	})
}

// sucuri is a wall that redirects to itself; only its body tells.
func sucuri(addr string) fetchtest.Answer {
	a := fetchtest.HTML(`<!doctype html><title>You are being redirected...</title><script>sucuri_cloudproxy_js='',S='AA==';</script>`)
	a.Status = http.StatusTemporaryRedirect
	return a.With("Location", addr).With("X-Sucuri-Id", "12005")
}

func TestAWallThatRedirectsToItselfIsSeenEverywhere(t *testing.T) {
	for _, addr := range []string{"/robots.txt", "/sitemap.xml", "/"} {
		inBubble(t, func(in world) {
			t, site := in.t, in.site
			site.Set("/", links())
			site.Set(addr, sucuri(addr))
			got := scan(t, site, hostA+"/", nil)
			assert.Equal(t, politefetch.Walled, got.report.Outcome, "%s: %s", addr, got.report.Why)
			assert.Equal(t, 1, site.Count(addr))
		})
	}
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		site.Set("/p", sucuri("/p"))
		client := &http.Client{Transport: newBot(t, politeConfig(site))}
		_, err := client.Get(hostA + "/p")
		var e *politefetch.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, politefetch.Walled, e.Outcome)
		assert.Equal(t, 1, site.Count("/p"))
	})
}

func TestEveryWayInReadsAnAddressAsItIsWritten(t *testing.T) {
	inBubble(t, func(in world) {
		t, site := in.t, in.site
		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /!secret\n"))
		site.Set("/moved", fetchtest.Redirect("/!secret/ä"))
		bot := newBot(t, politeConfig(site))
		client := &http.Client{Transport: bot}
		for _, addr := range []string{hostA + "/!secret/ä", hostA + "/moved"} {
			_, err := bot.Fetch(t.Context(), addr, nil)
			require.Error(t, err, addr)
			_, err = client.Get(addr)
			require.Error(t, err, addr)
		}
		for _, x := range site.Log() {
			assert.NotContains(t, x.URL.Path, "secret")
		}
	})
}

func TestATransportsRefusalsAreTheGuards(t *testing.T) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:1/", nil)
	require.NoError(t, err)
	_, err = politefetch.NewTransport(nil).RoundTrip(req)
	require.ErrorIs(t, err, politefetch.ErrGuard)
}
