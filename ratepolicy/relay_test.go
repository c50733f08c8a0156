package ratepolicy_test

import (
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/ratepolicy"
)

// relayed makes one request in a new visit and reports its route.
func relayed(t *testing.T, l *ratepolicy.Limiter, a ratepolicy.Answer) (*ratepolicy.Limiter, bool) {
	t.Helper()
	time.Sleep(time.Hour)
	v := l.Visit()
	lease, err := v.TryAcquire(t.Context(), host, 0)
	require.NoError(t, err)
	_, err = lease.Release(t.Context(), a)
	require.NoError(t, err)
	return v, lease.Relayed()
}

func TestAHostThatGoesOnLimitingIsRelayedAtTheNextVisit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		p := ratepolicy.Policy{RelayAfter: 1, Relay: ratepolicy.Pace{Concurrency: 2, Delay: -1}}
		l := ratepolicy.New(p, nil)
		v, over := relayed(t, l, limit429)
		assert.False(t, over)
		time.Sleep(time.Minute)
		ask(t, v, host, 0, limit429) // the same visit, not in gentle mode yet

		v, over = relayed(t, l, limit429)
		assert.False(t, over, "gentle first")
		time.Sleep(time.Minute)
		lease, err := v.TryAcquire(ctx, host, 0)
		require.NoError(t, err)
		assert.False(t, lease.Relayed(), "the route is fixed for a visit")
		_, err = lease.Release(ctx, ok200)
		require.NoError(t, err)

		v, over = relayed(t, l, ok200)
		assert.True(t, over)
		ask(t, v, host, 0, ok200)
		ask(t, v, host, 0, ok200)
		s, err := v.Status(ctx, host)
		require.NoError(t, err)
		assert.Equal(t, ratepolicy.ModeRelay, s.Mode)
		assert.Equal(t, ratepolicy.Pace{Concurrency: 2, Delay: -1, Burst: 1, MaxWait: 30 * time.Second}, s.Pace)
		ask(t, v, host, 0, after(429, time.Minute))
		assert.Contains(t, refused(t, v, host).Why, "Retry-After 60")
		s, err = v.Status(ctx, host)
		require.NoError(t, err)
		require.Len(t, s.Constraints, 2)
		assert.Equal(t, "gentle since it limited the rate", s.Constraints[0].Why, "once, on the direct route")
		assert.Equal(t, "answered 429, Retry-After 60", s.Constraints[1].Why)

		s, err = l.Status(ctx, host)
		require.NoError(t, err)
		assert.Equal(t, ratepolicy.ModeGentle, s.Mode, "only a view is relayed")
		until := s.GentleUntil
		time.Sleep(time.Hour)
		lease, err = l.TryAcquire(ctx, host, 0)
		require.NoError(t, err)
		assert.False(t, lease.Relayed())
		_, err = lease.Release(ctx, ok200)
		require.NoError(t, err)
		s, err = l.Status(ctx, host)
		require.NoError(t, err)
		assert.Equal(t, until, s.GentleUntil, "what the provider saw renews nothing")

		require.NoError(t, l.Hold(ctx, host, time.Now().Add(2*time.Hour), "both routes"))
		w := refused(t, l.Visit(), host)
		assert.Contains(t, w.Why, "both routes")
		_, err = l.Visit().Acquire(ctx, host, 0)
		assert.Equal(t, w.Until, waitError(t, err).Until)
		time.Sleep(14 * 24 * time.Hour)
		_, over = relayed(t, l, ok200)
		assert.False(t, over)
	})
}

func TestAWallBarsTheRelayUntilAWholeDirectVisitHasEndedWithoutOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		wall := ratepolicy.Answer{Status: 403, Wall: "cloudflare"}
		l := ratepolicy.New(ratepolicy.Policy{RelayAfter: 1, GentleFor: 1000 * time.Hour}, nil)
		relayed(t, l, limit429)
		early, _ := relayed(t, l, limit429) // direct, and not over yet
		time.Sleep(time.Hour)
		ask(t, l, host, 0, wall)
		require.NoError(t, early.End(ctx))

		v, over := relayed(t, l, wall)
		assert.False(t, over, "barred")
		require.NoError(t, v.End(ctx))
		_, over = relayed(t, l, ok200)
		assert.False(t, over, "that visit met one")
		v, over = relayed(t, l, ok200)
		assert.False(t, over, "the last one never ended")
		require.NoError(t, l.End(ctx), "no view: nothing")
		require.NoError(t, v.End(ctx))
		v, over = relayed(t, l, wall)
		assert.True(t, over)
		require.NoError(t, v.End(ctx))
		_, over = relayed(t, l, ok200)
		assert.True(t, over, "a wall on the relay bars nothing here")
	})
}

