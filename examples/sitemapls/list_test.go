package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch/fetchtest"
)

// A result is what one run of the command came to.
type result struct {
	code        int
	out, errOut string
	log         []fetchtest.Exchange
}

// lines are the lines of standard output.
func (r *result) lines() []string { return strings.Fields(r.out) }

// runFake runs the command against a scripted site, in fake time.
func runFake(t *testing.T, site *fetchtest.Site, args ...string) result {
	t.Helper()
	return runWith(t, site, "", args...)
}

// runWith does so with a standard input.
func runWith(t *testing.T, site *fetchtest.Site, stdin string, args ...string) (res result) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var out, errOut bytes.Buffer
		res.code = run(t.Context(), args, strings.NewReader(stdin), &out, &errOut, site)
		res.out, res.errOut, res.log = out.String(), errOut.String(), site.Log()
	})
	return res
}

// promise is what a site may expect of the command.
var promise = fetchtest.Promise{
	Product: "sitemapls", UserAgent: "sitemapls/1.0 (+https://github.com/politefetch/sdk)",
	Anonymous: true, Concurrency: 1, Delay: time.Second, MaxWait: 30 * time.Second,
}

const base = "https://site.example"

// index is what robots.txt of sampleSite names.
const index = `<sitemapindex>
<sitemap><loc>` + base + `/a.xml.gz</loc><lastmod>2026-02-01</lastmod></sitemap>
<sitemap><loc>` + base + `/gone.xml</loc></sitemap>
<sitemap><loc>` + base + `/closed/c.xml</loc></sitemap>
<sitemap><loc>` + base + `/old.xml</loc><lastmod>2019</lastmod></sitemap>
<sitemap><loc>` + base + `/cut.xml.gz</loc></sitemap>
</sitemapindex>`

const children = `<urlset>
<url><loc>` + base + `/1</loc><lastmod>2026-02-01</lastmod></url>
<url><loc>` + base + `/2?a=b&amp;c=d</loc><lastmod>2025-12-31</lastmod></url>
<url><loc>` + base + `/3</loc><lastmod>yesterday</lastmod></url>
</urlset>`

// sampleSite has an index with children that can be read, and some that can't.
func sampleSite() *fetchtest.Site {
	s := &fetchtest.Site{Latency: 20 * time.Millisecond}
	s.Set("/robots.txt", fetchtest.Text("User-agent: sitemapls\nDisallow: /closed/\nSitemap: /index.xml\n"))
	s.Set("/index.xml", fetchtest.XML(index))
	s.Set("/a.xml.gz", fetchtest.XML(children).Gzip())
	s.Set("/closed/c.xml", fetchtest.Sitemap(base+"/never"))
	s.Set("/old.xml", fetchtest.Sitemap(base+"/old"))
	cut := fetchtest.Sitemap(base+"/cut", base+"/lost").Gzip()
	cut.Body = cut.Body[:len(cut.Body)-12]
	s.Set("/cut.xml.gz", cut)
	return s
}

func TestSiteIsListed(t *testing.T) {
	res := runFake(t, sampleSite(), base+"/")
	assert.Equal(t, exitNotRead, res.code)
	require.NoError(t, fetchtest.Audit(res.log, promise))
	got := res.lines()
	require.GreaterOrEqual(t, len(got), 4)
	assert.Equal(t, []string{base + "/1", base + "/2?a=b&c=d", base + "/3", base + "/old"}, got[:4])
	assert.NotContains(t, res.out, "/never")
	for _, want := range []string{
		"sitemaps  robots.txt names 1\n",
		"1 index", "; 3 errors\n",
		"warnings  bad_lastmod: 1, before byte 2", " of " + base + "/a.xml.gz: \"yesterday\"\n",
		"errors    " + base + "/gone.xml: unexpected status 404\n",
		"          " + base + "/closed/c.xml: disallowed by robots.txt line 2: Disallow: /closed/\n",
		"          " + base + "/cut.xml.gz: truncated: ",
		"time      6.",
	} {
		assert.Contains(t, res.errOut, want)
	}
	assert.NotContains(t, res.errOut, "\x1b", "progress is for terminals")
}

