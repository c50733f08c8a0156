package sitemap_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/sitemap"
)

// repeated is a reader of head, n times body, and tail.
func repeated(head, body string, n int, tail string) io.Reader {
	chunk := strings.Repeat(body, 1000)
	readers := []io.Reader{strings.NewReader(head)}
	for range n / 1000 {
		readers = append(readers, strings.NewReader(chunk))
	}
	return io.MultiReader(append(readers, strings.NewReader(tail))...)
}

// A shape is megabytes of the worst, to be read once.
type shape struct {
	name  string
	input io.Reader
	want  int
	err   error
}

func shapes() []shape {
	const last = "<url><loc>https://a.test/last</loc></url></urlset>"
	return []shape{
		{"deep nesting", repeated("<urlset>", "<x>", 1_000_000, last), 0, nil},
		{"deep nesting, closed", io.MultiReader(repeated("<urlset>", "<x>", 300_000, ""), repeated("", "</x>", 300_000, last)), 1, nil},
		{"long text", repeated("<urlset><x>", "aaaaaaaaaa", 1_000_000, "</x>"+last), 1, nil},
		{"long loc", repeated("<urlset><url><loc>https://a.test/", "aaaaaaaaaa", 1_000_000, "</loc></url>"+last), 1, nil},
		{"long lastmod", repeated("<urlset><url><loc>https://a.test/1</loc><lastmod>", "2026-01-02", 1_000_000, "</lastmod></url>"+last), 2, nil},
		{"long CDATA", repeated("<urlset><url><loc><![CDATA[", "]]&gt;aa]]", 1_000_000, "]]></loc></url>"+last), 1, nil},
		{"long comment", repeated("<urlset><!--", "--&gt;- ->", 1_000_000, "-->"+last), 1, nil},
		{"long name", repeated("<urlset><", "aaaaaaaaaa", 1_000_000, ">"+last), 0, nil},
		{"cut tag", repeated("<urlset><", "aaaaaaaaaa", 1_000_000, ""), 0, sitemap.ErrTruncated},
		{"a million attributes", repeated("<urlset><x ", "a='b' ", 1_000_000, "/>"+last), 1, nil},
		{"a million namespaces", repeated("<urlset ", "xmlns:a='b' ", 1_000_000, ">"+last), 1, nil},
		{"open quote", repeated("<urlset><x a='", "aaaaaaaaaa", 1_000_000, ">"+last), 0, nil},
		{"ampersands", repeated("<urlset><url><loc>", "&&&&&&&&&&", 1_000_000, "</loc></url>"+last), 1, nil},
		{"angle brackets", repeated("<urlset>", "<<<<<<<<<<", 1_000_000, last), 1, nil},
		{"images", repeated("<urlset><url><loc>https://a.test/1</loc>", "<image:image><image:loc>https://a.test/i</image:loc></image:image>", 200_000, "</url>"+last), 2, nil},
		{"urls without end", repeated("<urlset>", "<url>", 1_000_000, last), 1, nil},
		{"ends without start", repeated("<urlset>", "</url>", 1_000_000, last), 1, nil},
		{"doctype", repeated("<!DOCTYPE urlset [", "<!ENTITY a 'b'>", 700_000, "]><urlset>"+last), 1, nil},
		{"bases", repeated("<feed>", "<x xml:base='a/'>", 500_000, "</feed>"), 0, nil},
		{"blanks in front", repeated("", "          ", 1_000_000, "<urlset>"+last), 1, nil},
		{"junk in front", repeated("", "junk<br/> ", 1_000_000, "<urlset>"+last), 0, sitemap.ErrNotSitemap},
		{"words", repeated("", "word words", 1_000_000, ""), 0, sitemap.ErrNotSitemap},
		{"long line", repeated("https://a.test/1\n", "aaaaaaaaaa", 1_000_000, "\nhttps://a.test/2"), 2, nil},
	}
}

// TestHostileShapes bounds the time and the memory loosely: a quadratic step or a buffered
// token would exceed them a hundredfold.
func TestHostileShapes(t *testing.T) {
	const most = 10 * time.Second
	for i, tt := range shapes() {
		t.Run(tt.name, func(t *testing.T) {
			took := time.Hour // the least of some runs: a busy machine lets one of them wait
			for n := 0; n < 5 && took >= most; n++ {
				took = min(took, shapes()[i].read(t))
			}
			assert.Less(t, took, most)
		})
	}
}

// read is how long the shape takes to be read.
func (s *shape) read(t *testing.T) time.Duration {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	n := 0
	var end error
	for _, err := range sitemap.Read(s.input, &sitemap.Options{Extensions: true}) {
		if end = err; err == nil {
			n++
		}
	}
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	assert.Equal(t, s.want, n)
	require.ErrorIs(t, end, s.err)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(32<<20))
	return took
}

func TestGzipBombEndsAtTheLimit(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, err := io.Copy(z, repeated("<urlset><url><loc>https://a.test/1</loc></url>", "          ", 20_000_000, ""))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	require.Less(t, bomb.Len()*900, 200_000_000, "about 1000 to 1")
	n := 0
	for _, err := range sitemap.Read(&bomb, nil) {
		if err == nil {
			n++
			continue
		}
		require.ErrorIs(t, err, sitemap.ErrTooLarge)
		se, ok := errors.AsType[*sitemap.Error](err)
		require.True(t, ok)
		assert.EqualValues(t, sitemap.DefaultMaxBytes, se.Offset)
	}
	assert.Equal(t, 1, n)
}

func TestReaderErrorsComeThrough(t *testing.T) {
	broken := errors.New("broken pipe")
	for _, input := range []string{"", "<urlset><url><loc>https://a.test/1</loc>", "https://a.test/1\nhttps://a.te"} {
		n := 0
		for _, err := range sitemap.Read(io.MultiReader(strings.NewReader(input), iotest.ErrReader(broken)), nil) {
			if err != nil {
				require.ErrorIs(t, err, broken)
				continue
			}
			n++
		}
		assert.Equal(t, min(len(input), 1), n, input)
	}
	for _, err := range sitemap.Read(io.MultiReader(strings.NewReader("<urlset>"), iotest.ErrReader(io.ErrUnexpectedEOF)), nil) {
		require.ErrorIs(t, err, sitemap.ErrTruncated, "a body that was cut on the way")
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	}
	stuck := iotest.ErrReader(nil)
	for _, err := range sitemap.Read(stuck, nil) {
		require.ErrorIs(t, err, io.ErrNoProgress)
	}
}

func TestStoppingIsQuiet(t *testing.T) {
	for range sitemap.Read(strings.NewReader("<urlset><url><loc>https://a.test/1</loc></url><url><loc>https://a.test/2</loc></url>"), nil) {
		break
	}
	for range sitemap.Read(strings.NewReader("https://a.test/1\nhttps://a.test/2\n"), nil) {
		break
	}
	for range sitemap.Read(strings.NewReader(""), nil) {
		break
	}
}
