package politefetch_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
)

func TestEventsSayInWhichModeARequestWent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		site.Set("/busy", fetchtest.Status(http.StatusTooManyRequests).RetryAfter(10*time.Second))
		var gentle []bool
		var urls []string
		cfg := politeConfig(site)
		cfg.Observe = func(e politefetch.Event) {
			switch e.Kind {
			case politefetch.EventSend, politefetch.EventAnswer, politefetch.EventLimit:
				gentle, urls = append(gentle, e.Gentle), append(urls, string(e.Kind)+" "+e.URL)
			default:
			}
		}
		bot := newBot(t, cfg)
		for _, path := range []string{"/busy", "/a"} {
			_, err := bot.Fetch(t.Context(), site1+path, nil)
			require.NoError(t, err)
		}
		assert.Equal(t, []string{
			"send " + site1 + "/robots.txt", "answer " + site1 + "/robots.txt", "send " + site1 + "/busy", "answer " + site1 + "/busy", "limit " + site1 + "/busy",
			"send " + site1 + "/a", "answer " + site1 + "/a",
		}, urls)
		assert.Equal(t, []bool{false, false, false, false, false, true, true}, gentle)
	})
}

// A scheduler that does not wait is told by an error; an observer is told all the same.
func TestATurnThatIsNotNowIsAnEventWhoeverWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		var waits []politefetch.Event
		cfg := politeConfig(site)
		cfg.Observe = func(e politefetch.Event) {
			if e.Kind == politefetch.EventWait {
				waits = append(waits, e)
			}
		}
		bot := newBot(t, cfg)
		_, err := bot.Robots(t.Context(), site1+"/")
		require.NoError(t, err)
		_, err = bot.Fetch(t.Context(), site1+"/a", &politefetch.FetchOptions{MaxWait: -1})
		require.Error(t, err)
		require.Len(t, waits, 1)
		assert.Equal(t, time.Now().Add(time.Second), waits[0].Until)
		assert.Equal(t, site1+"/a", waits[0].URL)
		assert.Contains(t, waits[0].Why, "own pace 1s")
	})
}

// TestEventsCountWhatWasReadOfEachAnswer: of every request, by whatever way, as the server
// counts it.
func TestEventsCountWhatWasReadOfEachAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		long := strings.Repeat("<p>words and words</p>\n", 1000)
		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /no\n").Gzip())
		site.Set("/packed", fetchtest.HTML(long).Gzip())
		site.Set("/plain", fetchtest.HTML(long))
		site.Set("/endless", fetchtest.Answer{Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: long, Endless: true})
		site.Set("/moved", fetchtest.Redirect("/plain"))
		site.Set("/down", fetchtest.Fail(errors.New("reset")))
		busy := fetchtest.HTML("<p>too many</p>")
		busy.Status = http.StatusTooManyRequests
		site.Set("/busy", busy)
		var log strings.Builder
		var got []int64
		var byKind int64
		cfg := politeConfig(site)
		cfg.MaxBody = 100_000
		cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
		cfg.Observe = func(e politefetch.Event) {
			if byKind += e.Received; e.Kind == politefetch.EventAnswer {
				got = append(got, e.Received)
			}
		}
		bot := newBot(t, cfg)
		for _, path := range []string{"/packed", "/plain", "/endless", "/moved", "/down", "/busy"} {
			_, err := bot.Fetch(t.Context(), site1+path, nil)
			assert.Equal(t, path == "/down", err != nil, "%s: %v", path, err)
		}
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			resp, err := (&http.Client{Transport: bot}).Do(newRequest(t, t.Context(), method, site1+"/packed"))
			require.NoError(t, err)
			resp.Body.Close()
		}
		var want []int64
		var sum int64
		for _, x := range site.Log() {
			want, sum = append(want, x.Sent), sum+x.Sent
		}
		assert.Equal(t, want, got)
		assert.Equal(t, sum, byKind, "no other event counts it again")
		packed := int64(len(fetchtest.HTML(long).Gzip().Body))
		require.Less(t, packed, int64(len(long)))
		assert.Equal(t, []int64{packed, int64(len(long))}, got[1:3])
		assert.InDelta(t, cfg.MaxBody, got[3], 64<<10)
		assert.Contains(t, log.String(), fmt.Sprintf("received=%d", packed))
	})
}

// On the wire the content is without its chunks and the head.
func TestTheContentIsCountedWithoutWhatCarriesIt(t *testing.T) {
	text := strings.Repeat("words ", 10_000)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(http.StatusOK)
		for i := 0; i < len(text) && r.URL.Path == "/chunks"; i += 1000 {
			_, _ = io.WriteString(w, text[i:i+1000])
			w.(http.Flusher).Flush()
		}
	}))
	defer server.Close()
	got := make(map[string]int64)
	cfg := politeConfig(nil)
	cfg.Transport, cfg.Policy.Normal.Delay = nil, time.Millisecond
	cfg.Guard.Allow = []netip.AddrPort{netip.MustParseAddrPort(server.Listener.Addr().String())}
	cfg.Observe = func(e politefetch.Event) { got[e.URL] += e.Received }
	bot := newBot(t, cfg)
	defer bot.CloseIdleConnections()
	_, err := bot.Fetch(t.Context(), server.URL+"/chunks", nil)
	require.NoError(t, err)
	assert.Equal(t, map[string]int64{server.URL + "/robots.txt": 0, server.URL + "/chunks": int64(len(text))}, got)
}

// TestAReportSumsUpWhatWasReceived: robots.txt, sitemaps, the pages; through the relay, what
// that hands over.
func TestAReportSumsUpWhatWasReceived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		all := mapped(&site, 4)
		site.Set(all[0], fetchtest.HTML(strings.Repeat("<p>words</p>", 1000)).Gzip())
		site.Set(all[2], fetchtest.Status(http.StatusServiceUnavailable), fetchtest.HTML("<p>words</p>"))
		got := rank(t, &site, nil)
		require.Equal(t, politefetch.Done, got.report.Outcome, got.report.Why)
		var sum int64
		for _, x := range site.Log() {
			sum += x.Sent
		}
		require.NotZero(t, sum)
		assert.Equal(t, sum, got.report.Received)
	})
}

func TestWhatTheRelayHandsOverIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var direct, far fetchtest.Site
		cfg := relayConfig(t, &direct, &plainRelay{site: &far})
		var relayed atomic.Int64
		cfg.Observe = func(e politefetch.Event) {
			if e.Relayed {
				relayed.Add(e.Received)
			}
		}
		bot := newBot(t, cfg)
		limitTwice(t, bot, &direct)
		far.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /closed\n"))
		far.Set("/", links("/a", "/to-closed"))
		far.Set("/a", fetchtest.HTML(strings.Repeat("<p>words</p>", 1000)).Gzip())
		far.Set("/to-closed", fetchtest.Redirect("/closed/secret"))
		far.Set("/closed/secret", fetchtest.HTML("secret"))
		out := visit(t, bot, site1+"/", politefetch.VisitOptions{HomeFirst: true})
		require.True(t, out.report.Relayed)
		var sent int64
		for _, x := range far.Log() {
			sent += x.Sent
		}
		assert.Greater(t, sent, int64(100))
		assert.Equal(t, sent, out.report.Received, "and what may not be read is not")
		assert.Equal(t, sent, relayed.Load())
		assert.Zero(t, find(t, &far, "/closed/secret", 1).Sent)
	})
}
