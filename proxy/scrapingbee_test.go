package proxy_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch/fetchtest"
	"github.com/politefetch/sdk/proxy"
)

const (
	key   = "0123456789ABCDEF"
	agent = "Mozilla/5.0 (compatible; ExampleBot/1.0; +https://bot.example/)"
	home  = "https://a.example/"
)

var _ http.RoundTripper = (*proxy.ScrapingBee)(nil)

// world is a site, a provider in front of it and a route through that, with what the
// route reported.
type world struct {
	site  *fetchtest.Site
	relay *fetchtest.Relay
	route *proxy.ScrapingBee

	mu   sync.Mutex
	asks []proxy.Ask
}

func newWorld() *world {
	w := &world{site: new(fetchtest.Site)}
	w.relay = w.site.Relay()
	w.relay.Key = key
	w.route = &proxy.ScrapingBee{
		Key: proxy.NewAPIKey(key), Base: w.relay, Budget: proxy.NewBudget(1000),
		Check: func(context.Context, *url.URL) error { return nil },
		Observe: func(a proxy.Ask) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.asks = append(w.asks, a)
		},
	}
	return w
}

// last returns the last ask.
func (w *world) last(t *testing.T) proxy.Ask {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	require.NotEmpty(t, w.asks)
	return w.asks[len(w.asks)-1]
}

func request(t *testing.T, addr string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, addr, nil)
	require.NoError(t, err)
	req.Header.Set("User-Agent", agent)
	return req
}

// get asks for one page.
func get(t *testing.T, rt http.RoundTripper, addr string) (*http.Response, string, error) {
	t.Helper()
	resp, err := rt.RoundTrip(request(t, addr))
	if err != nil {
		assert.Nil(t, resp, "an answer beside an error")
		return nil, "", err
	}
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, resp.Body.Close())
	return resp, string(body), err
}

func TestThePageComesAsTheSiteSentIt(t *testing.T) {
	w := newWorld()
	const jpeg = "\xff\xd8\xff\xe0\x00\x10JFIF\x00\xff"
	w.site.Set("/", fetchtest.Answer{Status: 200, Body: jpeg, Header: http.Header{
		"Content-Type": {"image/jpeg"}, "Content-Encoding": {"br"}, "Content-Length": {"99"}, "Set-Cookie": {"a=b"},
		"Connection": {"close"}, "Keep-Alive": {"timeout=5"}, "Transfer-Encoding": {"chunked"}, "Proxy-Authenticate": {"Basic"},
		"X-Robots-Tag": {"noindex", "Bot: nofollow"}, "Etag": {`"1"`}, "Server": {"nginx"}, "Js-Scenario-Report": {"x"}, "Spb-Odd": {"y"},
	}})
	resp, body, err := get(t, w.route, home)
	require.NoError(t, err)
	assert.Equal(t, jpeg, body)
	assert.Equal(t, "200 OK", resp.Status)
	assert.True(t, resp.Uncompressed)
	assert.EqualValues(t, -1, resp.ContentLength)
	resp.Header.Del("Date")
	assert.Equal(t, http.Header{
		"Content-Type": {"image/jpeg"}, "X-Robots-Tag": {"noindex", "Bot: nofollow"}, "Etag": {`"1"`}, "Server": {"nginx"}, "Spb-Odd": {"y"},
	}, resp.Header, "nothing of the provider's, no cookies, nothing of the connection")
	assert.Equal(t, home, resp.Request.URL.String())
	assert.Nil(t, resp.TLS)
}

func TestStatusesAreTheSites(t *testing.T) {
	for _, tt := range []struct {
		status int
		cost   float64
	}{{204, 1}, {304, 1}, {401, 1}, {403, 1}, {404, 1}, {410, 1}, {429, 1}, {500, 0}, {502, 0}, {503, 0}} {
		w := newWorld()
		w.site.Set("/", fetchtest.Status(tt.status).With("Retry-After", "Fri, 01 Jan 2027 00:00:00 GMT"))
		resp, _, err := get(t, w.route, home)
		require.NoError(t, err, tt.status)
		assert.Equal(t, tt.status, resp.StatusCode)
		assert.Equal(t, "Fri, 01 Jan 2027 00:00:00 GMT", resp.Header.Get("Retry-After"))
		assert.Equal(t, proxy.Usage{Limit: 1000, Spent: tt.cost}, w.route.Budget.Usage())
		assert.Len(t, w.relay.Log(), 1, "and it is not asked again")
	}
}

func TestWhatTheProviderIsAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.route.Country = "fi"
		req := request(t, "https://A.example:443/a b?q=1&r=%20ä#part")
		req.Header = http.Header{
			"User-Agent": {agent}, "Accept": {"text/html", "text/plain;q=0.5"}, "Accept-Language": {"fi"}, "From": {"bot@bot.example"},
			"Accept-Encoding": {"gzip"}, "Authorization": {"Basic eDp5"}, "Cookie": {"a=b"}, "Referer": {"https://a.example/"},
			"Proxy-Authorization": {"Basic eDp5"}, "Range": {"bytes=0-"}, "If-None-Match": {`"1"`}, "Connection": {"close"},
			"Host": {"b.example"}, "Spb-Cookie": {"a=b"}, "Spb-X": {"1"}, "Signature": {"sig1=:x:"},
		}
		before := req.Header.Clone()
		_, err := w.route.RoundTrip(req)
		require.NoError(t, err)
		assert.Equal(t, before, req.Header, "the request is the caller's")

		x := w.relay.Log()[0]
		assert.Equal(t, url.Values{
			"url": {"https://a.example/a%20b?q=1&r=%20%C3%A4"}, "render_js": {"false"}, "premium_proxy": {"false"}, "stealth_proxy": {"false"},
			"transparent_status_code": {"true"}, "json_response": {"false"}, "return_page_source": {"false"}, "block_resources": {"true"},
			"block_ads": {"false"}, "device": {"desktop"}, "forward_headers_pure": {"true"}, "country_code": {"fi"}, "timeout": {"80000"},
		}, x.Params)
		assert.Equal(t, http.Header{
			"Authorization": {"Bearer " + key}, "User-Agent": {"politefetch"}, "Spb-User-Agent": {agent},
			"Spb-Accept": {"text/html", "text/plain;q=0.5"}, "Spb-Accept-Language": {"fi"}, "Spb-From": {"bot@bot.example"},
		}, x.Request)
		assert.Equal(t, http.Header{
			"User-Agent": {agent}, "Accept": {"text/html", "text/plain;q=0.5"}, "Accept-Language": {"fi"}, "From": {"bot@bot.example"},
		}, x.Hops[0].Header, "as the site saw it")
	})
}

func TestRefusedBeforeAnythingIsSent(t *testing.T) {
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tt := range map[string]struct {
		addr   string
		change func(*http.Request)
		is     error
		says   string
	}{
		"POST":                 {home, func(r *http.Request) { r.Method = http.MethodPost }, errors.ErrUnsupported, `method "POST"`},
		"HEAD":                 {home, func(r *http.Request) { r.Method = http.MethodHead }, errors.ErrUnsupported, `method "HEAD"`},
		"another host's name":  {home, func(r *http.Request) { r.Host = "b.example" }, errors.ErrUnsupported, "Host other"},
		"no URL":               {home, func(r *http.Request) { r.URL = nil }, nil, "without a URL"},
		"no user agent":        {home, func(r *http.Request) { r.Header.Del("User-Agent") }, nil, "without a User-Agent"},
		"line break":           {home, func(r *http.Request) { r.Header.Set("Accept", "a\r\nCookie: b") }, nil, "Accept holds a control character"},
		"context done":         {home, func(r *http.Request) { *r = *r.WithContext(done) }, context.Canceled, ""},
		"scheme":               {"ftp://a.example/", nil, proxy.ErrRefused, "scheme"},
		"relative":             {"/x", nil, proxy.ErrRefused, ""},
		"user information":     {"https://user:pass@a.example/", nil, proxy.ErrRefused, "user information"},
		"loopback":             {"http://127.0.0.1/", nil, proxy.ErrRefused, "not public"},
		"loopback, otherwise":  {"http://2130706433/", nil, proxy.ErrRefused, ""},
		"IPv6 loopback":        {"http://[::1]/", nil, proxy.ErrRefused, "not public"},
		"private":              {"http://10.0.0.1/", nil, proxy.ErrRefused, "not public"},
		"metadata":             {"http://169.254.169.254/", nil, proxy.ErrRefused, "not public"},
		"public, but no name":  {"http://93.184.216.34/", nil, proxy.ErrRefused, "in the place of a name"},
		"localhost":            {"http://localhost/", nil, proxy.ErrRefused, ""},
		"local name":           {"http://printer.local/", nil, proxy.ErrRefused, "local networks"},
		"mail port":            {"http://a.example:25/", nil, proxy.ErrRefused, "port"},
		"the key in the query": {home + "?k=" + key, nil, nil, "holds the provider's key"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			req := request(t, tt.addr)
			if tt.change != nil {
				tt.change(req)
			}
			_, err := w.route.RoundTrip(req)
			require.Error(t, err)
			if tt.is != nil {
				require.ErrorIs(t, err, tt.is)
			}
			assert.Contains(t, err.Error(), tt.says)
			assert.NotContains(t, err.Error(), "pass")
			assert.Empty(t, w.relay.Log())
			assert.Equal(t, proxy.Usage{Limit: 1000}, w.route.Budget.Usage())
			assert.Empty(t, w.asks)
		})
	}
}

