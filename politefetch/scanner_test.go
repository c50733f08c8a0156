package politefetch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
	"github.com/politefetch/sdk/robots"
)

const site1 = "https://kauppa.example"

func TestM01_UserAgentAndRobotsToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /\n\nUser-agent: metrimato-scanner\nDisallow: /own\nSitemap: /map.xml\n"))
		site.Set("/map.xml", fetchtest.SitemapIndex(site1+"/pages.xml.gz"))
		site.Set("/pages.xml.gz", fetchtest.Sitemap(site1+"/a", site1+"/own").Gzip())
		site.Set("/a", links())
		site.Set("/", fetchtest.Redirect("/a"))
		got := scan(t, &site, site1+"/", nil)

		assert.Equal(t, []string{site1 + "/robots.txt", site1 + "/map.xml", site1 + "/pages.xml.gz", site1 + "/", site1 + "/a"}, asked(&site))
		for _, x := range site.Log() {
			assert.Equal(t, []string{scannerAgent}, x.Header.Values("User-Agent"), x.URL)
		}
		assert.Equal(t, 1, got.report.Disallowed, "the named group is the one that binds")
	})
}

func TestM02_PagesPaceAndConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Site{Latency: 40 * time.Millisecond, Fallback: func(*http.Request) fetchtest.Answer { return links() }}
		var locs []string
		for i := range 700 {
			locs = append(locs, fmt.Sprintf("%s/p%d", []string{site1, "https://toinen.example"}[i%2], i))
		}
		site.Set("/robots.txt", fetchtest.Text("Sitemap: "+site1+"/map.xml"))
		site.Set("/map.xml", fetchtest.Sitemap(locs...))
		got := scan(t, &site, site1+"/", func(_ *politefetch.Config, o *politefetch.VisitOptions) {
			o.Hosts = []string{"kauppa.example", "toinen.example"}
			o.MaxPages = 10_000 // a call can't raise the crawler's ceiling
		})
		pages := 0
		for _, x := range site.Log() {
			if !strings.HasSuffix(x.URL.Path, "/robots.txt") && x.URL.Path != "/map.xml" {
				pages++
			}
		}
		assert.Equal(t, 500, pages)
		assert.Equal(t, 500, got.report.Pages)
		assert.Equal(t, 201, got.report.Left)
		assert.Contains(t, got.report.Why, "limit of 500 pages")
		log := site.Log()
		for i := range log[1:] {
			assert.Equal(t, 300*time.Millisecond, log[i+1].Began.Sub(log[i].Ended), "neither sooner nor later, over both hosts")
		}
	})
}

func TestM02_CrawlDelayIsLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := fetchtest.Site{Latency: 40 * time.Millisecond}
		site.Set("/robots.txt", fetchtest.Text("User-agent: "+scannerProduct+"\nCrawl-delay: 2.5\n"))
		site.Set("/", links("/a", "/b"))
		site.Set("/a", links())
		site.Set("/b", links())
		scan(t, &site, site1, nil)
		log := site.Log()
		require.Len(t, log, 6) // robots.txt, two guesses, three pages
		for i := range log[1:] {
			assert.Equal(t, 2500*time.Millisecond, log[i+1].Began.Sub(log[i].Ended), log[i+1].URL)
		}
	})
}

func TestM02_CrawlDelayNeverSpeedsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nCrawl-delay: 0.1\n"))
		site.Set("/", links("/a"))
		scan(t, &site, site1, nil) // the audit holds it to 300 ms
	})
}