func TestUsualPlaces(t *testing.T) {
	robots := fetchtest.Text("User-agent: *\nDisallow:\n")
	page, list := fetchtest.HTML("<!doctype html><p>Not here."), fetchtest.Sitemap(base+"/x")
	for _, tt := range []struct {
		name          string
		robots        fetchtest.Answer
		first, second fetchtest.Answer
		code          int
		asked         int // for the second place
		want          string
	}{
		{"first", robots, list, fetchtest.Status(404), exitRead, 0, "there is /sitemap.xml\n"},
		{"second", robots, fetchtest.Status(404), list, exitRead, 1, "there is /sitemap_index.xml\n"},
		{"a page is no sitemap", robots, page, list, exitRead, 1, "files     1 read: 1 urlset\n"},
		{"no robots.txt", fetchtest.Status(404), list, list, exitRead, 0, "robots.txt names none"},
		{"neither", robots, fetchtest.Status(404), page, exitNothing, 1, "/sitemap_index.xml: not a sitemap but an HTML page\n"},
		{"broken", robots, fetchtest.Status(500), list, exitNotRead, 0, "/sitemap.xml: unexpected status 500\n"},
		{"closed", fetchtest.Text("User-agent: *\nDisallow: /\n"), list, list, exitNotRead, 0, "disallowed by robots.txt line 2"},
		{"unreachable", fetchtest.Status(500), list, list, exitNotRead, 0, "errors    " + base + "/robots.txt: "},
		{"redirected in a circle", fetchtest.Redirect("/robots.txt"), list, list, exitRead, 0, "robots.txt names none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &fetchtest.Site{}
			s.Set("/robots.txt", tt.robots)
			s.Set("/sitemap.xml", tt.first)
			s.Set("/sitemap_index.xml", tt.second)
			res := runFake(t, s, base)
			assert.Equal(t, tt.code, res.code, res.errOut)
			assert.Equal(t, tt.asked, s.Count("/sitemap_index.xml"))
			assert.Contains(t, res.errOut, tt.want)
			if tt.code == exitRead {
				assert.Equal(t, base+"/x\n", res.out)
				assert.NotContains(t, res.errOut, "error")
			} else {
				assert.Empty(t, res.out)
			}
		})
	}
}

func TestOneAddressIsRead(t *testing.T) {
	s := sampleSite()
	s.Set("/list.txt", fetchtest.Text(base+"/t1\nno address\n"+base+"/t2\n"))
	s.Set("/?feed=rss2", fetchtest.XML(`<rss><channel><item><link>`+base+`/post</link></item></channel></rss>`))
	s.Set("/big.xml", fetchtest.Sitemap(strings.Split(strings.Repeat(base+"/"+strings.Repeat("x", 100)+" ", 30_000), " ")[:30_000]...))
	for _, tt := range []struct {
		path string
		code int
		out  []string
		want string
	}{
		{"/list.txt", exitRead, []string{base + "/t1", base + "/t2"}, "line_dropped: 1, before byte 35 of " + base + "/list.txt: \"no address\"\n"},
		{"/old.xml", exitRead, []string{base + "/old"}, "files     1 read: 1 urlset\nURLs      1\ntime      1.04s\n"},
		{"/?feed=rss2", exitRead, []string{base + "/post"}, "1 read: 1 rss\n"},
		{"/gone.xml", exitNothing, []string{}, "files     0 read; 1 error\n"},
	} {
		t.Run(tt.path, func(t *testing.T) {
			res := runFake(t, s, base+tt.path)
			assert.Equal(t, tt.code, res.code, res.errOut)
			assert.Equal(t, tt.out, res.lines())
			assert.Contains(t, res.errOut, tt.want)
		})
	}
	res := runFake(t, s, base+"/big.xml") // larger than a page may be
	assert.Equal(t, exitRead, res.code, res.errOut)
	assert.Len(t, res.lines(), 30_000)
}

