package page_test

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/politefetch/sdk/internal/botwall"
	"github.com/politefetch/sdk/internal/conformance"
	"github.com/politefetch/sdk/internal/page"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzScan holds a scan to its promises on any bytes.
func FuzzScan(f *testing.F) {
	for _, body := range []string{
		article, "", "<a href=x><a href=//y><base href=/z/><a href=?q>", "\xff\xfea", "\xef\xbb\xbf<p>x",
		"<svg><title/><script/><style>x</svg><template><template></template><noscript><a href=/x>",
		"<title>a<title>b</title><textarea><plaintext></xmp>\x00\x80", "<link rel=canonical href=c><meta name=robots content=none>",
		"<!--><?x><!x><![CDATA[x]]></ ></p/><a/href=/b>&amp&#0;&#x110000;",
	} {
		f.Add([]byte(body), "text/html; charset=utf-8", `</c>; rel="canonical"`, "bot: noindex")
		f.Add([]byte(body), "text/html", "<<>;;rel", "x")
		f.Add([]byte(body), "text/html; charset=gb18030", "", "")
	}
	base, err := url.Parse("https://site.test/dir/")
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, body []byte, contentType, link, robots string) {
		o := &page.Options{URL: base, Product: "bot", MaxLinks: 3, Status: 403, Header: http.Header{
			"Content-Type": {contentType}, "Link": {link}, "X-Robots-Tag": {robots},
		}}
		got, err := page.Scan(bytes.NewReader(body), o)
		require.NotNil(t, got)
		require.Equal(t, err != nil, got.Cut)
		require.LessOrEqual(t, len(got.Links), 3)
		for _, l := range got.Links {
			require.True(t, strings.HasPrefix(l.URL, "http"), l.URL)
		}
		require.LessOrEqual(t, len(got.Title), 1<<10)
		require.True(t, utf8.ValidString(got.Title) && utf8.ValidString(got.Lang))
		require.LessOrEqual(t, got.Words, got.Text)
		require.LessOrEqual(t, got.H1, got.Headings)
		again, _ := page.Scan(iotest.OneByteReader(bytes.NewReader(body)), o)
		require.Equal(t, got, again, "the same page, the same facts")
	})
}

// TestScanAndDetectAgree gives the walls of the conformance data to both.
func TestScanAndDetectAgree(t *testing.T) {
	var rows []struct {
		Name    string
		Status  int
		Headers map[string]string
		Body    string
	}
	conformance.ReadJSON(t, "botwall/vectors.json", &rows)
	for _, tt := range rows {
		h := http.Header{}
		for k, v := range tt.Headers {
			h.Set(k, v)
		}
		switch ct := h.Get("Content-Type"); {
		case ct == "", strings.HasPrefix(ct, "text/html"):
		default:
			continue
		}
		f, err := page.Scan(strings.NewReader(tt.Body), &page.Options{Header: h, Status: tt.Status})
		require.NoError(t, err)
		assert.Equal(t, botwall.Detect(tt.Status, h, []byte(tt.Body)), f.Wall, tt.Name)
	}
}
