package wire_test

import (
	"crypto/x509"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"

	"github.com/politefetch/sdk/internal/wire"
)

// Frames that are to be ignored are, wherever they stand between others and however the
// bytes are cut into records.
func TestHTTP2AnswersInAnyPieces(t *testing.T) {
	noise := func(r *rand.Rand, id uint32) string {
		return []string{
			rawFrame(0xbe, http2.Flags(r.Uint32()), r.Uint32(), strings.Repeat("\x00\x00\x00\x04", r.IntN(300))),
			rawFrame(0x0a, 0, 0, ""),                    // ALTSVC, RFC 7838
			rawFrame(0x0c, 0, 0, "\x00\x0chttps://x.y"), // ORIGIN, RFC 8336
			rawFrame(http2.FramePriorityUpdate, 0, 0, "\x00\x00\x00\x01u=3"),
			rawFrame(http2.FramePriority, 0, id, "\x00\x00\x00\x00\x10"),
			rawFrame(http2.FramePing, 0, 0, "12345678"),
			rawFrame(http2.FrameWindowUpdate, 0, id, "\x00\x00\x00\x01"),
			rawFrame(http2.FrameRSTStream, 0, 1<<20+1, "\x00\x00\x00\x08"),
			"",
		}[r.IntN(9)]
	}
	answer := func(r *rand.Rand, id uint32, body string) string {
		var b strings.Builder
		for range r.IntN(3) {
			b.WriteString(noise(r, id) + rawFrame(http2.FrameHeaders, 4, id, string(fields(":status", "103"))))
		}
		head := string(fields(":status", "200", "x-pad", strings.Repeat("p", r.IntN(500))))
		cut := r.IntN(len(head))
		b.WriteString(noise(r, id) + rawFrame(http2.FrameHeaders, 0, id, head[:cut]) +
			strings.Repeat(rawFrame(http2.FrameContinuation, 0, id, ""), r.IntN(8)) + rawFrame(http2.FrameContinuation, 4, id, head[cut:]))
		for body != "" {
			n := 1 + r.IntN(min(len(body), 16000))
			pad := r.IntN(256)
			b.WriteString(noise(r, id) + rawFrame(http2.FrameData, 8, id|uint32(r.IntN(2))<<31, string(rune(pad&0x7f))+body[:n]+strings.Repeat("\x00", pad&0x7f)))
			body = body[n:]
		}
		switch r.IntN(3) {
		case 0:
			b.WriteString(rawFrame(http2.FrameData, 1, id, ""))
		case 1:
			b.WriteString(rawFrame(http2.FrameHeaders, 5, id, string(fields("x-trailer", "t"))))
		default:
			b.WriteString(rawFrame(http2.FrameGoAway, 0, 0, "\x00\x00\x00\x01\x00\x00\x00\x00bye") + noise(r, id) + rawFrame(http2.FrameData, 1, id, ""))
		}
		return b.String()
	}
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		body := strings.Repeat("0123456789", r.IntN(2000))
		s := serve2raw(t, func(w io.Writer, id uint32) {
			for text := answer(r, id, body); text != ""; {
				n := min(1+r.IntN(1<<r.IntN(12)), len(text))
				if !write(w, text[:n]) {
					return
				}
				text = text[n:]
			}
		})
		got := fetch(t.Context(), transport(t, s), s.url, 1<<20)
		require.NoError(t, got.err, "seed %d", seed)
		require.Equal(t, body, string(got.body), "seed %d", seed)
	}
}

