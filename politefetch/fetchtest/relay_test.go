package fetchtest_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch/fetchtest"
)

const relayKey = "0123456789ABCDEF"

// params are those of a polite client, then changed: a name with a value, or without to
// leave it out.
func params(target string, changes ...string) url.Values {
	p := url.Values{
		"url": {target}, "render_js": {"false"}, "premium_proxy": {"false"}, "transparent_status_code": {"true"},
		"forward_headers_pure": {"true"}, "country_code": {"us"}, "timeout": {"60000"},
	}
	for _, c := range changes {
		if name, v, ok := strings.Cut(c, "="); ok {
			p.Set(name, v)
		} else {
			p.Del(name)
		}
	}
	return p
}

func ask(t *testing.T, ctx context.Context, p url.Values) *http.Request { //nolint:revive // t comes first
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://provider.example/api/v1/?"+p.Encode(), nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+relayKey)
	req.Header.Set("Spb-User-Agent", "Bot/1.0")
	req.Header.Set("Cookie", "not=forwarded")
	return req
}

func through(t *testing.T, relay http.RoundTripper, p url.Values) (*http.Response, string) {
	t.Helper()
	resp, err := relay.RoundTrip(ask(t, t.Context(), p))
	require.NoError(t, err)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp, string(body)
}

func newRelay() (*fetchtest.Site, *fetchtest.Relay) {
	site := new(fetchtest.Site)
	relay := site.Relay()
	relay.Key = relayKey
	return site, relay
}

func TestRelayHandsOnTheSitesAnswer(t *testing.T) {
	site, relay := newRelay()
	site.Set("https://a.example/old", fetchtest.Redirect("/new"))
	site.Set("https://a.example/new", fetchtest.HTML("<p>hi").With("Retry-After", "7").With("Content-Encoding", "br"))
	resp, body := through(t, relay, params("https://a.example/old"))
	assert.Equal(t, 200, resp.StatusCode)
	assert.Equal(t, "<p>hi", body)
	for name, want := range map[string]string{
		"Spb-Cost": "1", "Spb-Initial-Status-Code": "302", "Spb-Resolved-Url": "https://a.example/new", "Spb-Request-Id": "relay-1",
		"Spb-Content-Type": "text/html; charset=utf-8", "Spb-Retry-After": "7", "Spb-Content-Encoding": "br",
		"Server": "gunicorn", "Retry-After": "", "Content-Encoding": "",
	} {
		assert.Equal(t, want, resp.Header.Get(name), name)
	}
	x := relay.Log()[0]
	assert.Equal(t, "https://a.example/old", x.URL.String())
	assert.Equal(t, "https://a.example/new", x.Final)
	assert.Equal(t, "<p>hi", x.Answer.Body)
	assert.Equal(t, "Bearer "+relayKey, x.Request.Get("Authorization"))
	assert.Equal(t, 1, x.Cost)
	assert.Equal(t, 1, relay.Used())
	require.Len(t, x.Hops, 2)
	for _, hop := range x.Hops {
		assert.Equal(t, http.Header{"User-Agent": {"Bot/1.0"}}, hop.Header, "what was forwarded and nothing else")
		assert.False(t, hop.Ended.IsZero())
	}
	assert.Empty(t, site.Log(), "the site's own log is of direct requests")
	assert.Equal(t, 1, relay.Count("/old"))
	assert.Equal(t, 0, relay.Count("/new"))
	assert.Len(t, relay.Asked(), 1)
}

