package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
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

// runFake runs the command against a scripted site, in fake time.
func runFake(t *testing.T, site *fetchtest.Site, args ...string) (res result) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var out, errOut bytes.Buffer
		res.code = run(t.Context(), args, &out, &errOut, site)
		res.out, res.errOut, res.log = out.String(), errOut.String(), site.Log()
	})
	return res
}

// promise is what a site may expect of the command.
var promise = fetchtest.Promise{
	Product: "KiwiRankBot", UserAgent: "KiwiRankBot/1.0 (+https://github.com/politefetch/sdk)",
	Anonymous: true, Concurrency: 1, Delay: time.Second, MaxWait: 30 * time.Second,
}

const sample = "testdata/robots.txt"

func siteWith(robots fetchtest.Answer) *fetchtest.Site {
	s := &fetchtest.Site{Latency: 20 * time.Millisecond}
	s.Set("/robots.txt", robots)
	return s
}

func sampleSite(t *testing.T) *fetchtest.Site {
	t.Helper()
	body, err := os.ReadFile(sample)
	require.NoError(t, err)
	return siteWith(fetchtest.Text(string(body)))
}

// all is what testdata/robots.txt says to KiwiRankBot, whatever the address.
var all = []string{
	"group         KiwiRankBot\n",
	"crawl delay   2.5s\n",
	"request rate  1 in 10s, 06:00 to 08:45 UTC (line 10)\n",
	"request rate  100 in 15m0s (line 11)\n",
	"visit time    22:00 to 06:00 UTC\n",
	"signals       ai-train=no, search=yes\n",
	"license       https://site.example/license.xml\n",
	"sitemap       https://site.example/sitemap.xml\n",
	"odd           line 18: \"secret\" never matches",
	"odd           line 19: this counts as \"disallow\"",
}

func TestFileAnswersWithoutASite(t *testing.T) {
	for _, tt := range []struct {
		address string
		code    int
		want    []string
	}{
		{"/private/x", exitDisallowed, []string{"DISALLOWED    /private/x for KiwiRankBot\n", "decided by    line 16: \"Disallow: /private\"\n"}},
		{"/private/open/1", exitAllowed, []string{"allowed       /private/open/1 for KiwiRankBot\n", "decided by    line 17: \"Allow: /private/open/\"\n", "usage         train-ai=n\n"}},
		{"/open/a?b=c", exitAllowed, []string{"decided by    no rule of robots.txt matches\n", "usage         train-ai=y\n"}},
		{"https://elsewhere.example/private", exitDisallowed, []string{"line 16"}},
		{"/robots.txt", exitAllowed, []string{"decided by    robots.txt itself may always be read\n"}},
	} {
		t.Run(tt.address, func(t *testing.T) {
			site := &fetchtest.Site{}
			res := runFake(t, site, "-agent", "KiwiRankBot", "-file", sample, tt.address)
			assert.Equal(t, tt.code, res.code, res.errOut)
			for _, want := range append(tt.want, all...) {
				assert.Contains(t, res.out, want)
			}
			assert.Contains(t, res.out, "robots.txt    "+sample)
			assert.Empty(t, res.log)
		})
	}
}

func TestGroupsAreNamed(t *testing.T) {
	res := runFake(t, &fetchtest.Site{}, "-agent", "OtherBot", "-file", sample, "/")
	assert.Equal(t, exitDisallowed, res.code)
	assert.Contains(t, res.out, "group       * (everybody; none names OtherBot)\n")
	assert.NotContains(t, res.out, "crawl delay")

	only := filepath.Join(t.TempDir(), "only.txt")
	require.NoError(t, os.WriteFile(only, []byte("User-agent: KiwiRankBot\nDisallow: /\n"), 0o600))
	res = runFake(t, &fetchtest.Site{}, "-agent", "OtherBot", "-file", only, "/")
	assert.Equal(t, exitAllowed, res.code)
	assert.Contains(t, res.out, "none for OtherBot\n")
	assert.Contains(t, res.out, "decided by  robots.txt has no group for this crawler\n")
}

