package main

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch/fetchtest"
)

// A "%" that begins no escape is sent by browsers as it stands, which this bot can't: it
// says so, instead of asking for an address that may be another.
func TestAStrayPercentSignIsNotAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{Fallback: func(*http.Request) fetchtest.Answer { return words("") }}
		res := start(t.Context(), site, "https://a.example/100%\nhttps://a.example/100%25\nhttps://me:secret@a.example/%zz\nhttps://a.ex%41mple/\n", "-json", "-")
		assert.Equal(t, exitFound, res.code, res.errOut)
		assert.Equal(t, map[string]string{
			"https://a.example/100%": "barred", "https://a.example/100%25": "ok", "…@a.example/%zz": "barred", "https://a.ex%41mple/": "broken",
		}, verdicts(t, res.out))
		assert.Contains(t, res.out, `"a \"%\" in it begins no escape; the sign itself is written %25"`)
		assert.NotContains(t, res.out+res.errOut, "secret")
		var asked []string
		for _, x := range site.Log() {
			asked = append(asked, x.URL.RequestURI())
		}
		assert.Equal(t, []string{"/robots.txt", "/100%25"}, asked)
	})
}

func TestAListIsReadLineByLine(t *testing.T) {
	links, err := readList(strings.NewReader("\ufeff# ours\n\n  https://a.example  # home\nhttp://127.0.0.1:8080/x#part\nhttp://127.0.0.1:8080/x\nHTTP://A.example/b?q=1 browser=chrome\n"))
	require.NoError(t, err)
	var got []string
	for _, l := range links {
		got = append(got, strings.TrimSpace(l.URL+" "+l.browser))
	}
	assert.Equal(t, []string{"https://a.example/", "http://127.0.0.1:8080/x", "http://a.example/b?q=1 chrome"}, got)
	assert.Equal(t, "a.example", links[0].key())
	assert.Equal(t, "127.0.0.1", links[1].key(), "an address has no domain")
}
