package politefetch_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/internal/wire"
	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/ratepolicy"
)

// The limits that every script is held against.
const (
	hostileBody  = 2 << 20 // Config.MaxBody's default
	hostileWire  = hostileBody + 1<<20 + 64<<10
	hostileHead  = 64<<10 + 8<<10 // what a head may be, and a buffer
	hostileTime  = 15 * time.Second
	hostileHeap  = 32 << 20
	hostileError = 500 // bytes of an error text
)

// A hostile script is an answer and what must become of it.
type hostile struct {
	name string
	f    func(w io.Writer) // the answer to the page; the connection is closed after it

	want    error               // a kind of failure; nil: none
	outcome politefetch.Outcome // "": Failed if there is a kind, else Done
	status  int                 // 0: not checked
	body    string              // what is kept; "*": as much as MaxBody, "+": some
	cut     bool                // Truncated
	sent    int64               // bytes the server may get rid of; 0: hostileWire
	took    time.Duration       // exactly, in fake time; 0: at once
	robots  func(w io.Writer)   // in place of a robots.txt; nil: 404
	deaf    bool                // it does not even read the request
	barred  bool                // some error, and no request for the page
}

// hostileServer speaks HTTP/1 over in-memory connections, which buffer nothing: what it
// gets rid of is what the client reads.
type hostileServer struct {
	h        *hostile
	redirect func(path string) string       // in place of a script: where each address leads
	site     func(w io.Writer, path string) // in place of a script: what each address answers
	requests atomic.Int64                   // for pages
	sent     atomic.Int64                   // bytes of their answers
}

func (s *hostileServer) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	go s.serve(server)
	return client, nil
}

func (s *hostileServer) serve(c net.Conn) {
	defer c.Close()
	r := bufio.NewReader(c)
	for {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		if req.URL.Path == "/robots.txt" {
			if s.h.robots != nil {
				s.h.robots(&metered{Writer: c, n: &s.sent})
				return
			}
			put(c, noRobots)
			if s.h.deaf {
				s.requests.Add(1)
				time.Sleep(time.Minute)
				return
			}
			continue
		}
		s.requests.Add(1)
		w := &metered{Writer: c, n: &s.sent}
		switch {
		case s.redirect != nil:
			put(w, "HTTP/1.1 302 F\r\nContent-Type: text/html\r\nLocation: "+s.redirect(req.URL.Path)+"\r\n\r\n"+strings.Repeat("x", 32<<10))
		case s.site != nil:
			s.site(w, req.URL.Path)
		default:
			s.h.f(w)
		}
		return
	}
}

// metered counts what was written. Texts go through one buffer, so that the heap that is
// watched is not the server's.
type metered struct {
	io.Writer
	n   *atomic.Int64
	buf []byte
}

func (m *metered) WriteString(s string) (n int, err error) {
	if m.buf == nil {
		m.buf = make([]byte, 32<<10)
	}
	for err == nil && n < len(s) {
		var k int
		k, err = m.Write(m.buf[:copy(m.buf, s[n:])])
		n += k
	}
	return n, err
}

func (m *metered) Write(p []byte) (int, error) {
	n, err := m.Writer.Write(p)
	m.n.Add(int64(n))
	return n, err
}

func put(w io.Writer, s string) bool {
	_, err := io.WriteString(w, s)
	return err == nil
}

// fixed writes a fixed answer.
func fixed(s string) func(io.Writer) { return func(w io.Writer) { put(w, s) } }

// flood writes a start, and then the same over and over.
func flood(start, s string) func(io.Writer) {
	return func(w io.Writer) {
		for ok := put(w, start); ok; ok = put(w, s) {
		}
	}
}

// drip writes a start, and then the same over and over after a pause.
func drip(start, s string, pause time.Duration) func(io.Writer) {
	return func(w io.Writer) {
		for ok := put(w, start); ok; ok = put(w, s) {
			time.Sleep(pause)
		}
	}
}

// stall writes a start and then nothing more.
func stall(start string) func(io.Writer) {
	return func(w io.Writer) {
		put(w, start)
		time.Sleep(time.Hour)
	}
}

func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	require.NoError(t, err)
	_, _ = io.WriteString(w, text)
	require.NoError(t, w.Close())
	return b.String()
}

