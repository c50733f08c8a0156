package wire

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
)

// gzipSlack is by how much the compressed form of a body may exceed what is wanted of the
// decoded one. No honest compression comes near it; empty gzip members do.
const gzipSlack = 1 << 20

// Body reads the body of an answer, decoded, up to a maximum. It undoes one layer of gzip,
// if Content-Encoding names it, and no other coding. It never allocates by what a header
// promises. It is not safe for concurrent use.
//
// Read ends with [io.EOF] at the body's end or at the maximum ([Body.Truncated] tells
// which), and otherwise with an error of one of the kinds [ErrCut], [ErrGzip],
// [ErrEncoding], [ErrBudget], [ErrTimeout], [ErrProtocol], or the context's cause. What was
// read before an error stands.
type Body struct {
	body   io.ReadCloser
	header http.Header
	raw    meter
	src    io.Reader // nil: nothing read yet
	max    int64
	left   int64
	err    error // how it ended
	pace   pace

	truncated, mislabelled bool
}

// NewBody returns a Body that reads at most max bytes of resp's body, none if max is not
// positive. It reads one byte more to know whether there was more.
func NewBody(resp *http.Response, max int64) *Body {
	max = maxOf(max)
	return &Body{body: resp.Body, header: resp.Header, max: max, left: max}
}

// Hurry asks for at least 1 KiB/s of the transfer on average once 5 s were spent waiting for
// it: a slower body ends with [ErrTimeout]. Cancel must end the answer's request. It may be
// called once, before the first Read.
func (b *Body) Hurry(cancel context.CancelCauseFunc) { b.pace.start(cancel) }

func maxOf(n int64) int64 {
	const most = 1 << 62 // leaves room to add the slack
	return min(max(n, 0), most)
}

// Truncated reports whether the body was longer than the maximum. It is known once Read
// has returned io.EOF.
func (b *Body) Truncated() bool { return b.truncated }

// Mislabelled reports whether a body that was said to be gzip was not. It is read as it is.
func (b *Body) Mislabelled() bool { return b.mislabelled }

// Err is how reading ended: what Read returned last if that was an error other than
// [io.EOF], and nil before.
func (b *Body) Err() error {
	if b.err == io.EOF { //nolint:errorlint // comes unwrapped
		return nil
	}
	return b.err
}

// Close closes the answer's body. A connection with more to come is dropped.
func (b *Body) Close() error {
	b.pace.stop()
	if b.err == nil {
		b.err = http.ErrBodyReadAfterClose
	}
	return b.body.Close()
}

// Read reads decoded bytes.
func (b *Body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if len(p) == 0 {
		return 0, nil
	}
	if b.src == nil {
		if b.err = b.open(); b.err != nil {
			return 0, b.err
		}
	}
	if b.left == 0 {
		b.err = b.peek()
		return 0, b.err
	}
	n, err := b.src.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err != nil {
		b.err = b.explain(err)
		b.pace.stop()
	}
	return n, b.err
}

// open looks at the coding and at the first bytes.
func (b *Body) open() error {
	b.raw = meter{r: b.body, left: 1<<63 - 1, pace: &b.pace}
	switch coding(b.header) {
	case "":
		b.src = &b.raw
		return nil
	case "gzip", "x-gzip": // RFC 9110 section 8.4.1.3: the same
	default:
		return &failure{ErrEncoding, errText(strings.Join(b.header.Values("Content-Encoding"), ", "))}
	}
	b.raw.left = b.max + gzipSlack
	br := bufio.NewReader(&b.raw)
	head, err := br.Peek(2)
	if len(head) < 2 && err != io.EOF {
		return b.explain(err)
	}
	if !magic(head) {
		// Servers that label everything gzip are common, and an empty body has no magic.
		b.mislabelled = len(head) > 0
		b.src = br
		return nil
	}
	b.src = &members{in: br}
	return nil
}

// peek is called at the maximum.
func (b *Body) peek() error {
	var one [1]byte
	for range 100 {
		n, err := b.src.Read(one[:])
		if n > 0 {
			b.truncated = true
			return io.EOF
		}
		if err != nil {
			return b.explain(err)
		}
	}
	return &failure{ErrProtocol, io.ErrNoProgress}
}

// explain tells an error of the transfer from one of the gzip inside.
func (b *Body) explain(err error) error {
	switch {
	case b.raw.err != nil && b.pace.tooSlow():
		return b.pace.failure() // however the end was put
	case overMax(b.raw.err):
		b.truncated = true
		return io.EOF
	case b.raw.err != nil:
		return classify(b.raw.err)
	case err == io.EOF: //nolint:errorlint // io.Reader's contract: EOF comes unwrapped
		return io.EOF
	}
	return &failure{ErrGzip, err}
}

// overMax reports whether a transport has a maximum of its own, which the body exceeds.
func overMax(err error) bool {
	_, ok := errors.AsType[*http.MaxBytesError](err)
	return ok
}

// codings are those that IANA lists, gzip and identity apart. Servers put other words into
// Content-Encoding ("none", "utf-8") that change nothing.
var codings = []string{ //nolint:gochecknoglobals // a constant list
	"aes128gcm", "br", "compress", "dcb", "dcz", "deflate", "exi", "pack200-gzip", "x-compress", "zstd",
}

// coding returns the one content coding, "" if there is none, or all of them.
func coding(h http.Header) string {
	var all []string
	for _, v := range h.Values("Content-Encoding") {
		for c := range strings.SplitSeq(v, ",") {
			c = strings.ToLower(strings.TrimSpace(c))
			if c == "gzip" || c == "x-gzip" || slices.Contains(codings, c) {
				all = append(all, c)
			}
		}
	}
	return strings.Join(all, ",")
}

// meter counts the bytes of the transfer and remembers how it failed.
type meter struct {
	r    io.Reader
	left int64
	err  error // other than io.EOF
	pace *pace
}

// Read reads no more than is left.
func (m *meter) Read(p []byte) (int, error) {
	if m.left <= 0 {
		m.err = &failure{ErrBudget, errText("more compressed than decoded bytes")}
		return 0, m.err
	}
	m.pace.begin()
	n, err := m.r.Read(p[:min(int64(len(p)), m.left)])
	m.pace.done(n)
	m.left -= int64(n)
	if err != nil && err != io.EOF {
		m.err = err
	}
	return n, err
}
