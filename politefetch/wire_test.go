package politefetch_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
	"github.com/politefetch/sdk/ratepolicy"
)

// wireServer is a scripted server on a real socket, and what it saw.
type wireServer struct {
	addr string
	mu   sync.Mutex
	came []time.Time  // requests it read, robots.txt but once included
	seen []string     // their paths
	sent atomic.Int64 // bytes, where the server counts them
}

// meteredConn counts what is written to a socket.
type meteredConn struct {
	net.Conn
	n *atomic.Int64
}

func (m *meteredConn) Write(p []byte) (int, error) {
	n, err := m.Conn.Write(p)
	m.n.Add(int64(n))
	return n, err
}

func (s *wireServer) note(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.came, s.seen = append(s.came, time.Now()), append(s.seen, path)
}

// log returns what came so far.
func (s *wireServer) log() (came []time.Time, pages int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range s.seen {
		if path != "/robots.txt" {
			pages++
		}
	}
	return slices.Clone(s.came), pages
}

// serve hands each connection to f.
func (s *wireServer) serve(t *testing.T, ln net.Listener, f func(net.Conn)) {
	t.Helper()
	s.addr = ln.Addr().String()
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { defer c.Close(); f(c) })
		}
	})
	t.Cleanup(func() { ln.Close(); wg.Wait() })
}

// bot is one that may ask this server, a delay after its last answer.
func (s *wireServer) bot(t *testing.T, delay time.Duration) *politefetch.Crawler {
	t.Helper()
	cfg := politeConfig(nil)
	cfg.Transport = nil
	cfg.Guard.Allow = []netip.AddrPort{netip.MustParseAddrPort(s.addr)}
	cfg.Policy.Normal.Delay = delay
	bot := newBot(t, cfg)
	t.Cleanup(bot.CloseIdleConnections)
	return bot
}

const (
	noRobots = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
	onePage  = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Type: text/html\r\n\r\nx"
)

// keepsAlive answers the first requests of a connection and then does what end says.
func (s *wireServer) keepsAlive(first int, end func(net.Conn, *bufio.Reader)) func(net.Conn) {
	return func(c net.Conn) {
		r := bufio.NewReader(c)
		for range first {
			req, err := http.ReadRequest(r)
			if err != nil {
				return
			}
			s.note(req.URL.Path)
			answer := onePage
			if req.URL.Path == "/robots.txt" {
				answer = noRobots
			}
			if _, err := c.Write([]byte(answer)); err != nil {
				return
			}
		}
		end(c, r)
	}
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return ln
}

// A server that takes a request on a kept connection and hangs up has had it: the page
// failed, and the request is not sent a second time.
func TestARequestThatWasTakenIsNotSentAgain(t *testing.T) {
	var s wireServer
	s.serve(t, listen(t), s.keepsAlive(1, func(_ net.Conn, r *bufio.Reader) {
		if req, err := http.ReadRequest(r); err == nil {
			s.note(req.URL.Path)
		}
	}))
	bot := s.bot(t, time.Millisecond)
	const calls = 100
	failed := 0
	for range calls {
		p, err := bot.Fetch(t.Context(), "http://"+s.addr+"/", nil)
		if err != nil {
			assert.Equal(t, politefetch.Failed, p.Outcome)
			require.ErrorContains(t, err, "connection ended early")
			failed++
		}
	}
	_, pages := s.log()
	assert.Equal(t, calls, pages, "requests at the server")
	assert.InDelta(t, calls/2, failed, 1, "every other connection")
}

