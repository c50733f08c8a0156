package politefetch_test

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politefetch/sdk/internal/page/pydoc"
	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
	"github.com/politefetch/sdk/ratepolicy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// prints fetches pages and returns their fingerprints.
func prints(t *testing.T, pages ...fetchtest.Answer) []politefetch.Fingerprint {
	t.Helper()
	var site fetchtest.Site
	site.Fallback = func(r *http.Request) fetchtest.Answer {
		i, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
		if err != nil {
			return fetchtest.Answer{}
		}
		return pages[i]
	}
	cfg := politeConfig(&site)
	cfg.Policy = ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: time.Millisecond}}
	bot := newBot(t, cfg)
	out := make([]politefetch.Fingerprint, len(pages))
	for i := range pages {
		p, err := bot.Fetch(t.Context(), site1+"/"+strconv.Itoa(i), &politefetch.FetchOptions{DropBody: true})
		require.NoError(t, err)
		require.Equal(t, politefetch.Done, p.Outcome)
		out[i] = p.Summary().Fingerprint
	}
	return out
}

func TestR12_FingerprintIsOfTheText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := prints(t,
			fetchtest.HTML(`<title>a</title><p class="x" id="y">The price is 5 &euro; a metre.</p><p>Call us</p>`),
			fetchtest.HTML("<html><body><!-- 17 --><script nonce=abc>Date.now()</script>\n<div id=y class=x>The <b>price</b> is 5&nbsp;\u20ac a\nmetre.</div> <input type=hidden value=17><h2>Call us</h2><span hidden>17</span>"),
			fetchtest.Answer{
				Status: 200, Body: "<p>The price is 5 \xa4 a metre.<p>Call us",
				Header: http.Header{"Content-Type": {"text/html; charset=iso-8859-15"}},
			},
			fetchtest.HTML(`<p>The price is 6 &euro; a metre.</p><p>Call us</p>`),
			fetchtest.HTML(`This site is for sale`),
			fetchtest.HTML(``),
		)
		assert.Len(t, string(got[0]), 66)
		assert.Equal(t, got[0], got[1], "other markup")
		assert.Equal(t, got[0], got[2], "other character set")
		for _, tt := range []struct {
			i        int
			min, max float64
		}{{0, 1, 1}, {3, 0.4, 0.95}, {4, 0, 0.4}, {5, 0, 0.3}} {
			score, ok := got[tt.i].Similarity(got[0])
			assert.True(t, ok)
			assert.True(t, tt.min <= score && score <= tt.max, "page %d: %v", tt.i, score)
			back, ok := got[0].Similarity(got[tt.i])
			assert.True(t, ok)
			assert.InDelta(t, score, back, 0)
		}
	})
}

func TestSimilarityOfWhatIsNoFingerprint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		good := prints(t, fetchtest.HTML("some text"))[0]
		for _, bad := range []politefetch.Fingerprint{
			"", "3:", "1:00112233445566778899aabbccddeeff", "2" + good[1:], good[:65], good + "A", good[2:], good + good[2:],
			good[:20] + "*" + good[21:], good[:20] + "\n" + good[21:], good[:20] + "\u00e9" + good[22:], good[:65] + "=", " " + good,
		} {
			score, ok := good.Similarity(bad)
			assert.False(t, ok, "%q", bad)
			assert.Zero(t, score)
			score, ok = bad.Similarity(good)
			assert.False(t, ok, "%q", bad)
			assert.Zero(t, score)
			_, ok = bad.Similarity(bad)
			assert.False(t, ok, "%q", bad)
		}
	})
}

// TestOnlyTheSameTextIsWhollySimilar changes one word of so many that nothing else is told
// apart.
func TestOnlyTheSameTextIsWhollySimilar(t *testing.T) {
	var b strings.Builder
	for i := range 150_000 {
		b.WriteString("w" + strconv.Itoa(i) + " ")
	}
	synctest.Test(t, func(t *testing.T) {
		got := prints(t, fetchtest.HTML(b.String()), fetchtest.HTML(b.String()+"x"), fetchtest.HTML(b.String()+"y"), fetchtest.HTML(b.String()+"z"))
		for i, a := range got {
			for j, b := range got {
				score, ok := a.Similarity(b)
				assert.True(t, ok)
				assert.Greater(t, score, 0.99)
				assert.Equal(t, i == j, score == 1, "%d and %d: %v", i, j, score)
			}
		}
	})
}

// paragraph is one of a page's own paragraphs, with text in it.
var paragraph = regexp.MustCompile(`(?s)<p(?:\s[^>]*)?>[^<]*\w.*?</p>`)

// TestSimilarityTellsOneParagraphFromAnotherPage exchanges single paragraphs of each page
// for those of other pages, and takes pairs of pages. All of them are one site's, and share
// its navigation and footer.
func TestSimilarityTellsOneParagraphFromAnotherPage(t *testing.T) {
	pages := pydoc.Pages(t)
	names := slices.Sorted(maps.Keys(pages))
	r := rand.New(rand.NewPCG(1, 2))
	where := map[string][][]int{}
	for _, name := range names {
		where[name] = paragraph.FindAllIndex(pages[name], -1)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return len(where[name]) == 0 })
	const each = 2 // paragraphs of a page that are exchanged
	var answers []fetchtest.Answer
	var of []int // the page that an answer is a version of
	for i, name := range names {
		body := string(pages[name])
		answers = append(answers, fetchtest.HTML(body))
		of = append(of, i)
		for _, k := range r.Perm(len(where[name]))[:min(each, len(where[name]))] {
			other := names[(i+1+r.IntN(len(names)-1))%len(names)]
			from := where[other][r.IntN(len(where[other]))]
			at := where[name][k]
			answers = append(answers, fetchtest.HTML(body[:at[0]]+string(pages[other][from[0]:from[1]])+body[at[1]:]))
			of = append(of, i)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		got := prints(t, answers...)
		whole := map[int]politefetch.Fingerprint{}
		var changed, unrelated []float64
		for i, f := range got {
			earlier, isVersion := whole[of[i]]
			if !isVersion {
				whole[of[i]] = f
				continue
			}
			score, ok := f.Similarity(earlier)
			require.True(t, ok)
			changed = append(changed, score)
		}
		for range 5_000 {
			a, b := r.IntN(len(names)), r.IntN(len(names))
			if a == b || whole[a] == whole[b] {
				continue
			}
			score, ok := whole[a].Similarity(whole[b])
			require.True(t, ok)
			unrelated = append(unrelated, score)
		}
		slices.Sort(changed)
		slices.Sort(unrelated)
		at := func(v []float64, percent int) float64 { return v[len(v)*percent/100] }
		share := func(v []float64, limit float64) float64 {
			n, _ := slices.BinarySearchFunc(v, limit, cmp.Compare)
			return float64(n) / float64(len(v))
		}
		t.Logf("%d times one paragraph exchanged: 1 in 100 below %.3f, 5 below %.3f, 50 below %.3f", len(changed), at(changed, 1), at(changed, 5), at(changed, 50))
		t.Logf("%d pairs of pages: 50 in 100 below %.3f, 95 below %.3f, 99 below %.3f", len(unrelated), at(unrelated, 50), at(unrelated, 95), at(unrelated, 99))
		assert.GreaterOrEqual(t, len(changed), len(names))
		assert.LessOrEqual(t, share(changed, 0.9), 0.05, "one paragraph exchanged: above 0.9")
		assert.GreaterOrEqual(t, share(unrelated, 0.6), 0.95, "other pages: below 0.6")
	})
}
