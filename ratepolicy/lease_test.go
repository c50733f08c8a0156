package ratepolicy_test

import (
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
