package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch/fetchtest"
)

func reported(t *testing.T, name string) (*goquery.Document, string) {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	doc, err := goquery.NewDocumentFromReader(bytes.NewReader(text))
	require.NoError(t, err)
	return doc, string(text)
}

func TestM05TheHTMLReportKeepsNoTextOfPages(t *testing.T) {
	name := filepath.Join(t.TempDir(), "run.html")
	for _, more := range [][]string{nil, {"-json"}} {
		synctest.Test(t, func(t *testing.T) {
			site := &fetchtest.Site{}
			site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /closed\n# robots-words\n"))
			site.Set("/", fetchtest.HTML(`<title>title-words</title><meta name=description content="description-words"><h1>heading-words</h1><p>body-words<img alt="alt-words" src=/x><a href=/closed>link-words</a><a href=/b>x</a>`))
			site.Set("/b", fetchtest.Status(404))
			var out, errOut bytes.Buffer
			code := run(t.Context(), append(more, "-report", name, "https://site.example/"), &out, &errOut, site)
			require.Equal(t, exitScanned, code, errOut.String())
			doc, text := reported(t, name)
			assert.NotContains(t, text, "-words")
			assert.Equal(t, len(site.Log()), doc.Find("#requests ~ div tr[id]").Length())
			assert.Equal(t, "✓ The promise was kept", doc.Find(".verdict").Text())
			assert.Equal(t, 3, doc.Find("#results ~ div").First().Find("tbody tr").Length())
			assert.Contains(t, doc.Find("#closed + p + table").Text(), "2Disallow: /closedhttps://site.example/closed")
			assert.Contains(t, doc.Find("dl").Text(), "2 answered, 1 closed by robots.txt")
		})
	}
}

func TestTheHTMLReportIsWrittenOnInterruptAndWithoutAScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		name := filepath.Join(t.TempDir(), "run.html")
		site := &fetchtest.Site{}
		site.Set("/", fetchtest.HTML("<p><a href=/hang>on</a>"))
		site.Set("/hang", fetchtest.Hang())
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(5*time.Second, func() { cancel(errors.New("interrupt signal received")) })
		code := run(ctx, []string{"-report", name, "https://site.example/"}, gone{}, io.Discard, site)
		assert.Equal(t, exitNotScanned, code, "the screen was gone")
		doc, _ := reported(t, name)
		assert.Contains(t, doc.Find("body").Text(), "interrupted: interrupt signal received.")
		last := doc.Find("#requests ~ div tr[id]").Last().Text()
		assert.Contains(t, last, "/hang")
		assert.Contains(t, last, "interrupt signal received")
	})
}

// gone is a screen that nothing can be written to.
type gone struct{}

func (gone) Write([]byte) (int, error) { return 0, errors.New("the screen is gone") }

func TestAnHTMLReportThatCannotBeWrittenIsToldBeforehand(t *testing.T) {
	site := &fetchtest.Site{}
	var errOut bytes.Buffer
	code := run(t.Context(), []string{"-report", filepath.Join(t.TempDir(), "no", "x.html"), "https://site.example/"}, io.Discard, &errOut, site)
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, errOut.String(), "for flag -report: ")
	assert.Empty(t, site.Log())
}
