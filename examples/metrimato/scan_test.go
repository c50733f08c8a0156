package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/politefetch/fetchtest"
)

// A result is what one run of the command came to.
type result struct {
	code        int
	out, errOut string
	log         []fetchtest.Exchange
}

// runFake runs the command against a scripted site, in fake time.
func runFake(t *testing.T, site *fetchtest.Site, args ...string) (res result) {
	t.Helper()
	t.Setenv("COLUMNS", "") // the width of nobody's screen
	synctest.Test(t, func(t *testing.T) {
		var out, errOut bytes.Buffer
		res.code = run(t.Context(), args, &out, &errOut, site)
		res.out, res.errOut, res.log = out.String(), errOut.String(), site.Log()
	})
	return res
}

// sampleSite has a sitemap, text that must not show up anywhere, and one page of each
// sort.
func sampleSite() *fetchtest.Site {
	const base = "https://site.example"
	s := &fetchtest.Site{Latency: 20 * time.Millisecond}
	s.Set("/robots.txt", fetchtest.Text("User-agent: Metrimato-Scanner\nDisallow: /private/\nSitemap: "+base+"/sitemap.xml\n"))
	s.Set("/sitemap.xml", fetchtest.Sitemap(base+"/", base+"/twin", base+"/moved", base+"/away", base+"/private/x", base+"/file", base+"/photo.jpg", base+"/long"))
	page := `<html><head><title>Confidential heading</title><meta name="description" content="hush summary"></head>` +
		`<body><!-- quiet remark -->Whispered words <img src="/photo.jpg" alt="murmured caption"> <a href="/twin">muffled anchor</a></body></html>`
	s.Set("/", fetchtest.HTML(page))
	s.Set("/twin", fetchtest.HTML("<div>"+page+"</div>"))
	s.Set("/moved", fetchtest.Redirect("/target"))
	s.Set("/target", fetchtest.HTML("<p>Arrived."))
	s.Set("/away", fetchtest.Redirect("https://other.example/x"))
	s.Set("/file", fetchtest.Answer{Status: 200, Header: http.Header{"Content-Type": {"application/pdf"}}, Body: "%PDF"})
	s.Set("/long", fetchtest.HTML(strings.Repeat("word ", 500_000)))
	return s
}

// hidden are texts of sampleSite's pages.
var hidden = []string{"Confidential", "hush", "quiet remark", "Whispered", "murmured", "muffled", "Arrived"}

func TestScanShowsATableAndAReport(t *testing.T) {
	res := runFake(t, sampleSite(), "https://site.example/")
	require.Equal(t, exitScanned, res.code, res.errOut)
	require.NoError(t, fetchtest.Audit(res.log, promise))
	for _, want := range []string{
		"│ 1 │ /          │    200 │ html            │     239 │      30 │      4 │     1 │      │",
		"│ 2 │ /twin      │    200 │ html            │     250 │      30 │      4 │     1 │   #1 │",
		"302 to /target",
		"302 to https://other.example/x; not one of the visit's hosts:",
		"disallowed by robots.txt line 2: Disallow: /private/",
		"application/pdf", "not HTML: dropped at its head",
		"│ 2000000 │", "cut here, there was more",
		"outcome     done: every address was asked for",
		"ownership   site.example: not checked: no -own-proof given",
		"closed by line 2: Disallow: /private/ (1 address)",
		"addresses   https://site.example/sitemap.xml: 8 addresses",
		"pages       5 answered, 1 closed by robots.txt, 1 not asked for",
		"one at a time, each at least 0.300 s after the answer before it",
		"again       the site asked for no wait; the scanner comes weekly at most: not before Saturday 8 January 2000",
	} {
		assert.Contains(t, res.out, want)
	}
	for _, text := range hidden {
		assert.NotContains(t, res.out+res.errOut, text)
	}
}

