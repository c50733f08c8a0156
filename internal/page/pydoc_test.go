package page_test

import (
	"bytes"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/politefetch/sdk/internal/botwall"
	"github.com/politefetch/sdk/internal/page"
	"github.com/stretchr/testify/require"
)

// pydoc returns the HTML pages of Python's documentation (Debian's python3-doc), about 530
// ordinary pages of all sizes. POLITEFETCH_PYDOC names their folder; unset, it is looked for
// where Debian puts it, and one page in eight will do.
func pydoc(tb testing.TB) map[string][]byte {
	tb.Helper()
	dir, set := os.LookupEnv("POLITEFETCH_PYDOC")
	if !set {
		for _, d := range []string{"/usr/share/doc/python3/html", "/usr/share/doc/python3-doc/html"} {
			if _, err := os.Stat(d); err == nil {
				dir = d
			}
		}
		if dir == "" {
			tb.Skip("no python3-doc; set POLITEFETCH_PYDOC to its html folder")
		}
	}
	dir, err := filepath.EvalSymlinks(dir)
	require.NoError(tb, err)
	pages, n := map[string][]byte{}, 0
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".html") {
			return err
		}
		if n++; !set && n%8 != 0 {
			return nil
		}
		pages[path], err = os.ReadFile(path)
		return err
	})
	require.NoError(tb, err)
	require.Greater(tb, n, 100, "%s is no python3-doc", dir)
	return pages
}

// TestOrdinaryPagesAreNoWalls scans them all, and judges them as every kind of answer that
// walls come as: there are long pages among them, and pages with next to no text.
func TestOrdinaryPagesAreNoWalls(t *testing.T) {
	pages := pydoc(t)
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
