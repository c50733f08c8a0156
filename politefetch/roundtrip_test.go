package politefetch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
	"github.com/politefetch/sdk/ratepolicy"
)

// The tests of this file are the contract of http.RoundTripper, clause by clause, in the
// words of its documentation.

func newRequest(t *testing.T, ctx context.Context, method, addr string) *http.Request { //nolint:revive // t comes first in tests
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, addr, nil)
	require.NoError(t, err)
	return req
}

// trip sends a GET through the bot and reads the whole answer.
func trip(t *testing.T, bot *politefetch.Crawler, addr string) (*http.Response, string, error) {
	t.Helper()
	resp, err := bot.RoundTrip(newRequest(t, t.Context(), http.MethodGet, addr))
	if err != nil {
		assert.Nil(t, resp, "no answer beside an error")
		return nil, "", err
	}
	require.NotNil(t, resp, "an answer where there is no error")
	require.NotNil(t, resp.Body)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, resp.Body.Close())
	return resp, string(body), err
}

// A RoundTripper must be safe for concurrent use by multiple goroutines.
func TestRoundTripIsSafeForConcurrentUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{Latency: 100 * time.Millisecond}
		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /9\n"))
		site.Fallback = func(r *http.Request) fetchtest.Answer { return fetchtest.Text(r.URL.Path) }
		cfg := politeConfig(site)
		cfg.Policy.Normal = ratepolicy.Pace{Concurrency: 3, Delay: -1}
		bot := newBot(t, cfg)
		shared := newRequest(t, t.Context(), http.MethodGet, "https://h0.example/shared")
		var wg sync.WaitGroup
		for i := range 100 {
			wg.Go(func() {
				addr := fmt.Sprintf("https://h%d.example/%d", i%5, i%10)
				_, body, err := trip(t, bot, addr)
				if i%10 == 9 {
					assert.Equal(t, politefetch.Disallowed, errorOf(t, err).Outcome)
					return
				}
				if assert.NoError(t, err) {
					assert.Equal(t, fmt.Sprintf("/%d", i%10), body, "each its own")
				}
			})
			wg.Go(func() { // one request in many goroutines, which only read it
				resp, err := bot.RoundTrip(shared)
				if assert.NoError(t, err) {
					assert.Same(t, shared, resp.Request)
				}
			})
		}
		wg.Wait()
		require.NoError(t, fetchtest.Audit(site.Log(), fetchtest.Promise{UserAgent: cfg.UserAgent, Product: "Bot", Anonymous: true, Concurrency: 3}))
	})
}

func errorOf(t *testing.T, err error) *politefetch.Error {
	t.Helper()
	var e *politefetch.Error
	require.ErrorAs(t, err, &e)
	return e
}

// RoundTrip should not attempt to interpret the response. In particular, RoundTrip must
// return err == nil if it obtained a response, regardless of the response's HTTP status
// code.
func TestRoundTripReturnsAnswersWhateverTheirStatus(t *testing.T) {
	for _, status := range []int{200, 201, 204, 206, 226, 299, 300, 304, 399, 400, 401, 402, 403, 404, 407, 410, 418, 429, 451, 500, 502, 503, 504, 599, 600, 777, 998} {
		synctest.Test(t, func(t *testing.T) {
			site := &fetchtest.Site{}
			site.Set("/", fetchtest.Answer{Status: status, Header: http.Header{"X-Test": {"a", "b"}, "Set-Cookie": {"a=b"}, "Www-Authenticate": {"Basic"}}, Body: "as it is"})
			bot := newBot(t, politeConfig(site))
			resp, body, err := trip(t, bot, site1+"/")
			require.NoError(t, err, status)
			assert.Equal(t, status, resp.StatusCode)
			assert.Equal(t, "as it is", body)
			assert.Equal(t, []string{"a", "b"}, resp.Header["X-Test"])
			assert.Equal(t, []string{"a=b"}, resp.Header["Set-Cookie"], "the client's affair")
			assert.Equal(t, 1, site.Count("/"), "asked once")
		})
	}
}

// What a bot wall sends is not the host's answer: the one exception.
func TestRoundTripReturnsNoBotWall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		site.Set("/", fetchtest.Challenge())
		_, _, err := trip(t, newBot(t, politeConfig(site)), site1+"/")
		assert.Equal(t, politefetch.Walled, errorOf(t, err).Outcome)
	})
}

