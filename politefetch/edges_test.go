package politefetch_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
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

// The tests in this file are of lines that could be left out of the package without any
// other test noticing.

func TestEveryWayInSendsAnAddressAsItIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		bot := newBot(t, politeConfig(&site))
		const addr = site1 + "/!a/(b)/ä" // which net/url would write otherwise
		_, err := bot.Fetch(t.Context(), addr, nil)
		require.NoError(t, err)
		resp, err := (&http.Client{Transport: bot}).Get(addr)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		log := site.Log()
		require.Len(t, log, 3)
		assert.Equal(t, "/!a/(b)/%C3%A4", log[1].URL.RequestURI())
		assert.Equal(t, log[1].URL.RequestURI(), log[2].URL.RequestURI())
	})
}

func TestARedirectsWaitIsBoundedAsAHoldsIs(t *testing.T) {
	for _, tt := range []struct {
		asks, most time.Duration // Retry-After, FetchOptions.MaxWait
		waits      bool
	}{
		{30 * time.Second, 0, true},
		{31 * time.Second, 0, false}, // Pace.MaxWait, whose zero is 30 s
		{10 * time.Second, 10 * time.Second, true},
		{10 * time.Second, 9 * time.Second, false},
		{40 * time.Second, time.Minute, false},
		{time.Second, -1, false},
	} {
		t.Run(tt.asks.String()+" of "+tt.most.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var site fetchtest.Site
				site.Set("/robots.txt", fetchtest.Text(""))
				site.Set("/a", fetchtest.Redirect("https://kaksi.example/b").RetryAfter(tt.asks))
				site.Set("/b", fetchtest.HTML("x"))
				bot := newBot(t, watcherConfig(&site))
				checked(t, bot, "https://kaksi.example/robots-is-known")
				time.Sleep(time.Hour)
				opts := monitoring
				opts.MaxWait = tt.most
				if tt.most < 0 { // robots.txt's turn is not the page's
					checked(t, bot, site1+"/robots-is-known")
					time.Sleep(time.Hour)
				}
				p, err := bot.Fetch(t.Context(), site1+"/a", &opts)
				moved := find(t, &site, "/a", 1).Answered
				if tt.waits {
					require.NoError(t, err)
					assert.Equal(t, tt.asks, find(t, &site, "/b", 1).Began.Sub(moved))
					return
				}
				var w *ratepolicy.WaitError
				require.ErrorAs(t, err, &w)
				assert.Equal(t, moved.Add(tt.asks), w.Until)
				assert.Equal(t, w.Until, p.Opens)
				assert.Len(t, p.Hops, 1, "with which it can go on")
				assert.Zero(t, site.Count("/b"))
				assert.Equal(t, moved, time.Now(), "at once")
			})
		})
	}
}

func TestAFileThatIsKeptSaysThatItIsTruncated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/big", fetchtest.Answer{Status: 200, Header: http.Header{"Content-Type": {"text/csv"}}, Body: "1,2,3\n", Endless: true})
		site.Set("/small", fetchtest.Text("1,2,3\n"))
		bot := newBot(t, politeConfig(&site))
		p, err := bot.Fetch(t.Context(), site1+"/big", nil)
		require.NoError(t, err)
		assert.Len(t, p.Body, 2<<20)
		assert.True(t, p.Truncated)
		p, err = bot.Fetch(t.Context(), site1+"/small", nil)
		require.NoError(t, err)
		assert.Equal(t, "1,2,3\n", string(p.Body))
		assert.False(t, p.Truncated)
	})
}

