package wire_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
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
		{"PROTOCOL_ERROR", 20, wire.ErrProtocol, func(fr *http2.Framer, id uint32) bool {
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
			assert.EqualValues(t, tt.calls, s.requests.Load(), "requests at the server")
			assert.LessOrEqual(t, s.conns.Load(), int64(tt.calls), "connections at the server")
			t.Logf("requests/calls = %d/%d", s.requests.Load(), tt.calls)
		})
	}
}

// The answer is a goodbye for too many requests, whether it took ours or not.
func TestGoodbyeForTooManyRequests(t *testing.T) {
	for _, last := range []string{"\x00\x00\x00\x00", "\x00\x00\x00\x01", "\x7f\xff\xff\xff"} {
		s := serve2raw(t, func(w io.Writer, _ uint32) {
			write(w, rawFrame(http2.FrameGoAway, 0, 0, last+"\x00\x00\x00\x0btoo_many"))
		})
		tr := transport(t, s)
		for range 20 {
			err := fetch(t.Context(), tr, s.url, 1000).err
			require.ErrorIs(t, err, wire.ErrCalm)
			require.NotErrorIs(t, err, wire.ErrResend)
		}
		assert.EqualValues(t, 20, s.requests.Load(), "requests at the server")
	}
}

// A server that says goodbye for too many requests is heard also when the goodbye says that
// ours was not taken.
func TestGoodbyeForTooManyRequestsThatTookNothing(t *testing.T) {
	var served atomic.Bool
	s := serve2(t, func(fr *http2.Framer, id uint32) bool {
		if !served.Swap(true) {
			return fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: fields(":status", "200"), EndHeaders: true, EndStream: true}) == nil
		}
		return fr.WriteGoAway(id-1, http2.ErrCodeEnhanceYourCalm, nil) == nil
	})
	tr := transport(t, s)
	require.NoError(t, fetch(t.Context(), tr, s.url, 1000).err)
	err := fetch(t.Context(), tr, s.url, 1000).err
	require.ErrorIs(t, err, wire.ErrCalm)
	require.NotErrorIs(t, err, wire.ErrResend)
}

const answer2 = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

// A keep-alive server that takes the second request of a connection and hangs up without a
// word, as nginx does where a site says "return 444": it has had the request.
func TestOneCallIsOneRequestOnHTTP1(t *testing.T) {
	for name, serve := range map[string]func(*testing.T, script) *server{"plain": serve1, "TLS": serve1TLS} {
		t.Run(name, func(t *testing.T) {
			const calls = 400
			s := serve(t, func(w io.Writer, n int) bool { return n == 1 && write(w, answer2) })
			tr := transport(t, s)
			cut := 0
			for range calls {
				r := fetch(t.Context(), tr, s.url, 1000)
				if r.err != nil {
					require.ErrorIs(t, r.err, wire.ErrCut)
					require.NotErrorIs(t, r.err, wire.ErrResend)
					cut++
					continue
				}
				assert.Equal(t, "ok", string(r.body))
			}
			assert.EqualValues(t, calls, s.requests.Load(), "requests at the server")
			assert.EqualValues(t, calls/2, s.conns.Load(), "connections at the server")
			assert.Equal(t, calls/2, cut)
		})
	}
}

// A server that closes an idle connection while the request is on its way has not had it.
func TestStaleConnectionCanBeTriedAgain(t *testing.T) {
	const calls = 200
	for _, tt := range []struct {
		name string
		late bool // the client is slow to see the connection closed
	}{
		{"closed before the request comes", true},
		{"closed with the request unread", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &server{done: make(chan struct{})}
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			s.url = "http://" + ln.Addr().String() + "/"
			second := make(chan struct{}, 1) // a second request was written to the connection
			closed := make(chan struct{}, 1) // the server has closed it
			s.accept(t, ln, func(c net.Conn) {
				if _, err := http.ReadRequest(bufio.NewReader(c)); err != nil {
					return
				}
				s.requests.Add(1)
				write(c, answer2)
				if !tt.late {
					select {
					case <-second:
					case <-s.done:
					}
				}
				c.Close()
				closed <- struct{}{}
			})
			var d net.Dialer
			tr := wire.NewTransport(func(ctx context.Context, network, addr string) (net.Conn, error) {
				c, err := d.DialContext(ctx, network, addr)
				if err != nil {
					return nil, err
				}
				return &lateConn{TCPConn: c.(*net.TCPConn), late: tt.late, second: second}, nil
			})
			t.Cleanup(tr.CloseIdleConnections)
			for range calls {
				require.NoError(t, fetch(t.Context(), tr, s.url, 1000).err)
				if tt.late {
					<-closed
				}
				require.ErrorIs(t, fetch(t.Context(), tr, s.url, 1000).err, wire.ErrResend)
				if !tt.late {
					<-closed
				}
			}
			assert.EqualValues(t, calls, s.requests.Load(), "requests that the server read")
			assert.EqualValues(t, calls, s.conns.Load(), "connections at the server")
		})
	}
}

