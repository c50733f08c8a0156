package cli_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/ratepolicy"
)

func TestAClaimIsKeptUntilItIsReleased(t *testing.T) {
	store := ratepolicy.Dir(t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		release, err := cli.Claim(t.Context(), store, "a")
		require.NoError(t, err)
		for range 3 {
			time.Sleep(time.Hour)
			_, err = cli.Claim(t.Context(), store, "a")
			var taken *cli.ClaimedError
			require.ErrorAs(t, err, &taken)
			assert.Equal(t, time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), taken.Since.UTC())
			assert.Contains(t, err.Error(), "since Saturday, ")
		}
		other, err := cli.Claim(t.Context(), store, "b")
		require.NoError(t, err)
		other()
		release()
		release, err = cli.Claim(t.Context(), store, "a")
		require.NoError(t, err)
		release()
	})
}

// A context that ends is a process that dies, as far as the store can see.
func TestAClaimOfADeadProcessRunsOut(t *testing.T) {
	store := ratepolicy.Dir(t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		ctx, die := context.WithCancel(t.Context())
		late, err := cli.Claim(ctx, store, "a")
		require.NoError(t, err)
		time.Sleep(time.Hour + time.Second)
		die()
		time.Sleep(cli.ClaimFor - 21*time.Second)
		_, err = cli.Claim(t.Context(), store, "a")
		require.Error(t, err)
		time.Sleep(21 * time.Second)
		release, err := cli.Claim(t.Context(), store, "a")
		require.NoError(t, err)
		defer release()
		late() // what was another's meanwhile stays so
		_, err = cli.Claim(t.Context(), store, "a")
		require.Error(t, err)
	})
}

func TestAClaimNeedsItsStore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := cli.Claim(ctx, ratepolicy.Dir(""), "a")
	require.Error(t, err)
	var taken *cli.ClaimedError
	assert.NotErrorAs(t, err, &taken)
}
