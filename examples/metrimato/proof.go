package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

const (
	proved    = "tracking code found on the home page"
	notProved = "not checked: no -own-proof given, the operator's word was taken"
)

// errNoCode says that a home page was read to its end.
var errNoCode = errors.New("no tracking code on the home page")

// proof returns a hook that admits a host whose home page holds code.
func proof(code string) func(context.Context, string, io.Reader) (string, error) {
	return func(_ context.Context, host string, home io.Reader) (string, error) {
		switch found, err := contains(home, []byte(code)); {
		case found:
			return proved, nil
		case err != nil:
			return "", fmt.Errorf("looking for the tracking code of %s: %w", host, err)
		}
		return "", fmt.Errorf("%w of %s", errNoCode, host)
	}
}

// contains looks for code in a stream. It reads no further than the first match and keeps
// only what a match across two reads needs.
func contains(r io.Reader, code []byte) (bool, error) {
	buf := make([]byte, 0, 32<<10+len(code))
	for {
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if bytes.Contains(buf, code) {
			return true, nil
		}
		if keep := len(code) - 1; len(buf) > keep {
			buf = buf[:copy(buf, buf[len(buf)-keep:])]
		}
		switch {
		case errors.Is(err, io.EOF):
			return false, nil
		case err != nil:
			return false, err
		}
	}
}