func TestJSONHoldsWhatIsSet(t *testing.T) {
	const body = `<urlset xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"
 xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml">
<url><loc>` + base + `/plain?a&amp;b</loc></url>
<url><loc>` + base + `/ü</loc><lastmod>2026-01</lastmod><changefreq>daily</changefreq><priority>0</priority>
<xhtml:link rel="alternate" hreflang="de" href="` + base + `/de"/>
<image:image><image:loc>` + base + `/i.png</image:loc><image:title>😀</image:title></image:image>
<video:video><video:thumbnail_loc>` + base + `/t.png</video:thumbnail_loc><video:title>V</video:title><video:duration>90</video:duration><video:live>no</video:live>
<video:restriction relationship="allow">DE</video:restriction></video:video>
<news:news><news:publication><news:name>Paper</news:name><news:language>de</news:language></news:publication><news:title>T</news:title>
<news:publication_date>2026-01-02</news:publication_date></news:news></url></urlset>`
	res := runWith(t, &fetchtest.Site{}, body, "-json", "-ext", "-file", "-")
	require.Equal(t, exitRead, res.code, res.errOut)
	lines := strings.Split(strings.TrimSuffix(res.out, "\n"), "\n")
	require.Len(t, lines, 2)
	assert.JSONEq(t, `{"loc":"https://site.example/plain?a&b"}`, lines[0])
	assert.Contains(t, lines[0], "?a&b", "legible")
	assert.JSONEq(t, `{"loc":"https://site.example/%C3%BC","raw":"https://site.example/ü","lastmod":"2026-01-01T00:00:00Z","precision":"month",
		"changefreq":"daily","priority":0,
		"alternates":[{"hreflang":"de","href":"https://site.example/de"}],
		"images":[{"loc":"https://site.example/i.png","title":"😀"}],
		"videos":[{"thumbnail_loc":"https://site.example/t.png","title":"V","duration":90,"live":"no","restriction":{"relationship":"allow","value":"DE"}}],
		"news":{"name":"Paper","language":"de","title":"T","publication_date":"2026-01-02T00:00:00Z"}}`, lines[1])
	assert.Contains(t, lines[1], `\u00fc`, "ASCII")
	assert.Contains(t, lines[1], `\ud83d\ude00`, "ASCII")
}

func TestSinceLeavesOutWhatIsOlder(t *testing.T) {
	for since, want := range map[string][]string{
		"2026-01-15":           {base + "/1", base + "/3"},
		"2025":                 {base + "/1", base + "/2?a=b&c=d", base + "/3"},
		"2026-02-01T23:00:00Z": {base + "/1", base + "/3"},
		"2026-02-02":           {base + "/3"},
	} {
		res := runFake(t, sampleSite(), "-since", since, base+"/a.xml.gz")
		assert.Equal(t, exitRead, res.code, res.errOut)
		assert.Equal(t, want, res.lines(), since)
		res = runWith(t, &fetchtest.Site{}, children, "-since", since, "-file", "-")
		assert.Equal(t, want, res.lines(), since)
	}
	s := sampleSite()
	res := runFake(t, s, "-since", "2026-01-15", base)
	assert.Zero(t, s.Count("/old.xml"), "an index says that it is old")
	assert.Contains(t, res.errOut, " of ")
}

func TestMaxEndsAllRequests(t *testing.T) {
	s := sampleSite()
	res := runFake(t, s, "-max", "2", base)
	assert.Equal(t, exitRead, res.code, res.errOut)
	assert.Len(t, res.lines(), 2)
	assert.Zero(t, s.Count("/gone.xml"))
	res = runWith(t, s, children, "-max", "1", "-file", "-")
	assert.Equal(t, base+"/1\n", res.out)
	res = runFake(t, s, "-max", "3", "-no-follow", base+"/index.xml")
	assert.Len(t, res.lines(), 3)
	assert.Contains(t, res.errOut, "URLs      3")

	s = sampleSite()
	res = runFake(t, s, "-max-files", "2", base)
	assert.Equal(t, exitNotRead, res.code)
	assert.Zero(t, s.Count("/gone.xml"))
	assert.Contains(t, res.errOut, "errors    "+base+"/gone.xml: too many sitemaps\n")
}

