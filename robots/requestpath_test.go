package robots_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/robots"
)

func TestAnAddressIsReadAsItIsWritten(t *testing.T) {
	g := robots.Parse([]byte("User-agent: *\nDisallow: /!secret\nDisallow: /a?b=(c)\nDisallow: /(x|\nAllow: /(x|y)\n")).Group("x")
	for addr, want := range map[string]bool{
		"https://a.example/!secret":      false,
		"https://a.example/!secret/ä":    false,
		"https://a.example/!secret/a b":  false,
		"https://a.example/%21other/ä":   true,
		"https://a.example/a?b=(c)":      false,
		"https://a.example/(x|y)":        true,
		"https://a.example/(x|z)":        false,
		"https://a.example":              true,
		"https://a.example/ok?":          true,
		"https://a.example/%e4%zz":       true,
		"https://a.example/(public)/x.y": true,
	} {
		u, err := url.Parse(addr)
		if err != nil {
			continue // net/url won't have it
		}
		assert.Equal(t, want, g.Test(u).Allowed, addr)
		assert.Equal(t, want, g.TestPath(addr[len("https://a.example"):]).Allowed, addr)
	}
	assert.False(t, g.Test(&url.URL{Path: "/!secret"}).Allowed, "either way of writing it counts")
	assert.True(t, g.Test(&url.URL{Path: "/secret"}).Allowed)
	escaped := robots.Parse([]byte("User-agent: *\nDisallow: /%21secret\n")).Group("x")
	assert.False(t, escaped.Test(&url.URL{Path: "/!secret"}).Allowed)
	u, err := url.Parse("https://a.example/plain/path")
	require.NoError(t, err)
	assert.Zero(t, testing.AllocsPerRun(100, func() { g.Test(u) }))
}