func TestJSONIsOneObjectAPage(t *testing.T) {
	res := runFake(t, sampleSite(), "-json", "-v", "https://site.example/")
	require.Equal(t, exitScanned, res.code, res.errOut)
	lines := strings.Split(strings.TrimSuffix(res.out, "\n"), "\n")
	var urls []string
	for _, l := range lines[:len(lines)-1] {
		var r row
		require.NoError(t, json.Unmarshal([]byte(l), &r), l)
		urls = append(urls, strings.TrimPrefix(r.URL, "https://site.example"))
		switch len(urls) {
		case 1:
			assert.Equal(t, []int{20, 30, 4, 1, 1}, []int{r.Title, r.Text, r.Words, r.Links, r.Images})
		case 2:
			assert.Equal(t, 1, r.Twin)
		case 5:
			assert.Equal(t, "Disallow: /private/", r.Rule)
			assert.Equal(t, 2, r.Line)
		}
	}
	assert.Equal(t, []string{"/", "/twin", "/moved", "/away", "/private/x", "/file", "/long"}, urls)
	var end struct{ Report *summary }
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &end))
	require.NotNil(t, end.Report)
	assert.Equal(t, "done", end.Report.Outcome)
	assert.Equal(t, 5, end.Report.Pages)
	assert.Equal(t, int64(300), end.Report.LeastGap)
	assert.Contains(t, res.errOut, "forbid   https://site.example/private/x: disallowed by robots.txt line 2")
	assert.Contains(t, res.errOut, "send     https://site.example/sitemap.xml")
	for _, text := range hidden {
		assert.NotContains(t, res.out+res.errOut, text)
	}
}

func TestWrongCommandLines(t *testing.T) {
	for _, tt := range []struct {
		want string
		args []string
	}{
		{"which site?", nil},
		{"do you mean https://site.example ?", []string{"site.example"}},
		{"the address is empty", []string{""}},
		{"neither http:// nor https://", []string{"ftp://site.example/"}},
		{"is not a web address", []string{"https://[::1/"}},
		{"names no host", []string{"https:///x"}},
		{"no credentials are ever sent", []string{"https://user:secret@site.example/"}},
		{"one address, please", []string{"https://site.example/", "-json"}},
		{"at most 500 pages a run", []string{"-max-pages", "501", "https://site.example/"}},
		{"not a number from 1 to 500", []string{"-max-pages", "0", "https://site.example/"}},
		{"not a number from 1 to 500", []string{"-max-pages", "5x", "https://site.example/"}},
		{"not an IP address and a port", []string{"-allow-addr", "localhost:80", "https://site.example/"}},
		{"not a bare domain", []string{"-allow-host", "https://www.site.example/", "https://site.example/"}},
		{"VisitOptions.Hosts", []string{"-allow-host", "a..b", "https://site.example/"}},
		{"a code has 1 to 1024 bytes", []string{"-own-proof", "", "https://site.example/"}},
		{"brings its own site", []string{"-demo", "https://site.example/"}},
		{"flag provided but not defined: -delay", []string{"-delay", "1ms", "https://site.example/"}},
	} {
		t.Run(tt.want, func(t *testing.T) {
			res := runFake(t, &fetchtest.Site{}, tt.args...)
			assert.Equal(t, exitUsage, res.code)
			assert.Contains(t, res.errOut, tt.want)
			assert.NotContains(t, res.errOut, "secret")
			assert.Empty(t, res.out)
			assert.Empty(t, res.log)
		})
	}
}

func TestHelpNamesFlagsAndExitCodes(t *testing.T) {
	res := runFake(t, &fetchtest.Site{}, "-h")
	assert.Equal(t, exitScanned, res.code)
	for _, want := range []string{"-max-pages N", "-allow-host DOMAIN", "-allow-addr IP:PORT", "-own-proof CODE", "-demo", "-json", "  130  ", "go run"} {
		assert.Contains(t, res.out, want)
	}
	for line := range strings.Lines(res.out) {
		assert.LessOrEqual(t, len(line), 91)
	}
}