func TestM03_WhereAddressesComeFrom(t *testing.T) {
	const home, linked = site1 + "/", site1 + "/linked"
	big := fetchtest.Sitemap(site1 + "/mapped")
	broken := big
	broken.Body = broken.Body[:len(broken.Body)/2]
	tests := []struct {
		name   string
		robots string
		script map[string]fetchtest.Answer
		pages  []string // asked for, beside robots.txt and sitemaps
		report string
	}{
		{"sitemap in robots.txt", "Sitemap: /map", map[string]fetchtest.Answer{"/map": big}, []string{home, site1 + "/mapped"}, "/map: 1 addresses"},
		{"sitemap at the usual place", "", map[string]fetchtest.Answer{"/sitemap.xml": big}, []string{home, site1 + "/mapped"}, "/sitemap.xml: 1 addresses"},
		{"index at the usual place", "", map[string]fetchtest.Answer{"/sitemap_index.xml": fetchtest.SitemapIndex(site1 + "/map"), "/map": big}, []string{home, site1 + "/mapped"}, "/sitemap_index.xml: 1 addresses"},
		{"no sitemap", "", nil, []string{home, linked}, "404"},
		{"named sitemap is gone", "Sitemap: /map", map[string]fetchtest.Answer{"/map": fetchtest.Status(410)}, []string{home, linked}, "410"},
		{"a page in its place", "", map[string]fetchtest.Answer{"/sitemap.xml": links("/x"), "/sitemap_index.xml": links()}, []string{home, linked}, "links are followed"},
		{"something else in its place", "Sitemap: /map", map[string]fetchtest.Answer{"/map": fetchtest.Text("not a sitemap")}, []string{home, linked}, "not a sitemap"},
		{"empty sitemap", "Sitemap: /map", map[string]fetchtest.Answer{"/map": fetchtest.Sitemap()}, []string{home}, "/map: 0 addresses"},
		{"empty file", "Sitemap: /map", map[string]fetchtest.Answer{"/map": fetchtest.XML("")}, []string{home}, "empty"},
		{"disallowed sitemap", "User-agent: *\nDisallow: /map\nSitemap: /map", nil, []string{home}, "line 2"},
		{"broken sitemap", "Sitemap: /map", map[string]fetchtest.Answer{"/map": broken}, []string{home}, "truncated"},
		{"broken gzip", "Sitemap: /map", map[string]fetchtest.Answer{"/map": func() fetchtest.Answer { a := big.Gzip(); a.Body = a.Body[:len(a.Body)-12] + "xxxxxxxxxxxx"; return a }()}, nil, "gzip"},
		{"sitemap that fails", "Sitemap: /map", map[string]fetchtest.Answer{"/map": fetchtest.Status(500)}, []string{home}, "500"},
		{"sitemap that is refused", "Sitemap: /map", map[string]fetchtest.Answer{"/map": fetchtest.Status(403)}, []string{home}, "403"},
		{"sitemap off the site", "Sitemap: https://cdn.example/map", nil, []string{home}, "not one of the visit's hosts"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var site fetchtest.Site
				site.Set("/robots.txt", fetchtest.Text(tt.robots))
				site.Set("/", links("/linked"))
				site.Set("/linked", links())
				site.Set("/mapped", links("/linked"))
				for addr, a := range tt.script {
					site.Set(addr, a)
				}
				got := scan(t, &site, home, nil)
				if tt.pages != nil {
					assert.Equal(t, tt.pages, got.order)
				}
				assert.Contains(t, got.report.Sitemap, tt.report)
				assert.Equal(t, politefetch.Done, got.report.Outcome, got.report.Why)
				assert.Zero(t, site.Count("https://cdn.example/robots.txt"))
			})
		})
	}
}

func TestM03_AGroupThatNamesTheBotTurnsItAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nAllow: /\n\nUser-agent: Metrimato-Scanner\nDisallow: /\n"))
		got := scan(t, &site, site1+"/", nil)
		assert.Equal(t, []string{site1 + "/robots.txt"}, asked(&site))
		assert.Equal(t, politefetch.Disallowed, got.report.Outcome)
		assert.Equal(t, 5, got.report.Robots.Line)
		assert.Contains(t, got.report.Why, "line 5")
		var e *politefetch.Error
		require.ErrorAs(t, got.errs[site1+"/"], &e)
		assert.Equal(t, politefetch.Disallowed, e.Outcome)
		assert.Equal(t, robots.ReasonRule, e.Robots.Reason)
	})
}