// A non-nil err should be reserved for failure to obtain a response.
func TestRoundTripFailsWithATypedError(t *testing.T) {
	broken := errors.New("connection reset")
	tests := []struct {
		name    string
		answer  fetchtest.Answer
		addr    string
		outcome politefetch.Outcome
		is      error
	}{
		{"the network", fetchtest.Fail(broken), site1 + "/", politefetch.Failed, broken},
		{"no answer in time", fetchtest.Hang(), site1 + "/", politefetch.Failed, context.DeadlineExceeded},
		{"robots.txt", fetchtest.Text(""), site1 + "/closed", politefetch.Disallowed, nil},
		{"the guard", fetchtest.Text(""), "http://[fd00::1]/", politefetch.Barred, politefetch.ErrGuard},
		{"another scheme", fetchtest.Text(""), "ftp://site.example/", politefetch.Barred, politefetch.ErrGuard},
		{"no host", fetchtest.Text(""), "https:///x", politefetch.Barred, politefetch.ErrGuard},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := &fetchtest.Site{}
				site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /closed\n"))
				site.Set("/", tt.answer)
				_, _, err := trip(t, newBot(t, politeConfig(site)), tt.addr)
				assert.Equal(t, tt.outcome, errorOf(t, err).Outcome)
				if tt.is != nil {
					require.ErrorIs(t, err, tt.is)
				}
				assert.LessOrEqual(t, len(site.Log()), 2, "nothing is tried again")
			})
		})
	}
}

// Similarly, RoundTrip should not attempt to handle higher-level protocol details such as
// redirects, authentication, or cookies.
func TestRoundTripFollowsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		moved := fetchtest.Redirect("/next").With("Set-Cookie", "a=b").With("Content-Length", "9")
		moved.Body = "not read."
		site.Set("/", moved)
		bot := newBot(t, politeConfig(site))
		for range 2 {
			resp, body, err := trip(t, bot, site1+"/")
			require.NoError(t, err)
			assert.Equal(t, http.StatusFound, resp.StatusCode)
			assert.Equal(t, "/next", resp.Header.Get("Location"))
			assert.Empty(t, body)
			assert.Zero(t, resp.ContentLength)
			assert.Empty(t, resp.Header.Get("Content-Length"), "of a body that isn't there")
		}
		for _, x := range site.Log() {
			assert.NotEqual(t, "/next", x.URL.Path)
			assert.Empty(t, x.Header.Get("Cookie"))
			assert.Zero(t, x.Sent*int64(len(x.URL.Path)-len("/robots.txt")))
		}
	})
}

// RoundTrip should not modify the request, except for consuming and closing the Request's
// Body.
func TestRoundTripDoesNotTouchTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /closed\n"))
		site.Set("/a", fetchtest.Text("a"))
		bot := newBot(t, politeConfig(site))
		for i, addr := range []string{"HTTPS://User:Secret@SITE.example:443/b/../a?q=%7e#part", "https://user:secret@site.example/closed", "http://127.0.0.1/"} {
			header := http.Header{
				"User-Agent": {"Mozilla/5.0"}, "Authorization": {"Bearer x"}, "Cookie": {"a=b"}, "Referer": {"https://from.example/"},
				"Accept": {"text/css"}, "If-None-Match": {`"1"`}, "Accept-Encoding": {"br"}, "x-odd": {"y"},
			}
			req := newRequest(t, t.Context(), http.MethodGet, addr)
			req.Header, req.Host = header, "other.example"
			req.Trailer, req.Close = http.Header{"X": nil}, true
			u := *req.URL
			before, ctx := maps.Clone(header), req.Context()
			resp, err := bot.RoundTrip(req)
			assert.Equal(t, before, req.Header)
			assert.Equal(t, u, *req.URL)
			assert.Equal(t, "other.example", req.Host)
			assert.Equal(t, ctx, req.Context())
			assert.Nil(t, req.Body)
			if i > 0 {
				require.Error(t, err, addr)
				continue
			}
			require.NoError(t, err, "what is the bot's is sent, the rest is left out")
			assert.Same(t, req, resp.Request)
		}
		assert.Equal(t, "https://site.example/a?q=%7e", asked(site)[1])
		// Nor does what comes of it hang on to it.
		req := newRequest(t, t.Context(), http.MethodGet, site1+"/a")
		resp, err := bot.RoundTrip(req)
		require.NoError(t, err)
		req.Header.Set("Accept", "changed")
		req.URL.Path = "/changed"
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Equal(t, "a", string(body))
	})
}

