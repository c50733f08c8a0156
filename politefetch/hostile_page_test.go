package politefetch_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch"
)

// Markup that costs parsers dearly: of each shape as much as a page may have, and on.
func TestHostileMarkup(t *testing.T) {
	kib := func(s string) string { return strings.Repeat(s, 1<<10/len(s)+1) }
	var scripts []hostile
	for _, tt := range []struct{ name, start, each string }{
		{"nested div", "", kib("<div>")},
		{"nested b and p", "", kib("<b><b><b><p>")},
		{"nested tables", "<table>", kib("x<b>")},
		{"nested svg", "", kib("<svg><foreignObject>")},
		{"nested templates", "", kib("<template>")},
		{"end tags alone", "", kib("</p>")},
		{"a tag without an end", "<a ", kib("x")},
		{"attributes without an end", "<a ", kib("a ")},
		{"attributes of new names", "<a", kib(" a1 b2 c3 d4=5")},
		{"an attribute without an end", `<a href="`, kib("x")},
		{"a comment without an end", "<!--", kib("- ->")},
		{"a doctype without an end", "<!doctype ", kib("x")},
		{"a script without an end", "<script>", kib("</scrip ")},
		{"a script of comments", "<script>", kib("<!--<script>")},
		{"a title without an end", "<title>", kib("word ")},
		{"a text of one word", "<p>", kib("x")},
		{"a text of words", "<p>", kib("a b c d ")},
		{"links", "", kib("<a href=/x>y</a>")},
		{"long links", "", "<a href=/" + kib("x") + ">y</a>"},
		{"links with dots", "", "<a href=" + kib("../") + "x>y</a>"},
		{"bases", "", kib("<base href=/a/>")},
		{"meta robots", "", kib("<meta name=robots content='noindex,nofollow'>")},
		{"meta charset", "", kib("<meta charset=utf-16>")},
		{"named entities", "<p>", kib("&CounterClockwiseContourIntegral;")},
		{"numbered entities", "<p>", kib("&#x1F600;&#0;")},
		{"half entities", "<p>", kib("&amp")},
		{"open brackets", "", kib("<")},
		{"zeros", "", kib("\x00")},
		{"bytes that are no UTF-8", "<p>", kib("\xff\xfe\x80")},
		{"marks that combine", "<p>", kib("e\u0301\u0301\u0301\u0301")},
		{"right to left", "<p>", kib("\u202e")},
	} {
		scripts = append(scripts, hostile{name: tt.name, f: flood(pageHead+tt.start, tt.each), body: "*", cut: true})
	}
	for _, charset := range []string{"utf-7", "utf-16le", "gb18030", "iso-2022-jp", "banana", "utf-8; charset=utf-16"} {
		head := strings.Replace(pageHead, "text/html", "text/html; charset="+charset, 1)
		scripts = append(scripts, hostile{name: "charset " + charset, f: flood(head, kib("\x1b$B<+ADw-\xe3\x81")), body: "*", cut: true})
	}
	runHostile(t, scripts)
}

func TestHostileRedirects(t *testing.T) {
	to := func(location string) string {
		return "HTTP/1.1 302 F\r\nContent-Type: text/html\r\nLocation: " + location + "\r\n"
	}
	many := strings.Repeat("x", 64<<10)
	const end = "Content-Length: 0\r\n\r\n"
	runHostile(t, []hostile{
		{name: "to itself", f: fixed(to("/") + end), want: politefetch.ErrRedirectLoop, status: 302},
		{name: "without a Location", f: fixed("HTTP/1.1 302 F\r\n" + end), want: politefetch.ErrBadRedirect, status: 302},
		{name: "to an address of 8 KiB and more", f: fixed(to("/"+strings.Repeat("a", 8192)) + end), want: politefetch.ErrBadRedirect, status: 302, sent: hostileHead},
		{name: "to an address of 8 KiB once escaped", f: fixed(to("/"+strings.Repeat("ä", 3000)) + end), want: politefetch.ErrBadRedirect, status: 302, sent: hostileHead},
		{name: "to a million dots", f: fixed(to(strings.Repeat("../", 1<<20)) + end), want: politefetch.ErrFlood, sent: hostileHead},
		{name: "with a password", f: fixed(to("http://user:geheim@hostile.example/") + end), want: politefetch.ErrBadRedirect, status: 302},
		{name: "to a file", f: fixed(to("file:///etc/passwd") + end), want: politefetch.ErrBadRedirect, status: 302},
		{name: "to a script", f: fixed(to("javascript:alert(1)") + end), want: politefetch.ErrBadRedirect, status: 302},
		{name: "to data", f: fixed(to("data:text/html,x") + end), want: politefetch.ErrBadRedirect, status: 302},
		{name: "to the inside", f: fixed(to("http://169.254.169.254/latest/meta-data/") + end), want: politefetch.ErrGuard, outcome: politefetch.Barred, status: 302},
		{name: "to itself, with an endless body", f: flood(to("/")+"\r\n", many), want: politefetch.ErrRedirectLoop, status: 302, cut: true, sent: 512 << 10},
		{name: "elsewhere inside, with an endless body", f: flood(to("http://10.0.0.1/")+"\r\n", many), want: politefetch.ErrGuard, outcome: politefetch.Barred, status: 302, sent: 64 << 10},
	})
}

