package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
)

// promise is the bot's public page as fetchtest.Audit takes it.
var promise = fetchtest.Promise{
	Product: "RotSweep", UserAgent: "Mozilla/5.0 (compatible; RotSweep/1.0; +https://rotsweep.com/agent)", Anonymous: true,
	Concurrency: 2, Delay: time.Second, Burst: 2, MaxWait: 30 * time.Second, OneSite: true,
}

// audit holds what each domain saw against the promise, but for exempt addresses.
func audit(t *testing.T, log []fetchtest.Exchange, exempt ...string) {
	t.Helper()
	p := promise
	p.Exempt = exempt
	domains := make(map[string][]fetchtest.Exchange)
	for _, x := range log {
		key := politefetch.SiteKey(x.URL)
		domains[key] = append(domains[key], x)
	}
	for domain, of := range domains {
		assert.NoError(t, fetchtest.Audit(of, p), domain)
	}
}

// A ran is what one run of the command came to.
type ran struct {
	code        int
	out, errOut string
}

// start runs the command, in the bubble that the test is in.
func start(ctx context.Context, site http.RoundTripper, list string, args ...string) ran {
	var out, errOut bytes.Buffer
	code := run(ctx, args, strings.NewReader(list), &out, &errOut, site)
	return ran{code, out.String(), errOut.String()}
}

// The tests look at what is written for nobody's screen, in no zone of its own.
func TestMain(m *testing.M) {
	time.Local = time.UTC
	if err := os.Unsetenv("COLUMNS"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

const hidden = "whispered words of a page"

// words is a page that says something.
func words(more string) fetchtest.Answer {
	return fetchtest.HTML("<html><head><title>" + hidden + "</title></head><body><p>" + hidden + ". " +
		strings.Repeat("Lamps and shades, bulbs and switches. ", 10) + more + "</p></body></html>")
}

func TestASweepHasAVerdictForEachLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{Latency: 20 * time.Millisecond}
		site.Set("https://closed.example/robots.txt", fetchtest.Text("User-agent: RotSweep\nDisallow: /x\n"))
		site.Set("https://fine.example/", words(""))
		site.Set("https://closed.example/x", words(""))
		site.Set("https://moved.example/", fetchtest.Redirect("https://fine.example/"))
		site.Set("https://no.example/", fetchtest.Status(403))
		site.Set("https://wall.example/", fetchtest.Challenge())
		site.Set("https://down.example/", fetchtest.Status(500))
		site.Set("https://busy.example/1", fetchtest.Status(429).RetryAfter(time.Hour))
		site.Set("https://busy.example/2", words(""))
		site.Set("https://round.example/", fetchtest.Redirect("/"))
		site.Set("https://guised.example/", words(""))
		const list = `# links
			https://fine.example/
			https://closed.example/x
			https://moved.example/
			https://no.example/     # refuses
			https://wall.example/
			https://down.example/
			https://busy.example/1
			https://busy.example/2
			https://fine.example/gone
			https://guised.example/ browser=safari
			http://10.0.0.1/
			fine.example/without-scheme
			https://somebody:secret@fine.example/`
		res := start(t.Context(), site, list, "-")
		assert.Equal(t, exitFound, res.code)
		table := strings.Join(strings.Fields(res.out), " ")
		for _, want := range []string{
			"https://fine.example/ │ ok ",
			"https://closed.example/x │ ok │ disallowed by robots.txt line 2:",
			"│ │ │ Disallow: /x; checked all the same │",
			"│ moved to https://fine.example/ ",
			"│ refused until 06:01: 403 forbidden ",
			"│ refused until 06:01: cloudflare challenge (cf-mitigated) ",
			"│ pending until 00:10:01: 500 internal server error ",
			"│ limited until 01:01: 429 too many requests ",
			"│ limited until 01:01: answered 429, Retry-After 3600 ",
			"│ broken: 404 not found ",
			"│ asked as safari ",
			"http://10.0.0.1/ │ not asked: address is not public",
			"is not a web address; do you mean │ │ │ │ https://fine.example/without-scheme ?",
			"│ broken: the address holds a user name; no credentials are ever sent ",
			"13 links on 9 domains: 3 ok, 1 moved, 3 broken, 1 pending, 2 refused, 2 limited, 1 not asked\n",
			"what is put off is due from 00:10:01 on\n",
			"What is pending is forgotten now: with -state DIR",
		} {
			assert.Contains(t, table, strings.TrimSpace(want))
		}
		assert.NotContains(t, res.out+res.errOut, "secret")
		assert.NotContains(t, res.out+res.errOut, hidden)
		for _, x := range site.Log() {
			if x.URL.Host == "guised.example" && x.URL.Path == "/" {
				assert.Contains(t, x.Header.Get("User-Agent"), "Version/")
				x.Header.Set("User-Agent", promise.UserAgent)
			}
		}
		audit(t, site.Log(), "https://closed.example/x")
		assert.Equal(t, 1, site.Count("https://fine.example/gone"))
		assert.Zero(t, site.Count("https://busy.example/2"), "the whole domain waits")
	})
}

