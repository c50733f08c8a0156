package proxy_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch/fetchtest"
	"github.com/politefetch/sdk/proxy"
)

func assertProvider(t *testing.T, err error, kind proxy.Kind) *proxy.ProviderError {
	t.Helper()
	p, ok := errors.AsType[*proxy.ProviderError](err)
	require.True(t, ok, "%v", err)
	assert.Equal(t, kind, p.Kind, "%v", err)
	assert.NotEmpty(t, p.Reason)
	return p
}

// own is an answer of the provider's own.
func own(status int, body string) fetchtest.RelayFault {
	return fetchtest.RelayFault{Answer: fetchtest.Answer{Status: status, Body: body}}
}

// TestProvidersOwnAnswers is the table of errors: what each answer is, whether it stops the
// route, for which sites, and how often the provider is asked.
func TestProvidersOwnAnswers(t *testing.T) {
	type stop uint8
	const (
		none stop = iota
		site
		all
	)
	header := fetchtest.RelayHeader
	for name, tt := range map[string]struct {
		fault    fetchtest.RelayFault
		kind     proxy.Kind
		stops    stop
		requests int
	}{
		"bad parameters":           {own(400, `{"errors":{"url":"x"}}`), proxy.KindRequest, none, 1},
		"address too long":         {own(414, ""), proxy.KindRequest, none, 1},
		"out of credits":           {fetchtest.RelayQuota(), proxy.KindQuota, all, 1},
		"key not accepted":         {own(401, `{"message":"Invalid api key: `+key+`"}`), proxy.KindAuth, all, 1},
		"payment required":         {own(402, ""), proxy.KindAuth, all, 1},
		"forbidden":                {own(403, ""), proxy.KindAuth, all, 1},
		"busy":                     {fetchtest.RelayBusy(0), proxy.KindBusy, none, 4},
		"busy, with a wait":        {fetchtest.RelayBusy(7 * time.Second), proxy.KindBusy, none, 4},
		"busy, by 403":             {own(403, "Looks like you've hit the concurrency limit"), proxy.KindBusy, none, 4},
		"busy for an hour":         {fetchtest.RelayBusy(time.Hour), proxy.KindBusy, none, 1},
		"failure":                  {own(500, ""), proxy.KindDown, none, 1},
		"bad gateway":              {own(502, "<h1>"), proxy.KindDown, none, 1},
		"no connection":            {fetchtest.RelayFault{Answer: fetchtest.Fail(errors.New("broken"))}, proxy.KindDown, none, 1},
		"redirect":                 {fetchtest.RelayFault{Answer: fetchtest.Redirect("https://b.example/")}, proxy.KindDrift, all, 1},
		"page without mark":        {own(200, "x"), proxy.KindDrift, all, 1},
		"status over 599":          {own(600, "x"), proxy.KindDrift, all, 1},
		"mark missing":             {header("Spb-Initial-Status-Code"), proxy.KindDrift, all, 1},
		"mark empty":               {header("Spb-Initial-Status-Code", ""), proxy.KindDrift, all, 1},
		"mark no number":           {header("Spb-Initial-Status-Code", "abc"), proxy.KindDrift, all, 1},
		"mark out of range":        {header("Spb-Initial-Status-Code", "99"), proxy.KindDrift, all, 1},
		"mark with a sign":         {header("Spb-Initial-Status-Code", "+200"), proxy.KindDrift, all, 1},
		"mark too long":            {header("Spb-Initial-Status-Code", "0200"), proxy.KindDrift, all, 1},
		"not a final status":       {fetchtest.RelayFault{Status: 150}, proxy.KindDrift, all, 1},
		"no status of HTTP":        {fetchtest.RelayFault{Status: 1000}, proxy.KindDrift, all, 1},
		"mark twice":               {header("Spb-Initial-Status-Code", "200", "200"), proxy.KindDrift, site, 1},
		"address missing":          {header("Spb-Resolved-Url"), proxy.KindDrift, all, 1},
		"address empty":            {header("Spb-Resolved-Url", ""), proxy.KindDrift, all, 1},
		"address relative":         {header("Spb-Resolved-Url", "/x"), proxy.KindDrift, site, 1},
		"address of a script":      {header("Spb-Resolved-Url", "javascript:alert(1)"), proxy.KindDrift, site, 1},
		"address malformed":        {header("Spb-Resolved-Url", "https://a.example/%zz"), proxy.KindDrift, site, 1},
		"two addresses in one":     {header("Spb-Resolved-Url", "https://a.example/, https://b.example/"), proxy.KindDrift, site, 1},
		"address twice":            {header("Spb-Resolved-Url", home, home), proxy.KindDrift, site, 1},
		"address private":          {header("Spb-Resolved-Url", "http://10.0.0.1/"), proxy.KindDrift, site, 1},
		"address with a user":      {header("Spb-Resolved-Url", "https://u:p@a.example/"), proxy.KindDrift, site, 1},
		"cost twice":               {header("Spb-Cost", "1", "0"), proxy.KindDrift, site, 1},
		"other cost twice":         {header("Spb-Auto-Cost", "1", "0"), proxy.KindDrift, site, 1},
		"name twice":               {header("Spb-Request-Id", "a", "b"), proxy.KindDrift, site, 1},
		"coded, by nobody's wish":  {header("Content-Encoding", "gzip"), proxy.KindDrift, all, 1},
		"the key in the header":    {header("Spb-Echo", "Bearer "+key), proxy.KindDrift, all, 1},
		"the key in a foreign one": {header("X-Echo", key), proxy.KindDrift, all, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				w.site.Set("/", fetchtest.HTML("x"))
				w.relay.Set("https://a.example/", tt.fault)
				resp, err := w.route.RoundTrip(request(t, home))
				p := assertProvider(t, err, tt.kind)
				assert.Nil(t, resp)
				assert.Equal(t, err, w.last(t).Err)
				assert.Len(t, w.asks, 1)
				assert.Equal(t, tt.requests-1, w.last(t).Busy)
				if tt.fault.Answer.Status != 0 {
					assert.Equal(t, tt.fault.Answer.Status, p.Status)
				}
				require.Len(t, w.relay.Log(), tt.requests)

				other := w.route.WithCheck(w.route.Check)
				_, _, err = get(t, other, "https://b.example/")
				if tt.stops == all {
					require.ErrorIs(t, err, proxy.ErrStopped)
					assertProvider(t, err, tt.kind)
					assert.Equal(t, p, other.Stopped())
					w.relay.Set("https://a.example/")
					_, _, err = get(t, w.route, home)
					require.ErrorIs(t, err, proxy.ErrStopped)
					assert.Len(t, w.relay.Log(), tt.requests, "nothing further is sent")
					other.Resume()
					_, _, err = get(t, w.route, home)
					require.NoError(t, err)
					return
				}
				require.NoError(t, err, "other sites")
				assert.Nil(t, w.route.Stopped())
				w.relay.Set("https://a.example/")
				_, _, err = get(t, w.route, home)
				if tt.stops == site {
					assertProvider(t, err, proxy.KindDrift)
					assert.Len(t, w.relay.Log(), tt.requests+1)
				} else {
					require.NoError(t, err)
				}
			})
		})
	}
}

