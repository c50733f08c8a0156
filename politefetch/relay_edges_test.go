package politefetch_test

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
	"github.com/politefetch/sdk/ratepolicy"
)

// The tests in this file are of lines about the relay that could be left out of the package without any
// other test noticing.

// handsOnRedirects is a relay that follows none.
func handsOnRedirects(site *fetchtest.Site) http.RoundTripper {
	return roundTripper(func(req *http.Request) (*http.Response, error) { return site.RoundTrip(req) })
}

func TestTheRelayHasATimeOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var direct, far fetchtest.Site
		bot := newBot(t, relayConfig(t, &direct, handsOnRedirects(&far)))
		limitTwice(t, bot, &direct)
		far.Set("/", links("/moved", "/hang"))
		far.Set("/moved", fetchtest.Redirect("/slow").After(time.Minute)) // far more than Config.Timeout
		far.Set("/slow", fetchtest.HTML("slow").After(2*time.Minute))
		far.Set("/hang", fetchtest.Hang())
		got := visit(t, bot, site1+"/", rankerVisit)
		require.True(t, got.report.Relayed)
		require.NoError(t, got.errs[site1+"/moved"])
		assert.Equal(t, "slow", string(got.pages[site1+"/moved"].Body))
		require.ErrorIs(t, got.errs[site1+"/hang"], politefetch.ErrTooSlow)
		x := find(t, &far, "/hang", 1)
		assert.Equal(t, 3*time.Minute, x.Ended.Sub(x.Began), "but an end all the same")
	})
}

func TestA304ThroughARelayIsNobodysCopy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var direct, far fetchtest.Site
		bot := newBot(t, relayConfig(t, &direct, handsOnRedirects(&far)))
		limitTwice(t, bot, &direct)
		direct.Set("/robots.txt", fetchtest.Text("").With("ETag", `"direct"`))
		time.Sleep(24 * time.Hour) // after which a copy is not fresh
		_, err := bot.Robots(t.Context(), site1+"/")
		require.NoError(t, err)
		time.Sleep(time.Hour)
		far.Set("/robots.txt", fetchtest.Status(304))
		got := visit(t, bot, site1+"/", rankerVisit)
		require.True(t, got.report.Relayed)
		assert.Equal(t, politefetch.NoRobots, got.report.Outcome, got.report.Why)
		assert.Contains(t, got.report.Why, "answered 304", "no condition was set, so nothing can be unchanged")
	})
}

func TestTheStartAloneDecidesOnTheRoute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const www = "https://www.kauppa.example"
		var direct, far fetchtest.Site
		bot := newBot(t, relayConfig(t, &direct, handsOnRedirects(&far)))
		for range 2 { // www goes on limiting: a visit that starts there would be relayed
			direct.Set(www+"/", fetchtest.Status(429).RetryAfter(time.Second), fetchtest.HTML("x"))
			require.True(t, visit(t, bot, www+"/", rankerVisit).report.Limited)
			time.Sleep(4 * time.Hour)
		}
		direct.Set("/robots.txt", fetchtest.Text("Sitemap: /map.xml\n"))
		direct.Set("/map.xml", fetchtest.Sitemap(www+"/1", www+"/2"))
		direct.Set("/", fetchtest.HTML("x"))
		opts := rankerVisit
		opts.Hosts = []string{"kauppa.example", "www.kauppa.example"}
		got := visit(t, bot, site1+"/", opts)
		assert.False(t, got.report.Relayed)
		assert.Empty(t, far.Log())
		assert.Equal(t, 1, direct.Count(www+"/2"))
		assert.True(t, visit(t, bot, www+"/", opts).report.Relayed)
	})
}