// What the request's Host field says is not what is asked for, judged and paced: the
// address is.
func TestRoundTripGoesByTheAddressAlone(t *testing.T) {
	site := &fetchtest.Site{}
	site.Set("/", fetchtest.Text("home"))
	srv := httptest.NewServer(site)
	defer srv.Close()
	cfg := politeConfig(nil)
	cfg.Transport = nil
	cfg.Policy.Normal.Delay = -1
	cfg.Guard.Allow = []netip.AddrPort{netip.MustParseAddrPort(srv.Listener.Addr().String())}
	bot := newBot(t, cfg)
	defer bot.CloseIdleConnections()
	req := newRequest(t, t.Context(), http.MethodGet, srv.URL+"/")
	req.Host = "internal.example"
	resp, err := bot.RoundTrip(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	for _, x := range site.Log() {
		assert.Equal(t, srv.URL, "http://"+x.URL.Host)
	}
}

// RoundTrip must always close the body, including on errors.
func TestRoundTripAlwaysClosesTheRequestsBody(t *testing.T) {
	tests := map[string]func(*http.Request){
		"a GET with a body":  func(*http.Request) {},
		"another method":     func(r *http.Request) { r.Method = http.MethodPost },
		"no URL":             func(r *http.Request) { r.URL = nil },
		"an address refused": func(r *http.Request) { r.URL.Host = "127.0.0.1" },
		"a context that has ended": func(r *http.Request) {
			ctx, cancel := context.WithCancel(r.Context())
			cancel()
			*r = *r.WithContext(ctx)
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			site := &fetchtest.Site{}
			body := &closing{}
			req := newRequest(t, t.Context(), http.MethodGet, site1+"/")
			req.Body = body
			req.GetBody = func() (io.ReadCloser, error) { t.Error("GetBody was called"); return nil, errors.ErrUnsupported }
			change(req)
			resp, err := newBot(t, politeConfig(site)).RoundTrip(req)
			require.Error(t, err)
			assert.Nil(t, resp)
			assert.Equal(t, 1, body.closed)
			assert.Empty(t, site.Log())
		})
	}
	synctest.Test(t, func(t *testing.T) { // and a body that is none is no reason to refuse
		site := &fetchtest.Site{}
		site.Set("/", fetchtest.Text("x"))
		req := newRequest(t, t.Context(), "", site1+"/")
		req.Method, req.Body, req.Header = "", http.NoBody, nil
		resp, err := newBot(t, politeConfig(site)).RoundTrip(req)
		require.NoError(t, err)
		assert.Equal(t, http.StatusOK, resp.StatusCode)
		assert.Equal(t, http.MethodGet, site.Log()[1].Method)
	})
}

type closing struct{ closed int }

func (*closing) Read([]byte) (int, error) { return 0, errors.New("nobody reads it") }
func (c *closing) Close() error           { c.closed++; return nil }

func TestRoundTripSendsOnlyGetAndHead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		site.Set("/", fetchtest.Text("x"))
		bot := newBot(t, politeConfig(site))
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get", "Head", "GET ", "GET\r\nX: y"} {
			req := newRequest(t, t.Context(), http.MethodGet, "https://user:secret@site.example/")
			req.Method = method
			resp, err := bot.RoundTrip(req)
			require.ErrorIs(t, err, politefetch.ErrMethod, method)
			assert.Nil(t, resp)
			assert.NotContains(t, err.Error(), "secret")
			assert.NotContains(t, err.Error(), "\n")
		}
		assert.Empty(t, site.Log())
	})
}