// What is malformed is refused as such, in no time, with one request and nothing in the log.
func TestMalformedFrames(t *testing.T) {
	ok := string(fields(":status", "200"))
	head := func(id uint32) string { return rawFrame(http2.FrameHeaders, 4, id, ok) }
	data := func(id uint32) string { return rawFrame(http2.FrameData, 1, id, "x") }
	for _, tt := range []struct {
		name string
		f    func(id uint32) string
		want error
	}{
		{"PRIORITY of 4 bytes", func(id uint32) string { return rawFrame(http2.FramePriority, 0, id, "1234") + head(id) }, wire.ErrProtocol},
		{"PRIORITY of no stream", func(id uint32) string { return rawFrame(http2.FramePriority, 0, 0, "12345") + head(id) }, wire.ErrProtocol},
		{"unknown frame of 17 KiB", func(id uint32) string { return rawFrame(0xbe, 0, 0, strings.Repeat("x", 17<<10)) + head(id) }, wire.ErrProtocol},
		{"unknown frame in a head", func(id uint32) string {
			return rawFrame(http2.FrameHeaders, 0, id, ok) + rawFrame(0xbe, 0, 0, "") + rawFrame(http2.FrameContinuation, 4, id, "")
		}, wire.ErrProtocol},
		{"PRIORITY in a head", func(id uint32) string {
			return rawFrame(http2.FrameHeaders, 0, id, ok) + rawFrame(http2.FramePriority, 0, id, "12345") + rawFrame(http2.FrameContinuation, 4, id, "")
		}, wire.ErrProtocol},
		{"CONTINUATION without a head", func(id uint32) string { return rawFrame(http2.FrameContinuation, 4, id, ok) }, wire.ErrProtocol},
		{"CONTINUATION of another stream", func(id uint32) string {
			return rawFrame(http2.FrameHeaders, 0, id, ok) + rawFrame(http2.FrameContinuation, 4, id+2, "")
		}, wire.ErrProtocol},
		{"head on the next stream", func(id uint32) string { return head(id + 2) }, wire.ErrProtocol},
		{"head on a stream of the server's", func(id uint32) string { return head(id + 1) }, wire.ErrProtocol},
		{"data before a head", func(id uint32) string { return data(id) + head(id) }, wire.ErrProtocol},
		{"data on no stream", func(id uint32) string { return head(id) + data(0) }, wire.ErrProtocol},
		{"GOAWAY of 7 bytes", func(uint32) string { return rawFrame(http2.FrameGoAway, 0, 0, "1234567") }, wire.ErrProtocol},
		{"GOAWAY on a stream", func(id uint32) string { return rawFrame(http2.FrameGoAway, 0, id, "\x00\x00\x00\x01\x00\x00\x00\x00") }, wire.ErrProtocol},
		{"status 99", func(id uint32) string { return rawFrame(http2.FrameHeaders, 5, id, string(fields(":status", "99"))) }, wire.ErrProtocol},
		{"status 1000", func(id uint32) string { return rawFrame(http2.FrameHeaders, 5, id, string(fields(":status", "1000"))) }, wire.ErrProtocol},
		{"cut in a frame's header", func(id uint32) string { return head(id)[:5] }, wire.ErrCut},
		{"cut in an unknown frame", func(uint32) string { return rawFrame(0xbe, 0, 0, "unknown")[:12] }, wire.ErrCut},
		{"cut in a GOAWAY", func(uint32) string { return rawFrame(http2.FrameGoAway, 0, 0, "12345678")[:12] }, wire.ErrCut},
		{"cut after the head", head, wire.ErrCut},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve2raw(t, func(w io.Writer, id uint32) { write(w, tt.f(id)) })
			r := fetch(t.Context(), transport(t, s), s.url, 1000)
			require.ErrorIs(t, r.err, tt.want)
			assert.Less(t, r.took, 4*time.Second, "not by a time-out")
			assert.EqualValues(t, 1, s.requests.Load(), "requests at the server")
		})
	}
}

// Data after the end of its answer ends the connection, not the answer.
func TestHTTP2DataAfterTheEnd(t *testing.T) {
	for _, body := range []string{"ok", ""} { // "": the head is the end
		s := serve2(t, func(fr *http2.Framer, id uint32) bool {
			_ = fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: fields(":status", "200"), EndHeaders: true, EndStream: body == ""})
			if body != "" {
				_ = fr.WriteData(id, true, []byte(body))
			}
			return fr.WriteData(id, true, []byte("more")) == nil
		})
		tr := transport(t, s)
		for range 5 {
			r := fetch(t.Context(), tr, s.url, 1000)
			require.NoError(t, r.err)
			assert.Equal(t, body, string(r.body))
			assert.Eventually(t, func() bool { return s.open.Load() == 0 }, patience, time.Millisecond)
		}
		assert.EqualValues(t, 5, s.conns.Load())
	}
}

// Where the writing to a server fails, so does every answer that it still owes: it has hung
// up, whatever x/net calls it.
func TestHTTP2AnswersOwedWhenAWriteFails(t *testing.T) {
	first, owed := true, make(chan struct{})
	s := serve2(t, func(fr *http2.Framer, id uint32) bool {
		if !first {
			close(owed)
			return true
		}
		first = false
		return fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: fields(":status", "200"), EndHeaders: true, EndStream: true}) == nil
	})
	tr := transport(t, s)
	gone := new(deafConn)
	tr.WrapDial(func(c net.Conn) net.Conn { gone.Conn = c; return gone })
	require.NoError(t, fetch(t.Context(), tr, s.url, 1000).err)
	done := make(chan error)
	go func() { done <- fetch(t.Context(), tr, s.url, 1000).err }()
	<-owed
	gone.deaf.Store(true)
	require.ErrorIs(t, fetch(t.Context(), tr, s.url, 1000).err, wire.ErrCut)
	require.ErrorIs(t, <-done, wire.ErrCut)
	assert.EqualValues(t, 1, s.conns.Load())
	assert.EqualValues(t, 2, s.requests.Load())
}

// deafConn is a connection to a peer that hears nothing any more.
type deafConn struct {
	net.Conn
	deaf atomic.Bool
}

