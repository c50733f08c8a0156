package robots_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/robots"
)

func TestFromStatus(t *testing.T) {
	body := []byte("User-agent: *\nDisallow: /x\n")
	for _, tt := range []struct {
		from, to int
		want     robots.Reason
		allowed  bool
	}{
		{-1, 199, robots.ReasonUnreachable, false},
		{200, 299, robots.ReasonRule, false},
		{300, 399, robots.ReasonUnreachable, false},
		{400, 428, robots.ReasonUnavailable, true},
		{429, 429, robots.ReasonUnreachable, false},
		{430, 499, robots.ReasonUnavailable, true},
		{500, 999, robots.ReasonUnreachable, false},
	} {
		for status := tt.from; status <= tt.to; status++ {
			f := robots.FromStatus(status, body)
			v := f.Group("foobot").TestPath("/x")
			require.Equal(t, tt.want, v.Reason, "%d", status)
			require.Equal(t, tt.allowed, v.Allowed, "%d", status)
			require.Equal(t, tt.want == robots.ReasonUnreachable, f.Unreachable(), "%d", status)
			v = f.Group("foobot").TestPath("/robots.txt")
			require.Equal(t, robots.Verdict{Allowed: true, Reason: robots.ReasonRobotsTxt}, v, "%d", status)
		}
	}
}

func TestZeroFileAllowsEverything(t *testing.T) {
	var f robots.File
	g := f.Group("foobot")
	assert.Equal(t, robots.Verdict{Allowed: true, Reason: robots.ReasonNoGroup}, g.TestPath("/x"))
	assert.False(t, f.Unreachable())
	assert.Empty(t, f.Sitemaps())
	assert.Empty(t, f.Diagnostics())
	assert.Empty(t, g.Product())
}

func TestReasons(t *testing.T) {
	f := robots.Parse([]byte("User-agent: foobot\nDisallow: /x\n"))
	assert.Equal(t, robots.ReasonRule, f.Group("foobot").TestPath("/x").Reason)
	assert.Equal(t, robots.ReasonNoRule, f.Group("foobot").TestPath("/y").Reason)
	assert.Equal(t, robots.ReasonNoGroup, f.Group("other").TestPath("/x").Reason)
	for r, want := range map[robots.Reason]string{
		robots.ReasonNone: "none", robots.ReasonRule: "rule", robots.ReasonNoRule: "no rule",
		robots.ReasonNoGroup: "no group", robots.ReasonRobotsTxt: "robots.txt itself",
		robots.ReasonUnavailable: "unavailable", robots.ReasonUnreachable: "unreachable", 99: "Reason(99)",
	} {
		text, err := json.Marshal(r)
		require.NoError(t, err)
		assert.Equal(t, `"`+want+`"`, string(text))
	}
}

func TestProductIsTheTokenThatChose(t *testing.T) {
	f := robots.Parse([]byte("User-agent: foobot\nUser-agent: *\nDisallow: /x\n"))
	assert.Equal(t, "FooBot", f.Group("Other", "FooBot").Product())
	assert.Equal(t, "FooBot", f.Group("Mozilla/5.0 (compatible; FooBot/1.0)").Product())
	assert.Equal(t, "*", f.Group("Other").Product())
	assert.Equal(t, "*", f.Group().Product())
}

func TestTestTakesPathAndQueryAsSent(t *testing.T) {
	g := robots.Parse([]byte("User-agent: *\nDisallow: /*?\nDisallow: /a%2Fb\nDisallow: /ö\n")).Group("foobot")
	for address, line := range map[string]int{
		"https://example.com/x":     0,
		"https://example.com/x?":    2, // a query that is empty
		"https://example.com/x?y":   2,
		"https://example.com/a%2fb": 3,
		"https://example.com/a/b":   0,
		"https://example.com/ö":     4,
		"https://example.com#a?b":   0,
		"https://example.com":       0,
	} {
		u, err := url.Parse(address)
		require.NoError(t, err)
		v := g.Test(u)
		assert.Equal(t, line, v.Line, "%s: %s", address, v)
	}
	assert.Equal(t, 2, g.Test(&url.URL{Path: "/x", RawQuery: "y"}).Line)
	assert.Equal(t, 2, g.Test(&url.URL{Scheme: "https", Opaque: "//example.com/x?y"}).Line)
	assert.Zero(t, g.Test(nil))
}

func TestVerdictExplainsItself(t *testing.T) {
	g := robots.Parse([]byte("User-agent: *\n  dissallow :/private/\x1b[1m\t# no\nAllow /ok\nDisallow: /" + strings.Repeat("long", 500) + "\n")).Group("foobot")
	v := g.TestPath("/private/%1B[1m")
	assert.Equal(t, "dissallow :/private/\x1b[1m", v.Rule)
	assert.Equal(t, `disallowed by robots.txt line 2: dissallow :/private/\x1b[1m`, v.String())
	assert.Equal(t, "allowed by robots.txt line 3: Allow /ok", g.TestPath("/ok").String())
	long := g.TestPath("/" + strings.Repeat("long", 501)).String()
	assert.LessOrEqual(t, len(long), 300)
	assert.True(t, strings.HasSuffix(long, "..."))
	assert.Equal(t, "disallowed: no reason given", robots.Verdict{}.String())
	assert.Equal(t, "disallowed: robots.txt could not be had", robots.Verdict{Reason: robots.ReasonUnreachable}.String())
	assert.Equal(t, "allowed: there is no robots.txt", robots.Verdict{Allowed: true, Reason: robots.ReasonUnavailable}.String())
	assert.Equal(t, "allowed: no rule of robots.txt matches", g.TestPath("/").String())
	assert.Equal(t, "allowed: robots.txt itself may always be read", g.TestPath("/robots.txt").String())
	hostile := robots.Verdict{Reason: robots.ReasonRule, Line: 500000, Rule: strings.Repeat("\xff", 16000)}.String()
	assert.LessOrEqual(t, len(hostile), 300)
	exact := robots.Verdict{Reason: robots.ReasonRule, Line: 1, Rule: strings.Repeat("x", 230)}.String()
	assert.True(t, strings.HasSuffix(exact, strings.Repeat("x", 230)), exact)
}