func TestSiteIsAskedPolitely(t *testing.T) {
	for _, tt := range []struct {
		path string
		code int
		want string
	}{
		{"/private/x", exitDisallowed, "line 16: \"Disallow: /private\"\n"},
		{"/private/open/1", exitAllowed, "line 17: \"Allow: /private/open/\"\n"},
	} {
		t.Run(tt.path, func(t *testing.T) {
			res := runFake(t, sampleSite(t), "-agent", "KiwiRankBot", "https://site.example"+tt.path)
			assert.Equal(t, tt.code, res.code, res.errOut)
			for _, want := range append(all, tt.want, "robots.txt    https://site.example/robots.txt\n") {
				assert.Contains(t, res.out, want)
			}
			require.NoError(t, fetchtest.Audit(res.log, promise))
			require.Len(t, res.log, 1)
			assert.Equal(t, "/robots.txt", res.log[0].URL.Path)
		})
	}
}

func TestNoRobotsTxtAllows(t *testing.T) {
	res := runFake(t, siteWith(fetchtest.Status(404)), "-agent", "KiwiRankBot", "https://site.example/x")
	assert.Equal(t, exitAllowed, res.code)
	assert.Contains(t, res.out, "there is no robots.txt")
}

func TestRedirectedRobotsTxtCounts(t *testing.T) {
	s := siteWith(fetchtest.Redirect("https://www.site.example/moved.txt"))
	s.Set("https://www.site.example/moved.txt", fetchtest.Text("User-agent: *\nDisallow: /x\nSitemap: /map.xml\n"))
	res := runFake(t, s, "-agent", "KiwiRankBot", "https://site.example/x")
	assert.Equal(t, exitDisallowed, res.code, res.errOut)
	assert.Contains(t, res.out, "line 2: \"Disallow: /x\"")
	assert.Contains(t, res.out, "/map.xml")
}

func TestWhatCannotBeTold(t *testing.T) {
	for _, tt := range []struct {
		name   string
		robots fetchtest.Answer
		want   string
	}{
		{"it is broken", fetchtest.Status(500), "answered 500"},
		{"the connection fails", fetchtest.Fail(errors.New("reset by peer")), "reset by peer"},
		{"a wall stands before it", fetchtest.Challenge(), "cloudflare challenge"},
		{"the site asks for a long wait", fetchtest.Status(429).RetryAfter(time.Hour), "429"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := runFake(t, siteWith(tt.robots), "-agent", "KiwiRankBot", "https://site.example/x")
			assert.Equal(t, exitUnknown, res.code)
			assert.Contains(t, res.errOut, tt.want)
			assert.Empty(t, res.out)
			require.NoError(t, fetchtest.Audit(res.log, promise))
		})
	}
	t.Run("there is no such file", func(t *testing.T) {
		res := runFake(t, &fetchtest.Site{}, "-agent", "KiwiRankBot", "-file", "testdata/none.txt", "/x")
		assert.Equal(t, exitUnknown, res.code)
		assert.Contains(t, res.errOut, "none.txt")
	})
	t.Run("the address isn't public", func(t *testing.T) {
		res := runFake(t, &fetchtest.Site{}, "-agent", "KiwiRankBot", "http://127.0.0.1:8080/")
		assert.Equal(t, exitUnknown, res.code)
		assert.Contains(t, res.errOut, "port is not allowed")
		assert.Contains(t, res.errOut, "-allow-addr")
		assert.Empty(t, res.log)
	})
}

