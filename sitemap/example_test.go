package sitemap_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/politefetch/sdk/sitemap"
)

func ExampleRead() {
	body := strings.NewReader(`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>https://www.example.com/</loc><lastmod>2026-11-30</lastmod></url>
  <url><loc>/search?a=1&b=2</loc><lastmod>yesterday</lastmod></url>
  <url><loc>https://www.example.com/ab`)

	u := &url.URL{Scheme: "https", Host: "www.example.com", Path: "/sitemap.xml"}
	for entry, err := range sitemap.Read(body, &sitemap.Options{URL: u}) {
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(entry.Loc, entry.Precision)
	}
	// Output:
	// https://www.example.com/ day
	// https://www.example.com/search?a=1&b=2 none
	// sitemap: https://www.example.com/sitemap.xml: truncated after 2 entries
}

func ExampleRead_warnings() {
	body := strings.NewReader("<urlset><url><loc>https://www.example.com/</loc><priority>high</priority></url></urlset>")
	opts := &sitemap.Options{Warn: func(w sitemap.Warning) { fmt.Printf("%s %q\n", w.Code, w.Value) }}
	for entry, err := range sitemap.Read(body, opts) {
		fmt.Println(entry.Loc, entry.HasPriority, err)
	}
	// Output:
	// bad_priority "high"
	// https://www.example.com/ false <nil>
}

// pages is a made-up site.
type pages map[string]string

func (p pages) RoundTrip(req *http.Request) (*http.Response, error) {
	body, ok := p[req.URL.Path]
	status := http.StatusOK
	if !ok {
		status = http.StatusNotFound
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
}

func ExampleWalk() {
	client := &http.Client{Transport: pages{
		"/sitemap.xml": "<sitemapindex><sitemap><loc>/a.xml</loc></sitemap><sitemap><loc>/gone.xml</loc></sitemap></sitemapindex>",
		"/a.xml":       "<urlset><url><loc>/1</loc></url><url><loc>/2</loc></url></urlset>",
	}}
	roots := []string{"https://www.example.com/sitemap.xml"}
	for entry, err := range sitemap.Walk(context.Background(), client, roots, nil) {
		if e, ok := errors.AsType[*sitemap.Error](err); ok {
			fmt.Println("missing:", e.URL, e.Status)
			continue
		}
		fmt.Println(entry.Loc)
	}
	// Output:
	// https://www.example.com/1
	// https://www.example.com/2
	// missing: https://www.example.com/gone.xml 404
}

// With room for two pages only, Keep collects inside and drops everything else, so that
// the largest sitemap takes no memory.
func ExampleWalk_fewPages() {
	client := &http.Client{Transport: pages{
		"/sitemap.xml": "<urlset><url><loc>/1</loc></url><url><loc>/2.pdf</loc></url><url><loc>/3</loc></url><url><loc>/4</loc></url></urlset>",
	}}
	var want []string
	opts := &sitemap.WalkOptions{
		Keep: func(e sitemap.Entry) bool {
			if !strings.HasSuffix(e.Loc, ".pdf") {
				want = append(want, e.Loc)
			}
			return false
		},
		Enough: func() bool { return len(want) == 2 },
	}
	for _, err := range sitemap.Walk(context.Background(), client, []string{"https://www.example.com/sitemap.xml"}, opts) {
		fmt.Println(err)
	}
	fmt.Println(want)
	// Output: [https://www.example.com/1 https://www.example.com/3]
}

// A robots.txt may name sitemaps on other hosts, and so vouch for what they say of its own
// host ("cross-submit" of sitemaps.org). Walk one site at a time, from the sitemaps that its
// robots.txt names, and keep what is on its host; where those sitemaps lie doesn't matter.
func ExampleWalk_crossSubmit() {
	client := &http.Client{Transport: pages{
		"/maps/example.xml": "<sitemapindex><sitemap><loc>/maps/1.xml</loc></sitemap><sitemap><loc>https://else.example/2.xml</loc></sitemap></sitemapindex>",
		"/maps/1.xml":       "<urlset><url><loc>https://www.example.com/</loc></url><url><loc>https://cdn.example.net/</loc></url></urlset>",
	}}
	named := []string{"https://cdn.example.net/maps/example.xml"} // by https://www.example.com/robots.txt
	const site = "https://www.example.com/"
	opts := &sitemap.WalkOptions{
		Keep: func(e sitemap.Entry) bool { return strings.HasPrefix(e.Loc, site) }, // Loc is normalised
		Follow: func(e sitemap.Entry) error {
			if e.Outside && !strings.HasPrefix(e.Loc, site) { // neither beside the index nor at home
				return errors.New("no one vouches for it")
			}
			return nil
		},
	}
	for entry, err := range sitemap.Walk(context.Background(), client, named, opts) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(entry.Loc)
	}
	// Output:
	// sitemap: https://else.example/2.xml: no one vouches for it
	// https://www.example.com/
}

func ExampleReadLLMs() {
	body := strings.NewReader(`# Example
> What the site is about

## Docs
- [Start](/start.md): read this first

## Optional
- [History](/history.md)
`)
	u := &url.URL{Scheme: "https", Host: "www.example.com", Path: "/llms.txt"}
	doc, err := sitemap.ReadLLMs(body, &sitemap.LLMsOptions{URL: u})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(doc.Title, "-", doc.Summary)
	for _, s := range doc.Sections {
		for _, l := range s.Links {
			fmt.Println(s.Title, s.Optional, l.URL, l.Note)
		}
	}
	// Output:
	// Example - What the site is about
	// Docs false https://www.example.com/start.md read this first
	// Optional true https://www.example.com/history.md
}
