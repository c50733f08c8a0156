package thirdparty_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mmcdole/gofeed"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
	"github.com/politefetch/sdk/ratepolicy"
)

const feed = `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>
<item><title>One</title><link>https://site.example/1</link></item>
<item><title>Two</title><link>https://site.example/2</link></item></channel></rss>`

func TestGofeedBecomesPolite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		site.Set("/robots.txt", fetchtest.Text("User-agent: ExampleBot\nCrawl-delay: 3\nDisallow: /closed.xml\n"))
		site.Set("/feed.xml", fetchtest.XML(feed).With("Set-Cookie", "a=b"))
		site.Set("/zipped.xml", fetchtest.XML(feed).Gzip().With("Content-Type", "text/xml").With("Content-Encoding", "gzip"))
		site.Set("/old.xml", fetchtest.Redirect("/feed.xml"))
		site.Set("/busy.xml", fetchtest.Status(http.StatusTooManyRequests).RetryAfter(time.Hour))
		parser := gofeed.NewParser()
		parser.Client = &http.Client{Transport: newBot(t, site)}
		parser.AuthConfig = &gofeed.Auth{Username: "reader", Password: "secret"}

		for _, path := range []string{"/feed.xml", "/zipped.xml", "/old.xml"} {
			got, err := parser.ParseURLWithContext(site1+path, t.Context())
			require.NoError(t, err, path)
			assert.Equal(t, "News", got.Title)
			assert.Len(t, got.Items, 2)
		}
		_, err := parser.ParseURLWithContext(site1+"/closed.xml", t.Context())
		assert.Equal(t, politefetch.Disallowed, refusal(t, err).Outcome)

		_, err = parser.ParseURLWithContext(site1+"/busy.xml", t.Context())
		var status gofeed.HTTPError
		require.ErrorAs(t, err, &status, "a status is an answer")
		assert.Equal(t, http.StatusTooManyRequests, status.StatusCode)

		_, err = parser.ParseURLWithContext(site1+"/feed.xml", t.Context())
		assert.Equal(t, politefetch.Limited, refusal(t, err).Outcome)
		var wait *ratepolicy.WaitError
		require.ErrorAs(t, err, &wait)
		assert.WithinDuration(t, time.Now().Add(time.Hour), wait.Until, time.Second, "when to come back")
		assert.Zero(t, site.Count("/closed.xml"))
		kept(t, site.Log())
	})
}

func TestGofeedReadsNoMoreThanTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		endless := fetchtest.XML("<rss><channel><item><title>x</title></item>")
		endless.Endless = true
		site.Set("/endless.xml", endless)
		parser := gofeed.NewParser()
		parser.Client = &http.Client{Transport: newBot(t, site)}
		_, err := parser.ParseURLWithContext(site1+"/endless.xml", t.Context())
		require.Error(t, err)
		sent := site.Log()[1].Sent
		assert.LessOrEqual(t, sent, int64(2<<20+64<<10), "2 MiB, and what a buffer holds")
	})
}