// A site that sends a field of the provider's name can stop the route for itself alone.
func TestASiteCantPassForTheProvider(t *testing.T) {
	for _, name := range []string{"Cost", "Auto-Cost", "Initial-Status-Code", "Resolved-Url", "Request-Id"} {
		w := newWorld()
		a := fetchtest.HTML("x").With(name, "0")
		if name == "Auto-Cost" {
			a.Header.Add(name, "1") // the provider sends none beside it
		}
		w.site.Set(home, a)
		_, _, err := get(t, w.route, home)
		assertProvider(t, err, proxy.KindDrift)
		_, _, err = get(t, w.route, "https://b.example/")
		require.NoError(t, err)
	}
}

func TestABusyProviderIsWaitedFor(t *testing.T) {
	for _, tt := range []struct {
		fault    fetchtest.RelayFault
		min, max time.Duration // of all three waits
	}{
		{fetchtest.RelayBusy(0), 7 * time.Second, 9 * time.Second},
		{own(403, "concurrency limit"), 7 * time.Second, 9 * time.Second},
		{fetchtest.RelayBusy(10 * time.Second), 30 * time.Second, 38 * time.Second},
		{fetchtest.RelayBusy(30 * time.Second), 90 * time.Second, 113 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld()
			w.site.Set("/", fetchtest.HTML("x"))
			w.relay.Set("/", tt.fault, tt.fault, tt.fault, fetchtest.RelayFault{})
			start := time.Now()
			_, body, err := get(t, w.route, home)
			require.NoError(t, err)
			assert.Equal(t, "x", body)
			assert.Greater(t, time.Since(start), tt.min, "and a bit, so that not all come at once")
			assert.Less(t, time.Since(start), tt.max)
			assert.Equal(t, 3, w.last(t).Busy)
			assert.Len(t, w.relay.Asked(), 1, "the site saw one request")
			assert.Equal(t, proxy.Usage{Limit: 1000, Spent: 1}, w.route.Budget.Usage())
		})
	}
}

func TestTheWaitForABusyProviderIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.relay.Set("", fetchtest.RelayBusy(31*time.Second))
		start := time.Now()
		_, _, err := get(t, w.route, home)
		assert.Equal(t, 31*time.Second, assertProvider(t, err, proxy.KindBusy).RetryAfter)
		assert.Zero(t, time.Since(start), "longer than is sat out")

		date := fetchtest.RelayBusy(0)
		date.Header = http.Header{"Retry-After": {time.Now().Add(time.Minute).UTC().Format(http.TimeFormat)}}
		w.relay.Set("", date)
		_, _, err = get(t, w.route, home)
		assert.Equal(t, time.Minute, assertProvider(t, err, proxy.KindBusy).RetryAfter)

		w.relay.Set("", fetchtest.RelayBusy(20*time.Second))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		_, err = w.route.RoundTrip(request(t, home).WithContext(ctx))
		assertProvider(t, err, proxy.KindBusy)
		assert.Zero(t, time.Since(start), "past the context's end")

		ctx, stop := context.WithCancelCause(t.Context())
		time.AfterFunc(5*time.Second, func() { stop(errNo) })
		_, err = w.route.RoundTrip(request(t, home).WithContext(ctx))
		require.ErrorIs(t, err, errNo)
		assert.Equal(t, 5*time.Second, time.Since(start))
		assert.Equal(t, proxy.Usage{Limit: 1000}, w.route.Budget.Usage(), "nothing was billed")
	})
}

func TestASiteThatTheProviderCantReach(t *testing.T) {
	w := newWorld()
	w.site.Set("/", fetchtest.Fail(errors.New("no such host")))
	_, _, err := get(t, w.route, home)
	require.ErrorIs(t, err, proxy.ErrUnreachable)
	assert.Equal(t, proxy.Usage{Limit: 1000}, w.route.Budget.Usage())
	assert.Zero(t, w.last(t).Status)

	like := func(status int, fields ...string) fetchtest.RelayFault {
		f := fetchtest.RelayUnreachable()
		f.Answer.Status = status
		f.Answer.Header.Set("Spb-Resolved-Url", home)
		for i := 0; i < len(fields); i += 2 {
			f.Answer.Header.Set(fields[i], fields[i+1])
		}
		return f
	}
	for name, f := range map[string]fetchtest.RelayFault{
		"other status":     like(502),
		"not free":         like(503, "Spb-Cost", "1"),
		"cost unknown":     like(503, "Spb-Cost", ""),
		"a site's header":  like(503, "Spb-Server", "nginx"),
		"a site's own 503": {Answer: func() fetchtest.Answer { a := like(503).Answer; a.Body = "Down for repairs"; return a }()},
	} {
		w.relay.Set("/", f)
		resp, _, err := get(t, w.route, home)
		require.NoError(t, err, name)
		assert.Equal(t, f.Answer.Status, resp.StatusCode, name)
	}
}

