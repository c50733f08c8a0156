package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
)

// pageWords are short and long ones, of two languages.
var pageWords = strings.Fields("the of kauppa and hakukone crawler delay välilehti robots page server answer sivusto polite request host visit week link owner")

// newPage writes a page of a shop, of about size bytes: a fifth of it script and style, then
// cards with a heading, an image, a link and text. A page of 20 KB has 42 links. link names
// them.
func newPage(size int, link func(i int) string) []byte {
	r := rand.New(rand.NewPCG(uint64(size), 5)) //nolint:gosec // the same page every time
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(pageWords[r.IntN(len(pageWords))] + " ")
		}
		return b.String()
	}
	b := bytes.NewBufferString(`<!DOCTYPE html><html lang="fi"><head><meta charset="utf-8"><title> Tuote &amp; hinta </title>
<meta name="viewport" content="width=device-width"><meta name="robots" content="noindex, follow">
<link rel="stylesheet" href="/a.css"><link rel="canonical" href="https://www.example.com/p?a=1&amp;b=2">
<script>window.data = {"a": "<b>", n: 1 < 2}; ` + strings.Repeat("push(['x', 'y']); ", size/200) + `</script>
<style>` + strings.Repeat(".card > a:hover { color: #123456 }\n", size/400) + "</style></head><body class=\"home page\">\n")
	for i := 0; b.Len() < size-100; i++ {
		fmt.Fprintf(b, `<div class="card card-%d" data-id="%d"><h2>%s</h2><!-- slot %d --><img src="/i/%d.jpg" alt="%s" loading=lazy>
<p>%s<a href="%s" class='btn primary'>%s</a> &ndash; %s</p></div>
`, i%7, i, text(4), i, i, text(2), text(10), link(i), text(2), text(12))
	}
	b.WriteString("</body></html>\n")
	return b.Bytes()
}
