package ratepolicy_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/internal/conformance"
	"github.com/politefetch/sdk/ratepolicy"
)

type waitVector struct {
	Name     string              `json:"name"`
	Header   map[string][]string `json:"header"`
	Now      time.Time           `json:"now"`
	Status   int                 `json:"status"`
	Expected *int64              `json:"expected_wait_s"`
	Basis    string              `json:"basis"`
	Note     string              `json:"note"`
}

func (v *waitVector) check(t *testing.T) {
	t.Helper()
	h := http.Header{}
	for name, lines := range v.Header {
		for _, line := range lines {
			h.Add(name, line)
		}
	}
	got, ok := ratepolicy.ParseWait(h, v.Status, v.Now)
	if v.Expected == nil {
		assert.False(t, ok, "names %s; %s", got, v.Note)
		assert.Zero(t, got)
		return
	}
	assert.True(t, ok, v.Note)
	assert.Equal(t, time.Duration(*v.Expected)*time.Second, got, v.Note)
	a := ratepolicy.ReadAnswer(&http.Response{StatusCode: v.Status, Header: h}, nil, v.Now)
	assert.Equal(t, got, a.Wait)
	assert.NotEmpty(t, a.From)
}

func TestParseWaitReadsTheVectors(t *testing.T) {
	var rows []waitVector
	conformance.ReadJSON(t, "retryafter/vectors.json", &rows)
	require.GreaterOrEqual(t, len(rows), 130)
	for _, v := range rows {
		t.Run(v.Name, func(t *testing.T) { v.check(t) })
	}
}

func TestParseWait(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	secs := func(n int64) *int64 { return &n }
	one := func(name, v string) map[string][]string { return map[string][]string{name: {v}} }
	for _, v := range []waitVector{
		{Name: "nil header", Header: nil},
		{Name: "three units", Header: one("Retry-After", "1h2m3s"), Expected: secs(3723)},
		{Name: "units out of order", Header: one("Retry-After", "30s1m")},
		{Name: "a unit twice", Header: one("Retry-After", "1m1m")},
		{Name: "a unit without a number", Header: one("Retry-After", "h")},
		{Name: "units saturate", Header: one("Retry-After", "99999999999999999999h"), Expected: secs(1 << 31)},
		{Name: "a decimal saturates", Header: one("Retry-After", "99999999999999999999.5"), Expected: secs(1 << 31)},
		{Name: "a decimal of zeros", Header: one("Retry-After", "30.000"), Expected: secs(30)},
		{Name: "two dots", Header: one("Retry-After", "1.2.3")},
		{Name: "far epoch is seconds", Header: one("Retry-After", "1999999999"), Expected: secs(1999999999)},
		{Name: "microseconds are no epoch", Header: one("X-RateLimit-Reset", "1743441608000000"), Status: 429, Expected: secs(1 << 31)},
		{Name: "commas only", Header: one("Retry-After", ",,,")},
		{Name: "list with a word", Header: one("Retry-After", "30, soon")},
		{Name: "lower case date", Header: one("Retry-After", "mon, 30 nov 2026 12:02:00 gmt"), Expected: secs(120)},
		{Name: "no zone at all", Header: one("Retry-After", "30 Nov 2026 12:02:00"), Expected: secs(120)},
		{Name: "negative offset", Header: one("Retry-After", "Mon, 30 Nov 2026 07:02:00 -0500"), Expected: secs(120)},
		{Name: "a month of two months", Header: one("Retry-After", "30 anF 2026 12:02:00 GMT")},
		{Name: "year of three digits", Header: one("Retry-After", "30 Nov 126 12:02:00 GMT")},
		{Name: "two zones", Header: one("Retry-After", "Mon, 30 Nov 2026 12:02:00 GMT GMT")},
		{Name: "clock without colons", Header: one("Retry-After", "Mon, 30 Nov 2026 12-02-00 GMT")},
		{Name: "a very long value", Header: one("Retry-After", strings.Repeat("1 ", 1<<15))},
		{Name: "a very long number", Header: one("Retry-After", strings.Repeat("9", 1<<15)), Expected: secs(1 << 31)},
		{Name: "boolean parameter", Header: one("RateLimit", `"a";r=0;t=9;x;y=?1;z=1.5;w=-1`), Expected: secs(9)},
		{Name: "bad boolean", Header: one("RateLimit", `"a";r=0;t=9;y=?2`)},
		{Name: "open byte sequence", Header: one("RateLimit", `"a";r=0;t=9;pk=:abc`)},
		{Name: "escape in a name", Header: one("RateLimit", `"a\"b";r=0;t=9`), Expected: secs(9)},
		{Name: "bad escape in a name", Header: one("RateLimit", `"a\b";r=0;t=9`)},
		{Name: "escape at the end", Header: one("RateLimit", `"a\`)},
		{Name: "integer of 16 digits", Header: one("RateLimit", `"a";r=0;t=1234567890123456`)},
		{Name: "decimal of four places", Header: one("RateLimit", `"a";r=0;t=9;x=1.2345`)},
		{Name: "minus alone", Header: one("RateLimit", `"a";r=0;t=-`)},
		{Name: "two members without a comma", Header: one("RateLimit", `"a";r=0;t=9 "b";r=1`)},
		{Name: "draft 07 without reset", Header: one("RateLimit", `limit=10, remaining=0`)},
		{Name: "draft 07, other parts", Header: one("RateLimit", `limit=10, remaining=0, reset=7, policy`)},
		{Name: "remaining is no number", Header: map[string][]string{"X-Ratelimit-Remaining": {"NaN"}, "X-Ratelimit-Reset": {"9"}}, Status: 429},
		{Name: "legacy on a 503", Header: one("X-RateLimit-Reset", "30"), Status: 503, Expected: secs(30)},
	} {
		v.Now = now
		t.Run(v.Name, func(t *testing.T) { v.check(t) })
	}
}

func FuzzParseWait(f *testing.F) {
	for _, s := range []string{
		"120", "Mon, 30 Nov 2026 12:02:00 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Mon Nov 30 12:02:00 2026",
		`"a";r=0;t=9, "b";r=1`, "limit=10, remaining=0, reset=7", "1h2m3s", "1743441608000", "0.5", "2026-11-30T12:02:00+02:00",
	} {
		f.Add(s, s, s, s, 429, int64(1796040000))
	}
	f.Fuzz(func(t *testing.T, after, limit, reset, date string, status int, now int64) {
		h := http.Header{}
		h.Set("Retry-After", after)
		h.Set("RateLimit", limit)
		h.Set("X-RateLimit-Reset", reset)
		h.Set("X-RateLimit-Remaining", limit)
		h.Set("Date", date)
		h.Set("Age", reset)
		d, ok := ratepolicy.ParseWait(h, status, time.Unix(now%(1<<40), 0))
		if d < 0 || d > 1<<31*time.Second || d%time.Second != 0 || !ok && d != 0 {
			t.Fatalf("ParseWait = %v, %v", d, ok)
		}
	})
}