func TestRelayRedirects(t *testing.T) {
	tests := []struct {
		name    string
		script  map[string][]fetchtest.Answer
		maxHops int
		status  []int // of one ask after the other
		final   []string
	}{
		{"off the site, twice", map[string][]fetchtest.Answer{
			"https://a.example/": {fetchtest.Redirect("https://b.example/"), fetchtest.Redirect("https://b.example/"), fetchtest.HTML("a")},
			"https://b.example/": {fetchtest.HTML("b")},
		}, 0, []int{200, 200, 200}, []string{"https://b.example/", "https://b.example/", "https://a.example/"}},
		{"a loop ends", map[string][]fetchtest.Answer{
			"https://a.example/": {fetchtest.Redirect("/")},
		}, 3, []int{302}, []string{"https://a.example/"}},
		{"none followed", map[string][]fetchtest.Answer{
			"https://a.example/": {fetchtest.Redirect("/b")},
		}, -1, []int{302}, []string{"https://a.example/"}},
		{"nowhere to go", map[string][]fetchtest.Answer{
			"https://a.example/": {fetchtest.Status(301), fetchtest.Redirect("ftp://a.example/"), fetchtest.Status(304)},
		}, 0, []int{301, 302, 304}, []string{"https://a.example/", "https://a.example/", "https://a.example/"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			site, relay := newRelay()
			relay.MaxHops = tt.maxHops
			for addr, answers := range tt.script {
				site.Set(addr, answers...)
			}
			for i := range tt.status {
				resp, _ := through(t, relay, params("https://a.example/"))
				assert.Equal(t, tt.status[i], resp.StatusCode, "ask %d", i+1)
				assert.Equal(t, tt.final[i], resp.Header.Get("Spb-Resolved-Url"), "ask %d", i+1)
			}
			if tt.maxHops > 0 {
				assert.Len(t, relay.Log()[0].Hops, tt.maxHops+1)
			}
		})
	}
}

func TestRelayPrices(t *testing.T) {
	site, relay := newRelay()
	for _, status := range []int{401, 403, 404, 410, 429, 500, 503, 999} {
		site.Set("https://s.example/", fetchtest.Status(status))
		resp, _ := through(t, relay, params("https://s.example/"))
		want := "1"
		if status == 500 || status == 503 {
			want = "0"
		}
		assert.Equal(t, status, resp.StatusCode)
		assert.Equal(t, want, resp.Header.Get("Spb-Cost"), status)
	}
	site.Set("/", fetchtest.HTML("x"))
	for changes, want := range map[string]string{
		"render_js": "5", "premium_proxy=true": "10", "premium_proxy=true render_js": "25",
		"stealth_proxy=true forward_headers_pure timeout":           "75",
		"url=https://www.google.com/ custom_google=true":            "15",
		"mode=auto render_js premium_proxy transparent_status_code": "1",
	} {
		resp, _ := through(t, relay, params("https://a.example/", strings.Fields(changes)...))
		assert.Equal(t, 200, resp.StatusCode, changes)
		assert.Equal(t, want, resp.Header.Get("Spb-Cost"), changes)
		assert.Equal(t, strings.Contains(changes, "mode"), resp.Header.Get("Spb-Auto-Cost") != "", changes)
	}
}

func TestRelayTurnsDownWhatItsModelDoes(t *testing.T) {
	site, relay := newRelay()
	site.Set("/", fetchtest.HTML("x"))
	for _, changes := range []string{
		"url", "url=relative", "url=ftp://a.example/", "url=http://[", "nonsense=1", "render_js=no", "timeout=999", "timeout=140001", "timeout=x",
		"session_id=-1", "device=fridge", "mode=fast", "mode=auto", "mode=auto render_js premium_proxy", "json_response=true",
		"stealth_proxy=true", "url=https://www.google.fi/", "api_key=" + relayKey,
	} {
		resp, body := through(t, relay, params("https://a.example/", strings.Fields(changes)...))
		assert.Equal(t, 400, resp.StatusCode, changes)
		assert.Contains(t, body, `"errors":{"`, changes)
		assert.Empty(t, resp.Header.Get("Spb-Initial-Status-Code"), changes)
	}
	twice := params("https://a.example/")
	twice.Add("url", "https://b.example/")
	resp, _ := through(t, relay, twice)
	assert.Equal(t, 400, resp.StatusCode)

	post := ask(t, t.Context(), params("https://a.example/"))
	post.Method = http.MethodPost
	elsewhere := ask(t, t.Context(), params("https://a.example/"))
	elsewhere.URL.Path = "/"
	stranger := ask(t, t.Context(), params("https://a.example/"))
	stranger.Header.Set("Authorization", "Bearer WRONG")
	nobody := ask(t, t.Context(), params("https://a.example/"))
	nobody.Header.Del("Authorization")
	for status, reqs := range map[int][]*http.Request{405: {post}, 404: {elsewhere}, 401: {stranger, nobody}} {
		for _, req := range reqs {
			resp, err := relay.RoundTrip(req)
			require.NoError(t, err)
			body, _ := io.ReadAll(resp.Body)
			assert.Equal(t, status, resp.StatusCode)
			assert.Equal(t, req == stranger, strings.Contains(string(body), "WRONG"), "a wrong key is echoed")
		}
	}
	assert.Empty(t, relay.Asked(), "the site was never asked")
	assert.Zero(t, relay.Used())
}

