package main

import (
	"bytes"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/politefetch/sdk/politefetch/fetchtest"
)

// The demo on real sockets, with fewer articles than -demo serves.
func TestDemoKeepsItsPromises(t *testing.T) {
	t.Parallel()
	var out, errOut bytes.Buffer
	began := time.Now()
	code := demo(t.Context(), &options{}, &out, &errOut, demoSize{articles: 5, crawlDelay: 350 * time.Millisecond})
	assert.Equal(t, exitScanned, code, "%s%s", &out, &errOut)
	assert.Less(t, time.Since(began), time.Minute)
	for _, want := range []string{
		"127.0.0.1: " + proved,
		"302 to https://partner.example/offers; not one of the visit's",
		"disallowed by robots.txt line 6: Disallow: /shop/",
		"asked for 2 times",
		"1 answered 429",
		"Every promise was kept",
	} {
		assert.Contains(t, out.String(), want)
	}
	assert.NotContains(t, out.String(), "logo.png")
	assert.NotContains(t, out.String(), "brochure.pdf")
}

func TestDemoOwnsUpToABrokenPromise(t *testing.T) {
	u := &url.URL{Scheme: "http", Host: "127.0.0.1:1", Path: "/shop/cart"}
	var out bytes.Buffer
	assert.False(t, held(&out, []fetchtest.Exchange{{Method: http.MethodGet, URL: u}}, 0))
	assert.Contains(t, out.String(), "BROKEN")
	assert.Contains(t, out.String(), "User-Agent")
	assert.Contains(t, out.String(), "robots.txt of http://127.0.0.1:1 had not been read")
	assert.NotContains(t, out.String(), "Every promise was kept")
}
