package politefetch_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
	"github.com/politefetch/sdk/proxy"
	"github.com/politefetch/sdk/ratepolicy"
)

const day = 24 * time.Hour

// A moody site limits, fails and puts up bot walls at random, to its own visitors (direct)
// and to the provider's (far).
type moody struct {
	direct, far fetchtest.Site
	provider    *fetchtest.Relay
	store       ratepolicy.Store

	mu  sync.Mutex // guards rng: the sites are asked concurrently
	rng *rand.Rand

	calm          int // how rarely the mood is bad
	limits, walls int // of a thousand answers
}

func newMoody(seed uint64, store ratepolicy.Store) *moody {
	m := &moody{store: store, rng: rand.New(rand.NewPCG(seed, 1)), calm: 1 + int(seed%5)}
	m.direct.Fallback, m.far.Fallback = m.answer, m.answer
	m.provider = m.far.Relay()
	return m
}

func (m *moody) n(n int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rng.IntN(n)
}

// mood changes how the site is today.
func (m *moody) mood() {
	limits, walls := 0, 0
	switch m.n(4 * m.calm) {
	case 0:
		limits = 20 + m.n(300)
	case 1:
		walls = 20 + m.n(100)
	case 2:
		limits, walls = 100, 20
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.limits, m.walls = limits, walls
}

func (m *moody) answer(req *http.Request) fetchtest.Answer {
	m.mu.Lock()
	defer m.mu.Unlock()
	// No two answers take equally long: what comes at the same instant is in no order.
	took := time.Duration(20+m.rng.IntN(400))*time.Millisecond + time.Duration(m.rng.IntN(1e6))
	switch n := m.rng.IntN(1000); {
	case n < m.limits:
		a := fetchtest.Status([]int{429, 429, 503}[m.rng.IntN(3)]).After(took)
		return a.RetryAfter([]time.Duration{time.Second, 7 * time.Second, 30 * time.Second, 45 * time.Second, 60 * time.Second, 3 * time.Hour}[m.rng.IntN(6)])
	case n < m.limits+m.walls:
		return fetchtest.Challenge().After(took)
	case n >= 990:
		return fetchtest.Status(503).After(took)
	case n >= 980:
		return fetchtest.Status(500).After(took)
	}
	switch req.URL.Path {
	case "/robots.txt":
		return fetchtest.Text("User-agent: *\nDisallow: /closed\nSitemap: /map.xml\n").After(took)
	case "/map.xml":
		return fetchtest.Sitemap(site1+"/1", site1+"/2", site1+"/3", site1+"/closed", site1+"/4", site1+"/5", site1+"/6").After(took)
	}
	return fetchtest.HTML("x").After(took)
}

// bot is a new process.
func (m *moody) bot(t *testing.T) *politefetch.Crawler {
	t.Helper()
	cfg := relayConfig(t, &m.direct, &proxy.ScrapingBee{Key: proxy.NewAPIKey("0123456789ABCDEF"), Base: m.provider})
	cfg.Store = m.store
	return newBot(t, cfg)
}

// visit makes a visit that may be cut short at any moment, in a process that ends with it.
func (m *moody) visit(t *testing.T) politefetch.Report {
	t.Helper()
	ctx, cancel := t.Context(), func() {}
	if m.n(4) == 0 {
		ctx, cancel = context.WithTimeout(ctx, time.Duration(m.n(20_000))*time.Millisecond)
	}
	defer cancel()
	v, err := m.bot(t).Visit(site1+"/", &rankerVisit)
	require.NoError(t, err)
	for p, err := range v.Pages(ctx) {
		require.NotNil(t, p, "%v", err)
	}
	return v.Report()
}

// limits reports whether an answer asks for fewer requests.
func limits(x *fetchtest.Exchange) bool {
	s := x.Answer.Status
	return !x.Answered.IsZero() && (s == 429 || s == 503 && x.Answer.Header.Get("Retry-After") != "")
}

func walls(x *fetchtest.Exchange) bool {
	return !x.Answered.IsZero() && x.Answer.Header.Get("Cf-Mitigated") != ""
}

// auditGentle holds every request that came within 14 days after a limit to one at a time,
// 2 s after the answer before it. It knows nothing but the log.
func auditGentle(log []fetchtest.Exchange) error {
	var until time.Time
	for i := range log {
		x := &log[i]
		for j := range log[:i] {
			if y := &log[j]; limits(y) && y.Ended.Before(x.Began) {
				until = laterOf(until, y.Ended.Add(14*day))
			}
		}
		for j := range log[:i] {
			if y := &log[j]; x.Began.Before(until) && x.Began.Sub(y.Ended) < 2*time.Second {
				return fmt.Errorf("%s at %v: only %v after the end of %s, gentle until %v", x.URL, x.Began, x.Began.Sub(y.Ended), y.URL, until)
			}
		}
	}
	return nil
}

// audit holds the logs of both routes against the bot's page.
func (m *moody) audit(t *testing.T) {
	t.Helper()
	promise := rankerPromise
	promise.Product = "" // which robots.txt copies an interrupted process had is not in the log
	require.NoError(t, fetchtest.Audit(m.direct.Log(), promise))
	require.NoError(t, auditGentle(m.direct.Log()))
	for _, x := range m.provider.Log() {
		require.LessOrEqual(t, x.InFlight, 2)
		require.NotEqual(t, "/closed", x.URL.Path)
	}
	for _, x := range m.direct.Log() {
		require.NotEqual(t, "/closed", x.URL.Path)
	}
}

// A route is what the public page says of the way that a site is read, computed from what
// the site's own servers answered.
type route struct {
	gentleUntil time.Time
	hits        int // limits in gentle visits
	walled      bool
}

// at returns how a visit that begins at t goes.
func (r *route) at(t time.Time) (gentle, relayed bool) {
	if !t.Before(r.gentleUntil) {
		return false, false
	}
	relayed = r.hits > 0 && !r.walled
	return !relayed, relayed
}

// after takes in a visit and what the site saw of it.
func (r *route) after(rep *politefetch.Report, log []fetchtest.Exchange) {
	gentle, relayed := r.at(rep.Began)
	met := false
	for i := range log {
		x := &log[i]
		switch {
		case limits(x):
			if !x.Ended.Before(r.gentleUntil) {
				r.hits = 0
			}
			if gentle {
				r.hits++
			}
			r.gentleUntil = x.Ended.Add(14 * day)
		case walls(x):
			met = true
		}
	}
	r.walled = r.walled || met
	if rep.Outcome == politefetch.Done && !relayed && !met {
		r.walled = false
	}
}

// TestTheRouteOverFifteenDays lives through lives of visits by processes that end with
// them, some in the middle, and holds every one against the page's words and the logs
// against its promises.
func TestTheRouteOverFifteenDays(t *testing.T) {
	stores := map[string]func(t *testing.T) ratepolicy.Store{
		"map": func(*testing.T) ratepolicy.Store { return newMapStore() },
		"Dir": func(t *testing.T) ratepolicy.Store { return ratepolicy.Dir(t.TempDir()) }, //nolint:thelper // makes a store
	}
	lives := map[string]uint64{"map": 12, "Dir": 1}
	if os.Getenv("POLITEFETCH_LONG") == "1" {
		lives = map[string]uint64{"map": 300, "Dir": 10}
	}
	ways := make(map[string]int)
	for name, open := range stores {
		for seed := range lives[name] {
			store := open(t)
			synctest.Test(t, func(t *testing.T) {
				m := newMoody(seed, store)
				var want route
				for start := time.Now(); time.Since(start) < 15*day+12*time.Hour; {
					m.mood()
					sent := len(m.direct.Log())
					gentle, relayed := want.at(time.Now())
					rep := m.visit(t)
					if len(m.direct.Log()) == sent && !rep.Relayed {
						relayed = false // nothing was sent on either way: a hold, or it was cut short
					}
					require.Equal(t, relayed, rep.Relayed, "%s seed %d, %v: %s, %+v", name, seed, rep.Began, rep.Why, want)
					require.Equal(t, gentle, rep.Gentle, "%s seed %d, %v: %+v", name, seed, rep.Began, want)
					if rep.Relayed {
						require.Len(t, m.direct.Log(), sent, "one visit, one route")
					}
					want.after(&rep, m.direct.Log()[sent:])
					ways[fmt.Sprintf("gentle %v, relayed %v, walled %v", gentle, rep.Relayed, want.walled)]++
					time.Sleep(time.Duration(m.n(int(16 * time.Hour))))
				}
				m.audit(t)
			})
		}
	}
	t.Logf("%v", ways)
	require.Len(t, ways, 5, "all ways were gone: %v", ways)
}

// TestTwoProcessesShareTheRoute has two processes visit a site over fifteen days, at the
// same time as often as not.
func TestTwoProcessesShareTheRoute(t *testing.T) {
	relayed, both := 0, 0
	for seed := range uint64(12) {
		synctest.Test(t, func(t *testing.T) {
			m := newMoody(seed, newMapStore())
			var mu sync.Mutex
			var reports []politefetch.Report
			var processes sync.WaitGroup
			for range 2 {
				processes.Go(func() {
					for start := time.Now(); time.Since(start) < 15*day; {
						m.mood()
						rep := m.visit(t)
						mu.Lock()
						reports = append(reports, rep)
						mu.Unlock()
						// By the clock, so that the two meet.
						time.Sleep(time.Until(time.Now().Truncate(6 * time.Hour).Add(time.Duration(6+6*m.n(2)) * time.Hour)))
					}
				})
			}
			processes.Wait()
			m.audit(t)
			log := m.direct.Log()
			for i := range log {
				for j := range log[:i] {
					if !log[j].Ended.Before(log[i].Began) {
						both++
					}
				}
			}
			for _, rep := range reports {
				if !rep.Relayed {
					continue
				}
				relayed++
				require.NoError(t, mayRelay(&rep, reports, log), "seed %d", seed)
			}
		})
	}
	require.Greater(t, relayed, 20)
	require.Greater(t, both, 20)
}

// mayRelay says why a visit should not have gone through the provider: there were not two
// limits within 14 days before it, or a wall was met and no whole direct visit has ended
// since without one.
func mayRelay(rep *politefetch.Report, all []politefetch.Report, log []fetchtest.Exchange) error {
	n := 0
	var wall time.Time
	for i := range log {
		switch x := &log[i]; {
		case !x.Ended.Before(rep.Began):
		case limits(x) && rep.Began.Sub(x.Ended) < 28*day: // the second within 14 days of the first, the visit of the second
			n++
		case walls(x):
			wall = laterOf(wall, x.Ended)
		}
	}
	if n < 2 {
		return fmt.Errorf("relayed at %v after %d limits", rep.Began, n)
	}
	whole := slices.ContainsFunc(all, func(r politefetch.Report) bool {
		return r.Outcome == politefetch.Done && !r.Relayed && !r.Began.Before(wall) && !r.Ended.After(rep.Began)
	})
	if !wall.IsZero() && !whole {
		return fmt.Errorf("relayed at %v after a wall at %v", rep.Began, wall)
	}
	return nil
}
