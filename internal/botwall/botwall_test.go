package botwall_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/politefetch/sdk/internal/botwall"
	"github.com/politefetch/sdk/internal/conformance"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// answer is one row: an answer and what it is.
type answer struct {
	Name     string
	Status   int
	Headers  map[string]string
	Body     string
	Expected string
	Vendor   string
}

func (a *answer) header() http.Header {
	h := http.Header{}
	for k, v := range a.Headers {
		h.Set(k, v)
	}
	return h
}

func TestConformance(t *testing.T) {
	var rows []answer
	conformance.ReadJSON(t, "botwall/vectors.json", &rows)
	require.NotEmpty(t, rows)
	for _, tt := range rows {
		t.Run(tt.Name, func(t *testing.T) {
			got := botwall.Detect(tt.Status, tt.header(), []byte(tt.Body))
			want, vendor := tt.Expected, tt.Vendor
			if want == "ratelimit" {
				want, vendor = "none", ""
			}
			assert.Equal(t, want, got.Kind.String(), "%+v", got)
			assert.Equal(t, vendor, got.Vendor)
			assert.Equal(t, got.Kind != botwall.NotAWall, got.Marker != "", "a wall names its marker: %+v", got)
			if early := botwall.FromHeader(tt.Status, tt.header()); early.Kind != botwall.NotAWall {
				assert.Equal(t, got, early, "the header's word is the last")
			}
		})
	}
}

func TestKindText(t *testing.T) {
	for kind, want := range map[botwall.Kind]string{0: "none", botwall.Challenge: "challenge", botwall.Block: "block", 9: "none"} {
		got, err := kind.MarshalText()
		require.NoError(t, err)
		assert.Equal(t, want, string(got))
	}
}

// TestOnlyTheFirst256KiBCount puts a marker behind them, and just before.
func TestOnlyTheFirst256KiBCount(t *testing.T) {
	const marker, size = `<div id="px-captcha"></div>`, 256 << 10
	h := http.Header{"Content-Type": {"text/html"}}
	for body, want := range map[string]botwall.Kind{
		strings.Repeat("<br>", size/4) + marker:                                      botwall.NotAWall,
		strings.Repeat("<br>", size/4-len(marker)) + marker:                          botwall.Challenge,
		"<!--" + strings.Repeat("x", size) + "-->" + marker:                          botwall.NotAWall,
		`<script>var x="` + strings.Repeat("x", 64<<10) + `_cf_chl_opt=1"</script>`:  botwall.NotAWall,
		`<script>var x="` + strings.Repeat("x", 32<<10) + `_cf_chl_opt=1"</script>`:  botwall.Challenge,
		strings.Repeat("<p>word</p>", 4000) + `<div id="px-captcha"></div>`:          botwall.Challenge,
		`<div title="` + strings.Repeat("x", 200<<10) + `"></div>` + marker + "<p>x": botwall.Challenge,
	} {
		assert.Equal(t, want, botwall.Detect(403, h, []byte(body)).Kind, "%.20q of %d bytes", body, len(body))
	}
}

// TestCollectorForgets feeds far more than it may keep.
func TestCollectorForgets(t *testing.T) {
	h := http.Header{"Content-Type": {"text/html"}}
	text, long := []byte("word "), []byte(strings.Repeat("x", 4000))
	allocated := testing.AllocsPerRun(1, func() {
		c := botwall.NewCollector(403, h)
		for range 2_000 {
			c.StartTag([]byte("div"))
			c.Attr([]byte("id"), long)
			c.Attr([]byte("class"), long)
			c.Text(text)
			c.Text(long)
			c.EndTag([]byte("div"))
		}
		assert.Zero(t, c.Wall())
	})
	assert.Less(t, allocated, 100.0)
}

func TestCollectorStopsEarly(t *testing.T) {
	html := http.Header{"Content-Type": {"text/html"}}
	assert.False(t, botwall.NewCollector(200, http.Header{"Content-Type": {"text/plain"}}).Wants(), "not HTML")
	assert.False(t, botwall.NewCollector(999, html).Wants(), "decided")
	for status, want := range map[int]bool{200: false, 202: false, 403: true} {
		c := botwall.NewCollector(status, html)
		c.Text([]byte(strings.Repeat("four ", 80))) // 400 characters
		assert.True(t, c.Wants())
		c.Text([]byte("x"))
		assert.Equal(t, want, c.Wants(), "%d", status)
	}
}

// FuzzDetect holds the collector to its promises on any bytes.
func FuzzDetect(f *testing.F) {
	for _, body := range []string{
		`<title>x</title><script>var dd={'host':'captcha-delivery.com'}</script>`,
		`<div id="cf-error-details" class="a b">Error code <b>1020</b></div>`,
		"error code: 1020", `{"appId":"PX1","blockScript":"x"}`, "<template><details><summary></template>", "Reference #1.a.1.",
	} {
		f.Add(403, "text/html", "cloudflare", []byte(body))
		f.Add(200, "", "", []byte(body))
		f.Add(403, "application/json", "x", []byte(body))
	}
	f.Fuzz(func(t *testing.T, status int, mediaType, server string, body []byte) {
		h := http.Header{"Content-Type": {mediaType}, "Server": {server}, "Location": {server}, "Refresh": {server}}
		got := botwall.Detect(status, h, body)
		require.Equal(t, got, botwall.Detect(status, h, body), "the same answer, the same verdict")
		require.Equal(t, got.Kind == botwall.NotAWall, got == botwall.Wall{}, "%+v", got)
		if early := botwall.FromHeader(status, h); early.Kind != botwall.NotAWall {
			require.Equal(t, early, got)
		}
	})
}