type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Close() error { c.closed = true; return nil }

func TestABodyIsRefusedAndClosed(t *testing.T) {
	w := newWorld()
	body := &closing{Reader: strings.NewReader("x")}
	req := request(t, home)
	req.Body = body
	_, err := w.route.RoundTrip(req)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	assert.True(t, body.closed)
	assert.Empty(t, w.relay.Log())
	req.Body = http.NoBody
	_, err = w.route.RoundTrip(req)
	require.NoError(t, err)
}

func TestFieldsThatCantBeUsed(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*proxy.ScrapingBee)
		says   string // "": it can
	}{
		"no Check":             {func(s *proxy.ScrapingBee) { s.Check = nil }, "Check is nil"},
		"no Key":               {func(s *proxy.ScrapingBee) { s.Key = proxy.NewAPIKey("") }, "Key is not a key"},
		"Key of nobody":        {func(s *proxy.ScrapingBee) { s.Key = proxy.APIKey{} }, "Key is not a key"},
		"short Key":            {func(s *proxy.ScrapingBee) { s.Key = proxy.NewAPIKey("1234567") }, "Key is not a key"},
		"Key of other letters": {func(s *proxy.ScrapingBee) { s.Key = proxy.NewAPIKey("12345678\r\nX: y") }, "Key is not a key"},
		"padding alone":        {func(s *proxy.ScrapingBee) { s.Key = proxy.NewAPIKey("========") }, "Key is not a key"},
		"any token68":          {func(s *proxy.ScrapingBee) { s.Key = proxy.NewAPIKey("aZ0-._~+/==") }, ""},
		"Country of none":      {func(s *proxy.ScrapingBee) { s.Country = "zz" }, "Country"},
		"Country in capitals":  {func(s *proxy.ScrapingBee) { s.Country = "US" }, "Country"},
		"half a Country":       {func(s *proxy.ScrapingBee) { s.Country = " a" }, "Country"},
		"Country":              {func(s *proxy.ScrapingBee) { s.Country = "th" }, ""},
		"Timeout":              {func(s *proxy.ScrapingBee) { s.Timeout = -1 }, "negative"},
		"MaxBody":              {func(s *proxy.ScrapingBee) { s.MaxBody = -1 }, "negative"},
		"Concurrency":          {func(s *proxy.ScrapingBee) { s.Concurrency = -1 }, "negative"},
		"Endpoint, no URL":     {func(s *proxy.ScrapingBee) { s.Endpoint = "http://[" }, "Endpoint"},
		"Endpoint, a path":     {func(s *proxy.ScrapingBee) { s.Endpoint = "/api" }, "Endpoint"},
		"Endpoint with a user": {func(s *proxy.ScrapingBee) { s.Endpoint = "https://u:p@provider.example/" }, "Endpoint"},
		"Endpoint and a key":   {func(s *proxy.ScrapingBee) { s.Endpoint = "https://provider.example/?api_key=" + key }, "Endpoint"},
		"Endpoint in clear":    {func(s *proxy.ScrapingBee) { s.Endpoint = "http://provider.example/" }, "https only"},
		"Endpoint, this one":   {func(s *proxy.ScrapingBee) { s.Endpoint = "http://127.0.0.1:1/api/v1/" }, ""},
		"Endpoint":             {func(s *proxy.ScrapingBee) { s.Endpoint = "https://provider.example/api/v1/" }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			w.relay.Key = ""
			tt.change(w.route)
			err := w.route.Validate()
			_, sent := w.route.RoundTrip(request(t, home))
			if tt.says == "" {
				require.NoError(t, err)
				require.NoError(t, sent)
				return
			}
			require.ErrorContains(t, err, tt.says)
			assert.NotContains(t, err.Error(), key)
			assert.Equal(t, err, sent)
			assert.Empty(t, w.relay.Log())
		})
	}
}

