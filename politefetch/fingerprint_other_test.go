package politefetch_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
)

// typed is an answer with that Content-Type; "": none.
func typed(contentType, body string) fetchtest.Answer {
	a := fetchtest.Answer{Status: http.StatusOK, Body: body}
	if contentType != "" {
		a = a.With("Content-Type", contentType)
	}
	return a
}

// alike is how alike two fingerprints are, either way.
func alike(t *testing.T, a, b politefetch.Fingerprint) float64 {
	t.Helper()
	score, ok := a.Similarity(b)
	require.True(t, ok, "%q %q", a, b)
	back, ok := b.Similarity(a)
	require.True(t, ok)
	assert.InDelta(t, score, back, 0)
	return score
}

func TestR12_OtherTextIsToldByWhatItSays(t *testing.T) {
	rows := func(changed int) (plain, lines, json, feed, code string) {
		var p, l, j, f, c strings.Builder
		for i := range 60 {
			price := i
			if i == changed {
				price = 1000
			}
			fmt.Fprintf(&p, "Chair number %d costs %d euros, délivered.\n", i, price)
			fmt.Fprintf(&l, "%d,chair,%d\r\n", i, price)
			fmt.Fprintf(&j, `{"id":%d,"name":"chair","price":%d},`, i, price)
			fmt.Fprintf(&f, "<item><title>Chair %d</title><price>%d</price></item>", i, price)
			fmt.Fprintf(&c, ".chair-%d{width:%dpx}", i, price)
		}
		return p.String(), l.String(), "[" + strings.TrimSuffix(j.String(), ",") + "]", "<rss>" + f.String() + "</rss>", c.String()
	}
	plain, lines, json, feed, code := rows(-1)
	plain1, lines1, json1, feed1, code1 := rows(30)
	for _, tt := range []struct{ mediaType, text, changed string }{
		{"text/plain; charset=utf-8", plain, plain1},
		{"", plain, plain1}, // it looks like text
		{"Text/Markdown", plain, plain1},
		{"text/csv", lines, lines1},
		{"application/json", json, json1},
		{"application/ld+json; charset=utf-8", json, json1},
		{"application/rss+xml", feed, feed1},
		{"text/xml", feed, feed1},
		{"image/svg+xml", feed, feed1},
		{"text/css", code, code1},
		{"application/javascript", code, code1},
	} {
		t.Run(tt.mediaType, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := prints(t, typed(tt.mediaType, tt.text), typed(tt.mediaType, tt.changed),
					typed(tt.mediaType, " \n"+strings.ReplaceAll(tt.text, " ", "\t ")+"\r\n"), typed(tt.mediaType, "Something else altogether, in other words; nothing of it is the same: {1}"),
					typed(tt.mediaType, strings.ToUpper(tt.text)))
				assert.Equal(t, got[0], got[2], "white space")
				one := alike(t, got[0], got[1])
				assert.Greater(t, one, 0.85, "one word of many")
				assert.Less(t, one, 1.0)
				assert.Less(t, alike(t, got[0], got[3]), 0.4)
				assert.NotEqual(t, got[0], got[4])
			})
		})
	}
}

func TestR12_TextIsTheSameInAnyCharacterSet(t *testing.T) {
	const text = "Hyvää päivää, \u20ac 5"
	latin := strings.NewReplacer("ä", "\xe4", "\u20ac", "\x80").Replace(text)
	wide := "\xff\xfe"
	for _, u := range utf16.Encode([]rune(text)) {
		wide += string([]byte{byte(u), byte(u >> 8)})
	}
	const decl = `<?xml version="1.0" encoding='%s' standalone="yes"?>`
	synctest.Test(t, func(t *testing.T) {
		got := prints(t, typed("text/plain; charset=utf-8", text), typed("text/plain", text), typed("text/plain; charset=windows-1252", latin), typed("text/plain", latin),
			typed("text/plain", wide), typed("application/json", "\xef\xbb\xbf"+text), fetchtest.HTML(text))
		for i := range got {
			assert.Equal(t, 1.0, alike(t, got[0], got[i]), "%d", i) //nolint:testifylint // exactly
		}
		const russian, as1251 = "Привет", "\xcf\xf0\xe8\xe2\xe5\xf2"
		head := fmt.Sprintf(decl, "windows-1251")
		xml := prints(t, typed("text/xml", head+as1251), typed("application/xml; charset=windows-1251", head+as1251),
			typed("application/xml; charset=utf-8", head+russian), typed("image/svg+xml", head+as1251))
		for i := range xml {
			assert.Equal(t, xml[0], xml[i], "%d", i)
		}
		xml = prints(t, typed("text/xml", fmt.Sprintf(decl, "utf-16")+text), typed("text/xml; charset=utf-8", fmt.Sprintf(decl, "utf-16")+text))
		assert.Equal(t, xml[0], xml[1], "that can't be")
	})
}

