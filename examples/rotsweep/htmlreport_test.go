package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch/fetchtest"
)

func TestTheHTMLReportAnswersAnOwner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		name := filepath.Join(dir, "run.html")
		site := &fetchtest.Site{Latency: 20 * time.Millisecond}
		site.Set("/robots.txt", fetchtest.Text("User-agent: RotSweep\nDisallow: /closed\n"))
		for _, path := range []string{"/a", "/b", "/c", "/closed"} {
			site.Set(path, fetchtest.HTML("<title>secret-words</title><p>secret-words"))
		}
		site.Set("/busy", fetchtest.Status(429).RetryAfter(10*time.Second))
		list := "https://one.example/a\nhttps://one.example/b\nhttps://one.example/c\nhttps://one.example/closed\nhttps://two.example/busy\nhttps://two.example/a\n"
		var out, errOut bytes.Buffer
		code := run(t.Context(), []string{"-report", name, "-"}, strings.NewReader(list), &out, &errOut, site)
		require.Equal(t, exitNothing, code, "%s%s", &out, &errOut)
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		doc, err := goquery.NewDocumentFromReader(bytes.NewReader(text))
		require.NoError(t, err)

		rows := doc.Find("#requests ~ div tr[id]")
		assert.Equal(t, len(site.Log()), rows.Length())
		words := rows.Map(func(_ int, s *goquery.Selection) string { return s.Text() })
		all := strings.Join(words, "\n")
		assert.Contains(t, all, "held before: answered 429, Retry-After asks for 10s", "why then")
		assert.Equal(t, 2, doc.Find("#timeline ~ h3[id^=h]").Length(), "a time line for each domain")
		assert.Equal(t, "✓ The promise was kept", doc.Find(".verdict").Text())
		assert.Contains(t, doc.Find("#promise + table").Text(), "At least 1.000\u00a0s from a request to the 2nd after it to one host")
		assert.Contains(t, doc.Find("dl").Text(), "https://one.example/closed: disallowed by robots.txt line 2: Disallow: /closed")
		assert.Equal(t, 6, doc.Find("#results ~ div").First().Find("tbody tr").Length())
		assert.NotContains(t, string(text), "secret-words")

		code = run(t.Context(), []string{"-report", dir, "-"}, strings.NewReader(list), io.Discard, &errOut, site)
		assert.Equal(t, exitUsage, code)
	})
}
