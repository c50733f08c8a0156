package main

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/politefetch/fetchtest"
)

func TestTableCutsLongAddressesInTheMiddle(t *testing.T) {
	long := "https://site.example/shop/" + strings.Repeat("very-long-category/", 12) + "lamp-4711.html"
	t.Setenv("COLUMNS", "")
	var out bytes.Buffer
	writeTable(&out, "https://site.example", []row{{N: 1, URL: long, Status: 200, Type: "text/html", Error: strings.Repeat("reason ", 40)}})
	assert.Contains(t, out.String(), "/shop/very-long-category/")
	assert.Contains(t, out.String(), "lamp-4711.html")
	assert.Contains(t, out.String(), "…")
	for line := range strings.Lines(out.String()) {
		assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), cli.PlainWidth, line)
	}
}

func TestTableFitsTheScreen(t *testing.T) {
	rows := []row{
		{N: 1, URL: "https://site.example/", Status: 200, Type: "text/html", facts: facts{Bytes: 2_000_000, Text: 1_999_999, Words: 400_000, Links: 10_000, Fingerprint: "1:x"}},
		{N: 500, URL: "https://site.example/" + strings.Repeat("category/", 30), Status: 200, Type: "application/xhtml+xml", Error: "at https://site.example/" + strings.Repeat("x", 200)},
		{N: 501, URL: "https://site.example/x", Status: 404},
	}
	for _, columns := range []int{40, 60, 80, 100, 120, 200} {
		t.Setenv("COLUMNS", strconv.Itoa(columns))
		var out bytes.Buffer
		writeTable(&out, "https://site.example", rows)
		for line := range strings.Lines(out.String()) {
			assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), columns, line)
		}
		for _, want := range []string{"/cat", "404", "not", "status", "note"} {
			assert.Contains(t, out.String(), want, columns)
		}
		assert.Equal(t, columns >= 80, strings.Contains(out.String(), "words"), columns)
		assert.Equal(t, columns >= 120, strings.Contains(out.String(), "type"), columns)
	}
}

func TestMiddleKeepsBothEnds(t *testing.T) {
	assert.Equal(t, "abcdef", cli.Middle("abcdef", 6))
	assert.Equal(t, "abc…gh", cli.Middle("abcdefgh", 6))
}

func TestPrintableTakesControlOut(t *testing.T) {
	assert.Equal(t, "a·b·c·d·ä €", cli.Printable("a\x1bb\u202ec\nd\xffä €"))
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
