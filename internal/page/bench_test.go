package page_test

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/politefetch/sdk/internal/botwall"
	"github.com/politefetch/sdk/internal/page"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
)

// typical returns a page of about 20 KB with 100 links.
func typical() []byte {
	var b bytes.Buffer
	b.WriteString(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Oak furniture</title>` +
		`<meta name="description" content="Made by hand"><link rel="canonical" href="/oak">` +
		`<link rel="stylesheet" href="/a.css"><script>var config = {"a": 1, "b": [1, 2, 3]};</script></head><body>`)
	for i := range 65 {
		fmt.Fprintf(&b, `<div class="card card-%d" id="c%d" data-x="%d"><h2>Table %d</h2><p>Solid oak, oiled &amp; sanded, 200 by 90 cm.`+
			` <em>In stock</em>, ships within a week from our workshop.</p><a class="more" href="/tables/%d">More</a>`+
			`<a href="/cart?add=%d" rel="nofollow">Add to cart</a><img src="/i/%d.jpg" alt="Table"></div>`, i, i, i, i, i, i, i)
		b.WriteByte('\n')
	}
	b.WriteString(`</body></html>`)
	return b.Bytes()
}

func BenchmarkScan(b *testing.B) {
	body, o := typical(), at("https://site.test/")
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := page.Scan(bytes.NewReader(body), o); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTokenizer is what any scan on this tokenizer costs at least: each tag's name
// and attributes, each text.
func BenchmarkTokenizer(b *testing.B) {
	body := typical()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		tokenize(body)
	}
}

func tokenize(body []byte) {
	z := html.NewTokenizer(bytes.NewReader(body))
	for tt := z.Next(); tt != html.ErrorToken; tt = z.Next() {
		switch tt {
		case html.StartTagToken, html.SelfClosingTagToken:
			_, more := z.TagName()
			for more {
				_, _, more = z.TagAttr()
			}
		case html.EndTagToken:
			z.TagName()
		case html.TextToken:
			z.Text()
		default:
		}
	}
}

func TestScanAllocatesLessThanThePlainTokenizer(t *testing.T) {
	body, o := typical(), at("https://site.test/")
	plain := testing.AllocsPerRun(5, func() { tokenize(body) })
	scan := testing.AllocsPerRun(5, func() { page.Scan(bytes.NewReader(body), o) })
	t.Logf("%d bytes: %.0f allocations, tokenizer alone %.0f", len(body), scan, plain)
	assert.Less(t, scan, plain)
}

// TestWallCostsNoSecondPass: where a page may be a wall to its end, its attributes are all
// looked at, in the one pass there is. A second one would double the allocations.
func TestWallCostsNoSecondPass(t *testing.T) {
	body, o := typical(), at("https://site.test/")
	o.Status = 403
	pass := testing.AllocsPerRun(5, func() { tokenize(body) })
	detect := testing.AllocsPerRun(5, func() { botwall.Detect(o.Status, o.Header, body) })
	scan := testing.AllocsPerRun(5, func() { page.Scan(bytes.NewReader(body), o) })
	t.Logf("%.0f allocations, one pass alone %.0f, detection alone %.0f", scan, pass, detect)
	assert.Greater(t, detect, 0.9*pass, "detection alone is such a pass")
	assert.Less(t, scan, 1.3*pass)
}

// TestMemoryIsConstant scans 2 MiB of each shape and looks at the heap while it does.
func TestMemoryIsConstant(t *testing.T) {
	for name, unit := range map[string]string{
		"text": "word ", "one word": "x", "nesting": "<div>", "attributes": `<p a b=1 c='2'>`, "scripts": "<script>x</script>", "links": "<a href=y>",
		"references": "&amp;", "comments": "<!--x-->", "templates": "<template>", "svg": "<svg><title>", "headings": "<h1>x", "titles": "<title>x</title>",
	} {
		t.Run(name, func(t *testing.T) {
			r := &gauge{unit: []byte(strings.Repeat(unit, 64<<10/len(unit))), left: 32}
			f, err := page.Scan(r, at("https://site.test/"))
			require.NoError(t, err)
			assert.Greater(t, f.Bytes, int64(1<<20))
			assert.Less(t, r.peak, uint64(1<<20), "bytes more than at the start")
		})
	}
}

// gauge repeats a unit, and measures the live heap every 8 times.
type gauge struct {
	unit        []byte
	rest        []byte
	left        int
	start, peak uint64
}

func (g *gauge) Read(p []byte) (int, error) {
	if len(g.rest) == 0 {
		if g.left == 0 {
			return 0, io.EOF
		}
		if g.left--; g.left%8 == 0 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			if g.start == 0 {
				g.start = m.HeapAlloc
			}
			g.peak = max(g.peak, m.HeapAlloc-min(g.start, m.HeapAlloc))
		}
		g.rest = g.unit
	}
	n := copy(p, g.rest)
	g.rest = g.rest[n:]
	return n, nil
}
