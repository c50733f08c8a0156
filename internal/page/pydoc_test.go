package page_test

import (
	"bytes"
	"net/http"
	"net/url"
	"runtime"
	"testing"
	"time"

	"github.com/politefetch/sdk/internal/botwall"
	"github.com/politefetch/sdk/internal/page"
	"github.com/politefetch/sdk/internal/page/pydoc"
	"github.com/stretchr/testify/require"
)

// TestOrdinaryPagesAreNoWalls scans them all, and judges them as every kind of answer that
// walls come as: there are long pages among them, and pages with next to no text.
func TestOrdinaryPagesAreNoWalls(t *testing.T) {
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
		total += len(body)
		text += f.Text
	}
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	t.Logf("%d pages, %.1f MB, %d characters of text: %v, %.0f MB/s, %d allocations a page", len(pages),
		float64(total)/1e6, text, took.Round(time.Millisecond), float64(total)/1e6/took.Seconds(),
		(after.Mallocs-before.Mallocs)/uint64(len(pages)))
	for _, status := range []int{202, 403, 429, 503} {
		for name, body := range pages {
			require.Equal(t, botwall.Wall{}, botwall.Detect(status, o.Header, body), "%d %s", status, name)
		}
	}
}