// ContentLength and Uncompressed as http.Transport sets them.
func TestRoundTripDescribesTheBodyThatIsThere(t *testing.T) {
	text := strings.Repeat("words ", 100)
	gz := fetchtest.Text(text).Gzip().With("Content-Type", "text/plain").With("Content-Encoding", "gzip")
	gz = gz.With("Content-Length", fmt.Sprint(len(gz.Body)))
	head := func(a fetchtest.Answer) fetchtest.Answer { a.Body = ""; return a } // as a server answers it
	tests := []struct {
		name, method string
		answer       fetchtest.Answer
		body         string
		length       int64
		uncompressed bool
		header       http.Header // "" : not there
	}{
		{"plain", "GET", fetchtest.Text(text).With("Content-Length", "600"), text, 600, false, http.Header{"Content-Length": {"600"}}},
		{"gzip", "GET", gz, text, 600, true, http.Header{"Content-Encoding": nil, "Content-Length": nil}},
		{"empty", "GET", fetchtest.Text(""), "", 0, false, nil},
		{"gzip in name only", "GET", fetchtest.Text(text).With("Content-Encoding", "gzip"), text, 600, true, http.Header{"Content-Encoding": nil}},
		{"304", "GET", fetchtest.Status(304).With("Content-Encoding", "gzip").With("Content-Length", "77"), "", 0, false, http.Header{"Content-Encoding": {"gzip"}, "Content-Length": {"77"}}},
		{"HEAD of gzip", "HEAD", head(gz), "", 0, false, http.Header{"Content-Encoding": {"gzip"}, "Content-Length": gz.Header["Content-Length"]}},
		{"HEAD with a body", "HEAD", fetchtest.Text(text), "", 600, false, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := &fetchtest.Site{}
				site.Set("/", tt.answer)
				resp, err := newBot(t, politeConfig(site)).RoundTrip(newRequest(t, t.Context(), tt.method, site1+"/"))
				require.NoError(t, err)
				body, err := io.ReadAll(resp.Body)
				require.NoError(t, err)
				assert.Equal(t, tt.body, string(body))
				assert.Equal(t, tt.length, resp.ContentLength)
				assert.Equal(t, tt.uncompressed, resp.Uncompressed)
				for name, want := range tt.header {
					assert.Equal(t, want, resp.Header[name], name)
				}
				assert.Equal(t, tt.method, site.Log()[1].Method)
				assert.False(t, tt.method == http.MethodHead && site.Log()[1].Sent > 0, "nothing is read")
				var b bytes.Buffer
				resp.Body = io.NopCloser(bytes.NewReader(body))
				require.NoError(t, resp.Write(&b), "an answer that can be written again")
			})
		})
	}
}

func TestRoundTripSaysNothingOfChunks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := politeConfig(nil)
		cfg.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Request: r, Body: io.NopCloser(strings.NewReader("x")), ContentLength: -1, TransferEncoding: []string{"chunked"}}, nil
		})
		resp, _, err := trip(t, newBot(t, cfg), site1+"/")
		require.NoError(t, err)
		assert.Empty(t, resp.TransferEncoding, "the length is known now")
		assert.EqualValues(t, 1, resp.ContentLength)
	})
}

func TestRoundTripReadsUpToTheLimit(t *testing.T) {
	for _, tt := range []struct {
		name string
		size int
		err  error
	}{{"just fits", 1000, nil}, {"one too many", 1001, politefetch.ErrTooLarge}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := &fetchtest.Site{}
				site.Set("/", fetchtest.Text(strings.Repeat("x", tt.size)))
				cfg := politeConfig(site)
				cfg.MaxBody = 1000
				resp, body, err := trip(t, newBot(t, cfg), site1+"/")
				require.NotNil(t, resp, "an answer was obtained")
				require.ErrorIs(t, err, tt.err)
				assert.Len(t, body, 1000, "what was read stands")
				assert.Equal(t, tt.err != nil, resp.ContentLength < 0)
			})
		})
	}
}

// A body that breaks off, or whose coding is unknown, was obtained all the same: reading it
// fails.
func TestRoundTripsBodiesFailWhereTheAnswerDid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		cut := fetchtest.Text(strings.Repeat("words ", 1000)).Gzip().With("Content-Type", "text/plain").With("Content-Encoding", "gzip")
		cut.Body = cut.Body[:len(cut.Body)/2]
		site.Set("/cut", cut)
		site.Set("/br", fetchtest.Text("???").With("Content-Encoding", "br"))
		bot := newBot(t, politeConfig(site))
		resp, _, err := trip(t, bot, site1+"/cut")
		require.Error(t, err)
		assert.EqualValues(t, -1, resp.ContentLength)
		resp, body, err := trip(t, bot, site1+"/br")
		require.ErrorContains(t, err, "br")
		assert.Empty(t, body)
		assert.Equal(t, "br", resp.Header.Get("Content-Encoding"), "nobody undid it")
	})
}