// A program that reads -json gets an object, whatever happened.
func TestJSONSaysWhyItCouldNotBeTold(t *testing.T) {
	broken, away := siteWith(fetchtest.Status(500)), siteWith(fetchtest.Redirect("http://127.0.0.1:19009/robots.txt"))
	for _, tt := range []struct {
		site *fetchtest.Site
		args []string
		want unknown
	}{
		{broken, []string{"https://site.example/x"}, unknown{Address: "https://site.example/x", Outcome: "norobots", Error: "answered 500"}},
		{broken, []string{"http://localhost:8080/"}, unknown{Address: "http://localhost:8080/", Outcome: "barred", Error: "refused", Hint: "-allow-addr 127.0.0.1:8080"}},
		{away, []string{"https://site.example/x"}, unknown{Address: "https://site.example/x", Outcome: "norobots", Error: "refused", Hint: "-allow-addr IP:PORT"}},
		{broken, []string{"-file", "none.txt", "/x"}, unknown{Address: "/x", Error: "no such file"}},
		{broken, []string{"https://user:secret@site.example/"}, unknown{Error: "holds a user name"}},
		{broken, []string{""}, unknown{Error: "the address is empty"}},
		{broken, nil, unknown{Error: "which address?"}},
	} {
		res := runFake(t, tt.site, append([]string{"-json", "-agent", "KiwiRankBot"}, tt.args...)...)
		assert.Equal(t, exitUnknown, res.code)
		var got unknown
		require.NoError(t, json.Unmarshal([]byte(res.out), &got), res.out)
		assert.Contains(t, got.Error, tt.want.Error)
		assert.Contains(t, got.Hint, tt.want.Hint)
		assert.Contains(t, res.errOut, tt.want.Hint)
		assert.NotContains(t, res.out, "secret")
		assert.NotContains(t, res.out, `"allowed"`)
		tt.want.Agent, tt.want.Error, tt.want.Hint = "KiwiRankBot", got.Error, got.Hint
		assert.Equal(t, tt.want, got)
	}
}

func TestJSONHoldsEverything(t *testing.T) {
	res := runFake(t, &fetchtest.Site{}, "-json", "-agent", "KiwiRankBot", "-file", sample, "/open/x")
	require.Equal(t, exitAllowed, res.code, res.errOut)
	var got map[string]any
	require.NoError(t, json.Unmarshal([]byte(res.out), &got))
	want := map[string]any{
		"address": "/open/x", "agent": "KiwiRankBot", "robots_txt": sample, "group": "KiwiRankBot",
		"allowed": true, "reason": "no rule", "why": "allowed: no rule of robots.txt matches",
		"crawl_delay_seconds": 2.5,
		"request_rates": []any{
			map[string]any{"requests": 1.0, "seconds": 10.0, "line": 10.0, "window": map[string]any{"from": "06:00", "to": "08:45"}},
			map[string]any{"requests": 100.0, "seconds": 900.0, "line": 11.0},
		},
		"visit_times":     []any{map[string]any{"from": "22:00", "to": "06:00"}},
		"content_signals": map[string]any{"ai-train": "no", "search": "yes"},
		"content_usage":   map[string]any{"train-ai": true},
		"licenses":        []any{"https://site.example/license.xml"},
		"sitemaps":        []any{"https://site.example/sitemap.xml"},
	}
	odd := got["diagnostics"].([]any)
	delete(got, "diagnostics")
	assert.Equal(t, want, got)
	require.Len(t, odd, 2)
	assert.Equal(t, "rule-without-slash", odd[0].(map[string]any)["code"])
	assert.InDelta(t, 18, odd[0].(map[string]any)["line"], 0)
}

// Whatever the file's author wrote must not steer the terminal of who reads about it.
func TestNothingOfAFileSteersTheTerminal(t *testing.T) {
	const evil = "\x1b[2J\x1b]0;x\a\u202e\u009b31m\x7f\xff\x00\u2028"
	file := strings.NewReplacer("EVIL", evil).Replace("Sitemap: /EVIL\nLicense: EVIL\nEVIL: EVIL\nUser-agent: EVIL\n" +
		"User-agent: KiwiRankBot\nDisallow: /*EVIL\nDisallow: /y*EVIL\nDisallow: EVIL\nAllow: /x*\x1b[31m\u202e\nCrawl-delay: EVIL\nRequest-rate: EVIL\n" +
		"Content-Signal: aEVIL=bEVIL\nContent-Usage: aEVIL=y\nDisalow: EVIL\n")
	path := filepath.Join(t.TempDir(), "evil.txt")
	require.NoError(t, os.WriteFile(path, []byte(file), 0o600))
	for _, args := range [][]string{
		{"-file", path, "/x/%1B[31m%E2%80%AE"},
		{"-json", "-file", path, "/x/%1B[31m%E2%80%AE"},
		{"-file", path, "/" + evil},
		{"-file", path, "/x", evil},
		{"-file", evil, "/x"},
		{"https://site.example/x"},
		{"https://site.example/" + evil},
		{"-json", "https://site.example/x"},
	} {
		res := runFake(t, siteWith(fetchtest.Text(file)), append([]string{"-agent", "KiwiRankBot"}, args...)...)
		for _, c := range res.out + res.errOut {
			if c < ' ' && c != '\n' || c >= 0x7f {
				t.Errorf("%q: %q in %q", args, c, res.out+res.errOut)
				break
			}
		}
	}
	res := runFake(t, &fetchtest.Site{}, "-json", "-agent", "KiwiRankBot", "-file", path, "/x/%1B[31m%E2%80%AE")
	var got struct{ Rule string }
	require.NoError(t, json.Unmarshal([]byte(res.out), &got))
	assert.Equal(t, "Allow: /x*\x1b[31m\u202e", got.Rule, "a program gets the rule as written")
}