// A connection that the server closed before it read the request is stale: the library
// sends it once more, in a turn of its own.
func TestAStaleConnectionIsTriedOnceMoreThroughTheGate(t *testing.T) {
	const delay = 20 * time.Millisecond
	var s wireServer
	s.serve(t, listen(t), s.keepsAlive(1, func(net.Conn, *bufio.Reader) {
		time.Sleep(5 * delay) // the next request waits in the kernel, unread
	}))
	bot := s.bot(t, delay)
	const calls = 10
	began := time.Now()
	for range calls {
		p, err := bot.Fetch(t.Context(), "http://"+s.addr+"/", nil)
		require.NoError(t, err)
		assert.Equal(t, politefetch.Done, p.Outcome)
		assert.Equal(t, 1, p.Tries)
	}
	came, pages := s.log()
	assert.Equal(t, calls, pages, "requests that the server read")
	for i := range came[1:] {
		assert.GreaterOrEqual(t, came[i+1].Sub(came[i]), delay-2*time.Millisecond)
	}
	// Each page cost a stale attempt and a second turn after it.
	assert.Greater(t, time.Since(began), calls*2*delay)
}

// A server that never reads a second request is not asked for ever.
func TestAStaleConnectionIsTriedOnceMoreOnly(t *testing.T) {
	const delay = 30 * time.Millisecond
	var conns atomic.Int64
	var s wireServer
	s.serve(t, listen(t), func(c net.Conn) {
		if conns.Add(1) > 1 {
			if tcp, ok := c.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0) // a reset
			}
			time.Sleep(5 * time.Millisecond)
			return
		}
		s.keepsAlive(2, func(net.Conn, *bufio.Reader) { time.Sleep(delay + 10*time.Millisecond) })(c)
	})
	bot := s.bot(t, delay)
	_, err := bot.Fetch(t.Context(), "http://"+s.addr+"/", nil)
	require.NoError(t, err)
	p, err := bot.Fetch(t.Context(), "http://"+s.addr+"/", nil)
	require.Error(t, err)
	assert.Equal(t, politefetch.Failed, p.Outcome)
	assert.EqualValues(t, 2, conns.Load())
}

// http2Server speaks HTTP/2 frame by frame; robots.txt it answers with 404.
func (s *wireServer) http2Server(t *testing.T, f func(fr *http2.Framer, id uint32) bool, settings ...http2.Setting) {
	t.Helper()
	cfg := &tls.Config{Certificates: []tls.Certificate{authority.leaf(nil)}, NextProtos: []string{"h2"}}
	s.serve(t, listen(t), func(raw net.Conn) {
		c := tls.Server(&meteredConn{raw, &s.sent}, cfg)
		defer c.Close()
		if _, err := io.ReadFull(c, make([]byte, len(http2.ClientPreface))); err != nil {
			return
		}
		fr := http2.NewFramer(c, c)
		fr.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
		fr.AllowIllegalWrites = true
		_ = fr.WriteSettings(settings...)
		for {
			frame, err := fr.ReadFrame()
			if err != nil {
				return
			}
			switch frame := frame.(type) {
			case *http2.SettingsFrame:
				if !frame.IsAck() {
					_ = fr.WriteSettingsAck()
				}
			case *http2.MetaHeadersFrame:
				path := frame.PseudoValue("path")
				s.note(path)
				if path == "/robots.txt" {
					writeStatus(fr, frame.StreamID, "404", true)
				} else if !f(fr, frame.StreamID) {
					return
				}
			}
		}
	})
}

func writeStatus(fr *http2.Framer, id uint32, status string, end bool) bool {
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	_ = e.WriteField(hpack.HeaderField{Name: ":status", Value: status})
	_ = e.WriteField(hpack.HeaderField{Name: "content-type", Value: "text/html"})
	return fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: b.Bytes(), EndHeaders: true, EndStream: end}) == nil
}

