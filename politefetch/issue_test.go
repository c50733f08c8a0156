package politefetch_test

import (
	"context"
	"errors"
	"net/url"
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

// The tests in this file are faults that users of other tools reported, those that take
// more than a limiter to be shown.

func TestIssue007_ACaptchaPageEndsAllThatIsQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Site{Latency: time.Second}
		all := mapped(&site, 20)
		site.Set(all[3], fetchtest.HTML(`<title>Just a moment...</title><script>window._cf_chl_opt={cvId:"3"};</script>`)) // 200
		got := rank(t, &site, nil)
		assert.Equal(t, politefetch.Walled, got.report.Outcome)
		met := find(t, &site, all[3], 1).Ended
		for _, x := range site.Log() {
			assert.False(t, x.Began.After(met), "%s after the wall", x.URL)
		}
		assert.GreaterOrEqual(t, got.report.Left, 15)
		assert.False(t, got.report.Limited, "which is no limit")
	})
}

func TestIssue044_AWallIsKnownByItsOwnMark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/a", fetchtest.Status(503).With("Cf-Mitigated", "challenge").RetryAfter(time.Minute)) // no Server field
		bot := newBot(t, politeConfig(&site))
		p, err := bot.Fetch(t.Context(), site1+"/a", nil)
		require.NoError(t, err)
		assert.Equal(t, politefetch.Walled, p.Outcome)
		assert.Equal(t, politefetch.Challenge, p.Wall.Kind)
		assert.Equal(t, "cloudflare", p.Wall.Vendor)
		status, err := bot.Limiter().Status(t.Context(), "kauppa.example")
		require.NoError(t, err)
		assert.Equal(t, ratepolicy.ModeNormal, status.Mode, "a wall is no rate limit")
	})
}

func TestIssue061_ARobotsTxtThatMovedBindsWhereItWasAskedFor(t *testing.T) {
	const other = "https://toinen.example"
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set(site1+"/robots.txt", fetchtest.Redirect(other+"/robots.txt"))
		site.Set(other+"/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /no\n"))
		bot := newBot(t, politeConfig(&site))
		for _, addr := range []string{site1 + "/no", other + "/no"} {
			_, err := bot.Fetch(t.Context(), addr, nil)
			var e *politefetch.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, politefetch.Disallowed, e.Outcome, addr)
		}
		assert.Equal(t, 1, site.Count(site1+"/robots.txt"))
		assert.Equal(t, 2, site.Count(other+"/robots.txt"), "what was read for one host is no copy of the other's")
	})
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/robots.txt", fetchtest.Redirect(other+"/robots.txt"))
		closed := errors.New("not in scope")
		cfg := politeConfig(&site)
		cfg.Allow = func(_ context.Context, u *url.URL) error {
			if u.Hostname() == "toinen.example" {
				return closed
			}
			return nil
		}
		p, err := newBot(t, cfg).Fetch(t.Context(), site1+"/a", nil)
		require.ErrorIs(t, err, closed)
		assert.Equal(t, politefetch.NoRobots, p.Outcome, "where it may not be asked for it can't be had, which allows nothing")
		assert.Equal(t, robots.ReasonUnreachable, p.Robots.Reason)
		assert.Equal(t, []string{site1 + "/robots.txt"}, asked(&site))
	})
}