// hostileBot is one with the defaults of everything that matters here.
func hostileBot(t *testing.T, s *hostileServer) *politefetch.Crawler {
	t.Helper()
	cfg := politeConfig(nil)
	tr := wire.NewTransport(s.dial)
	cfg.Transport = tr
	cfg.Policy.Normal = ratepolicy.Pace{Delay: -1, Burst: 100}
	return newBot(t, cfg)
}

// run fetches the answer in fake time and holds what came of it against the script and
// the limits of all scripts.
func (h *hostile) run(t *testing.T) {
	t.Helper()
	peak := watchHeap(t)
	synctest.Test(t, func(t *testing.T) {
		s := &hostileServer{h: h}
		bot := hostileBot(t, s)
		defer time.Sleep(2 * time.Hour) // for scripts to end
		defer bot.CloseIdleConnections()
		began := time.Now()
		p, err := bot.Fetch(t.Context(), "http://hostile.example/", nil)
		took := time.Since(began)
		h.judge(t, p, err)
		assert.Equal(t, h.took, took.Round(10*time.Millisecond), "it took")
		assert.LessOrEqual(t, took, hostileTime)
		most := h.sent
		if most == 0 {
			most = hostileWire
		}
		assert.LessOrEqual(t, s.sent.Load(), most, "bytes that the server got rid of")
		requests := int64(1)
		if h.barred {
			requests = 0
		}
		assert.Equal(t, requests, s.requests.Load(), "requests for the page")
	})
	assert.Less(t, peak(), int64(hostileHeap), "peak of the heap")
}

func (h *hostile) judge(t *testing.T, p *politefetch.Page, err error) {
	t.Helper()
	outcome := h.outcome
	switch {
	case h.barred:
		require.Error(t, err)
		assert.Less(t, len(err.Error()), hostileError)
	case h.want == nil:
		require.NoError(t, err)
		if outcome == "" {
			outcome = politefetch.Done
		}
	default:
		require.ErrorIs(t, err, h.want)
		assert.Less(t, len(err.Error()), hostileError)
		for _, c := range err.Error() {
			if c < ' ' || c == 0x7f || c > 0x7e && c != '…' {
				t.Errorf("the error text holds %q: %q", c, err)
			}
		}
		if outcome == "" {
			outcome = politefetch.Failed
		}
	}
	assert.Equal(t, outcome, p.Outcome)
	if h.status != 0 {
		assert.Equal(t, h.status, p.Status)
	}
	switch h.body {
	case "*":
		assert.Len(t, p.Body, hostileBody)
	case "+":
		assert.NotEmpty(t, p.Body)
		assert.LessOrEqual(t, len(p.Body), hostileBody)
	default:
		assert.Equal(t, h.body, string(p.Body))
	}
	assert.Equal(t, h.cut, p.Truncated, "truncated")
}

// watchHeap samples the heap until its function is called, which says by how much it grew
// at most, garbage included.
func watchHeap(t *testing.T) (peak func() int64) {
	t.Helper()
	runtime.GC()
	base := heapNow()
	stop, most := make(chan struct{}), make(chan int64)
	go func() {
		var top int64
		tick := time.NewTicker(250 * time.Microsecond)
		defer tick.Stop()
		for {
			top = max(top, heapNow()-base)
			select {
			case <-stop:
				most <- top
				return
			case <-tick.C:
			}
		}
	}()
	return func() int64 {
		close(stop)
		top := <-most
		hostilePeak.Store(max(hostilePeak.Load(), top))
		hostileCount.Add(1)
		if testing.Verbose() {
			t.Logf("peak of the heap: %.1f MiB", float64(top)/(1<<20))
		}
		return top
	}
}

// What all scripts of a test run came to.
var hostilePeak, hostileCount atomic.Int64

func heapNow() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

// runHostile runs a table of scripts and says how they did.
func runHostile(t *testing.T, scripts []hostile) {
	t.Helper()
	for _, h := range scripts {
		t.Run(h.name, h.run)
	}
	t.Logf("%d scripts; so far %d in all, greatest peak of the heap %.1f MiB", len(scripts), hostileCount.Load(), float64(hostilePeak.Load())/(1<<20))
}

// pageHead is that of a page.
const pageHead = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"

// with adds fields to the head of a page.
func with(fields string) string { return strings.TrimSuffix(pageHead, "\r\n") + fields + "\r\n\r\n" }