func TestM03_DisallowedPathsAreNotAskedForOnAnyWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /private\nDisallow: /*?session=\n"))
		site.Set("/", links("/private/1", "/redirects", "/x?session=1", "/ok"))
		site.Set("/redirects", fetchtest.Redirect("/private/2"))
		site.Set("/ok", links())
		got := scan(t, &site, site1+"/", nil)
		for _, addr := range asked(&site) {
			assert.NotContains(t, addr, "/private")
			assert.NotContains(t, addr, "session")
		}
		assert.Equal(t, 3, got.report.Disallowed)
		var e *politefetch.Error
		require.ErrorAs(t, got.errs[site1+"/redirects"], &e, "a hop is held against robots.txt too")
		assert.Equal(t, 2, e.Robots.Line)
		assert.Equal(t, site1+"/private/2", e.URL)
	})
}

func TestM04_HTMLOnlyAndTwoMegabytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		text := strings.Repeat("<p>words of a page that is too long to be read whole</p>\n", 100_000)
		pdf := fetchtest.Answer{Status: 200, Header: http.Header{"Content-Type": {"application/pdf"}}, Body: text}
		site.Set("/", fetchtest.HTML(`<link rel=stylesheet href="/s.css"><script src="/s.js"></script><img src="/i.png">
			<a href="/photo.JPG">p</a><a href="/film.mp4">f</a><a href="/doc.pdf">d</a><a href="/style.css?v=1">c</a>
			<a href="/report">a PDF without saying so</a><a href="/long">l</a><iframe src="/frame"></iframe>`))
		site.Set("/report", pdf)
		site.Set("/long", fetchtest.HTML(text))
		got := scan(t, &site, site1+"/", nil)

		assert.Equal(t, []string{site1 + "/", site1 + "/report", site1 + "/long"}, got.order)
		for _, x := range site.Log() {
			switch x.URL.Path {
			case "/report":
				assert.Zero(t, x.Sent, "dropped at the head")
			case "/long":
				assert.LessOrEqual(t, x.Sent, int64(2_000_000+64<<10))
				assert.Greater(t, x.Sent, int64(1_900_000))
			}
			if p := x.URL.Path; p == "/" || p == "/long" {
				assert.NotContains(t, x.Header.Get("Accept"), "*/*", "it asks for HTML")
			}
		}
		assert.True(t, got.pages[site1+"/long"].Truncated)
		assert.EqualValues(t, 2_000_000, got.pages[site1+"/long"].Summary().Bytes)
		assert.Equal(t, politefetch.Summary{}, got.pages[site1+"/report"].Summary())
		assert.Equal(t, politefetch.Done, got.pages[site1+"/report"].Outcome)
	})
}

func TestM05_NoTextIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		const body = `<html lang=fi><title>salaisuus</title><meta name=description content="salaisuus"><h1>salaisuus</h1><p>salaisuus &amp; muuta <a href="/a">salaisuus</a> <img alt=salaisuus>`
		site.Set("/", fetchtest.HTML(body))
		site.Set("/a", fetchtest.HTML("<html lang=fi><head><title>salaisuus</title></head><body class=x><h1 id=1>salaisuus</h1>\n<p>salaisuus &#38; muuta <b>salaisuus</b></body>"))
		site.Set("/robots.txt", fetchtest.Text("Sitemap: /map"))
		site.Set("/map", fetchtest.Sitemap(site1+"/a"))
		got := scan(t, &site, site1+"/", nil)
		for _, p := range got.pages {
			assert.Nil(t, p.Body)
			kept, err := json.Marshal([]any{p, p.Summary(), got.report})
			require.NoError(t, err)
			assert.NotContains(t, string(kept)+fmt.Sprintf("%+v", p)+fmt.Sprintf("%+v", p.Summary()), "salaisuus")
			assert.Equal(t, 9, p.Summary().TitleLen)
			assert.Equal(t, 1, p.Summary().Headings)
		}
		home, twin := got.pages[site1+"/"].Summary(), got.pages[site1+"/a"].Summary()
		assert.NotEmpty(t, home.Fingerprint)
		assert.Equal(t, home.Fingerprint, twin.Fingerprint, "the same text in other markup is told by the digest")
	})
}

