package robots_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jimsmart/grobotstxt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/robots"
)

func TestTestPathDoesNotAllocate(t *testing.T) {
	body, paths := rulesFile(1000)
	hostile, long := hostileFile(100)
	g := robots.Parse(append(body, "Disallow: /caf%c3%a9\n"...)).Group("foobot")
	h := robots.Parse(hostile).Group("foobot")
	paths = append(paths, "/", "", "/robots.txt", "/café", "/caf%c3%a9?a=é#x", "/a/../caf%C3%A9", "https://example.com/x?y", "/"+strings.Repeat("é", 160))
	for _, path := range append(paths, long...) {
		assert.Zero(t, testing.AllocsPerRun(20, func() { g.TestPath(path) }), "%.50q", path)
		assert.Zero(t, testing.AllocsPerRun(20, func() { h.TestPath(path) }), "%.50q", path)
	}
}

func TestFileAndGroupAreSafeForConcurrentUse(t *testing.T) {
	body, paths := rulesFile(200)
	f := robots.Parse(append([]byte("Crawl-delay: 3\nContent-Usage: a=y\nSitemap: /s\n"), body...))
	g := f.Group("foobot")
	want := make([]robots.Verdict, len(paths))
	for i, p := range paths {
		want[i] = g.TestPath(p)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			own := f.Group("barbot")
			for range 20 {
				for i, p := range paths {
					if g.TestPath(p) != want[i] || own.TestPath(p) != want[i] {
						t.Errorf("%s: another verdict", p)
					}
				}
				g.ContentUsage("/")
				g.CrawlDelay()
				g.RequestRates()
				f.Sitemaps()
				f.Diagnostics()
				for range f.Records() {
				}
			}
		})
	}
	wg.Wait()
}

// hostileFiles are files of about MaxBytes that are laid out to cost as much as can be, and
// paths to go with them.
func hostileFiles() map[string]struct{ body, path string } {
	fill := func(line func(i int) string) string {
		var b strings.Builder
		b.WriteString("User-agent: *\n")
		for i := 0; b.Len() < robots.MaxBytes-20_000; i++ {
			b.WriteString(line(i))
		}
		return b.String()
	}
	rng := rand.New(rand.NewPCG(1, 2))
	letters := func(n, of int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = 'a' + byte(rng.IntN(of))
		}
		return string(b)
	}
	stars := strings.Repeat("*a", 50)
	return map[string]struct{ body, path string }{
		"roots":      {fill(func(i int) string { return fmt.Sprintf("Disallow:/*%x*z\n", i) }), "/" + letters(2000, 6)},
		"equal":      {fill(func(int) string { return "Disallow:/*ab*z\n" }), "/" + letters(2000, 3)},
		"stars":      {fill(func(i int) string { return fmt.Sprintf("Disallow:/%s*b%d\n", stars, i) }), "/" + strings.Repeat("a", 2000)},
		"star runs":  {fill(func(i int) string { return "Disallow:/" + strings.Repeat("*", i%1000) + "b\n" }), "/" + strings.Repeat("ab", 1000)},
		"only stars": {fill(func(i int) string { return "Disallow:/" + strings.Repeat("*", 1000-i%1000) + "\n" }), "/" + strings.Repeat("ab", 1000)},
		"two letters": {fill(func(int) string {
			return "Disallow:/*" + letters(6, 2) + "*" + letters(6, 2) + "*" + letters(8, 2) + "\n"
		}), "/" + letters(2000, 2)},
		"prefixes":   {fill(func(i int) string { return "Disallow:/" + strings.Repeat("a", i%700) + "\n" }), "/" + strings.Repeat("a", 2000)},
		"one prefix": {fill(func(i int) string { return fmt.Sprintf("Disallow:/aaaa*%x\n", i) }), "/aaaa" + letters(2000, 6)},
		"short":      {fill(func(i int) string { return fmt.Sprintf("allow:/%x\n", i) }), "/" + letters(2000, 6)},
		"anchors":    {fill(func(i int) string { return fmt.Sprintf("Disallow:/*a*%x$\n", i) }), "/" + letters(2000, 6)},
		"escapes":    {fill(func(i int) string { return fmt.Sprintf("Disallow:/*é*%x\n", i) }), "/" + strings.Repeat("é", 600)},
		"stars and three": {fill(func(i int) string {
			const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
			return "allow:*" + string([]byte{digits[i%36], digits[i/36%36], digits[i/36/36%36]}) + "\n"
		}), "/" + letters(2000, 26)},
		"keys":         {fill(func(int) string { return "X:\n" }), "/"},
		"agents":       {fill(func(i int) string { return fmt.Sprintf("User-agent:a%x\n", i) }), "/"},
		"carriage":     {fill(func(int) string { return "X:\r" }), "/"},
		"breaks":       {strings.Repeat("\n", robots.MaxBytes), "/"},
		"crawl-delays": {fill(func(int) string { return "Crawl-delay:1\n" }), "/"},
		"one line":     {"User-agent: *\nDisallow: /" + strings.Repeat("*a", robots.MaxBytes/2-100), "/" + strings.Repeat("a", 2000)},
		"ordinary": {fill(func(i int) string {
			return fmt.Sprintf("Disallow: /%s/%s-%d/\n", letters(6, 20), letters(9, 20), i)
		}), "/" + letters(2000, 20)},
	}
}

