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