func TestABudgetIsNotExceeded(t *testing.T) {
	w := newWorld()
	w.route.Budget = proxy.NewBudget(2)
	copied := w.route.WithCheck(w.route.Check)
	for range 2 {
		_, _, err := get(t, copied, home)
		require.NoError(t, err)
	}
	_, _, err := get(t, w.route, home)
	require.ErrorIs(t, err, proxy.ErrBudget)
	assert.Len(t, w.relay.Log(), 2)
	assert.Equal(t, proxy.Usage{Limit: 2, Spent: 2}, w.route.Budget.Usage())
	assert.Len(t, w.asks, 2)

	w.route.Budget = proxy.NewBudget(1.5)
	_, _, err = get(t, w.route, home)
	require.NoError(t, err)
	_, _, err = get(t, w.route, home)
	require.ErrorIs(t, err, proxy.ErrBudget, "half a credit is none")

	w.route.Budget = nil
	_, _, err = get(t, w.route, home)
	require.NoError(t, err, "no budget, no limit")
}

func TestABudgetHoldsWhileAsksAreInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.route.Concurrency, w.route.Budget = 10, proxy.NewBudget(3)
		w.site.Latency = time.Second
		var wg sync.WaitGroup
		var mu sync.Mutex
		refused := 0
		for range 10 {
			wg.Go(func() {
				if _, _, err := get(t, w.route, home); errors.Is(err, proxy.ErrBudget) {
					mu.Lock()
					defer mu.Unlock()
					refused++
				}
			})
		}
		synctest.Wait()
		assert.Equal(t, proxy.Usage{Limit: 3, Reserved: 3}, w.route.Budget.Usage())
		wg.Wait()
		assert.Equal(t, 7, refused)
		assert.Len(t, w.relay.Log(), 3)
		assert.Equal(t, proxy.Usage{Limit: 3, Spent: 3}, w.route.Budget.Usage())
	})
}

func TestFiftyPagesTwoAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.relay.Concurrency = 2
		w.site.Fallback = func(r *http.Request) fetchtest.Answer {
			return fetchtest.Answer{Status: 200, Body: r.URL.Path, Delay: time.Second, Drip: 100 * time.Millisecond}
		}
		start := time.Now()
		var wg sync.WaitGroup
		for i := range 50 {
			route := w.route
			if i%2 == 1 {
				route = route.WithCheck(route.Check) // a copy of its own each
			}
			path := "/" + strings.Repeat("x", i%10)
			req := request(t, "https://a.example"+path)
			wg.Go(func() {
				resp, err := route.RoundTrip(req)
				if err != nil {
					t.Error(err)
					return
				}
				time.Sleep(time.Hour) // nobody reads it, and nobody waits for that
				if body, err := io.ReadAll(resp.Body); err != nil || string(body) != path {
					t.Errorf("%s: %q, %v", path, body, err)
				}
			})
		}
		wg.Wait()
		log := w.relay.Log()
		assert.Len(t, log, 50)
		require.NoError(t, fetchtest.Audit(w.relay.Asked(), fetchtest.Promise{Concurrency: 2, UserAgent: agent, Anonymous: true}))
		require.Error(t, fetchtest.Audit(w.relay.Asked(), fetchtest.Promise{Concurrency: 1}), "no fewer than two either")
		assert.Less(t, time.Since(start), time.Hour+time.Minute)
		for _, a := range w.asks {
			assert.Zero(t, a.Busy)
		}
		assert.Len(t, w.asks, 50)
	})
}