func TestARedirectsStatusIsNotThePages(t *testing.T) {
	w := newWorld()
	w.site.Set("/old", fetchtest.Redirect("/new"))
	w.site.Set("/new", fetchtest.HTML("new").With("Location", "/newer"))
	for _, status := range []int{301, 308, 304} {
		w.relay.Set("/old", fetchtest.RelayFault{Status: status})
		resp, body, err := get(t, w.route, "https://a.example/old")
		require.NoError(t, err)
		assert.Equal(t, 200, resp.StatusCode)
		assert.Equal(t, "200 OK", resp.Status)
		assert.Equal(t, "new", body)
		assert.Equal(t, "https://a.example/new", resp.Request.URL.String())
		assert.True(t, w.last(t).StatusUnknown)
	}
	w.relay.Set("/old")
	resp, _, err := get(t, w.route, "https://a.example/old") // 200, and the first status 302
	require.NoError(t, err)
	assert.Equal(t, 200, resp.StatusCode)
	assert.False(t, w.last(t).StatusUnknown)
	w.site.Set("/here", fetchtest.Status(304))
	resp, _, err = get(t, w.route, "https://a.example/here")
	require.NoError(t, err)
	assert.Equal(t, 304, resp.StatusCode)
}

func TestCosts(t *testing.T) {
	fault := fetchtest.RelayHeader
	for name, tt := range map[string]struct {
		fault            fetchtest.RelayFault
		spent, uncertain float64
	}{
		"as said":               {fetchtest.RelayFault{}, 1, 0},
		"more than foreseen":    {fault("Spb-Cost", "25"), 25, 0},
		"not a whole number":    {fault("Spb-Cost", "1.5"), 1.5, 0},
		"nothing":               {fault("Spb-Cost", "0"), 0, 0},
		"said twice":            {fault("Spb-Cost", "0", "1"), 0, 1},
		"not said":              {fault("Spb-Cost"), 0, 1},
		"empty":                 {fault("Spb-Cost", ""), 0, 1},
		"a word":                {fault("Spb-Cost", "abc"), 0, 1},
		"negative":              {fault("Spb-Cost", "-5"), 0, 1},
		"not a number":          {fault("Spb-Cost", "NaN"), 0, 1},
		"without end":           {fault("Spb-Cost", "Inf"), 0, 1},
		"turned down":           {own(400, ""), 0, 0},
		"turned down, billed":   {fetchtest.RelayFault{Answer: fetchtest.Status(400).With("Spb-Cost", "1")}, 1, 0},
		"failed":                {own(500, ""), 0, 0},
		"nobody knows":          {own(200, ""), 0, 1},
		"broken off":            {fetchtest.RelayFault{Answer: fetchtest.Fail(errors.New("broken"))}, 0, 1},
		"the page broken off":   {fetchtest.RelayFault{Cut: -1}, 1, 0},
		"the provider was slow": {fetchtest.RelayFault{Answer: fetchtest.Hang()}, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				w.site.Set("/", fetchtest.HTML("x"))
				w.relay.Set("/", tt.fault)
				resp, err := w.route.RoundTrip(request(t, home))
				if err == nil {
					resp.Body.Close()
				}
				assert.Equal(t, proxy.Usage{Limit: 1000, Spent: tt.spent, Uncertain: tt.uncertain}, w.route.Budget.Usage())
				assert.Equal(t, tt.uncertain > 0, w.last(t).Uncertain)
				assert.Equal(t, tt.spent+tt.uncertain, w.last(t).Credits) //nolint:testifylint // exact in binary
			})
		})
	}
}

