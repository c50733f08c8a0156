package main

import (
	"bytes"
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

func TestTheHTMLReportShowsBothRoutes(t *testing.T) {
	const second = "https://second.example/"
	w := newWorld(t)
	synctest.Test(t, func(t *testing.T) {
		for range 2 { // as usual, then gently
			w.direct.Set("/a", busy(1), fetchtest.HTML("a"))
			w.visit(t, exitDone)
			time.Sleep(5 * time.Hour)
		}
		w.direct.Set(second+"robots.txt", fetchtest.Text("User-agent: *\nDisallow: /x\n"))
		w.direct.Set(second, fetchtest.HTML("<title>title-words</title>body-words <a href=/x>link-words</a>"))
		direct, relayed := len(w.direct.Log()), len(w.relay.Log())
		name := filepath.Join(t.TempDir(), "run.html")
		code, _, errOut := w.run(t, "visit", start, second, "https://", "-report", name)
		require.Equal(t, exitNotDone, code, "the third is no address: %s", errOut)
		direct, relayed = len(w.direct.Log())-direct, len(w.relay.Log())-relayed

		text, err := os.ReadFile(name)
		require.NoError(t, err)
		w.said = append(w.said, string(text))
		doc, err := goquery.NewDocumentFromReader(bytes.NewReader(text))
		require.NoError(t, err)
		assert.Equal(t, "✓ The promise was kept", doc.Find(".verdict").Text())
		rows := doc.Find("#requests ~ div tr[id]")
		assert.Equal(t, direct+relayed, rows.Length())
		assert.Equal(t, relayed, rows.Find(".tag.relayed").Length())
		require.NotZero(t, relayed)
		assert.Equal(t, 1, doc.Find(".strip rect.relayed").Length())
		assert.Equal(t, 7, doc.Find("#results ~ div").First().Find("tbody tr").Length())
		facts := doc.Find("dl").Text()
		assert.Contains(t, facts, "extra visit: done")
		assert.Contains(t, facts, "through the provider")
		assert.Contains(t, facts, "set-up visit: done")
		assert.Contains(t, doc.Find("#closed + p + table").Text(), "Disallow: /x")
		assert.NotContains(t, string(text), "-words")
		w.audit(t)
	})
}

func TestAnHTMLReportIsOfVisits(t *testing.T) {
	for args, want := range map[string][]string{
		"makes none":       {"due", "-report", filepath.Join(t.TempDir(), "x.html")},
		"for flag -report": {"visit", start, "-report", filepath.Join(t.TempDir(), "no", "x.html")},
		"stand alone":      {"-demo", "-report", filepath.Join(t.TempDir(), "x.html")},
	} {
		var out, errOut bytes.Buffer
		a := &app{stdout: &out, stderr: &errOut}
		assert.Equal(t, exitUsage, a.run(t.Context(), want), args)
		assert.Contains(t, errOut.String(), args)
	}
}
