package politefetch_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/politefetch/sdk/internal/conformance"
	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fetch1 fetches one page from a site of its own.
func fetch1(t *testing.T, product string, a fetchtest.Answer, opts *politefetch.FetchOptions) *politefetch.Page {
	t.Helper()
	var p *politefetch.Page
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/dir/page", a)
		cfg := politeConfig(&site)
		cfg.Product, cfg.UserAgent = product, product+"/1.0 (+https://bot.example/)"
		var err error
		p, err = newBot(t, cfg).Fetch(t.Context(), site1+"/dir/page", opts)
		require.NoError(t, err)
	})
	return p
}

func TestSummary(t *testing.T) {
	const body = `<!doctype html><html lang="fi-FI"><head><title> Oak &amp;
		furniture</title><meta name=Description content="Made by hand."><link rel=canonical href="/oak?a=1&amp;b=2#top">
		<meta name=robots content="noarchive, max-snippet:20"><meta name=BOT content=noimageai><meta name=other content=none>
		<script>x</script></head><body><h1>Oak</h1><h3>Tables</h3><img src=a><form></form>
		<a href=b>B</a><a href="https://other.example/" rel="external nofollow">O</a><a href=mailto:x@y>M</a><a href=b rel=nofollow>again</a></body></html>`
	for _, drop := range []bool{false, true} {
		p := fetch1(t, "Bot", fetchtest.HTML(body).With("X-Robots-Tag", "noai, OtherBot: noindex"), &politefetch.FetchOptions{DropBody: drop})
		want := politefetch.Summary{
			HTML: true, Title: "Oak & furniture", TitleLen: 15, DescriptionLen: 13, Lang: "fi-FI", Canonical: site1 + "/oak?a=1&b=2",
			NoAI: true, NoImageAI: true, MaxSnippet: 20,
			Bytes: int64(len(body)), TextLen: len("Oak Tables BOMagain"), Words: 3, H1: 1, Headings: 2, Images: 1, Scripts: 1, Forms: 1,
			Links:       []politefetch.Link{{URL: site1 + "/dir/b"}, {URL: "https://other.example/", NoFollow: true}},
			Fingerprint: p.Summary().Fingerprint,
		}
		if drop {
			want.Title = ""
		}
		assert.Equal(t, want, p.Summary())
		assert.NotEmpty(t, p.Summary().Fingerprint)
	}
	for _, drop := range []bool{false, true} {
		for _, a := range []fetchtest.Answer{fetchtest.Text(body), fetchtest.XML(body), typed("application/pdf", body)} {
			s := fetch1(t, "Bot", a.With("X-Robots-Tag", "noai, OtherBot: noindex"), &politefetch.FetchOptions{DropBody: drop}).Summary()
			assert.NotEmpty(t, s.Fingerprint)
			assert.Equal(t, politefetch.Summary{NoAI: true, Bytes: int64(len(body)), Fingerprint: s.Fingerprint}, s, "not HTML")
		}
		assert.Zero(t, fetch1(t, "Bot", fetchtest.Status(404), &politefetch.FetchOptions{DropBody: drop}).Summary())
	}
}

// TestSummaryRobots gives the conformance rows of what a page asks of bots to Fetch.
func TestSummaryRobots(t *testing.T) {
	var rows []struct {
		Name, Kind string
		Input      json.RawMessage
		Expected   json.RawMessage
	}
	conformance.ReadJSON(t, "signals/vectors.json", &rows)
	seen := 0
	for _, tt := range rows {
		if tt.Kind != "x_robots_tag" && tt.Kind != "meta_robots" && tt.Kind != "rel_nofollow" {
			continue
		}
		seen++
		t.Run(tt.Name, func(t *testing.T) {
			in := struct {
				Lines        []string
				HTML         string
				ProductToken string `json:"product_token"`
				PageNofollow bool   `json:"page_nofollow"`
			}{ProductToken: "Bot"}
			var want struct {
				NoIndex, NoFollow, NoAI, NoImageAI bool
				MaxSnippet                         int `json:"max_snippet"`
				Follow                             []string
			}
			require.NoError(t, json.Unmarshal(tt.Input, &in))
			require.NoError(t, json.Unmarshal(tt.Expected, &want))
			if in.PageNofollow {
				in.Lines = append(in.Lines, "nofollow")
				want.NoFollow = true
			}
			a := fetchtest.HTML(in.HTML)
			a.Header["X-Robots-Tag"] = in.Lines
			s := fetch1(t, in.ProductToken, a, nil).Summary()
			assert.Equal(t, politefetch.Summary{
				NoIndex: want.NoIndex, NoFollow: want.NoFollow, NoAI: want.NoAI, NoImageAI: want.NoImageAI, MaxSnippet: want.MaxSnippet,
			}, politefetch.Summary{
				NoIndex: s.NoIndex, NoFollow: s.NoFollow, NoAI: s.NoAI, NoImageAI: s.NoImageAI, MaxSnippet: s.MaxSnippet,
			})
			if tt.Kind != "rel_nofollow" {
				return
			}
			follow := []string{}
			for _, l := range s.Links {
				if !l.NoFollow && !s.NoFollow {
					follow = append(follow, strings.TrimPrefix(l.URL, site1))
				}
			}
			assert.Equal(t, want.Follow, follow)
		})
	}
	assert.GreaterOrEqual(t, seen, 20)
}

func TestSummaryCanonicalByHeader(t *testing.T) {
	a := fetchtest.HTML("x").With("Link", `</a>; rel=next, <../c>; rel="canonical"`)
	assert.Equal(t, site1+"/c", fetch1(t, "Bot", a, nil).Summary().Canonical)
	a.Body = "<link rel=canonical href=//other.example/d>"
	assert.Equal(t, "https://other.example/d", fetch1(t, "Bot", a, nil).Summary().Canonical, "the page's own is first")
}

func TestSummaryReadsTheCharacterSet(t *testing.T) {
	for contentType, body := range map[string]string{
		"text/html; charset=koi8-r":    "<title>\xf2\xf5\xf3</title>",
		"text/html":                    "<meta charset=windows-1251><title>\xd0\xd3\xd1</title>",
		"text/html;charset=utf-8":      "\xfe\xff\x00<\x00t\x00i\x00t\x00l\x00e\x00>\x04\x20\x04\x23\x04\x21",
		"text/html ;charset=unknown":   "<title>РУС</title>",
		"application/xhtml+xml; x=;":   "<title>РУС</title>",
		"text/html; charset=utf-8; =x": "<title>РУС</title>",
	} {
		p := fetch1(t, "Bot", fetchtest.Answer{Status: http.StatusOK, Header: http.Header{"Content-Type": {contentType}}, Body: body}, nil)
		assert.Equal(t, "РУС", p.Summary().Title, contentType)
	}
}