// The context: before the turn, while it is waited for, while the answer is, and in the
// middle of the body. The turn is free afterwards.
func TestRoundTripEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		site.Set("/", fetchtest.Text("x"))
		site.Set("/hang", fetchtest.Hang())
		site.Set("/drip", fetchtest.Answer{Status: 200, Body: "abcdefgh", Drip: time.Second})
		bot := newBot(t, politeConfig(site))
		_, _, err := trip(t, bot, site1+"/")
		require.NoError(t, err)
		stop := errors.New("enough")
		for _, tt := range []struct {
			name, path string
			after      time.Duration
		}{{"at once", "/", 0}, {"in line", "/", 500 * time.Millisecond}, {"no answer yet", "/hang", 3 * time.Second}} {
			ctx, cancel := context.WithCancelCause(t.Context())
			if tt.after == 0 {
				cancel(stop)
			}
			time.AfterFunc(tt.after, func() { cancel(stop) })
			began := time.Now()
			resp, err := bot.RoundTrip(newRequest(t, ctx, http.MethodGet, site1+tt.path))
			assert.Nil(t, resp, tt.name)
			require.ErrorIs(t, err, stop, tt.name)
			assert.Equal(t, tt.after, time.Since(began), tt.name)
			assert.Empty(t, errorOf(t, err).Outcome, "the caller's doing")
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), 5*time.Second, stop)
		defer cancel()
		resp, err := bot.RoundTrip(newRequest(t, ctx, http.MethodGet, site1+"/drip"))
		require.NoError(t, err, "an answer was obtained")
		body, err := io.ReadAll(resp.Body)
		require.ErrorIs(t, err, stop)
		assert.NotEmpty(t, body)

		_, _, err = trip(t, bot, site1+"/")
		require.NoError(t, err)
		require.NoError(t, fetchtest.Audit(site.Log(), politePromise))
	})
}

// Clients tell a time-out by the Timeout method of what http.Client returns.
func TestATimeOutIsOneToClients(t *testing.T) {
	for name, tt := range map[string]struct {
		own, clients time.Duration
		path         string
		want         bool
	}{
		"the bot's":             {3 * time.Second, 0, "/hang", true},
		"the client's":          {0, 4 * time.Second, "/hang", true},
		"a slow body's":         {0, 0, "/drip", true},
		"a look-up's":           {0, 0, "/lookup", true},
		"a turn past it":        {0, time.Second, "/closed", false},
		"a disallow":            {0, time.Second, "/no", false},
		"a failed connection's": {0, time.Second, "/fail", false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := &fetchtest.Site{}
				site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /no\n"))
				site.Set("/hang", fetchtest.Hang())
				site.Set("/drip", fetchtest.Answer{Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: "abcdefgh", Endless: true, Drip: time.Second})
				site.Set("/lookup", fetchtest.Fail(&net.DNSError{Err: "no answer", Name: "site.example", IsTimeout: true}))
				site.Set("/fail", fetchtest.Fail(errors.New("connection reset")))
				cfg := politeConfig(site)
				cfg.Timeout = tt.own
				bot := newBot(t, cfg)
				_, err := bot.Robots(t.Context(), site1+"/")
				require.NoError(t, err)
				if tt.path == "/closed" {
					require.NoError(t, bot.Limiter().Hold(t.Context(), "kauppa.example", time.Now().Add(time.Hour), "asked to"))
				}
				if tt.path == "/drip" {
					_, err = bot.Fetch(t.Context(), site1+tt.path, nil)
				} else {
					_, err = (&http.Client{Transport: bot, Timeout: tt.clients}).Get(site1 + tt.path)
				}
				require.Error(t, err)
				var e interface {
					error
					Timeout() bool
				}
				require.ErrorAs(t, err, &e)
				assert.Equal(t, tt.want, e.Timeout(), err)
				assert.Equal(t, tt.want, os.IsTimeout(err))
			})
		})
	}
}