// lateConn tells of the second request that was written to it. If it is late it sees the
// end of the connection only after that.
type lateConn struct {
	*net.TCPConn
	late   bool
	writes int
	second chan struct{}
}

func (c *lateConn) Write(p []byte) (int, error) {
	n, err := c.TCPConn.Write(p)
	if c.writes++; c.writes == 2 {
		c.second <- struct{}{}
	}
	return n, err
}

func (c *lateConn) Read(p []byte) (int, error) {
	n, err := c.TCPConn.Read(p)
	if c.late && errors.Is(err, io.EOF) {
		<-c.second
	}
	return n, err
}

// The same race without any help, and on both sides of it: whatever the moment at which
// the server closes, a request that it has not read is never taken for one that it has.
func TestStaleConnectionAtAnyMoment(t *testing.T) {
	const calls = 500
	s := &server{done: make(chan struct{})}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s.url = "http://" + ln.Addr().String() + "/"
	s.accept(t, ln, func(c net.Conn) {
		if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			n := s.requests.Add(1)
			_ = write(c, answer2) && s.pause(time.Duration(n%10)*10*time.Microsecond)
		}
	})
	tr := transport(t, s)
	answered, stale := int64(0), 0
	for i := range calls {
		time.Sleep(time.Duration(i%7) * 20 * time.Microsecond)
		err := fetch(t.Context(), tr, s.url, 1000).err
		if err == nil {
			answered++
			continue
		}
		require.ErrorIs(t, err, wire.ErrResend)
		stale++
	}
	assert.Equal(t, answered, s.requests.Load())
	assert.Positive(t, stale)
	t.Logf("%d answered, %d stale", answered, stale)
}

// In-memory connections have no kernel: what was written was read.
func TestPipeThatHangsUpHasTakenTheRequest(t *testing.T) {
	var requests atomic.Int64
	var wg sync.WaitGroup
	tr := wire.NewTransport(func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		wg.Go(func() {
			defer server.Close()
			br := bufio.NewReader(server)
			for n := range 2 {
				if _, err := http.ReadRequest(br); err != nil {
					return
				}
				requests.Add(1)
				if n == 0 {
					write(server, answer2)
				}
			}
		})
		return client, nil
	})
	for range 200 {
		require.NoError(t, fetch(t.Context(), tr, "http://ok.test/", 1000).err)
		require.ErrorIs(t, fetch(t.Context(), tr, "http://ok.test/", 1000).err, wire.ErrCut)
	}
	wg.Wait()
	assert.EqualValues(t, 400, requests.Load())
}

// Several connections at a time, kept and used again; none more than the pool may keep.
func TestConnectionsAreUsedAgain(t *testing.T) {
	s := serve1(t, func(w io.Writer, _ int) bool { return write(w, answer2) })
	tr := transport(t, s)
	for range 50 {
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { assert.NoError(t, fetch(t.Context(), tr, s.url, 1000).err) })
		}
		wg.Wait()
	}
	assert.LessOrEqual(t, s.conns.Load(), int64(2))
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { assert.NoError(t, fetch(t.Context(), tr, s.url, 1000).err) })
	}
	wg.Wait()
	assert.Eventually(t, func() bool { return s.open.Load() <= 2 }, patience, time.Millisecond, "idle connections")
	tr.CloseIdleConnections()
	assert.Eventually(t, func() bool { return s.open.Load() == 0 }, patience, time.Millisecond)
}

// However many hosts there are, the connections that are kept stay few.
func TestFewIdleConnectionsAreKept(t *testing.T) {
	s := serve1(t, func(w io.Writer, _ int) bool { return write(w, answer2) })
	var d net.Dialer
	tr := wire.NewTransport(func(ctx context.Context, network, _ string) (net.Conn, error) {
		return d.DialContext(ctx, network, strings.Trim(s.url, "htp:/"))
	})
	t.Cleanup(tr.CloseIdleConnections)
	for i := range 100 {
		require.NoError(t, fetch(t.Context(), tr, fmt.Sprintf("http://h%d.test/", i), 1000).err)
	}
	assert.EqualValues(t, 100, s.conns.Load())
	assert.Eventually(t, func() bool { return s.open.Load() == 32 }, patience, time.Millisecond)
	require.NoError(t, fetch(t.Context(), tr, "http://h99.test/", 1000).err)
	assert.EqualValues(t, 100, s.conns.Load(), "the youngest are the ones that are kept")
}