func TestSitesThatCannotBeScanned(t *testing.T) {
	for _, tt := range []struct {
		name   string
		args   []string
		script func(*fetchtest.Site)
		want   []string
		asked  int // requests at most
	}{
		{
			name: "robots.txt is broken", asked: 1,
			script: func(s *fetchtest.Site) { s.Set("/robots.txt", fetchtest.Status(500)) },
			want:   []string{"outcome     norobots", "answered 500", "Without its robots.txt nothing of a site may be read"},
		},
		{
			name: "a challenge page stands in for robots.txt", asked: 1,
			script: func(s *fetchtest.Site) { s.Set("/robots.txt", fetchtest.Challenge()) },
			want:   []string{"outcome     walled", "cloudflare challenge", "let the wall pass the user agent Metrimato-Scanner"},
		},
		{
			name: "robots.txt turns the scanner away", asked: 3,
			script: func(s *fetchtest.Site) {
				s.Set("/robots.txt", fetchtest.Text("User-agent: Metrimato-Scanner\nDisallow: /\n"))
			},
			want: []string{"outcome     disallowed", "line 2: Disallow: /", "the scanner obeys"},
		},
		{
			name: "the start leads off the site", asked: 4,
			script: func(s *fetchtest.Site) { s.Set("/", fetchtest.Redirect("https://www.site.example/")) },
			want:   []string{"not one of the visit's hosts", "say so with -allow-host www.site.example."},
		},
		{
			name: "there is no such host", asked: 2,
			script: func(s *fetchtest.Site) {
				s.Set("/robots.txt", fetchtest.Fail(&net.DNSError{Err: "no such host", Name: "site.example", IsNotFound: true}))
			},
			want: []string{
				"norobots", "no such host", `There is no host "site.example": is it spelled right?`,
				"start is disallowed: robots.txt could not be had\npages ", // of a host that isn't there nothing is verified
				"again       as soon as that is put right: nothing was scanned",
			},
		},
		{
			name: "the tracking code is not there", args: []string{"-own-proof", "CODE-7"}, asked: 2,
			script: func(s *fetchtest.Site) { s.Set("/", fetchtest.HTML("<p>CODE-6")) },
			want: []string{
				"outcome     barred", "no tracking code on the home page of site.example", "ownership   no domain was proved", "│ read, but not admitted: no tracking code", "pages       0 answered, 1 read, but not admitted\n",
				"Put the code into the home page of site.example, or give the right one", "again       as soon as that is put right: nothing was scanned",
			},
		},
		{
			name: "nothing listens", asked: 1,
			script: func(s *fetchtest.Site) {
				s.Set("/robots.txt", fetchtest.Fail(&net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}))
			},
			want: []string{"norobots", "connection refused", "is the server up, and the port right?", "again       as soon as that is put right: nothing was scanned"},
		},
		{
			name: "robots.txt leads to a guarded port", asked: 1,
			script: func(s *fetchtest.Site) { s.Set("/robots.txt", fetchtest.Redirect("http://127.0.0.1:19009/robots.txt")) },
			want:   []string{"norobots", "let it through with -allow-addr 127.0.0.1:19009.", "again       as soon as that is put right: nothing was scanned"},
		},
		{
			name: "the sitemap asks for a long wait", asked: 2,
			script: func(s *fetchtest.Site) { s.Set("/sitemap.xml", fetchtest.Status(429).RetryAfter(time.Hour)) },
			want: []string{
				"outcome     limited", "run again after 2000-01-01 01:00:0", "1 known and left",
				"the site asked for fewer requests\nagain ", // no rest went gently: there was none
			},
		},
		{
			name: "the site asks for a long wait", asked: 4,
			script: func(s *fetchtest.Site) { s.Set("/", fetchtest.Status(429).RetryAfter(time.Hour)) },
			want:   []string{"outcome     limited", "run again after 2000-01-01 01:00:0", "again       not before Saturday 1 January 2000, 01:00:0"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &fetchtest.Site{}
			s.Set("/robots.txt", fetchtest.Text(""))
			s.Set("/", fetchtest.HTML("<p>Home."))
			tt.script(s)
			res := runFake(t, s, append(tt.args, "https://site.example/")...)
			assert.Equal(t, exitNotScanned, res.code)
			for _, want := range tt.want {
				assert.Contains(t, res.out, want)
			}
			assert.LessOrEqual(t, len(res.log), tt.asked)
			require.NoError(t, fetchtest.Audit(res.log, promise))
		})
	}
}

