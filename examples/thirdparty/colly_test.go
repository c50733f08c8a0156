package thirdparty_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gocolly/colly/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
)

// crawl follows every link from start with a collector as colly makes it, but for its
// transport, and returns what was read and what each other address ended with.
func crawl(t *testing.T, bot *politefetch.Crawler, start string, opts ...colly.CollectorOption) (read []string, failed map[string]error) {
	t.Helper()
	failed = make(map[string]error)
	var mu sync.Mutex
	c := colly.NewCollector(opts...)
	c.WithTransport(bot)
	c.SetRequestTimeout(0) // it would count the waiting for turns
	c.OnHTML("a[href]", func(e *colly.HTMLElement) {
		_ = e.Request.Visit(e.Attr("href")) // OnError has it, or the link was followed before
	})
	c.OnResponse(func(r *colly.Response) {
		mu.Lock()
		defer mu.Unlock()
		read = append(read, r.Request.URL.String())
	})
	c.OnError(func(r *colly.Response, err error) {
		mu.Lock()
		defer mu.Unlock()
		failed[r.Request.URL.String()] = err
	})
	require.NoError(t, c.Visit(start))
	c.Wait()
	return read, failed
}

// collySite is a site with what a crawler can do wrong on it.
func collySite() *fetchtest.Site {
	site := &fetchtest.Site{Latency: 50 * time.Millisecond}
	site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /\n\nUser-agent: ExampleBot\nDisallow: /private\n"))
	links := []string{
		"/a", "/b#part", "/private/x", "/moved", "/moved-private", "/gone", "/busy",
		"http://127.0.0.1/admin", "http://169.254.169.254/latest/meta-data/", "http://[::1]:8080/", "https://other.example/x",
	}
	home := fetchtest.HTML(`<a href="` + strings.Join(links, `">x</a><a href="`) + `">x</a>`)
	site.Set("/", home.With("Set-Cookie", "session=1; Path=/"))
	site.Set("/a", fetchtest.HTML(`<a href="/b">b</a>`).Gzip().With("Content-Type", "text/html").With("Content-Encoding", "gzip"))
	site.Set("/b", fetchtest.HTML("b"))
	site.Set("/moved", fetchtest.Redirect("/c"))
	site.Set("/c", fetchtest.HTML("c"))
	site.Set("/moved-private", fetchtest.Redirect("/private/y"))
	site.Set("/busy", fetchtest.Status(http.StatusTooManyRequests).RetryAfter(20*time.Second), fetchtest.HTML("busy"))
	site.Set("https://other.example/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /\n"))
	return site
}

func TestCollyBecomesPolite(t *testing.T) {
	for _, tt := range []struct {
		name string
		opts []colly.CollectorOption
	}{
		{"one after the other", nil},
		{"all at once", []colly.CollectorOption{colly.Async(true)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := collySite()
				read, failed := crawl(t, newBot(t, site), site1+"/", tt.opts...)
				kept(t, site.Log())

				assert.Equal(t, []string{site1 + "/", site1 + "/a", site1 + "/b", site1 + "/b#part", site1 + "/c"}, inOrder(read))
				for addr, want := range map[string]politefetch.Outcome{
					site1 + "/private/x":                       politefetch.Disallowed,
					site1 + "/moved-private":                   politefetch.Disallowed,
					"https://other.example/x":                  politefetch.Disallowed,
					"http://127.0.0.1/admin":                   politefetch.Barred,
					"http://169.254.169.254/latest/meta-data/": politefetch.Barred,
					"http://[::1]:8080/":                       politefetch.Barred,
				} {
					require.Contains(t, failed, addr)
					e := refusal(t, failed[addr])
					assert.Equal(t, want, e.Outcome, addr)
					if want == politefetch.Barred {
						require.ErrorIs(t, failed[addr], politefetch.ErrGuard)
					}
				}
				assert.Equal(t, 5, refusal(t, failed[site1+"/private/x"]).Robots.Line, "which rule")
				require.EqualError(t, failed[site1+"/gone"], "Not Found", "a status is an answer")
				require.EqualError(t, failed[site1+"/busy"], "Too Many Requests")
				assert.Zero(t, site.Count("/private/x")+site.Count("/private/y"))
				for _, x := range site.Log() {
					assert.Contains(t, []string{"site.example", "other.example"}, x.URL.Hostname())
				}
			})
		})
	}
}

// A client's Timeout counts the waiting too. A wait that is longer is not begun.
func TestCollysOwnTimeoutEndsAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nCrawl-delay: 60\n"))
		site.Set("/", fetchtest.HTML("home"))
		c := colly.NewCollector() // gives a request 10 s
		c.WithTransport(newBot(t, site))
		began := time.Now()
		err := c.Visit(site1 + "/")
		e := refusal(t, err)
		assert.Empty(t, e.Outcome, "its turn has not come, which is nobody's refusal")
		assert.Zero(t, time.Since(began))
		assert.Zero(t, site.Count("/"))
	})
}

// The same on sockets, through the guard that looks at the address really dialled.
func TestCollyOnSockets(t *testing.T) {
	secret := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a server on this machine was asked that was not allowed")
	}))
	defer secret.Close()
	site := &fetchtest.Site{}
	site.Set("/", fetchtest.HTML(`<a href="/away">x</a><a href="`+secret.URL+`/">x</a><a href="/a">x</a>`))
	site.Set("/away", fetchtest.Redirect(secret.URL+"/admin"))
	site.Set("/a", fetchtest.HTML("a"))
	srv := httptest.NewServer(site)
	defer srv.Close()

	bot := newBot(t, nil, netip.MustParseAddrPort(strings.TrimPrefix(srv.URL, "http://")))
	defer bot.CloseIdleConnections()
	read, failed := crawl(t, bot, srv.URL+"/")
	assert.Equal(t, []string{srv.URL + "/", srv.URL + "/a"}, inOrder(read))
	for _, addr := range []string{srv.URL + "/away", secret.URL + "/"} {
		require.Contains(t, failed, addr)
		require.ErrorIs(t, failed[addr], politefetch.ErrGuard)
		assert.Equal(t, politefetch.Barred, refusal(t, failed[addr]).Outcome)
	}
	p := promise
	p.Tolerance = 10 * time.Millisecond
	require.NoError(t, fetchtest.Audit(site.Log(), p))
}

func inOrder(s []string) []string {
	slices.Sort(s)
	return s
}