// TestHostileFilesCostNoMoreThanTheirSize bounds time very roughly, and the least time of
// some runs, so that a busy machine passes, but a quadratic step over 500 KiB does not.
func TestHostileFilesCostNoMoreThanTheirSize(t *testing.T) {
	for name, h := range hostileFiles() {
		t.Run(name, func(t *testing.T) {
			tokenizing, parsing, compiling, answering := time.Hour, time.Hour, time.Hour, time.Hour
			least := func(d *time.Duration, f func()) {
				began := time.Now()
				f()
				*d = min(*d, time.Since(began))
			}
			slow := func() bool {
				return parsing >= 4*tokenizing+100*time.Millisecond || compiling >= 500*time.Millisecond || answering >= 50*time.Millisecond
			}
			var v robots.Verdict
			for n := 0; n < 20 && slow(); n++ {
				var f *robots.File
				var g *robots.Group
				least(&tokenizing, func() { grobotstxt.Parse(h.body, ignore{}) })
				least(&parsing, func() { f = robots.Parse([]byte(h.body)) })
				least(&compiling, func() { g = f.Group("foobot") })
				least(&answering, func() { v = g.TestPath(h.path) })
			}
			t.Logf("tokenizing %v, parsing %v, compiling %v, answering %v: %.80s", tokenizing, parsing, compiling, answering, v)
			assert.Less(t, parsing, 4*tokenizing+100*time.Millisecond)
			assert.Less(t, compiling, 500*time.Millisecond)
			assert.Less(t, answering, 50*time.Millisecond)
		})
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestCompiledFileIsSmall bounds what a file and a group take: six times the file's bytes
// and 4 KiB.
func TestCompiledFileIsSmall(t *testing.T) {
	bodies := map[string]string{"empty": "", "tiny": "User-agent: *\nDisallow: /x\n"}
	for name, h := range hostileFiles() {
		bodies[name] = h.body
	}
	for _, n := range []int{10, 100, 5000} {
		body, _ := rulesFile(n)
		bodies[fmt.Sprint(n, " rules")] = string(body)
	}
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			raw := []byte(body)
			before := heap()
			f := robots.Parse(raw)
			g := f.Group("foobot")
			after := heap()
			used := int64(after) - int64(before)
			t.Logf("%d bytes take %d: %.2f times", len(raw), used, float64(used)/float64(max(len(raw), 1)))
			assert.LessOrEqual(t, used, int64(6*len(raw)+4096))
			require.True(t, f != nil && g != nil)
			runtime.KeepAlive(raw)
			runtime.KeepAlive(f)
			runtime.KeepAlive(g)
		})
	}
}