func TestWhatAnAskReports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.site.Latency = time.Second
		w.site.Set("/old", fetchtest.Redirect("/new"))
		w.site.Set("/new", fetchtest.Status(404))
		began := time.Now()
		_, _, err := get(t, w.route, "https://a.example/old")
		require.NoError(t, err)
		assert.Equal(t, proxy.Ask{
			Start: "https://a.example/old", Final: "https://a.example/new", Status: 404, Credits: 1,
			RequestID: "relay-1", Began: began, Ended: began.Add(2 * time.Second),
		}, w.last(t))
		w.relay.Set("", fetchtest.RelayHeader("Spb-Request-Id", "two words\x1b"))
		_, _, err = get(t, w.route, "https://a.example/new")
		require.NoError(t, err)
		assert.Empty(t, w.last(t).RequestID, "nothing that could harm a log")
		w.relay.Set("", fetchtest.RelayHeader("Spb-Request-Id", strings.Repeat("x", 81)))
		_, _, err = get(t, w.route, "https://a.example/new")
		require.NoError(t, err)
		assert.Empty(t, w.last(t).RequestID)
	})
}

func TestTimeouts(t *testing.T) {
	for name, tt := range map[string]struct {
		timeout time.Duration
		ctx     time.Duration // 0: none
		told    string
		ends    time.Duration
	}{
		"default":          {0, 0, "80000", 90 * time.Second},
		"own":              {20 * time.Second, 0, "15000", 20 * time.Second},
		"short":            {time.Second, 0, "1000", time.Second},
		"long":             {time.Hour, 0, "140000", time.Hour},
		"the context ends": {0, 40 * time.Second, "30000", 40 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				w.route.Timeout = tt.timeout
				w.relay.Set("", fetchtest.RelayFault{Answer: fetchtest.Hang()})
				ctx, cancel := context.WithCancel(t.Context())
				if tt.ctx > 0 {
					ctx, cancel = context.WithTimeout(ctx, tt.ctx)
				}
				defer cancel()
				start := time.Now()
				_, err := w.route.RoundTrip(request(t, home).WithContext(ctx))
				require.ErrorIs(t, err, context.DeadlineExceeded)
				if tt.ctx == 0 {
					assert.True(t, assertProvider(t, err, proxy.KindDown).Timeout())
				}
				assert.Equal(t, tt.ends, time.Since(start))
				assert.Equal(t, tt.told, w.relay.Log()[0].Params.Get("timeout"))
				assert.True(t, w.last(t).Uncertain)
				assert.Len(t, w.relay.Log(), 1)
			})
		})
	}
}

func TestASlowSiteIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.site.Set("/", fetchtest.HTML("x").After(79*time.Second), fetchtest.HTML("x").After(81*time.Second))
		_, _, err := get(t, w.route, home)
		require.NoError(t, err)
		_, _, err = get(t, w.route, home)
		assert.False(t, assertProvider(t, err, proxy.KindDown).Timeout(), "the provider says so itself, in time")
	})
}

func TestBodies(t *testing.T) {
	page := strings.Repeat("x", 1000)
	for name, tt := range map[string]struct {
		answer fetchtest.Answer
		fault  fetchtest.RelayFault
		max    int64
		bytes  int
		check  func(*testing.T, error)
	}{
		"whole":          {answer: fetchtest.HTML(page), bytes: 1000},
		"just":           {answer: fetchtest.HTML(page), max: 1000, bytes: 1000},
		"one too many":   {answer: fetchtest.HTML(page), max: 999, bytes: 999, check: tooLong(999)},
		"over the limit": {answer: fetchtest.HTML(strings.Repeat("x", 2<<20+1)), bytes: 2 << 20, check: tooLong(2 << 20)},
		"at the limit":   {answer: fetchtest.HTML(strings.Repeat("x", 2<<20)), bytes: 2 << 20},
		"endless":        {answer: fetchtest.Answer{Status: 200, Body: page, Endless: true}, max: 5000, bytes: 5000, check: tooLong(5000)},
		"all there is":   {answer: fetchtest.HTML(page), max: 1<<63 - 1, bytes: 1000},
		"broken off":     {answer: fetchtest.HTML(page), fault: fetchtest.RelayFault{Cut: 10}, bytes: 10, check: down(false)},
		"at once":        {answer: fetchtest.HTML(page), fault: fetchtest.RelayFault{Cut: -1}, bytes: 0, check: down(false)},
		"dripping":       {answer: fetchtest.Answer{Status: 200, Body: page, Drip: 1100 * time.Millisecond}, bytes: 81, check: down(true)},
		"empty":          {answer: fetchtest.Status(200), bytes: 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				w.route.MaxBody = tt.max
				w.site.Set("/", tt.answer)
				w.relay.Set("/", tt.fault)
				resp, err := w.route.RoundTrip(request(t, home))
				require.NoError(t, err)
				assert.False(t, w.relay.Log()[0].Ended.IsZero(), "nothing is left open")
				body, err := io.ReadAll(resp.Body)
				assert.Len(t, body, tt.bytes)
				if tt.check == nil {
					require.NoError(t, err)
				} else {
					tt.check(t, err)
				}
			})
		})
	}
}