func (c *deafConn) Write(p []byte) (int, error) {
	if c.deaf.Load() {
		return 0, syscall.EPIPE
	}
	return c.Conn.Write(p)
}

// A server that does not begin as one of HTTP/2 is refused as such, asked or not.
func TestHTTP2ServerThatBeginsOtherwise(t *testing.T) {
	for _, text := range []string{
		"HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-OpenSSH_9.9\r\n",
		rawFrame(http2.FramePing, 0, 0, "12345678"), rawFrame(0xbe, 0, 0, ""), rawFrame(http2.FrameData, 0, 1, "x"),
	} {
		for _, asked := range []bool{true, false} {
			t.Run(fmt.Sprintf("%.3q %v", text, asked), func(t *testing.T) {
				s := serveALPN(t, "h2", func(rw io.ReadWriter) {
					if asked {
						_, _ = io.ReadFull(rw, make([]byte, len(http2.ClientPreface)))
						fr := http2.NewFramer(nil, rw)
						for f, err := fr.ReadFrame(); err == nil && f.Header().Type != http2.FrameHeaders; f, err = fr.ReadFrame() {
						}
					}
					write(rw, text)
					_, _ = io.Copy(io.Discard, rw)
				})
				r := fetch(t.Context(), transport(t, s), s.url, 1000)
				require.ErrorIs(t, r.err, wire.ErrProtocol)
			})
		}
	}
}

// What a server asks for at its goodbye is held against that server alone.
func TestCalmIsOfItsOwnConnection(t *testing.T) {
	asked, said := make(chan struct{}), make(chan struct{})
	calm := serve2(t, func(fr *http2.Framer, _ uint32) bool {
		<-asked
		return fr.WriteGoAway(0, http2.ErrCodeEnhanceYourCalm, nil) == nil
	})
	other := serve2(t, func(fr *http2.Framer, _ uint32) bool {
		close(asked)
		<-said
		return fr.WriteGoAway(0, http2.ErrCodeNo, nil) == nil
	})
	tr := transport(t, calm)
	trust(tr, calm, other)
	done := make(chan error)
	go func() { done <- fetch(t.Context(), tr, other.url, 1000).err }()
	err := fetch(t.Context(), tr, calm.url, 1000).err
	close(said)
	require.ErrorIs(t, err, wire.ErrCalm)
	err = <-done
	require.ErrorIs(t, err, wire.ErrResend)
	require.NotErrorIs(t, err, wire.ErrCalm)
}

// A flood between two requests ends the connection: no goroutine works for it for long.
func TestFloodOfAnIdleConnection(t *testing.T) {
	for name, frame := range map[string]string{
		"unknown": rawFrame(0xbe, 0, 0, ""), "PING": rawFrame(http2.FramePing, 0, 0, "12345678"), "SETTINGS": rawFrame(http2.FrameSettings, 0, 0, ""),
	} {
		t.Run(name, func(t *testing.T) {
			s := serve2raw(t, func(w io.Writer, id uint32) {
				write(w, rawFrame(http2.FrameHeaders, 5, id, string(fields(":status", "200"))))
				for write(w, frame) {
				}
			})
			tr := transport(t, s)
			require.NoError(t, fetch(t.Context(), tr, s.url, 1000).err)
			assert.Eventually(t, func() bool { return s.open.Load() == 0 }, patience, time.Millisecond)
		})
	}
}

func BenchmarkHTTP2(b *testing.B) {
	page := []byte(strings.Repeat("0123456789abcdef", 64<<10/16))
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for range len(r.URL.Path) - 1 {
			_, _ = w.Write(page)
		}
	}))
	srv.EnableHTTP2 = true
	srv.StartTLS()
	b.Cleanup(srv.Close)
	var d net.Dialer
	tr := wire.NewTransport(d.DialContext)
	b.Cleanup(tr.CloseIdleConnections)
	roots := x509.NewCertPool()
	roots.AddCert(srv.Certificate())
	tr.Trust(roots)
	buf := make([]byte, 32<<10)
	for _, n := range []int{1, 16} {
		b.Run(fmt.Sprintf("%d KiB", n<<6), func(b *testing.B) {
			b.SetBytes(int64(n) << 16)
			b.ReportAllocs()
			for b.Loop() {
				req, _ := http.NewRequestWithContext(b.Context(), http.MethodGet, srv.URL+"/"+strings.Repeat("x", n), nil)
				resp, err := tr.RoundTrip(req)
				if err != nil {
					b.Fatal(err)
				}
				got, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, resp.Body, buf)
				resp.Body.Close()
				if err != nil || got != int64(n)<<16 || resp.ProtoMajor != 2 {
					b.Fatal(got, err, resp.Proto)
				}
			}
		})
	}
}