func TestWrongCommandLines(t *testing.T) {
	for _, tt := range []struct {
		want string
		args []string
	}{
		{"which crawler?", []string{"https://site.example/"}},
		{"-agent \"Kiwi Rank\"", []string{"-agent", "Kiwi Rank", "https://site.example/"}},
		{"which address?", []string{"-agent", "A"}},
		{"with -file a path will do", []string{"-agent", "A", "/x"}},
		{"do you mean https://site.example ?", []string{"-agent", "A", "site.example"}},
		{"neither http:// nor https://", []string{"-agent", "A", "ftp://site.example/"}},
		{"is not a web address", []string{"-agent", "A", "https://[::1/"}},
		{"names no host", []string{"-agent", "A", "https:///x"}},
		{"holds a user name", []string{"-agent", "A", "https://user:secret@site.example/"}},
		{"one address, please", []string{"-agent", "A", "https://site.example/", "-json"}},
		{"not an IP address and a port", []string{"-agent", "A", "-allow-addr", "localhost:80", "https://site.example/"}},
		{"UserAgent", []string{"-agent", "A", "-ua", "B/1.0", "https://site.example/"}},
		{"flag provided but not defined: -delay", []string{"-delay", "1ms"}},
	} {
		t.Run(tt.want, func(t *testing.T) {
			res := runFake(t, &fetchtest.Site{}, tt.args...)
			assert.Equal(t, exitUnknown, res.code)
			assert.Contains(t, res.errOut, tt.want)
			assert.NotContains(t, res.errOut, "secret")
			assert.Empty(t, res.out)
			assert.Empty(t, res.log)
		})
	}
}

func TestUserAgentGivesTheName(t *testing.T) {
	const ua = "Mozilla/5.0 (compatible; KiwiRankBot/2.1; +https://kiwirank.example/bot)"
	res := runFake(t, sampleSite(t), "-ua", ua, "https://site.example/private")
	assert.Equal(t, exitDisallowed, res.code, res.errOut)
	assert.Contains(t, res.out, "for KiwiRankBot\n")
	for _, x := range res.log {
		assert.Equal(t, ua, x.Header.Get("User-Agent"))
	}
}

func TestHelpNamesFlagsAndExitCodes(t *testing.T) {
	res := runFake(t, &fetchtest.Site{}, "-h")
	assert.Equal(t, exitAllowed, res.code)
	for _, want := range []string{"-agent NAME", "-ua USER-AGENT", "-file FILE", "-allow-addr IP:PORT", "-json", "  0  allowed", "  1  disallowed", "  2  it could not be told", "go run"} {
		assert.Contains(t, res.out, want)
	}
	for line := range strings.Lines(res.out) {
		assert.LessOrEqual(t, len(line), 91)
	}
}

// On a real socket, through the library's own transport.
func TestAllowAddrLetsALocalServerThrough(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(siteWith(fetchtest.Text("User-agent: *\nDisallow: /x\n")))
	defer srv.Close()
	addr := srv.Listener.Addr().String()
	var out, errOut bytes.Buffer
	code := run(t.Context(), []string{"-agent", "KiwiRankBot", "-allow-addr", addr, "http://" + addr + "/x"}, &out, &errOut, nil)
	assert.Equal(t, exitDisallowed, code, errOut.String())
	assert.Contains(t, out.String(), "line 2: \"Disallow: /x\"")
}
