package ratepolicy_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/ratepolicy"
)

func TestStatusSaysAllThatIsInForce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		l := ratepolicy.New(ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: 300 * ms, Concurrency: 2, Burst: 2}}, nil)
		status := func() string {
			s, err := l.Status(ctx, plainHost)
			require.NoError(t, err)
			return strings.TrimPrefix(s.String(), plainHost+": ")
		}
		assert.Equal(t, "normal; own pace 300ms", status())
		one, err := l.TryAcquire(ctx, plainHost, 0)
		require.NoError(t, err)
		two, err := l.TryAcquire(ctx, plainHost, 0)
		require.NoError(t, err)
		assert.Equal(t, "normal; 2 of 2 requests in flight; own pace 300ms", status())
		_, err = one.Release(ctx, after(403, 2*time.Minute))
		require.NoError(t, err)
		_, err = two.Release(ctx, limit429)
		require.NoError(t, err)
		require.NoError(t, l.Hold(ctx, plainHost, time.Now().Add(time.Hour), "asked by mail\n\x1b"+strings.Repeat("x", 400)))
		s, err := l.Status(ctx, plainHost)
		require.NoError(t, err)
		require.Len(t, s.Constraints, 5)
		assert.Equal(t, "gentle since it limited the rate (until 2000-01-15T00:00:00Z)", s.Constraints[0].String())
		assert.Regexp(t, `^held: asked by mail\\n\\x1bx+ \(until 2000-01-01T01:00:00Z\)$`, s.Constraints[1].String())
		assert.LessOrEqual(t, len(s.Constraints[1].Why), 306)
		assert.Equal(t, "answered 403, Retry-After 120 (until 2000-01-01T00:02:00Z)", s.Constraints[2].String())
		assert.Equal(t, "answered 429 without a wait, own backoff (until 2000-01-01T00:00:05Z)", s.Constraints[3].String())
		assert.Equal(t, "gentle pace 2s (until 2000-01-01T00:00:02Z)", s.Constraints[4].String())
		assert.Equal(t, time.Now().Add(time.Hour), s.Opens)
		assert.LessOrEqual(t, len(refused(t, l, plainHost).Why), 300)
		b, err := json.Marshal(s)
		require.NoError(t, err)
		assert.Contains(t, string(b), `"Mode":"gentle"`)
	})
}

func TestAModeIsText(t *testing.T) {
	for m := ratepolicy.ModeNormal; m <= ratepolicy.ModeRelay; m++ {
		b, err := json.Marshal(m)
		require.NoError(t, err)
		got := ratepolicy.Mode(9)
		require.NoError(t, json.Unmarshal(b, &got))
		assert.Equal(t, m, got)
	}
	var m ratepolicy.Mode
	require.EqualError(t, m.UnmarshalText([]byte("Gentle")), `ratepolicy: "Gentle" is no Mode`)
}

func TestStatusNamesTheCrawlDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		l := ratepolicy.New(ratepolicy.Policy{}, nil)
		lease, err := l.TryAcquire(ctx, host, 5*time.Second)
		require.NoError(t, err)
		_, err = lease.Release(ctx, ok200)
		require.NoError(t, err)
		s, err := l.Status(ctx, host)
		require.NoError(t, err)
		assert.Equal(t, "a.example: normal; robots.txt Crawl-delay 5s (until 2000-01-01T00:00:05Z)", s.String())
		assert.Equal(t, ratepolicy.Pace{Concurrency: 1, Delay: 5 * time.Second, Burst: 1, MaxWait: 30 * time.Second}, s.Pace)
		_, err = l.TryAcquire(ctx, host, time.Minute)
		assert.Equal(t, "robots.txt Crawl-delay 1m0s (until 2000-01-01T00:01:00Z)", waitError(t, err).Why)
	})
}

func TestStatusConsumesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{RelayAfter: 1}, nil)
		v := l.Visit()
		for range 3 {
			s, err := v.Status(t.Context(), host)
			require.NoError(t, err)
			assert.Equal(t, time.Now(), s.Opens)
			assert.Empty(t, s.InFlight)
		}
		ask(t, l, host, 0, limit429)
		s, err := v.Status(t.Context(), host)
		require.NoError(t, err)
		assert.Equal(t, ratepolicy.ModeGentle, s.Mode, "a question fixes no pace")
	})
}