// One HTTP/2 connection carries requests at the same time.
func TestHTTP2RequestsShareAConnection(t *testing.T) {
	s := serve2(t, func(fr *http2.Framer, id uint32) bool {
		return fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: fields(":status", "200"), EndHeaders: true, EndStream: true}) == nil
	})
	tr := transport(t, s)
	require.NoError(t, fetch(t.Context(), tr, s.url, 1000).err)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { assert.NoError(t, fetch(t.Context(), tr, s.url, 1000).err) })
	}
	wg.Wait()
	assert.EqualValues(t, 1, s.conns.Load())
	tr.CloseIdleConnections()
	assert.Eventually(t, func() bool { return s.open.Load() == 0 }, patience, time.Millisecond)
}

// Idle connections are closed after half a minute, in fake time, by a timer and no goroutine.
func TestIdleConnectionsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closed := time.Time{}
		tr := wire.NewTransport(func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			go func() {
				br := bufio.NewReader(server)
				for {
					if _, err := http.ReadRequest(br); err != nil {
						closed = time.Now()
						server.Close()
						return
					}
					write(server, answer2)
				}
			}()
			return client, nil
		})
		require.NoError(t, fetch(t.Context(), tr, "http://ok.test/", 1000).err)
		time.Sleep(3 * time.Second)
		require.NoError(t, fetch(t.Context(), tr, "http://ok.test/", 1000).err)
		used := time.Now()
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, 4*time.Second, closed.Sub(used))
	})
}

func TestCallersEndIsReportedAsSuch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests atomic.Int64
		tr := wire.NewTransport(pipes(func(c net.Conn) {
			br := bufio.NewReader(c)
			for _, err := http.ReadRequest(br); err == nil; _, err = http.ReadRequest(br) {
				requests.Add(1)
				write(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok")
			}
		}))
		enough := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(enough) })
		r := fetch(ctx, tr, "http://ok.test/", 1000)
		require.ErrorIs(t, r.err, enough)
		assert.Equal(t, "ok", string(r.body))
		assert.Equal(t, time.Second, r.took)

		r = fetch(ctx, tr, "http://ok.test/", 1000)
		require.ErrorIs(t, r.err, enough)
		assert.EqualValues(t, 1, requests.Load())

		short, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		r = fetch(short, tr, "http://ok.test/", 1000)
		require.ErrorIs(t, r.err, wire.ErrTimeout)
		require.ErrorIs(t, r.err, context.DeadlineExceeded)
		assert.Equal(t, "ok", string(r.body))
		assert.Equal(t, time.Second, r.took)
	})
}

func TestRoundTripKeepsTheCallersRequestAndTrace(t *testing.T) {
	s := serve1(t, func(w io.Writer, _ int) bool { return write(w, "HTTP/1.1 204 No\r\n\r\n") })
	got := 0
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { got++ }})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
	require.NoError(t, err)
	resp, err := transport(t, s).RoundTrip(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	assert.Same(t, req, resp.Request)
	assert.Equal(t, 1, got)
}

// Whatever the form of the address, what is dialled is its host and port.
func TestWhatIsDialled(t *testing.T) {
	for url, want := range map[string]string{
		"http://ok.test/": "ok.test:80", "https://ok.test/": "ok.test:443", "http://OK.test:8080/": "ok.test:8080",
		"http://93.184.216.34/": "93.184.216.34:80", "https://[2606:4700::1111]/": "[2606:4700::1111]:443",
		"http://[2606:4700::1111]:8080/": "[2606:4700::1111]:8080", "http://bücher.test/": "xn--bcher-kva.test:80",
	} {
		got := ""
		tr := wire.NewTransport(func(_ context.Context, _, addr string) (net.Conn, error) { got = addr; return nil, io.ErrClosedPipe })
		require.ErrorIs(t, fetch(t.Context(), tr, url, 1000).err, io.ErrClosedPipe)
		assert.Equal(t, want, got, url)
	}
	for _, url := range []string{"ftp://ok.test/", "mailto:x"} {
		require.Error(t, fetch(t.Context(), wire.NewTransport(nil), url, 1000).err)
	}
	_, err := wire.NewTransport(nil).RoundTrip(new(http.Request))
	require.Error(t, err)
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
