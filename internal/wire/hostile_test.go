package wire_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"

	"github.com/politefetch/sdk/internal/wire"
)

const (
	head  = "HTTP/1.1 200 OK\r\n"
	limit = 64 << 10 // of a body here
)

func gz(t *testing.T, size int) string {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	require.NoError(t, err)
	for zeros := make([]byte, 1<<20); size > 0; size -= len(zeros) {
		_, _ = w.Write(zeros[:min(size, len(zeros))])
	}
	w.Close()
	return b.String()
}

func gzText(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	w.Close()
	return b.String()
}

// hostile is an answer and what must become of it.
type hostile struct {
	name string
	f    func(w io.Writer) // the answer; the connection is closed after it
	want error             // nil: an ordinary answer
	body string            // what is kept; "*": as much as the limit
	cut  bool              // Truncated
	sent int64             // bytes the server may get rid of; 0: not checked
}

// once writes a fixed answer.
func once(s string) func(io.Writer) { return func(w io.Writer) { write(w, s) } }

// flood writes a start, and then the same over and over.
func flood(start, s string) func(io.Writer) {
	return func(w io.Writer) {
		for ok := write(w, start); ok; ok = write(w, s) {
		}
	}
}

func (h hostile) run(t *testing.T) {
	t.Helper()
	within(t, 2500*time.Millisecond, func() time.Duration { return h.once(t) })
}

func (h hostile) once(t *testing.T) time.Duration {
	t.Helper()
	s := serve1(t, func(w io.Writer, _ int) bool { h.f(w); return false })
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r := fetch(ctx, transport(t, s), s.url, limit)
	if h.want == nil {
		require.NoError(t, r.err)
	} else {
		require.ErrorIs(t, r.err, h.want)
		assert.Less(t, len(r.err.Error()), 400)
	}
	if h.body == "*" {
		assert.Len(t, r.body, limit)
	} else {
		assert.Equal(t, h.body, string(r.body))
	}
	assert.Equal(t, h.cut, r.truncated, "truncated")
	assert.EqualValues(t, 1, s.requests.Load(), "requests at the server")
	if h.sent > 0 {
		assert.Less(t, s.sent.Load(), h.sent, "bytes sent")
	}
	return r.took
}

const socket = 8 << 20 // what socket buffers may hold beyond what we read

