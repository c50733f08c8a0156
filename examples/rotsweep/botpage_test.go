package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestG05_TheWatchersPageIsPrinted(t *testing.T) {
	page := func(args ...string) string {
		res := start(t.Context(), nil, "", args...)
		require.Equal(t, exitNothing, res.code, res.errOut)
		assert.Empty(t, res.errOut)
		return res.out
	}
	english := page("-bot-page", "md")
	for _, says := range []string{
		"# About RotSweep\n\nRotSweep is a link-rot", "User-Agent: Mozilla/5.0 (compatible; RotSweep/1.0; +https://rotsweep.com/agent)\n",
		"header fields of Chrome, Firefox or Safari", "`robots.txt` is advisory", "we will stop them",
		"one request every second for each registrable domain, with a burst of at most 2", "after 15 seconds", "At most 4 MiB", "at most 10 hops",
		"for at least 6 hours", "about 10 minutes later", "The content of the page is not kept", "until the bot is restarted",
	} {
		assert.Contains(t, english, says)
	}
	finnish := page("-bot-page", "fi.html")
	assert.Contains(t, finnish, `<html lang="fi">`)
	assert.Contains(t, finnish, "yksi pyyntö sekunnin välein")
	assert.Contains(t, finnish, "RotSweep seuraa, ovatko linkit")
	assert.NotContains(t, page("-state", t.TempDir(), "-bot-page", "md"), "until the bot is restarted")
	assert.Contains(t, page("-allow-addr", "127.0.0.1:8080", "-bot-page", "md"), "for servers of its own: 127.0.0.1:8080")

	for _, args := range [][]string{{"-bot-page", "pdf"}, {"-bot-page", "md", "links.txt"}, {"-bot-page", "md", "-demo"}, {"-bot-page", "md", "-watch"}} {
		res := start(t.Context(), nil, "", args...)
		assert.Equal(t, exitUsage, res.code)
		assert.Empty(t, res.out)
	}
}