func TestRefusedAddressesNameTheFlag(t *testing.T) {
	for _, tt := range []struct{ start, want string }{
		{"http://127.0.0.1:8080/", "let it through with -allow-addr 127.0.0.1:8080."},
		{"http://10.1.2.3/", "let it through with -allow-addr 10.1.2.3:80."},
		{"https://[::1]/", "let it through with -allow-addr [::1]:443."},
		{"http://localhost:8080/", "-allow-addr 127.0.0.1:8080 http://127.0.0.1:8080/"},
		{"http://169.254.169.254/latest/meta-data/", "refused"},
	} {
		t.Run(tt.start, func(t *testing.T) {
			res := runFake(t, &fetchtest.Site{}, tt.start)
			assert.Equal(t, exitNotScanned, res.code)
			assert.Contains(t, res.errOut, tt.want)
			assert.Empty(t, res.log)
			assert.Empty(t, res.out)

			res = runFake(t, &fetchtest.Site{}, "-json", tt.start)
			var end struct{ Report *summary }
			require.NoError(t, json.Unmarshal([]byte(res.out), &end))
			assert.Equal(t, "barred", end.Report.Outcome)
			assert.Contains(t, end.Report.Why, "refused")
		})
	}
}

func TestFurtherDomainsBelongToTheSite(t *testing.T) {
	s := &fetchtest.Site{}
	s.Set("/robots.txt", fetchtest.Text(""))
	s.Set("https://site.example/", fetchtest.Redirect("https://www.site.example/"))
	s.Set("https://www.site.example/", fetchtest.HTML("<p>CODE-7 <a href=/one>one</a> <a href=https://third.example/>third</a>"))
	s.Set("https://www.site.example/one", fetchtest.HTML("<p>One."))
	res := runFake(t, s, "-allow-host", "www.site.example", "-own-proof", "CODE-7", "https://site.example/")
	require.NoError(t, fetchtest.Audit(res.log, promise))
	assert.Contains(t, res.out, "www.site.example: "+proved)
	assert.Equal(t, 1, s.Count("https://www.site.example/one"))
	for _, x := range res.log {
		assert.NotEqual(t, "third.example", x.URL.Hostname())
	}
}

// Where there is a sitemap links are not followed, which is to be known of one that leads
// nowhere.
func TestASitemapOfNoUseIsTold(t *testing.T) {
	const there = "There is a sitemap, so links were not followed; but no further page came of it. "
	for name, tt := range map[string]struct {
		sitemap fetchtest.Answer
		want    string
		more    []string // arguments
	}{
		"empty":          {fetchtest.XML("<urlset></urlset>"), there + "Put the site's pages into it", nil},
		"the start only": {fetchtest.Sitemap("https://site.example/"), there, nil},
		"with a proof":   {fetchtest.XML("<urlset></urlset>"), there, []string{"-own-proof", "Home"}},
		"broken":         {fetchtest.XML("<urlset><url><loc>"), there, nil},
		"answers 500":    {fetchtest.Status(500), there, nil},
		"busy":           {fetchtest.Status(429).RetryAfter(time.Second), there + busyHint, nil},
		"of use":         {fetchtest.Sitemap("https://site.example/a"), "", nil},
		"not there":      {fetchtest.Status(404), "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := &fetchtest.Site{}
			s.Set("/robots.txt", fetchtest.Text(""))
			s.Set("/sitemap.xml", tt.sitemap)
			s.Set("/", fetchtest.HTML("<p>Home."))
			s.Set("/a", fetchtest.HTML("<p>A."))
			res := runFake(t, s, append(tt.more, "https://site.example/")...)
			assert.Equal(t, exitScanned, res.code)
			if tt.want == "" {
				assert.NotContains(t, res.out, "There is a sitemap")
			} else {
				assert.Contains(t, res.out, "\n            "+tt.want)
			}
			assert.NotContains(t, res.out, "(https://", "an address is said once")
		})
	}
}

func TestNothingIsSaidTwice(t *testing.T) {
	for text, want := range map[string]string{
		"http://x/a: http://x/a: 8 addresses":                          "http://x/a: 8 addresses",
		"http://x/a (http://x/a: gone); http://x/b (http://x/b: gone)": "http://x/a (gone); http://x/b (gone)",
		"http://x/r: GET http://x/r: answered 500":                     "http://x/r: answered 500",
		"http://x/r: redirect: refused http://x/r: no":                 "http://x/r: redirect: refused http://x/r: no",
		"http://x/ (http://x/: a; http://x/: b)":                       "http://x/ (a; b)",
		"http://x/ in 3ms":                                             "http://x/ in 3ms",
		"":                                                             "",
	} {
		assert.Equal(t, want, cli.Once(text))
	}
}