// The caller's fields go on as far as they are harmless; none smuggles in another.
func TestRoundTripSendsTheBotsOwnHeader(t *testing.T) {
	site := &fetchtest.Site{}
	site.Set("/", fetchtest.Text("x"))
	srv := httptest.NewServer(site)
	defer srv.Close()
	cfg := politeConfig(nil)
	cfg.Transport = nil
	cfg.Policy.Normal.Delay = -1
	cfg.Guard.Allow = []netip.AddrPort{netip.MustParseAddrPort(srv.Listener.Addr().String())}
	bot := newBot(t, cfg)
	defer bot.CloseIdleConnections()
	req := newRequest(t, t.Context(), http.MethodGet, srv.URL+"/")
	req.Header = http.Header{
		"Accept": {"application/rss+xml"}, "Accept-Language": {"fi", "sv"}, "If-None-Match": {`"1"`}, "If-Modified-Since": {"Mon, 30 Nov 2026 09:12:00 GMT"},
		"User-Agent": {"Mozilla/5.0"}, "From": {"somebody@else.example"}, "Cookie": {"a=b"}, "Authorization": {"Bearer x"}, "Proxy-Authorization": {"Basic x"},
		"Referer": {"https://from.example/"}, "Accept-Encoding": {"br"}, "Range": {"bytes=0-1"}, "X-Forwarded-For": {"192.0.2.1"}, "Origin": {"null"},
		"Cache-Control": {"no-cache"}, "Dnt": {"1"}, "Te": {"trailers"}, "Expect": {"100-continue"}, "Upgrade": {"h2c"}, "Connection": {"Upgrade, Accept"},
	}
	resp, err := bot.RoundTrip(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, http.Header{
		"Accept": {"application/rss+xml"}, "Accept-Language": {"fi", "sv"}, "If-None-Match": {`"1"`}, "If-Modified-Since": {"Mon, 30 Nov 2026 09:12:00 GMT"},
		"User-Agent": {cfg.UserAgent}, "From": {cfg.From}, "Accept-Encoding": {"gzip"},
	}, site.Log()[1].Header)

	before := len(site.Log())
	for _, name := range []string{"Accept", "Accept-Language", "If-None-Match"} {
		req := newRequest(t, t.Context(), http.MethodGet, srv.URL+"/")
		req.Header.Set(name, "x\r\nCookie: smuggled=1")
		_, err := bot.RoundTrip(req)
		require.Error(t, err, name)
	}
	for _, x := range site.Log()[before:] {
		assert.Empty(t, x.Header.Get("Cookie"))
	}
}

// Each redirect that an http.Client follows takes the whole path: robots.txt of its host,
// its turn, Allow and the guard.
func TestEachHopOfAClientTakesTheWholePath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		site.Set("https://b.example/robots.txt", fetchtest.Text("User-agent: *\nCrawl-delay: 7\nDisallow: /closed\n"))
		site.Set("https://a.example/1", fetchtest.Redirect("https://b.example/2"))
		site.Set("https://b.example/2", fetchtest.Redirect("/3"))
		site.Set("https://b.example/3", fetchtest.HTML("three"))
		site.Set("https://a.example/closed", fetchtest.Redirect("https://b.example/closed"))
		site.Set("https://a.example/inside", fetchtest.Redirect("http://169.254.169.254/"))
		site.Set("https://a.example/out", fetchtest.Redirect("https://opted-out.example/"))
		site.Set("/round", fetchtest.Redirect("/round?again"))
		site.Set("/round?again", fetchtest.Redirect("/round"))
		out := errors.New("on the list")
		cfg := politeConfig(site)
		cfg.Allow = allowAllBut("opted-out.example", out)
		client := &http.Client{Transport: newBot(t, cfg)}

		resp, err := client.Get("https://a.example/1")
		require.NoError(t, err)
		assert.Equal(t, "https://b.example/3", resp.Request.URL.String())
		require.NoError(t, resp.Body.Close())
		log := site.Log()
		assert.Equal(t, []string{
			"https://a.example/robots.txt", "https://a.example/1", "https://b.example/robots.txt", "https://b.example/2", "https://b.example/3",
		}, asked(site))
		assert.GreaterOrEqual(t, log[3].Began.Sub(log[2].Ended), 7*time.Second, "its own pace")
		assert.GreaterOrEqual(t, log[4].Began.Sub(log[3].Ended), 7*time.Second)

		for path, want := range map[string]politefetch.Outcome{"/closed": politefetch.Disallowed, "/inside": politefetch.Barred, "/out": politefetch.Barred} {
			_, err := client.Get("https://a.example" + path)
			assert.Equal(t, want, errorOf(t, err).Outcome, path)
		}
		_, err = client.Get("https://a.example/out")
		require.ErrorIs(t, err, out)
		_, err = client.Get("https://a.example/round")
		require.ErrorContains(t, err, "stopped after 10 redirects", "the client's own limit")
		require.NoError(t, fetchtest.Audit(site.Log(), politePromise))
	})
}