func TestNoFollowListsTheIndex(t *testing.T) {
	want := []string{base + "/a.xml.gz", base + "/gone.xml", base + "/closed/c.xml", base + "/old.xml", base + "/cut.xml.gz"}
	for _, args := range [][]string{{base}, {base + "/index.xml"}, {"-file", "-"}} {
		s := sampleSite()
		res := runWith(t, s, index, append([]string{"-no-follow"}, args...)...)
		assert.Equal(t, exitRead, res.code, res.errOut)
		assert.Equal(t, want, res.lines())
		assert.Zero(t, s.Count("/a.xml.gz"))
		assert.Contains(t, res.errOut, "1 read: 1 index\nURLs      5\n")
	}
	res := runWith(t, &fetchtest.Site{}, index, "-no-follow", "-json", "-max", "1", "-file", "-")
	assert.JSONEq(t, `{"loc":"https://site.example/a.xml.gz","lastmod":"2026-02-01T00:00:00Z","precision":"day","sitemap":true}`, res.out)
	res = runWith(t, &fetchtest.Site{}, index, "-no-follow", "-since", "2020", "-file", "-")
	assert.Len(t, res.lines(), 4)
}

func TestBusySiteIsWaitedForOrNamesTheTime(t *testing.T) {
	s := sampleSite()
	s.Set("/old.xml", fetchtest.Status(429).RetryAfter(20*time.Second), fetchtest.Sitemap(base+"/old"))
	res := runFake(t, s, base+"/old.xml")
	assert.Equal(t, exitRead, res.code, res.errOut)
	assert.Equal(t, base+"/old\n", res.out)
	require.NoError(t, fetchtest.Audit(res.log, promise))

	s.Set("/old.xml", fetchtest.Status(429).RetryAfter(time.Hour))
	res = runFake(t, s, base+"/old.xml")
	assert.Equal(t, exitNotRead, res.code)
	assert.Equal(t, 3, s.Count("/old.xml"), "not again within the hour")
	assert.Contains(t, res.errOut, "2000-01-01T01:00:0")
}

func TestFileIsReadAndFollowed(t *testing.T) {
	s := sampleSite()
	file := filepath.Join(t.TempDir(), "map.xml.gz")
	body := strings.ReplaceAll(children, "<loc>"+base, "<loc>") // relative
	require.NoError(t, os.WriteFile(file, []byte(fetchtest.XML(body).Gzip().Body), 0o600))
	res := runFake(t, s, "-file", file, base+"/sitemap.xml")
	assert.Equal(t, exitRead, res.code, res.errOut)
	assert.Equal(t, []string{base + "/1", base + "/2?a=b&c=d", base + "/3"}, res.lines())
	assert.Empty(t, res.log, "a file asks nobody")

	res = runFake(t, s, "-file", file)
	assert.Empty(t, res.out)
	assert.Contains(t, res.errOut, "entry_dropped: 3, the first before byte ")

	res = runWith(t, s, index, "-file", "-")
	assert.Equal(t, exitNotRead, res.code)
	assert.Contains(t, res.out, base+"/1\n")
	assert.Contains(t, res.errOut, "1 index")
	require.NoError(t, fetchtest.Audit(res.log, promise))

	s = sampleSite()
	res = runWith(t, s, index, "-max-files", "1", "-file", "-")
	assert.Len(t, res.lines(), 3)
	assert.Contains(t, res.errOut, "/gone.xml: too many sitemaps\n")
	assert.Zero(t, s.Count("/gone.xml"))
}

func TestFilesThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	for _, tt := range []struct {
		file, stdin, want string
		code              int
	}{
		{filepath.Join(dir, "none"), "", "none: no such file", exitNothing},
		{dir, "", ": is a directory\n", exitNotRead},
		{empty, "", "empty: empty\n", exitNothing},
		{"-", "<html><p>A page", "-: not a sitemap but an HTML page\n", exitNothing},
		{"-", fetchtest.XML(children).Gzip().Body[:100], "-: truncated", exitNotRead},
	} {
		res := runWith(t, &fetchtest.Site{}, tt.stdin, "-file", tt.file)
		assert.Equal(t, tt.code, res.code, "%s%s", tt.file, res.errOut)
		assert.Contains(t, res.errOut, tt.want)
	}
}