// Chains: more than one request, each within the limits.
func TestHostileRedirectChains(t *testing.T) {
	for _, tt := range []struct {
		name string
		next func(path string) string
		want error
		asks int64
	}{
		{"growing", func(path string) string { return path + "a" }, politefetch.ErrTooManyHops, 11},
		{"growing by 4 KiB", func(path string) string { return path + strings.Repeat("a", 4096) }, politefetch.ErrBadRedirect, 2},
		{"in a circle", func(path string) string {
			return map[string]string{"/": "/b", "/b": "/c", "/c": "/"}[path]
		}, politefetch.ErrRedirectLoop, 3},
		{"between hosts", func(path string) string {
			return fmt.Sprintf("http://h%d.example/%s", len(path), path)
		}, politefetch.ErrTooManyHops, 11},
	} {
		t.Run(tt.name, func(t *testing.T) {
			peak := watchHeap(t)
			synctest.Test(t, func(t *testing.T) {
				h := &hostile{}
				s := &hostileServer{h: h, redirect: tt.next}
				bot := hostileBot(t, s)
				defer time.Sleep(2 * time.Hour)
				defer bot.CloseIdleConnections()
				p, err := bot.Fetch(t.Context(), "http://hostile.example/", nil)
				require.ErrorIs(t, err, tt.want)
				assert.Less(t, len(err.Error()), hostileError)
				assert.Equal(t, politefetch.Failed, p.Outcome)
				assert.Equal(t, tt.asks, s.requests.Load())
				assert.LessOrEqual(t, s.sent.Load(), int64(1<<20))
			})
			assert.Less(t, peak(), int64(hostileHeap))
		})
	}
}

