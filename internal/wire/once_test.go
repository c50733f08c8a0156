package wire_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"

	"github.com/politefetch/sdk/internal/wire"
)

// One call is one request at the server, however it says no.
func TestOneCallIsOneRequestOnHTTP2(t *testing.T) {
	ok := fields(":status", "200")
	for _, tt := range []struct {
		name  string
		calls int
		want  error // ErrResend is right too, where a connection is closed under the next call
		f     func(fr *http2.Framer, id uint32) bool
	}{
		{"answers", 20, nil, func(fr *http2.Framer, id uint32) bool {
			return fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: ok, EndHeaders: true, EndStream: true}) == nil
		}},
		{"GOAWAY", 20, wire.ErrResend, func(fr *http2.Framer, _ uint32) bool {
			return fr.WriteGoAway(0, http2.ErrCodeNo, nil) == nil
		}},
		{"PROTOCOL_ERROR", 20, wire.ErrResend, func(fr *http2.Framer, id uint32) bool {
			return fr.WriteRSTStream(id, http2.ErrCodeProtocol) == nil
		}},
		{"REFUSED_STREAM", 20, wire.ErrResend, func(fr *http2.Framer, id uint32) bool {
			return fr.WriteRSTStream(id, http2.ErrCodeRefusedStream) == nil
		}},
		{"INTERNAL_ERROR", 20, wire.ErrProtocol, func(fr *http2.Framer, id uint32) bool {
			return fr.WriteRSTStream(id, http2.ErrCodeInternal) == nil
		}},
		{"ENHANCE_YOUR_CALM", 20, wire.ErrCalm, func(fr *http2.Framer, id uint32) bool {
			return fr.WriteRSTStream(id, http2.ErrCodeEnhanceYourCalm) == nil
		}},
		{"close", 20, wire.ErrCut, func(*http2.Framer, uint32) bool { return false }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve2(t, tt.f)
			tr := transport(t, s)
			for range tt.calls {
				r := fetch(t.Context(), tr, s.url, 1000)
				if !errors.Is(r.err, wire.ErrResend) {
					require.ErrorIs(t, r.err, tt.want)
				}
				require.NotErrorIs(t, r.err, context.Canceled)
			}
			time.Sleep(20 * time.Millisecond) // for a request that should not come
			assert.LessOrEqual(t, s.requests.Load(), int64(tt.calls), "requests at the server")
			assert.Greater(t, s.requests.Load(), int64(tt.calls/2))
			assert.LessOrEqual(t, s.conns.Load(), int64(tt.calls), "connections at the server")
			t.Logf("requests/calls = %d/%d", s.requests.Load(), tt.calls)
		})
	}
}

// Whether net/http reads the GOAWAY before or after it finds the connection closed is up to
// the scheduler.
func TestGoodbyeForTooManyRequests(t *testing.T) {
	s := serve2(t, func(fr *http2.Framer, id uint32) bool {
		_ = fr.WriteGoAway(id, http2.ErrCodeEnhanceYourCalm, []byte("too_many"))
		return false
	})
	tr := transport(t, s)
	for range 20 {
		err := fetch(t.Context(), tr, s.url, 1000).err
		require.Error(t, err)
		assert.True(t, errors.Is(err, wire.ErrCalm) || errors.Is(err, wire.ErrResend), "%v", err)
	}
	assert.LessOrEqual(t, s.requests.Load(), int64(20), "requests at the server")
}

