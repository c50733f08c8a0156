package politefetch_test

import (
	"errors"
	"net/http"
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