// What a server has not processed may be sent once more (RFC 9113 sections 6.8 and 8.7),
// in a turn of its own, and no third time. All else counts as an answer.
func TestHTTP2RefusalsAreTriedOnceMoreAtMost(t *testing.T) {
	for _, tt := range []struct {
		name string
		each int // requests a call
		f    func(fr *http2.Framer, id uint32) bool
	}{
		{"GOAWAY", 2, func(fr *http2.Framer, id uint32) bool { return fr.WriteGoAway(id-1, http2.ErrCodeNo, nil) == nil }},
		{"REFUSED_STREAM", 2, func(fr *http2.Framer, id uint32) bool {
			return fr.WriteRSTStream(id, http2.ErrCodeRefusedStream) == nil
		}},
		{"PROTOCOL_ERROR", 1, func(fr *http2.Framer, id uint32) bool { return fr.WriteRSTStream(id, http2.ErrCodeProtocol) == nil }},
		{"INTERNAL_ERROR", 1, func(fr *http2.Framer, id uint32) bool { return fr.WriteRSTStream(id, http2.ErrCodeInternal) == nil }},
		{"CANCEL", 1, func(fr *http2.Framer, id uint32) bool { return fr.WriteRSTStream(id, http2.ErrCodeCancel) == nil }},
		{"close", 1, func(*http2.Framer, uint32) bool { return false }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const calls, delay = 10, 10 * time.Millisecond
			var s wireServer
			s.http2Server(t, tt.f)
			bot := s.bot(t, delay)
			for range calls {
				p, err := bot.Fetch(t.Context(), "https://"+s.addr+"/", nil)
				require.Error(t, err)
				assert.Equal(t, politefetch.Failed, p.Outcome)
			}
			came, pages := s.log()
			assert.Equal(t, calls*tt.each, pages, "requests at the server")
			for i := range came[1:] {
				assert.GreaterOrEqual(t, came[i+1].Sub(came[i]), delay-2*time.Millisecond)
			}
		})
	}
}

// ENHANCE_YOUR_CALM is HTTP/2's own way to ask for fewer requests: the host is limited, as
// after a 429, and the next request to it waits.
func TestEnhanceYourCalmIsALimit(t *testing.T) {
	for name, f := range map[string]func(fr *http2.Framer, id uint32) bool{
		"in place of an answer": func(fr *http2.Framer, id uint32) bool {
			return fr.WriteRSTStream(id, http2.ErrCodeEnhanceYourCalm) == nil
		},
		"within the body": func(fr *http2.Framer, id uint32) bool {
			return writeStatus(fr, id, "200", false) && fr.WriteData(id, false, []byte("<p>x")) == nil &&
				fr.WriteRSTStream(id, http2.ErrCodeEnhanceYourCalm) == nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			var s wireServer
			s.http2Server(t, f)
			bot := s.bot(t, time.Millisecond)
			began := time.Now()
			p, err := bot.Fetch(t.Context(), "https://"+s.addr+"/", nil)
			require.Error(t, err)
			assert.Equal(t, politefetch.Limited, p.Outcome)
			assert.Greater(t, p.Opens.Sub(began), time.Second, "when the host may be asked again")
			p, err = bot.Fetch(t.Context(), "https://"+s.addr+"/other", &politefetch.FetchOptions{MaxWait: -1})
			var wait *ratepolicy.WaitError
			require.ErrorAs(t, err, &wait)
			assert.True(t, wait.Held)
			assert.Equal(t, politefetch.Limited, p.Outcome)
			_, pages := s.log()
			assert.Equal(t, 1, pages)
		})
	}
}

// brokenStore is a store that is down.
type brokenStore struct{ err error }

func (s brokenStore) Update(context.Context, string, func(time.Time, []byte) ([]byte, time.Time)) error {
	return s.err
}

func TestAStoreThatIsDownFailsClosed(t *testing.T) {
	var site fetchtest.Site
	cfg := politeConfig(&site)
	down := errors.New("store is down")
	cfg.Store = brokenStore{down}
	bot := newBot(t, cfg)
	_, err := bot.Fetch(t.Context(), site1+"/", nil)
	require.ErrorIs(t, err, down)
	got := visit(t, bot, site1+"/", politefetch.VisitOptions{})
	require.ErrorIs(t, got.errs[site1+"/"], down)
	assert.NotEqual(t, politefetch.Done, got.report.Outcome)
	assert.Empty(t, site.Log(), "no request")
}

var _ ratepolicy.Store = brokenStore{}
