package wire_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/internal/wire"
)

// drip gives some bytes at a time, a pause before each, and ends with its context.
type drip struct {
	ctx   context.Context //nolint:containedctx // a request's
	each  string
	pause time.Duration
	times int // -1: for ever
}

func (d *drip) Read(p []byte) (int, error) {
	if d.times == 0 {
		return 0, io.EOF
	}
	d.times--
	select {
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	case <-time.After(d.pause):
		return copy(p, d.each), nil
	}
}

func TestABodyMustComeAtAMinimumRate(t *testing.T) {
	const kib = 1 << 10
	for _, tt := range []struct {
		name  string
		each  int
		pause time.Duration
		times int
		think time.Duration // of the reader, after each read
		slow  bool
		took  time.Duration
		bytes int
	}{
		{"a byte each 100 ms", 1, 100 * time.Millisecond, -1, 0, true, 5 * time.Second, 49},
		{"nothing", 0, time.Hour, -1, 0, true, 5 * time.Second, 0},
		{"just enough", 2 * kib, 1400 * time.Millisecond, 20, 0, false, 28 * time.Second, 40 * kib},
		{"just too little", kib, time.Second + 50*time.Millisecond, -1, 0, true, 5 * time.Second, 4 * kib},
		{"a quick start, then nothing", 8 * kib, time.Millisecond, 1, 0, false, time.Millisecond, 8 * kib},
		{"a slow start, then fast", 1000 * kib, 4 * time.Second, 3, 0, false, 12 * time.Second, 3000 * kib},
		{"a slow end", 1, 900 * time.Millisecond, 5, 0, false, 4500 * time.Millisecond, 5},
		{"a slow reader", kib, 10 * time.Millisecond, 10, 10 * time.Second, false, 110*time.Second + 100*time.Millisecond, 10 * kib},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				b := wire.NewBody(&http.Response{Header: http.Header{}, Body: io.NopCloser(&drip{ctx, strings.Repeat("x", tt.each), tt.pause, tt.times})}, 10<<20)
				b.Hurry(cancel)
				began := time.Now()
				got, buf := 0, make([]byte, 1<<20)
				var err error
				for err == nil {
					var n int
					n, err = b.Read(buf)
					got += n
					time.Sleep(tt.think)
				}
				require.NoError(t, b.Close())
				assert.Equal(t, tt.took, time.Since(began))
				assert.InDelta(t, tt.bytes, got, 1)
				if !tt.slow {
					require.Equal(t, io.EOF, err)
					assert.NoError(t, ctx.Err())
					return
				}
				require.ErrorIs(t, err, wire.ErrTimeout)
				require.ErrorContains(t, err, "1 KiB a second")
				require.ErrorIs(t, context.Cause(ctx), wire.ErrTimeout)
			})
		})
	}
}
