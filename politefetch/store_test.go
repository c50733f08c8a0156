package politefetch_test

import (
	"context"
	"errors"
	"slices"
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

// outageStore is a store that fails or hangs between two instants.
type outageStore struct {
	*mapStore
	from, to time.Time
	hangs    bool
}

var errOutage = errors.New("connection refused")

func (s *outageStore) Update(ctx context.Context, key string, fn func(time.Time, []byte) ([]byte, time.Time)) error {
	if now := time.Now(); now.Before(s.from) || !now.Before(s.to) {
		return s.mapStore.Update(ctx, key, fn)
	}
	if s.hangs {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	return errOutage
}

func TestG03_AStoreThatFailsOrHangsIsNoFailureOfTheSite(t *testing.T) {
	for _, hangs := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var site fetchtest.Site
			cfg := rankerConfig(&site)
			cfg.Store = &outageStore{newMapStore(), time.Now(), time.Now().Add(time.Hour), hangs}
			bot, start := newBot(t, cfg), time.Now()
			_, err := bot.Fetch(t.Context(), site1+"/", nil)
			require.ErrorIs(t, err, politefetch.ErrStore)
			var e *politefetch.Error
			require.ErrorAs(t, err, &e)
			assert.Empty(t, e.Outcome)
			got := visit(t, bot, site1+"/", rankerVisit)
			assert.Empty(t, got.report.Outcome, "the site's part in it is none")
			assert.Contains(t, got.report.Why, "the store failed")
			assert.Empty(t, site.Log(), "no request")
			assert.Less(t, time.Since(start), 5*time.Second)
		})
	}
}

func TestG03_ABotGoesOnAloneWhileItsStoreFails(t *testing.T) {
	for _, hangs := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			site := fetchtest.Site{Latency: time.Second}
			all := mapped(&site, 6)
			site.Set(all[5], late(fetchtest.Status(429).RetryAfter(20*time.Second)), fetchtest.HTML("x"))
			store := &outageStore{newMapStore(), time.Now().Add(1500 * time.Millisecond), time.Now().Add(time.Hour), hangs}
			cfg := rankerConfig(&site)
			cfg.Store, cfg.Policy.FailLocal = store, 0.25
			var mu sync.Mutex
			var events []politefetch.Event
			cfg.Observe = func(e politefetch.Event) {
				mu.Lock()
				defer mu.Unlock()
				events = append(events, e)
			}
			bot := newBot(t, cfg)
			got := visit(t, bot, site1+"/", rankerVisit)
			assert.Equal(t, politefetch.Done, got.report.Outcome, got.report.Why)
			assert.Equal(t, 7, got.report.Pages)
			assert.True(t, got.report.Limited)
			log := site.Log()
			i := slices.IndexFunc(log, func(x fetchtest.Exchange) bool { return x.Began.After(store.from) })
			require.Positive(t, i)
			for k := i + 1; k < len(log); k++ {
				assert.GreaterOrEqual(t, log[k].Began.Sub(log[k-1].Ended), 8*time.Second, "%d", k)
			}
			told := 0
			for i, e := range events {
				if e.Kind != politefetch.EventSend || !e.At.After(store.from) {
					continue
				}
				for k := i - 1; k >= 0 && events[k].Kind != politefetch.EventSend; k-- {
					if events[k].Kind == politefetch.EventStore && strings.Contains(events[k].Why, "gives itself the turn, for the store failed") {
						told++
					}
				}
				assert.True(t, e.Gentle)
			}
			assert.Equal(t, len(log)-i, told, "every request that it makes alone is told of")
			because := map[bool]string{false: errOutage.Error(), true: "deadline exceeded"}[hangs]
			for _, e := range events {
				if e.Kind == politefetch.EventStore {
					assert.Contains(t, e.Why, because)
				}
			}

			n := len(events)
			p, err := newBot(t, cfg).Fetch(t.Context(), site1+"/", nil) // a process that begins alone
			require.NoError(t, err)
			assert.Equal(t, politefetch.Done, p.Outcome)
			assert.Len(t, slices.DeleteFunc(slices.Clone(events[n:]), func(e politefetch.Event) bool {
				return e.Kind != politefetch.EventStore || !strings.HasPrefix(e.Why, "no copy is shared, for the store failed: ")
			}), 2, "robots.txt is neither had from the store nor kept there")

			time.Sleep(time.Until(store.to))
			n = len(events)
			_, err = bot.Fetch(t.Context(), site1+"/", nil)
			require.NoError(t, err)
			for _, e := range events[n:] {
				assert.NotEqual(t, politefetch.EventStore, e.Kind, e.Why)
			}
			cfg.Policy.FailLocal = 0
			got = visit(t, newBot(t, cfg), site1+"/", rankerVisit) // another process
			assert.True(t, got.report.Gentle, "what was met alone is remembered for all")
			require.NoError(t, fetchtest.Audit(site.Log(), rankerPromise))
		})
	}
}

// An answer that comes as the store begins to fail is not lost, and not kept quiet.
func TestG03_AnAnswerThatTheStoreDidNotHearIsToldOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Site{Latency: time.Second}
		site.Set("/", fetchtest.Status(429).RetryAfter(time.Minute))
		store := &outageStore{newMapStore(), time.Now().Add(2500 * time.Millisecond), time.Now().Add(5 * time.Second), false}
		cfg := rankerConfig(&site)
		cfg.Store, cfg.Policy.FailLocal = store, 1
		var told []string
		cfg.Observe = func(e politefetch.Event) {
			if e.Kind == politefetch.EventStore {
				told = append(told, e.Why)
			}
		}
		bot := newBot(t, cfg)
		time.Sleep(time.Second) // robots.txt then takes until 2 s, and the page beyond 2.5 s
		p, err := bot.Fetch(t.Context(), site1+"/", nil)
		require.NoError(t, err)
		assert.Equal(t, politefetch.Limited, p.Outcome)
		assert.Equal(t, []string{"what came of the request is told the store later, for the store failed: " + errOutage.Error()}, told)
		time.Sleep(5 * time.Second)
		_, err = bot.Fetch(t.Context(), site1+"/other", &politefetch.FetchOptions{MaxWait: -1}) // which has it tell the store
		require.Error(t, err)
		st, err := ratepolicy.New(ratepolicy.Policy{}, store).Status(t.Context(), "kauppa.example")
		require.NoError(t, err)
		assert.Contains(t, st.String(), "Retry-After 60")
		assert.Equal(t, ratepolicy.ModeGentle, st.Mode)
	})
}

// A visit whose end is not in the store has not ended as far as the next one knows.
func TestAVisitWhoseEndTheStoreDoesNotTakeIsNotFinished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/", links("/last"))
		site.Set("/last", fetchtest.HTML("x"))
		store := &outageStore{mapStore: newMapStore()}
		cfg := rankerConfig(&site)
		cfg.Store = store
		v, err := newBot(t, cfg).Visit(site1+"/", &politefetch.VisitOptions{HomeFirst: true})
		require.NoError(t, err)
		for p, err := range v.Pages(t.Context()) {
			require.NoError(t, err)
			if p.URL == site1+"/last" {
				store.from, store.to = time.Now(), time.Now().Add(time.Hour)
			}
		}
		got := v.Report()
		assert.Empty(t, got.Outcome, "not finished")
		assert.Contains(t, got.Why, "the store failed")
		assert.Contains(t, got.Why, errOutage.Error())
	})
}
