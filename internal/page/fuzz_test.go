package page_test

import (
	"bytes"
	"fmt"
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
	"golang.org/x/net/html"
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

// noises are what may stand anywhere in a text and doesn't change it.
var noises = []string{
	"<!-- 17 -->", "<!-->", "<?x?>", "<!x>", "<b></b>", "<B class='x>y' id=z>", "</b>", "<span hidden>17</span>", `<em style="display: none">a<i>b</i></em>`,
	"<script>document.write('17<p>18</p>')</script>", "<SCRIPT nonce=1>\n<!--<script></script>--></SCRIPT >", "<style>p{}</style>", "<noscript>17</noscript>",
	"<template>a<p>b</template>", "<wbr>", "&shy;", "&#8203;", "\ufeff", "<span title='17' data-n=18>", "</span>", "<a href=/17>", "</a>", "<code><kbd>", "</kbd></code>",
}

// FuzzNoise writes a text in two ways: plainly, and with noise in it that the fuzzer chose.
// It is the same text to a fingerprint.
func FuzzNoise(f *testing.F) {
	f.Add("The price is 5 € a metre. Call us & ask", []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 200, 11, 12, 100, 14, 255, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25})
	f.Add("吾輩は猫である。\n\n名前は\tまだ無い。", []byte{99, 0, 1, 26, 50, 75})
	f.Add("a<b>c</b> &amp; <script> d", []byte("0123456789abcdef"))
	f.Add("x\x00y\r\nz\u00a0\u0301\u2028", []byte{250, 251, 252, 253, 254, 255})
	f.Fuzz(func(t *testing.T, text string, noise []byte) {
		if len(text) > 4<<10 {
			return
		}
		text = strings.ToValidUTF8(text, "")
		var plain, noisy strings.Builder
		next := func() (n int) {
			if len(noise) > 0 {
				n, noise = int(noise[0]), noise[1:]
			}
			return n
		}
		for _, r := range text {
			plain.WriteString(html.EscapeString(string(r)))
			n := next()
			switch {
			case r == ' ' || r == '\n' || r == '\t':
				noisy.WriteString([]string{" ", "\n", "\t\t", " \r\n ", "<br>", "&nbsp;", "<!-- x --> "}[n%7])
			case n%5 == 1 && r > ' ' && (r < 0x7F || r >= 0xA0):
				fmt.Fprintf(&noisy, "&#%d;", r)
			case n%5 == 2 && r > ' ' && (r < 0x7F || r >= 0xA0):
				fmt.Fprintf(&noisy, "&#X%x;", r)
			default:
				noisy.WriteString(html.EscapeString(string(r)))
			}
			if n > 100 {
				noisy.WriteString(noises[n%len(noises)])
			}
		}
		o := &page.Options{Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}}
		a, err := page.Scan(strings.NewReader(plain.String()), o)
		require.NoError(t, err)
		b, err := page.Scan(strings.NewReader("<!DOCTYPE html><title>17</title><body onload=x>"+noisy.String()), o)
		require.NoError(t, err)
		if a.Digest != b.Digest || a.Simhash != b.Simhash {
			t.Fatalf("not the same text:\n%q\n%q", plain.String(), noisy.String())
		}
		require.Equal(t, a.Words, b.Words)
		require.Equal(t, a.Text, b.Text)
	})
}
