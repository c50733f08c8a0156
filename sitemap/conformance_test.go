package sitemap_test

import (
	"bytes"
	"errors"
	"net/url"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/internal/conformance"
	"github.com/politefetch/sdk/sitemap"
)

// vector is a case of sitemap/expected.json; our own testdata has the same form.
type vector struct {
	File        string
	URL         string
	ContentType string `json:"content_type"`
	Options     struct {
		MaxURLs  int   `json:"max_urls"`
		MaxBytes int64 `json:"max_bytes"`
	}
	Kind     string
	Error    string
	Partial  bool
	Warnings []string
	Entries  []vectorEntry
	About    string
}

type vectorEntry struct {
	Loc        string
	Raw        string
	LastMod    *string
	Precision  string `json:"lastmod_precision"`
	ChangeFreq *string
	Priority   *float32
	Sitemap    bool
	Outside    bool `json:"out_of_scope"`
	Mobile     bool
	Alternates []sitemap.Alternate
	Images     []vectorImage
	Videos     []vectorVideo
	News       *vectorNews
}

type vectorImage struct {
	Loc, Title, Caption, License string
	Geo                          string `json:"geo_location"`
}

type vectorVideo struct {
	Thumbnail    string `json:"thumbnail_loc"`
	Title        string
	Description  string
	Content      string `json:"content_loc"`
	Player       string `json:"player_loc"`
	Duration     int
	Expires      *string `json:"expiration_date"`
	Rating       float32
	Views        int64   `json:"view_count"`
	Published    *string `json:"publication_date"`
	Tags         []string
	Category     string
	Family       *bool `json:"family_friendly"`
	Subscription *bool `json:"requires_subscription"`
	Live         *bool
	Restriction  sitemap.Restriction
	Platform     sitemap.Restriction
	Uploader     struct{ Info, Value string }
}

type vectorNews struct {
	Name, Language, Genres, Title, Keywords, Access string
	Published                                       *string `json:"publication_date"`
	Tickers                                         string  `json:"stock_tickers"`
}

