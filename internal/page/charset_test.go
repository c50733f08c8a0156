package page_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/politefetch/sdk/internal/page"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func utf16(s string, big bool) string {
	var b strings.Builder
	for _, r := range s {
		hi, lo := byte(r>>8), byte(r)
		if !big {
			hi, lo = lo, hi
		}
		b.WriteByte(hi)
		b.WriteByte(lo)
	}
	return b.String()
}

func TestCharsets(t *testing.T) {
	ascii := strings.Repeat("<!-- far -->", 200) // more than the 1,024 bytes that are searched
	const latin, utf8 = "<title>Caf\xe9 \x80</title>", "<title>Café €</title>"
	for _, tt := range []struct{ name, contentType, body, want string }{
		{"header", "text/html; charset=UTF-8", utf8, "Café €"},
		{"header, Latin 1 is windows-1252", "text/html; charset=iso-8859-1", latin, "Café €"},
		{"header, quoted", `text/html; charset="windows-1252"`, latin, "Café €"},
		{"header before meta", "text/html; charset=windows-1252", "<meta charset=utf-8>" + latin, "Café €"},
		{"mark before header", "text/html; charset=windows-1252", "\xef\xbb\xbf" + utf8, "Café €"},
		{"UTF-16, little", "text/html; charset=utf-8", "\xff\xfe" + utf16(utf8, false), "Café €"},
		{"UTF-16, big", "", "\xfe\xff" + utf16(utf8, true), "Café €"},
		{"UTF-16 by header", "text/html; charset=utf-16le", utf16(utf8, false), "Café €"},
		{"meta", "text/html", "<meta charset=iso-8859-15><title>\xa4</title>", "€"},
		{"meta http-equiv", "", `<meta http-equiv=content-type content="text/html; charset=koi8-r"><title>` + "\xf2\xf5\xf3</title>", "РУС"},
		{"meta, declared windows-1252", "", "<meta charset=windows-1252><title>Ã©</title>", "ÃƒÂ©"},
		{"meta says UTF-16, which it can't be", "", "<meta charset=utf-16>" + utf8, "Café €"},
		{"meta in a comment", "", "<!-- <meta charset=koi8-r> -->" + utf8, "Café €"},
		{"Japanese", "text/html; charset=shift_jis", "<title>\x93\xfa\x96\x7b</title>", "日本"},
		{"Chinese", "text/html; charset=gb2312", "<title>\xd6\xd0</title>", "中"},
		{"undeclared UTF-8", "text/html", utf8, "Café €"},
		{"undeclared windows-1252", "text/html", latin, "Café €"},
		{"undeclared UTF-8, late", "text/html", ascii + utf8, "Café €"},
		{"undeclared windows-1252, late", "text/html", ascii + latin, "Café €"},
		{"unknown in the header", "text/html; charset=klingon", utf8, "Café €"},
		{"unknown in both", "text/html; charset=klingon", "<meta charset=x>" + ascii + latin, "Café €"},
		{"UTF-7 is unknown", "text/html; charset=utf-7", "<title>+ADw-</title>", "+ADw-"},
		{"broken parameter", "text/html; charset", utf8, "Café €"},
		{"wrong: not UTF-8", "text/html; charset=utf-8", "<title>Caf\xe9</title>", "Caf\uFFFD"},
		{"dangerous", "text/html; charset=iso-2022-kr", "<title>x</title>", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := &page.Options{Header: http.Header{"Content-Type": {tt.contentType}}}
			f, err := page.Scan(strings.NewReader(tt.body), o)
			require.NoError(t, err)
			assert.Equal(t, tt.want, f.Title)
			assert.Equal(t, int64(len(tt.body)), f.Bytes)
			slow, err := page.Scan(iotest.OneByteReader(strings.NewReader(tt.body)), o)
			require.NoError(t, err)
			assert.Equal(t, f, slow, "however it arrives")
		})
	}
}

// TestCharsetDoesNotChangeTheDigest reads one text in four character sets.
func TestCharsetDoesNotChangeTheDigest(t *testing.T) {
	want := scan(t, "<p>Café</p>").Digest
	for contentType, body := range map[string]string{
		"text/html; charset=iso-8859-1": "<p>Caf\xe9</p>",
		"text/html; charset=utf-16be":   utf16("<p>Café</p>", true),
		"text/html; charset=macintosh":  "<p>Caf\x8e</p>",
	} {
		f, err := page.Scan(strings.NewReader(body), &page.Options{Header: http.Header{"Content-Type": {contentType}}})
		require.NoError(t, err)
		assert.Equal(t, want, f.Digest, contentType)
	}
}