func TestR12_BytesAreTheSameOrNot(t *testing.T) {
	const pdf = "%PDF-1.7\n1 0 obj words words words \x00\x01"
	sum := sha256.Sum256([]byte(pdf))
	want := politefetch.Fingerprint("sha-256:" + base64.RawURLEncoding.EncodeToString(sum[:]))
	synctest.Test(t, func(t *testing.T) {
		got := prints(t, typed("application/pdf", pdf), typed("image/png", pdf), typed("", pdf), typed("application/octet-stream", pdf+"x"), typed("video/mp4", ""),
			fetchtest.Text("words words words"), fetchtest.HTML("words words words"))
		for i := range 3 {
			assert.Equal(t, want, got[i])
		}
		for i, f := range got {
			for j, g := range got {
				score := alike(t, f, g)
				switch {
				case i < 3 && j < 3, i == j:
					assert.Equal(t, 1.0, score, "%d %d", i, j) //nolint:testifylint // exactly
				case i < 5 || j < 5:
					assert.Zero(t, score, "%d %d", i, j)
				}
			}
		}
		for _, bad := range []politefetch.Fingerprint{"", "sha-256:", want[:50], want + "A", want[:50] + "*", want[:20] + "\n" + want[21:], want[:50] + "9", "2" + got[6][1:]} {
			for _, good := range []politefetch.Fingerprint{want, bad} {
				score, ok := bad.Similarity(good)
				assert.False(t, ok, "%q", bad)
				assert.Zero(t, score)
				_, ok = good.Similarity(bad)
				assert.False(t, ok, "%q", bad)
			}
		}
	})
}

// What a server says beside the body, and how it packs it, is no drift.
func TestR12_HeaderFieldsAndPackingAreNoDrift(t *testing.T) {
	packed := func(level int, at time.Time) string {
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, level)
		require.NoError(t, err)
		w.ModTime = at
		_, err = w.Write([]byte(strings.Repeat("words of it ", 100)))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return b.String()
	}
	for _, mediaType := range []string{"text/plain", "application/json", "image/jpeg"} {
		synctest.Test(t, func(t *testing.T) {
			var answers []fetchtest.Answer
			for i := range 3 {
				at := time.Now().Add(time.Duration(i) * time.Hour)
				a := typed(mediaType, packed(1+4*i, at)).With("Content-Encoding", "gzip")
				a = a.With("Etag", fmt.Sprintf(`W/"%d"`, i)).With("Last-Modified", at.Format(http.TimeFormat)).With("Date", at.Format(http.TimeFormat)).With("Age", fmt.Sprint(i))
				answers = append(answers, a)
			}
			answers = append(answers, typed(mediaType, strings.Repeat("words of it ", 100)))
			got := prints(t, answers...)
			for i := range got {
				assert.Equal(t, got[0], got[i], "%s %d", mediaType, i)
			}
		})
	}
}