func TestReasonsAreShortAndEscaped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{}, nil)
		key := strings.Repeat("k", 1000)
		ask(t, l, key, 0, ratepolicy.Answer{Status: 429, Wait: 90 * time.Minute, From: strings.Repeat("\x00é", 500)})
		w := refused(t, l, key)
		assert.LessOrEqual(t, len(w.Why), 300)
		assert.LessOrEqual(t, len(w.Error()), 700)
		assert.NotContains(t, w.Error(), "\x00")
		ask(t, l, host, 0, ratepolicy.Answer{Status: 403, Wait: 1500 * ms})
		assert.Equal(t, "answered 403, a wait of 1.5s (until 2000-01-01T00:00:02Z)", refused(t, l, host).Why)
	})
}

// What is told to bind is what the instant comes from.
func TestAWaitErrorSaysWhatItsInstantComesFrom(t *testing.T) {
	for _, tt := range []struct {
		name        string
		hold, crawl time.Duration
		held        bool
		why         string
		until       time.Duration
	}{
		{"the hold is longer", 9 * time.Second, 4 * time.Second, true, "answered 503, Retry-After 9", 9 * time.Second},
		{"the pace is", 9 * time.Second, 14 * time.Second, false, "robots.txt Crawl-delay 14s", 14 * time.Second},
		{"both end at once", 9 * time.Second, 9 * time.Second, true, "answered 503, Retry-After 9", 9 * time.Second},
		{"the hold alone is past MaxWait", 45 * time.Second, 20 * time.Second, true, "answered 503, Retry-After 45", 45 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, start := ratepolicy.New(ratepolicy.Policy{GentleFor: -1}, nil), time.Now()
				ask(t, l, host, 0, after(503, tt.hold))
				_, err := l.TryAcquire(t.Context(), host, tt.crawl)
				w := waitError(t, err)
				assert.Equal(t, tt.until, w.Until.Sub(start))
				assert.Contains(t, w.Why, tt.why)
				assert.Contains(t, w.Why, "(until "+w.Until.UTC().Format(time.RFC3339)+")")
				assert.Equal(t, tt.held, w.Held)
			})
		})
	}
}

func TestWhoHasNoTimeForAHoldIsToldOfIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, start := ratepolicy.New(ratepolicy.Policy{GentleFor: -1}, nil), time.Now()
		ask(t, l, host, 0, after(503, 20*time.Second))
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_, err := l.Acquire(ctx, host, 0)
		w := waitError(t, err)
		assert.Equal(t, start, time.Now())
		assert.Equal(t, start.Add(20*time.Second), w.Until)
		assert.Contains(t, w.Why, "Retry-After 20")
		assert.True(t, w.Held)
	})
}

func TestWhoWontSitOutAHoldIsToldOfIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, start := ratepolicy.New(ratepolicy.Policy{GentleFor: -1}, nil), time.Now()
		ask(t, l, host, 0, after(503, 45*time.Second))
		_, err := l.Acquire(t.Context(), host, time.Minute)
		w := waitError(t, err)
		assert.Equal(t, start.Add(time.Minute), w.Until, "when it may come back")
		assert.Contains(t, w.Why, "Retry-After 45", "and what it would not wait for")
		assert.True(t, w.Held)
	})
}

func TestStatusOfARelayedVisitSaysWhatIsKnownOfTheDirectRoute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		l := ratepolicy.New(ratepolicy.Policy{RelayAfter: 1}, nil)
		relayed(t, l, limit429)
		relayed(t, l, limit429)
		v, over := relayed(t, l, ok200)
		require.True(t, over)
		ask(t, l, host, 0, ratepolicy.Answer{Status: 403, Wall: "cloudflare"})
		s, err := v.Status(ctx, host)
		require.NoError(t, err)
		assert.Equal(t, ratepolicy.ModeRelay, s.Mode)
		assert.Equal(t, time.Now(), s.Walled)
		require.NoError(t, l.Forget(ctx, host))
		s, err = v.Status(ctx, host)
		require.NoError(t, err)
		assert.Equal(t, ratepolicy.ModeRelay, s.Mode)
		assert.True(t, s.GentleUntil.IsZero(), "not gentle any more, and %s", s.GentleUntil)
		assert.True(t, s.Walled.IsZero())
	})
}
