package wire_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"

	"github.com/politefetch/sdk/internal/wire"
)

// Wherever an answer is cut, it does not pass for a whole one, and what came is its beginning.
func TestEveryCutOfAnAnswer(t *testing.T) {
	zipped := gzText(t, "hello world")
	one := uint32(1)
	for name, a := range map[string]string{
		"length":  head + "Content-Length: 11\r\n\r\nhello world",
		"chunked": head + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n",
		"gzip":    fmt.Sprintf("%sContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", head, len(zipped), zipped),
		"interim": "HTTP/1.1 103 E\r\n\r\n" + head + "Content-Length: 11\r\n\r\nhello world",
		"HTTP/2": rawFrame(http2.FrameHeaders, 4, one, string(fields(":status", "200"))) + rawFrame(http2.FrameData, 0, one, "hello") +
			rawFrame(http2.FrameData, 0, one, " world") + rawFrame(http2.FrameHeaders, 5, one, string(fields("t", "x"))),
	} {
		t.Run(name, func(t *testing.T) {
			var cut atomic.Int64
			s := serve1(t, func(w io.Writer, _ int) bool { write(w, a[:cut.Load()]); return false })
			if name == "HTTP/2" {
				s = serve2raw(t, func(w io.Writer, _ uint32) { write(w, a[:cut.Load()]) })
			}
			tr := transport(t, s)
			for n := range len(a) {
				cut.Store(int64(n))
				r := fetch(t.Context(), tr, s.url, 1000)
				if r.status != 0 || n == 0 || !errors.Is(r.err, wire.ErrProtocol) { // half a line of a head is malformed
					require.ErrorIs(t, r.err, wire.ErrCut, "%d of %d bytes", n, len(a))
				}
				require.NotErrorIs(t, r.err, wire.ErrResend)
				require.True(t, strings.HasPrefix("hello world", string(r.body)), "%q", r.body)
			}
			cut.Store(int64(len(a)))
			r := fetch(t.Context(), tr, s.url, 1000)
			require.NoError(t, r.err)
			assert.Equal(t, "hello world", string(r.body))
			assert.EqualValues(t, len(a)+1, s.requests.Load(), "requests at the server")
		})
	}
}