func TestRelayShowsTheSiteWhatItIsTold(t *testing.T) {
	site, relay := newRelay()
	site.Set("/", fetchtest.HTML("x"))
	seen := func(changes ...string) http.Header {
		through(t, relay, params("https://a.example/", changes...))
		log := relay.Log()
		return log[len(log)-1].Hops[0].Header
	}
	assert.Equal(t, http.Header{"User-Agent": {"Bot/1.0"}}, seen())
	cookie := ask(t, t.Context(), params("https://a.example/"))
	cookie.Header.Set("Spb-Cookie", "a=b")
	cookie.Header.Set("Spb-X", "y")
	_, err := relay.RoundTrip(cookie)
	require.NoError(t, err)
	log := relay.Log()
	assert.Equal(t, http.Header{"User-Agent": {"Bot/1.0"}, "X": {"y"}}, log[len(log)-1].Hops[0].Header)
	h := seen("forward_headers_pure", "forward_headers=true")
	assert.Equal(t, "Bot/1.0", h.Get("User-Agent"))
	assert.NotEmpty(t, h.Get("Sec-Ch-Ua"), "a browser's")
	h = seen("forward_headers_pure")
	assert.Contains(t, h.Get("User-Agent"), "Chrome")
	assert.Equal(t, "a=b", seen("cookies=a=b").Get("Cookie"))
}

// Unless it is told to be transparent, the provider hides the status and asks again.
func TestRelayThatIsNotTransparent(t *testing.T) {
	site, relay := newRelay()
	site.Set("/limited", fetchtest.Status(429))
	site.Set("/blip", fetchtest.Status(503), fetchtest.HTML("x"))
	for path, want := range map[string]int{"/limited": 500, "/blip": 200, "/missing": 404} {
		resp, _ := through(t, relay, params("https://a.example"+path, "transparent_status_code"))
		assert.Equal(t, want, resp.StatusCode, path)
	}
	hops := map[string]int{}
	for _, x := range relay.Log() {
		hops[x.URL.Path] = len(x.Hops)
	}
	assert.Equal(t, map[string]int{"/limited": 3, "/blip": 2, "/missing": 1}, hops)
}

