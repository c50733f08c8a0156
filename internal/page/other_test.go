package page_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/internal/page"
)

// A text has one digest, in whatever pieces it comes.
func TestScanTextDoesNotDependOnThePieces(t *testing.T) {
	text := strings.Repeat(`{"päivä":[1,2,"漢字かな"],"long":"`+strings.Repeat("x", 3000)+`"}`, 5)
	o := &page.Options{Header: http.Header{"Content-Type": {"application/json"}}}
	want, err := page.ScanText(strings.NewReader(text), o)
	require.NoError(t, err)
	assert.Len(t, text, int(want.Bytes))
	got, err := page.ScanText(iotest.OneByteReader(strings.NewReader(text)), o)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	got, err = page.ScanText(iotest.HalfReader(iotest.DataErrReader(strings.NewReader(text))), o)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestWhatIsNoHTMLBreaksOff(t *testing.T) {
	broken := errors.New("broken")
	for name, scan := range map[string]func(io.Reader, *page.Options) (*page.Facts, error){"text": page.ScanText, "bytes": page.ScanBytes} {
		f, err := scan(io.MultiReader(strings.NewReader("half a"), iotest.ErrReader(broken)), &page.Options{})
		require.ErrorIs(t, err, broken, name)
		assert.True(t, f.Cut, name)
		assert.EqualValues(t, len("half a"), f.Bytes, name)
	}
}

func FuzzScanText(f *testing.F) {
	f.Add([]byte(`<?xml version="1.0" encoding="utf-16"?><a/>`), "text/xml")
	f.Add([]byte(`{"a":1}`), "application/json; charset=latin1")
	f.Add([]byte("\xff\xfea\x00"), "text/plain")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		o := &page.Options{Header: http.Header{"Content-Type": {contentType}}}
		a, err := page.ScanText(strings.NewReader(string(body)), o)
		require.NoError(t, err)
		b, err := page.ScanText(iotest.OneByteReader(strings.NewReader(string(body))), o)
		require.NoError(t, err)
		assert.Equal(t, a, b)
		assert.EqualValues(t, len(body), a.Bytes)
	})
}
