package proxy

import (
	"bytes"
	"io"
	"net/http"
)

// body is an answer's body, read ahead into memory.
type body struct {
	from    io.ReadCloser
	max     int64
	explain func(error) error

	filled bool
	data   []byte
	err    error // what reading ends with, in the place of io.EOF
}

func newBody(from io.ReadCloser, limit int64, explain func(error) error) *body {
	if from == nil {
		from = http.NoBody
	}
	return &body{from: from, max: limit, explain: explain}
}

func (s *ScrapingBee) maxBody() int64 {
	if s.MaxBody == 0 {
		return defaultMaxBody
	}
	return s.MaxBody
}

// head returns up to n bytes from the start; they stay part of the body.
func (b *body) head(n int64) []byte {
	_ = b.read(n) // whoever goes on reading meets the error again
	return b.data
}

// read reads until n bytes are there.
func (b *body) read(n int64) error {
	if b.err != nil || int64(len(b.data)) >= n {
		return b.err
	}
	more, err := io.ReadAll(io.LimitReader(b.from, n-int64(len(b.data))))
	b.data = append(b.data, more...)
	if err != nil {
		b.err = b.explain(err)
	}
	return b.err
}

// fill reads the body up to its maximum and closes it.
func (b *body) fill() {
	if b.filled {
		return
	}
	b.filled = true
	most := min(b.max, 1<<62) + 1 // one more tells whether there was more
	_ = b.read(most)              // reader hands it on
	if int64(len(b.data)) == most {
		b.data = b.data[:b.max]
		b.err = &http.MaxBytesError{Limit: b.max}
	}
	b.drop()
}

// drop closes the body, unread as far as it is.
func (b *body) drop() { _ = b.from.Close() }

// reader returns what was read, and then how the reading ended.
func (b *body) reader() io.ReadCloser {
	var r io.Reader = bytes.NewReader(b.data)
	if b.err != nil {
		r = io.MultiReader(r, failing{b.err})
	}
	return io.NopCloser(r)
}

type failing struct{ err error }

// Read fails.
func (f failing) Read([]byte) (int, error) { return 0, f.err }