func TestR02_AnAddressListedTwiceIsAskedForOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		site.Set("/a", words(""))
		const list = "https://fine.example/a\nHTTPS://Fine.Example:443/a\nhttps://fine.example/a#part\n\ufeffhttps://fine.example/a # again\n"
		res := start(t.Context(), site, list, "-")
		assert.Equal(t, exitNothing, res.code, res.errOut)
		assert.Equal(t, 1, site.Count("/a"))
		assert.Contains(t, res.out, "1 link on 1 domain: 1 ok")
	})
}

func TestDomainsAreSideBySideAndEachInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{Latency: 50 * time.Millisecond, Fallback: func(*http.Request) fetchtest.Answer { return words("") }}
		site.Set("/robots.txt", fetchtest.Text(""))
		var list strings.Builder
		for i := range 10 {
			for d := range 60 { // more than are asked at a time
				list.WriteString("https://d" + string(rune('0'+d/10)) + string(rune('0'+d%10)) + ".example/" + string(rune('0'+i)) + "\n")
			}
		}
		begins := time.Now()
		res := start(t.Context(), site, list.String(), "-")
		require.Equal(t, exitNothing, res.code, res.errOut)
		assert.Less(t, time.Since(begins), 15*time.Second, "no domain waits for another")
		audit(t, site.Log())
		last := make(map[string]string)
		for _, x := range site.Log() {
			if x.URL.Path != "/robots.txt" {
				assert.Greater(t, x.URL.Path, last[x.URL.Host], "in the order of the list")
				last[x.URL.Host] = x.URL.Path
			}
		}
		assert.Len(t, site.Log(), 60*11)
		assert.Contains(t, res.out, "Not shown: 600 links that are ok.")
	})
}

// A chain that leads to a busy domain waits in that one's line, and keeps nobody of its
// own domain waiting.
func TestAChainWaitsInTheLineItHasComeTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{Latency: 50 * time.Millisecond, Fallback: func(*http.Request) fetchtest.Answer { return words("") }}
		site.Set("/robots.txt", fetchtest.Text(""))
		site.Set("https://a.example/to-b", fetchtest.Redirect("https://b.example/landing"))
		site.Set("https://b.example/robots.txt", fetchtest.Text("User-agent: *\nCrawl-delay: 20\n"))
		res := start(t.Context(), site, "https://b.example/1\nhttps://b.example/2\nhttps://a.example/to-b\nhttps://a.example/2\nhttps://a.example/3\n", "-json", "-")
		require.Equal(t, exitFound, res.code, res.errOut)
		audit(t, site.Log())
		assert.Equal(t, 1, site.Count("https://a.example/to-b"), "the chain does not start over")
		when := make(map[string]time.Duration)
		for _, x := range site.Log() {
			when[x.URL.Path] = x.Began.Sub(site.Log()[0].Began)
		}
		assert.Less(t, when["/3"], 5*time.Second)
		assert.Greater(t, when["/landing"], 59*time.Second)
		assert.Less(t, when["/landing"], 62*time.Second)
	})
}

func TestJSONIsOneObjectACheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{Latency: 20 * time.Millisecond}
		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /a\n"))
		site.Set("/a", fetchtest.Redirect("/b"))
		site.Set("/b", words(""))
		site.Set("/c", fetchtest.Status(503))
		res := start(t.Context(), site, "https://fine.example/a\nhttps://fine.example/c browser=chrome", "-json", "-")
		require.Equal(t, exitFound, res.code, res.errOut)
		lines := strings.Split(strings.TrimSpace(res.out), "\n")
		require.Len(t, lines, 3)
		var rows [2]map[string]any
		for i := range rows {
			require.NoError(t, json.Unmarshal([]byte(lines[i]), &rows[i]))
		}
		began := site.Log()[1]
		assert.Equal(t, map[string]any{
			"url": "https://fine.example/a", "verdict": "moved", "why": "to https://fine.example/b", "news": true, "status": 200.0,
			"final": "https://fine.example/b", "alike": 1.0, "fingerprint": rows[0]["fingerprint"],
			"redirects": []any{map[string]any{
				"url": "https://fine.example/a", "status": 302.0, "location": "https://fine.example/b", "at": began.Ended.Format(time.RFC3339Nano), "took_ms": 20.0,
			}},
			"robots": "disallowed by robots.txt line 2: Disallow: /a", "robots_line": 2.0,
			"checked": rows[0]["checked"], "next": rows[0]["next"],
		}, rows[0])
		assert.Equal(t, map[string]any{
			"url": "https://fine.example/c", "verdict": "pending", "why": "503 service unavailable", "news": false, "status": 503.0,
			"final": "https://fine.example/c", "browser": "chrome", "until": rows[1]["next"], "checked": rows[1]["checked"], "next": rows[1]["next"],
		}, rows[1])
		var end struct{ Report summary }
		require.NoError(t, json.Unmarshal([]byte(lines[2]), &end))
		assert.Equal(t, map[verdict]int{moved: 1, pending: 1}, end.Report.Verdicts)
		assert.Equal(t, []int{2, 1, 4, 1, 0}, []int{end.Report.Links, end.Report.Domains, end.Report.Requests, end.Report.Robots, end.Report.Left})
		assert.NotContains(t, res.out, hidden)
	})
}

func TestAnInterruptedSweepSaysWhatWasDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		site.Set("/robots.txt", fetchtest.Text(""))
		site.Set("/a", words(""))
		site.Set("/hang", fetchtest.Hang())
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			time.Sleep(5*time.Second + 1)
			cancel(errors.New("interrupt signal received"))
		}()
		began := time.Now()
		dir := t.TempDir()
		res := start(ctx, site, "https://fine.example/a\nhttps://fine.example/hang\nhttps://fine.example/b", "-state", dir, "-")
		assert.Equal(t, exitInterrupted, res.code)
		assert.Equal(t, 5*time.Second+1, time.Since(began), "at once")
		assert.Contains(t, res.out, "1 ok, 2 not checked")
		assert.Contains(t, res.out, "interrupted: the table covers what was done")
		var r record
		require.NoError(t, state(dir).load("https://fine.example/hang", &r))
		assert.Empty(t, r.Verdict, "nobody's failure")
	})
}

// Browsers read a page in a coding that this bot never asks for: it is not broken.
func TestACodingThatNobodyAskedForBreaksNoLink(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		coded := words("").With("Content-Encoding", "br")
		site.Set("https://fine.example/a", words(""), coded, words(""), words("").With("Content-Encoding", "deflate"), fetchtest.HTML("<p>something else altogether"))
		site.Set("https://new.example/b", coded)
		site.Set("https://gone.example/c", fetchtest.Status(404).With("Content-Encoding", "br"))
		site.Set("https://moved.example/d", fetchtest.Redirect("https://new.example/b"))
		const list = "https://fine.example/a\nhttps://new.example/b\nhttps://gone.example/c\nhttps://moved.example/d"
		for _, want := range []string{"ok", "ok", "ok", "ok", "drifted"} {
			res := start(t.Context(), site, list, "-state", dir, "-json", "-")
			assert.Equal(t, map[string]string{
				"https://fine.example/a": want, "https://new.example/b": "ok", "https://gone.example/c": "broken", "https://moved.example/d": "moved",
			}, verdicts(t, res.out))
			assert.Contains(t, res.out, "its text is not compared: content coding is not gzip: br")
			time.Sleep(time.Hour)
		}
	})
}

