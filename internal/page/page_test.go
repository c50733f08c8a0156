package page_test

import (
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/politefetch/sdk/internal/botwall"
	"github.com/politefetch/sdk/internal/page"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// at returns options for a page at this address, served as HTML in UTF-8.
func at(addr string) *page.Options {
	u, err := url.Parse(addr)
	if err != nil {
		panic(err)
	}
	return &page.Options{URL: u, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Product: "KiwiRankBot"}
}

func scan(t *testing.T, body string) *page.Facts {
	t.Helper()
	f, err := page.Scan(strings.NewReader(body), at("https://site.test/dir/page"))
	require.NoError(t, err)
	return f
}

const article = `<!doctype html><html lang=" fi "><head>
<title>
  Oak &amp;  furniture </title><meta name="description" content="Made by   hand.">
<link rel="stylesheet" href="/a.css"><link rel="alternate canonical" href="../oak">
<script>var n = "<h1>";</script><style>p{}</style></head>
<body><h1>Oak</h1><h2>Ta&shy;bles</h2><p>Solid <b>oa</b>k &euro;5.<!-- not this --> Caf&eacute;
<img src=a.png><img src=b.png></p><form action=/send><textarea>Hello</textarea></form>
<noscript><p>Turn on scripts</p><img src=px><a href=/noscript>x</a></noscript><template><h1>no</h1><a href=/template></a></template>
<a href="/a">A</a><a href=b?x=1&amp;y=2#part rel="noopener NoFollow">B</a><area href="//other.test/"></body></html>`

func TestScanSummarises(t *testing.T) {
	f := scan(t, article)
	text := "Oak Tables Solid oak €5. Café Hello AB"
	assert.Equal(t, &page.Facts{
		Lang: "fi", Title: "Oak & furniture", TitleLen: 15, Description: 13,
		Canonical: "https://site.test/oak",
		Text:      len([]rune(text)), Words: 8,
		Headings: 2, H1: 1, Images: 2, Scripts: 1, Forms: 1,
		Links: []page.Link{
			{URL: "https://site.test/noscript"},
			{URL: "https://site.test/a"},
			{URL: "https://site.test/dir/b?x=1&y=2", NoFollow: true},
			{URL: "https://other.test/"},
		},
		Digest: sha256.Sum256([]byte(text)), Simhash: scan(t, text).Simhash,
		Bytes: int64(len(article)),
	}, f)
}

func TestScanOfNothing(t *testing.T) {
	f, err := page.Scan(strings.NewReader(""), nil)
	require.NoError(t, err)
	assert.Equal(t, &page.Facts{Digest: sha256.Sum256(nil)}, f)
}

func TestDigestIsOfTheTextAlone(t *testing.T) {
	want := scan(t, `<title>a</title><body class="x" id="y"><p>One two</p><p>three &amp; four</p></body>`).Digest
	for _, tt := range []struct{ name, body string }{
		{"attribute order", `<title>a</title><body id="y" class="x"><p>One two</p><p>three &amp; four</p></body>`},
		{"other elements", `<div><h2>One two</h2></div><table><tr><td>three &#38; four</table>`},
		{"white space", "<p>\n  One\ttwo </p>\r\n\r\n<p>three&nbsp;&amp; four"},
		{"inline markup", `<p>O<b>ne</b> <a href=/>tw<i>o</i></a></p>three <span>&</span> four`},
		{"nonce and scripts", `<script nonce=abc>var now = 1700000000</script>One two<br>thr<script>counter=17</script>ee &amp; four`},
		{"styles, noscript, templates, comments", `<style>b{}</style>One two <noscript>no</noscript><template>no <p>no</template> three <!-- no -->&amp; four`},
		{"title", `<title>b</title>One two three & four`},
		{"hidden characters", "One t&shy;wo th&#8203;ree & four\x01"},
		{"svg", `One two <svg><title>no</title><style/><script/></svg> three &amp; four`},
		{"frames", `One two <iframe>no</iframe><noframes>no</noframes> three &amp; four`},
		{"CRLF", "One\r\ntwo\rthree\n&\r\nfour"},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, want, scan(t, tt.body).Digest) })
	}
	for _, tt := range []struct{ name, body string }{
		{"a word", `One two three and four`},
		{"case", `one two three & four`},
		{"order", `two One three & four`},
		{"joined words", `<p>One two</p>three<span>&</span>four`},
	} {
		t.Run("not "+tt.name, func(t *testing.T) { assert.NotEqual(t, want, scan(t, tt.body).Digest) })
	}
}