// Every answer is read as RFC 9112 has it or refused, call after call, and its connection is
// used again only if it is certain where the answer ended.
func TestAnswersAndTheirConnections(t *testing.T) {
	const more = head + "Content-Length: 4\r\n\r\nEVIL"
	chunked := head + "Transfer-Encoding: chunked\r\n\r\n"
	for _, tt := range []struct {
		name, method, answer string
		body                 string
		want                 error
		kept                 bool // the connection
	}{
		{name: "length", answer: answer2, body: "ok", kept: true},
		{name: "another answer", answer: answer2 + more, body: "ok"},
		{name: "HEAD", method: "HEAD", answer: head + "Content-Length: 2\r\n\r\n", kept: true},
		{name: "HEAD, chunked", method: "HEAD", answer: chunked, kept: true},
		{name: "HEAD with a body", method: "HEAD", answer: answer2},
		{name: "HEAD with an answer for a body", method: "HEAD", answer: head + "Content-Length: 43\r\n\r\n" + more},
		{name: "204 with a body", answer: "HTTP/1.1 204 N\r\nContent-Length: 43\r\n\r\n" + more},
		{name: "204, chunked", answer: "HTTP/1.1 204 N\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
		{name: "304", answer: "HTTP/1.1 304 N\r\nContent-Length: 2\r\n\r\n", kept: true},
		{name: "304 with a body", answer: "HTTP/1.1 304 N\r\nContent-Length: 43\r\n\r\n" + more},
		{name: "close", answer: head + "Connection: close\r\nContent-Length: 2\r\n\r\nok", body: "ok"},
		{name: "HTTP/1.0", answer: "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", body: "ok"},
		{name: "HTTP/1.0, keep-alive", answer: "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok", body: "ok", kept: true},
		{name: "HTTP/3.0", answer: "HTTP/3.0 200 OK\r\nContent-Length: 2\r\n\r\nok", want: wire.ErrProtocol},
		{name: "HTTP/0.9", answer: "HTTP/0.9 200 OK\r\nContent-Length: 2\r\n\r\nok", want: wire.ErrProtocol},
		{name: "lower case", answer: "http/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", want: wire.ErrProtocol},
		{name: "interim", answer: "HTTP/1.1 100 C\r\n\r\nHTTP/1.1 199 X\r\nContent-Length: 9\r\n\r\n" + answer2, body: "ok", kept: true},
		{name: "chunk extensions", answer: chunked + "2;a=\"b\"\r\nok\r\n0;x\r\n\r\n", body: "ok", kept: true},
		{name: "trailers", answer: chunked + "2\r\nok\r\n0\r\nContent-Length: 9\r\n\r\n", body: "ok", kept: true},
		{name: "chunks, then an answer", answer: chunked + "2\r\nok\r\n0\r\n\r\n" + more, body: "ok"},
		{name: "bare LF", answer: "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", body: "ok", kept: true},
		{name: "bare LF in chunks", answer: chunked + "2\nok\n0\n\n", want: wire.ErrProtocol},
		{name: "bare CR", answer: head + "A: b\rContent-Length: 9\r\nContent-Length: 2\r\n\r\nok", want: wire.ErrProtocol},
		{name: "folded line", answer: head + "A: b\r\n c\r\nContent-Length: 2\r\n\r\nok", body: "ok", kept: true},
		{name: "folded first line", answer: head + " A: b\r\nContent-Length: 2\r\n\r\nok", want: wire.ErrProtocol},
		{name: "length twice", answer: head + "Content-Length: 2\r\nContent-Length: 2\r\n\r\nok", body: "ok", kept: true},
		{name: "two lengths", answer: head + "Content-Length: 2\r\nContent-Length: 3\r\n\r\nok", want: wire.ErrProtocol},
		{name: "length in a list", answer: head + "Content-Length: 2, 2\r\n\r\nok", want: wire.ErrProtocol},
		{name: "length +2", answer: head + "Content-Length: +2\r\n\r\nok", want: wire.ErrProtocol},
		{name: "length of no size", answer: head + "Content-Length:\r\n\r\nok", want: wire.ErrProtocol},
		{name: "length and chunked", answer: head + "Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", body: "ok", kept: true},
		{name: "chunked twice", answer: head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", want: wire.ErrProtocol},
		{name: "coding identity", answer: head + "Transfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nok", want: wire.ErrProtocol},
		{name: "coding xchunked", answer: head + "Transfer-Encoding: xchunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", want: wire.ErrProtocol},
		{name: "negative chunk", answer: chunked + "-2\r\nok\r\n0\r\n\r\n", want: wire.ErrProtocol},
		{name: "chunk of no size", answer: chunked + "\r\nok\r\n0\r\n\r\n", want: wire.ErrProtocol},
		{name: "NUL in a name", answer: head + "A\x00: b\r\nContent-Length: 2\r\n\r\nok", want: wire.ErrProtocol},
		{name: "no name", answer: head + ": b\r\nContent-Length: 2\r\n\r\nok", want: wire.ErrProtocol},
		{name: "101", answer: "HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n" + more, want: wire.ErrProtocol},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const calls = 5
			s := serve1(t, func(w io.Writer, _ int) bool { return write(w, tt.answer) })
			tr := transport(t, s)
			for range calls {
				req, err := http.NewRequestWithContext(t.Context(), tt.method, s.url, nil)
				require.NoError(t, err)
				resp, err := tr.RoundTrip(req)
				var body []byte
				if err == nil {
					body, err = io.ReadAll(wire.NewBody(resp, 1000))
					resp.Body.Close()
				}
				if tt.want == nil {
					require.NoError(t, err)
				} else {
					require.ErrorIs(t, err, tt.want)
				}
				require.Equal(t, tt.body, string(body))
			}
			assert.EqualValues(t, calls, s.requests.Load(), "requests at the server")
			if tt.kept {
				assert.EqualValues(t, 1, s.conns.Load(), "connections")
			} else {
				assert.EqualValues(t, calls, s.conns.Load(), "connections")
			}
		})
	}
}

