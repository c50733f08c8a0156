package ratepolicy_test

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/ratepolicy"
)

// The tests in this file are faults in how other tools read what an answer asks for. Each
// goes through a Transport: what counts is when the host is asked again.

// scripted answers each request with the next of its answers, the last for ever, and
// notes when and where to it came.
type scripted struct {
	start   time.Time
	latency time.Duration
	answers []http.Response
	at      []time.Duration
	urls    []string
}

func (s *scripted) RoundTrip(req *http.Request) (*http.Response, error) {
	if s.start.IsZero() {
		s.start = time.Now()
	}
	s.at = append(s.at, time.Since(s.start))
	s.urls = append(s.urls, req.URL.String())
	time.Sleep(s.latency)
	resp := s.answers[min(len(s.at), len(s.answers))-1]
	resp.Body, resp.Request = io.NopCloser(strings.NewReader("")), req
	if resp.Header == nil {
		resp.Header = http.Header{}
	}
	return &resp, nil
}

func answer(status int, fields ...string) http.Response {
	h := http.Header{}
	for i := 0; i < len(fields); i += 2 {
		h.Set(fields[i], fields[i+1])
	}
	return http.Response{StatusCode: status, Header: h}
}

// send makes one request through rt.
func send(ctx context.Context, t *testing.T, rt http.RoundTripper, url string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	resp, err := rt.RoundTrip(req)
	if err == nil {
		require.NoError(t, resp.Body.Close())
	}
	return resp, err
}

// waits returns how long after an answer the host is next asked, whatever it takes.
func waits(t *testing.T, answers ...http.Response) (wait time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{answers: append(answers, answer(200))}
		rt := ratepolicy.New(ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: -1}, GentleFor: -1}, nil).Transport(s)
		for len(s.at) < 2 {
			if _, err := send(t.Context(), t, rt, "http://"+plainHost+"/"); err != nil {
				time.Sleep(time.Until(waitError(t, err).Until))
			}
		}
		wait = s.at[1]
	})
	return wait
}

// bubbleNow is when a synctest bubble begins.
var bubbleNow = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func TestIssue008_ARetryWaits(t *testing.T) {
	assert.Equal(t, 5*time.Second, waits(t, answer(503)), "the policy's own wait")
}

func TestIssue020_AnEpochIsNoDuration(t *testing.T) {
	// Bubbles begin in 2000, before any number of seconds that can be a Unix time: the
	// server's Date says that it is later.
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	epoch := strconv.FormatInt(now.Add(10*time.Minute).Unix(), 10)
	assert.Equal(t, 10*time.Minute, waits(t, answer(429, "Retry-After", epoch, "Date", now.Format(http.TimeFormat))))
}

func TestIssue021_AContextThatMustEndFirstIsToldAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, start := ratepolicy.New(ratepolicy.Policy{Gentle: ratepolicy.Pace{MaxWait: time.Hour}}, nil), time.Now()
		ask(t, l, host, 0, after(429, 10*time.Minute))
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_, err := l.Acquire(ctx, host, 0)
		assert.Equal(t, start.Add(10*time.Minute), waitError(t, err).Until)
		assert.Zero(t, time.Since(start))
	})
}

func TestIssue023_AWaitTooLongForADurationSaturates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{answers: []http.Response{answer(429, "Retry-After", "9223372037")}}
		rt := ratepolicy.New(ratepolicy.Policy{}, nil).Transport(s)
		for range 10 {
			_, err := send(t.Context(), t, rt, "http://a.test/")
			if len(s.at) > 1 || err == nil {
				continue
			}
			assert.Equal(t, bubbleNow.Add(1<<31*time.Second), waitError(t, err).Until.UTC())
			time.Sleep(365 * day)
		}
		assert.Len(t, s.at, 1)
	})
}

func TestIssue024_ALongWaitIsRaisedWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{answers: []http.Response{answer(503, "Retry-After", "3600")}}
		rt := ratepolicy.New(ratepolicy.Policy{}, nil).Transport(s)
		resp, err := send(t.Context(), t, rt, "http://a.test/")
		require.NoError(t, err)
		assert.Equal(t, 503, resp.StatusCode)
		_, err = send(t.Context(), t, rt, "http://a.test/")
		assert.Equal(t, time.Hour, time.Until(waitError(t, err).Until))
		assert.Contains(t, err.Error(), "answered 503, Retry-After 3600")
	})
}

func TestIssue025_UnitsAreRead(t *testing.T) {
	assert.Equal(t, time.Minute, waits(t, answer(429, "Retry-After", "1m0s")))
	assert.Equal(t, 30*time.Second, waits(t, answer(429, "Retry-After", "30s")))
	assert.Equal(t, 5*time.Second, waits(t, answer(429, "Retry-After", "soon")), "the policy's own wait")
}

func TestIssue026_AFractionIsRoundedUp(t *testing.T) {
	assert.Equal(t, time.Second, waits(t, answer(429, "Retry-After", "0.493")))
}

func TestIssue027_ANumberIsSeconds(t *testing.T) {
	assert.Equal(t, time.Minute, waits(t, answer(429, "Retry-After", "60")))
}

func TestIssue028_DatesInAllThreeForms(t *testing.T) {
	at := bubbleNow.Add(10 * time.Minute)
	for _, form := range []string{http.TimeFormat, "Monday, 02-Jan-06 15:04:05 GMT", time.ANSIC} {
		assert.Equal(t, 10*time.Minute, waits(t, answer(429, "Retry-After", at.Format(form))), form)
		date := bubbleNow.Format(http.TimeFormat)
		assert.Equal(t, 10*time.Minute, waits(t, answer(429, "Retry-After", at.Format(form), "Date", date)), form)
	}
}

func TestIssue029_AWrongClockHereDoesNoHarm(t *testing.T) {
	server := bubbleNow.Add(-10 * time.Minute) // ours is 10 minutes ahead
	at := server.Add(2 * time.Minute).Format(http.TimeFormat)
	assert.Equal(t, 2*time.Minute, waits(t, answer(429, "Retry-After", at, "Date", server.Format(http.TimeFormat))))
	assert.Equal(t, 90*time.Second, waits(t, answer(429, "Retry-After", at, "Date", server.Format(http.TimeFormat), "Age", "30")),
		"a cache has had it for 30 s")
}

func TestIssue077_ResetsInSecondsMillisecondsAndDates(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	at := now.Add(time.Minute)
	for _, reset := range []string{"60", strconv.FormatInt(at.Unix(), 10), strconv.FormatInt(at.UnixMilli(), 10), at.Format(time.RFC3339)} {
		assert.Equal(t, time.Minute, waits(t, answer(429,
			"X-RateLimit-Reset", reset, "X-RateLimit-Remaining", "0", "Date", now.Format(http.TimeFormat))), reset)
	}
}

func TestIssue078_ItGoesOnOnceAtTheReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := ratepolicy.Policy{Gentle: ratepolicy.Pace{MaxWait: time.Hour}}
		l := ratepolicy.New(p, nil)
		a := ratepolicy.ReadAnswer(&http.Response{StatusCode: 429, Header: http.Header{
			"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"600"},
		}}, nil, time.Now())
		ask(t, l, host, 0, a)
		at := together(t, l, []string{host}, 4, 1, 0)[host]
		assert.Equal(t, []time.Duration{600 * time.Second, 602 * time.Second, 604 * time.Second, 606 * time.Second}, at)
	})
}
