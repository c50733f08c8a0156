package proxy_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/proxy"
)

// FuzzResponse lets a provider answer anything. Whatever it is, the key stays inside, what
// the caller gets was checked, and the accounts add up.
func FuzzResponse(f *testing.F) {
	for _, head := range []string{
		"Spb-Initial-Status-Code: 200\r\nSpb-Resolved-Url: https://a.example/\r\nSpb-Cost: 1\r\nSpb-Request-Id: x\r\nSpb-Retry-After: 120\r\n",
		"Spb-Initial-Status-Code: 301\r\nSpb-Resolved-Url: https://www.a.example/x?y#z\r\nSpb-Cost: 1.5\r\nSpb-Set-Cookie: a=b\r\n",
		"Spb-Initial-Status-Code: 503\r\nSpb-Cost: 0\r\nSpb-Content-Type: text/plain\r\n",
		"Spb-Initial-Status-Code: 200\r\nSpb-Initial-Status-Code: 403\r\nspb-resolved-url: http://10.0.0.1/\r\n",
		"Spb-Initial-Status-Code: abc\r\nSpb-Resolved-Url: javascript:alert(1)\r\nSpb-Cost: NaN\r\n",
		"Spb-Initial-Status-Code: 200\r\nSpb-Resolved-Url: https://u:p@b.example/\r\nContent-Encoding: gzip\r\n",
		"Spb-Initial-Status-Code: 403\r\nSpb-Resolved-Url: https://a.example/\r\nSpb-Cf-Mitigated: challenge\r\nSpb-: x\r\nSpb-Spb-A: x\r\n",
		"Location: https://b.example/\r\nRetry-After: 3\r\nSpb-Echo: " + key + "\r\n",
		"Retry-After: Fri, 01 Jan 2100 00:00:00 GMT\r\n",
		"",
	} {
		for _, status := range []int{200, 301, 401, 429, 503, 999} {
			f.Add(status, head, "Proxy connection error")
		}
		f.Add(401, head, `{"message":"Monthly API calls limit reached: 1000 `+key+`"}`)
		f.Add(200, head, "<title>x</title>"+key)
	}
	f.Fuzz(func(t *testing.T, status int, head, body string) {
		mime := bufio.NewReader(strings.NewReader("HTTP/1.1 200 OK\r\n" + head + "\r\n"))
		resp, err := http.ReadResponse(mime, nil) // what net/http lets through, canonical
		if err != nil {
			t.Skip()
		}
		resp.StatusCode = status
		checked := make(map[string]bool)
		var asks []proxy.Ask
		requests := 0
		ctx, cancel := context.WithTimeout(t.Context(), 1) // no waiting for a busy provider
		defer cancel()
		route := &proxy.ScrapingBee{
			Key: proxy.NewAPIKey(key), Budget: proxy.NewBudget(1), MaxBody: 1000,
			Check: func(_ context.Context, u *url.URL) error {
				checked[u.String()] = true
				if strings.HasPrefix(u.Host, "no") {
					return errNo
				}
				return nil
			},
			Observe: func(a proxy.Ask) { asks = append(asks, a) },
			Base: baseFunc(func(*http.Request) (*http.Response, error) {
				requests++
				return &http.Response{StatusCode: status, Header: resp.Header.Clone(), Body: io.NopCloser(strings.NewReader(body))}, nil
			}),
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, home, nil)
		require.NoError(t, err)
		req = req.WithContext(unending{ctx})
		req.Header.Set("User-Agent", agent)
		got, err := route.RoundTrip(req)

		require.Equal(t, 1, requests)
		require.Len(t, asks, 1)
		require.Equal(t, err, asks[0].Err)
		u := route.Budget.Usage()
		require.Zero(t, u.Reserved)
		require.True(t, u.Spent >= 0 && u.Spent <= 1e6 && (u.Uncertain == 0 || u.Uncertain == 1 && u.Spent == 0), "%+v", u)
		if err != nil {
			require.Nil(t, got)
			require.NotContains(t, err.Error(), key)
			require.Less(t, len(err.Error()), 2000)
			require.Equal(t, -1, strings.IndexFunc(err.Error(), func(r rune) bool { return r < ' ' || r == 0x7f }), "%q", err)
			return
		}
		final := got.Request.URL
		require.True(t, checked[final.String()], "%s", final)
		require.False(t, strings.HasPrefix(final.Host, "no"))
		require.Nil(t, final.User)
		if a, err := netip.ParseAddr(final.Hostname()); err == nil {
			require.False(t, a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast(), "%s", a)
		}
		require.Contains(t, resp.Header, "Spb-Initial-Status-Code")
		require.True(t, got.StatusCode >= 200 && got.StatusCode <= 999)
		for name, values := range got.Header {
			require.NotEmpty(t, values)
			require.Contains(t, resp.Header, http.CanonicalHeaderKey("Spb-"+name))
			require.NotContains(t, []string{"Set-Cookie", "Content-Encoding", "Content-Length", "Connection", "Transfer-Encoding", "Cost", "Resolved-Url"}, name)
		}
		data, err := io.ReadAll(got.Body)
		require.Equal(t, len(body) > 1000, err != nil)
		require.True(t, bytes.HasPrefix([]byte(body), data))
		require.NotContains(t, string(data), key)
		_, long := errors.AsType[*http.MaxBytesError](err)
		require.Equal(t, err != nil, long)
	})
}

// unending has its context's deadline and never ends by it: what a route knows of, and the
// clock doesn't hurry.
type unending struct{ context.Context } //nolint:containedctx // that is all it is

func (unending) Done() <-chan struct{} { return nil }
func (unending) Err() error            { return nil }
