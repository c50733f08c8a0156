package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch/fetchtest"
)

func TestG05_TheScannersPageIsPrinted(t *testing.T) {
	page := func(args ...string) string {
		res := runFake(t, &fetchtest.Site{}, args...)
		require.Equal(t, exitScanned, res.code, res.errOut)
		assert.Empty(t, res.errOut)
		assert.Empty(t, res.log, "nothing is asked for")
		return res.out
	}
	english := page("-bot-page", "md")
	assert.Contains(t, english, "# About Metrimato-Scanner\n\nMetrimato-Scanner runs")
	assert.Contains(t, english, "User-Agent: Metrimato-Scanner/1.0 (+https://metrimato.com/scanner)\n")
	assert.Contains(t, english, "at most 500 pages")
	assert.Contains(t, english, "At least 0.3 seconds between")
	assert.Contains(t, english, "then once a week")
	assert.Contains(t, english, "at most once every 24 hours for each site")
	assert.Contains(t, english, "It connects to public addresses only")
	finnish := page("-bot-page", "fi.html")
	assert.Contains(t, finnish, `<html lang="fi">`)
	assert.Contains(t, finnish, "vähintään 0,3 sekuntia")
	assert.Contains(t, finnish, "jonka Metrimadon asiakkaat voivat kytkeä päälle")

	// It is the page of a run with the very flags.
	for flag, says := range map[[2]string]string{
		{"-max-pages", "60"}:              "at most 60 pages",
		{"-own-proof", "code"}:            "verified by its home page",
		{"-allow-addr", "127.0.0.1:8080"}: "for servers of its own: 127.0.0.1:8080",
	} {
		assert.NotContains(t, english, says)
		assert.Contains(t, page(flag[0], flag[1], "-bot-page", "md"), says)
	}
	assert.Contains(t, english, "until the bot is restarted")
	assert.NotContains(t, page("-state", t.TempDir(), "-bot-page", "md"), "until the bot is restarted")

	for _, args := range [][]string{{"-bot-page", "pdf"}, {"-bot-page", "md", "https://site.example/"}, {"-bot-page", "md", "-demo"}} {
		res := runFake(t, &fetchtest.Site{}, args...)
		assert.Equal(t, exitUsage, res.code)
		assert.Empty(t, res.out)
	}
}