// In place of robots.txt: nothing is read that a file might forbid, and the limits hold.
func TestHostileRobots(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
	page := fixed(pageHead + "x")
	gone := func(scripts []hostile) []hostile {
		for i := range scripts {
			scripts[i].outcome, scripts[i].barred = politefetch.NoRobots, true
		}
		return scripts
	}
	runHostile(t, []hostile{
		{name: "endless rules", robots: flood(ok, strings.Repeat("User-agent: *\nDisallow: /a\n", 1000)), f: page, body: "x", sent: 1 << 20},
		{name: "one endless line", robots: flood(ok, strings.Repeat("x", 64<<10)), f: page, body: "x", sent: 1 << 20},
		{name: "endless wildcards", robots: flood(ok+"User-agent: *\n", "Disallow: /"+strings.Repeat("*a", 500)+"$\n"), f: page, body: "x", sent: 1 << 20},
		{name: "a gzip bomb", robots: fixed("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + packed(t, strings.Repeat("\n", 8<<20))), f: page, body: "x", sent: 128 << 10},
		{name: "an endless 404", robots: flood("HTTP/1.1 404 X\r\n\r\n", strings.Repeat("x", 64<<10)), f: page, body: "x", sent: 1 << 20},
		{name: "endless empty lines", robots: flood(ok, strings.Repeat("\n", 64<<10)), f: page, body: "x", sent: 1 << 20},
	})
	runHostile(t, gone([]hostile{
		{name: "no HTTP", robots: fixed("User-agent: *\nDisallow:\n")},
		{name: "closed", robots: fixed("")},
		{name: "a broken file", robots: fixed("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nUser-agent: *\n")},
		{name: "br", robots: flood("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n", "xxxx"), sent: 64 << 10},
		{name: "an endless 500", robots: flood("HTTP/1.1 500 X\r\n\r\n", strings.Repeat("x", 64<<10)), sent: 1 << 20},
		{name: "an endless head", robots: flood("HTTP/1.1 200 OK\r\n", "X-Pad: "+strings.Repeat("a", 1000)+"\r\n"), sent: hostileHead},
		{name: "never answers", robots: stall(""), took: 10 * time.Second},
		{name: "drips", robots: drip(ok, "#", 101*time.Millisecond), took: 5 * time.Second},
	}))
}

// Visits of sites that are traps: each ends by itself, within its limits.
func TestHostileSites(t *testing.T) {
	const xml = "HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\n\r\n"
	const urlset = xml + `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`
	const index = xml + `<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`
	const zipped = "HTTP/1.1 200 OK\r\nContent-Type: application/gzip\r\n\r\n"
	one := "<url><loc>http://hostile.example/p</loc></url>"
	var bomb strings.Builder
	bomb.WriteString(urlset[len(xml):])
	for i := range 150_000 {
		fmt.Fprintf(&bomb, "<url><loc>http://hostile.example/p%d</loc></url>", i)
	}
	var links strings.Builder
	links.WriteString(pageHead)
	for i := range 100_000 {
		fmt.Fprintf(&links, "<a href=/page/%d>x</a>", i)
	}
	for _, tt := range []struct {
		name    string
		sitemap func(w io.Writer) // of any address that begins with /sitemap
		page    func(path string) string
		sent    int64 // for sitemaps and pages
		pages   int   // at most
	}{
		{"a sitemap without an end", flood(urlset, strings.Repeat(one, 1000)), nil, 52 << 20, 2},
		{"a sitemap of ever new addresses", func(w io.Writer) {
			for i, ok := 0, put(w, urlset); ok; i++ {
				ok = put(w, fmt.Sprintf("<url><loc>http://hostile.example/p%d</loc></url>", i))
			}
		}, nil, 52 << 20, 30},
		{"a sitemap bomb", fixed(zipped + packed(t, bomb.String())), nil, 4 << 20, 30},
		{"a sitemap of zeros, packed", fixed(zipped + packed(t, strings.Repeat("\x00", 8<<20))), nil, 1 << 20, 1},
		{"a tag without an end", flood(urlset+"<url ", strings.Repeat("a='b' ", 10_000)), nil, 52 << 20, 1},
		{"an address without an end", flood(urlset+"<url><loc>http://hostile.example/", strings.Repeat("a", 64<<10)), nil, 52 << 20, 1},
		{"depth", flood(urlset, strings.Repeat("<a>", 10_000)), nil, 52 << 20, 1},
		{"entities", fixed(xml + `<!DOCTYPE z [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]><urlset><url><loc>&b;&c;</loc></url></urlset>`), nil, 1 << 20, 1},
		{"an index of itself", fixed(index + "<sitemap><loc>http://hostile.example/sitemap.xml</loc></sitemap></sitemapindex>"), nil, 1 << 20, 1},
		{"indexes without an end", func(w io.Writer) {
			put(w, index)
			for i := range 50 {
				put(w, fmt.Sprintf("<sitemap><loc>http://hostile.example/sitemap%d-%d.xml</loc></sitemap>", i, time.Now().UnixNano()))
			}
			put(w, "</sitemapindex>")
		}, nil, 8 << 20, 1},
		{"a calendar", nil, func(path string) string {
			return pageHead + fmt.Sprintf("<a href=%sx/>tomorrow</a><a href='?d=%d'>next</a>", path, len(path))
		}, 1 << 20, 30},
		{"pages of links", nil, func(string) string { return links.String() }, 64 << 20, 30},
	} {
		t.Run(tt.name, func(t *testing.T) {
			peak := watchHeap(t)
			synctest.Test(t, func(t *testing.T) {
				s := &hostileServer{h: &hostile{}, site: func(w io.Writer, path string) {
					switch {
					case strings.HasPrefix(path, "/sitemap") && tt.sitemap != nil:
						tt.sitemap(w)
					case strings.HasPrefix(path, "/sitemap"):
						put(w, noRobots)
					case tt.page != nil:
						put(w, tt.page(path))
					default:
						put(w, onePage)
					}
				}}
				bot := hostileBot(t, s)
				defer time.Sleep(2 * time.Hour)
				defer bot.CloseIdleConnections()
				began := time.Now()
				v, err := bot.Visit("http://hostile.example/", &politefetch.VisitOptions{MaxPages: 30, DropBodies: true})
				require.NoError(t, err)
				pages := 0
				for range v.Pages(t.Context()) {
					pages++
				}
				r := v.Report()
				assert.LessOrEqual(t, pages, tt.pages)
				assert.NotEqual(t, politefetch.Outcome(""), r.Outcome, "it came to an end")
				assert.LessOrEqual(t, s.sent.Load(), tt.sent, "bytes that the server got rid of")
				assert.LessOrEqual(t, time.Since(began), 10*time.Minute)
				t.Logf("%d pages, %s: %s; %d requests, %d KiB", pages, r.Outcome, r.Why, s.requests.Load(), s.sent.Load()>>10)
			})
			assert.Less(t, peak(), int64(hostileHeap))
		})
	}
	t.Logf("so far %d scripts in all, greatest peak of the heap %.1f MiB", hostileCount.Load(), float64(hostilePeak.Load())/(1<<20))
}