func TestM06_OwnDomainsOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/", links("https://other.example/", "https://www.kauppa.example/", "/away", "/form").With("Set-Cookie", "a=b"))
		site.Set("/away", fetchtest.Redirect("https://other.example/x"))
		site.Set("/form", fetchtest.HTML(`<form method=post action="/send"><input name=q></form>`).With("Set-Cookie", "c=d"))
		got := scan(t, &site, site1+"/", nil) // the audit looks for cookies, methods, credentials
		for _, x := range site.Log() {
			assert.Equal(t, "kauppa.example", x.URL.Hostname())
			assert.NotEqual(t, "/send", x.URL.Path)
		}
		require.ErrorIs(t, got.errs[site1+"/away"], politefetch.ErrOffSite)
		assert.Equal(t, 1, got.report.Barred)
		assert.Len(t, got.pages[site1+"/away"].Hops, 1)
	})
}

func TestM08_RobotsChangeTakesEffectOnTheNextRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/", links("/a"))
		site.Set("/a", links())
		site.Set("/robots.txt",
			fetchtest.Text("User-agent: *\nAllow: /\n").With("ETag", `"1"`).With("Cache-Control", "max-age=86400"),
			fetchtest.Text("User-agent: *\nDisallow: /a\n").With("ETag", `"2"`),
			fetchtest.Status(304))
		bot := newBot(t, scannerConfig(&site))
		first := visit(t, bot, site1+"/", scannerVisit)
		second := visit(t, bot, site1+"/", scannerVisit)
		third := visit(t, bot, site1+"/", scannerVisit)
		assert.Equal(t, 2, first.report.Pages)
		assert.Equal(t, []int{1, 1}, []int{second.report.Pages, second.report.Disallowed})
		assert.Equal(t, []int{1, 1}, []int{third.report.Pages, third.report.Disallowed}, "304: the copy is still good")
		assert.Equal(t, 3, site.Count("/robots.txt"), "asked for at the start of every visit")
		var validators []string
		for _, x := range site.Log() {
			if x.URL.Path == "/robots.txt" {
				validators = append(validators, x.Header.Get("If-None-Match"))
			}
		}
		assert.Equal(t, []string{"", `"1"`, `"2"`}, validators)
		require.NoError(t, fetchtest.Audit(site.Log(), scannerPromise))
	})
}

