package proxy_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/proxy"
)

type baseFunc func(*http.Request) (*http.Response, error)

func (f baseFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

var _ http.RoundTripper = (*proxy.ScrapingBee)(nil)

func TestSmoke(t *testing.T) {
	bee := &proxy.ScrapingBee{
		Key:   "0123456789ABCDEF",
		Check: func(context.Context, *url.URL) error { return nil },
		Base: baseFunc(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Header: http.Header{"Spb-Initial-Status-Code": {"200"}, "Spb-Resolved-Url": {"https://a.example/"}}, Body: http.NoBody}, nil
		}),
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://a.example/", nil)
	require.NoError(t, err)
	req.Header.Set("User-Agent", "Bot/1.0")
	resp, err := bee.RoundTrip(req)
	require.NoError(t, err)
	_, err = io.ReadAll(resp.Body)
	require.NoError(t, err)
}
