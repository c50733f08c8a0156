package sitemap_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/internal/conformance"
	"github.com/politefetch/sdk/sitemap"
)

// answer is what a made-up site says at one URL.
type answer struct {
	Status   int
	Body     string
	Gzip     string `json:"body_gzip_of"`
	Location string
	Header   http.Header
	Err      error
}

// site is a made-up web. It is an http.RoundTripper that refuses a request while a body
// is open.
type site struct {
	t       *testing.T
	answers map[string]answer
	refuse  func(*url.URL) error
	fetched []string
	heads   []http.Header
	open    int
}

func (s *site) client() *http.Client { return &http.Client{Transport: s} }

func (s *site) RoundTrip(req *http.Request) (*http.Response, error) {
	assert.Zero(s.t, s.open, "a body is open while %s is asked for", req.URL)
	if s.refuse != nil {
		if err := s.refuse(req.URL); err != nil {
			return nil, err
		}
	}
	s.fetched = append(s.fetched, req.URL.String())
	s.heads = append(s.heads, req.Header)
	a, ok := s.answers[req.URL.String()]
	if !ok {
		a = answer{Status: http.StatusNotFound}
	}
	if a.Err != nil {
		return nil, a.Err
	}
	h := a.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	if a.Location != "" {
		h.Set("Location", a.Location)
	}
	body := a.Body
	if a.Gzip != "" {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = io.WriteString(z, a.Gzip)
		_ = z.Close()
		body = b.String()
	}
	s.open++
	return &http.Response{
		StatusCode: a.Status, Header: h, Request: req, Body: &trackedBody{strings.NewReader(body), s, false},
	}, nil
}

type trackedBody struct {
	io.Reader
	s      *site
	closed bool
}

func (b *trackedBody) Close() error {
	if !b.closed {
		b.closed = true
		b.s.open--
	}
	return nil
}

var (
	errOtherHost = errors.New("other_host")
	errRobots    = errors.New("robots")
)

// walkVector is a scenario of sitemap/walk.json.
type walkVector struct {
	Name    string
	Start   []string
	Site    map[string]answer
	Options struct {
		MaxDepth    int  `json:"max_depth"`
		MaxSitemaps int  `json:"max_sitemaps"`
		MaxPages    int  `json:"max_pages"`
		SameHost    bool `json:"same_host"`
		Site        string
		ObeyRobots  bool `json:"obey_robots"`
		Dedup       bool
		Since       time.Time
	}
	Fetched, Pages []string
	Errors         []struct{ URL, Error string }
	About          string
}

// run walks the scenario. What walk.json asks of robots.txt and scope is done the way a
// caller does it: by the transport, Follow and Keep.
func (v walkVector) run(t *testing.T) {
	t.Helper()
	web := &site{t: t, answers: v.Site}
	private := func(u *url.URL) bool { return v.Options.ObeyRobots && strings.HasPrefix(u.Path, "/private/") }
	web.refuse = func(u *url.URL) error {
		if private(u) {
			return errRobots
		}
		return nil
	}
	home, err := url.Parse(v.Start[0])
	require.NoError(t, err)
	if v.Options.Site != "" {
		home, err = url.Parse(v.Options.Site)
		require.NoError(t, err)
	}
	foreign := func(loc string) bool {
		u, err := url.Parse(loc)
		require.NoError(t, err)
		return v.Options.SameHost && u.Host != home.Host
	}
	opts := &sitemap.WalkOptions{
		MaxDepth: v.Options.MaxDepth, MaxFiles: v.Options.MaxSitemaps, MaxPages: v.Options.MaxPages,
		Unique: v.Options.Dedup, Since: v.Options.Since,
		Keep: func(e sitemap.Entry) bool {
			u, err := url.Parse(e.Loc)
			require.NoError(t, err)
			return !foreign(e.Loc) && !private(u)
		},
		Follow: func(e sitemap.Entry) error {
			if foreign(e.Loc) {
				return errOtherHost
			}
			return nil
		},
	}
	var pages []string
	var errs []string
	for e, err := range sitemap.Walk(t.Context(), web.client(), v.Start, opts) {
		assert.Zero(t, web.open, "a body is open while something is yielded")
		if err == nil {
			pages = append(pages, e.Loc)
			continue
		}
		se, ok := errors.AsType[*sitemap.Error](err)
		require.True(t, ok)
		code := errorCode(err)
		switch {
		case errors.Is(err, sitemap.ErrStatus):
			code = fmt.Sprintf("http_%d", se.Status)
		case errors.Is(err, errOtherHost):
			code = errOtherHost.Error()
		case errors.Is(err, errRobots):
			code = errRobots.Error()
		}
		errs = append(errs, se.URL+" "+code)
	}
	var want []string
	for _, e := range v.Errors {
		want = append(want, e.URL+" "+e.Error)
	}
	assert.Equal(t, v.Fetched, web.fetched)
	assert.ElementsMatch(t, v.Pages, pages)
	assert.Equal(t, want, errs)
	assert.Zero(t, web.open)
}

