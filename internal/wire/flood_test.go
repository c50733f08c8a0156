package wire_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"

	"github.com/politefetch/sdk/internal/wire"
)

// rawFrame is a frame as it is on the wire, RFC 9113 section 4.1.
func rawFrame(typ http2.FrameType, flags http2.Flags, id uint32, payload string) string {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(typ))
	b = append(b, byte(flags))
	return string(binary.BigEndian.AppendUint32(b, id)) + payload
}

// repeat fills about 16 KiB.
func repeat(frame string) string { return strings.Repeat(frame, 1+16<<10/len(frame)) }

// allocated is what this process allocated so far.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// A flood of any kind of frame ends soon, with its name, at little cost, and without a word
// in the log.
func TestFloods(t *testing.T) {
	ok := string(fields(":status", "200"))
	head := func(id uint32) string { return rawFrame(http2.FrameHeaders, 4, id, ok) }
	for _, tt := range []struct {
		name  string
		want  error
		start func(id uint32) string
		frame func(id uint32) string
	}{
		{"PING", wire.ErrBudget, nil, func(uint32) string { return rawFrame(http2.FramePing, 0, 0, "12345678") }},
		{"PING ack", wire.ErrBudget, nil, func(uint32) string { return rawFrame(http2.FramePing, 1, 0, "12345678") }},
		{"SETTINGS", wire.ErrBudget, nil, func(uint32) string { return rawFrame(http2.FrameSettings, 0, 0, "") }},
		{"SETTINGS of 16 KiB", wire.ErrBudget, nil, func(uint32) string {
			return rawFrame(http2.FrameSettings, 0, 0, strings.Repeat("\x00\x01\x00\x00\x10\x00", 2700))
		}},
		{"unknown", wire.ErrBudget, nil, func(uint32) string { return rawFrame(0xbe, 0, 0, "") }},
		{"unknown of 1 KB", wire.ErrBudget, nil, func(uint32) string { return rawFrame(0xbe, 0, 0, strings.Repeat("x", 1000)) }},
		{"PRIORITY", wire.ErrBudget, nil, func(id uint32) string { return rawFrame(http2.FramePriority, 0, id, "\x00\x00\x00\x00\x10") }},
		{"PRIORITY_UPDATE", wire.ErrBudget, nil, func(id uint32) string {
			return rawFrame(http2.FramePriorityUpdate, 0, 0, "\x00\x00\x00\x01u=3")
		}},
		{"WINDOW_UPDATE", wire.ErrBudget, nil, func(uint32) string { return rawFrame(http2.FrameWindowUpdate, 0, 0, "\x00\x00\x00\x01") }},
		{"WINDOW_UPDATE of the stream", wire.ErrBudget, nil, func(id uint32) string { return rawFrame(http2.FrameWindowUpdate, 0, id, "\x00\x00\x00\x01") }},
		{"RST_STREAM of others", wire.ErrBudget, nil, func(uint32) string { return rawFrame(http2.FrameRSTStream, 0, 101, "\x00\x00\x00\x01") }},
		{"GOAWAY", wire.ErrBudget, nil, func(id uint32) string { return rawFrame(http2.FrameGoAway, 0, 0, "\x00\x00\x00\x7f\x00\x00\x00\x00") }},
		{"HEADERS of others", wire.ErrProtocol, nil, func(uint32) string { return rawFrame(http2.FrameHeaders, 5, 101, ok) }},
		{"1xx", wire.ErrBudget, nil, func(id uint32) string { return rawFrame(http2.FrameHeaders, 4, id, string(fields(":status", "103"))) }},
		{"CONTINUATION of nothing", wire.ErrBudget, func(id uint32) string { return rawFrame(http2.FrameHeaders, 0, id, ok) }, func(id uint32) string {
			return rawFrame(http2.FrameContinuation, 0, id, "")
		}},
		{"CONTINUATION", wire.ErrBudget, func(id uint32) string { return rawFrame(http2.FrameHeaders, 0, id, ok) }, func(id uint32) string {
			return rawFrame(http2.FrameContinuation, 0, id, "\x8f")
		}},
		{"empty DATA", wire.ErrBudget, head, func(id uint32) string { return rawFrame(http2.FrameData, 0, id, "") }},
		{"DATA of padding", wire.ErrBudget, head, func(id uint32) string {
			return rawFrame(http2.FrameData, 8, id, "\xff"+strings.Repeat("\x00", 255))
		}},
		{"DATA of one byte", wire.ErrBudget, head, func(id uint32) string { return rawFrame(http2.FrameData, 0, id, "x") }},
		{"trailers that do not end", wire.ErrProtocol, head, func(id uint32) string { return rawFrame(http2.FrameHeaders, 4, id, ok) }},
		{"DATA before the head", wire.ErrProtocol, nil, func(id uint32) string { return rawFrame(http2.FrameData, 0, id, "x") }},
		{"DATA of others", wire.ErrProtocol, nil, func(uint32) string { return rawFrame(http2.FrameData, 0, 101, "x") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			within(t, 5*time.Second, func() time.Duration {
				s := serve2raw(t, func(w io.Writer, id uint32) {
					if tt.start != nil {
						write(w, tt.start(id))
					}
					for block := repeat(tt.frame(id)); write(w, block); {
					}
				})
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				const budget = 3 << 20
				most, size := budget, len(tt.frame(1))
				if !strings.HasPrefix(tt.name, "DATA of") { // a frame without data counts as 1 KiB more
					most = budget / (size + 1<<10) * size
				}
				var read atomic.Int64
				tr := transport(t, s)
				tr.WrapDial(func(c net.Conn) net.Conn { return &readCounter{c, &read} })
				before := allocated()
				r := fetchBudget(ctx, tr, s.url, 2<<20, budget)
				cost := allocated() - before
				t.Logf("%d KiB sent, %d KiB allocated, %v, %v", s.sent.Load()>>10, cost>>10, r.took.Round(time.Millisecond), r.err)
				require.ErrorIs(t, r.err, tt.want)
				assert.Less(t, cost, uint64(32<<20))                   // the server's part included
				assert.Less(t, read.Load(), int64(most+most/8+64<<10)) // with TLS, its handshake and a record read ahead
				assert.EqualValues(t, 1, s.requests.Load(), "requests at the server")
				return r.took
			})
		})
	}
}

// readCounter counts what is read from a socket.
type readCounter struct {
	net.Conn
	n *atomic.Int64
}

func (c *readCounter) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.n.Add(int64(n))
	return n, err
}