func TestTitleIsTheDocuments(t *testing.T) {
	assert.Equal(t, "Page", scan(t, `<svg><title>Icon</title></svg><title>Page</title><title>Second</title>`).Title)
	assert.Equal(t, "a\uFFFDb", scan(t, "<title>a\x00b</title>").Title)
	long := scan(t, "<title>"+strings.Repeat("ä", 2000)+"</title>")
	assert.Equal(t, strings.Repeat("ä", 512), long.Title)
	assert.Equal(t, 2000, long.TitleLen)
	odd := scan(t, "<title>x"+strings.Repeat("€", 2000)+"</title>")
	assert.Equal(t, "x"+strings.Repeat("€", 341), odd.Title)
}

// TestReadErrorKeepsWhatWasRead also proves that the cut page's wall is still told.
func TestReadErrorKeepsWhatWasRead(t *testing.T) {
	broken := errors.New("connection reset")
	body := `<title>T</title><p>Some words<a href=/a>`
	for _, header := range []http.Header{nil, {"Content-Type": {"text/html; charset=utf-8"}}, {"Content-Type": {"text/html; charset=koi8-r"}}} {
		f, err := page.Scan(io.MultiReader(strings.NewReader(body), iotest.ErrReader(broken)),
			&page.Options{URL: at("https://site.test/").URL, Header: header})
		require.ErrorIs(t, err, broken)
		assert.True(t, f.Cut)
		assert.Equal(t, "T", f.Title)
		assert.Equal(t, 2, f.Words)
		assert.Len(t, f.Links, 1)
		assert.Equal(t, int64(len(body)), f.Bytes)
	}
}

func TestGiantTagEndsTheScan(t *testing.T) {
	body := `<title>T</title><p>Some words<a href=/a></a><img alt="` + strings.Repeat("x", 300<<10) + `"><a href=/b></a>`
	f, err := page.Scan(strings.NewReader(body), at("https://site.test/"))
	require.ErrorIs(t, err, page.ErrTag)
	assert.True(t, f.Cut)
	assert.Equal(t, "T", f.Title)
	assert.Equal(t, 2, f.Words)
	assert.Equal(t, []page.Link{{URL: "https://site.test/a"}}, f.Links)
	assert.Less(t, f.Bytes, int64(len(body)))
}

// TestLongTokensAreScannedInPieces puts every kind of long token before a text and a link.
func TestLongTokensAreScannedInPieces(t *testing.T) {
	const size = 256 << 10
	for _, tt := range []struct{ name, open, end string }{
		{"script", "<script>", "</script>"},
		{"script that writes tags", "<script>'<p>no</p>'", "</script>"},
		{"style", "<style>", "</style>"},
		{"comment", "<!--", "-->"},
		{"comment, odd end", "<!--", "--!>"},
		{"bogus comment", "<?", ">"},
		{"iframe", "<iframe>", "</iframe>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for d := range 12 { // the end falls on each side of the limit
				filler := strings.Repeat("x", size-len(tt.open)-d)
				if d == 0 {
					filler += strings.Repeat("y", size+size/2) // two pieces more
				}
				f := scan(t, tt.open+filler+tt.end+"Some words<a href=/a></a>")
				require.Equal(t, 2, f.Words, "%d before the limit", d)
				require.Equal(t, 10, f.Text)
				require.Len(t, f.Links, 1)
			}
		})
	}
}

func TestLongTextIsScannedInPieces(t *testing.T) {
	const size = 256 << 10
	for _, tt := range []struct{ open, tail, want string }{
		{"", "<b>y</b>", "y"},
		{"", "&amp;", "&"},
		{"", "&CounterClockwiseContourIntegral;", "\u2233"},
		{"", "€", "€"},
		{"", "&y", "&y"},
		{"", "< y", "< y"},
		{"<textarea>", "&amp;</textarea>y", "&y"},
	} {
		for d := range len(tt.tail) + 2 {
			text := strings.Repeat("x", size-d-len(tt.open))
			f := scan(t, tt.open+text+tt.tail)
			want := strings.TrimSuffix(text+tt.want, " ")
			if tt.open != "" {
				want = text + "& y"
			}
			require.Equal(t, sha256.Sum256([]byte(want)), f.Digest, "%q, %d before the limit", tt.tail, d)
		}
	}
	f := scan(t, "<title>"+strings.Repeat("x", 3*size)+"</title>y")
	assert.Equal(t, 3*size, f.TitleLen)
	assert.Equal(t, 1, f.Text)
}

func TestWallComesFromTheSamePass(t *testing.T) {
	body := `<html><head><title>Hetki...</title></head><body><script>window._cf_chl_opt={cvId:"3"}</script></body></html>`
	o := at("https://site.test/")
	o.Status = 403
	f, err := page.Scan(strings.NewReader(body), o)
	require.NoError(t, err)
	assert.Equal(t, botwall.Detect(403, o.Header, []byte(body)), f.Wall)
	assert.Equal(t, botwall.Challenge, f.Wall.Kind)
}
