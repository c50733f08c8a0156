package politefetch_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch"
)

func TestSiteKeyIsTheRegistrableDomain(t *testing.T) {
	for raw, want := range map[string]string{
		"https://www.example.com:8443/a":  "example.com",
		"http://a.b.Example.CO.UK./":      "example.co.uk",
		"https://example.com/":            "example.com",
		"https://one.github.io/":          "one.github.io",
		"https://github.io/":              "github.io",
		"http://192.0.2.7/":               "192.0.2.7",
		"http://[2001:db8::1]:80/":        "2001:db8::1",
		"https://xn--bcher-kva.example/x": "xn--bcher-kva.example",
	} {
		u, err := url.Parse(raw)
		require.NoError(t, err)
		assert.Equal(t, want, politefetch.SiteKey(u), raw)
	}
}