func TestVisitsOfTwoHostsFromBothEndsDoNotLockEachOtherOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts := []string{"kauppa.example", "toinen.example"}
		site := fetchtest.Site{Latency: 50 * time.Millisecond, Fallback: func(*http.Request) fetchtest.Answer { return fetchtest.HTML("x") }}
		var locs []string
		for i := range 40 {
			locs = append(locs, fmt.Sprintf("https://%s/%d", hosts[i%2], i))
		}
		site.Set("/robots.txt", fetchtest.Text("Sitemap: /map.xml\n"))
		site.Set("/map.xml", fetchtest.Sitemap(locs...))
		bot := newBot(t, scannerConfig(&site))
		opts := scannerVisit
		opts.Hosts = hosts
		began := time.Now()
		var wg sync.WaitGroup
		for _, host := range hosts {
			wg.Go(func() {
				v, err := bot.Visit("https://"+host+"/", &opts)
				if assert.NoError(t, err) {
					for range v.Pages(t.Context()) {
					}
					assert.Equal(t, 41, v.Report().Pages)
				}
			})
		}
		wg.Wait()
		assert.Less(t, time.Since(began), time.Minute, "no turn had to run out")
		promise := scannerPromise
		promise.OneSite, promise.Product = false, "" // each visit asks for robots.txt anew
		require.NoError(t, fetchtest.Audit(site.Log(), promise))
	})
}

func TestAValidatorIsForTheAddressThatGaveIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/robots.txt", fetchtest.Redirect("/r"))
		site.Set("/r", fetchtest.Text(rulesBody).With("ETag", `"r"`).With("Last-Modified", "Sat, 01 Jan 2000 00:00:00 GMT"))
		bot := newBot(t, politeConfig(&site))
		for range 2 {
			_, err := bot.Robots(t.Context(), site1)
			require.NoError(t, err)
			time.Sleep(25 * time.Hour)
		}
		require.Len(t, site.Log(), 4)
		for _, x := range site.Log() {
			assert.Empty(t, x.Header.Get("If-None-Match"), x.URL)
			assert.Empty(t, x.Header.Get("If-Modified-Since"), x.URL)
		}
	})
}

func TestACopyFromTheFutureIsAskedForAgain(t *testing.T) {
	var site fetchtest.Site
	site.Set("/robots.txt", fetchtest.Text(""))
	cfg := politeConfig(&site)
	store := newMapStore()
	cfg.Store = store
	_, err := newBot(t, cfg).Robots(t.Context(), site1) // today
	require.NoError(t, err)
	delete(store.recs, "kauppa.example")  // whose pace would be waited for until today
	synctest.Test(t, func(t *testing.T) { // in the year 2000: the clock was set back
		cfg, at := cfg, new(fetchtest.Site)
		at.Set("/robots.txt", fetchtest.Text(rulesBody))
		cfg.Transport = at
		_, err := newBot(t, cfg).Fetch(t.Context(), site1+"/no", nil)
		require.Error(t, err)
		assert.Equal(t, 1, at.Count("/robots.txt"), "the age of the copy can't be told")
	})
}

func TestADamagedCopyIsAskedForAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/robots.txt", fetchtest.Text(rulesBody))
		cfg := politeConfig(&site)
		store := newMapStore()
		cfg.Store = store
		_, err := newBot(t, cfg).Robots(t.Context(), site1)
		require.NoError(t, err)
		damaged := 0
		for key, r := range store.recs {
			if bytes.Contains(r.rec, []byte("Disallow: /no")) {
				r.rec = bytes.ReplaceAll(r.rec, []byte("Disallow: /no"), []byte("Disallow: /xx"))
				store.recs[key] = r
				damaged++
			}
		}
		require.Equal(t, 1, damaged)
		_, err = newBot(t, cfg).Fetch(t.Context(), site1+"/no", nil)
		require.Error(t, err, "as the site says, not as the disk does")
		assert.Equal(t, 2, site.Count("/robots.txt"))
	})
}

func TestWhatWasReadBesideTheEndOfAVisitIsInItsReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		all := mapped(&site, 6)
		site.Set(all[0], fetchtest.Challenge().After(5*time.Second))
		site.Set(all[1], fetchtest.HTML("x").After(time.Second)) // beside it
		got := rank(t, &site, nil)
		rep := got.report
		require.Equal(t, politefetch.Walled, rep.Outcome)
		require.Equal(t, 1, site.Count(all[1]))
		assert.Equal(t, 3, rep.Pages, "the home page, the wall, and what was read meanwhile")
		assert.Equal(t, 4, rep.Left)
		assert.NotContains(t, got.order, site1+all[1], "though the loop had ended")
	})
}

