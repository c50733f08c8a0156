package politefetch_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
	"github.com/politefetch/sdk/ratepolicy"
)

// The site visitor of rows K: its public page as a Config.
const (
	rankerProduct = "KiwiRankBot"
	rankerAgent   = "Mozilla/5.0 (compatible; KiwiRankBot/1.0; +https://kiwirank.com/bot/)"
)

func rankerConfig(site *fetchtest.Site) politefetch.Config {
	return politefetch.Config{
		Product: rankerProduct, UserAgent: rankerAgent, Transport: site,
		Policy: ratepolicy.Policy{
			Normal: ratepolicy.Pace{Concurrency: 2, Delay: -1, MaxWait: 30 * time.Second},
			Gentle: ratepolicy.Pace{Concurrency: 1, Delay: 2 * time.Second, MaxWait: 60 * time.Second},
		},
	}
}

var rankerVisit = politefetch.VisitOptions{HomeFirst: true, LLMs: true}

func TestK03_RobotsAndTheHomePageFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/robots.txt", fetchtest.Text("User-agent: KiwiRankBot\nDisallow: /$\nDisallow: /closed\nSitemap: /sitemap.xml\nSitemap: /closed.xml\n"))
		site.Set("/", links("/from-home"))
		site.Set("/sitemap.xml", fetchtest.Sitemap(site1+"/a", site1+"/closed/b"))
		site.Set("/llms.txt", fetchtest.Text("# Site\n\n## Docs\n\n- [One](/one): the first\n- [No](/closed/two)\n"))
		for _, p := range []string{"/a", "/one", "/from-home"} {
			site.Set(p, fetchtest.HTML(p))
		}
		out := visit(t, newBot(t, rankerConfig(&site)), site1+"/", rankerVisit)
		require.NoError(t, out.errs[site1+"/"], "the home page is read although robots.txt disallows it")
		assert.False(t, out.pages[site1+"/"].Robots.Allowed, "which the page says")
		assert.Equal(t, 2, out.pages[site1+"/"].Robots.Line)
		assert.ElementsMatch(t, []string{"/robots.txt", "/", "/sitemap.xml", "/llms.txt", "/a", "/one"}, paths(&site))
		assert.Equal(t, []string{"/robots.txt", "/"}, paths(&site)[:2])
		assert.Equal(t, politefetch.Done, out.report.Outcome, out.report.Why)
		assert.Equal(t, 2, out.report.Disallowed)
		assert.Contains(t, out.report.Sitemap, "/llms.txt: 2 links")
		assert.NotEmpty(t, out.pages[site1+"/llms.txt"].Body)
	})
}

func paths(site *fetchtest.Site) []string {
	var out []string
	for _, x := range site.Log() {
		out = append(out, x.URL.RequestURI())
	}
	return out
}