func TestR12_WhatIsReadInPart(t *testing.T) {
	for _, mediaType := range []string{"text/plain", "image/jpeg"} {
		t.Run(mediaType, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := fetchtest.Site{}
				body := strings.Repeat("0123456789abcdef ", 1<<14)[:200_000]
				slow := typed(mediaType, body)
				slow.Drip = 100 * time.Microsecond
				for path, a := range map[string]fetchtest.Answer{
					"/long": typed(mediaType, body+"more"), "/longer": typed(mediaType, body+"even more"), "/other": typed(mediaType, "other"+body), "/slow": slow,
					"/coded":  typed(mediaType, "br").With("Content-Encoding", "br"),
					"/broken": typed(mediaType, "\x1f\x8b\x08\x00 half").With("Content-Encoding", "gzip"),
				} {
					site.Set(path, a)
				}
				cfg := watcherConfig(&site)
				cfg.MaxBody = 200_000
				bot := newBot(t, cfg)
				long, longer, other := checked(t, bot, site1+"/long"), checked(t, bot, site1+"/longer"), checked(t, bot, site1+"/other")
				assert.True(t, long.Truncated)
				assert.EqualValues(t, 200_000, long.Summary().Bytes)
				assert.Equal(t, long.Summary().Fingerprint, longer.Summary().Fingerprint, "what comes after was not read")
				assert.Less(t, alike(t, long.Summary().Fingerprint, other.Summary().Fingerprint), 1.0)

				p := checked(t, bot, site1+"/slow")
				assert.Equal(t, politefetch.Done, p.Outcome, "it is there")
				assert.True(t, p.Truncated)
				assert.Empty(t, p.Summary().Fingerprint, "nothing can be said")
				log := site.Log()
				assert.Equal(t, 15*time.Second, log[len(log)-1].Ended.Sub(log[len(log)-1].Began))
				p, err := bot.Fetch(t.Context(), site1+"/slow", nil) // who wants the body has not got it
				require.ErrorIs(t, err, politefetch.ErrTooSlow)
				assert.Equal(t, politefetch.Failed, p.Outcome)

				p = checked(t, bot, site1+"/coded")
				assert.Equal(t, politefetch.Done, p.Outcome)
				assert.True(t, p.Truncated)
				assert.Empty(t, p.Summary().Fingerprint)
				p, err = check(t, bot, site1+"/broken")
				require.ErrorIs(t, err, politefetch.ErrGzip)
				if mediaType != "text/plain" {
					assert.Empty(t, p.Summary().Fingerprint)
				}
			})
		})
	}
}

// Nothing of it stays but the fingerprint.
func TestR12_NoBodyIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/a", fetchtest.Text("salaisuus").With("Etag", `"1"`).With("X-Text", "salaisuus"))
		site.Set("/b", typed("image/png", "salaisuus"))
		bot := newBot(t, watcherConfig(&site))
		for _, path := range []string{"/a", "/b"} {
			p := checked(t, bot, site1+path)
			assert.Nil(t, p.Body)
			assert.NotEmpty(t, p.Summary().Fingerprint)
			assert.NotContains(t, fmt.Sprintf("%+v %+v", p, p.Summary()), "salaisuus")
			kept, err := bot.Fetch(t.Context(), site1+path, nil)
			require.NoError(t, err)
			assert.Equal(t, "salaisuus", string(kept.Body))
			assert.Equal(t, p.Summary(), kept.Summary())
		}
		p := checked(t, bot, site1+"/a")
		site.Set("/a", fetchtest.Status(http.StatusNotModified))
		opts := monitoring
		opts.Earlier = p.Header
		p, err := bot.Fetch(t.Context(), site1+"/a", &opts)
		require.NoError(t, err)
		assert.Equal(t, politefetch.Unchanged, p.Outcome)
		assert.Zero(t, p.Summary(), "there is no body to tell by")
	})
}

// A visit is no watcher: it does not read what it would drop.
func TestAVisitThatDropsBodiesClosesOtherTypesAtTheirHead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/", links("/a.pdf", "/b"))
		site.Set("/a.pdf", typed("application/pdf", strings.Repeat("x", 100_000)))
		site.Set("/b", fetchtest.Text(strings.Repeat("x", 100_000)))
		got := visit(t, newBot(t, politeConfig(&site)), site1+"/", politefetch.VisitOptions{DropBodies: true})
		assert.Equal(t, 3, got.report.Pages)
		for _, path := range []string{"/a.pdf", "/b"} {
			assert.LessOrEqual(t, find(t, &site, path, 1).Sent, int64(4<<10))
			assert.Zero(t, got.pages[site1+path].Summary())
			assert.Equal(t, politefetch.Done, got.pages[site1+path].Outcome)
		}
	})
}