func errorCode(err error) string {
	for code, sentinel := range map[string]error{
		"empty": sitemap.ErrEmpty, "not_sitemap": sitemap.ErrNotSitemap, "truncated": sitemap.ErrTruncated,
		"gzip": sitemap.ErrGzip, "too_large": sitemap.ErrTooLarge, "too_many_urls": sitemap.ErrTooMany,
		"cycle": sitemap.ErrCycle, "depth": sitemap.ErrDepth, "too_many_sitemaps": sitemap.ErrTooManyFiles,
	} {
		if errors.Is(err, sentinel) {
			return code
		}
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func stamp(t *testing.T, s *string) time.Time {
	t.Helper()
	if s == nil {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339Nano, *s)
	require.NoError(t, err)
	return at
}

func yesNo(b *bool) sitemap.Flag {
	switch {
	case b == nil:
		return sitemap.FlagUnset
	case *b:
		return sitemap.FlagYes
	}
	return sitemap.FlagNo
}

func (v vectorEntry) entry(t *testing.T) sitemap.Entry {
	t.Helper()
	e := sitemap.Entry{
		Loc: v.Loc, Raw: v.Raw, LastMod: stamp(t, v.LastMod), Sitemap: v.Sitemap, Outside: v.Outside,
		Mobile: v.Mobile, Alternates: v.Alternates,
	}
	for p := sitemap.PrecisionYear; p <= sitemap.PrecisionFraction && v.LastMod != nil; p++ {
		if p.String() == v.Precision {
			e.Precision = p
		}
	}
	if v.ChangeFreq != nil {
		e.ChangeFreq = *v.ChangeFreq
	}
	if v.Priority != nil {
		e.Priority, e.HasPriority = *v.Priority, true
	}
	for _, im := range v.Images {
		e.Images = append(e.Images, sitemap.Image{
			Loc: im.Loc, Title: im.Title, Caption: im.Caption, GeoLocation: im.Geo, License: im.License,
		})
	}
	for _, w := range v.Videos {
		e.Videos = append(e.Videos, sitemap.Video{
			ThumbnailLoc: w.Thumbnail, Title: w.Title, Description: w.Description, ContentLoc: w.Content, PlayerLoc: w.Player,
			Duration: time.Duration(w.Duration) * time.Second, ExpirationDate: stamp(t, w.Expires), Rating: w.Rating,
			ViewCount: w.Views, PublicationDate: stamp(t, w.Published), Tags: w.Tags, Category: w.Category,
			FamilyFriendly: yesNo(w.Family), RequiresSubscription: yesNo(w.Subscription), Live: yesNo(w.Live),
			Restriction: w.Restriction, Platform: w.Platform,
			Uploader: sitemap.Uploader{Name: w.Uploader.Value, Info: w.Uploader.Info},
		})
	}
	if n := v.News; n != nil {
		e.News = &sitemap.News{
			Name: n.Name, Language: n.Language, Genres: n.Genres, Title: n.Title, Keywords: n.Keywords,
			Access: n.Access, PublicationDate: stamp(t, n.Published), StockTickers: n.Tickers,
		}
	}
	return e
}

// check reads input as v says, in one piece and byte by byte, and compares.
func (v vector) check(t *testing.T, input []byte, strictWarnings bool) {
	t.Helper()
	u, err := url.Parse(v.URL)
	require.NoError(t, err)
	if v.URL == "" {
		u = nil
	}
	warned := map[string]bool{}
	kind := sitemap.Kind(255)
	opts := &sitemap.Options{
		URL: u, ContentType: v.ContentType, MaxURLs: v.Options.MaxURLs, MaxBytes: v.Options.MaxBytes, Extensions: true,
		Warn: func(w sitemap.Warning) { warned[string(w.Code)] = true }, Format: func(k sitemap.Kind) { kind = k },
	}
	var got []sitemap.Entry
	var end error
	for e, err := range sitemap.Read(bytes.NewReader(input), opts) {
		require.NoError(t, end, "something after the error")
		if end = err; err == nil {
			got = append(got, e)
		}
	}
	var want []sitemap.Entry
	for i, w := range v.Entries {
		e := w.entry(t)
		if e.Raw == "" && i < len(got) { // where it differs from loc
			e.Raw = got[i].Raw
		}
		want = append(want, e)
	}
	assert.Equal(t, want, got)
	assert.Equal(t, v.Error, errorCode(end))
	assert.Equal(t, v.Kind, kind.String())
	if se, ok := errors.AsType[*sitemap.Error](end); ok {
		assert.Equal(t, len(got), se.Entries)
		assert.Equal(t, v.Kind, se.Kind.String())
		assert.Equal(t, v.Partial, !errors.Is(end, sitemap.ErrEmpty) && !errors.Is(end, sitemap.ErrNotSitemap))
	} else {
		assert.NoError(t, end)
	}
	if strictWarnings {
		for _, code := range v.Warnings {
			assert.True(t, warned[code], "no warning %s", code)
		}
		for code := range warned {
			assert.Contains(t, v.Warnings, code)
		}
	} else if len(v.Warnings) != len(warned) {
		t.Logf("warnings %v, want %v", warned, v.Warnings)
	}
	opts.Warn = nil
	var slow []sitemap.Entry
	for e, err := range sitemap.Read(iotest.OneByteReader(bytes.NewReader(input)), opts) {
		if err == nil {
			slow = append(slow, e)
		}
	}
	assert.Equal(t, got, slow, "differs when read byte by byte")
}

func TestSitemapVectors(t *testing.T) {
	var data struct{ Cases []vector }
	conformance.ReadJSON(t, "sitemap/expected.json", &data)
	require.NotEmpty(t, data.Cases)
	for _, v := range data.Cases {
		t.Run(v.File, func(t *testing.T) {
			v.check(t, conformance.Read(t, "sitemap/"+v.File), false)
		})
	}
}

func TestDateVectors(t *testing.T) {
	var data struct {
		Cases []struct {
			Raw       string
			Value     *string
			Precision *string
		}
	}
	conformance.ReadJSON(t, "sitemap/lastmod.json", &data)
	require.NotEmpty(t, data.Cases)
	for _, v := range data.Cases {
		at, precision, ok := sitemap.ParseDate(v.Raw)
		assert.Equal(t, v.Value != nil, ok, "%q: %v", v.Raw, at)
		if v.Value != nil {
			assert.Equal(t, stamp(t, v.Value), at, "%q", v.Raw)
			assert.Equal(t, *v.Precision, precision.String(), "%q", v.Raw)
		}
	}
}