// Whoever tries the command on a server of his own is told how.
func TestASweepSaysHowTheGuardLetsALinkThrough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		site.Set("/away", fetchtest.Redirect("http://10.0.0.1/"))
		res := start(t.Context(), site, "https://fine.example/away\nhttp://127.0.0.1:8080/x", "-")
		assert.Contains(t, res.out, "\nhttp://127.0.0.1:8080/x was not asked. If it is a server of yours, let it through with -allow-addr 127.0.0.1:8080.\n")
		res = start(t.Context(), site, "https://fine.example/away", "-")
		assert.NotContains(t, res.out, "-allow-addr", "a site's redirects into a network are no reason to open it")
	})
}

// What robots.txt has against a link is told where there is a server to say so.
func TestAHostThatIsGoneIsNotSaidToDisallow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		gone := fetchtest.Fail(errors.New("no such host"))
		site.Set("https://gone.example/robots.txt", gone)
		site.Set("https://gone.example/", gone)
		site.Set("https://half.example/robots.txt", fetchtest.Status(500))
		site.Set("https://half.example/", words(""))
		res := start(t.Context(), site, "https://gone.example/", "-")
		assert.Contains(t, res.out, "no such host")
		assert.NotContains(t, res.out, "disallowed")
		res = start(t.Context(), site, "https://half.example/", "-")
		assert.Contains(t, res.out, "disallowed: robots.txt could not be had; checked all the same")
	})
}

// Of a long list only what there is to know is in the table.
func TestALongTableLeavesOutWhatWasNotChecked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{Fallback: func(*http.Request) fetchtest.Answer { return words("") }}
		site.Set("/robots.txt", fetchtest.Text(""))
		site.Set("/gone", fetchtest.Status(410))
		list := "https://fine.example/gone\n"
		for i := range 99 {
			list += fmt.Sprintf("https://fine.example/%d\n", i)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second+1)
		defer cancel()
		res := start(ctx, site, list, "-")
		assert.Contains(t, res.out, "broken: 410 gone")
		assert.NotContains(t, res.out, "https://fine.example/1", "neither what is fine nor what was not asked for")
		assert.Contains(t, res.out, "Not shown: 79 links that were not checked.\nNot shown: 20 links that are ok.\n")
		assert.Contains(t, res.out, "100 links on 1 domain: 20 ok, 1 broken, 79 not checked\n")
	})
}

