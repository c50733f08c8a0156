package sitemap_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/sitemap"
)

const urlEntry = `  <url>
    <loc>https://www.example.com/category-%02d/some-product-page-%d.html?ref=map&amp;id=%d</loc>
    <lastmod>2026-%02d-%02dT08:15:30+02:00</lastmod>
    <changefreq>weekly</changefreq>
    <priority>0.8</priority>
  </url>
`

const imageEntry = `  <url>
    <loc>https://www.example.com/category-%02d/some-product-page-%d.html</loc>
    <image:image><image:loc>https://cdn.example.com/img/%d-1.jpg</image:loc><image:title>A picture</image:title></image:image>
    <image:image><image:loc>https://cdn.example.com/img/2.jpg</image:loc></image:image>
    <xhtml:link rel="alternate" hreflang="fi" href="https://www.example.com/fi/%02d/%02d"/>
  </url>
`

// generator is a reader of an endless or long sitemap that takes no memory.
type generator struct {
	form string
	n    int // entries left
	i    int
	rest []byte
}

func newGenerator(form string, n int) *generator {
	return &generator{form: form, n: n, rest: []byte(`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml">
`)}
}

func (g *generator) Read(p []byte) (int, error) {
	for len(g.rest) == 0 {
		switch {
		case g.n > 0:
			g.rest = fmt.Appendf(g.rest, g.form, g.i%50, g.i, g.i, g.i%12+1, g.i%28+1)
		case g.n == 0:
			g.rest = append(g.rest, "</urlset>\n"...)
		default:
			return 0, io.EOF
		}
		g.n--
		g.i++
	}
	n := copy(p, g.rest)
	if g.rest = g.rest[n:]; len(g.rest) == 0 {
		g.rest = g.rest[:0]
	}
	return n, nil
}

func generate(tb testing.TB, form string, n int) []byte {
	tb.Helper()
	b, err := io.ReadAll(newGenerator(form, n))
	require.NoError(tb, err)
	return b
}

func readAll(tb testing.TB, r io.Reader, opts *sitemap.Options) int {
	tb.Helper()
	n := 0
	for _, err := range sitemap.Read(r, opts) {
		if err != nil {
			tb.Fatal(err)
		}
		n++
	}
	return n
}

func TestOneAllocationPerURL(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second under the race detector")
	}
	const few, many = 1000, 11_000
	perRun := func(n int) float64 {
		input := generate(t, strings.Replace(urlEntry, "&amp;", "&#38;", 1), n)
		plain := bytes.ReplaceAll(input, []byte("&#38;"), []byte("-"))
		return testing.AllocsPerRun(3, func() {
			assert.Equal(t, n, readAll(t, bytes.NewReader(plain), nil))
		})
	}
	perURL := (perRun(many) - perRun(few)) / (many - few)
	assert.LessOrEqual(t, perURL, 1.01)
}

func TestMemoryDoesNotGrowWithTheFile(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 50 MB")
	}
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var peak uint64
	n := 0
	opts := &sitemap.Options{MaxURLs: -1, MaxBytes: -1}
	for _, err := range sitemap.Read(newGenerator(urlEntry, 200_000), opts) {
		require.NoError(t, err)
		if n++; n%20_000 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&now)
			peak = max(peak, now.HeapAlloc)
		}
	}
	assert.Equal(t, 200_000, n)
	assert.Less(t, int64(peak)-int64(before.HeapAlloc), int64(5<<20))
}

func BenchmarkRead(b *testing.B) {
	for name, form := range map[string]string{"plain": urlEntry, "images": imageEntry} {
		input := generate(b, form, 50_000)
		opts := &sitemap.Options{Extensions: name == "images"}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(input)))
			for b.Loop() {
				readAll(b, bytes.NewReader(input), opts)
			}
		})
		b.Run(name+"-encoding/xml", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(input)))
			for b.Loop() {
				d := xml.NewDecoder(bytes.NewReader(input))
				for {
					if _, err := d.Token(); errors.Is(err, io.EOF) {
						break
					} else if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
