package politefetch_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
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

func TestK10_APageThatLeadsOffTheSiteIsAskedForThreeTimesInAll(t *testing.T) {
	off := fetchtest.Redirect("https://other.test/elsewhere")
	tests := []struct {
		name    string
		path    string
		answers []fetchtest.Answer
		want    int
	}{
		{"off the site", "/p0", []fetchtest.Answer{off}, 3},
		{"a limit in between", "/p0", []fetchtest.Answer{off, off, busy1s, off}, 3},
		{"a limit first", "/p0", []fetchtest.Answer{busy1s, off}, 3},
		{"busy in between", "/p0", []fetchtest.Answer{off, fetchtest.Status(503), off}, 3},
		{"a limit alone", "/p0", []fetchtest.Answer{busy1s}, 2},
		{"the home page", "/", []fetchtest.Answer{off, off, busy1s, off}, 3},
		{"llms.txt", "/llms.txt", []fetchtest.Answer{off, off, busy1s, off}, 3},
		{"a sitemap", "/map.xml", []fetchtest.Answer{off, off, busy1s, off}, 3},
		{"robots.txt", "/robots.txt", []fetchtest.Answer{off, off, busy1s, off}, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRouted()
				r.limit(t)
				r.far.Set(tt.path, tt.answers...)
				require.True(t, r.visit(t).report.Relayed)
				assert.Equal(t, tt.want, r.provider.Count(tt.path), r.asks())
				assert.Zero(t, r.far.Count("https://other.test/robots.txt"))
			})
		})
	}
}

// Limits are asked for again as often as Tries says: three asks are for what leads off the site.
func TestALimitedPageIsAskedForThroughTheRelayAsOftenAsDirectly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRouted()
		r.limit(t)
		r.far.Set("/p0", busy1s)
		cfg := relayConfig(t, &r.direct, &proxy.ScrapingBee{Key: proxy.NewAPIKey("0123456789ABCDEF"), Base: r.provider})
		cfg.Store, cfg.Tries = r.store, 5
		require.True(t, visit(t, newBot(t, cfg), site1+"/", rankerVisit).report.Relayed)
		assert.Equal(t, 5, r.provider.Count("/p0"))
	})
}

// TestAWallsWaitIsHonoured: a bot wall's Retry-After is the site's word as any other's.
func TestAWallsWaitIsHonoured(t *testing.T) {
	wall := late(fetchtest.Challenge().RetryAfter(20 * time.Hour))
	elsewhere := fetchtest.Redirect("/p4")
	for _, relayed := range []bool{false, true} {
		for _, path := range []string{"/", "/map.xml", "/p3", "/robots.txt", "/llms.txt", "/to-p4"} {
			name := "directly "
			if relayed {
				name = "through the provider "
			}
			t.Run(name+path, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newRouted()
					site := &r.direct
					if relayed {
						r.limit(t)
						site = &r.far
					}
					site.Set("/map.xml", fetchtest.Sitemap(site1+"/p1", site1+"/to-p4", site1+"/p3"))
					if path == "/to-p4" {
						site.Set(path, elsewhere)
						site.Set("/p4", wall)
					} else {
						site.Set(path, wall)
					}
					began := time.Now()
					got := r.visit(t)
					require.Equal(t, relayed, got.report.Relayed)
					require.Equal(t, politefetch.Walled, got.report.Outcome, got.report.Why)
					assert.False(t, got.report.Opens.Before(began.Add(20*time.Hour)), "opens %v", got.report.Opens)

					asked, sent := len(r.provider.Log()), len(r.direct.Log())
					time.Sleep(10 * time.Hour)
					again := r.visit(t)
					assert.Equal(t, politefetch.Limited, again.report.Outcome, again.report.Why)
					assert.Equal(t, got.report.Opens, again.report.Opens)
					assert.Len(t, r.provider.Log(), asked, "nothing is asked for before then")
					assert.Len(t, r.direct.Log(), sent)
				})
			})
		}
	}
}

