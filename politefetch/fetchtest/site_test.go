package fetchtest_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch/fetchtest"
)

func get(t *testing.T, rt http.RoundTripper, url string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	resp, err := rt.RoundTrip(req)
	require.NoError(t, err)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp, string(body)
}

func TestSiteAnswersAsScripted(t *testing.T) {
	var site fetchtest.Site
	site.Set("/a", fetchtest.Status(503), fetchtest.HTML("one"), fetchtest.HTML("two"))
	site.Set("https://only.example/a", fetchtest.Text("mine"))
	site.Set("/q?x=1", fetchtest.Text("query"))
	site.Set("/body", fetchtest.Answer{Body: "alone"})
	site.Fallback = func(r *http.Request) fetchtest.Answer {
		if r.URL.Path == "/made" {
			return fetchtest.Text("made")
		}
		return fetchtest.Answer{}
	}
	tests := []struct {
		url, body string
		status    int
	}{
		{"https://a.example/a", "", 503},
		{"https://a.example/a", "one", 200},
		{"https://a.example/a", "two", 200},
		{"https://b.example/a?any=query", "two", 200}, // the last one stays, for any host and query
		{"https://only.example/a", "mine", 200},
		{"https://a.example/q?x=1", "query", 200},
		{"https://a.example/q?x=2", "", 404},
		{"https://a.example/made", "made", 200},
		{"https://a.example/body", "alone", 200}, // what has a body was found
		{"https://a.example/", "", 404},
	}
	for _, tt := range tests {
		resp, body := get(t, &site, tt.url)
		assert.Equal(t, tt.status, resp.StatusCode, tt.url)
		assert.Equal(t, tt.body, body, tt.url)
	}
	assert.Equal(t, 4, site.Count("/a"), "on any host")
	assert.Equal(t, 1, site.Count("https://only.example/a"))
}

func TestSiteKeepsTheServersTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Site{Latency: time.Second}
		site.Set("/", fetchtest.Answer{Status: 200, Body: "abc", Delay: time.Second, Drip: time.Second})
		start := time.Now()
		_, body := get(t, &site, "https://a.example/")
		require.Equal(t, "abc", body)
		x := site.Log()[0]
		assert.Equal(t, start, x.Began)
		assert.Equal(t, start.Add(2*time.Second), x.Answered)
		assert.Equal(t, start.Add(5*time.Second), x.Ended)
		assert.EqualValues(t, 3, x.Sent)
	})
}

func TestSiteHangsUntilTheContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/", fetchtest.Hang())
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://a.example/", nil)
		require.NoError(t, err)
		_, err = site.RoundTrip(req)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, time.Hour, site.Log()[0].Ended.Sub(site.Log()[0].Began))
	})
}

func TestSiteFailsAndRepeatsForEver(t *testing.T) {
	var site fetchtest.Site
	broken := errors.New("connection reset")
	site.Set("/fail", fetchtest.Fail(broken))
	site.Set("/endless", fetchtest.Answer{Status: 200, Body: "ab", Endless: true})
	req := httptest.NewRequest(http.MethodGet, "https://a.example/fail", nil)
	_, err := site.RoundTrip(req)
	require.ErrorIs(t, err, broken)

	resp, err := site.RoundTrip(httptest.NewRequest(http.MethodGet, "https://a.example/endless", nil))
	require.NoError(t, err)
	body, err := io.ReadAll(io.LimitReader(resp.Body, 5))
	require.NoError(t, err)
	assert.Equal(t, "ababa", string(body))
	assert.EqualValues(t, -1, resp.ContentLength)
	assert.True(t, site.Log()[1].Ended.IsZero(), "the body is still open")
	require.NoError(t, resp.Body.Close())
	assert.False(t, site.Log()[1].Ended.IsZero())
}

func TestSiteServesRealSockets(t *testing.T) {
	var site fetchtest.Site
	site.Set("/map.xml.gz", fetchtest.Sitemap("https://a.example/?a=1&b=2").Gzip())
	site.Set("/drip", fetchtest.Answer{Status: 200, Body: "ab", Drip: time.Millisecond})
	site.Set("/gone", fetchtest.Fail(errors.New("closed")))
	srv := httptest.NewServer(&site)
	defer srv.Close()

	resp, body := get(t, srv.Client().Transport, srv.URL+"/map.xml.gz")
	assert.Equal(t, "application/gzip", resp.Header.Get("Content-Type"))
	z, err := gzip.NewReader(strings.NewReader(body))
	require.NoError(t, err)
	xml, err := io.ReadAll(z)
	require.NoError(t, err)
	assert.Contains(t, string(xml), "<loc>https://a.example/?a=1&amp;b=2</loc>")

	_, body = get(t, srv.Client().Transport, srv.URL+"/drip")
	assert.Equal(t, "ab", body)

	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL+"/gone", nil)
	require.NoError(t, err)
	_, err = srv.Client().Transport.RoundTrip(req)
	require.Error(t, err)
	assert.Equal(t, srv.URL+"/map.xml.gz", site.Log()[0].URL.String(), "the log holds absolute addresses")
}

func TestSiteForgetsAnAddress(t *testing.T) {
	var site fetchtest.Site
	site.Set("/a", fetchtest.Text("x"))
	site.Set("/a")
	resp, _ := get(t, &site, "https://a.example/a")
	assert.Equal(t, 404, resp.StatusCode)
}
