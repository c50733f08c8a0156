package robots_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/robots"
)

func TestTokenOf(t *testing.T) {
	for userAgent, want := range map[string]string{
		"KiwiRankBot": "KiwiRankBot",
		"Mozilla/5.0 (compatible; KiwiRankBot/1.0; +https://kiwirank.com/bot/)": "KiwiRankBot",
		"Mozilla/5.0 (compatible; RotSweep/1.0; +https://rotsweep.com/agent)":   "RotSweep",
		"Metrimato-Scanner/1.0 (+https://metrimato.com/scanner)":                "Metrimato-Scanner",
		"Mozilla/5.0 (Compatible;  Foo_Bot ) x":                                 "Foo_Bot",
		"Mozilla/5.0 (compatible)":                                              "Mozilla",
		"Mozilla/5.0 (compatible; )":                                            "Mozilla",
		"Mozilla/5.0 (X11; Linux) FooBot/1.0":                                   "FooBot",
		"Mozilla/5.0(X11)FooBot/1.0":                                            "FooBot",
		"Mozilla/5.0 (unclosed FooBot":                                          "Mozilla",
		"Mozilla/5.0":                                                           "Mozilla",
		"MJ12bot/v1.4.8":                                                        "MJ12bot",
		"archive.org_bot":                                                       "archive.org_bot",
		"Foo Bar":                                                               "Foo",
		" \tFooBot ":                                                            "FooBot",
		"foo*bot":                                                               "foo",
		"":                                                                      "",
		"*":                                                                     "",
		"/1.0":                                                                  "",
		"(only a comment)":                                                      "",
	} {
		assert.Equal(t, want, robots.TokenOf(userAgent), "%q", userAgent)
	}
}

func TestCheckToken(t *testing.T) {
	for _, s := range []string{"FooBot", "foo-bot_x", "MJ12bot", "archive.org_bot", "go!zilla", "a+b~"} {
		require.NoError(t, robots.CheckToken(s), "%q", s)
	}
	for _, s := range []string{"", "*", "FooBot/1.0", "Foo Bot", "FooBot*", "Bö", "a:b", "\x00", "Mozilla/5.0 (compatible; X)"} {
		require.Error(t, robots.CheckToken(s), "%q", s)
	}
	assert.ErrorContains(t, robots.CheckToken("Foo\x1bBot"), `robots: product token "Foo\x1bBot" has "\x1b"`)
}
