package politefetch_test

import (
	"bytes"
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/politefetch/sdk/politefetch"
)

// hostileSocket is what socket buffers may hold beyond what is read.
const hostileSocket = 8 << 20

// HTTP/2 over TLS on real sockets, frame by frame.
func TestHostileHTTP2(t *testing.T) {
	block := func(kv ...string) []byte {
		var b bytes.Buffer
		e := hpack.NewEncoder(&b)
		for i := 0; i < len(kv); i += 2 {
			_ = e.WriteField(hpack.HeaderField{Name: kv[i], Value: kv[i+1]})
		}
		return b.Bytes()
	}
	page := block(":status", "200", "content-type", "text/html")
	headers := func(fr *http2.Framer, id uint32, b []byte, end bool) bool {
		return fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: b, EndHeaders: true, EndStream: end}) == nil
	}
	forever := func(f func() error) bool {
		for f() == nil {
		}
		return false
	}
	// One field in the dynamic table, referred to over and over: 20,000 times 4 KB.
	bomb := append(block(":status", "200", "x", strings.Repeat("a", 3900)), bytes.Repeat([]byte{0x80 | 62}, 20_000)...)
	setting := func(id http2.SettingID, v uint32) []http2.Setting { return []http2.Setting{{ID: id, Val: v}} }

	// A flood ends by the budget or, on a slow machine, by the deadline.
	ends := []error{politefetch.ErrFlood, politefetch.ErrTooSlow, context.DeadlineExceeded}
	scripts := []struct {
		name     string
		f        func(fr *http2.Framer, id uint32) bool
		want     []error // one of them; none: an ordinary answer
		body     string  // "+": some
		cut      bool
		settings []http2.Setting
	}{
		{name: "PING flood", want: ends, f: func(fr *http2.Framer, _ uint32) bool {
			return forever(func() error { return fr.WritePing(false, [8]byte{}) })
		}},
		{name: "SETTINGS flood", want: ends, f: func(fr *http2.Framer, _ uint32) bool {
			return forever(func() error { return fr.WriteSettings() })
		}},
		{name: "WINDOW_UPDATE flood", want: ends, f: func(fr *http2.Framer, _ uint32) bool {
			return forever(func() error { return fr.WriteWindowUpdate(0, 1) })
		}},
		{name: "WINDOW_UPDATE overflow", want: []error{politefetch.ErrMalformed, politefetch.ErrCut}, f: func(fr *http2.Framer, id uint32) bool {
			return fr.WriteWindowUpdate(id, 1<<31-1) == nil // on top of the 64 KiB that every stream begins with
		}},
		{name: "flood of unknown frames", want: ends, f: func(fr *http2.Framer, _ uint32) bool {
			b := make([]byte, 1000)
			return forever(func() error { return fr.WriteRawFrame(0xbe, 0, 0, b) })
		}},
		{name: "empty DATA flood", want: ends, cut: true, f: func(fr *http2.Framer, id uint32) bool {
			return headers(fr, id, page, false) && forever(func() error { return fr.WriteData(id, false, nil) })
		}},
		{name: "DATA of padding", want: ends, cut: true, f: func(fr *http2.Framer, id uint32) bool {
			pad := make([]byte, 255)
			return headers(fr, id, page, false) && forever(func() error { return fr.WriteDataPadded(id, false, nil, pad) })
		}},
		{name: "endless body", body: "+", cut: true, f: func(fr *http2.Framer, id uint32) bool {
			b := bytes.Repeat([]byte("x"), 16384)
			// The window that the client grants is not waited for.
			return headers(fr, id, page, false) && forever(func() error { return fr.WriteData(id, false, b) })
		}, want: []error{politefetch.ErrMalformed, politefetch.ErrCut, nil}},
		{name: "1xx flood", want: ends, f: func(fr *http2.Framer, id uint32) bool {
			h := block(":status", "103")
			return forever(func() error {
				if !headers(fr, id, h, false) {
					return errors.New("gone")
				}
				return nil
			})
		}},
		{name: "CONTINUATION flood", want: []error{politefetch.ErrMalformed, politefetch.ErrFlood}, f: func(fr *http2.Framer, id uint32) bool {
			_ = fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: page})
			h := block("x-a", strings.Repeat("b", 8000))
			return forever(func() error { return fr.WriteContinuation(id, false, h) })
		}},
		{name: "HPACK bomb", want: []error{politefetch.ErrFlood, politefetch.ErrMalformed}, f: func(fr *http2.Framer, id uint32) bool {
			_ = fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: bomb[:16000]})
			return fr.WriteContinuation(id, true, bomb[16000:]) == nil
		}},
		{name: "HPACK garbage", want: []error{politefetch.ErrMalformed}, f: func(fr *http2.Framer, id uint32) bool {
			return headers(fr, id, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, true)
		}},
		{name: "no status", want: []error{politefetch.ErrMalformed}, f: func(fr *http2.Framer, id uint32) bool {
			return headers(fr, id, block("content-type", "text/html"), true)
		}},
		{name: "status 99", want: []error{politefetch.ErrMalformed}, f: func(fr *http2.Framer, id uint32) bool {
			return headers(fr, id, block(":status", "99"), true)
		}},
		{name: "upper case in a name", want: []error{politefetch.ErrMalformed}, f: func(fr *http2.Framer, id uint32) bool {
			return headers(fr, id, block(":status", "200", "X-Bad", "y"), true)
		}},
		{name: "length too long", want: []error{politefetch.ErrCut}, body: "hello", cut: true, f: func(fr *http2.Framer, id uint32) bool {
			return headers(fr, id, block(":status", "200", "content-type", "text/html", "content-length", "100"), false) &&
				fr.WriteData(id, true, []byte("hello")) == nil
		}},
		{name: "length too short", want: []error{politefetch.ErrMalformed, politefetch.ErrCut, nil}, body: "+", cut: true, f: func(fr *http2.Framer, id uint32) bool {
			return headers(fr, id, block(":status", "200", "content-type", "text/html", "content-length", "2"), false) &&
				fr.WriteData(id, true, []byte("hello")) == nil
		}},
		{name: "PUSH_PROMISE", want: []error{politefetch.ErrMalformed}, f: func(fr *http2.Framer, id uint32) bool {
			return fr.WritePushPromise(http2.PushPromiseParam{
				StreamID: id, PromiseID: 2, EndHeaders: true,
				BlockFragment: block(":method", "GET", ":path", "/x", ":scheme", "https", ":authority", "a"),
			}) == nil
		}},
		{name: "DATA before HEADERS", want: []error{politefetch.ErrMalformed}, f: func(fr *http2.Framer, id uint32) bool {
			return fr.WriteData(id, false, []byte("x")) == nil
		}},
		{name: "frame of 2 MiB", want: []error{politefetch.ErrMalformed, politefetch.ErrFlood}, f: func(fr *http2.Framer, id uint32) bool {
			b := make([]byte, 2<<20)
			return fr.WriteRawFrame(http2.FrameData, 0, id, b) == nil
		}},
		{name: "HTTP/1 text", want: []error{politefetch.ErrMalformed}, f: func(fr *http2.Framer, id uint32) bool {
			return fr.WriteRawFrame(0x54, 0x50, 0x2f312e31, nil) == nil && fr.WriteData(id+2, true, nil) == nil
		}},
		{name: "reset within the body", want: []error{politefetch.ErrMalformed}, body: "hello", cut: true, f: func(fr *http2.Framer, id uint32) bool {
			return headers(fr, id, page, false) && fr.WriteData(id, false, []byte("hello")) == nil && fr.WriteRSTStream(id, http2.ErrCodeInternal) == nil
		}},
		{name: "goodbye within the body, and gone", want: []error{politefetch.ErrCut, politefetch.ErrMalformed}, body: "hello", cut: true, f: func(fr *http2.Framer, id uint32) bool {
			_ = headers(fr, id, page, false) && fr.WriteData(id, false, []byte("hello")) == nil && fr.WriteGoAway(id, http2.ErrCodeInternal, nil) == nil
			return false
		}},
		{name: "goodbye with a novel", want: []error{politefetch.ErrMalformed, politefetch.ErrFlood, politefetch.ErrCut}, f: func(fr *http2.Framer, id uint32) bool {
			_ = fr.WriteGoAway(id, http2.ErrCodeInternal, bytes.Repeat([]byte("\x1b[31m novel"), 1000))
			return false
		}},
		{name: "frames of no size", settings: setting(http2.SettingMaxFrameSize, 0), want: []error{politefetch.ErrMalformed, politefetch.ErrCut}, f: func(*http2.Framer, uint32) bool { return true }},
		{name: "no stream allowed", settings: setting(http2.SettingMaxConcurrentStreams, 0), want: []error{politefetch.ErrTooSlow, context.DeadlineExceeded}, f: func(*http2.Framer, uint32) bool { return true }},
		{name: "never answers", want: []error{politefetch.ErrTooSlow, context.DeadlineExceeded}, f: func(*http2.Framer, uint32) bool { return true }},
		{name: "head, then nothing", want: []error{politefetch.ErrTooSlow, context.DeadlineExceeded}, cut: true, f: func(fr *http2.Framer, id uint32) bool { return headers(fr, id, page, false) }},
	}
	for _, tt := range scripts {
		t.Run(tt.name, func(t *testing.T) {
			var s wireServer
			s.http2Server(t, tt.f, tt.settings...)
			cfg := politeConfig(nil)
			cfg.Transport = nil
			cfg.Guard.Allow = []netip.AddrPort{netip.MustParseAddrPort(s.addr)}
			cfg.Policy.Normal.Delay = -1
			cfg.Timeout = 10 * time.Second
			if len(tt.want) > 0 && errors.Is(tt.want[0], politefetch.ErrTooSlow) {
				cfg.Timeout = 1500 * time.Millisecond
			}
			cfg.MaxBody = 128 << 10 // each frame is work for net/http
			bot := newBot(t, cfg)
			t.Cleanup(bot.CloseIdleConnections)
			peak := watchHeap(t)
			began := time.Now()
			p, err := bot.Fetch(t.Context(), "https://"+s.addr+"/", &politefetch.FetchOptions{RobotsAdvisory: true})
			took := time.Since(began)
			assert.Less(t, peak(), int64(hostileHeap), "peak of the heap")
			assert.Less(t, took, 2*cfg.Timeout+time.Second) // robots.txt has its own
			assert.LessOrEqual(t, s.sent.Load(), int64(hostileSocket))
			_, pages := s.log()
			assert.LessOrEqual(t, pages, 1, "requests at the server")
			assert.Equal(t, tt.cut, p.Truncated, "truncated")
			if tt.body == "+" {
				assert.NotEmpty(t, p.Body)
			} else {
				assert.Equal(t, tt.body, string(p.Body))
			}
			if len(tt.want) == 0 || err == nil {
				require.NoError(t, err)
				require.True(t, len(tt.want) == 0 || tt.want[len(tt.want)-1] == nil, "an error was due")
				return
			}
			assert.Equal(t, politefetch.Failed, p.Outcome)
			assert.Less(t, len(err.Error()), hostileError)
			assert.NotContains(t, err.Error(), "\x1b")
			for _, want := range tt.want {
				if want != nil && errors.Is(err, want) {
					return
				}
			}
			t.Errorf("of no kind that was due: %v", err)
		})
	}
	t.Logf("%d scripts; so far %d in all, greatest peak of the heap %.1f MiB", len(scripts), hostileCount.Load(), float64(hostilePeak.Load())/(1<<20))
}
