package main

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pieces is a reader that hands out one piece a read.
func pieces(parts ...string) io.Reader {
	readers := make([]io.Reader, len(parts))
	for i, p := range parts {
		readers[i] = strings.NewReader(p)
	}
	return io.MultiReader(readers...)
}

func TestTrackingCodeIsFoundWhereverReadsEnd(t *testing.T) {
	const code = "abcab-7"
	for _, tt := range []struct {
		name string
		home io.Reader
		want bool
	}{
		{"whole", pieces("<p>abcab-7</p>"), true},
		{"in two reads", pieces("<p>abca", "b-7"), true},
		{"in many reads", iotest.OneByteReader(strings.NewReader("xxabcab-7")), true},
		{"after a false start", pieces("abcabcab", "-", "7"), true},
		{"across the buffer's end", strings.NewReader(strings.Repeat("x", 32<<10-3) + code), true},
		{"across a later one", strings.NewReader(strings.Repeat("x", 3*(32<<10)-3) + code), true},
		{"with the end of file", iotest.DataErrReader(strings.NewReader(code)), true},
		{"almost", pieces("abcab-", "abcab", "-8"), false},
		{"not in an empty page", pieces(), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, err := contains(tt.home, []byte(code))
			require.NoError(t, err)
			assert.Equal(t, tt.want, found)
		})
	}
}

func TestTrackingCodeOfOneByte(t *testing.T) {
	found, err := contains(pieces("abc", "d"), []byte("d"))
	require.NoError(t, err)
	assert.True(t, found)
}

func TestTrackingCodeIsNotLookedForBeyondAnError(t *testing.T) {
	broke := errors.New("broke off")
	_, err := proof("code")(t.Context(), "site.example", io.MultiReader(strings.NewReader("co"), iotest.ErrReader(broke)))
	require.ErrorIs(t, err, broke)
	require.ErrorContains(t, err, "site.example")
}

func TestTrackingCodeTakesConstantMemory(t *testing.T) {
	long := io.LimitReader(zeros{}, 64<<20)
	allocs := testing.AllocsPerRun(1, func() { _, _ = contains(long, []byte("code")) })
	assert.LessOrEqual(t, allocs, 3.0)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