func TestM09_OwnershipIsProvedPerDomain(t *testing.T) {
	const www = "https://www.kauppa.example"
	hosts := func(c *politefetch.Config, o *politefetch.VisitOptions) {
		c.Admit = carries("code-4711")
		o.Hosts = []string{"kauppa.example", "www.kauppa.example"}
	}
	coded := fetchtest.HTML(strings.Repeat("<p>x</p>", 10_000) + `<script data-code="code-4711"></script><a href="/a">a</a><a href="https://www.kauppa.example/deep">d</a>`)

	t.Run("refused: nothing but robots.txt and the proof page", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var site fetchtest.Site
			site.Set("/robots.txt", fetchtest.Text("Sitemap: /map"))
			site.Set("/map", fetchtest.Sitemap(site1+"/a"))
			site.Set("/", links("/a"))
			got := scan(t, &site, site1+"/", hosts)
			assert.Equal(t, []string{site1 + "/robots.txt", site1 + "/"}, asked(&site))
			assert.Equal(t, politefetch.Barred, got.report.Outcome)
			assert.Contains(t, got.report.Why, "does not carry the code")
			assert.Empty(t, got.report.Admitted)
		})
	})
	t.Run("each domain by its own home page", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var site fetchtest.Site
			site.Set(site1+"/", coded)
			site.Set(www+"/", coded)
			site.Set("/a", links())
			site.Set("/deep", links())
			got := scan(t, &site, site1+"/", hosts)
			assert.Equal(t, []string{
				site1 + "/robots.txt", site1 + "/", site1 + "/sitemap.xml", site1 + "/sitemap_index.xml", site1 + "/a",
				www + "/robots.txt", www + "/", www + "/deep", www + "/a",
			}, asked(&site))
			assert.Equal(t, map[string]string{"kauppa.example": "code on the home page", "www.kauppa.example": "code on the home page"}, got.report.Admitted)
			assert.Equal(t, 5, got.report.Pages)
		})
	})
	t.Run("a redirect's target too", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var site fetchtest.Site
			site.Set(site1+"/", coded)
			site.Set("/a", fetchtest.Redirect(www+"/b"))
			site.Set(www+"/", links()) // no code
			got := scan(t, &site, site1+"/", hosts)
			assert.Equal(t, 1, site.Count(www+"/"))
			assert.Zero(t, site.Count(www+"/b"))
			assert.Zero(t, site.Count(www+"/deep"))
			var e *politefetch.Error
			require.ErrorAs(t, got.errs[site1+"/a"], &e)
			assert.Equal(t, politefetch.Barred, e.Outcome)
			assert.Equal(t, map[string]string{"kauppa.example": "code on the home page"}, got.report.Admitted)
		})
	})
	t.Run("home page that moved to another of the site's domains", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var site fetchtest.Site
			site.Set(site1+"/", fetchtest.Redirect(www+"/"))
			site.Set(www+"/", coded)
			site.Set(www+"/sitemap.xml", fetchtest.Sitemap(www+"/m"))
			site.Set(www+"/m", links())
			got := scan(t, &site, site1+"/", hosts)
			assert.Equal(t, 1, site.Count(www+"/m"))
			assert.Zero(t, site.Count(site1+"/a"), "a domain that only leads elsewhere has proved nothing")
			assert.Equal(t, map[string]string{"www.kauppa.example": "code on the home page"}, got.report.Admitted)
		})
	})
	t.Run("disallowed home page", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var site fetchtest.Site
			site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /$\n"))
			site.Set("/", coded)
			got := scan(t, &site, site1+"/", hosts)
			assert.Equal(t, []string{site1 + "/robots.txt"}, asked(&site))
			assert.Equal(t, politefetch.Disallowed, got.report.Outcome)
			assert.Contains(t, got.report.Why, "line 2")
			assert.Empty(t, got.report.Admitted)
		})
	})
	t.Run("a hook that reads nothing, and one that reads a little", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var site fetchtest.Site
			site.Set("/", coded)
			n := 0
			got := scan(t, &site, site1+"/", func(c *politefetch.Config, _ *politefetch.VisitOptions) {
				c.Admit = func(_ context.Context, host string, home io.Reader) (string, error) {
					n++
					_, err := io.CopyN(io.Discard, home, 10)
					return "vouched for " + host, err
				}
			})
			assert.Equal(t, 1, n, "once a host and visit")
			assert.Equal(t, "vouched for kauppa.example", got.report.Admitted["kauppa.example"])
			assert.Equal(t, 1, got.pages[site1+"/"].Tries)
			assert.NotEmpty(t, got.pages[site1+"/"].Summary().Links, "the page is read to its end all the same")
		})
	})
	t.Run("a domain can be stopped on request", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var site fetchtest.Site
			stopped := errors.New("stopped on request")
			v := visit(t, newBot(t, func() politefetch.Config {
				c := scannerConfig(&site)
				c.Allow = allowAllBut("kauppa.example", stopped)
				return c
			}()), site1+"/", scannerVisit)
			assert.Empty(t, site.Log(), "zero requests, robots.txt included")
			require.ErrorIs(t, v.errs[site1+"/"], stopped)
			assert.Equal(t, politefetch.Barred, v.report.Outcome)
		})
	})
}
