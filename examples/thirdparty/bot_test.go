// Package thirdparty_test gives HTTP clients that know nothing of this module a
// [politefetch.Crawler] as their transport, and holds the servers' own logs against the
// bot's promise.
package thirdparty_test

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
)

const (
	agent = "ExampleBot/1.0 (+https://bot.example/)"
	site1 = "https://site.example"
)

var promise = fetchtest.Promise{
	Product: "ExampleBot", UserAgent: agent, Anonymous: true, Concurrency: 1, Delay: time.Second, MaxWait: 30 * time.Second,
}

// newBot returns a bot whose network is site, or with nil the sockets of this machine
// that are allowed.
func newBot(t *testing.T, site http.RoundTripper, allowed ...netip.AddrPort) *politefetch.Crawler {
	t.Helper()
	bot, err := politefetch.New(politefetch.Config{
		Product: "ExampleBot", UserAgent: agent, Transport: site, Guard: politefetch.GuardOptions{Allow: allowed},
	})
	require.NoError(t, err)
	return bot
}

// kept holds a log against the promise, and against what a client has for the bot that
// it must not send.
func kept(t *testing.T, log []fetchtest.Exchange) {
	t.Helper()
	require.NotEmpty(t, log)
	require.NoError(t, fetchtest.Audit(log, promise))
	for _, x := range log {
		for name := range x.Header {
			switch name {
			case "User-Agent", "Accept", "Accept-Encoding", "Accept-Language", "If-None-Match", "If-Modified-Since":
			default:
				assert.Fail(t, "a header that is not the bot's", "%s of %s", name, x.URL)
			}
		}
	}
}

// refusal returns the Error that an error of a client holds.
func refusal(t *testing.T, err error) *politefetch.Error {
	t.Helper()
	var outer *url.Error
	require.ErrorAs(t, err, &outer, "as every error of an http.Client")
	var e *politefetch.Error
	require.ErrorAs(t, err, &e)
	return e
}

func get(ctx context.Context, client *http.Client, addr string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, addr, nil)
	if err != nil {
		return nil, err
	}
	return client.Do(req)
}
