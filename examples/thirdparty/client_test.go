package thirdparty_test

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
)

// An http.Client as it comes, with a cookie jar, credentials and redirects, which each
// take the whole path.
func TestClientSendsNothingOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /closed\n"))
		site.Set("/", fetchtest.Redirect("/1").With("Set-Cookie", "session=1"))
		site.Set("/1", fetchtest.Redirect("/2"))
		site.Set("/2", fetchtest.HTML("two"))
		site.Set("/in", fetchtest.Redirect("/closed"))
		jar, err := cookiejar.New(nil)
		require.NoError(t, err)
		client := &http.Client{Transport: newBot(t, site), Jar: jar}

		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://user:secret@site.example/", nil)
		require.NoError(t, err)
		for name, value := range map[string]string{
			"User-Agent": "Mozilla/5.0 Chrome/130", "Authorization": "Bearer x", "Cookie": "a=b", "Referer": "https://from.example/", "Proxy-Authorization": "Basic x",
			"X-Forwarded-For": "192.0.2.1", "Range": "bytes=0-1", "Accept-Language": "fi", "Accept-Encoding": "br", "Origin": "https://from.example",
		} {
			req.Header.Set(name, value)
		}
		resp, err := client.Do(req)
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, "two", string(body))
		assert.Equal(t, "/2", resp.Request.URL.Path, "where it ended")
		assert.Equal(t, "Mozilla/5.0 Chrome/130", req.Header.Get("User-Agent"), "the request is the caller's")
		assert.NotEmpty(t, jar.Cookies(resp.Request.URL), "what the client does with answers is its own affair")

		_, err = get(t.Context(), client, site1+"/in")
		assert.Equal(t, politefetch.Disallowed, refusal(t, err).Outcome)
		assert.Zero(t, site.Count("/closed"))
		kept(t, site.Log())
		for _, x := range site.Log()[1:4] {
			assert.Equal(t, "fi", x.Header.Get("Accept-Language"))
			assert.Equal(t, "gzip", x.Header.Get("Accept-Encoding"))
			assert.Nil(t, x.URL.User)
		}
	})
}

func TestClientMayOnlyRead(t *testing.T) {
	site := &fetchtest.Site{}
	client := &http.Client{Transport: newBot(t, site)}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, http.MethodTrace, http.MethodConnect, "get", "PROPFIND"} {
		req, err := http.NewRequestWithContext(t.Context(), method, site1+"/", strings.NewReader("x"))
		require.NoError(t, err)
		_, err = client.Do(req)
		require.ErrorIs(t, err, politefetch.ErrMethod, method)
	}
	_, err := client.PostForm(site1+"/", nil)
	require.ErrorIs(t, err, politefetch.ErrMethod)
	assert.Empty(t, site.Log(), "robots.txt neither")
}

// Answers that nobody reads or closes hold no turn.
func TestUnreadAnswersHoldNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		site.Set("/big", fetchtest.HTML(strings.Repeat("x", 1<<20)))
		client := &http.Client{Transport: newBot(t, site)}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		for range 10 {
			_, err := get(ctx, client, site1+"/big")
			require.NoError(t, err)
		}
		assert.Equal(t, 10*time.Second, time.Since(began), "robots.txt and ten pages, a second apart")
		kept(t, site.Log())
	})
}