// The provider may redirect anywhere, and what it says of the connection to it says nothing
// of the site: no request may leave, and no key.
func TestOverRealSockets(t *testing.T) {
	elsewhere := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	defer other.Close()
	w := newWorld()
	w.relay.Gzip = true
	w.site.Set("/", fetchtest.HTML(strings.Repeat("long ", 1000)))
	w.site.Set("/cut", fetchtest.HTML(strings.Repeat("long ", 1000)))
	srv := httptest.NewUnstartedServer(w.relay)
	var connections atomic.Int32
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			connections.Add(1)
		}
	}
	srv.Start()
	defer srv.Close()
	w.route.Base, w.route.Endpoint = nil, srv.URL+"/api/v1/"

	resp, body, err := get(t, w.route, home)
	require.NoError(t, err)
	assert.Len(t, body, 5000)
	assert.Empty(t, resp.Header.Get("Content-Encoding"))
	assert.Equal(t, "gzip", w.relay.Log()[0].Request.Get("Accept-Encoding"), "of the way to the provider")
	assert.NotContains(t, w.relay.Log()[0].Hops[0].Header, "Accept-Encoding")

	w.relay.Gzip = false
	w.relay.Set("/cut", fetchtest.RelayFault{Cut: 10})
	_, body, err = get(t, w.route, "https://a.example/cut")
	assertProvider(t, err, proxy.KindDown)
	assert.Equal(t, "long long ", body, "what came stands")

	w.relay.Set("/gone", fetchtest.RelayFault{Answer: fetchtest.Fail(errors.New("reset"))})
	_, _, err = get(t, w.route, "https://a.example/gone")
	assertProvider(t, err, proxy.KindDown)

	w.relay.Set("", fetchtest.RelayFault{Answer: fetchtest.Redirect(other.URL)})
	_, _, err = get(t, w.route, "https://a.example/moved")
	assertProvider(t, err, proxy.KindDrift)
	assert.Zero(t, elsewhere)
	assert.Len(t, w.relay.Log(), 4, "each was sent once")
	assert.EqualValues(t, 4, connections.Load(), "on a connection of its own, which can't have gone stale")
	w.route.Resume()

	srv.Close()
	used := w.route.Budget.Usage()
	_, _, err = get(t, w.route, home)
	assertProvider(t, err, proxy.KindDown)
	assert.Equal(t, used, w.route.Budget.Usage(), "what was never sent costs nothing")
	assert.False(t, w.last(t).Uncertain)
}

func TestProxiesOfTheEnvironmentAreIgnored(t *testing.T) {
	asked := 0
	env := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer env.Close()
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, env.URL)
	}
	w := newWorld()
	w.route.Base, w.route.Endpoint = nil, "https://provider.invalid/api/v1/" // RFC 6761: never resolves
	_, _, err := get(t, w.route, home)
	assertProvider(t, err, proxy.KindDown)
	assert.Zero(t, asked)
}

func TestThroughAnHTTPClient(t *testing.T) {
	w := newWorld()
	w.site.Set("/old", fetchtest.Redirect("https://www.a.example:8080/new"))
	w.site.Set("/new", fetchtest.HTML("new"))
	w.site.Set("/loop", fetchtest.Redirect("/loop"))
	client := &http.Client{Transport: w.route, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(request(t, "https://a.example/old"))
	require.NoError(t, err)
	assert.Equal(t, "https://www.a.example:8080/new", resp.Request.URL.String())
	assert.Equal(t, "www.a.example:8080", resp.Request.Host)
	assert.Equal(t, agent, resp.Request.Header.Get("User-Agent"))
	resp, err = client.Do(request(t, "https://a.example/loop"))
	require.NoError(t, err)
	assert.Equal(t, 302, resp.StatusCode, "a redirect that the provider did not follow")
	assert.Equal(t, "/loop", resp.Header.Get("Location"))
}

func TestACopyIsTheSameButForItsCheck(t *testing.T) {
	w := newWorld()
	w.route.Country, w.route.Endpoint, w.route.Timeout, w.route.MaxBody, w.route.Concurrency = "fi", "https://p.example/", 1, 2, 3
	one, two := reflect.ValueOf(w.route).Elem(), reflect.ValueOf(w.route.WithCheck(nil)).Elem()
	for _, f := range reflect.VisibleFields(one.Type()) {
		a, b := one.FieldByIndex(f.Index), two.FieldByIndex(f.Index)
		switch {
		case f.Name == "Check":
			assert.True(t, b.IsNil())
		case f.IsExported():
			assert.False(t, a.IsZero(), "%s is not tested", f.Name)
			assert.Equal(t, fmt.Sprint(a), fmt.Sprint(b), f.Name)
			assert.False(t, b.IsZero(), f.Name)
		}
	}
}

func TestABaseWithoutABody(t *testing.T) {
	w := newWorld()
	w.route.Base = baseFunc(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{"Spb-Initial-Status-Code": {"200"}, "Spb-Resolved-Url": {home}}}, nil
	})
	_, body, err := get(t, w.route, home)
	require.NoError(t, err)
	assert.Empty(t, body)
	w.route = &proxy.ScrapingBee{Key: w.route.Key, Check: w.route.Check, Base: baseFunc(func(*http.Request) (*http.Response, error) { return nil, nil })} //nolint:nilnil // a broken one
	_, _, err = get(t, w.route, home)
	assertProvider(t, err, proxy.KindDown)
}