// What comes after an answer is never the answer to a request that is sent right then.
func TestRestOfAnAnswerIsNoAnswer(t *testing.T) {
	const more = head + "Content-Length: 4\r\n\r\nEVIL"
	for name, serve := range map[string]func(*testing.T, script) *server{"plain": serve1, "TLS": serve1TLS} {
		for _, first := range []string{"HTTP/1.1 304 N\r\n\r\n", answer2} {
			t.Run(name+" "+first[9:12], func(t *testing.T) {
				s := serve(t, func(w io.Writer, _ int) bool { return write(w, first+more) })
				tr := transport(t, s)
				var wg sync.WaitGroup
				for range 8 {
					wg.Go(func() {
						for range 50 {
							r := fetch(t.Context(), tr, s.url, 1000)
							if r.err != nil || string(r.body) == "EVIL" {
								t.Errorf("%q, %v", r.body, r.err)
							}
						}
					})
				}
				wg.Wait()
				assert.EqualValues(t, 400, s.requests.Load(), "requests at the server")
				assert.EqualValues(t, 400, s.conns.Load(), "connections at the server")
			})
		}
	}
}

// A server that hangs up or speaks before it was asked has its name, and a new connection's
// failure is never one to try again at once.
func TestServersThatDoNotWait(t *testing.T) {
	for name, f := range map[string]func(c *net.TCPConn){
		"closes":             func(*net.TCPConn) {},
		"half-closes":        func(c *net.TCPConn) { _ = c.CloseWrite(); _, _ = io.CopyN(io.Discard, c, 60) },
		"resets":             func(c *net.TCPConn) { _ = c.SetLinger(0) },
		"answers and closes": func(c *net.TCPConn) { write(c, answer2) },
		"times out":          func(c *net.TCPConn) { write(c, "HTTP/1.1 408 T\r\nContent-Length: 0\r\n\r\n") },
		"greets":             func(c *net.TCPConn) { write(c, "SSH-2.0-OpenSSH_9.9\r\n"); _, _ = io.CopyN(io.Discard, c, 60) },
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{done: make(chan struct{})}
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			s.url = "http://" + ln.Addr().String() + "/"
			s.accept(t, ln, func(c net.Conn) { f(c.(*net.TCPConn)) })
			tr := transport(t, s)
			for range 100 {
				r := fetch(t.Context(), tr, s.url, 1000)
				tr.CloseIdleConnections()
				op := new(net.OpError)
				if r.err == nil || errors.As(r.err, &op) && op.Op == "dial" {
					continue
				}
				require.NotErrorIs(t, r.err, wire.ErrResend)
				require.True(t, errors.Is(r.err, wire.ErrCut) || errors.Is(r.err, wire.ErrProtocol), "%v", r.err)
				require.NotContains(t, r.err.Error(), "%!")
				if name == "closes" || name == "half-closes" || name == "resets" {
					require.ErrorIs(t, r.err, wire.ErrCut)
				}
			}
		})
	}
}

// The same on HTTP/2, where nothing may have been sent yet.
func TestHTTP2ServersThatDoNotWait(t *testing.T) {
	for _, greeting := range []string{"", rawFrame(http2.FrameSettings, 0, 0, "")} {
		s := serveALPN(t, "h2", func(c io.ReadWriter) { write(c, greeting) })
		tr := transport(t, s)
		for range 200 {
			require.ErrorIs(t, fetch(t.Context(), tr, s.url, 1000).err, wire.ErrCut)
		}
		assert.EqualValues(t, 200, s.conns.Load(), "connections")
	}
}

// What the handshake agreed on is what is spoken.
func TestALPN(t *testing.T) {
	for _, tt := range []struct {
		name, proto string
		f           func(io.ReadWriter)
		want        error
	}{
		{"none", "", func(c io.ReadWriter) { readHead(c); write(c, answer2) }, nil},
		{"HTTP/1", "http/1.1", func(c io.ReadWriter) { readHead(c); write(c, answer2) }, nil},
		{"HTTP/1, but frames come", "http/1.1", func(c io.ReadWriter) { readHead(c); _ = http2.NewFramer(c, nil).WriteSettings() }, wire.ErrProtocol},
		{"HTTP/2, but text comes", "h2", func(c io.ReadWriter) { write(c, answer2); _, _ = io.Copy(io.Discard, c) }, wire.ErrProtocol},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serveALPN(t, tt.proto, tt.f)
			r := fetch(t.Context(), transport(t, s), s.url, 1000)
			if tt.want == nil {
				require.NoError(t, r.err)
				assert.Equal(t, "ok", string(r.body))
			} else {
				require.ErrorIs(t, r.err, tt.want)
			}
			assert.EqualValues(t, 1, s.conns.Load())
		})
	}
}

// readHead reads a request without a body.
func readHead(r io.Reader) {
	var text []byte
	for one := make([]byte, 1); !strings.HasSuffix(string(text), "\r\n\r\n"); text = append(text, one...) {
		if _, err := r.Read(one); err != nil {
			return
		}
	}
}

