package robots_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/robots"
)

func TestABoundFileSpeaksForOneAuthority(t *testing.T) {
	at := func(s string) *url.URL {
		u, err := url.Parse(s)
		require.NoError(t, err)
		return u
	}
	free := robots.Parse([]byte("User-agent: *\nDisallow: /no\n"))
	g := free.For(at("https://Example.com:443/robots.txt")).Group("Bot")
	for addr, want := range map[string]robots.Reason{
		"https://example.com/yes":     robots.ReasonNoRule,
		"https://EXAMPLE.com:443/no":  robots.ReasonRule,
		"HTTPS://example.com/no":      robots.ReasonRule,
		"http://example.com/yes":      robots.ReasonOtherAuthority,
		"https://example.com:444/yes": robots.ReasonOtherAuthority,
		"https://www.example.com/yes": robots.ReasonOtherAuthority,
		"/yes":                        robots.ReasonOtherAuthority,
	} {
		v := g.Test(at(addr))
		assert.Equal(t, want, v.Reason, addr)
		if want == robots.ReasonOtherAuthority {
			assert.False(t, v.Allowed, addr)
			assert.Contains(t, v.String(), "another scheme, host or port")
		}
	}
	assert.Equal(t, robots.ReasonNoRule, free.Group("Bot").Test(at("http://other.example/yes")).Reason, "one that is not bound speaks for any")
}
