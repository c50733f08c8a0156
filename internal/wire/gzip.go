package wire

import (
	"bufio"
	"compress/gzip"
	"io"
)

// members decodes a sequence of gzip members (RFC 1952 section 2.2). What follows the last
// one and is none is left alone: zeros and other litter after a whole body do no harm,
// where [gzip.Reader] would fail.
type members struct {
	in *bufio.Reader
	zr *gzip.Reader
}

// Read reads on, from member to member.
func (m *members) Read(p []byte) (int, error) {
	if m.zr == nil {
		zr, err := gzip.NewReader(m.in)
		if err != nil {
			return 0, noEOF(err)
		}
		m.zr = zr
		m.zr.Multistream(false)
	}
	for {
		n, err := m.zr.Read(p)
		switch {
		case n > 0 && err == io.EOF: //nolint:errorlint // comes unwrapped, and again with the next Read
			return n, nil
		case n > 0 || err == nil:
			return n, err
		case err != io.EOF: //nolint:errorlint // comes unwrapped
			return 0, err
		}
		if head, _ := m.in.Peek(2); !magic(head) {
			return 0, io.EOF
		}
		if m.zr.Reset(m.in) != nil {
			return 0, io.EOF
		}
		m.zr.Multistream(false)
	}
}

// magic reports whether a gzip member begins so.
func magic(b []byte) bool { return len(b) >= 2 && b[0] == 0x1f && b[1] == 0x8b }

// noEOF keeps a stream that ends within the first header from passing for an empty one.
func noEOF(err error) error {
	if err == io.EOF { //nolint:errorlint // comes unwrapped
		return io.ErrUnexpectedEOF
	}
	return err
}