// TestTheReportNamesEveryWait: also one that no page met, or that ended nothing.
func TestTheReportNamesEveryWait(t *testing.T) {
	hour := late(fetchtest.Status(503).RetryAfter(time.Hour))
	for _, relayed := range []bool{false, true} {
		for path, answers := range map[string][]fetchtest.Answer{
			"/map.xml":  {busy1s, hour},                                 // a sitemap that was asked for often enough
			"/p5":       {busy1s, hour},                                 // the last page
			"/moved":    {fetchtest.Redirect("http" + site1[5:] + "/")}, // to a place whose robots.txt asks for it
			"/llms.txt": {fetchtest.Status(404).RetryAfter(time.Hour)},
		} {
			name := "directly "
			if relayed {
				name = "through the provider "
			}
			t.Run(name+path, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newRouted()
					site := &r.direct
					if relayed {
						r.limit(t)
						site = &r.far
					}
					site.Set("http"+site1[5:]+"/robots.txt", hour)
					site.Set(path, answers...)
					switch path {
					case "/moved":
						site.Set("/map.xml", fetchtest.Sitemap(site1+"/moved"))
					case "/map.xml": // nothing is asked for after it
						site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /p\nDisallow: /llms.txt\nSitemap: /map.xml\n"))
					}
					began := time.Now()
					got := r.visit(t)
					require.Equal(t, relayed, got.report.Relayed)
					assert.False(t, got.report.Opens.Before(began.Add(time.Hour)), "opens %v, %s", got.report.Opens, got.report.Why)
				})
			})
		}
	}
}

// The bot's own wait after a limit that names none is one too, also where no page met it.
func TestTheReportNamesTheBackoffAfterALimitOfASitemap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRouted()
		r.direct.Set("/map.xml", late(fetchtest.Status(429)))
		r.direct.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /p\nDisallow: /llms.txt\nSitemap: /map.xml\n"))
		got := r.visit(t)
		require.Equal(t, 2, r.direct.Count("/map.xml"))
		assert.Greater(t, got.report.Opens.Sub(got.report.Ended), 5*time.Second, got.report.Why)
	})
}

func TestK06_OneAtATimeAsSoonAsA503IsHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRouted()
		busy := late(fetchtest.HTML("busy"))
		busy.Status, busy.Drip = 503, 200*time.Millisecond
		r.direct.Set("/p0", busy, fetchtest.HTML("x"))
		r.direct.Set("/p1", fetchtest.Redirect("/p6").After(300*time.Millisecond)) // which is taken at once
		r.direct.Set("/p6", fetchtest.HTML("x"))
		got := r.visit(t)
		require.Equal(t, politefetch.Done, got.report.Outcome, got.report.Why)
		heard := find(t, &r.direct, "/p0", 1).Answered
		assert.Equal(t, 1, together(r.direct.Log(), heard.Add(1)), "requests that began after the 503, while its body still came")
	})
}

func TestK06_A503IsHeardWhereTheRelayEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRouted()
		r.limit(t)
		const other = "http" // of the site's own, and not asked before
		r.far.Set("/p0", fetchtest.Redirect(other+site1[5:]+"/p0"))
		r.far.Set(other+site1[5:]+"/p0", late(fetchtest.Status(503)), fetchtest.HTML("x"))
		require.True(t, r.visit(t).report.Relayed)
		var heard time.Time
		for _, x := range r.provider.Log() {
			if x.URL.Path == "/p0" {
				heard = x.Answered
				break
			}
		}
		require.NotZero(t, heard)
		assert.Equal(t, 1, together(r.provider.Asked(), heard.Add(1)))
	})
}

