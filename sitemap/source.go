package sitemap

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
)

// maxGzipLayers: a .gz file that the server compressed once more.
const maxGzipLayers = 2

const gzipMagic = "\x1f\x8b\x08"

// gunzip takes off the gzip layers, which it knows by their magic bytes (RFC 1952 section
// 2.3.1).
func gunzip(r io.Reader, warn func(WarningCode, string)) (io.Reader, error) {
	for layer := range maxGzipLayers {
		br := bufio.NewReaderSize(r, 16<<10)
		r = br
		if head, _ := br.Peek(len(gzipMagic)); string(head) != gzipMagic {
			return r, nil
		}
		z, err := gzip.NewReader(br)
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		z.Multistream(false)
		if layer > 0 {
			warn(WarnGzipNested, "")
		}
		r = &members{src: br, z: z, warn: warn}
	}
	return r, nil
}

// members reads the members of a gzip file one after another (RFC 1952 section 2.2) and
// ignores what follows the last one.
type members struct {
	src  *bufio.Reader
	z    *gzip.Reader
	warn func(WarningCode, string)
	err  error
}

func (m *members) Read(p []byte) (int, error) {
	if m.err != nil {
		return 0, m.err
	}
	n, err := m.z.Read(p)
	if errors.Is(err, io.EOF) {
		err = m.next()
	}
	m.err = err
	if n > 0 {
		return n, nil
	}
	return 0, err
}

func (m *members) next() error {
	head, _ := m.src.Peek(len(gzipMagic))
	if string(head) != gzipMagic {
		if len(head) > 0 {
			m.warn(WarnGzipTrailing, "")
		}
		return io.EOF
	}
	if err := m.z.Reset(m.src); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	m.z.Multistream(false)
	return nil
}

// limitedReader ends with ErrTooLarge if there is more than left bytes.
type limitedReader struct {
	r    io.Reader
	left int64
}

func (l *limitedReader) Read(p []byte) (int, error) {
	if l.left <= 0 {
		var more [1]byte
		n, err := l.r.Read(more[:])
		if n > 0 {
			err = ErrTooLarge
		}
		return 0, err
	}
	if int64(len(p)) > l.left {
		p = p[:l.left]
	}
	n, err := l.r.Read(p)
	l.left -= int64(n)
	return n, err
}

// windowSize bounds what is held of the input: the part in which the format must show,
// and the longest tag whose attributes are read.
const windowSize = 64 << 10

// window is the part of the input that is in memory: buf[i:n] is not yet used.
type window struct {
	r    io.Reader
	buf  []byte
	i, n int
	base int64 // offset of buf[0] in the input
	err  error // why there is no more to read
}

func (w *window) reset(r io.Reader) {
	if w.buf == nil {
		w.buf = make([]byte, windowSize)
	}
	w.r, w.i, w.n, w.base, w.err = r, 0, 0, 0, nil
}

func (w *window) rest() []byte { return w.buf[w.i:w.n] }

func (w *window) offset() int64 { return w.base + int64(w.i) }

// ended reports whether the input has ended as it should.
func (w *window) ended() bool { return errors.Is(w.err, io.EOF) }

// fill reads more. It reports false if the input has ended (err is set) or if the window
// is full of unused bytes.
func (w *window) fill() bool {
	if w.err != nil {
		return false
	}
	if w.i == w.n || w.n == len(w.buf) {
		copy(w.buf, w.buf[w.i:w.n])
		w.base += int64(w.i)
		w.n -= w.i
		w.i = 0
	}
	if w.n == len(w.buf) {
		return false
	}
	for range 100 {
		m, err := w.r.Read(w.buf[w.n:])
		w.n += m
		w.err = err
		if m > 0 {
			return true
		}
		if err != nil {
			return false
		}
	}
	w.err = io.ErrNoProgress
	return false
}

// fillAll reads until the window is full or the input ends.
func (w *window) fillAll() {
	for w.fill() {
	}
}

// skipPast moves behind the next seq and reports whether there is one.
func (w *window) skipPast(seq string) bool {
	for {
		rest := w.rest()
		if k := bytes.Index(rest, []byte(seq)); k >= 0 {
			w.i += k + len(seq)
			return true
		}
		w.i += max(0, len(rest)-len(seq)+1)
		if !w.fill() {
			w.i = w.n
			return false
		}
	}
}