func TestAHomePageThatLeadsAwayProvesNothingForItsHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const www = "https://www.kauppa.example"
		var site fetchtest.Site
		site.Set(site1+"/", fetchtest.Redirect(www+"/"))
		site.Set(www+"/", fetchtest.HTML("code-4711"))
		site.Set(www+"/sitemap.xml", fetchtest.Sitemap(www+"/a", site1+"/b"))
		site.Set(www+"/a", fetchtest.HTML("a"))
		got := scan(t, &site, site1+"/", func(c *politefetch.Config, o *politefetch.VisitOptions) {
			c.Admit, o.Hosts = carries("code-4711"), []string{"kauppa.example", "www.kauppa.example"}
		})
		assert.Equal(t, politefetch.Done, got.report.Outcome, got.report.Why)
		var e *politefetch.Error
		require.ErrorAs(t, got.errs[site1+"/b"], &e)
		assert.Equal(t, politefetch.Barred, e.Outcome)
		assert.Contains(t, e.Error(), "leads to www.kauppa.example")
		assert.Zero(t, site.Count(site1+"/b"))
		assert.Equal(t, 1, site.Count(www+"/a"))
	})
}

func TestNothingOfADroppedLLMsStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		mapped(&site, 1)
		site.Set("/llms.txt", fetchtest.Text("# salaisuus\n\n- [x](/p0)\n").With("Set-Cookie", "salaisuus=1").With("X-Text", "salaisuus"))
		got := rank(t, &site, func(_ *politefetch.Config, o *politefetch.VisitOptions) { o.DropBodies = true })
		p := got.pages[site1+"/llms.txt"]
		require.NotNil(t, p)
		assert.Nil(t, p.Body)
		assert.NotContains(t, fmt.Sprintf("%+v %+v", p, p.Summary()), "salaisuus")
		assert.Contains(t, got.report.Sitemap, "/llms.txt: 1 links")
	})
}

func TestDisallowedAddressesTakeNoPagesPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Site{Fallback: func(*http.Request) fetchtest.Answer { return fetchtest.HTML("x") }}
		var locs []string
		for i := range 3000 { // more than are kept beyond the limit
			locs = append(locs, fmt.Sprintf("%s/closed/%d", site1, i))
		}
		for i := range 4 {
			locs = append(locs, fmt.Sprintf("%s/open/%d", site1, i))
		}
		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /closed\nSitemap: /map.xml\n"))
		site.Set("/map.xml", fetchtest.Sitemap(locs...))
		got := scan(t, &site, site1+"/", func(_ *politefetch.Config, o *politefetch.VisitOptions) { o.MaxPages = 5 })
		assert.Equal(t, 5, got.report.Pages)
		assert.Equal(t, 1, site.Count("/open/3"))
		assert.Equal(t, 3000, got.report.Disallowed)
	})
}

func TestASitemapsRedirectsAreBoundedAsAPagesAre(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Site{Fallback: func(req *http.Request) fetchtest.Answer {
			return fetchtest.Redirect(req.URL.Path + "x.xml")
		}}
		site.Set("/robots.txt", fetchtest.Text("Sitemap: /map\n"))
		site.Set("/", fetchtest.HTML("home"))
		got := scan(t, &site, site1+"/", func(c *politefetch.Config, _ *politefetch.VisitOptions) { c.MaxHops = 3 })
		assert.Len(t, site.Log(), 1+1+3+1, "robots.txt, the sitemap, three hops, the home page")
		assert.Contains(t, got.report.Sitemap, politefetch.ErrTooManyHops.Error())
	})
}

