package proxy_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch/fetchtest"
	"github.com/politefetch/sdk/proxy"
)

var errNo = errors.New("not this one")

// refusing returns a Check that refuses these addresses and notes all it is asked about.
func refusing(asked *[]string, addrs ...string) func(context.Context, *url.URL) error {
	return func(_ context.Context, u *url.URL) error {
		*asked = append(*asked, u.String())
		for _, a := range addrs {
			if u.String() == a {
				return errNo
			}
		}
		return nil
	}
}

func TestCheckIsAskedBeforeAndAfter(t *testing.T) {
	const page, end = "https://a.example/page", "https://a.example/end"
	for name, tt := range map[string]struct {
		addr   string
		refuse string
		asked  []string
		after  bool
		sent   int
	}{
		"allowed, one address":         {end, "", []string{end}, false, 1},
		"the same, otherwise written":  {"https://A.example:443/x/../end#part", "", []string{end}, false, 1},
		"allowed, redirected":          {page, "", []string{page, end}, false, 1},
		"refused before":               {page, page, []string{page}, false, 0},
		"refused where it ended":       {page, end, []string{page, end}, true, 1},
		"to another scheme":            {"http://a.example/page", "http://a.example/page2", []string{"http://a.example/page", end}, false, 1},
		"its own redirect's own start": {"https://a.example/around", "", []string{"https://a.example/around"}, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			w.site.Set("/page", fetchtest.Redirect(end))
			w.site.Set("/around", fetchtest.Redirect("/around"), fetchtest.HTML("x"))
			w.site.Set("/end", fetchtest.HTML("words that nobody may read"))
			var asked []string
			route := w.route.WithCheck(refusing(&asked, tt.refuse))
			_, body, err := get(t, route, tt.addr)
			assert.Equal(t, tt.asked, asked)
			require.Len(t, w.relay.Log(), tt.sent)
			if tt.refuse == "" || len(asked) == 2 && !tt.after {
				require.NoError(t, err)
				assert.NotEmpty(t, body)
				return
			}
			require.ErrorIs(t, err, errNo)
			c, ok := errors.AsType[*proxy.CheckError](err)
			require.True(t, ok)
			want := &proxy.CheckError{URL: tt.refuse, After: tt.after, Err: errNo}
			if tt.after {
				want.Status = http.StatusOK
				assert.Equal(t, "text/html; charset=utf-8", c.Header.Get("Content-Type"))
				want.Header = c.Header
			}
			assert.Equal(t, want, c)
			assert.Contains(t, err.Error(), tt.refuse)
			if !tt.after {
				assert.Empty(t, w.asks)
				return
			}
			x := w.relay.Log()[0]
			assert.Zero(t, x.Sent, "dropped unread")
			assert.False(t, x.Ended.IsZero())
			assert.Equal(t, end, w.last(t).Final)
			assert.Equal(t, proxy.Usage{Limit: 1000, Spent: 1}, w.route.Budget.Usage(), "paid for all the same")
			_, _, err = get(t, w.route, page)
			require.NoError(t, err, "a refusal closes nothing")
		})
	}
}

// The caller asks again for what came from another site: each call is one ask.
func TestOffSiteAnswersAreTheCallersToAskAgain(t *testing.T) {
	w := newWorld()
	off := fetchtest.Redirect("https://b.example/")
	w.site.Set(home, off, off, fetchtest.HTML("a"))
	w.site.Set("https://b.example/", fetchtest.HTML("b"))
	var asked []string
	route := w.route.WithCheck(refusing(&asked, "https://b.example/"))
	for try := 1; ; try++ {
		_, body, err := get(t, route, home)
		assert.Len(t, w.relay.Log(), try)
		if err == nil {
			assert.Equal(t, "a", body)
			assert.Equal(t, 3, try)
			return
		}
		c, ok := errors.AsType[*proxy.CheckError](err)
		require.True(t, ok)
		require.True(t, c.After)
	}
}