// What a site sends must not steer the operator's terminal.
func TestNothingOfASiteSteersTheTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /\x1b[31mx\u202e\nDisallow: /*\x1b]0;t\a\n"))
		site.Set("/a", fetchtest.Redirect("/\x1b[2J\u202e"))
		res := start(t.Context(), site, "https://fine.example/a\n\x1b[31mx\u202e\nhttps://fine.example/\x1b[2J", "-v", "-")
		for _, trick := range []string{"\x1b", "\u202e", "\a"} {
			assert.NotContains(t, res.out+res.errOut, trick)
		}
	})
}

func TestTheBotsOwnStoreIsNoVerdict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		site.Set("/a", words(""))
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "hosts"), []byte("not a folder"), 0o600))
		res := start(t.Context(), site, "https://fine.example/a", "-state", dir, "-")
		assert.Equal(t, exitFailed, res.code)
		assert.Contains(t, res.errOut, "the store failed")
		assert.Contains(t, res.out, "1 not checked")
		assert.Empty(t, site.Log())
	})
}

func TestWrongCommandLinesAndLists(t *testing.T) {
	for _, tt := range []struct {
		want, list string
		args       []string
	}{
		{"which links?", "", nil},
		{"do you mean https://site.example ?", "", []string{"-scan", "page", "site.example"}},
		{"a page or a sitemap", "", []string{"-scan", "site", "https://site.example/"}},
		{"which page?", "", []string{"-scan", "page"}},
		{"one list, please", "", []string{"-", "-json"}},
		{"…@x.example/ is an address, not a list", "", []string{"https://u:secret@x.example/"}},
		{"-accept goes with -state", "", []string{"-accept", "-"}},
		{"-stop goes with -state", "", []string{"-stop", "site.example", "-"}},
		{"not a bare domain", "", []string{"-state", "x", "-stop", "https://site.example/"}},
		{"not a bare domain in lower case", "", []string{"-state", "x", "-stop", "Site.example"}},
		{"in ASCII", "", []string{"-state", "x", "-stop", "säde.example"}},
		{"every 10m0s at most", "", []string{"-watch", "-every", "5m", "-"}},
		{"not a time", "", []string{"-every", "daily", "-"}},
		{"a number from 0 to 1", "", []string{"-drift", "NaN", "-"}},
		{"brings its own list", "", []string{"-demo", "-state", "x"}},
		{"no such file", "", []string{"no-such-list.txt"}},
		{"no run has left a list", "", []string{"-state", "no-such-folder"}},
		{"there is no address on the list", "# nothing\n\n", []string{"-"}},
		{"line 2 of the list: \"brwser=chrome\" is no option", "\nhttps://site.example/ brwser=chrome", []string{"-"}},
		{"line 1 of the list: this is no text in UTF-8", "\xff\xfeh\x00t\x00t\x00p\x00:\x00", []string{"-"}},
		{"line 1 of the list: \"…@x.example/" + strings.Repeat("y", 28) + "\" is no option", "https://site.example/ https://u:secret@x.example/" + strings.Repeat("y", 50_000), []string{"-"}},
		{"the browsers are chrome, firefox and safari", "https://site.example/ browser=lynx", []string{"-"}},
		{"longer than 65536 bytes", "https://site.example/" + strings.Repeat("x", 70_000), []string{"-"}},
	} {
		t.Run(tt.want, func(t *testing.T) {
			site := &fetchtest.Site{}
			res := start(t.Context(), site, tt.list, tt.args...)
			assert.Equal(t, exitUsage, res.code, res.errOut)
			assert.Contains(t, res.errOut, tt.want)
			assert.NotContains(t, res.errOut, "secret")
			assert.Empty(t, res.out)
			assert.Empty(t, site.Log())
		})
	}
}

func TestHelpNamesFlagsVerdictsAndExitCodes(t *testing.T) {
	res := start(t.Context(), nil, "", "-h")
	assert.Equal(t, exitNothing, res.code)
	for _, want := range []string{
		"-scan KIND", "-state DIR", "-watch", "-every TIME", "-drift X", "-accept", "-stop DOMAIN", "-allow-addr IP:PORT", "-json", "-demo",
		"  drifted 0.42", "  not asked", "  130  ", "browser=chrome", "go run",
	} {
		assert.Contains(t, res.out, want)
	}
	for line := range strings.Lines(res.out) {
		assert.LessOrEqual(t, len(line), 91)
	}
}

// gone is a screen that nothing can be written to.
type gone struct{}

func (gone) Write([]byte) (int, error) { return 0, errors.New("the screen is gone") }

func TestAnOutputThatCannotBeWrittenIsAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		code := run(t.Context(), []string{"-json", "-"}, strings.NewReader("https://fine.example/"), gone{}, io.Discard, site)
		assert.Equal(t, exitFailed, code)
	})
}

func TestAShortPauseIsSatOutAndALongOneIsTheVerdict(t *testing.T) {
	for wait, want := range map[time.Duration]string{20 * time.Second: "ok", time.Minute: "limited"} {
		synctest.Test(t, func(t *testing.T) {
			site := &fetchtest.Site{}
			site.Set("/1", fetchtest.Status(503).RetryAfter(wait))
			site.Set("/2", words(""))
			begin := time.Now()
			res := start(t.Context(), site, "https://busy.example/1\nhttps://busy.example/2", "-json", "-")
			assert.Equal(t, want, verdicts(t, res.out)["https://busy.example/2"])
			assert.LessOrEqual(t, time.Since(begin), 30*time.Second)
			audit(t, site.Log())
		})
	}
}

// What a validator says holds for the address that gave it, not for one that leads there.
func TestARedirectIsFollowedWithoutACondition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		site.Set("/a", fetchtest.Redirect("/b"))
		site.Set("/b", words("").With("Etag", `"1"`))
		dir := t.TempDir()
		for range 2 {
			start(t.Context(), site, "https://fine.example/a", "-state", dir, "-")
		}
		for _, x := range site.Log() {
			assert.Empty(t, x.Header.Get("If-None-Match"), x.URL)
		}
		assert.Equal(t, 2, site.Count("/b"))
	})
}

func TestAFailureOfTLSIsSaidPlainly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		site.Set("/robots.txt", fetchtest.Text(""))
		fault := &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}
		site.Set("/", fetchtest.Fail(fault))
		res := start(t.Context(), site, "https://fine.example/", "-json", "-")
		assert.Contains(t, res.out, politefetch.TLSText(fault, time.Now()))
		assert.NotContains(t, res.out, "x509")
	})
}
