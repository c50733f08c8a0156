package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch/fetchtest"
)

func TestTableCutsLongAddressesInTheMiddle(t *testing.T) {
	long := "https://site.example/shop/" + strings.Repeat("very-long-category/", 12) + "lamp-4711.html"
	var out bytes.Buffer
	writeTable(&out, "https://site.example", []row{{N: 1, URL: long, Status: 200, Type: "text/html", Error: strings.Repeat("reason ", 40)}})
	assert.Contains(t, out.String(), "/shop/very-long-category/")
	assert.Contains(t, out.String(), "lamp-4711.html")
	assert.Contains(t, out.String(), "…")
	for line := range strings.Lines(out.String()) {
		assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), plainWidth, line)
	}
}

func TestMiddleKeepsBothEnds(t *testing.T) {
	assert.Equal(t, "abcdef", middle("abcdef", 6))
	assert.Equal(t, "abc…gh", middle("abcdefgh", 6))
}

func TestPrintableTakesControlOut(t *testing.T) {
	assert.Equal(t, "a·b·c·d·ä €", printable("a\x1bb\u202ec\nd\xffä €"))
}

// What a site sends must not steer the operator's terminal.
func TestNothingOfASiteSteersTheTerminal(t *testing.T) {
	s := &fetchtest.Site{}
	s.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /\x1b[31mx\u202e\nDisallow: /x*\x1b]0;t\a\n"))
	s.Set("/", fetchtest.HTML("<a href=/x1>a</a><a href='/\x1b[31mx'>b</a><a href=/t>c</a>"))
	s.Set("/t", fetchtest.HTML("x").With("Content-Type", "text/\x1b[2Jx"))
	res := runFake(t, s, "-v", "https://site.example/")
	require.Equal(t, exitScanned, res.code)
	assert.NotContains(t, res.out+res.errOut, "\x1b")
	assert.NotContains(t, res.out+res.errOut, "\u202e")
	assert.NotContains(t, res.out+res.errOut, "\a")
}
