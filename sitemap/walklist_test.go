package sitemap_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/sitemap"
)

func TestWalkListsAnIndexInPlaceOfFollowingIt(t *testing.T) {
	web := &site{t: t, answers: map[string]answer{
		"https://a.test/i.xml": {Status: 200, Body: `<sitemapindex>
			<sitemap><loc>/old.xml</loc><lastmod>2020-01-01</lastmod></sitemap>
			<sitemap><loc>/i.xml</loc></sitemap>
			<sitemap><loc>/new.xml</loc><lastmod>2026-01-01</lastmod></sitemap>
			<url><loc>/page</loc></url>
			<sitemap><loc>/dropped.xml</loc></sitemap>
			<sitemap><loc>/new.xml</loc></sitemap></sitemapindex>`},
	}}
	list := func(opts sitemap.WalkOptions) (locs []string) {
		web.fetched = nil
		opts.Sitemaps, opts.Unique = true, true
		opts.Keep = func(e sitemap.Entry) bool { return e.Loc != "https://a.test/dropped.xml" }
		opts.Follow = func(e sitemap.Entry) error { return errors.New("asked about " + e.Loc) }
		opts.Observe = func(f sitemap.File) {
			assert.Equal(t, "https://a.test/i.xml", f.URL)
			if opts.MaxPages == 0 {
				assert.Equal(t, 5, f.Sitemaps)
				assert.Equal(t, 1, f.Pages)
			}
		}
		for e, err := range sitemap.Walk(t.Context(), web.client(), []string{"https://a.test/i.xml"}, &opts) {
			require.NoError(t, err)
			assert.Equal(t, e.Loc != "https://a.test/page", e.Sitemap)
			locs = append(locs, e.Loc)
		}
		assert.Equal(t, []string{"https://a.test/i.xml"}, web.fetched)
		return locs
	}
	all := []string{"https://a.test/old.xml", "https://a.test/i.xml", "https://a.test/new.xml", "https://a.test/page"}
	assert.Equal(t, all, list(sitemap.WalkOptions{NewestFirst: true}))
	assert.Equal(t, all[:2], list(sitemap.WalkOptions{MaxPages: 2}))
	assert.Equal(t, all[1:], list(sitemap.WalkOptions{Since: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)}))
}

func TestWalkGoesFiveLevelsDownByDefault(t *testing.T) {
	web := &site{t: t, answers: map[string]answer{}}
	for i := range 8 {
		web.answers[fmt.Sprintf("https://a.test/%d.xml", i)] = answer{Status: 200, Body: index(fmt.Sprintf("/%d.xml", i+1))}
	}
	_, errs := collect(t, web, nil, "https://a.test/0.xml")
	require.Len(t, errs, 1)
	require.ErrorIs(t, errs[0], sitemap.ErrDepth)
	assert.Len(t, web.fetched, 1+5, "the root has depth 0")

	web.fetched = nil
	_, errs = collect(t, web, &sitemap.WalkOptions{MaxDepth: -1}, "https://a.test/0.xml")
	require.Len(t, errs, 1)
	require.ErrorIs(t, errs[0], sitemap.ErrStatus, "the one that does not exist")
	assert.Len(t, web.fetched, 9)
}

func TestWalkAsksForFiveHundredFilesByDefault(t *testing.T) {
	web := &site{t: t, answers: map[string]answer{}}
	var children []string
	for i := range 600 {
		children = append(children, fmt.Sprintf("/%d.xml", i))
		web.answers["https://a.test"+children[i]] = answer{Status: 200, Body: urlset(fmt.Sprintf("/page-%d", i))}
	}
	web.answers["https://a.test/i.xml"] = answer{Status: 200, Body: index(children...)}
	pages, errs := collect(t, web, nil, "https://a.test/i.xml")
	require.Len(t, errs, 1)
	require.ErrorIs(t, errs[0], sitemap.ErrTooManyFiles)
	assert.Len(t, web.fetched, 500)
	assert.Len(t, pages, 499)
}

func TestWalkGoesOnAfterABadChild(t *testing.T) {
	web := &site{t: t, answers: map[string]answer{
		"https://a.test/i.xml": {Status: 200, Body: index("/1.xml", "/bad.xml", "/2.xml")},
		"https://a.test/1.xml": {Status: 200, Body: urlset("/a")},
		"https://a.test/2.xml": {Status: 200, Body: urlset("/b")},
	}}
	pages, errs := collect(t, web, nil, "https://a.test/i.xml")
	assert.Equal(t, []string{"https://a.test/a", "https://a.test/b"}, pages)
	require.Len(t, errs, 1)
	assert.Equal(t, "sitemap: https://a.test/bad.xml: unexpected status 404", errs[0].Error())
}

func TestWalkHandsHeadersFromOneRunToTheNext(t *testing.T) {
	web := &site{t: t, answers: map[string]answer{
		"https://a.test/s.xml": {Status: 301, Location: "/moved.xml", Header: http.Header{"Etag": {`"of the redirect"`}}},
		"https://a.test/moved.xml": {
			Status: 200, Body: urlset("/a"), Header: http.Header{"Etag": {`"v1"`}, "Last-Modified": {"Mon, 02 Nov 2026 10:00:00 GMT"}},
		},
	}}
	earlier := map[string]http.Header{}
	opts := &sitemap.WalkOptions{
		Observe: func(f sitemap.File) { earlier[f.URL] = f.Header },
		Earlier: func(url string) http.Header { return earlier[url] },
	}
	pages, errs := collect(t, web, opts, "https://a.test/s.xml")
	assert.Empty(t, errs)
	assert.Len(t, pages, 1)
	assert.Empty(t, web.heads[0].Get("If-None-Match"))

	pages, errs = collect(t, web, opts, "https://a.test/s.xml")
	assert.Empty(t, errs)
	assert.Len(t, pages, 1, "the site ignores conditions")
	last := web.heads[len(web.heads)-1]
	assert.Equal(t, `"v1"`, last.Get("If-None-Match"))
	assert.Equal(t, "Mon, 02 Nov 2026 10:00:00 GMT", last.Get("If-Modified-Since"))
}

func TestWalkSaysBeforehandWhichFileEntriesComeFrom(t *testing.T) {
	web := &site{t: t, answers: map[string]answer{
		"https://a.test/i.xml": {Status: 200, Body: index("/1.xml", "/2.xml")},
		"https://a.test/1.xml": {Status: 200, Body: urlset("/a", "/b")},
		"https://a.test/2.xml": {Status: 200, Body: urlset("/c")},
	}}
	var file sitemap.File
	var got []string
	opts := &sitemap.WalkOptions{Observe: func(f sitemap.File) { file = f }}
	for e, err := range sitemap.Walk(t.Context(), web.client(), []string{"https://a.test/i.xml"}, opts) {
		require.NoError(t, err)
		got = append(got, file.URL+" "+e.Loc)
	}
	assert.Equal(t, []string{
		"https://a.test/1.xml https://a.test/a", "https://a.test/1.xml https://a.test/b", "https://a.test/2.xml https://a.test/c",
	}, got)
}
