package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Both outputs on one terminal, of 40 columns.
func TestProgressStaysBelowTheLines(t *testing.T) {
	var term bytes.Buffer
	s := newScreen(&term, &term)
	s.live, s.width = &term, func() int { return 40 }
	s.show("0 files, asks for https://site.example/sitemap.xml")
	s.line("https://site.example/1")
	s.show("1 file, \x1b[2J")
	s.line("https://site.example/2")
	require.NoError(t, s.end())
	for part := range strings.SplitSeq(strings.ReplaceAll(term.String(), eraseLine, ""), "\r") {
		for line := range strings.SplitSeq(part, "\n") {
			assert.Less(t, utf8.RuneCountInString(line), 40, "%q", line)
		}
	}
	assert.Equal(t, []string{"https://site.example/1", "https://site.example/2", ""}, visible(term.String()))
	assert.Contains(t, term.String(), "\r0 files, asks for https://site.example…"+eraseLine)
	assert.NotContains(t, term.String(), "\x1b[2J")
}

// visible returns the lines that stay on a terminal.
func visible(s string) []string {
	var out []string
	for line := range strings.SplitSeq(s, "\n") {
		parts := strings.Split(strings.ReplaceAll(line, "\r"+eraseLine, "\r"), "\r")
		out = append(out, parts[len(parts)-1])
	}
	return out
}

func TestNothingIsDrawnWithoutATerminal(t *testing.T) {
	var out, errOut bytes.Buffer
	s := newScreen(&out, &errOut)
	s.line("x")
	s.show("progress")
	assert.Equal(t, "x\n", out.String(), "lines come when something happens")
	require.NoError(t, s.end())
	assert.Empty(t, errOut.String())
}
