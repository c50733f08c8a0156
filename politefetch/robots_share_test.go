package politefetch_test

import (
	"context"
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

// sideBySide has each of the processes check an address of its own at the same moment.
func sideBySide(t *testing.T, processes []*politefetch.Crawler, addrs ...string) {
	t.Helper()
	var wg sync.WaitGroup
	for i, bot := range processes {
		wg.Go(func() {
			p, err := check(t, bot, addrs[i])
			assert.Equal(t, politefetch.Done, p.Outcome, "%v", err)
		})
	}
	wg.Wait()
}

func TestR02_ProcessesOnOneStoreAskForRobotsOnceADay(t *testing.T) {
	burst := ratepolicy.Pace{Concurrency: 3, Burst: 3}
	for name, tt := range map[string]struct {
		store ratepolicy.Store
		pace  ratepolicy.Pace
	}{
		"all at once":   {newMapStore(), burst},
		"one at a time": {newMapStore(), ratepolicy.Pace{Delay: -1}},
		"files":         {ratepolicy.Dir(t.TempDir()), burst},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := fetchtest.Site{Latency: 3 * time.Second}
				site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow:\n"))
				addrs := []string{site1 + "/a", site1 + "/b", site1 + "/c"}
				for _, a := range addrs {
					site.Set(a, fetchtest.HTML("x"))
				}
				var processes []*politefetch.Crawler
				for range addrs {
					cfg := watcherConfig(&site)
					cfg.Store, cfg.Policy.Normal = tt.store, tt.pace
					processes = append(processes, newBot(t, cfg))
				}
				sideBySide(t, processes, addrs...)
				assert.Equal(t, 1, site.Count("/robots.txt"), "those that start together")
				time.Sleep(25 * time.Hour)
				sideBySide(t, processes, addrs...)
				assert.Equal(t, 2, site.Count("/robots.txt"), "and those that have been there for a day")
				time.Sleep(25 * time.Hour)
				for i, bot := range processes {
					checked(t, bot, addrs[i])
				}
				assert.Equal(t, 3, site.Count("/robots.txt"), "one after the other")
				assert.Len(t, site.Log(), 3+9)
			})
		})
	}
}

// liveStore is a store that does nothing for a context that has ended.
type liveStore struct{ *mapStore }

func (s liveStore) Update(ctx context.Context, key string, fn func(time.Time, []byte) ([]byte, time.Time)) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return s.mapStore.Update(ctx, key, fn)
}

// Whose robots.txt cannot be had, or who stops to ask, leaves it to the others at once; who
// dies, when its claim has run out.
func TestR02_AProcessThatHasNoRobotsLeavesItToTheOthers(t *testing.T) {
	for name, tt := range map[string]struct {
		first func(*politefetch.Config) // of the process that asks first
		stops time.Duration             // when its caller gives up
		want  time.Duration             // when the other asks, at most
	}{
		"a bad answer": {func(*politefetch.Config) {}, time.Hour, 5 * time.Second},
		"a stop":       {func(cfg *politefetch.Config) { cfg.Store = liveStore{cfg.Store.(*mapStore)} }, time.Second, 3 * time.Second},
		"a death": {func(cfg *politefetch.Config) {
			cfg.Store = &outageStore{cfg.Store.(*mapStore), time.Now().Add(time.Second), time.Now().Add(time.Hour), false}
		}, time.Hour, time.Minute + 2*time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := fetchtest.Site{Latency: 3 * time.Second}
				site.Set("/robots.txt", fetchtest.Status(500), fetchtest.Text(""))
				begin, store := time.Now(), newMapStore()
				cfg := watcherConfig(&site)
				cfg.Store = store
				other := newBot(t, cfg)
				tt.first(&cfg)
				bot := newBot(t, cfg)
				ctx, cancel := context.WithTimeout(t.Context(), tt.stops)
				defer cancel()
				var wg sync.WaitGroup
				wg.Go(func() { _, _ = bot.Robots(ctx, site1+"/") })
				synctest.Wait()
				group, err := other.Robots(t.Context(), site1+"/")
				wg.Wait()
				require.NoError(t, err)
				assert.True(t, group.TestPath("/").Allowed)
				log := site.Log()
				require.Len(t, log, 2)
				if tt.stops == time.Hour {
					assert.False(t, log[1].Began.Before(log[0].Ended), "not side by side")
				}
				assert.LessOrEqual(t, log[1].Began.Sub(begin), tt.want)
				if tt.want > time.Minute {
					assert.GreaterOrEqual(t, log[1].Began.Sub(begin), time.Minute, "as long as the turn of the dead")
				}
			})
		})
	}
}

// claimless is a store that fails when a claim on a robots.txt is asked of it.
type claimless struct{ *mapStore }

func (s claimless) Update(ctx context.Context, key string, fn func(time.Time, []byte) ([]byte, time.Time)) error {
	if strings.HasPrefix(key, "asking for ") {
		return errOutage
	}
	return s.mapStore.Update(ctx, key, fn)
}

func TestG03_AStoreThatFailsAtAClaimAloneIsToldOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/robots.txt", fetchtest.Text(""))
		cfg := watcherConfig(&site)
		cfg.Store = claimless{newMapStore()}
		p, err := check(t, newBot(t, cfg), site1+"/a")
		require.ErrorIs(t, err, politefetch.ErrStore)
		assert.Empty(t, p.Outcome)
		assert.Empty(t, site.Log(), "it fails closed")
		var told []string
		cfg.Policy.FailLocal = 0.5
		cfg.Observe = func(e politefetch.Event) {
			if e.Kind == politefetch.EventStore {
				told = append(told, e.URL+" "+e.Why)
			}
		}
		checked(t, newBot(t, cfg), site1+"/a")
		assert.Equal(t, []string{site1 + "/robots.txt other processes may ask too, for the store failed: connection refused"}, told)
	})
}