func TestK09_AWallMetInARunWithoutARelayBarsALaterOneWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, wall := t.Context(), ratepolicy.Answer{Status: 403, Wall: "cloudflare"}
		s := &clockStore{testStore: newTestStore()}
		without := ratepolicy.New(ratepolicy.Policy{}, s)
		with := ratepolicy.New(ratepolicy.Policy{RelayAfter: 1}, s)
		relayed(t, without, limit429)
		relayed(t, without, limit429) // in gentle mode
		relayed(t, without, wall)
		st, err := without.Status(ctx, host)
		require.NoError(t, err)
		assert.NotContains(t, st.String(), "wall", "nothing is barred where nothing is relayed")
		v, over := relayed(t, with, ok200)
		assert.False(t, over, "barred")
		st, err = with.Status(ctx, host)
		require.NoError(t, err)
		assert.Contains(t, st.String(), "bars the relay")
		_, over = relayed(t, with, ok200)
		assert.False(t, over, "no visit has ended yet")
		relayed(t, without, wall)
		require.NoError(t, v.End(ctx), "it began before that wall")
		v, _ = relayed(t, without, ok200)
		_, over = relayed(t, with, ok200)
		assert.False(t, over)
		require.NoError(t, v.End(ctx))
		_, over = relayed(t, with, ok200)
		assert.True(t, over, "a whole direct visit, though without a relay, met none")
	})
}

func TestK09_AVisitThatNobodyAnsweredClearsNoWall(t *testing.T) {
	for name, silent := range map[string]*ratepolicy.Answer{
		"refused a turn": nil, "gave it back": {}, "no answer": {Err: io.ErrUnexpectedEOF},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := ratepolicy.New(ratepolicy.Policy{RelayAfter: 1}, nil)
				relayed(t, l, limit429)
				relayed(t, l, limit429)
				time.Sleep(time.Hour)
				ask(t, l, host, 0, ratepolicy.Answer{Status: 403, Wall: "cloudflare"})
				v := l.Visit()
				time.Sleep(time.Hour)
				if silent == nil {
					require.NoError(t, l.Hold(t.Context(), host, time.Now().Add(time.Second), "a hold"))
					refused(t, v, host)
					time.Sleep(time.Minute)
				} else {
					ask(t, v, host, 0, *silent)
				}
				require.NoError(t, v.End(t.Context()))
				s, err := l.Status(t.Context(), host)
				require.NoError(t, err)
				assert.False(t, s.Walled.IsZero(), "nothing was seen of the host")

				v, over := relayed(t, l, ok200)
				assert.False(t, over)
				require.NoError(t, v.End(t.Context()))
				_, over = relayed(t, l, ok200)
				assert.True(t, over)
			})
		})
	}
}

func TestTransportIsNeverRelayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, sent := ratepolicy.New(ratepolicy.Policy{RelayAfter: 1, Relay: ratepolicy.Pace{Delay: -1}}, nil), []time.Time{}
		relayed(t, l, limit429)
		relayed(t, l, limit429)
		rt := l.Visit().Transport(roundTripper(func(*http.Request) (*http.Response, error) {
			sent = append(sent, time.Now())
			return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
		}))
		time.Sleep(time.Hour)
		for range 2 {
			resp, err := get(t, rt, "http://"+host+"/", nil)
			require.NoError(t, err)
			resp.Body.Close()
		}
		assert.Equal(t, 2*time.Second, sent[1].Sub(sent[0]), "it goes to the host itself, which is gentle")
	})
}

func TestAHostWithoutAWallCostsNoByteMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		size := func(a ratepolicy.Answer) int {
			s := &clockStore{testStore: newTestStore()}
			v := ratepolicy.New(ratepolicy.Policy{}, s).Visit()
			ask(t, v, host, 0, a)
			require.NoError(t, v.End(t.Context()))
			return len(s.recs[host].rec)
		}
		assert.LessOrEqual(t, size(ok200), 19)
		assert.LessOrEqual(t, size(ratepolicy.Answer{Status: 403, Wall: "cloudflare"}), 19+12)
	})
}