func TestLinksThatAreNotToBeFollowedAreNot(t *testing.T) {
	for name, answer := range map[string]fetchtest.Answer{
		"the link says so":   fetchtest.HTML(`<a href="/open">x</a><a rel="noopener NoFollow" href="/no">y</a>`),
		"the page says so":   fetchtest.HTML(`<meta name=robots content="nofollow"><a href="/no">y</a>`),
		"of this bot":        fetchtest.HTML(`<meta name=metrimato-scanner content="none"><a href="/no">y</a>`),
		"the header does":    fetchtest.HTML(`<a href="/no">y</a>`).With("X-Robots-Tag", "Metrimato-Scanner: nofollow"),
		"another bot's only": fetchtest.HTML(`<a href="/open">x</a>`).With("X-Robots-Tag", "BadBot: nofollow"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var site fetchtest.Site
				site.Set("/", answer)
				site.Set("/open", fetchtest.HTML("x"))
				site.Set("/no", fetchtest.HTML("x"))
				got := scan(t, &site, site1+"/", nil)
				require.True(t, got.report.Links)
				assert.Zero(t, site.Count("/no"))
				assert.Equal(t, strings.Count(answer.Body, "/open"), site.Count("/open"))
			})
		})
	}
}

func TestAGuiseDoesNotSayWhoseBotItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/a", fetchtest.HTML("x"))
		cfg := watcherConfig(&site)
		cfg.From = "bot@rotsweep.com"
		bot := newBot(t, cfg)
		opts := monitoring
		opts.Browser = politefetch.BrowserSafari
		_, err := bot.Fetch(t.Context(), site1+"/a", &opts)
		require.NoError(t, err)
		checked(t, bot, site1+"/a")
		assert.Equal(t, cfg.From, find(t, &site, "/robots.txt", 1).Header.Get("From"))
		assert.Empty(t, find(t, &site, "/a", 1).Header.Values("From"))
		assert.Equal(t, cfg.From, find(t, &site, "/a", 2).Header.Get("From"))
	})
}

func TestA304IsAboutTheNewestCopyWhicheverProcessHadIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		cfg := politeConfig(&site)
		cfg.Store = newMapStore()
		var group *robots.Group
		ask := func(bot *politefetch.Crawler, answer fetchtest.Answer) string {
			site.Set("/robots.txt", answer)
			sent := len(site.Log())
			var err error
			group, err = bot.Robots(t.Context(), site1)
			require.NoError(t, err)
			require.Len(t, site.Log(), sent+1)
			time.Sleep(25 * time.Hour)
			return site.Log()[sent].Header.Get("If-None-Match")
		}
		first := newBot(t, cfg)
		assert.Empty(t, ask(first, fetchtest.Text("User-agent: *\nDisallow: /1\n").With("ETag", `"1"`)))
		assert.Equal(t, `"1"`, ask(newBot(t, cfg), fetchtest.Text("User-agent: *\nDisallow: /2\n").With("ETag", `"2"`)))
		assert.Equal(t, `"2"`, ask(first, fetchtest.Status(304)), "not its own copy, which is older")
		assert.False(t, group.TestPath("/2").Allowed)
		assert.Equal(t, `"2"`, ask(newBot(t, cfg), fetchtest.Status(304)), "the store's is the other text still")
	})
}

func TestAnUnknownBrowserIsRefused(t *testing.T) {
	var site fetchtest.Site
	p, err := newBot(t, watcherConfig(&site)).Fetch(t.Context(), "https://user:geheim@kauppa.example/a", &politefetch.FetchOptions{Browser: "netscape"})
	require.ErrorIs(t, err, politefetch.ErrBrowser)
	require.ErrorContains(t, err, `"netscape"`)
	require.ErrorContains(t, err, "safari")
	assert.NotContains(t, err.Error(), "geheim")
	assert.Equal(t, politefetch.Barred, p.Outcome)
	assert.Empty(t, p.Browser)
	assert.Empty(t, site.Log(), "not even robots.txt is asked for")
}