func TestWhatARelayMeetsIsNoWordToHostsAskedDirectly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const www = "https://www.kauppa.example"
		var direct, far fetchtest.Site
		bot := newBot(t, relayConfig(t, &direct, handsOnRedirects(&far)))
		limitTwice(t, bot, &direct)
		far.Set("/robots.txt", fetchtest.Text("Sitemap: /map.xml\n"))
		far.Set("/map.xml", fetchtest.Sitemap(www+"/1"))
		far.Set("/", fetchtest.HTML("x"))
		far.Set(www+"/1", fetchtest.Status(429).RetryAfter(20*time.Second), fetchtest.HTML("x"))
		opts := rankerVisit
		opts.Hosts = []string{"kauppa.example", "www.kauppa.example"}
		got := visit(t, bot, site1+"/", opts)
		require.True(t, got.report.Relayed)
		require.Equal(t, 2, far.Count(www+"/1"))
		status, err := bot.Limiter().Status(t.Context(), "www.kauppa.example")
		require.NoError(t, err)
		assert.Equal(t, ratepolicy.ModeNormal, status.Mode, status)
	})
}

func TestARelayMayNotEndAtAHostThatWasNotAdmitted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const www = "https://www.kauppa.example"
		var direct, far fetchtest.Site
		cfg := relayConfig(t, &direct, &plainRelay{site: &far})
		cfg.Store = newMapStore()
		limitTwice(t, newBot(t, cfg), &direct)
		cfg.Admit = carries("code-4711")
		far.Set("/robots.txt", fetchtest.Text("Sitemap: /map.xml\n"))
		far.Set("/map.xml", fetchtest.Sitemap(site1+"/moved"))
		far.Set(site1+"/", fetchtest.HTML("code-4711"))
		far.Set(www+"/", fetchtest.HTML("no code"))
		far.Set("/moved", fetchtest.Redirect(www+"/x"))
		far.Set(www+"/x", fetchtest.HTML("words of another"))
		opts := rankerVisit
		opts.Hosts = []string{"kauppa.example", "www.kauppa.example"}
		got := visit(t, newBot(t, cfg), site1+"/", opts)
		require.True(t, got.report.Relayed)
		var e *politefetch.Error
		require.ErrorAs(t, got.errs[site1+"/moved"], &e)
		assert.Equal(t, politefetch.Barred, e.Outcome)
		assert.Contains(t, e.Error(), "www.kauppa.example was not admitted")
		assert.Empty(t, got.pages[site1+"/moved"].Body)
		assert.Equal(t, 1, far.Count("/moved"))
		assert.NotContains(t, got.report.Admitted, "www.kauppa.example")
	})
}

// A home page that proves a host may itself be found elsewhere, where no robots.txt was read.
func TestAHomePageThatARelayFindsElsewhereProvesItsHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const www, plain = "https://www.kauppa.example", "http://www.kauppa.example"
		var direct, far fetchtest.Site
		cfg := relayConfig(t, &direct, &plainRelay{site: &far})
		cfg.Store = newMapStore()
		limitTwice(t, newBot(t, cfg), &direct)
		cfg.Admit = carries("code-4711")
		far.Set("/robots.txt", fetchtest.Text("Sitemap: /map.xml\n"))
		far.Set("/map.xml", fetchtest.Sitemap(www+"/x"))
		far.Set(site1+"/", fetchtest.HTML("code-4711"))
		far.Set(www+"/", fetchtest.Redirect(plain+"/"))
		far.Set(plain+"/", fetchtest.HTML("also code-4711"))
		far.Set(www+"/x", fetchtest.HTML("x"))
		opts := rankerVisit
		opts.Hosts = []string{"kauppa.example", "www.kauppa.example"}
		got := visit(t, newBot(t, cfg), site1+"/", opts)
		require.True(t, got.report.Relayed)
		require.Empty(t, got.errs)
		assert.Equal(t, "x", string(got.pages[www+"/x"].Body))
		assert.Equal(t, plain+"/", got.pages[www+"/"].Final)
		assert.Equal(t, "also code-4711", string(got.pages[www+"/"].Body))
		assert.Equal(t, 2, far.Count(plain+"/"), "as a redirect's end, and for itself")
	})
}