func TestHostileHeads(t *testing.T) {
	distinct := func(w io.Writer) {
		write(w, head)
		for i := 0; ; {
			var b strings.Builder
			for range 1000 {
				fmt.Fprintf(&b, "%x:\r\n", i)
				i++
			}
			if !write(w, b.String()) {
				return
			}
		}
	}
	for _, h := range []hostile{
		{name: "endless lines", f: flood(head, "X-Pad: "+strings.Repeat("a", 1000)+"\r\n"), want: wire.ErrBudget, sent: socket},
		{name: "endless distinct names", f: distinct, want: wire.ErrBudget, sent: socket},
		{name: "one endless line", f: flood(head+"X: ", strings.Repeat("a", 65536)), want: wire.ErrBudget, sent: socket},
		{name: "9 MiB Location", f: once("HTTP/1.1 302 F\r\nLocation: /" + strings.Repeat("a", 9<<20) + "\r\n\r\n"), want: wire.ErrBudget, sent: socket},
		{name: "1xx flood", f: flood("", strings.Repeat("HTTP/1.1 103 E\r\n\r\n", 1000)), want: wire.ErrBudget, sent: socket},
		{name: "HTTP/0.9", f: once("<html>hi</html>"), want: wire.ErrProtocol},
		{name: "ICY", f: once("ICY 200 OK\r\n\r\nx"), want: wire.ErrProtocol},
		{name: "SSH", f: once("SSH-2.0-OpenSSH_9.9\r\n"), want: wire.ErrProtocol},
		{name: "leading CRLF", f: once("\r\n" + head + "\r\nx"), want: wire.ErrProtocol},
		{name: "no colon", f: once(head + "garbage\r\n\r\nx"), want: wire.ErrProtocol},
		{name: "space before the colon", f: once(head + "A : b\r\n\r\nx"), body: "x"},
		{name: "NUL", f: once(head + "A: b\x00c\r\n\r\nx"), want: wire.ErrProtocol},
		{name: "status 099", f: once("HTTP/1.1 099 X\r\n\r\nx"), want: wire.ErrProtocol},
		{name: "status 1000", f: once("HTTP/1.1 1000 X\r\n\r\nx"), want: wire.ErrProtocol},
		{name: "status 999", f: once("HTTP/1.1 999 X\r\n\r\nx"), body: "x"},
		{name: "HTTP/2.0 on HTTP/1", f: once("HTTP/2.0 200 OK\r\n\r\nx"), want: wire.ErrProtocol},
		{name: "101", f: once("HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nhello"), want: wire.ErrProtocol},
		{name: "two lengths", f: once(head + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"), want: wire.ErrProtocol},
		{name: "length banana", f: once(head + "Content-Length: banana\r\n\r\nhello"), want: wire.ErrProtocol},
		{name: "length -1", f: once(head + "Content-Length: -1\r\n\r\nhello"), want: wire.ErrProtocol},
		{name: "transfer coding gzip", f: once(head + "Transfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"), want: wire.ErrProtocol},
		{name: "closed without an answer", f: once(""), want: wire.ErrCut},
		{name: "closed within the head", f: once(head + "A: "), want: wire.ErrCut},
		{name: "no reason phrase", f: once("HTTP/1.1 200\r\n\r\nx"), body: "x"},
		{name: "4000 cookies", f: once(head + strings.Repeat("Set-Cookie: a=\r\n", 4000) + "\r\nx"), body: "x"},
	} {
		t.Run(h.name, h.run)
	}
}

func TestHostileBodies(t *testing.T) {
	chunked := head + "Transfer-Encoding: chunked\r\n\r\n"
	zipped := head + "Content-Encoding: gzip\r\n\r\n"
	hello := gzText(t, "hello")
	for _, h := range []hostile{
		{name: "endless", f: flood(head+"\r\n", strings.Repeat("x", 65536)), body: "*", cut: true, sent: socket},
		{name: "endless chunks", f: flood(chunked, "10000\r\n"+strings.Repeat("x", 65536)+"\r\n"), body: "*", cut: true, sent: socket},
		{name: "fat chunk extensions", f: flood(chunked, strings.Repeat("1;"+strings.Repeat("e", 1000)+"\r\nx\r\n", 64)), want: wire.ErrProtocol, body: strings.Repeat("x", 16), sent: socket},
		{name: "length too long", f: once(head + "Content-Length: 100\r\n\r\nhello"), want: wire.ErrCut, body: "hello"},
		{name: "length 9e18", f: once(head + "Content-Length: 9223372036854775807\r\n\r\nhello"), want: wire.ErrCut, body: "hello"},
		{name: "length and chunked", f: once(head + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"), body: "hello"},
		{name: "chunk size garbage", f: once(chunked + "5\r\nhello\r\nZZ\r\nhello\r\n0\r\n\r\n"), want: wire.ErrProtocol, body: "hello"},
		{name: "chunk size overflow", f: once(chunked + "5\r\nhello\r\nfffffffffffffffff\r\nhello"), want: wire.ErrProtocol, body: "hello"},
		{name: "chunk without CRLF", f: once(chunked + "5\r\nhelloXX0\r\n\r\n"), want: wire.ErrProtocol, body: "hello"},
		{name: "chunk line too long", f: once(chunked + "5\r\nhello\r\n5;" + strings.Repeat("e", 5000) + "\r\nhello\r\n0\r\n\r\n"), want: wire.ErrProtocol, body: "hello"},
		{name: "no last chunk", f: once(chunked + "5\r\nhello\r\n"), want: wire.ErrCut, body: "hello"},
		{name: "trailer bomb", f: flood(chunked+"5\r\nhello\r\n0\r\n", strings.Repeat("T: x\r\n", 1000)), want: wire.ErrProtocol, body: "hello", sent: socket},
		{name: "gzip", f: once(zipped + hello), body: "hello"},
		{name: "x-gzip", f: once(head + "Content-Encoding: X-Gzip\r\n\r\n" + hello), body: "hello"},
		{name: "gzip in several members", f: once(zipped + hello + gzText(t, "") + gzText(t, " world")), body: "hello world"},
		{name: "gzip bomb", f: once(zipped + gz(t, 16<<20)), body: "*", cut: true},
		{name: "gzip, empty members", f: flood(zipped, strings.Repeat(gz(t, 0), 1000)), want: wire.ErrBudget, sent: socket},
		{name: "gzip, then empty members", f: flood(zipped+hello, strings.Repeat(gz(t, 0), 1000)), want: wire.ErrBudget, body: "hello", sent: socket},
		{name: "gzip, then garbage", f: once(zipped + hello + "garbage"), body: "hello"},
		{name: "gzip, then zeros", f: once(zipped + hello + strings.Repeat("\x00", 600)), body: "hello"},
		{name: "gzip, then half a header", f: once(zipped + hello + "\x1f\x8b\x08"), body: "hello"},
		{name: "gzip ends early", f: once(zipped + hello[:len(hello)-8]), want: wire.ErrGzip, body: "hello"},
		{name: "gzip ends in the header", f: once(zipped + hello[:4]), want: wire.ErrGzip},
		{name: "gzip with a bad checksum", f: once(zipped + hello[:len(hello)-8] + "\x00\x00\x00\x00\x05\x00\x00\x00"), want: wire.ErrGzip, body: "hello"},
		{name: "gzip cut by the transfer", f: once(head + "Content-Encoding: gzip\r\nContent-Length: 1000\r\n\r\n" + hello), want: wire.ErrCut, body: "hello"},
		{name: "gzip, empty body", f: once(zipped), body: ""},
		{name: "gzip, 204", f: once("HTTP/1.1 204 No\r\nContent-Encoding: gzip\r\n\r\n"), body: ""},
		{name: "gzip twice", f: once(head + "Content-Encoding: gzip, gzip\r\n\r\n" + gzText(t, hello)), want: wire.ErrEncoding},
		{name: "gzip twice in two lines", f: once(head + "Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n\r\n" + gzText(t, hello)), want: wire.ErrEncoding},
		{name: "a coding that is none", f: once(head + "Content-Encoding: none, UTF-8\r\nContent-Length: 5\r\n\r\nhello"), body: "hello"},
		{name: "br unasked", f: once(head + "Content-Encoding: br\r\n\r\nxxxx"), want: wire.ErrEncoding},
		{name: "identity", f: once(head + "Content-Encoding: identity\r\n\r\nhello"), body: "hello"},
		{name: "as long as the limit", f: once(head + "\r\n" + strings.Repeat("x", limit)), body: "*"},
		{name: "a byte longer", f: once(head + "\r\n" + strings.Repeat("x", limit+1)), body: "*", cut: true},
	} {
		t.Run(h.name, h.run)
	}
}

func TestGzipLabelOnPlainBodyIsFlagged(t *testing.T) {
	for body, flagged := range map[string]bool{"<html>plain": true, "x": true, gzText(t, "hello"): false, "": false} {
		s := serve1(t, func(w io.Writer, _ int) bool { write(w, head+"Content-Encoding: gzip\r\n\r\n"+body); return false })
		r := fetch(t.Context(), transport(t, s), s.url, limit)
		require.NoError(t, r.err)
		assert.Equal(t, flagged, r.wrong, "%q", body)
		if flagged {
			assert.Equal(t, body, string(r.body))
		}
	}
}

func TestSlowServersEndInTime(t *testing.T) {
	const head10, ctx15 = 10 * time.Second, 15 * time.Second
	for _, tt := range []struct {
		name        string
		start, each string
		body        bool
	}{
		{"never answers", "", "", false},
		{"drips its head", head, "a", false},
		{"drips 1xx", "", "HTTP/1.1 103 E\r\n\r\n", false},
		{"drips its body", head + "Content-Length: 1000000\r\n\r\n", "x", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var requests atomic.Int64
				defer time.Sleep(time.Minute) // for the server to end
				tr := wire.NewTransport(pipes(func(c net.Conn) {
					if _, err := http.ReadRequest(bufio.NewReader(c)); err != nil {
						return
					}
					requests.Add(1)
					ok := tt.start == "" || write(c, tt.start)
					for n := 0; ok && n < 30; n++ {
						time.Sleep(time.Second)
						ok = tt.each == "" || write(c, tt.each)
					}
				}))
				tr.SetTimeouts(head10)
				ctx, cancel := context.WithTimeout(t.Context(), ctx15)
				defer cancel()
				r := fetch(ctx, tr, "http://ok.test/", limit)
				require.ErrorIs(t, r.err, wire.ErrTimeout)
				if tt.body {
					assert.NotEmpty(t, r.body)
					assert.Equal(t, ctx15, r.took)
				} else {
					assert.Equal(t, head10, r.took, "the head's own limit is shorter")
				}
				assert.EqualValues(t, 1, requests.Load())
			})
		})
	}
}

func TestHostileHTTP2(t *testing.T) {
	ok := fields(":status", "200")
	headers := func(fr *http2.Framer, id uint32, block []byte, end bool) error {
		return fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block, EndHeaders: true, EndStream: end})
	}
	forever := func(f func() error) bool {
		for f() == nil {
		}
		return false
	}
	for _, tt := range []struct {
		name string
		want error
		or   error // as good: which limit is hit first
		f    func(fr *http2.Framer, id uint32) bool
	}{
		{"PING flood", wire.ErrBudget, wire.ErrTimeout, func(fr *http2.Framer, _ uint32) bool {
			return forever(func() error { return fr.WritePing(false, [8]byte{}) })
		}},
		{"SETTINGS flood", wire.ErrBudget, wire.ErrTimeout, func(fr *http2.Framer, _ uint32) bool {
			return forever(func() error { return fr.WriteSettings() })
		}},
		{"empty DATA flood", wire.ErrBudget, nil, func(fr *http2.Framer, id uint32) bool {
			_ = headers(fr, id, ok, false)
			return forever(func() error { return fr.WriteData(id, false, nil) })
		}},
		{"1xx flood", wire.ErrBudget, nil, func(fr *http2.Framer, id uint32) bool {
			h := fields(":status", "103")
			return forever(func() error { return headers(fr, id, h, false) })
		}},
		{"CONTINUATION flood", wire.ErrProtocol, wire.ErrBudget, func(fr *http2.Framer, id uint32) bool {
			_ = fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: ok})
			h := fields("x-a", strings.Repeat("b", 8000))
			return forever(func() error { return fr.WriteContinuation(id, false, h) })
		}},
		{"length too long", wire.ErrCut, nil, func(fr *http2.Framer, id uint32) bool {
			_ = headers(fr, id, fields(":status", "200", "content-length", "100"), false)
			return fr.WriteData(id, true, []byte("hello")) == nil
		}},
		{"WINDOW_UPDATE overflow", wire.ErrProtocol, nil, func(fr *http2.Framer, id uint32) bool {
			return fr.WriteWindowUpdate(id, 1<<31-1) == nil
		}},
		{"PUSH_PROMISE", wire.ErrProtocol, nil, func(fr *http2.Framer, id uint32) bool {
			return fr.WritePushPromise(http2.PushPromiseParam{
				StreamID: id, PromiseID: 2, EndHeaders: true,
				BlockFragment: fields(":method", "GET", ":path", "/x", ":scheme", "https", ":authority", "a"),
			}) == nil
		}},
		{"HTTP/1 text", wire.ErrProtocol, nil, func(fr *http2.Framer, id uint32) bool {
			return fr.WriteRawFrame(0x54, 0x50, 0x2f312e31, nil) == nil && fr.WriteData(id+2, true, nil) == nil
		}},
		{"data beyond the window", nil, nil, func(fr *http2.Framer, id uint32) bool {
			_ = headers(fr, id, ok, false)
			block := make([]byte, 16384)
			return forever(func() error { return fr.WriteData(id, false, block) })
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			within(t, 2500*time.Millisecond, func() time.Duration {
				s := serve2(t, tt.f)
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				r := fetchBudget(ctx, transport(t, s), s.url, limit/4, limit) // each frame is work for net/http
				if tt.or == nil || !errors.Is(r.err, tt.or) {
					require.ErrorIs(t, r.err, tt.want)
				}
				assert.Equal(t, tt.want == nil, r.truncated)
				assert.EqualValues(t, 1, s.requests.Load())
				assert.Less(t, s.sent.Load(), int64(socket))
				return r.took
			})
		})
	}
}