// A Check may read robots.txt through the route itself, though the answer it is asked about
// has the only slot.
func TestCheckMayUseTheRoute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.route.Concurrency, w.relay.Concurrency = 1, 1
		w.site.Set("/page", fetchtest.Redirect("https://www.a.example/page2"))
		w.site.Set("/page2", fetchtest.Answer{Status: 200, Body: "page2", Drip: time.Second})
		w.site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /no"))
		robots := request(t, home)
		free := w.route.WithCheck(w.route.Check)
		route := w.route.WithCheck(func(ctx context.Context, u *url.URL) error {
			req := robots.WithContext(ctx)
			req.URL, req.Host = &url.URL{Scheme: "https", Host: u.Host, Path: "/robots.txt"}, ""
			_, err := free.RoundTrip(req)
			return err
		})
		_, body, err := get(t, route, "https://a.example/page")
		require.NoError(t, err)
		assert.Equal(t, "page2", body)
		assert.Len(t, w.relay.Log(), 3)
		require.NoError(t, fetchtest.Audit(w.relay.Asked(), fetchtest.Promise{Concurrency: 1}))
	})
}

// The reading ahead may take longer than the Check.
func TestABodyReadAheadIsWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.site.Set("/page", fetchtest.Redirect("/end"))
		w.site.Set("/end", fetchtest.Answer{Status: 200, Body: "0123456789", Drip: time.Second})
		route := w.route.WithCheck(func(_ context.Context, u *url.URL) error {
			if u.Path == "/end" {
				time.Sleep(1500 * time.Millisecond)
			}
			return nil
		})
		_, body, err := get(t, route, "https://a.example/page")
		require.NoError(t, err)
		assert.Equal(t, "0123456789", body)
	})
}

func TestCheckIsNotAskedInVain(t *testing.T) {
	w := newWorld()
	w.site.Set("/wall", fetchtest.Challenge())
	asked := 0
	route := w.route.WithCheck(func(_ context.Context, u *url.URL) error {
		asked++
		u.Path = "/changed" // its own
		return nil
	})
	_, _, err := get(t, route, "https://a.example/wall")
	require.Error(t, err)
	assert.Equal(t, "https://a.example/wall", w.relay.Log()[0].Params.Get("url"))
	_, _, err = get(t, route, home)
	require.Error(t, err)
	w.relay.Set("", fetchtest.RelayQuota())
	_, _, err = get(t, route, "https://b.example/")
	require.Error(t, err)
	_, _, err = get(t, route, "https://c.example/")
	require.ErrorIs(t, err, proxy.ErrStopped)
	assert.Equal(t, 2, asked)
}

func TestARefusalEndsTheReadingAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.site.Set("/page", fetchtest.Redirect("/endless"))
		w.site.Set("/endless", fetchtest.Answer{Status: 200, Body: "x", Endless: true, Drip: time.Second})
		route := w.route.WithCheck(func(_ context.Context, u *url.URL) error {
			if u.Path == "/page" {
				return nil
			}
			time.Sleep(10 * time.Second)
			return errNo
		})
		start := time.Now()
		_, _, err := get(t, route, "https://a.example/page")
		require.ErrorIs(t, err, errNo)
		assert.Equal(t, 10*time.Second, time.Since(start))
	})
}