func TestWalkVectors(t *testing.T) {
	var data struct{ Cases []walkVector }
	conformance.ReadJSON(t, "sitemap/walk.json", &data)
	require.NotEmpty(t, data.Cases)
	for _, v := range data.Cases {
		t.Run(v.Name, v.run)
	}
}

func urlset(locs ...string) string {
	return "<urlset><url><loc>" + strings.Join(locs, "</loc></url><url><loc>") + "</loc></url></urlset>"
}

func index(locs ...string) string {
	return "<sitemapindex><sitemap><loc>" + strings.Join(locs, "</loc></sitemap><sitemap><loc>") + "</loc></sitemap></sitemapindex>"
}

func collect(t *testing.T, web *site, opts *sitemap.WalkOptions, roots ...string) (pages []string, errs []error) {
	t.Helper()
	for e, err := range sitemap.Walk(t.Context(), web.client(), roots, opts) {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		pages = append(pages, e.Loc)
	}
	assert.Zero(t, web.open)
	return pages, errs
}

func TestWalkTellsErrorsApart(t *testing.T) {
	refused := errors.New("refused by the transport")
	web := &site{t: t, answers: map[string]answer{
		"https://a.test/i.xml":     {Status: 200, Body: index("/404.xml", "/dead.xml", "/html.xml", "/empty.xml", "/cut.xml", "/away.xml")},
		"https://a.test/dead.xml":  {Err: refused},
		"https://a.test/html.xml":  {Status: 200, Body: "<!DOCTYPE html><title>x</title>"},
		"https://a.test/empty.xml": {Status: 200, Body: " "},
		"https://a.test/cut.xml":   {Status: 200, Body: "<urlset><url><loc>https://a.test/1</loc>"},
		"https://a.test/away.xml":  {Status: 302, Location: "/missing.xml"},
	}}
	pages, errs := collect(t, web, nil, "https://user:secret@", "https://a.test/i.xml")
	assert.Equal(t, []string{"https://a.test/1"}, pages)
	require.Len(t, errs, 7)
	var got []sitemap.Error
	for _, err := range errs {
		se, ok := errors.AsType[*sitemap.Error](err)
		require.True(t, ok)
		got = append(got, *se)
		assert.NotContains(t, err.Error(), "secret")
	}
	require.ErrorIs(t, errs[1], sitemap.ErrStatus)
	assert.Equal(t, "sitemap: https://a.test/404.xml: unexpected status 404", errs[1].Error())
	require.ErrorIs(t, errs[2], refused)
	_, isURLError := errors.AsType[*url.Error](errs[2])
	assert.True(t, isURLError)
	assert.Equal(t, "sitemap: https://a.test/dead.xml: refused by the transport", errs[2].Error())
	require.ErrorIs(t, errs[3], sitemap.ErrNotSitemap)
	assert.Equal(t, sitemap.KindHTML, got[3].Kind)
	assert.Equal(t, 200, got[3].Status)
	require.ErrorIs(t, errs[4], sitemap.ErrEmpty)
	require.ErrorIs(t, errs[5], sitemap.ErrTruncated)
	assert.Equal(t, 1, got[5].Entries)
	assert.Equal(t, "https://a.test/away.xml", got[6].URL)
	assert.Equal(t, 404, got[6].Status)
}

