package wire_test

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"

	"github.com/politefetch/sdk/internal/wire"
)

// A server that takes few streams at a time keeps nobody waiting for ever: a connection is
// shared only as far as it is known to go.
func TestFewStreamsAtATime(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	cert, roots := certificate(t)
	srv := &http.Server{
		Handler:   http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(time.Millisecond) }),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{cert}},
		HTTP2:     &http.HTTP2Config{MaxConcurrentStreams: 2},
	}
	var served sync.WaitGroup
	served.Go(func() { _ = srv.ServeTLS(ln, "", "") })
	t.Cleanup(func() { _ = srv.Close(); served.Wait() })

	s := &server{url: "https://" + ln.Addr().String() + "/", roots: roots}
	tr := transport(t, s)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var wg sync.WaitGroup
	for range 40 {
		wg.Go(func() {
			for range 20 {
				r := fetch(ctx, tr, s.url, 100)
				assert.NoError(t, r.err)
			}
		})
	}
	wg.Wait()
}

// A server that fell silent on an HTTP/2 connection may be gone from it: the next request
// takes another one.
func TestASilentConnectionIsLeft(t *testing.T) {
	var n atomic.Int64
	var s *server
	s = serve2(t, func(fr *http2.Framer, id uint32) bool {
		if n.Add(1) == 2 {
			<-s.done // reads no further request either
			return false
		}
		return fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: fields(":status", "200"), EndHeaders: true, EndStream: true}) == nil
	})
	tr := transport(t, s)
	tr.SetTimeouts(3 * time.Second)
	require.NoError(t, fetch(t.Context(), tr, s.url, 100).err)
	require.ErrorIs(t, fetch(t.Context(), tr, s.url, 100).err, wire.ErrTimeout)
	assert.EqualValues(t, 1, s.conns.Load())
	require.NoError(t, fetch(t.Context(), tr, s.url, 100).err)
	assert.EqualValues(t, 3, s.requests.Load())
	assert.EqualValues(t, 2, s.conns.Load())
}