func TestWalls(t *testing.T) {
	sorry := fetchtest.HTML(`<title>Just a moment...</title><script>window._cf_chl_opt={}</script>`)
	for name, tt := range map[string]struct {
		answer fetchtest.Answer
		vendor string // "": no wall
	}{
		"by Cf-Mitigated":         {fetchtest.Challenge(), "cloudflare"},
		"by X-Amzn-Waf-Action":    {fetchtest.Status(202).With("X-Amzn-Waf-Action", "challenge"), "awswaf"},
		"by Sg-Captcha":           {fetchtest.Status(202).With("Sg-Captcha", "challenge"), "siteground"},
		"by its page, at 403":     {answered(sorry, 403), "cloudflare"},
		"by its page, at 200":     {sorry, "cloudflare"},
		"by status 999":           {fetchtest.Status(999), "linkedin"},
		"with a wait":             {fetchtest.Challenge().RetryAfter(20 * time.Second), "cloudflare"},
		"a bare 403":              {fetchtest.Status(403), ""},
		"a limit":                 {fetchtest.Status(429).RetryAfter(time.Second), ""},
		"an article on its marks": {fetchtest.HTML("<p>It is known by <code>&lt;script>window._cf_chl_opt</code>"), ""},
	} {
		for _, path := range []string{"/", "/robots.txt"} {
			t.Run(name+" at "+path, func(t *testing.T) {
				w := newWorld()
				w.site.Set(path, tt.answer)
				w.site.Set("/other", fetchtest.HTML("x"))
				_, _, err := get(t, w.route, "https://a.example"+path)
				if tt.vendor == "" {
					require.NoError(t, err)
					return
				}
				wall, ok := errors.AsType[*proxy.WallError](err)
				require.True(t, ok, "%v", err)
				assert.Equal(t, tt.vendor, wall.Vendor)
				kind := "challenge"
				if tt.answer.Status == 999 {
					kind = "block"
				}
				assert.Equal(t, kind, wall.Kind)
				assert.NotEmpty(t, wall.Marker)
				assert.Equal(t, tt.answer.Status, wall.Status)
				assert.Equal(t, tt.answer.Header.Get("Retry-After"), wall.Header.Get("Retry-After"))
				assert.Equal(t, "https://a.example"+path, wall.URL)
				assert.Equal(t, wall, w.last(t).Err)

				wall.Header.Set("X", "mine") // each caller has its own
				for _, addr := range []string{"https://a.example/other", "http://www.a.example/other"} {
					_, _, err = get(t, w.route, addr)
					again, ok := errors.AsType[*proxy.WallError](err)
					require.True(t, ok, "%v", err)
					assert.Empty(t, again.Header.Get("X"))
					again.Header.Set("X", "mine")
				}
				assert.Len(t, w.relay.Log(), 1, "and no further request")
				_, _, err = get(t, w.route, "https://b.example/other")
				require.NoError(t, err, "other sites")
				_, _, err = get(t, w.route.WithCheck(w.route.Check), "https://a.example/other")
				require.NoError(t, err, "another visit")
			})
		}
	}
}

func answered(a fetchtest.Answer, status int) fetchtest.Answer {
	a.Status = status
	return a
}

func TestAWallBehindARedirectClosesBothSites(t *testing.T) {
	w := newWorld()
	w.site.Set("https://a.example/go", fetchtest.Redirect("https://b.example/"))
	w.site.Set("https://b.example/", fetchtest.Challenge())
	_, _, err := get(t, w.route, "https://a.example/go")
	wall, ok := errors.AsType[*proxy.WallError](err)
	require.True(t, ok)
	assert.Equal(t, "https://b.example/", wall.URL)
	for _, addr := range []string{home, "https://b.example/x"} {
		_, _, err = get(t, w.route, addr)
		require.ErrorAs(t, err, &wall)
	}
	assert.Len(t, w.relay.Log(), 1)
}

// Asks that stand in line when a wall is met are not sent any more.
func TestAWallStopsThoseInLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.route.Concurrency = 1
		w.site.Set("/", fetchtest.Challenge().After(time.Second))
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				_, _, err := get(t, w.route, home)
				_, ok := errors.AsType[*proxy.WallError](err)
				assert.True(t, ok)
			})
		}
		wg.Wait()
		assert.Len(t, w.relay.Log(), 1)
		assert.Equal(t, proxy.Usage{Limit: 1000, Spent: 1}, w.route.Budget.Usage())
	})
}

func TestThoseInLineGoWhenTheirContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.route.Concurrency = 1
		w.site.Latency = time.Minute
		other := request(t, home)
		go func() { _, _ = w.route.RoundTrip(other) }()
		synctest.Wait()
		cause := errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, cause)
		defer cancel()
		_, err := w.route.RoundTrip(request(t, home).WithContext(ctx))
		require.ErrorIs(t, err, cause)
		assert.Len(t, w.relay.Log(), 1)
		time.Sleep(time.Hour)
	})
}

