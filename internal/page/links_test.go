package page_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/politefetch/sdk/internal/page"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLinks(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       []page.Link
	}{
		{"relative", `<a href=x>`, []page.Link{{URL: "https://site.test/dir/x"}}},
		{"once, in order", `<a href=/b><a href=/a><a href="/b#top"><a href=/./a>`, []page.Link{{URL: "https://site.test/b"}, {URL: "https://site.test/a"}}},
		{"followed if one may be", `<a href=/b rel=nofollow></a><a href=/b>`, []page.Link{{URL: "https://site.test/b"}}},
		{"nofollow if all say so", `<a href=/b rel=nofollow></a><a href=/b rel=NOFOLLOW>`, []page.Link{{URL: "https://site.test/b", NoFollow: true}}},
		{"other schemes", `<a href="mailto:a@site.test"></a><a href="JavaScript:x()"></a><a href="data:,x"></a><a href="tel:1">`, nil},
		{"other elements", `<img src=/i><script src=/s></script><link href=/l><iframe src=/f></iframe><form action=/g><source src=/v><div href=/d>`, nil},
		{"places in the page", `<a href="#top"></a><a href=""></a><a href=" "></a><a>x</a>`, nil},
		{"base", `<base target=x><base href="https://other.test/y/z"><base href=/no/><a href=x>`, []page.Link{{URL: "https://other.test/y/x"}}},
		{"broken base", `<base href="javascript:1"><a href=x>`, []page.Link{{URL: "https://site.test/dir/x"}}},
		{"spaces and breaks", "<a href='\n /a\n b '>", []page.Link{{URL: "https://site.test/ab"}}},
		{"passwords", `<a href="https://user:secret@site.test/">`, nil},
		{"in a comment, script and template", `<!-- <a href=/x> --><script>"<a href=/x>"</script><template><a href=/x></a></template>`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, scan(t, tt.body).Links) })
	}
}

func TestLinksWithoutAnAddress(t *testing.T) {
	f, err := page.Scan(strings.NewReader(`<a href=/a></a><a href=http://site.test></a>`), nil)
	require.NoError(t, err)
	assert.Equal(t, []page.Link{{URL: "http://site.test/"}}, f.Links)
}

func TestLinksAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 10_001 {
		fmt.Fprintf(&b, "<a href=%d>", i)
	}
	body := b.String()
	for _, tt := range []struct{ max, want int }{{0, 10_000}, {1, 1}, {-1, 0}} {
		o := at("https://site.test/")
		o.MaxLinks = tt.max
		f, err := page.Scan(strings.NewReader(body), o)
		require.NoError(t, err)
		assert.Len(t, f.Links, tt.want)
		assert.Equal(t, tt.want < 10_001, f.MoreLinks)
	}
	f := scan(t, `<base href="/`+strings.Repeat("x", 8000)+`/">`+body)
	assert.True(t, f.MoreLinks, "a long base does not multiply")
	assert.Less(t, len(f.Links), 300)
}

func TestCanonical(t *testing.T) {
	const tag = `<link rel=canonical href=/tag>`
	for _, tt := range []struct{ name, link, body, want string }{
		{"element", "", tag, "https://site.test/tag"},
		{"first", "", tag + `<link rel=canonical href=/second>`, "https://site.test/tag"},
		{"against base", "", `<base href=/b/><link rel=canonical href=c>`, "https://site.test/b/c"},
		{"not in the body", "", "<body>" + tag, ""},
		{"not after text", "", "x" + tag, ""},
		{"not after an element of the body", "", "<p>" + tag, ""},
		{"not in a template", "", "<template>" + tag + "</template>", ""},
		{"empty", "", `<link rel=canonical href="">`, ""},
		{"not http", "", `<link rel=canonical href="javascript:1">`, ""},
		{"header", `</head>; rel="canonical"`, "", "https://site.test/head"},
		{"element before header", `</head>; rel="canonical"`, tag, "https://site.test/tag"},
		{"header with others", `</a,b;c>; rel=preload; title="x, <y>; rel=canonical", <h>;REL="next Canonical"; x`, "", "https://site.test/dir/h"},
		{"first rel", `</a>; rel=next; rel=canonical`, "", ""},
		{"of another page", `</a>; rel=canonical; anchor="/b"`, "", ""},
		{"broken header", `</a; rel=canonical`, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := at("https://site.test/dir/page")
			o.Header.Set("Link", tt.link)
			f, err := page.Scan(strings.NewReader("<html><head>"+tt.body), o)
			require.NoError(t, err)
			assert.Equal(t, tt.want, f.Canonical)
		})
	}
}