// An ask that a busy provider turned down goes out again as any request does: not into a
// wait that the site asked for meanwhile, not past a bot wall, not to a site taken off.
func TestAnAskIsRepeatedOnlyInItsTurn(t *testing.T) {
	for name, answer := range map[string]fetchtest.Answer{
		"wait": fetchtest.Status(429).RetryAfter(25 * time.Second),
		"long": fetchtest.Status(429).RetryAfter(time.Hour),
		"wall": fetchtest.Challenge(),
		"stop": fetchtest.HTML("x"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRouted()
				r.limit(t)
				r.provider.Set("/p0", fetchtest.RelayBusy(10*time.Second), fetchtest.RelayFault{})
				r.far.Set("/p1", late(answer), fetchtest.HTML("x"))
				cfg := relayConfig(t, &r.direct, &proxy.ScrapingBee{Key: proxy.NewAPIKey("0123456789ABCDEF"), Base: r.provider})
				cfg.Store = r.store
				stopped := time.Now().Add(5 * time.Second)
				cfg.Allow = func(context.Context, *url.URL) error {
					if name == "stop" && time.Now().After(stopped) {
						return errStopped
					}
					return nil
				}
				got := visit(t, newBot(t, cfg), site1+"/", rankerVisit)
				require.True(t, got.report.Relayed)
				var heard time.Time
				for _, x := range r.provider.Log() {
					if x.URL.Path == "/p1" && heard.IsZero() {
						heard = x.Answered
					}
				}
				require.NotZero(t, heard)
				repeated := false
				for _, x := range r.provider.Asked() {
					if x.URL.Path == "/p0" {
						repeated = true
						assert.GreaterOrEqual(t, x.Began.Sub(heard), 25*time.Second)
					}
				}
				assert.Equal(t, name == "wait", repeated)
				want := map[string]politefetch.Outcome{"wait": politefetch.Done, "long": politefetch.Limited, "wall": politefetch.Walled, "stop": politefetch.Done}
				assert.Equal(t, want[name], got.report.Outcome, got.report.Why)
			})
		})
	}
}

var errStopped = errors.New("taken off")

// An ask that is repeated waits out the pace as any other, however long that is: only a hold
// ends a visit.
func TestAnAskIsRepeatedInItsTurnHoweverSlowThePace(t *testing.T) {
	for crawl, pace := range map[time.Duration]ratepolicy.Pace{
		45 * time.Second: {Delay: -1, Concurrency: 2},                          // past MaxWait
		0:                {Delay: 400 * time.Second, Concurrency: 2, Burst: 2}, // past the relay's own time
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRouted()
			r.limit(t)
			r.far.Set("/robots.txt", fetchtest.Text(fmt.Sprintf("User-agent: *\nCrawl-delay: %d\nSitemap: /map.xml\n", crawl/time.Second)))
			for _, path := range []string{"/p0", "/p1"} { // each lets the other pass
				r.provider.Set(path, fetchtest.RelayBusy(time.Second), fetchtest.RelayFault{})
				r.far.Set(path, fetchtest.HTML("x").After(30*time.Second))
			}
			cfg := relayConfig(t, &r.direct, &proxy.ScrapingBee{Key: proxy.NewAPIKey("0123456789ABCDEF"), Base: r.provider})
			cfg.Store, cfg.Policy.Relay = r.store, pace
			got := visit(t, newBot(t, cfg), site1+"/", rankerVisit)
			require.True(t, got.report.Relayed)
			require.Equal(t, politefetch.Done, got.report.Outcome, got.report.Why)
			assert.Empty(t, got.errs)
			var last time.Time
			asked := r.provider.Asked()
			for _, x := range asked {
				assert.GreaterOrEqual(t, x.Began.Sub(last), crawl, x.URL.Path)
				last = x.Ended
			}
			each := max(crawl, pace.Delay) + 5*time.Second
			assert.Less(t, last.Sub(asked[0].Began), time.Duration(len(asked))*each+time.Minute, "no turn is kept")
		})
	}
}

