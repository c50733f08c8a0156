package sitemap_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/sitemap"
)

// readImages reads a sitemap with extensions.
func readImages(t *testing.T, s string) (entries []sitemap.Entry, warnings []sitemap.WarningCode) {
	t.Helper()
	opts := &sitemap.Options{Extensions: true, Warn: func(w sitemap.Warning) { warnings = append(warnings, w.Code) }}
	for e, err := range sitemap.Read(strings.NewReader(s), opts) {
		require.NoError(t, err)
		entries = append(entries, e)
	}
	return entries, warnings
}

// An attribute sends an element the long way, so that both can be compared.
func TestImagesReadFastAsTheyReadSlow(t *testing.T) {
	const head = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">`
	for _, body := range []string{
		"<image:image><image:loc> https://a.test/1.jpg\n</image:loc><image:title> A  title </image:title></image:image>",
		"<image:image><image:loc>https://a.test/1.jpg</image:loc><image:title>&lt;Ä&gt;</image:title><image:caption>é</image:caption></image:image>",
		"<image:image><image:loc>https://a.test/a b.jpg</image:loc><image:license>HTTPS://A.test</image:license></image:image>",
		"<image:image><image:title>no URL</image:title></image:image><image:image><image:loc>https://a.test/2</image:loc></image:image>",
		"<image:image><image:loc>https://a.test/1</image:loc><image:loc></image:loc><image:title></image:title></image:image>",
		"<image:image><image:loc>https://a.test/1</image:loc><image:title>a\x01b</image:title></image:image>",
		"<image:image><image:loc><b>https://a.test/1</b></image:loc></image:image>",
		"<image:image><image:image><image:loc>https://a.test/1</image:loc></image:image></image:image>",
		"<image:image><image:loc>https://a.test/1</image:loc></image:Image><image:other>x</image:other>",
		"<image:loc>https://a.test/1</image:loc><image:title>x</image:title>",
		"<image:image><image:title>" + strings.Repeat("x", 40_000) + "</image:title><image:loc>https://a.test/1</image:loc></image:image>",
		"<image:image><image:loc>" + strings.Repeat(" ", 40_000) + "https://a.test/1</image:loc></image:image>",
		"<image:image><image:loc>https://a.test/" + strings.Repeat("x", 3000) + "</image:loc></image:image>",
		strings.Repeat("<image:image><image:loc>https://a.test/1</image:loc></image:image>", 1003),
		strings.Repeat("<image:image><image:loc>https://a.test/1</image:loc><image:title>"+strings.Repeat("x", 30_000)+"</image:title></image:image>", 12),
	} {
		text := head + strings.Repeat("<url><loc>https://a.test/</loc>"+body+"</url>", 2) + "</urlset>"
		entries, warnings := readImages(t, text)
		require.Len(t, entries, 2, "%.99s", body)
		assert.Equal(t, entries[0], entries[1])
		slow := strings.NewReplacer(
			"<image:image>", "<image:image a>", "<image:loc>", "<image:loc a>", "<image:title>", "<image:title a>",
			"<image:caption>", "<image:caption a>", "<image:license>", "<image:license a>").Replace(text)
		slowEntries, slowWarnings := readImages(t, slow)
		assert.Equal(t, slowEntries, entries, "%.99s", body)
		assert.Equal(t, slowWarnings, warnings, "%.99s", body)
	}
}

func TestAPrefixOfImagesMayBeDeclaredAgain(t *testing.T) {
	const image = "<i:image><i:loc>https://a.test/1.jpg</i:loc></i:image>"
	entries, _ := readImages(t, `<urlset xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"><url><loc>https://a.test/1</loc>`+image+
		`</url><url xmlns:i="urn:other"><loc>https://a.test/2</loc>`+image+"</url></urlset>")
	require.Len(t, entries, 2)
	assert.Len(t, entries[0].Images, 1)
	assert.Empty(t, entries[1].Images)
}

func TestExtensionsBelongToTheirEntry(t *testing.T) {
	var b strings.Builder
	b.WriteString("<urlset>")
	for i := range 300 {
		fmt.Fprintf(&b, "<url><loc>https://a.test/%d</loc>", i)
		for k := range i % 4 {
			fmt.Fprintf(&b, "<image:image><image:loc>https://a.test/%d-%d.jpg</image:loc><image:title>%d-%d</image:title></image:image>", i, k, i, k)
			fmt.Fprintf(&b, `<xhtml:link rel="alternate" hreflang="x%d" href="https://a.test/%d/%d"/>`, k, i, k)
		}
		b.WriteString("</url>")
	}
	b.WriteString("</urlset>")
	entries, _ := readImages(t, b.String())
	require.Len(t, entries, 300)
	for i, e := range entries {
		require.Len(t, e.Images, i%4)
		require.Len(t, e.Alternates, i%4)
		assert.Equal(t, i%4 == 0, e.Images == nil && e.Alternates == nil)
		for k := range e.Images {
			name := fmt.Sprintf("%d-%d", i, k)
			assert.Equal(t, sitemap.Image{Loc: "https://a.test/" + name + ".jpg", Title: name}, e.Images[k])
			assert.Equal(t, sitemap.Alternate{Hreflang: fmt.Sprintf("x%d", k), Href: fmt.Sprintf("https://a.test/%d/%d", i, k)}, e.Alternates[k])
		}
	}
}

func TestExtensionsCostFewAllocations(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second under the race detector")
	}
	const few, many = 1000, 11_000
	perRun := func(n int) float64 {
		input := generate(t, imageEntry, n) // two images, an alternate
		return testing.AllocsPerRun(3, func() {
			assert.Equal(t, n, readAll(t, bytes.NewReader(input), &sitemap.Options{Extensions: true}))
		})
	}
	perURL := (perRun(many) - perRun(few)) / (many - few)
	assert.LessOrEqual(t, perURL, 3.3)
}
