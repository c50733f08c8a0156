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

func TestALeaseSaysThatItIsGentle(t *testing.T) {
	for _, tt := range []struct {
		name  string
		visit bool // the limit is met in the visit that goes on
	}{{"the host's memory", false}, {"the rest of a visit", true}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				lim := ratepolicy.New(ratepolicy.Policy{}, nil)
				if tt.visit {
					lim = lim.Visit()
				}
				for i, status := range []int{http.StatusOK, http.StatusTooManyRequests, http.StatusOK} {
					lease, err := lim.Acquire(t.Context(), "a.example", 5*time.Second)
					require.NoError(t, err)
					assert.Equal(t, i == 2, lease.Gentle(), "request %d; a Crawl-delay is not gentleness", i)
					_, err = lease.Release(t.Context(), ratepolicy.Answer{Status: status})
					require.NoError(t, err)
				}
			})
		})
	}
}

func TestALimitedVisitIsGentleThoughItsDelayIsAsLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := ratepolicy.New(ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: 3 * time.Second, Burst: 2, Concurrency: 2}}, nil).Visit()
		ask(t, v, host, 0, after(429, time.Second))
		time.Sleep(3 * time.Second)
		lease, err := v.TryAcquire(t.Context(), host, 0)
		require.NoError(t, err)
		assert.True(t, lease.Gentle(), "one at a time, without a burst")
	})
}

func TestABodyThatBrokeOffLeavesWhatTheHeadShowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{}, nil)
		lease, err := l.TryAcquire(t.Context(), host, 0)
		require.NoError(t, err)
		require.NoError(t, lease.Answered(t.Context(), ratepolicy.Answer{Status: http.StatusTooManyRequests, Wall: "cloudflare"}))
		_, err = lease.Release(t.Context(), ratepolicy.Answer{Err: io.ErrUnexpectedEOF})
		require.NoError(t, err)
		s, err := l.Status(t.Context(), host)
		require.NoError(t, err)
		assert.Equal(t, time.Now(), s.Walled)
		assert.Equal(t, ratepolicy.ModeNormal, s.Mode, "a walled answer is no rate limit")
	})
}