func TestALanguageIsNoPlaceForText(t *testing.T) {
	for lang, want := range map[string]string{
		"fi": "fi", "zh-Hant-TW": "zh-Hant-TW",
		"all-of-this-is-shaped-like-a-tag-but": "", // 36 characters: RFC 5646 section 4.4.1
		"secrets-of-nine-letters":              "secrets-of-nine-letters",
		"secretive words":                      "",
		"unutterably":                          "",
	} {
		synctest.Test(t, func(t *testing.T) {
			var site fetchtest.Site
			site.Set("/a", fetchtest.HTML(`<html lang="`+lang+`"><p>x`))
			p := checked(t, newBot(t, watcherConfig(&site)), site1+"/a")
			assert.Equal(t, want, p.Summary().Lang)
		})
	}
}

func TestAHomePageThatBreaksOffProvesNothing(t *testing.T) {
	const www = "https://www.kauppa.example"
	vouch := func(_ context.Context, host string, home io.Reader) (string, error) { // whatever comes after
		_, err := io.ReadFull(home, make([]byte, 4))
		return host, err
	}
	both := func(c *politefetch.Config, o *politefetch.VisitOptions) {
		c.Admit, o.Hosts = vouch, []string{"kauppa.example", "www.kauppa.example"}
	}
	t.Run("too slow", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var site fetchtest.Site
			site.Set(site1+"/", links(www+"/a", "/b"))
			site.Set(www+"/", fetchtest.Answer{Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: "<p>x", Endless: true, Drip: time.Second})
			got := scan(t, &site, site1+"/", both)
			assert.Equal(t, map[string]string{"kauppa.example": "kauppa.example"}, got.report.Admitted)
			assert.Equal(t, 1, site.Count(www+"/"))
			assert.Zero(t, site.Count(www+"/a"))
			assert.Equal(t, 1, site.Count("/b"))
		})
	})
	t.Run("a bot wall's", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var site fetchtest.Site
			site.Set("/", fetchtest.HTML(`<title>Just a moment...</title><script>window._cf_chl_opt={cvId:"3"};</script>`))
			got := scan(t, &site, site1+"/", both)
			assert.Equal(t, politefetch.Walled, got.report.Outcome)
			assert.Empty(t, got.report.Admitted)
		})
	})
}

func TestATimeOutIsOneHoweverTheTransportPutsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		cfg := watcherConfig(roundTripper(func(req *http.Request) (*http.Response, error) {
			if req.URL.Path == "/robots.txt" {
				return site.RoundTrip(req)
			}
			<-req.Context().Done()
			return nil, req.Context().Err() // "context canceled"
		}))
		p, err := check(t, newBot(t, cfg), site1+"/a")
		require.ErrorIs(t, err, politefetch.ErrTooSlow)
		require.ErrorContains(t, err, "no complete answer in time")
		assert.Equal(t, politefetch.Failed, p.Outcome)
		assert.Equal(t, 15*time.Second, p.Ended.Sub(p.Began))
	})
}

func TestWhatRobotsNamesMayBeNoSitemap(t *testing.T) {
	for name, text := range map[string]string{
		"itself": "Sitemap: " + site1 + "/robots.txt\nSitemap: robots.txt#x\n", "no text": "Sitemap: /\xff\xfe.xml\n", "no address": "Sitemap: https://\nSitemap: ftp://kauppa.example/s.xml\n",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var site fetchtest.Site
				site.Set("/robots.txt", fetchtest.Text(text))
				site.Set("/sitemap.xml", fetchtest.Sitemap(site1+"/a"))
				site.Set("/a", fetchtest.HTML("a"))
				got := scan(t, &site, site1+"/", nil)
				assert.Equal(t, []string{site1 + "/robots.txt", site1 + "/sitemap.xml", site1 + "/", site1 + "/a"}, asked(&site), "the usual place is tried")
				assert.Equal(t, politefetch.Done, got.report.Outcome)
			})
		})
	}
}
