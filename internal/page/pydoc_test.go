package page_test

import (
	"bytes"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/politefetch/sdk/internal/botwall"
	"github.com/politefetch/sdk/internal/page"
	"github.com/politefetch/sdk/internal/page/pydoc"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
)

// TestOrdinaryPages scans them all, as answers that let us in and as such that don't.
func TestOrdinaryPages(t *testing.T) {
	pages := pydoc.Pages(t)
	u, err := url.Parse("https://docs.test/3/")
	require.NoError(t, err)
	o := &page.Options{URL: u, Header: http.Header{"Content-Type": {"text/html"}}}
	total, text := 0, 0
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	for name, body := range pages {
		f, err := page.Scan(bytes.NewReader(body), o)
		require.NoError(t, err, name)
		require.Equal(t, botwall.Wall{}, f.Wall, name)
		require.NotEmpty(t, f.Title, name)
		if len(body)%4 == 0 { // a sample
			o403 := *o
			o403.Status = 403
			refused, err := page.Scan(bytes.NewReader(body), &o403)
			require.NoError(t, err, name)
			require.Equal(t, f, refused, name)
		}
		total += len(body)
		text += f.Text
	}
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	t.Logf("%d pages, %.1f MB, %d characters of text: %v, %.0f MB/s, %d allocations a page", len(pages),
		float64(total)/1e6, text, took.Round(time.Millisecond), float64(total)/1e6/took.Seconds(),
		(after.Mallocs-before.Mallocs)/uint64(len(pages)))
}

// TestOrdinaryPagesAgainstTheTree takes links, title and text out of html.Parse's tree.
func TestOrdinaryPagesAgainstTheTree(t *testing.T) {
	o := at("https://docs.test/3/library/x.html")
	for name, body := range pydoc.Pages(t) {
		root, err := html.Parse(bytes.NewReader(body))
		require.NoError(t, err)
		var links []string
		seen := map[string]bool{}
		title, text, headings := "", 0, 0
		for n := range root.Descendants() {
			switch {
			case n.Type == html.TextNode:
				switch n.Parent.Data {
				case "script", "style", "template", "noscript":
				case "title":
					title = strings.Join(strings.Fields(n.Data), " ")
				default:
					for _, r := range n.Data {
						if !unicode.IsSpace(r) && r != '\u200b' && r != '\u00ad' && r != '\ufeff' {
							text++
						}
					}
				}
			case n.Type == html.ElementNode && n.Data == "a":
				for _, a := range n.Attr {
					href, _, _ := strings.Cut(strings.TrimSpace(a.Val), "#") // Parse would judge the fragment, too
					if u, err := o.URL.Parse(href); a.Key == "href" && err == nil && href != "" && strings.HasPrefix(u.Scheme, "http") {
						u.Host = strings.TrimSuffix(u.Host, ":80")
						if u.Path == "" {
							u.Path = "/"
						}
						if addr := u.String(); !seen[addr] {
							seen[addr] = true
							links = append(links, addr)
						}
					}
				}
			case n.Type == html.ElementNode && len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '6':
				headings++
			}
		}
		f, err := page.Scan(bytes.NewReader(body), o)
		require.NoError(t, err)
		require.Equal(t, title, f.Title, name)
		require.Equal(t, text, f.Text-max(0, f.Words-1), name)
		require.Equal(t, headings, f.Headings, name)
		got := make([]string, len(f.Links))
		for i, l := range f.Links {
			got[i] = l.URL
		}
		require.True(t, slices.Equal(links, got), "%s\n%q\n%q", name, links, got)
	}
}