func TestRuleIsPartOfTheFile(t *testing.T) {
	body := "User-agent: *\n\tDisallow : /x\u00a0# y\r\n Allow: /*.html$ \nDisallow: /caf%c3%a9\nDisallow: /z # not /z\n\v\u00a0Disallow: /w\n"
	g := robots.Parse([]byte(body)).Group("foobot")
	assert.Equal(t, "Disallow : /x", g.TestPath("/x").Rule)
	assert.Equal(t, "Allow: /*.html$", g.TestPath("/a.html").Rule)
	assert.Equal(t, "Disallow: /caf%c3%a9", g.TestPath("/café").Rule)
	assert.Equal(t, "Disallow: /z", g.TestPath("/z").Rule)
	assert.Equal(t, "Disallow: /w", g.TestPath("/w").Rule)
}

func TestSitemaps(t *testing.T) {
	f := robots.Parse([]byte("Sitemap: https://example.com/a.xml # one\nUser-agent: *\nSITEMAP:/b.xml\nDisallow: /\n" +
		"site-map: https://example.com/a.xml\nSitemap:\nSitemap https://example.com/c.xml\nSitemap: https://example.com/%c3%a9?ö\n"))
	assert.Equal(t, []string{"https://example.com/a.xml", "/b.xml", "//example.com/c.xml", "https://example.com/%c3%a9?ö"}, f.Sitemaps())

	var b strings.Builder
	for i := range 1100 {
		b.WriteString("Sitemap: /" + strings.Repeat("x", i) + "\n")
	}
	assert.Len(t, robots.Parse([]byte(b.String())).Sitemaps(), 1000)
}

func TestRecords(t *testing.T) {
	f := robots.Parse([]byte("\xef\xbb\xbfHost: яндекс.рф\nuseragent *\nDissalow : /x # y\nClean-param: a&b /é%c3\n\nLicense: https://a.example/l.xml\ncrawldelay: 5\nNoIndex:\nthree words here\n"))
	var got []robots.Record
	for r := range f.Records() {
		got = append(got, r)
	}
	assert.Equal(t, []robots.Record{
		{"host", "яндекс.рф", 1},
		{"user-agent", "*", 2},
		{"disallow", "/x", 3},
		{"clean-param", "a&b /é%c3", 4},
		{"license", "https://a.example/l.xml", 6},
		{"crawl-delay", "5", 7},
		{"noindex", "", 8},
	}, got)
	for range f.Records() {
		break // an iterator may be left
	}
}

func TestUnionReadsAllProductsAtOnce(t *testing.T) {
	body := []byte("User-agent: a\nDisallow: /a\nUser-agent: b\nDisallow: /b\nUser-agent: *\nDisallow: /c\n")
	g := robots.ParseMode(body, robots.Union).Group("a", "b")
	assert.False(t, g.TestPath("/a").Allowed)
	assert.False(t, g.TestPath("/b").Allowed)
	assert.True(t, g.TestPath("/c").Allowed)
}

func TestStrictReaderSeesNoMisspelling(t *testing.T) {
	body := []byte("User-agent: *\nDisalow: /a\nDisallow /b\nAllow: /c/index.html\nDisallow: /c/\nUseragent: foobot\nDisallow: /d\n")
	g := robots.ParseMode(body, robots.RFC9309).Group("other")
	assert.True(t, g.TestPath("/a").Allowed)
	assert.True(t, g.TestPath("/b").Allowed)
	assert.False(t, g.TestPath("/c/").Allowed)
	assert.False(t, g.TestPath("/d").Allowed)
	assert.True(t, robots.Parse(body).Group("other").TestPath("/c/").Allowed)
}

// TestLimit has the limit fall into and beside lines: what is cut never counts.
func TestLimit(t *testing.T) {
	head := "User-agent: *\nDisallow: /\n"
	last := "\nAllow: /public/"
	fill := strings.Repeat("#", robots.MaxBytes-len(head)-len(last))
	for _, tt := range []struct {
		name, body string
		allowed    bool
	}{
		{"all of the limit", head + fill + last, true},
		{"the line is whole, LF", head + fill + last + "\n# more", true},
		{"the line is whole, CR", head + fill + last + "\r# more", true},
		{"one byte more", head + fill + last + "x", false},
		{"the line starts at the limit", head + fill + "##############" + last, false},
		{"UTF-16", wide(head + fill[:len(fill)/2-100] + last + strings.Repeat("\n# more", 1000)), true},
		{"UTF-16, cut", wide(head + fill[:robots.MaxBytes/2-len(head)-len("\nAllow: /")-1] + last), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := robots.Parse([]byte(tt.body)).Group("foobot")
			assert.False(t, g.TestPath("/secret").Allowed)
			assert.Equal(t, tt.allowed, g.TestPath("/public/x").Allowed)
		})
	}
}

// wide is ASCII text as UTF-16.
func wide(s string) string {
	return "\xff\xfe" + strings.Join(strings.Split(s, ""), "\x00") + "\x00"
}