func TestARobotsTxtThatARelayFindsElsewhereOnTheSiteIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRouted()
		r.limit(t)
		r.far.Set("/robots.txt", fetchtest.Redirect("/files/robots"))
		r.far.Set("/files/robots", fetchtest.Text("User-agent: *\nDisallow: /p1\nDisallow: /files/\nSitemap: /map.xml\n"))
		got := r.visit(t)
		require.True(t, got.report.Relayed)
		assert.Equal(t, politefetch.Done, got.report.Outcome, got.report.Why)
		assert.Equal(t, 2, got.pages[site1+"/p1"].Robots.Line)
		assert.Equal(t, 1, r.provider.Count("/robots.txt"))
		assert.Zero(t, r.provider.Count("/p1"))
		assert.Equal(t, 1, r.provider.Count("/p2"))
	})
}

func TestTheProvidersValidatorsAreNotShownToTheSite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var direct, far fetchtest.Site
		bot := newBot(t, relayConfig(t, &direct, handsOnRedirects(&far)))
		limitTwice(t, bot, &direct)
		far.Set("/robots.txt", fetchtest.Text("").With("ETag", `"far"`).With("Last-Modified", "Sat, 01 Jan 2000 00:00:00 GMT"))
		far.Set("/", fetchtest.HTML("x"))
		require.True(t, visit(t, bot, site1+"/", rankerVisit).report.Relayed)
		time.Sleep(25 * time.Hour)
		sent := len(direct.Log())
		_, err := bot.Robots(t.Context(), site1)
		require.NoError(t, err)
		require.Len(t, direct.Log(), sent+1)
		assert.Empty(t, direct.Log()[sent].Header.Get("If-None-Match"))
		assert.Empty(t, direct.Log()[sent].Header.Get("If-Modified-Since"))
	})
}

func TestARelaysRedirectToAPageAlreadyReadHandsItOnOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var direct, far fetchtest.Site
		bot := newBot(t, relayConfig(t, &direct, &plainRelay{site: &far}))
		limitTwice(t, bot, &direct)
		far.Set("/robots.txt", fetchtest.Text("Sitemap: /map.xml\n"))
		far.Set("/map.xml", fetchtest.Sitemap(site1+"/a", site1+"/b", site1+"/moved"))
		far.Set("/", fetchtest.HTML("home"))
		far.Set("/a", fetchtest.HTML("a"))
		far.Set("/b", fetchtest.HTML("b"))
		far.Set("/moved", fetchtest.Redirect("/a").After(time.Second))
		got := visit(t, bot, site1+"/", rankerVisit)
		require.True(t, got.report.Relayed)
		assert.Equal(t, "a", string(got.pages[site1+"/a"].Body))
		require.NoError(t, got.errs[site1+"/moved"])
		assert.Empty(t, got.pages[site1+"/moved"].Body)
		assert.Empty(t, got.pages[site1+"/moved"].Final)
		assert.Zero(t, got.pages[site1+"/moved"].Summary())
	})
}

func TestARelayedVisitReadsAsManyAtOnceAsTheRelayTakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := fetchtest.Site{Latency: time.Second}
		direct := fetchtest.Site{Latency: time.Second}
		cfg := relayConfig(t, &direct, handsOnRedirects(&far))
		cfg.Policy.Normal.Concurrency, cfg.Policy.Relay.Concurrency = 1, 4
		bot := newBot(t, cfg)
		limitTwice(t, bot, &direct)
		mapped(&far, 12)
		require.True(t, visit(t, bot, site1+"/", rankerVisit).report.Relayed)
		assert.Equal(t, 1, together(direct.Log(), time.Time{}))
		assert.Equal(t, 4, together(far.Log(), time.Time{}))
	})
}

func TestAPageThatComesEndsARowOfTheRelaysFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRouted()
		mapped(&r.far, 20)
		r.limit(t)
		for i := range 20 {
			if i%5 != 4 {
				r.provider.Set(fmt.Sprintf("/p%d", i), fetchtest.RelayFault{Answer: fetchtest.Status(502)})
			}
		}
		got := r.visit(t)
		assert.Equal(t, politefetch.Done, got.report.Outcome, got.report.Why)
		assert.Equal(t, 5, got.report.Pages, "the home page and every fifth")
		assert.Equal(t, 16, got.report.Failed)
	})
}