var _ http.RoundTripper = (*fetchtest.Relay)(nil)

// A caller that recovers from its own panic finds the route as it was before.
func TestAPanicKeepsNoPlaceAndNoCredits(t *testing.T) {
	for name, panics := range map[string]string{"in Check": "https://a.example/end", "in Base": ""} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				w.site.Set("/page", fetchtest.Redirect("/end"))
				w.site.Set("/end", fetchtest.HTML("x"))
				broken := true
				var base http.RoundTripper = w.relay
				w.route.Concurrency, w.route.Budget = 1, proxy.NewBudget(3)
				w.route.Base = baseFunc(func(r *http.Request) (*http.Response, error) {
					if panics == "" && broken {
						panic("boom")
					}
					return base.RoundTrip(r)
				})
				route := w.route.WithCheck(func(_ context.Context, u *url.URL) error {
					if u.String() == panics && broken {
						panic("boom")
					}
					return nil
				})
				assert.Panics(t, func() { _, _, _ = get(t, route, "https://a.example/page") })
				assert.Zero(t, w.route.Budget.Usage().Reserved)
				broken = false
				began := time.Now()
				_, _, err := get(t, route, "https://a.example/page")
				require.NoError(t, err)
				assert.Zero(t, time.Since(began))
			})
		})
	}
}

// Each time that a busy provider is asked again, Check is asked before, and may use the route.
func TestCheckIsAskedAgainWhenTheProviderWasBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.route.Concurrency = 1
		w.relay.Set("https://a.example/", fetchtest.RelayBusy(time.Second), fetchtest.RelayBusy(time.Second), fetchtest.RelayFault{})
		free, robots := w.route.WithCheck(w.route.Check), request(t, "https://a.example/robots.txt")
		asked := 0
		route := w.route.WithCheck(func(ctx context.Context, _ *url.URL) error {
			asked++
			if _, err := free.RoundTrip(robots.WithContext(ctx)); err != nil { // there is but one slot
				return err
			}
			if asked == 3 {
				return errNo
			}
			return nil
		})
		_, _, err := get(t, route, "https://a.example/")
		require.ErrorIs(t, err, errNo)
		c, ok := errors.AsType[*proxy.CheckError](err)
		require.True(t, ok, "%v", err)
		assert.Equal(t, proxy.CheckError{URL: "https://a.example/", Err: errNo}, *c)
		assert.Equal(t, 3, asked)
		assert.Equal(t, 2, w.relay.Count("https://a.example/"))
	})
}

// What stops the route while a busy provider is waited for stops that ask too.
func TestABusyProviderIsNotAskedAgainOnceTheRouteHasStopped(t *testing.T) {
	for name, tt := range map[string]struct {
		slots  int // of one alone, the other ask gets it when the wait is over
		checks int
	}{
		"in the wait":       {2, 1},
		"in the next Check": {1, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				w.route.Concurrency = tt.slots
				w.relay.Set("https://a.example/", fetchtest.RelayBusy(10*time.Second), fetchtest.RelayFault{})
				quota := fetchtest.RelayQuota()
				quota.Answer.Delay = 3 * time.Second
				w.relay.Set("https://b.example/", quota)
				checks := 0
				route := w.route.WithCheck(func(context.Context, *url.URL) error {
					if checks++; checks > 1 {
						time.Sleep(5 * time.Second)
					}
					return nil
				})
				time.AfterFunc(time.Second, func() {
					_, _, err := get(t, w.route, "https://b.example/")
					assert.Error(t, err)
				})
				_, _, err := get(t, route, "https://a.example/")
				p, ok := errors.AsType[*proxy.ProviderError](err)
				require.True(t, ok, "%v", err)
				assert.Equal(t, proxy.KindQuota, p.Kind)
				assert.Equal(t, tt.checks, checks)
				assert.Equal(t, 1, w.relay.Count("https://a.example/"))
			})
		})
	}
}
