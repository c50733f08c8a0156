package robots_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/jimsmart/grobotstxt"

	"github.com/politefetch/sdk/robots"
)

func seed(f *testing.F, add func(body, agent, path string)) {
	f.Helper()
	for _, list := range readDecisions(f) {
		for _, d := range list {
			add(d.file, d.products[0], d.path)
		}
	}
	add("User-agent: a\nCrawl-delay: 1\nRequest-rate: 1/5 0600-0700\nVisit-time: 0600-0700\nContent-Usage: /a* train-ai=y\nContent-Signal: a=b\n", "a", "/abc")
	add("user-agent:*\nallow:/\x00\xff\n\rdisallow /*a*$\n", "", "/.././%")
}

// FuzzParse: no body makes the parser or what reads its result fail, records lie in the
// file, line after line, and what is said about the file stays within bounds.
func FuzzParse(f *testing.F) {
	seed(f, func(body, _, _ string) { f.Add([]byte(body)) })
	f.Fuzz(func(t *testing.T, body []byte) {
		file := robots.Parse(body)
		line := 0
		utf16 := len(body) > 1 && (body[0] == 0xFF && body[1] == 0xFE || body[0] == 0xFE && body[1] == 0xFF)
		for r := range file.Records() {
			if r.Line <= line || r.Key == "" && r.Value == "" {
				t.Fatalf("record %+v after line %d", r, line)
			}
			line = r.Line
			if !utf16 && !strings.Contains(string(body), r.Value) || strings.ContainsAny(r.Value, "\r\n\x00#") {
				t.Fatalf("value %q isn't of the file", r.Value)
			}
		}
		for _, d := range file.Diagnostics() {
			if len(d.String()) > 300 || d.Line < 1 || d.Code == "" || strings.ContainsFunc(d.Text, func(r rune) bool { return r < ' ' || r > '~' }) {
				t.Fatalf("%q", d)
			}
		}
		file.Sitemaps()
		g := file.Group("foobot", "bar")
		g.RequestRates()
		g.VisitTimes()
		g.ContentSignals()
		g.ContentUsage("/a")
		if d, ok := g.CrawlDelay(); d < 0 || !ok && d != 0 {
			t.Fatal(d, ok)
		}
	})
}

// FuzzTest: verdicts are the same however an address is escaped, by whatever way it's
// asked about, and after an Allow was added an allowed address is still allowed.
func FuzzTest(f *testing.F) {
	seed(f, func(body, agent, path string) { f.Add(body, agent, path) })
	f.Fuzz(func(t *testing.T, body, agent, path string) {
		file := robots.Parse([]byte(body))
		g := file.Group(agent)
		v := g.TestPath(path)
		if v.Reason == robots.ReasonNone || v.Reason == robots.ReasonRule != (v.Line > 0) ||
			!v.Allowed && v.Reason != robots.ReasonRule || len(v.String()) > 300 {
			t.Fatalf("%+v", v)
		}
		normal := robots.Normal(path)
		if again := robots.Normal(normal); again != normal {
			t.Fatalf("%q becomes %q, which becomes %q", path, normal, again)
		}
		if w := g.TestPath(normal); w != v {
			t.Fatalf("%q: %s, %q: %s", path, v, normal, w)
		}
		if u, err := url.Parse("https://example.com" + normal); err == nil && u.RequestURI() == normal {
			if w := g.Test(u); w != v {
				t.Fatalf("%q: %s, as a URL: %s", path, v, w)
			}
		}
		if w := file.Group(agent, agent).TestPath(path); w != v {
			t.Fatalf("chain of one twice: %s, %s", v, w)
		}
		if v.Allowed && g.Product() != "" && ascii(path, "") == path && ascii(body[:min(len(body), 2)], "uU") != "" {
			more := robots.Parse([]byte(body + "\nUser-agent: " + g.Product() + "\nAllow: " + path[:len(path)/2] + "\n"))
			if w := more.Group(agent).TestPath(path); !w.Allowed && more.Group(agent).Product() == g.Product() {
				t.Fatalf("%s, and with an Allow more: %s", v, w)
			}
		}
	})
}

// FuzzDifferential: patterns match as grobotstxt.Matches says, one by one and many at once,
// and of those that match the longest decides.
func FuzzDifferential(f *testing.F) {
	f.Add("/a*b$", "/axb")
	f.Add("/*a\n/*b\n/*c\n/*d\n/*ef\n*ghij\n/k*l$\n/k*\n/k", "/kefghijl")
	f.Add("/ab*ba$\n/*$\n**a\n/\n/$", "/aba")
	f.Add("/aaaaaaaab\n/aaaaaaaaa*\n/aaaaaaaaaaaaaaaaaaaaaaaaa$", "/aaaaaaaaaaaaaaaaaaaaaaaaa")
	f.Fuzz(func(t *testing.T, patterns, path string) {
		list := strings.Split(patterns, "\n")
		for i := range list {
			list[i] = ascii(list[i], "*$")
		}
		requireLongest(t, list, "/"+ascii(path, ""))
	})
}

// requireLongest makes a file of the patterns, every third an Allow, and fails unless the
// one decides that grobotstxt.Matches finds to be the longest.
func requireLongest(t *testing.T, patterns []string, path string) {
	t.Helper()
	var body strings.Builder
	body.WriteString("User-agent: *\n")
	line, best, allowed := 0, 0, true
	for i, p := range patterns {
		key, allow := "Disallow: ", i%3 == 1
		if allow {
			key = "Allow: "
		}
		if strings.Contains(p, "/index.htm") {
			p = "" // read twice, when it is an Allow
		}
		body.WriteString(key + p + "\n")
		if p == "" || p[0] != '/' && p[0] != '*' || !grobotstxt.Matches(path, p) {
			continue
		}
		if len(p) > best || len(p) == best && allow && !allowed {
			line, best, allowed = i+2, len(p), allow
		}
	}
	v := robots.ParseMode([]byte(body.String()), robots.Google).Group("foobot").TestPath(path)
	if v.Line != line || v.Allowed != allowed {
		t.Fatalf("%q in\n%s%s; want line %d", path, body.String(), v, line)
	}
}

// ascii keeps letters, slashes and the characters of also, in the form they have.
func ascii(s, also string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || strings.ContainsRune("/.=?-"+also, r) {
			return r
		}
		return -1
	}, s)
}
