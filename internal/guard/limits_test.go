package guard_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/internal/guard"
)

func TestDialerTriesAFewAddresses(t *testing.T) {
	w := &world{fail: func(netip.AddrPort) error { return errors.New("refused") }}
	var all []string
	for i := range 40 {
		all = append(all, fmt.Sprintf("93.184.216.%d", i+1))
	}
	w.answers = []map[string][]string{{"many.test": all}}
	_, err := w.dialer(guard.Options{}).DialContext(t.Context(), "tcp", "many.test:443")
	require.Error(t, err)
	assert.Len(t, w.dialled, 6)

	w = &world{answers: []map[string][]string{{"many.test": append(all, "10.0.0.1")}}}
	_, err = w.dialer(guard.Options{}).DialContext(t.Context(), "tcp", "many.test:443")
	require.ErrorIs(t, err, guard.ErrRefused, "though all of them are judged")
	assert.Empty(t, w.dialled)
}

func TestAnAddressThatHangsLeavesTimeForTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := guard.NewDialer(guard.Options{})
		var at []time.Duration
		began := time.Now()
		d.SetSeams(func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("93.184.216.1"), netip.MustParseAddr("93.184.216.2"), netip.MustParseAddr("93.184.216.3")}, nil
		}, func(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
			at = append(at, time.Since(began))
			<-ctx.Done()
			return nil, ctx.Err()
		})
		_, err := d.DialContext(t.Context(), "tcp", "slow.test:443")
		require.Error(t, err)
		assert.Equal(t, []time.Duration{0, 3 * time.Second, 6 * time.Second}, at)
		assert.Equal(t, 10*time.Second, time.Since(began), "the last has the rest")
	})
}