func TestRelayFaults(t *testing.T) {
	boom := errors.New("boom")
	synctest.Test(t, func(t *testing.T) {
		site, relay := newRelay()
		site.Set("/", fetchtest.HTML("0123456789"))
		relay.Set("https://a.example/",
			fetchtest.RelayQuota(), fetchtest.RelayBusy(0), fetchtest.RelayBusy(3*time.Second), fetchtest.RelayUnreachable(),
			fetchtest.RelayFault{Answer: fetchtest.Status(502)},
			fetchtest.RelayFault{Answer: fetchtest.Redirect("https://elsewhere.example/")},
			fetchtest.RelayFault{Status: 301, Header: http.Header{"Spb-Initial-Status-Code": {"301"}}},
			fetchtest.RelayHeader("spb-cost"), fetchtest.RelayHeader("Spb-Cost", "1", "2"), fetchtest.RelayHeader("Spb-Cost", ""),
			fetchtest.RelayFault{})
		for _, want := range []struct {
			status int
			header string
			values []string
			body   string
		}{
			{401, "Retry-After", nil, `{"message":"Monthly API calls limit reached: 1000"}`},
			{429, "Retry-After", nil, `{"message":"Too many concurrent requests"}`},
			{429, "Retry-After", []string{"3"}, `{"message":"Too many concurrent requests"}`},
			{503, "Spb-Cost", []string{"0"}, "Proxy connection error"},
			{502, "Spb-Cost", nil, ""},
			{302, "Location", []string{"https://elsewhere.example/"}, ""},
			{301, "Spb-Initial-Status-Code", []string{"301"}, "0123456789"},
			{200, "Spb-Cost", nil, "0123456789"},
			{200, "Spb-Cost", []string{"1", "2"}, "0123456789"},
			{200, "Spb-Cost", []string{""}, "0123456789"},
			{200, "Spb-Cost", []string{"1"}, "0123456789"},
			{200, "Spb-Cost", []string{"1"}, "0123456789"},
		} {
			resp, body := through(t, relay, params("https://a.example/"))
			assert.Equal(t, want.status, resp.StatusCode)
			assert.Equal(t, want.values, resp.Header[want.header], "%d %s", want.status, want.header)
			assert.Equal(t, want.body, body)
		}
		relay.Set("", fetchtest.RelayFault{Cut: 4})
		for addr, want := range map[string]string{"https://b.example/": "0123", "https://a.example/": "0123456789"} {
			resp, err := relay.RoundTrip(ask(t, t.Context(), params(addr)))
			require.NoError(t, err)
			body, err := io.ReadAll(resp.Body)
			assert.Equal(t, want, string(body), addr)
			assert.Equal(t, len(want) == 4, errors.Is(err, io.ErrUnexpectedEOF), addr)
			resp.Body.Close()
		}
		relay.Set("", fetchtest.RelayFault{Answer: fetchtest.Fail(boom)}, fetchtest.RelayFault{Answer: fetchtest.Hang()}, fetchtest.RelayFault{Cut: -1})
		_, err := relay.RoundTrip(ask(t, t.Context(), params("https://b.example/")))
		require.ErrorIs(t, err, boom)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		_, err = relay.RoundTrip(ask(t, ctx, params("https://b.example/")))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		resp, err := relay.RoundTrip(ask(t, t.Context(), params("https://b.example/")))
		require.NoError(t, err)
		_, err = resp.Body.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		for i, x := range relay.Log() {
			assert.False(t, x.Ended.IsZero(), "request %d has ended", i)
			assert.Equal(t, 1, x.InFlight, "request %d", i)
		}
	})
}

func TestRelaySitesThatFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site, relay := newRelay()
		site.Set("/refused", fetchtest.Fail(errors.New("refused")))
		site.Set("/slow", fetchtest.HTML("x").After(59*time.Second), fetchtest.HTML("x").After(61*time.Second))
		resp, body := through(t, relay, params("https://a.example/refused"))
		assert.Equal(t, 503, resp.StatusCode)
		assert.Equal(t, "Proxy connection error", body)
		assert.Equal(t, "503", resp.Header.Get("Spb-Initial-Status-Code"))
		for _, want := range []int{200, 500} {
			resp, _ = through(t, relay, params("https://a.example/slow"))
			assert.Equal(t, want, resp.StatusCode)
			assert.Equal(t, want == 200, resp.Header.Get("Spb-Initial-Status-Code") != "")
		}
		for i, failed := range []bool{true, false, true} {
			assert.Equal(t, failed, relay.Log()[i].Answer.Err != nil, "ask %d", i+1)
		}
		assert.Equal(t, 1, relay.Used(), "only what was handed on")
	})
}

func TestRelayCountsWhatIsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site, relay := newRelay()
		relay.Concurrency = 2
		site.Set("/", fetchtest.Answer{Status: 200, Body: "abc", Drip: time.Second})
		start := func() *http.Response {
			resp, err := relay.RoundTrip(ask(t, t.Context(), params("https://a.example/")))
			require.NoError(t, err)
			return resp
		}
		one, two, three := start(), start(), start()
		assert.Equal(t, []int{200, 200, 429}, []int{one.StatusCode, two.StatusCode, three.StatusCode})
		three.Body.Close()
		two.Body.Close()
		two.Body.Close() // counts once
		four, five := start(), start()
		assert.Equal(t, []int{200, 429}, []int{four.StatusCode, five.StatusCode})
		_, err := io.ReadAll(one.Body) // ends with its last byte
		require.NoError(t, err)
		five.Body.Close()
		assert.Equal(t, 200, start().StatusCode)
		log := relay.Log()
		assert.Equal(t, []int{1, 2, 3, 2, 3, 2}, []int{log[0].InFlight, log[1].InFlight, log[2].InFlight, log[3].InFlight, log[4].InFlight, log[5].InFlight})
		assert.Equal(t, 3*time.Second, log[0].Ended.Sub(log[0].Began))
		assert.Equal(t, log[0].Ended, log[0].Hops[0].Ended)
		assert.EqualValues(t, 3, log[0].Hops[0].Sent)
	})
}

