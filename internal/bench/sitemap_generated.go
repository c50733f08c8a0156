package main

import (
	"fmt"
	"io"
)

const (
	sitemapHead = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml">
`
	sitemapTail = "</urlset>\n"

	entryHead = `  <url>
    <loc>https://www.example.com/category-%02d/some-product-page-%d.html</loc>
    <lastmod>2026-%02d-%02dT08:15:30+02:00</lastmod>
    <changefreq>weekly</changefreq>
    <priority>0.8</priority>
`
	entryImage = `    <image:image>
      <image:loc>https://cdn.example.com/images/%d/picture-%d-large.jpg</image:loc>
      <image:title>Some product, seen from the side</image:title>
    </image:image>
`
	entryAlternate = `    <xhtml:link rel="alternate" hreflang="fi" href="https://www.example.com/fi/some-product-page-%d.html"/>
`
	entryTail = "  </url>\n"
)

// generatedSitemap is a sitemap that is written as it is read and takes no memory.
type generatedSitemap struct {
	images bool // one or two an entry, and an alternate for every fourth
	left   int  // entries; -1 after the end
	i      int
	buf    []byte
	rest   []byte // of buf
}

func newSitemap(urls int, images bool) io.Reader {
	return &generatedSitemap{images: images, left: urls, rest: []byte(sitemapHead)}
}

func (g *generatedSitemap) Read(p []byte) (int, error) {
	if len(g.rest) == 0 {
		switch {
		case g.left > 0:
			g.buf = g.appendEntry(g.buf[:0])
		case g.left == 0:
			g.buf = append(g.buf[:0], sitemapTail...)
		default:
			return 0, io.EOF
		}
		g.rest = g.buf
		g.left--
		g.i++
	}
	n := copy(p, g.rest)
	g.rest = g.rest[n:]
	return n, nil
}

func (g *generatedSitemap) appendEntry(b []byte) []byte {
	b = fmt.Appendf(b, entryHead, g.i%50, g.i, g.i%12+1, g.i%28+1)
	if g.images {
		for image := range 1 + g.i%2 {
			b = fmt.Appendf(b, entryImage, g.i, image)
		}
		if g.i%4 == 0 {
			b = fmt.Appendf(b, entryAlternate, g.i)
		}
	}
	return append(b, entryTail...)
}