// A body that is left unread does not spoil the connection, whose data is still on its way.
func TestHTTP2ConnectionAfterAnUnreadBody(t *testing.T) {
	var conns atomic.Int64
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for range 100 {
			if _, err := w.Write(make([]byte, 16<<10)); err != nil || r.Method == http.MethodHead {
				return
			}
		}
	}))
	srv.EnableHTTP2 = true
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			conns.Add(1)
		}
	}
	srv.StartTLS()
	t.Cleanup(srv.Close)
	var d net.Dialer
	tr := wire.NewTransport(d.DialContext)
	t.Cleanup(tr.CloseIdleConnections)
	trust(tr, &server{cert: srv.Certificate()})
	for range 50 {
		r := fetch(t.Context(), tr, srv.URL, 1000)
		require.NoError(t, r.err)
		assert.True(t, r.truncated)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodHead, srv.URL, nil)
		require.NoError(t, err)
		resp, err := tr.RoundTrip(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, 2, resp.ProtoMajor)
		assert.NotNil(t, resp.TLS)
	}
	assert.EqualValues(t, 1, conns.Load())
}

// A connection whose handshake failed is closed; one that goes on says what was agreed on.
func TestHandshakeLeavesNoSocketBehind(t *testing.T) {
	s := serve1TLS(t, func(w io.Writer, _ int) bool { return write(w, answer2) })
	var d net.Dialer
	tr := wire.NewTransport(d.DialContext)
	t.Cleanup(tr.CloseIdleConnections)
	var open atomic.Int64
	tr.WrapDial(func(c net.Conn) net.Conn {
		open.Add(1)
		return &closeCounter{Conn: c, open: &open}
	})
	var h *wire.HandshakeError
	require.ErrorAs(t, fetch(t.Context(), tr, s.url, 1000).err, &h, "nobody vouches for the server")
	assert.Zero(t, open.Load())
	trust(tr, s)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url, nil)
	require.NoError(t, err)
	resp, err := tr.RoundTrip(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.NotNil(t, resp.TLS)
	assert.Equal(t, s.cert.Raw, resp.TLS.PeerCertificates[0].Raw)
}

// closeCounter counts the sockets that are not closed yet.
type closeCounter struct {
	net.Conn
	once sync.Once
	open *atomic.Int64
}

func (c *closeCounter) Close() error {
	c.once.Do(func() { c.open.Add(-1) })
	return c.Conn.Close()
}

// The peer of a connection that is closed need not read to the end for that.
func TestCloseDoesNotWait(t *testing.T) {
	for _, proto := range []string{"h2", "http/1.1"} {
		t.Run(proto, func(t *testing.T) {
			s := serveALPN(t, proto, func(c io.ReadWriter) {
				if proto == "h2" {
					_, _ = io.ReadFull(c, make([]byte, len(http2.ClientPreface)))
					fr := http2.NewFramer(c, c)
					_ = fr.WriteSettings()
					for f, err := fr.ReadFrame(); err == nil && f.Header().Type != http2.FrameHeaders; f, err = fr.ReadFrame() {
					}
					write(c, rawFrame(http2.FrameHeaders, 5, 1, string(fields(":status", "200"))))
				} else {
					readHead(c)
					write(c, answer2)
				}
				time.Sleep(200 * time.Millisecond)
			})
			stuck := make(chan struct{})
			tr := transport(t, s)
			tr.WrapDial(func(c net.Conn) net.Conn { return &stuckConn{Conn: c, stuck: stuck, closed: make(chan struct{})} })
			require.NoError(t, fetch(t.Context(), tr, s.url, 1000).err)
			close(stuck)
			began := time.Now()
			tr.CloseIdleConnections()
			assert.Less(t, time.Since(began), 3*time.Second, "TLS would wait 5 s")
		})
	}
}

// stuckConn takes nothing more once it is stuck, until it is closed.
type stuckConn struct {
	net.Conn
	stuck  chan struct{}
	closed chan struct{}
	once   sync.Once
}

func (c *stuckConn) Write(p []byte) (int, error) {
	select {
	case <-c.stuck:
		select {
		case <-c.closed:
		case <-time.After(5 * time.Second):
		}
		return 0, net.ErrClosed
	default:
		return c.Conn.Write(p)
	}
}

func (c *stuckConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}