func TestRelayAccount(t *testing.T) {
	site, relay := newRelay()
	relay.Credits = 2
	site.Set("/", fetchtest.HTML("x"))
	for _, want := range []int{200, 200, 401} {
		resp, _ := through(t, relay, params("https://a.example/"))
		assert.Equal(t, want, resp.StatusCode)
	}
	req := ask(t, t.Context(), url.Values{})
	req.URL.Path = "/api/v1/usage"
	resp, err := relay.RoundTrip(req)
	require.NoError(t, err)
	var usage struct {
		Max  int `json:"max_api_credit"`
		Used int `json:"used_api_credit"`
	}
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&usage))
	assert.Equal(t, 2, usage.Max)
	assert.Equal(t, 2, usage.Used)
}

// What was asked of the provider can be held against a promise; what the provider did of
// its own accord is in the hops.
func TestAuditOfWhatARelayWasAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site, relay := newRelay()
		site.Latency = time.Second
		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /no\n"))
		site.Set("/moved", fetchtest.Redirect("/no"))
		through(t, relay, params("https://a.example/robots.txt"))
		through(t, relay, params("https://a.example/moved"))
		relay.Set("", fetchtest.RelayBusy(time.Hour), fetchtest.RelayFault{})
		through(t, relay, params("https://a.example/"))
		through(t, relay, params("https://a.example/"))
		promise := fetchtest.Promise{UserAgent: "Bot/1.0", Anonymous: true, Product: "Bot", Concurrency: 2}
		require.NoError(t, fetchtest.Audit(relay.Asked(), promise))
		through(t, relay, params("https://a.example/no"))
		require.ErrorContains(t, fetchtest.Audit(relay.Asked(), promise), "disallowed by robots.txt line 2")
	})
}

func TestRelayServesRealSockets(t *testing.T) {
	site, relay := newRelay()
	relay.Gzip = true
	site.Set("/", fetchtest.HTML(strings.Repeat("long ", 1000)))
	site.Set("/z", fetchtest.HTML("plain").Gzip().With("Content-Encoding", "gzip").With("Content-Type", "text/html"))
	srv := httptest.NewServer(relay)
	defer srv.Close()
	send := func(target, coding string) (*http.Response, []byte, error) {
		req := ask(t, t.Context(), params(target))
		req.URL.Scheme, req.URL.Host = "http", strings.TrimPrefix(srv.URL, "http://")
		req.Header.Set("Accept-Encoding", coding)
		resp, err := srv.Client().Transport.RoundTrip(req)
		if err != nil {
			return nil, nil, err
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		return resp, body, err
	}
	resp, body, err := send("https://a.example/", "br, gzip")
	require.NoError(t, err)
	assert.Equal(t, "gzip", resp.Header.Get("Content-Encoding"))
	assert.Less(t, len(body), 1000)
	z, err := gzip.NewReader(strings.NewReader(string(body)))
	require.NoError(t, err)
	plain, err := io.ReadAll(z)
	require.NoError(t, err)
	assert.Len(t, plain, 5000)

	resp, body, err = send("https://a.example/z", "identity")
	require.NoError(t, err)
	assert.Equal(t, "plain", string(body), "the site's own coding is undone")
	assert.Equal(t, "gzip", resp.Header.Get("Spb-Content-Encoding"))

	relay.Set("/", fetchtest.RelayFault{Cut: 10}, fetchtest.RelayFault{Answer: fetchtest.Fail(errors.New("x"))})
	_, body, err = send("https://a.example/", "identity")
	require.Error(t, err)
	assert.Equal(t, "long long ", string(body))
	_, _, err = send("https://a.example/", "identity")
	require.Error(t, err)
}
