package wire

import (
	"encoding/binary"
	"io"

	"golang.org/x/net/http2"
)

const (
	frameHeader      = 9        // bytes, RFC 9113 section 4.1
	maxFrame         = 16 << 10 // what may come in one: the least that HTTP/2 allows for
	maxContinuations = 8        // of one head, as for nghttp2; 64 KiB need four
	frameCost        = 1 << 10  // of the budget, for a frame that brings no data
)

// frames is an HTTP/2 connection as x/net gets to read it. It stands between TLS and x/net
// and looks at the header of each frame, because x/net
//   - prints a line for each frame that it does not handle, and for data out of place, where
//     a hostile server would fill the log of its visitor;
//   - does not say which connection a GOAWAY with ENHANCE_YOUR_CALM came on;
//   - handles any number of frames that bring nothing.
//
// What a frame is worth and whether it is well-formed is left to x/net. It runs in x/net's
// one reading goroutine, and copies nothing but frame headers.
type frames struct {
	secure

	buf     [frameHeader + 8]byte // a frame's header; of a GOAWAY, what comes before its text
	out     []byte                // of buf, still to be handed on
	left    uint32                // of the frame's payload, the same
	started bool                  // the first frame came
	block   int                   // frames of the head that is under way; 0: none is
	open    map[uint32]struct{}   // streams on which data may come
}

func newFrames(s secure) *frames { return &frames{secure: s, open: make(map[uint32]struct{})} }

// Read hands on what is left of the frame under way, or begins with the next one.
func (f *frames) Read(p []byte) (int, error) {
	for len(f.out) == 0 && f.left == 0 {
		if err := f.next(); err != nil {
			return 0, err
		}
	}
	if len(f.out) > 0 {
		n := copy(p, f.out)
		f.out = f.out[n:]
		return n, nil
	}
	n, err := f.Conn.Read(p[:min(len(p), int(f.left))])
	f.left -= uint32(n) //nolint:gosec // at most f.left
	return n, err
}

// next reads a frame's header and decides what becomes of it.
func (f *frames) next() error {
	if _, err := io.ReadFull(f.Conn, f.buf[:frameHeader]); err != nil {
		return err
	}
	f.out = f.buf[:frameHeader]
	f.left = binary.BigEndian.Uint32(f.buf[:4]) >> 8
	typ, flags := http2.FrameType(f.buf[3]), http2.Flags(f.buf[4])
	id := binary.BigEndian.Uint32(f.buf[5:]) &^ (1 << 31)
	if !f.started && typ != http2.FrameSettings {
		return f.below.fail(ErrProtocol, "HTTP/2 without SETTINGS") // RFC 9113 section 3.4
	}
	f.started = true
	if f.left > maxFrame {
		return nil // x/net ends the connection
	}
	if typ != http2.FrameData || f.left == 0 {
		f.below.charge(frameCost)
	}
	if f.block > 0 && typ != http2.FrameContinuation {
		return nil // even an unknown one: x/net ends the connection, section 6.10
	}
	switch typ {
	case http2.FrameData:
		return f.data(id, flags.Has(http2.FlagDataEndStream))
	case http2.FrameHeaders, http2.FrameContinuation:
		return f.head(id, typ, flags)
	case http2.FrameRSTStream:
		delete(f.open, id)
	case http2.FrameGoAway:
		return f.goodbye()
	case http2.FrameSettings, http2.FramePushPromise, http2.FramePing, http2.FrameWindowUpdate:
	case http2.FramePriority:
		if f.left == 5 && id != 0 {
			return f.drop() // deprecated, section 5.3.2
		}
	default:
		return f.drop() // section 5.5
	}
	return nil
}

// drop passes over a frame.
func (f *frames) drop() error {
	_, err := io.CopyN(io.Discard, f.Conn, int64(f.left))
	f.out, f.left = nil, 0
	return err
}

// data lets a DATA frame pass if it belongs to an answer: one before its head, after its
// end or on a stream that was not asked for is malformed (sections 5.1 and 8.1.1).
func (f *frames) data(id uint32, last bool) error {
	if _, ok := f.open[id]; !ok {
		return f.below.fail(ErrProtocol, "HTTP/2 data that belongs to no answer")
	}
	if last {
		delete(f.open, id)
	}
	return nil
}

// head takes note of a frame of a head, or of a trailer.
func (f *frames) head(id uint32, typ http2.FrameType, flags http2.Flags) error {
	if typ == http2.FrameHeaders {
		if id > f.below.lastStream() || id%2 == 0 {
			return f.below.fail(ErrProtocol, "HTTP/2 stream that was not asked for") // section 5.1.1
		}
		if f.open[id] = struct{}{}; flags.Has(http2.FlagHeadersEndStream) {
			delete(f.open, id)
		}
	}
	if f.block++; f.block > maxContinuations+1 {
		return f.below.fail(ErrBudget, "HTTP/2 head in crumbs")
	}
	if flags.Has(http2.FlagHeadersEndHeaders) { // the same bit in both types
		f.block = 0
	}
	return nil
}

// goodbye takes note of a GOAWAY's code (section 6.8).
func (f *frames) goodbye() error {
	if f.left < 8 {
		return nil // x/net ends the connection
	}
	if _, err := io.ReadFull(f.Conn, f.buf[frameHeader:]); err != nil {
		return err
	}
	f.out, f.left = f.buf[:], f.left-8
	if http2.ErrCode(binary.BigEndian.Uint32(f.buf[frameHeader+4:])) == http2.ErrCodeEnhanceYourCalm {
		f.below.calmed()
	}
	return nil
}
