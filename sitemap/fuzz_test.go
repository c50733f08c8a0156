package sitemap_test

import (
	"bytes"
	"errors"
	"net/url"
	"testing"
	"time"

	"github.com/politefetch/sdk/internal/urlnorm"
	"github.com/politefetch/sdk/sitemap"
)

func FuzzReader(f *testing.F) {
	for _, s := range []string{
		"", "\xef\xbb\xbf", "<urlset><url><loc>https://a.test/1</loc></url></urlset>", "https://a.test/1\n#\n",
		"<rss><channel><item><link>/1</link></item></channel></rss>", "<feed xml:base='/x/'><entry><link href='y'/></entry></feed>",
		"<!DOCTYPE urlset [<!ENTITY x 'y'>]><urlset><url><loc>&x;</loc></url>", "<urlset><url><loc><![CDATA[https://a.test/",
		"\xff\xfe<\x00u\x00", "\x1f\x8b\x08\x00", "<urlset><url a='<>'\"><image:image><image:loc>/</image:loc>",
		"<urlset xmlns:i='sitemap-image'><url><i:image></i:image></url></urlset", "<?xml encoding='x'>", "<!----><urlset/>x",
	} {
		f.Add([]byte(s), 3, int64(1000), "text/xml; charset=windows-1251")
	}
	base, err := url.Parse("https://a.test/dir/sitemap.xml")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, input []byte, maxURLs int, maxBytes int64, contentType string) {
		warnings, formats, entries, ended := 0, 0, 0, false
		opts := &sitemap.Options{
			URL: base, ContentType: contentType, MaxURLs: maxURLs, MaxBytes: maxBytes, Extensions: true,
			Warn: func(w sitemap.Warning) {
				if warnings++; len(w.Value) > 100 || w.Code == "" || w.Offset < 0 {
					t.Fatalf("warning %+v", w)
				}
			},
			Format: func(sitemap.Kind) { formats++ },
		}
		for e, err := range sitemap.Read(bytes.NewReader(input), opts) {
			if ended {
				t.Fatal("something after the error")
			}
			if err != nil {
				ended = true
				se, ok := errors.AsType[*sitemap.Error](err)
				if !ok || se.Entries != entries || se.Err == nil || len(err.Error()) > 300 {
					t.Fatalf("after %d entries: %#v", entries, err)
				}
				continue
			}
			if entries++; maxURLs > 0 && entries > maxURLs {
				t.Fatal("more than MaxURLs")
			}
			if formats != 1 {
				t.Fatal("an entry before the format")
			}
			checkEntry(t, e)
		}
		if formats != 1 {
			t.Fatalf("Format called %d times", formats)
		}
	})
}

func checkEntry(t *testing.T, e sitemap.Entry) {
	t.Helper()
	urls := []string{e.Loc}
	for _, a := range e.Alternates {
		urls = append(urls, a.Href)
	}
	for _, im := range e.Images {
		urls = append(urls, im.Loc)
	}
	for _, u := range urls {
		if again, err := urlnorm.Text(nil, u); err != nil || again != u {
			t.Fatalf("%q is not canonical: %q, %v", u, again, err)
		}
	}
	if e.Raw == "" || e.LastMod.IsZero() != (e.Precision == sitemap.PrecisionNone) || e.Priority < 0 || e.Priority > 1 {
		t.Fatalf("%+v", e)
	}
	if !e.HasPriority && e.Priority != 0 || !e.ChangedSince(time.Time{}) {
		t.Fatalf("%+v", e)
	}
}

func FuzzDate(f *testing.F) {
	for _, s := range []string{
		"2026-01-02", "2026-01-02T03:04:05.678+02:00", "Wed, 01 Aug 2018 18:19:21 GMT", "5 Jan 17", "Jan 5 12:34:55 UTC 2017",
		"1588723200000", "20140603T103045Z", "3.1.2017", "2024-05-08 12:30:00 PM", "2016-12-31T23:59:60Z", "0000-00-00", "2021-13-01",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at, precision, ok := sitemap.ParseDate(s)
		if !ok {
			if !at.IsZero() || precision != sitemap.PrecisionNone {
				t.Fatalf("%q: %v %v", s, at, precision)
			}
			return
		}
		if at.Location() != time.UTC || precision == sitemap.PrecisionNone || at.Year() < 999 || at.Year() > 10000 {
			t.Fatalf("%q: %v %v", s, at, precision)
		}
		again, _, ok := sitemap.ParseDate(at.Format("2006-01-02T15:04:05.999999999Z07:00"))
		if at.Year() >= 1000 && at.Year() <= 9999 && (!ok || !again.Equal(at)) {
			t.Fatalf("%q: %v, again %v", s, at, again)
		}
	})
}

func FuzzLLMs(f *testing.F) {
	for _, s := range []string{
		"# T\n\n> S\n\n## D\n- [A](/a): n\n", "[[[[]]]](", "- **L**: [a][b], <https://a.test/>\n[b]: /x", "```\n# x\n~~~", "`` ` ``", "---\ntitle: x\n---\n1) [a](<b c> \"t\")",
		"<!-- # x -->\nT\n==\n&gt; q\n* https://a.test/).", "\xff\xfe#\x00", "![[a](b)](c) \\[d](e)", "- 🚀 [N](n) — x\n\n### G\n[y](z)",
	} {
		f.Add([]byte(s))
	}
	base, err := url.Parse("https://a.test/dir/llms.txt")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		doc, err := sitemap.ReadLLMs(bytes.NewReader(input), &sitemap.LLMsOptions{URL: base, MaxBytes: 10_000})
		if _, ok := errors.AsType[*sitemap.Error](err); err != nil && !ok || err == nil && doc == nil {
			t.Fatalf("%v, %v", doc, err)
		}
		if doc == nil {
			return
		}
		links := append(doc.Links, doc.Inline...)
		for _, s := range doc.Sections {
			if s.Level != 1 && s.Level != 2 || s.Optional && s.Level != 2 {
				t.Fatalf("%+v", s)
			}
			links = append(append(links, s.Links...), s.Inline...)
		}
		for _, l := range links {
			if again, err := urlnorm.Text(nil, l.URL); err != nil || again != l.URL || l.Raw == "" || l.Bare && l.Title != "" {
				t.Fatalf("%+v: %q, %v", l, again, err)
			}
		}
	})
}