func TestStrangersTextIsEscaped(t *testing.T) {
	const evil = "\x1b]0;owned\a\u202e\u009b31m\xff"
	s := &fetchtest.Site{}
	s.Set("/robots.txt", fetchtest.Text("Sitemap: "+base+"/map.xml\nSitemap: "+base+"/"+evil+"\nUser-agent: *\nDisallow: /*31m\n"))
	s.Set("/map.xml", fetchtest.XML("<urlset><url><loc>"+base+"/"+evil+"</loc><lastmod>"+evil+"</lastmod></url><url><loc>"+evil+"</loc></url></urlset>"))
	llms := "# T\n\n## S " + evil + "\n- [A " + evil[5:] + "](/a): n " + evil + "\n- [tab\there](/b)\n"
	s.Set("/llms.txt", fetchtest.Text(llms))
	for _, args := range [][]string{
		{base},
		{"-json", base},
		{"-no-follow", base},
		{"-llms", base},
		{"-llms", "-json", base},
		{"-file", "no" + evil},
		{"ftp://x/" + evil},
		{"-ua", evil, base},
		{"-agent", evil, base},
	} {
		res := runFake(t, s, args...)
		for _, c := range res.out + res.errOut {
			if c != '\n' && c != '\t' && !strconv.IsPrint(c) {
				t.Errorf("%q let %q through: %q %q", args, c, res.out, res.errOut)
				break
			}
		}
	}
	res := runFake(t, s, "-llms", base)
	lines := strings.Split(strings.TrimSpace(res.out), "\n")
	require.Len(t, lines, 2)
	for _, line := range lines {
		assert.Equal(t, 2, strings.Count(line, "\t"), "a tab parts the fields, nothing else: %q", line)
	}
	assert.Contains(t, lines[0], `"A wned\a\u202e`)
}

func TestLLMs(t *testing.T) {
	const doc = "# Site\n> About it\n\n- [Home](/)\n\n## Docs\nSee [inline](/inline).\n\n- [API](/api): all calls\n\n## Optional\n- [More](https://other.example/more)\n"
	want := "Home\t" + base + "/\t\nAPI\t" + base + "/api\tDocs\ninline\t" + base + "/inline\tDocs\nMore\thttps://other.example/more\tOptional\n"
	s := &fetchtest.Site{}
	s.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /closed\n"))
	s.Set("/llms.txt", fetchtest.Text(doc))
	s.Set("/docs/llms.txt", fetchtest.Redirect("/llms.txt"))
	s.Set("/page", fetchtest.HTML("<!doctype html><p>Page"))
	for _, args := range [][]string{{base}, {base + "/docs/llms.txt"}, {"-file", "-", base + "/llms.txt"}} {
		res := runWith(t, s, doc, append([]string{"-llms"}, args...)...)
		assert.Equal(t, exitRead, res.code, res.errOut)
		assert.Equal(t, want, res.out)
		assert.Contains(t, res.errOut, "files     1 read\nURLs      4\n")
	}
	res := runFake(t, s, "-llms", "-json", "-max", "2", base)
	lines := strings.Split(res.out, "\n")
	require.Len(t, lines, 3)
	assert.JSONEq(t, `{"url":"https://site.example/api","raw":"/api","title":"API","section":"Docs","note":"all calls"}`, lines[1])
	assert.Contains(t, res.errOut, "URLs      2 of 4\n")
	for path, code := range map[string]int{"/none": exitNothing, "/page": exitNothing, "/closed": exitNotRead} {
		res := runFake(t, s, "-llms", base+path)
		assert.Equal(t, code, res.code, "%s %s", path, res.errOut)
		assert.Contains(t, res.errOut, "errors    "+base+path+": ")
	}
	res = runWith(t, s, doc+strings.Repeat("- [x](/x)\n", 200_000), "-llms", "-file", "-", base)
	assert.Equal(t, exitNotRead, res.code)
	assert.Contains(t, res.out, want[:10])
	assert.Contains(t, res.errOut, "too many bytes")
}

func TestInterruptedRunPrintsWhatWasRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
		defer cancel()
		s := sampleSite()
		s.Set("/gone.xml", fetchtest.Hang())
		var out, errOut bytes.Buffer
		began := time.Now()
		code := run(ctx, []string{base}, strings.NewReader(""), &out, &errOut, s)
		assert.Equal(t, exitInterrupted, code)
		assert.Equal(t, 8*time.Second, time.Since(began))
		assert.Contains(t, out.String(), base+"/3\n")
		assert.Contains(t, errOut.String(), "time      8s, interrupted\n")
		assert.NotContains(t, errOut.String(), "error")
	})
}

// A sitemap that is read while the user has had enough.
func TestInterruptedInAFile(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	var out, errOut bytes.Buffer
	r := io.MultiReader(strings.NewReader(children[:len(children)-10]), readerFunc(func([]byte) (int, error) {
		cancel(errors.New("stop"))
		return 0, nil
	}), strings.NewReader("never"))
	code := run(ctx, []string{"-file", "-"}, r, &out, &errOut, &fetchtest.Site{})
	assert.Equal(t, exitInterrupted, code)
	assert.Contains(t, out.String(), base+"/1\n")
	assert.NotContains(t, errOut.String(), "error")
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestOutputThatBreaksEndsTheRun(t *testing.T) {
	for _, flag := range []string{"-max-files=9", "-json"} {
		s := sampleSite()
		synctest.Test(t, func(t *testing.T) {
			var errOut bytes.Buffer
			code := run(t.Context(), []string{flag, base}, strings.NewReader(""), brokenPipe{}, &errOut, s)
			assert.Equal(t, exitNotRead, code)
			assert.Contains(t, errOut.String(), "writing the output: io: read/write on closed pipe")
		})
		assert.Zero(t, s.Count("/old.xml"))
	}
}

func TestWrongCommandLines(t *testing.T) {
	for _, tt := range []struct {
		want string
		args []string
	}{
		{"which site?", nil},
		{"do you mean https://site.example ?", []string{"site.example"}},
		{"neither http:// nor https://", []string{"ftp://site.example/"}},
		{"is not a web address", []string{"https://[::1/"}},
		{"names no host", []string{"https:///x"}},
		{"no credentials are ever sent", []string{"https://user:secret@site.example/"}},
		{"one address, please", []string{base, "-json"}},
		{"not a date", []string{"-since", "yesterday", base}},
		{"not a number from 1", []string{"-max", "0", base}},
		{"not a number from 1", []string{"-max-files", "5x", base}},
		{"not an IP address and a port", []string{"-allow-addr", "localhost:80", base}},
		{"-agent", []string{"-agent", "no token", base}},
		{"UserAgent", []string{"-ua", "SomeBot/1.0", base}},
		{"not for -llms", []string{"-llms", "-no-follow", base}},
		{"not defined", []string{"-nonsense", base}},
	} {
		s := &fetchtest.Site{}
		res := runFake(t, s, tt.args...)
		assert.Equal(t, exitNothing, res.code, tt.args)
		assert.Contains(t, res.errOut, tt.want)
		assert.Contains(t, res.errOut, "run sitemapls -h for help")
		assert.NotContains(t, res.errOut, "secret")
		assert.Empty(t, res.out)
		assert.Empty(t, res.log)
	}
}

func TestHelp(t *testing.T) {
	res := runFake(t, &fetchtest.Site{}, "-h")
	assert.Equal(t, exitRead, res.code)
	assert.Contains(t, res.out, "usage: sitemapls")
	assert.Contains(t, res.out, "-no-follow")
	assert.Contains(t, res.out, "exit codes:")
	for line := range strings.Lines(res.out) {
		assert.LessOrEqual(t, len(line), 91)
	}
}

func TestAgentIsTheUsers(t *testing.T) {
	const ua = "KiwiRankBot/2.0 (+https://kiwi.example/)"
	s := sampleSite()
	res := runFake(t, s, "-ua", ua, base+"/old.xml")
	assert.Equal(t, exitRead, res.code, res.errOut)
	p := promise
	p.Product, p.UserAgent = "KiwiRankBot", ua
	require.NoError(t, fetchtest.Audit(res.log, p))
	res = runFake(t, sampleSite(), "-agent", "KiwiRankBot", base+"/old.xml")
	assert.Equal(t, "KiwiRankBot/1.0 (+https://github.com/politefetch/sdk)", res.log[0].Header.Get("User-Agent"))
}

func TestPrivateAddressesAreClosed(t *testing.T) {
	var out, errOut bytes.Buffer
	code := run(t.Context(), []string{"http://127.0.0.1:8080/sitemap.xml"}, strings.NewReader(""), &out, &errOut, nil)
	assert.Equal(t, exitNotRead, code)
	assert.Contains(t, errOut.String(), "let it through with -allow-addr 127.0.0.1:8080.")
}

func TestErrorsComeWithAHint(t *testing.T) {
	for _, tt := range []struct {
		robots, sitemap fetchtest.Answer
		want            string
	}{
		{fetchtest.Redirect("http://127.0.0.1:19009/robots.txt"), fetchtest.Status(404), "-allow-addr IP:PORT"},
		{fetchtest.Text(""), fetchtest.Redirect("http://127.0.0.1:19009/sitemap.xml"), "-allow-addr 127.0.0.1:19009."},
		{fetchtest.Text(""), fetchtest.Status(429).RetryAfter(time.Second), "The site is busy. Try again later."},
	} {
		s := &fetchtest.Site{}
		s.Set("/robots.txt", tt.robots)
		s.Set("/sitemap.xml", tt.sitemap)
		res := runFake(t, s, base)
		assert.Equal(t, exitNotRead, res.code)
		assert.Contains(t, res.errOut, tt.want)
	}
}

func TestLocalServerIsReadOnRequest(t *testing.T) {
	t.Parallel()
	s := sampleSite()
	server := httptest.NewServer(s)
	defer server.Close()
	var out, errOut bytes.Buffer
	addr := server.Listener.Addr().String()
	code := run(t.Context(), []string{"-allow-addr", addr, server.URL + "/a.xml.gz"}, strings.NewReader(""), &out, &errOut, nil)
	assert.Equal(t, exitRead, code, errOut.String())
	assert.Equal(t, 3, strings.Count(out.String(), "\n"))
	p := promise
	p.Tolerance = 10 * time.Millisecond
	require.NoError(t, fetchtest.Audit(s.Log(), p))
}

// A file beyond all limits of sitemaps.org is read in constant memory.
func TestLargeFileTakesNoMemory(t *testing.T) {
	const count = 60_000
	path := strings.Repeat("x", 1000)
	var start, peak runtime.MemStats
	runtime.ReadMemStats(&start)
	highest, sent := start.HeapAlloc, 0
	var rest []byte
	r := readerFunc(func(p []byte) (int, error) {
		if len(rest) == 0 {
			switch {
			case sent == 0:
				rest = []byte("<urlset>")
			case sent == count:
				sent++
				return copy(p, "</urlset>"), nil
			case sent > count:
				return 0, io.EOF
			}
			rest = fmt.Appendf(rest, "<url><loc>%s/%s</loc></url>\n", base, path)
			if sent++; sent%5000 == 0 {
				runtime.ReadMemStats(&peak)
				highest = max(highest, peak.HeapAlloc)
			}
		}
		n := copy(p, rest)
		rest = rest[n:]
		return n, nil
	})
	var errOut bytes.Buffer
	code := run(t.Context(), []string{"-file", "-"}, r, io.Discard, &errOut, &fetchtest.Site{})
	assert.Equal(t, exitRead, code, errOut.String())
	assert.Contains(t, errOut.String(), fmt.Sprintf("URLs      %d\n", count))
	assert.Less(t, highest-start.HeapAlloc, uint64(20<<20))
}

func TestEveryRecordIsAnObject(t *testing.T) {
	res := runFake(t, sampleSite(), "-json", base)
	dec := json.NewDecoder(strings.NewReader(res.out))
	n := 0
	for {
		var r struct{ Loc string }
		if err := dec.Decode(&r); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		assert.True(t, strings.HasPrefix(r.Loc, base))
		n++
	}
	assert.Equal(t, strings.Count(res.out, "\n"), n)
}
