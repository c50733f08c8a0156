package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCommandLines(t *testing.T) {
	for args, want := range map[string]string{
		"":                                  "which command?",
		"shop.example":                      "do you mean kiwirank visit shop.example ?",
		"crawl":                             "is no command",
		"visit https://shop.example/":       "-state DIR, please",
		"visit -state x":                    "which site?",
		"status -state x -allow-addr bogus": "not an IP address and a port",
		"-demo https://shop.example/":       "stand alone",
		"-bot-page pdf":                     "not md, html",
		"-nonsense":                         "not defined",
	} {
		var out, errOut bytes.Buffer
		a := &app{stdout: &out, stderr: &errOut}
		assert.Equal(t, exitUsage, a.run(t.Context(), strings.Fields(args)), args)
		assert.Contains(t, errOut.String(), want, args)
		assert.Empty(t, out.String(), args)
	}
}

func TestFlagsStandAnywhere(t *testing.T) {
	var o options
	require.NoError(t, o.parse(strings.Fields("visit https://a.example/ -state dir https://b.example/ -json -allow-addr 127.0.0.1:80"), nil))
	assert.Equal(t, []string{"https://a.example/", "https://b.example/"}, o.sites)
	assert.Equal(t, "dir", o.state)
	assert.True(t, o.json)
	assert.Len(t, o.local, 1)
}

func TestABadKeyIsNotShown(t *testing.T) {
	var out, errOut bytes.Buffer
	a := &app{stdout: &out, stderr: &errOut, key: "bad key \x01"}
	assert.Equal(t, exitUsage, a.run(t.Context(), []string{"status", "-state", t.TempDir()}))
	assert.Contains(t, errOut.String(), "ScrapingBee.Key")
	assert.NotContains(t, errOut.String(), "bad key")
}

func TestHelp(t *testing.T) {
	var out, errOut bytes.Buffer
	a := &app{stdout: &out, stderr: &errOut}
	assert.Equal(t, exitDone, a.run(t.Context(), []string{"-h"}))
	assert.Contains(t, out.String(), "SCRAPINGBEE_API_KEY")
	for line := range strings.Lines(out.String()) {
		assert.LessOrEqual(t, len([]rune(line)), 91, line)
	}
}

func TestThePublicPageNeedsTheKeyToSpeakOfTheProvider(t *testing.T) {
	for key, says := range map[string]bool{"": false, "0123456789abcdef": true} {
		var out, errOut bytes.Buffer
		a := &app{stdout: &out, stderr: &errOut, key: key}
		assert.Equal(t, exitDone, a.run(t.Context(), []string{"-bot-page", "md"}))
		assert.Equal(t, says, strings.Contains(out.String(), "ScrapingBee"))
		assert.Equal(t, !says, strings.Contains(errOut.String(), "so the page does not speak of it"))
	}
}