func TestWalkReportsEachFile(t *testing.T) {
	web := &site{t: t, answers: map[string]answer{
		"https://a.test/i.xml":     {Status: 301, Location: "/index.xml"},
		"https://a.test/index.xml": {Status: 200, Body: index("https://a.test/1.xml"), Header: http.Header{"Etag": {`"x"`}}},
		"https://a.test/1.xml":     {Status: 200, Body: urlset("/a", "/b", "/c")},
	}}
	var files []sitemap.File
	opts := &sitemap.WalkOptions{
		Observe: func(f sitemap.File) {
			assert.Zero(t, web.open)
			files = append(files, f)
		},
		Keep: func(e sitemap.Entry) bool { return e.Loc != "https://a.test/b" },
	}
	pages, errs := collect(t, web, opts, "https://a.test/i.xml")
	assert.Empty(t, errs)
	assert.Equal(t, []string{"https://a.test/a", "https://a.test/c"}, pages)
	require.Len(t, files, 2)
	assert.Equal(t, `"x"`, files[0].Header.Get("Etag"))
	files[0].Header, files[1].Header = nil, nil
	assert.Equal(t, []sitemap.File{
		{URL: "https://a.test/i.xml", Final: "https://a.test/index.xml", Status: 200, Kind: sitemap.KindIndex, Sitemaps: 1},
		{
			URL: "https://a.test/1.xml", Final: "https://a.test/1.xml", Parent: "https://a.test/i.xml", Depth: 1,
			Status: 200, Kind: sitemap.KindURLSet, Pages: 3, Kept: 2,
		},
	}, files)
}

func TestWalkAsksForSitemapsConditionally(t *testing.T) {
	web := &site{t: t, answers: map[string]answer{
		"https://a.test/s.xml": {Status: 304},
	}}
	var files []sitemap.File
	opts := &sitemap.WalkOptions{
		Observe: func(f sitemap.File) { files = append(files, f) },
		Earlier: func(u string) http.Header {
			assert.Equal(t, "https://a.test/s.xml", u)
			return http.Header{"Etag": {`"v1"`}, "Last-Modified": {"Mon, 02 Nov 2026 10:00:00 GMT"}}
		},
	}
	pages, errs := collect(t, web, opts, "https://a.test/s.xml")
	assert.Empty(t, pages)
	assert.Empty(t, errs)
	assert.Equal(t, 304, files[0].Status)
	assert.Equal(t, "application/xml,text/xml;q=0.9,text/plain;q=0.8,*/*;q=0.1", web.heads[0].Get("Accept"))
	assert.Equal(t, `"v1"`, web.heads[0].Get("If-None-Match"))
	assert.Equal(t, "Mon, 02 Nov 2026 10:00:00 GMT", web.heads[0].Get("If-Modified-Since"))

	_, errs = collect(t, web, nil, "https://a.test/s.xml")
	require.Len(t, errs, 1, "a 304 that was not asked for")
	require.ErrorIs(t, errs[0], sitemap.ErrStatus)
}

func TestWalkNewestFirst(t *testing.T) {
	web := &site{t: t, answers: map[string]answer{
		"https://a.test/i.xml": {Status: 200, Body: `<sitemapindex>
			<sitemap><loc>/none.xml</loc></sitemap>
			<sitemap><loc>/old.xml</loc><lastmod>2020-01-01</lastmod></sitemap>
			<sitemap><loc>/new.xml</loc><lastmod>2026-01-01</lastmod></sitemap></sitemapindex>`},
	}}
	_, errs := collect(t, web, &sitemap.WalkOptions{NewestFirst: true}, "https://a.test/i.xml")
	assert.Len(t, errs, 3)
	assert.Equal(t, []string{
		"https://a.test/i.xml", "https://a.test/new.xml", "https://a.test/old.xml", "https://a.test/none.xml",
	}, web.fetched)
}

func TestWalkSinceHeedsPrecision(t *testing.T) {
	web := &site{t: t, answers: map[string]answer{
		"https://a.test/i.xml": {Status: 200, Body: `<sitemapindex>
			<sitemap><loc>/year.xml</loc><lastmod>2026</lastmod></sitemap>
			<sitemap><loc>/day.xml</loc><lastmod>2026-05-31</lastmod></sitemap>
			<sitemap><loc>/month.xml</loc><lastmod>2026-05</lastmod></sitemap></sitemapindex>`},
	}}
	since := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	_, _ = collect(t, web, &sitemap.WalkOptions{Since: since}, "https://a.test/i.xml")
	assert.Equal(t, []string{"https://a.test/i.xml", "https://a.test/year.xml"}, web.fetched)
}

