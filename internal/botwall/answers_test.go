package botwall_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politefetch/sdk/internal/conformance"
	"github.com/politefetch/sdk/internal/page/pydoc"
	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
	"github.com/politefetch/sdk/ratepolicy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestConformanceThroughFetch serves every row to the crawler, and gives it to DetectWall:
// walls are walled whatever else they are, rate limits are limited and no walls, and what is
// neither is neither.
func TestConformanceThroughFetch(t *testing.T) {
	var rows []answer
	conformance.ReadJSON(t, "botwall/vectors.json", &rows)
	for _, tt := range rows {
		for _, drop := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				var site fetchtest.Site
				site.Set("https://shop.example/", fetchtest.Answer{Status: tt.Status, Header: tt.header(), Body: tt.Body})
				bot, err := politefetch.New(politefetch.Config{Product: "Bot", UserAgent: "Bot/1.0 (+https://bot.example/)", Transport: &site})
				require.NoError(t, err)
				p, _ := bot.Fetch(t.Context(), "https://shop.example/", &politefetch.FetchOptions{DropBody: drop})
				detected := politefetch.DetectWall(tt.Status, tt.header(), []byte(tt.Body))
				limited := ratepolicy.ReadAnswer(&http.Response{StatusCode: tt.Status, Header: tt.header()}, nil, time.Now())
				limited.Wall = detected.Vendor
				switch tt.Expected {
				case "challenge", "block":
					assert.Equal(t, politefetch.Walled, p.Outcome, tt.Name)
					assert.Equal(t, tt.Expected, p.Wall.Kind.String(), tt.Name)
					assert.Equal(t, tt.Vendor, p.Wall.Vendor, tt.Name)
					assert.Equal(t, p.Wall, detected, tt.Name)
					assert.False(t, limited.Limited(), tt.Name)
				case "ratelimit":
					assert.Equal(t, politefetch.Limited, p.Outcome, tt.Name)
					assert.Zero(t, p.Wall, tt.Name)
					assert.Zero(t, detected, tt.Name)
					assert.True(t, limited.Limited(), tt.Name)
				default:
					assert.NotEqual(t, politefetch.Walled, p.Outcome, tt.Name)
					assert.NotEqual(t, politefetch.Limited, p.Outcome, tt.Name)
					assert.Zero(t, p.Wall, tt.Name)
					assert.Zero(t, detected, tt.Name)
					assert.False(t, limited.Limited(), tt.Name)
				}
			})
		}
	}
}

// TestOrdinaryPagesAreNoWalls answers all pages as they are, and as walls come: there are
// long pages among them and pages with next to no text.
func TestOrdinaryPagesAreNoWalls(t *testing.T) {
	pages := pydoc.Pages(t)
	h := http.Header{
		"Content-Type": {"text/html"}, "Server": {"cloudflare, AkamaiGHost, ddos-guard"}, "Cf-Ray": {"8f-HEL"}, "X-Azure-Ref": {"0"},
		"X-Datadome": {"protected"}, "X-Iinfo": {"1-1"}, "Set-Cookie": {"_abck=1; __cf_bm=1; datadome=1"},
	}
	others := []int{202, 401, 403, 404, 405, 418, 428, 429, 503}
	n := 0
	for name, body := range pages {
		n++ // each page is refused in one way, each way with some sixty pages
		for _, status := range []int{200, others[n%len(others)]} {
			require.Zero(t, politefetch.DetectWall(status, h, body), "%d %s", status, name)
		}
	}
}

// TestPagesAboutWallsAreNoWalls puts each wall where pages about walls, and pages that guard
// against them, have it: quoted, in data, in a comment, in another document.
func TestPagesAboutWallsAreNoWalls(t *testing.T) {
	var rows []answer
	conformance.ReadJSON(t, "botwall/vectors.json", &rows)
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
	for _, tt := range rows {
		body := tt.Body
		if tt.Expected == "none" || tt.Expected == "ratelimit" || strings.Contains(strings.ToLower(body), "<title>vercel") {
			continue // Vercel's title is enough of a proof on a bare page
		}
		script := strings.NewReplacer("</", `<\/`, "\n", " ").Replace(body)
		for where, quoted := range map[string]string{
			"code":         "<pre><code>" + escape.Replace(body) + "</code></pre>",
			"a comment":    "<!--" + strings.ReplaceAll(body, "-->", "") + "-->",
			"data":         `<script type="application/ld+json">{"articleBody": "` + script + `"}</script>`,
			"a template":   "<template>" + body + "</template>",
			"a frame":      `<iframe srcdoc="` + escape.Replace(body) + `"></iframe>`,
			"an attribute": `<div data-example="` + escape.Replace(body) + `" title="` + escape.Replace(body) + `"></div>`,
			"style":        "<style>" + strings.ReplaceAll(body, "</style", "") + "</style>",
		} {
			for _, status := range []int{200, 404, 500} {
				page := "<!doctype html><html><head><title>What a wall looks like</title></head><body><h1>Walls</h1>" + quoted + "<p>An article.</p></body></html>"
				a := answer{Status: status, Headers: map[string]string{"Content-Type": "text/html"}}
				got := politefetch.DetectWall(a.Status, a.header(), []byte(page))
				if where == "code" && status < 400 && got.Vendor == "f5" {
					continue // its sentences are all that F5 shows, and so is a page that shows only them
				}
				assert.Zero(t, got, "%s in %s at %d", tt.Name, where, status)
			}
		}
	}
}

// TestVerdictsComeBeforeStatuses is the order: a service's header, then a page's own shape,
// then the rate limit.
func TestVerdictsComeBeforeStatuses(t *testing.T) {
	const google = `<form id="captcha-form"></form>Our systems have detected unusual traffic from your computer network.`
	run(t, slices.Concat([]verdict{
		{"header before body", 429, "X-Vercel-Mitigated: deny\nRetry-After: 9", google, "block vercel"},
		{"body before status", 429, "Retry-After: 9", google, "challenge google"},
		{"a limit is left", 429, "Retry-After: 9", "<title>Too many requests</title>", "none"},
		{"and so is a refusal", 403, "", "<title>Forbidden</title>", "none"},
	}))
}
