package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch/fetchtest"
)

func TestDemoShowsEveryVerdictAndKeepsItsPromises(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		res := start(t.Context(), nil, "", "-demo")
		assert.Equal(t, exitNothing, res.code, res.errOut)
		assert.Less(t, time.Since(begin), time.Minute)
		for _, want := range []string{
			"│ ok ", "not changed (304)", "moved to https://parked.example/", "drifted 0.", "broken: 410 gone",
			"pending until ", "502 bad gateway", "refused until ", "cloudflare challenge", "limited until ", "Retry-After 3600",
			"stopped: left-alone.example is on the opt-out list", "disallowed by robots.txt", "checked all the same", "asked as firefox",
			"broken: 503 service unavailable", "broken: redirects lead back", "Every promise was kept",
		} {
			assert.Contains(t, res.out, want)
		}
		assert.Contains(t, res.errOut, "Time is compressed")
		blips := strings.Split(res.out, "https://blip.example/")
		assert.Contains(t, blips[1][:60], "pending")
		assert.Contains(t, blips[2][:60], "ok")
	})
}

func TestDemoOwnsUpToABrokenPromise(t *testing.T) {
	log := func(addresses ...string) []fetchtest.Exchange {
		var out []fetchtest.Exchange
		for _, a := range addresses {
			u, err := url.Parse(a)
			require.NoError(t, err)
			out = append(out, fetchtest.Exchange{
				Method: http.MethodGet, URL: u, Header: http.Header{"User-Agent": {promise.UserAgent}}, Began: time.Unix(1, 0), Answered: time.Unix(1, 0), Ended: time.Unix(1, 0),
			})
		}
		return out
	}
	for _, tt := range []struct {
		want string
		log  []fetchtest.Exchange
	}{
		{"robots.txt of https://a.example:443 had not been read", log("https://a.example/")},
		{"came 0s after", log("https://a.example/robots.txt", "https://a.example/1", "https://www.a.example/robots.txt")},
		{"a domain on the opt-out list was asked", log("https://left-alone.example/robots.txt")},
	} {
		var out strings.Builder
		assert.False(t, held(&out, tt.log, fullDemo))
		assert.Contains(t, out.String(), "BROKEN")
		assert.Contains(t, out.String(), tt.want)
		assert.NotContains(t, out.String(), "Every promise was kept")
	}
	var out strings.Builder
	assert.True(t, held(&out, log("https://a.example/robots.txt", "https://a.example/1"), fullDemo), out.String())
}
