package ratepolicy_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/ratepolicy"
)

func TestGentleIsNeverFasterThanNormal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := ratepolicy.New(ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: 10 * time.Second}}, nil)
		var last time.Time
		for i, a := range []ratepolicy.Answer{{Status: 200}, {Status: 429, Wait: time.Second}, {Status: 200}, {Status: 200}} {
			lease, err := l.Acquire(t.Context(), "h", 0)
			require.NoError(t, err)
			if i > 0 {
				require.GreaterOrEqual(t, time.Since(last), 10*time.Second)
			}
			_, err = lease.Release(t.Context(), a)
			require.NoError(t, err)
			last = time.Now()
		}
	})
}