// An address that a relay's redirect leads to is asked for by one page alone, also where
// the robots.txt of its host had to be read before.
func TestARelaysLandingIsAskedForOnce(t *testing.T) {
	for _, after := range []time.Duration{0, 50 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			r := newRouted()
			r.limit(t)
			other := "http" + site1[5:]
			r.far.Set("/map.xml", fetchtest.Sitemap(site1+"/moved", other+"/new", site1+"/p1"))
			r.far.Set(site1+"/moved", fetchtest.Redirect(other+"/new").After(after))
			r.far.Set(other+"/robots.txt", fetchtest.Text("User-agent: *\n").After(2*time.Second))
			r.far.Set(other+"/new", fetchtest.HTML("new"))
			got := r.visit(t)
			require.True(t, got.report.Relayed)
			require.Equal(t, politefetch.Done, got.report.Outcome, got.report.Why)
			asked := 0
			for _, x := range r.provider.Log() {
				if x.URL.String() == other+"/new" {
					asked++
				}
			}
			assert.Equal(t, 1, asked, r.asks())
			read := 0
			for _, p := range got.pages {
				if p.Final == other+"/new" {
					read++
				}
			}
			assert.Equal(t, 1, read, "and read once")
		})
	}
}

// TestAWaitIsHeardWhileTheBodyComes: also if the visit ends before the body has.
func TestAWaitIsHeardWhileTheBodyComes(t *testing.T) {
	for _, relayed := range []bool{false, true} {
		t.Run(fmt.Sprintf("relayed %v", relayed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRouted()
				site := &r.direct
				if relayed {
					r.limit(t)
					site = &r.far
				}
				slow := fetchtest.HTML("come later").RetryAfter(5 * time.Hour)
				slow.Status, slow.Drip = 429, 100*time.Millisecond
				site.Set("/p0", busy1h)
				site.Set("/p1", slow, fetchtest.HTML("x"))
				began := time.Now()
				got := r.visit(t)
				require.Equal(t, relayed, got.report.Relayed)
				require.Equal(t, politefetch.Limited, got.report.Outcome, got.report.Why)
				assert.False(t, got.report.Opens.Before(began.Add(5*time.Hour)), "opens %v", got.report.Opens)
				asked, sent := len(r.provider.Log()), len(r.direct.Log())
				time.Sleep(2 * time.Hour)
				r.visit(t)
				assert.Equal(t, asked, len(r.provider.Log()), "nothing is asked for before then") //nolint:testifylint // Len prints the log
				assert.Equal(t, sent, len(r.direct.Log()))                                        //nolint:testifylint // Len prints the log
			})
		})
	}
}

// A wait that is too long ends the visit for the pages beside it too, however little of it is
// left when they are answered.
func TestK06_ALongerWaitEndsThePagesBesideItToo(t *testing.T) {
	for _, relayed := range []bool{false, true} {
		for name, beside := range map[string]fetchtest.Answer{
			"a limit":    fetchtest.Status(429).RetryAfter(time.Second),
			"a redirect": fetchtest.Redirect("/p6"),
		} {
			t.Run(fmt.Sprintf("%s, relayed %v", name, relayed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := newRouted()
					site := &r.direct
					if relayed {
						r.limit(t)
						site = &r.far
					}
					site.Set("/p0", beside.After(5*time.Second), fetchtest.HTML("x"))
					site.Set("/p1", late(fetchtest.Status(429).RetryAfter(31*time.Second)))
					began := time.Now()
					got := r.visit(t)
					assert.Equal(t, politefetch.Limited, got.report.Outcome, got.report.Why)
					assert.Contains(t, got.report.Why, "Retry-After 31")
					assert.False(t, got.report.Opens.Before(began.Add(31*time.Second)))
					assert.Less(t, got.report.Ended.Sub(began), 10*time.Second)
					if name == "a limit" {
						assert.Equal(t, 429, got.pages[site1+"/p0"].Status, "what it was answered stands")
						assert.NoError(t, got.errs[site1+"/p0"])
					}
				})
			})
		}
	}
}
