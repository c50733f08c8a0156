package page

import "io"

// source is a reader that bytes can be given back to, and that counts what it reads.
type source struct {
	r   io.Reader
	n   int64 // read from r
	pre []byte
	err error // of r
}

func (s *source) Read(p []byte) (int, error) {
	if len(s.pre) > 0 {
		n := copy(p, s.pre)
		s.pre = s.pre[n:]
		return n, nil
	}
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.r.Read(p)
	s.n += int64(n)
	s.err = err
	if n > 0 {
		return n, nil // the error comes with the next call
	}
	return n, err
}

// unread puts pieces before what is still to be read. It keeps none of them.
func (s *source) unread(pieces ...[]byte) {
	var pre []byte
	for _, p := range append(pieces, s.pre) {
		pre = append(pre, p...)
	}
	s.pre = pre
}

// peek returns the next bytes, n of them unless the input ends before, and leaves them to
// be read.
func (s *source) peek(n int) []byte {
	buf := make([]byte, n)
	have := 0
	for empty := 0; have < n && empty < 100; {
		m, err := s.Read(buf[have:])
		have += m
		if err != nil {
			break
		}
		if empty++; m > 0 {
			empty = 0
		}
	}
	s.unread(buf[:have])
	return buf[:have]
}