// Whoever finds nobody's claim takes it, and keeps it over the file's redirects.
func TestR02_AClaimIsTakenOverDamageAndKeptOverRedirects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set(site1+"/robots.txt", fetchtest.Redirect("/rules.txt"))
		site.Set(site1+"/rules.txt", fetchtest.Redirect("https://cdn.example/rules.txt"))
		site.Set("https://cdn.example/rules.txt", fetchtest.Text("User-agent: *\nDisallow: /no\n"))
		cfg, store := watcherConfig(&site), newMapStore()
		store.recs["asking for robots.txt of "+site1] = storedRecord{[]byte{0}, time.Now().Add(time.Hour)} // as of a damaged file
		cfg.Store = store
		begin := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		group, err := newBot(t, cfg).Robots(ctx, site1+"/")
		require.NoError(t, err)
		assert.False(t, group.TestPath("/no").Allowed)
		assert.Len(t, site.Log(), 3)
		assert.Zero(t, time.Since(begin))
	})
}

// Whoever was so slow that another has the claim by now leaves it to that one.
func TestR02_AClaimThatHasRunOutIsNotGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Site{Latency: 10 * time.Second}
		site.Set("/robots.txt", fetchtest.Text(""))
		cfg, store := watcherConfig(&site), newMapStore()
		cfg.Store = store
		key, anothers := "asking for robots.txt of "+site1, storedRecord{[]byte("another's"), time.Now().Add(time.Hour)}
		time.AfterFunc(5*time.Second, func() {
			store.mu.Lock()
			defer store.mu.Unlock()
			assert.NotEmpty(t, store.recs[key].rec, "the first one's")
			store.recs[key] = anothers
		})
		_, err := newBot(t, cfg).Robots(t.Context(), site1+"/")
		require.NoError(t, err)
		assert.Equal(t, anothers, store.recs[key])
	})
}

func TestR02_WhoDoesNotWaitIsToldThatRobotsIsBeingAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Site{Latency: 10 * time.Second}
		site.Set("/robots.txt", fetchtest.Text(""))
		begin, store := time.Now(), newMapStore()
		cfg := watcherConfig(&site)
		cfg.Store = store
		bot, other := newBot(t, cfg), newBot(t, cfg)
		var wg sync.WaitGroup
		wg.Go(func() { checked(t, bot, site1+"/a") })
		synctest.Wait()
		for _, most := range []time.Duration{-1, 3 * time.Second} {
			opts := monitoring
			opts.MaxWait = most
			asked := time.Now()
			p, err := other.Fetch(t.Context(), site1+"/b", &opts)
			var w *ratepolicy.WaitError
			require.ErrorAs(t, err, &w)
			assert.Contains(t, w.Why, "robots.txt is being asked for")
			assert.False(t, w.Held)
			assert.Empty(t, p.Outcome)
			assert.True(t, w.Until.After(time.Now()))
			assert.LessOrEqual(t, time.Since(asked), max(most, 0))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		asked := time.Now()
		_, err := other.Robots(ctx, site1+"/")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 300*time.Millisecond, time.Since(asked), "whose context ends comes back at once")
		time.Sleep(time.Until(begin.Add(11 * time.Second)))
		checked(t, other, site1+"/b")
		wg.Wait()
		assert.Equal(t, 1, site.Count("/robots.txt"))
	})
}

// Visits that begin together each ask, be they of one process or of two.
func TestK04_EveryVisitAsksForItself(t *testing.T) {
	for name, apart := range map[string]bool{"two processes": true, "one process": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := fetchtest.Site{Latency: 100 * time.Millisecond}
				cfg := rankerConfig(&site)
				cfg.Store = newMapStore()
				bots := []*politefetch.Crawler{newBot(t, cfg), newBot(t, cfg)}
				if !apart {
					bots[1] = bots[0]
				}
				var wg sync.WaitGroup
				for _, bot := range bots {
					wg.Go(func() {
						got := visit(t, bot, site1+"/", rankerVisit)
						assert.NotEmpty(t, got.report.Why)
					})
				}
				wg.Wait()
				var asks []fetchtest.Exchange
				for _, x := range site.Log() {
					if x.URL.Path == "/robots.txt" {
						asks = append(asks, x)
					}
				}
				require.Len(t, asks, 2)
				assert.LessOrEqual(t, asks[1].Began.Sub(asks[0].Began), site.Latency, "they do not wait for each other's copy")
			})
		})
	}
}

// A visit goes by no copy that was had before it began, whoever has it.
func TestK04_AVisitRevalidatesWhatAnotherProcessHas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/robots.txt", fetchtest.Text("").With("Etag", `"1"`), fetchtest.Status(304))
		cfg := watcherConfig(&site)
		cfg.Store = newMapStore()
		checked(t, newBot(t, cfg), site1+"/a")
		bot := newBot(t, cfg)
		for n := range 2 {
			time.Sleep(time.Minute)
			got := visit(t, bot, site1+"/", politefetch.VisitOptions{})
			assert.Equal(t, politefetch.Done, got.report.Outcome, got.report.Why)
			assert.Equal(t, 2+n, site.Count("/robots.txt"))
		}
		for _, x := range site.Log() {
			if x.URL.Path == "/robots.txt" && x.Answer.Status == 304 {
				assert.Equal(t, `"1"`, x.Header.Get("If-None-Match"))
			}
		}
	})
}