func TestWalkEndsEarly(t *testing.T) {
	newSite := func() *site {
		return &site{t: t, answers: map[string]answer{
			"https://a.test/i.xml": {Status: 200, Body: index("/1.xml", "/2.xml")},
			"https://a.test/1.xml": {Status: 200, Body: urlset("/a", "/b", "/c")},
			"https://a.test/2.xml": {Status: 200, Body: urlset("/d")},
		}}
	}
	t.Run("Enough", func(t *testing.T) {
		web := newSite()
		var seen []string
		opts := &sitemap.WalkOptions{
			Keep: func(e sitemap.Entry) bool {
				seen = append(seen, e.Loc)
				return false
			},
			Enough: func() bool { return len(seen) == 2 },
		}
		pages, errs := collect(t, web, opts, "https://a.test/i.xml")
		assert.Empty(t, pages)
		assert.Empty(t, errs)
		assert.Equal(t, []string{"https://a.test/a", "https://a.test/b"}, seen)
		assert.Len(t, web.fetched, 2)
	})
	t.Run("break", func(t *testing.T) {
		web := newSite()
		for range sitemap.Walk(t.Context(), web.client(), []string{"https://a.test/i.xml"}, nil) {
			break
		}
		assert.Zero(t, web.open)
		assert.Len(t, web.fetched, 2)
	})
	t.Run("context", func(t *testing.T) {
		web := newSite()
		cause := errors.New("the visit is over")
		ctx, cancel := context.WithCancelCause(t.Context())
		opts := &sitemap.WalkOptions{Keep: func(sitemap.Entry) bool {
			cancel(cause)
			return true
		}}
		var pages int
		var errs []error
		for _, err := range sitemap.Walk(ctx, web.client(), []string{"https://a.test/i.xml"}, opts) {
			if err != nil {
				errs = append(errs, err)
			} else {
				pages++
			}
		}
		assert.Equal(t, 1, pages)
		require.Len(t, errs, 1)
		require.ErrorIs(t, errs[0], cause)
		assert.Len(t, web.fetched, 2)
	})
	t.Run("context before the first request", func(t *testing.T) {
		web := newSite()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var errs []error
		for _, err := range sitemap.Walk(ctx, web.client(), []string{"https://a.test/i.xml", "https://a.test/x"}, nil) {
			errs = append(errs, err)
		}
		require.Len(t, errs, 1)
		require.ErrorIs(t, errs[0], context.Canceled)
		assert.Empty(t, web.fetched)
	})
}

func TestWalkKeepsTheClientsRedirectPolicy(t *testing.T) {
	web := &site{t: t, answers: map[string]answer{
		"https://a.test/s.xml": {Status: 302, Location: "/t.xml"},
	}}
	client := web.client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	var got error
	for _, err := range sitemap.Walk(t.Context(), client, []string{"https://a.test/s.xml"}, nil) {
		got = err
	}
	se, ok := errors.AsType[*sitemap.Error](got)
	require.True(t, ok)
	assert.Equal(t, 302, se.Status)
	assert.Len(t, web.fetched, 1)
}

func TestWalkClosesTheBodyWhenTheCallerPanics(t *testing.T) {
	web := &site{t: t, answers: map[string]answer{"https://a.test/s.xml": {Status: 200, Body: urlset("/a")}}}
	opts := &sitemap.WalkOptions{Keep: func(sitemap.Entry) bool { panic("caller") }}
	assert.Panics(t, func() {
		for range sitemap.Walk(t.Context(), web.client(), []string{"https://a.test/s.xml"}, opts) {
			t.Error("nothing is yielded")
		}
	})
	assert.Zero(t, web.open)
}

func TestWalkSaysSoWhenItsContextEndsInTheLoop(t *testing.T) {
	site := map[string]string{
		"https://a.example/map.xml": `<sitemapindex><sitemap><loc>https://a.example/1.xml</loc></sitemap><sitemap><loc>https://a.example/2.xml</loc></sitemap></sitemapindex>`,
		"https://a.example/1.xml":   `<urlset><url><loc>https://a.example/x</loc></url></urlset>`,
		"https://a.example/2.xml":   `<urlset><url><loc>https://a.example/y</loc></url></urlset>`,
	}
	client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(site[r.URL.String()])), Request: r}, nil
	})}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	n := 0
	for _, err := range sitemap.Walk(ctx, client, []string{"https://a.example/map.xml"}, nil) {
		n++
		cancel() // while 2.xml is still to be read
		last = err
	}
	require.Equal(t, 2, n)
	require.ErrorIs(t, last, context.Canceled)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