func tooLong(limit int64) func(*testing.T, error) {
	return func(t *testing.T, err error) {
		t.Helper()
		m, ok := errors.AsType[*http.MaxBytesError](err)
		require.True(t, ok, "%v", err)
		assert.Equal(t, limit, m.Limit)
	}
}

func down(timeout bool) func(*testing.T, error) {
	return func(t *testing.T, err error) {
		t.Helper()
		assert.Equal(t, timeout, assertProvider(t, err, proxy.KindDown).Timeout())
	}
}

func TestAContextThatEndsWhileTheBodyComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.site.Set("/", fetchtest.Answer{Status: 200, Body: "xxxx", Drip: time.Second})
		ctx, cancel := context.WithTimeoutCause(t.Context(), 2500*time.Millisecond, errNo)
		defer cancel()
		resp, err := w.route.RoundTrip(request(t, home).WithContext(ctx))
		require.NoError(t, err, "the site's head is there")
		body, err := io.ReadAll(resp.Body)
		require.ErrorIs(t, err, errNo)
		assert.Equal(t, "xx", string(body))
		assert.Equal(t, proxy.Usage{Limit: 1000, Spent: 1}, w.route.Budget.Usage())
	})
}

func TestKindsInWords(t *testing.T) {
	for kind, want := range map[proxy.Kind]string{
		0: "unknown", proxy.KindRequest: "request", proxy.KindQuota: "quota", proxy.KindAuth: "auth",
		proxy.KindBusy: "busy", proxy.KindDown: "down", proxy.KindDrift: "drift", 99: "unknown",
	} {
		text, err := kind.MarshalText()
		require.NoError(t, err)
		assert.Equal(t, want, string(text))
	}
	err := &proxy.ProviderError{Status: 429, Kind: proxy.KindBusy, RequestID: "id", RetryAfter: 3 * time.Second, Reason: "why"}
	require.EqualError(t, err, "proxy: provider: busy: why (status 429, retry after 3s, request id)")
}

// What a context cuts off is not taken for the provider's word.
func TestAContextThatEndsWhileTheProviderSpeaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		slow := fetchtest.RelayQuota()
		slow.Answer.Drip = time.Second
		w.relay.Set("", slow)
		ctx, cancel := context.WithTimeoutCause(t.Context(), 2500*time.Millisecond, errNo)
		defer cancel()
		_, err := w.route.RoundTrip(request(t, home).WithContext(ctx))
		require.ErrorIs(t, err, errNo)
		assert.Nil(t, w.route.Stopped())
	})
}

func TestErrorTextsAreFitForALog(t *testing.T) {
	w := newWorld()
	long := strings.Repeat("x", 1000)
	w.relay.Set("", fetchtest.RelayFault{Answer: fetchtest.Fail(errors.New("line\r\n\x1b[31m\"ä\" " + long))})
	_, _, err := get(t, w.route, home)
	p := assertProvider(t, err, proxy.KindDown)
	assert.True(t, strings.HasPrefix(p.Reason, `line\r\n\x1b[31m"\u00e4" xxx`), p.Reason)
	assert.Less(t, len(p.Reason), 350)
	w.route.Check = func(context.Context, *url.URL) error { return errNo }
	_, _, err = get(t, w.route, home+long)
	require.Error(t, err)
	assert.Less(t, len(err.Error()), 400)
}
