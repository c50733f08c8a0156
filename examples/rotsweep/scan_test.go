package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch/fetchtest"
)

const ours = "https://www.ours.example"

// ourSite is a customer's: its pages link elsewhere, and here and there to themselves.
func ourSite() *fetchtest.Site {
	s := &fetchtest.Site{Latency: 20 * time.Millisecond, Fallback: func(r *http.Request) fetchtest.Answer {
		if strings.HasSuffix(r.URL.Host, "ours.example") || r.URL.Path == "/robots.txt" {
			return fetchtest.Answer{}
		}
		return words("")
	}}
	s.Set("/robots.txt", fetchtest.Text("User-agent: RotSweep\nDisallow: /private\nDisallow: /closed.xml\n"))
	s.Set(ours+"/links", fetchtest.HTML(`<a href="/about">us</a><a href="https://shop.ours.example/">our shop</a><a href="mailto:a@b.example">m</a>
		<a href="https://one.example/a#x">1</a><a href="https://one.example/a#y">1</a><a rel=nofollow href="//two.example/b">2</a><a href="https://odd.example:8081/">x</a>`))
	s.Set(ours+"/more", fetchtest.HTML(`<a href="https://one.example/a">1</a><a href="https://three.example/">3</a>`))
	s.Set(ours+"/private/links", fetchtest.HTML(`<a href="https://four.example/">4</a>`))
	s.Set(ours+"/file", fetchtest.Answer{Status: 200, Header: http.Header{"Content-Type": {"application/pdf"}}, Body: "%PDF"})
	s.Set(ours+"/map.xml", fetchtest.Sitemap(ours+"/links", ours+"/more", ours+"/private/links", ours+"/gone", ours+"/file", "https://other.example/page"))
	s.Set(ours+"/closed.xml", fetchtest.Sitemap(ours+"/links"))
	return s
}

func TestScanFindsTheLinksThatLeadOffThePage(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		site := ourSite()
		res := start(t.Context(), site, "", "-scan", "page", "-state", dir, ours+"/links")
		assert.Equal(t, exitFound, res.code, res.errOut)
		assert.Contains(t, res.errOut, "3 links on 1 page\nsweeping 3 links on 3 domains\n")
		b, err := os.ReadFile(state(dir).list())
		require.NoError(t, err)
		assert.Equal(t, "https://one.example/a\nhttps://two.example/b\nhttps://odd.example:8081/\n", string(b))
		assert.Equal(t, 1, site.Count(ours+"/links"))
		assert.Zero(t, site.Count(ours+"/about"), "nothing of the site itself")
		audit(t, site.Log())

		before := site.Count("https://one.example/a")
		start(t.Context(), site, "", "-state", dir)
		assert.Equal(t, before+1, site.Count("https://one.example/a"), "the list is kept")
	})
}

func TestScanLooksThroughThePagesOfASitemap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := ourSite()
		res := start(t.Context(), site, "", "-scan", "sitemap", "-json", ours+"/map.xml")
		assert.Equal(t, exitFound, res.code)
		found := verdicts(t, res.out)
		assert.Equal(t, map[string]string{
			"https://one.example/a": "ok", "https://two.example/b": "ok", "https://three.example/": "ok", "https://odd.example:8081/": "barred",
		}, found)
		for _, want := range []string{
			ours + "/private/links: disallowed by robots.txt line 2: Disallow: /private", ours + "/gone: 404 not found",
			ours + "/file: it is not HTML", "4 links on 2 pages\n",
		} {
			assert.Contains(t, res.errOut, want)
		}
		assert.Zero(t, site.Count(ours+"/private/links"))
		assert.Zero(t, site.Count("https://other.example/page"))
		audit(t, site.Log())
	})
}

// A scan takes a second a page: whoever waits for it is told how far it is.
func TestALongScanSaysHowFarItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := ourSite()
		var pages []string
		for i := range 25 {
			pages = append(pages, fmt.Sprintf("%s/page/%d", ours, i))
			site.Set(pages[i], fetchtest.HTML(fmt.Sprintf(`<a href="https://one.example/%d">x</a>`, i)))
		}
		site.Set(ours+"/map.xml", fetchtest.Sitemap(pages...))
		res := start(t.Context(), site, "", "-scan", "sitemap", ours+"/map.xml")
		assert.Contains(t, res.errOut, "robots.txt first\n10 links so far on 10 pages\n20 links so far on 20 pages\n25 links on 25 pages\n")
		audit(t, site.Log())
	})
}

func TestR08_AScanObeysRobots(t *testing.T) {
	for _, args := range [][]string{
		{"-scan", "page", ours + "/private/links"},
		{"-scan", "sitemap", ours + "/closed.xml"},
	} {
		synctest.Test(t, func(t *testing.T) {
			site := ourSite()
			res := start(t.Context(), site, "", args...)
			assert.Equal(t, exitFailed, res.code)
			assert.Contains(t, res.errOut, "disallowed by robots.txt line")
			assert.Len(t, site.Log(), 1, "its robots.txt")
			assert.Empty(t, res.out)
		})
	}
}

func TestScansThatFindNothingSayWhy(t *testing.T) {
	for _, tt := range []struct {
		kind, address, want string
		code                int
	}{
		{"page", ours + "/gone", ours + "/gone: 404 not found", exitFailed},
		{"page", ours + "/file", "it is not HTML", exitFailed},
		{"page", "https://one.example/", "no link on 1 page leads off its domain", exitNothing},
		{"page", "http://127.0.0.1:8080/", "-allow-addr 127.0.0.1:8080", exitFailed},
		{"sitemap", ours + "/links", "not a sitemap", exitFailed},
		{"sitemap", ours + "/gone", "404", exitFailed},
	} {
		synctest.Test(t, func(t *testing.T) {
			res := start(t.Context(), ourSite(), "", "-scan", tt.kind, tt.address)
			assert.Equal(t, tt.code, res.code, tt.address)
			assert.Contains(t, res.errOut, tt.want)
		})
	}
}
