package wire_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/internal/wire"
)

func answer(body io.Reader, coding ...string) *http.Response {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Encoding": coding}, Body: io.NopCloser(body)}
}

// again gives the same text for ever.
type again struct{ text, rest string }

func (a *again) Read(p []byte) (int, error) {
	if a.rest == "" {
		a.rest = a.text
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

// Also over transports without a budget on the wire.
func TestBodyBoundsTheCompressedBytes(t *testing.T) {
	b := wire.NewBody(answer(&again{text: strings.Repeat(gz(t, 0), 100)}, "gzip"), 1000)
	got, err := io.ReadAll(b)
	require.ErrorIs(t, err, wire.ErrBudget)
	assert.Empty(t, got)
}

func TestBodyMaximum(t *testing.T) {
	for _, tt := range []struct {
		max  int64
		body string
		want string
		cut  bool
	}{
		{5, "hello", "hello", false},
		{4, "hello", "hell", true},
		{0, "hello", "", true},
		{-1, "hello", "", true},
		{0, "", "", false},
		{1 << 62, "hello", "hello", false},
		{1<<63 - 1, "hello", "hello", false},
	} {
		for _, coding := range []string{"", "gzip"} {
			text := tt.body
			if coding == "gzip" {
				text = gzText(t, tt.body)
			}
			b := wire.NewBody(answer(strings.NewReader(text), coding), tt.max)
			got, err := io.ReadAll(b)
			require.NoError(t, err)
			assert.Equal(t, tt.want, string(got))
			assert.Equal(t, tt.cut, b.Truncated(), "%d of %q, %s", tt.max, tt.body, coding)
		}
	}
}

// The kinds hold over other transports too: a relay, a fake.
func TestBodyNamesForeignErrors(t *testing.T) {
	broken := errors.New("chunked encoding: bad")
	for err, want := range map[error]error{io.ErrUnexpectedEOF: wire.ErrCut, broken: wire.ErrProtocol} {
		b := wire.NewBody(answer(io.MultiReader(strings.NewReader("hello"), failing{err})), 1000)
		got, got2 := io.ReadAll(b)
		require.ErrorIs(t, got2, want)
		require.ErrorIs(t, got2, err)
		assert.Equal(t, "hello", string(got))
		_, again := b.Read(make([]byte, 1))
		assert.Equal(t, got2, again, "the end stays the end")
	}
	b := wire.NewBody(answer(strings.NewReader("hello")), 1000)
	require.NoError(t, b.Close())
	_, err := b.Read(make([]byte, 1))
	require.ErrorIs(t, err, http.ErrBodyReadAfterClose)
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func FuzzBody(f *testing.F) {
	f.Add([]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00"), "gzip", int64(10))
	f.Add([]byte("plain"), "gzip", int64(3))
	f.Add([]byte("plain"), "br,gzip", int64(3))
	f.Fuzz(func(t *testing.T, raw []byte, coding string, max int64) {
		max %= 1 << 16
		b := wire.NewBody(answer(strings.NewReader(string(raw)), coding), max)
		got, err := io.ReadAll(b)
		if int64(len(got)) > max && len(got) > 0 {
			t.Fatalf("%d bytes of at most %d", len(got), max)
		}
		if err != nil && !errors.Is(err, wire.ErrGzip) && !errors.Is(err, wire.ErrEncoding) && !errors.Is(err, wire.ErrBudget) {
			t.Fatalf("kind of %v", err)
		}
		require.NoError(t, b.Close())
	})
}