func TestMaxPagesLowersTheCeiling(t *testing.T) {
	res := runFake(t, sampleSite(), "-max-pages", "2", "https://site.example/")
	assert.Equal(t, exitScanned, res.code)
	assert.Contains(t, res.out, "the limit of 2 pages was reached")
	assert.Contains(t, res.out, "2 answered")
	assert.Len(t, res.log, 4) // robots.txt, the sitemap, two pages
	res = runFake(t, sampleSite(), "-max-pages", "1", "https://site.example/")
	assert.Contains(t, res.out, "the limit of 1 page was reached")
}

// What is closed takes no page's place, in the progress neither.
func TestProgressNeverGoesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /z\n"))
		site.Set("/", fetchtest.HTML("<a href=/z1>a</a><a href=/a>b</a><a href=/z2>c</a><a href=/b>d</a><a href=/z3>e</a><a href=/c>f</a><a href=/d>g</a>"))
		for _, path := range []string{"/a", "/b", "/c", "/d"} {
			site.Set(path, fetchtest.HTML("<a href=/e>a</a><a href=/f>b</a>"))
		}
		o := &options{job: job{start: "https://site.example/", maxPages: 4}}
		seen := &states{}
		w := &watcher{progress: seen, limit: o.limit()}
		visit, err := o.visit(o.config(site, w.observe))
		require.NoError(t, err)
		w.watch(visit)
		for page, err := range visit.Pages(t.Context()) {
			w.page(page, err)
		}
		last := 0.0
		for _, s := range seen.all {
			assert.LessOrEqual(t, s.done, s.goal)
			assert.LessOrEqual(t, s.goal, 4)
			if s.goal > 0 {
				share := float64(s.done) / float64(s.goal)
				assert.GreaterOrEqual(t, share, last)
				last = share
			}
		}
		assert.InDelta(t, 1, last, 0)
	})
}

// states remembers what would be shown.
type states struct{ all []state }

func (s *states) show(x *state) { s.all = append(s.all, *x) }
func (s *states) clear()        {}

func TestAWaitThatIsNotSatOutIsNotShown(t *testing.T) {
	s := &fetchtest.Site{}
	s.Set("/robots.txt", fetchtest.Text(""))
	s.Set("/sitemap.xml", fetchtest.Status(429).RetryAfter(100*time.Second))
	res := runFake(t, s, "https://site.example/")
	assert.NotContains(t, res.errOut, "0/0")
	assert.NotContains(t, res.errOut, "waits")
	s.Set("/sitemap.xml", fetchtest.Status(429).RetryAfter(20*time.Second), fetchtest.Sitemap("https://site.example/"))
	res = runFake(t, s, "https://site.example/")
	assert.Contains(t, res.errOut, "robots.txt and sitemaps, every 0.30 s, waits until 00:00:2")
}

// Ctrl-C is the end of run's context. The clock and the socket are real here, so the best of
// some runs counts: a busy machine is slow once.
func TestInterruptEndsWithinASecond(t *testing.T) {
	t.Parallel()
	took := time.Hour
	for n := 0; n < 5 && took >= time.Second; n++ {
		took = min(took, interruptOnce(t))
	}
	assert.Less(t, took, time.Second)
}

// interruptOnce is how long a run goes on once it is interrupted in the middle of a page.
func interruptOnce(t *testing.T) time.Duration {
	t.Helper()
	site := &fetchtest.Site{}
	site.Set("/robots.txt", fetchtest.Text(""))
	site.Set("/", fetchtest.HTML("<p><a href=/hang>on</a>"))
	site.Set("/hang", fetchtest.Hang())
	srv := httptest.NewServer(site)
	defer srv.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var pressed time.Time
	go func() {
		for site.Count("/hang") == 0 && ctx.Err() == nil {
			time.Sleep(10 * time.Millisecond)
		}
		pressed = time.Now()
		cancel(errors.New("interrupt signal received"))
	}()
	var out, errOut bytes.Buffer
	addr := srv.Listener.Addr().String()
	code := run(ctx, []string{"-allow-addr", addr, "http://" + addr + "/"}, &out, &errOut, nil)
	took := time.Since(pressed)
	assert.Equal(t, exitInterrupted, code)
	assert.Contains(t, out.String(), "outcome     interrupted: interrupt signal received")
	assert.Contains(t, out.String(), "pages       1 answered, 1 interrupted\n")
	return took
}
