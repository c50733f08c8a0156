package robots_test

import (
	"bytes"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jimsmart/grobotstxt"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/internal/conformance"
	"github.com/politefetch/sdk/robots"
)

// agents that the differential tests ask for. Their tokens are in the alphabet of
// RFC 9309, where grobotstxt and this package agree on what a line names.
func agents() []string {
	return []string{"foobot", "Googlebot", "SemrushBot", "Bingbot", "Mediapartners-Google"}
}

// plain makes a body one on which grobotstxt is right: its User-agent lines say what it
// takes them for, its escapes are in capitals (it damages others), there is nothing but
// ASCII, and rules need no normalising.
func plain(body []byte) []byte {
	body = regexp.MustCompile(`%[0-9A-Fa-f]{2}`).ReplaceAllFunc(body, func(b []byte) []byte {
		switch b = bytes.ToUpper(b); string(b) {
		case "%2D", "%2E", "%5F", "%7E":
			return []byte("%2F")
		}
		if b[1] >= '3' && b[1] <= '7' { // letters, digits
			return []byte("%2F")
		}
		return b
	})
	out := make([]byte, 0, len(body))
	for line := range bytes.Lines(body) {
		line = bytes.Map(func(r rune) rune {
			if r >= 0x7f || r == 0 || strings.ContainsRune("\"<>\\^`{|}", r) {
				return 'x'
			}
			return r
		}, line)
		// Spaces within a rule, a "$" in its middle and a suffix of a token are read differently.
		if text := bytes.TrimSpace(line); bytes.Contains(bytes.TrimRight(text, "$"), []byte("$")) ||
			len(bytes.Fields(text)) > 2 || regexp.MustCompile(`(?i)^user.*[^a-z_\s:*-]`).Match(text) ||
			regexp.MustCompile(`(?i)^user.*[a-z]\*`).Match(text) {
			line = []byte("\n")
		}
		out = append(out, line...)
	}
	return out
}

// addresses makes up paths from a body's own rules.
func addresses(body []byte, rng *rand.Rand, n int) []string {
	var rules []string
	for line := range strings.Lines(string(body)) {
		line, _, _ = strings.Cut(line, "#")
		if key, value, ok := strings.Cut(line, ":"); ok && strings.Contains(strings.ToLower(key), "allow") {
			if value = strings.TrimSpace(value); strings.HasPrefix(value, "/") || strings.HasPrefix(value, "*") {
				rules = append(rules, value)
			}
		}
	}
	if len(rules) == 0 {
		return []string{"/", "/x"}
	}
	list := make([]string, 0, n)
	fill := []string{"", "x", "/", "a/b", ".html", "index.htm", "-1"}
	for range n {
		r := strings.TrimSuffix(rules[rng.IntN(len(rules))], "$")
		for strings.Contains(r, "*") {
			r = strings.Replace(r, "*", fill[rng.IntN(len(fill))], 1)
		}
		switch rng.IntN(6) {
		case 0:
			r = r[:rng.IntN(len(r)+1)]
		case 1:
			r += fill[rng.IntN(len(fill))]
		case 2:
			r = strings.ToUpper(r)
		case 3:
			r += "?utm=1"
		}
		list = append(list, robots.Normal("/"+strings.TrimLeft(r, "/")))
	}
	return list
}

// requireEqual fails unless grobotstxt decides the path as this package does in Google's
// mode, by the same line.
func requireEqual(t *testing.T, body []byte, agent, path string, g *robots.Group) {
	t.Helper()
	address := "http://example.com" + path
	if u, err := url.Parse(address); err != nil || u.String() != address {
		return // grobotstxt would refuse it, or ask about another
	}
	m := grobotstxt.NewRobotsMatcher()
	allowed := m.AgentAllowed(string(body), agent, address)
	v := g.TestPath(path)
	require.Equal(t, allowed, v.Allowed, "%s %s: %s, grobotstxt line %d", agent, path, v, m.MatchingLine())
	if v.Reason == robots.ReasonRule {
		require.Equal(t, m.MatchingLine(), v.Line, "%s %s: %s", agent, path, v)
	}
}

// TestCorpusEqualsGrobotstxt asks about real files. What the two are known to differ in,
// escapes and odd tokens, is taken out of the files first.
func TestCorpusEqualsGrobotstxt(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(conformance.Path(t, "robots/corpus"), "*.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	n := 30
	if os.Getenv("POLITEFETCH_LONG") != "" {
		n = 2000
	}
	rng := rand.New(rand.NewPCG(9309, 1))
	asked := 0
	for _, name := range files {
		body, err := os.ReadFile(name)
		require.NoError(t, err)
		body = plain(body)
		ask := addresses(body, rng, n)
		if len(body) > 50_000 {
			ask = ask[:min(len(ask), n/4)]
		}
		for _, agent := range agents() {
			g := robots.ParseMode(body, robots.Google).Group(agent)
			for _, path := range ask {
				asked++
				requireEqual(t, body, agent, path, g)
			}
		}
	}
	t.Logf("%d decisions on %d files", asked, len(files))
}

// TestLongestOfManyPatterns asks files of random patterns, made to share prefixes, pieces
// and lengths, for what one pattern after the other would answer.
func TestLongestOfManyPatterns(t *testing.T) {
	rng := rand.New(rand.NewPCG(9309, 2))
	word := func(n int, letters string) string {
		b := make([]byte, rng.IntN(n))
		for i := range b {
			b[i] = letters[rng.IntN(len(letters))]
		}
		return string(b)
	}
	n := 3000
	if os.Getenv("POLITEFETCH_LONG") != "" {
		n = 300_000
	}
	for range n {
		patterns := make([]string, 1+rng.IntN(80))
		start := word(20, "ab/")
		for i := range patterns {
			switch rng.IntN(4) {
			case 0:
				patterns[i] = "/" + start + word(12, "ab/*")
			case 1:
				patterns[i] = "*" + word(10, "ab*")
			default:
				patterns[i] = "/" + word(14, "aab/*")
			}
			if rng.IntN(4) == 0 {
				patterns[i] += "$"
			}
		}
		for range 8 {
			path := "/" + word(40, "ab/")
			if rng.IntN(2) == 0 {
				path = "/" + start + word(20, "ab")
			}
			requireLongest(t, patterns, path)
		}
	}
}

// TestOrderOfGroupsDoesNotMatter shuffles the groups of files.
func TestOrderOfGroupsDoesNotMatter(t *testing.T) {
	groups := []string{
		"User-agent: a\nDisallow: /x\nCrawl-delay: 2\n", "User-agent: b\nUser-agent: a\nAllow: /x/y\n",
		"User-agent: *\nDisallow: /\n", "User-agent: a\nDisallow: /x/y/z*\nDisallow:\n", "User-agent: c\nCrawl-delay: 9\nDisallow: /q\n",
	}
	rng := rand.New(rand.NewPCG(9309, 3))
	for range 50 {
		rng.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
		f := robots.Parse([]byte(strings.Join(groups, "\n")))
		for _, path := range []string{"/x", "/x/y", "/x/y/zz", "/q", "/"} {
			require.Equal(t, path != "/x" && path != "/x/y/zz", f.Group("a").TestPath(path).Allowed, path)
			require.Equal(t, path != "/q", f.Group("c").TestPath(path).Allowed, path)
			require.False(t, f.Group("d").TestPath(path).Allowed, path)
		}
		d, _ := f.Group("a").CrawlDelay()
		require.Equal(t, 2*time.Second, d)
	}
}