// A redirect's Retry-After is the least wait before its next hop (RFC 9110 section 10.2.3),
// whoever follows it. Other requests are not held.
func TestAClientsNextHopWaitsAsTheRedirectAsks(t *testing.T) {
	for _, tt := range []struct {
		name        string
		wait, until time.Duration // asked for; the least before the next hop, negative: none comes
	}{
		{"none", 0, time.Second}, // the bot's own pace
		{"waited out", 10 * time.Second, 10 * time.Second},
		{"past MaxWait", time.Minute, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := &fetchtest.Site{}
				to := fetchtest.Redirect("/there")
				if tt.wait > 0 {
					to = to.RetryAfter(tt.wait)
				}
				site.Set("/go", to)
				site.Set("/there", fetchtest.Text("here"))
				site.Set("/other", fetchtest.Text("free"))
				bot := newBot(t, politeConfig(site))
				client := &http.Client{Transport: bot}
				began := time.Now()
				resp, err := client.Get(site1 + "/go") //nolint:noctx // in a bubble
				if tt.until < 0 {
					var w *ratepolicy.WaitError
					require.ErrorAs(t, err, &w)
					assert.Equal(t, politefetch.Limited, errorOf(t, err).Outcome)
					assert.WithinDuration(t, began.Add(tt.wait), w.Until, 2*time.Second)
					require.ErrorContains(t, err, "redirected with 302, Retry-After asks for 1m0s")
					_, _, err = trip(t, bot, site1+"/other")
					require.NoError(t, err, "the host is not held")
					assert.Equal(t, []string{"/robots.txt", "/go", "/other"}, paths(site))
					return
				}
				require.NoError(t, err)
				require.NoError(t, resp.Body.Close())
				log := site.Log()
				require.Equal(t, []string{"/robots.txt", "/go", "/there"}, paths(site))
				assert.Equal(t, tt.until, log[2].Began.Sub(log[1].Ended))
			})
		})
	}
}

func TestRoundTripAsksConditionally(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		site.Fallback = func(r *http.Request) fetchtest.Answer {
			switch {
			case r.URL.Path == "/robots.txt":
				return fetchtest.Status(404)
			case r.Header.Get("If-None-Match") == `"1"`:
				return fetchtest.Status(http.StatusNotModified).With("ETag", `"1"`)
			}
			return fetchtest.Text("new").With("ETag", `"1"`)
		}
		bot := newBot(t, politeConfig(site))
		resp, body, err := trip(t, bot, site1+"/feed")
		require.NoError(t, err)
		assert.Equal(t, "new", body)
		req := newRequest(t, t.Context(), http.MethodGet, site1+"/feed")
		req.Header.Set("If-None-Match", resp.Header.Get("ETag"))
		resp, err = bot.RoundTrip(req)
		require.NoError(t, err)
		assert.Equal(t, http.StatusNotModified, resp.StatusCode)
		assert.Equal(t, `"1"`, resp.Header.Get("ETag"))
		rest, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Empty(t, rest)
	})
}

// A limit binds RoundTrip as it binds Fetch: one pace, one memory.
func TestRoundTripAndFetchShareTheHostsWishes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		site.Set("/busy", fetchtest.Status(429).RetryAfter(10*time.Minute))
		site.Set("/", fetchtest.Text("x"))
		bot := newBot(t, politeConfig(site))
		resp, _, err := trip(t, bot, site1+"/busy")
		require.NoError(t, err)
		assert.Equal(t, 429, resp.StatusCode)
		_, _, err = trip(t, bot, site1+"/")
		var wait *ratepolicy.WaitError
		require.ErrorAs(t, err, &wait)
		assert.Equal(t, politefetch.Limited, errorOf(t, err).Outcome)
		assert.WithinDuration(t, time.Now().Add(10*time.Minute), wait.Until, time.Second)
		_, err = bot.Fetch(t.Context(), site1+"/", nil)
		require.ErrorAs(t, err, &wait)
		time.Sleep(10 * time.Minute)
		_, body, err := trip(t, bot, site1+"/")
		require.NoError(t, err)
		assert.Equal(t, "x", body)
		require.NoError(t, fetchtest.Audit(site.Log(), politePromise))
	})
}