// A keep-alive server that takes the second request of a connection and hangs up.
func TestOneCallIsOneRequestOnHTTP1(t *testing.T) {
	const calls = 200
	s := serve1(t, func(w io.Writer, n int) bool {
		return n == 1 && write(w, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	})
	tr := transport(t, s)
	resent := 0
	for range calls {
		r := fetch(t.Context(), tr, s.url, 1000)
		if r.err != nil {
			require.ErrorIs(t, r.err, wire.ErrResend)
			resent++
			continue
		}
		assert.Equal(t, "ok", string(r.body))
	}
	assert.EqualValues(t, calls, s.requests.Load(), "requests at the server")
	assert.Positive(t, resent)
	t.Logf("requests/calls = %d/%d, %d of them ErrResend", s.requests.Load(), calls, resent)
}

// Two stale connections in the pool: net/http would take the other one.
func TestOneCallIsOneRequestWithSeveralStaleConnections(t *testing.T) {
	const rounds = 50
	gate := make(chan struct{})
	s := serve1(t, func(w io.Writer, n int) bool {
		if n > 1 {
			return false
		}
		select { // both answers at once, so that there are two connections
		case gate <- struct{}{}:
		case <-gate:
		case <-time.After(time.Second):
		}
		return write(w, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	})
	tr := transport(t, s)
	calls := 0
	for range rounds {
		var wg sync.WaitGroup
		for range 2 {
			calls++
			wg.Go(func() { assert.NoError(t, fetch(t.Context(), tr, s.url, 1000).err) })
		}
		wg.Wait()
		calls++
		require.ErrorIs(t, fetch(t.Context(), tr, s.url, 1000).err, wire.ErrResend)
		tr.CloseIdleConnections()
	}
	assert.EqualValues(t, calls, s.requests.Load(), "requests at the server")
}

// After ErrResend the caller's own second call is served.
func TestStaleConnectionCanBeTriedAgain(t *testing.T) {
	s := serve1(t, func(w io.Writer, n int) bool {
		return n == 1 && write(w, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	})
	tr := transport(t, s)
	require.NoError(t, fetch(t.Context(), tr, s.url, 1000).err)
	require.ErrorIs(t, fetch(t.Context(), tr, s.url, 1000).err, wire.ErrResend)
	require.NoError(t, fetch(t.Context(), tr, s.url, 1000).err)
}

func TestCallersEndIsReportedAsSuch(t *testing.T) {
	s := serve1(t, func(w io.Writer, _ int) bool { return write(w, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok") })
	tr := transport(t, s)
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(30*time.Millisecond, func() { cancel(enough) })
	r := fetch(ctx, tr, s.url, 1000)
	require.ErrorIs(t, r.err, enough)
	assert.Equal(t, "ok", string(r.body))

	r = fetch(ctx, tr, s.url, 1000)
	require.ErrorIs(t, r.err, enough)
	assert.EqualValues(t, 1, s.requests.Load())

	short, stop := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer stop()
	r = fetch(short, tr, s.url, 1000)
	require.ErrorIs(t, r.err, wire.ErrTimeout)
	require.ErrorIs(t, r.err, context.DeadlineExceeded)
	assert.Equal(t, "ok", string(r.body))
}

func TestRoundTripKeepsTheCallersRequestAndTrace(t *testing.T) {
	s := serve1(t, func(w io.Writer, _ int) bool { return write(w, "HTTP/1.1 204 No\r\n\r\n") })
	got := 0
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { got++ }})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
	require.NoError(t, err)
	resp, err := transport(t, s).RoundTrip(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	assert.Same(t, req, resp.Request)
	assert.Equal(t, 1, got)
}

func TestEnvironmentProxyIsNotUsed(t *testing.T) {
	proxy := serve1(t, func(w io.Writer, _ int) bool { return write(w, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nproxy") })
	for _, k := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"} {
		t.Setenv(k, proxy.url)
	}
	// No address of this machine, which net/http would not ask a proxy for.
	var asked []string
	tr := wire.NewTransport(func(_ context.Context, _, addr string) (net.Conn, error) {
		asked = append(asked, addr)
		return nil, io.ErrClosedPipe
	})
	require.ErrorIs(t, fetch(t.Context(), tr, "http://site.test/", 1000).err, io.ErrClosedPipe)
	require.ErrorIs(t, fetch(t.Context(), tr, "https://site.test/", 1000).err, io.ErrClosedPipe)
	assert.Equal(t, []string{"site.test:80", "site.test:443"}, asked)
	assert.Zero(t, proxy.conns.Load())
}

func BenchmarkRoundTrip(b *testing.B) {
	srv := newPlainServer(b)
	own := wire.NewTransport(srv.dial)
	defer own.CloseIdleConnections()
	bare := &http.Transport{DialContext: srv.dial, DisableCompression: true}
	defer bare.CloseIdleConnections()
	for name, tr := range map[string]http.RoundTripper{"wire": own, "net/http": bare} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				req, _ := http.NewRequestWithContext(b.Context(), http.MethodGet, srv.url, nil)
				resp, err := tr.RoundTrip(req)
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		})
	}
}