// A server that floods pings and reads no answer cannot hold the connection for long, nor
// the goroutine that wants to answer.
func TestBlockedWritesEnd(t *testing.T) {
	ended := make(chan struct{})
	s := serve2(t, func(fr *http2.Framer, _ uint32) bool {
		for fr.WritePing(false, [8]byte{}) == nil {
		}
		close(ended)
		return false
	})
	tr := transport(t, s)
	tr.SetTimeouts(300 * time.Millisecond)
	r := fetchBudget(t.Context(), tr, s.url, limit, 1<<30)
	require.ErrorIs(t, r.err, wire.ErrTimeout)
	assert.True(t, os.IsTimeout(r.err), "clients see it too")
	select {
	case <-ended:
	case <-time.After(patience):
		t.Fatal("the connection is still there")
	}
}

// Dialling and the handshake end with their call, and within their own limit.
func TestNothingOutlivesACall(t *testing.T) {
	ended := make(chan struct{})
	tr := wire.NewTransport(func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, fetch(ctx, tr, "http://ok.test/", limit).err, wire.ErrTimeout)
	select {
	case <-ended:
	case <-time.After(patience):
		t.Fatal("the dial goes on")
	}

	// A server that accepts and then says nothing, at the time of the handshake.
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	gone := make(chan error, 2)
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			_, err = io.Copy(io.Discard, c)
			c.Close()
			gone <- err
		}
	}()
	silent := transport(t, nil)
	silent.SetTimeouts(10 * patience)
	ctx2, cancel2 := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel2()
	require.ErrorIs(t, fetch(ctx2, silent, "https://"+ln.Addr().String()+"/", limit).err, wire.ErrTimeout)
	select {
	case <-gone:
	case <-time.After(patience):
		t.Fatal("the handshake goes on")
	}
	silent = transport(t, nil)
	silent.SetTimeouts(400 * time.Millisecond)
	within(t, time.Second, func() time.Duration {
		r := fetch(t.Context(), silent, "https://"+ln.Addr().String()+"/", limit)
		require.ErrorIs(t, r.err, wire.ErrTimeout)
		assert.True(t, os.IsTimeout(r.err))
		<-gone
		return r.took
	})
}
