package robots_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/robots"
)

func TestDiagnostics(t *testing.T) {
	long := strings.Repeat("x", 17_000)
	for _, tt := range []struct {
		name, body string
		want       []string
	}{
		{"clean", "# c\nUser-agent: *\nCrawl-delay: 5\nDisallow: /x\nAllow: *y\nDisallow:\nFoo: bar\nSitemap: https://example.com/s.xml\n", nil},
		{"HTML", "\n <!doctype html><title>no</title>\n", []string{"1 html-body"}},
		{"words", "two words\n", nil},
		{"HTML tag", "<html>", []string{"1 html-body"}},
		{"less-than", "<5: x", nil},
		{"orphan", "Disallow: /x\nUser-agent: *\n", []string{"1 orphan-rule"}},
		{"slash", "User-agent: *\nDisallow: x\nAllow: http://example.com/\n", []string{"2 rule-without-slash", "3 rule-without-slash"}},
		{"merged", "User-agent: a\nCrawl-delay: 1\n\nUser-agent: b\nDisallow: /\nUser-agent: c\nDisallow: /\nCrawl-delay: 1\nUser-agent: d\n", []string{"2 merged-delay-group"}},
		{"bad delay", "User-agent: *\nCrawl-delay: [5]\n", []string{"2 bad-crawl-delay"}},
		{"tokens", "User-agent: a/1.0\nUser-agent:\nUser-agent: * all\nUser-agent: good_one-x\nUser-agent: MJ12bot\n", []string{"1 bad-user-agent", "2 bad-user-agent", "5 bad-user-agent"}},
		{"leniency", "Useragent: *\nDisalow /x\n", []string{"1 misspelt-key", "2 missing-colon", "2 misspelt-key"}},
		{"long line", "User-agent: *\r\nDisallow: /" + long + "\r\nDisallow: /y\n" + long, []string{"2 cut-line", "4 cut-line"}},
		{"long file", "User-agent: *\n" + strings.Repeat("# 1234567890123\n", 40_000), []string{"32001 cut-file"}},
		{"order", "Disallow: x\n# " + long + "\nUser-agent: ö\n", []string{"1 orphan-rule", "1 rule-without-slash", "2 cut-line", "3 bad-user-agent"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, d := range robots.Parse([]byte(tt.body)).Diagnostics() {
				got = append(got, fmt.Sprint(d.Line, " ", d.Code))
				assert.NotEmpty(t, d.Text)
				assert.LessOrEqual(t, len(d.String()), 300)
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestDiagnosticsAreBoundedAndPrintable(t *testing.T) {
	f := robots.Parse([]byte(strings.Repeat("Disallow: \x1b\xff"+strings.Repeat("y", 300)+"\n", 1500)))
	list := f.Diagnostics()
	require.Len(t, list, 1000)
	assert.Equal(t, "line 1: orphan-rule: a rule before the first User-agent line is for nobody", list[0].String())
	assert.Contains(t, list[1].Text, `\x1b\xff`)
	assert.NotContains(t, list[1].Text, "\x1b")
}
