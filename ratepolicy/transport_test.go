package ratepolicy_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/ratepolicy"
)

// body counts its closes.
type body struct {
	io.Reader
	closed *int
}

func (b body) Close() error {
	*b.closed++
	return nil
}

func get(t *testing.T, rt http.RoundTripper, url string, send io.ReadCloser) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, http.NoBody)
	require.NoError(t, err)
	req.Body = send
	return rt.RoundTrip(req)
}

func TestTransportEndsTheTurnBeforeTheBodyIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closed := 0
		l, start := ratepolicy.New(ratepolicy.Policy{}, nil), time.Now()
		rt := l.Transport(roundTripper(func(*http.Request) (*http.Response, error) {
			time.Sleep(100 * ms)
			return &http.Response{StatusCode: 200, Body: body{strings.NewReader(strings.Repeat("x", 3<<20)), &closed}}, nil
		}))
		for i := range 3 {
			resp, err := get(t, rt, "http://A.test./", nil)
			require.NoError(t, err)
			assert.Equal(t, time.Duration(i)*1100*ms+100*ms, time.Since(start), "though no body is closed")
			b, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			assert.Len(t, b, 3<<20)
			defer resp.Body.Close()
		}
		assert.Zero(t, closed)
	})
}

func TestTransportPassesErrorsOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cut, sent := errors.New("cut"), 0
		l := ratepolicy.New(ratepolicy.Policy{}, nil)
		rt := l.Transport(roundTripper(func(req *http.Request) (*http.Response, error) {
			if req.URL.Path == "/none" {
				return nil, cut
			}
			return &http.Response{StatusCode: 200, Body: body{io.MultiReader(strings.NewReader("start"), failing{cut}), new(int)}}, nil
		}))
		_, err := get(t, rt, "http://a.test/none", nil)
		require.ErrorIs(t, err, cut)
		resp, err := get(t, rt, "http://a.test/half", nil)
		require.NoError(t, err)
		b, err := io.ReadAll(resp.Body)
		require.ErrorIs(t, err, cut)
		assert.Equal(t, "start", string(b))
		resp.Body.Close()

		require.NoError(t, l.Hold(t.Context(), "a.test", time.Now().Add(time.Hour), "no"))
		_, err = get(t, rt, "http://a.test/", body{strings.NewReader("x"), &sent})
		waitError(t, err)
		assert.Equal(t, 1, sent, "the request's body is closed")
		assert.Panics(t, func() { l.Transport(nil) })
	})
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
