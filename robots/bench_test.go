package robots_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jimsmart/grobotstxt"

	"github.com/politefetch/sdk/internal/conformance"
	"github.com/politefetch/sdk/robots"
)

// rulesFile is a file of n rules for "*", a tenth of them with wildcards.
func rulesFile(n int) (body []byte, paths []string) {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	words := []string{"catalog", "product", "search", "archive", "media", "account", "checkout", "review"}
	for i := range n {
		dir := fmt.Sprintf("/%s/%s-%d/%s", words[i%8], words[i/8%8], i, strings.Repeat(words[i/3%8]+"/", 1+min(n/500, 7)))
		line := "Disallow: " + dir
		switch {
		case i%10 == 3:
			line = fmt.Sprintf("Disallow: /*/%s-%d?*sort=", words[i%8], i)
		case i%10 == 6:
			line += "*." + words[i%8] + "$"
		case i%7 == 5:
			line = "Allow: " + dir + "x"
		}
		b.WriteString(line + "\n")
		if i*16%max(n, 16) < 16 {
			paths = append(paths, dir+"index.html", "/other"+dir)
		}
	}
	return []byte(b.String()), paths
}

// hostileFile is a file of rules that share everything but their ends.
func hostileFile(n int) (body []byte, paths []string) {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for i := range n {
		fmt.Fprintf(&b, "Disallow: /%s*z%d$\n", strings.Repeat("*a*b", 10), i)
	}
	return []byte(b.String()), []string{"/" + strings.Repeat("ab", 1000) + "z7x", "/" + strings.Repeat("ab", 1000)}
}

func BenchmarkTestPath(b *testing.B) {
	for _, bm := range []struct {
		name string
		make func() ([]byte, []string)
	}{
		{"10", func() ([]byte, []string) { return rulesFile(10) }},
		{"100", func() ([]byte, []string) { return rulesFile(100) }},
		{"5000", func() ([]byte, []string) { return rulesFile(5000) }},
		{"hostile", func() ([]byte, []string) { return hostileFile(100) }},
	} {
		b.Run(bm.name, func(b *testing.B) {
			body, paths := bm.make()
			g := robots.Parse(body).Group("foobot")
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				g.TestPath(paths[i%len(paths)])
			}
		})
	}
}

type ignore struct{}

func (ignore) HandleRobotsStart()                      {}
func (ignore) HandleRobotsEnd()                        {}
func (ignore) HandleUserAgent(int, string)             {}
func (ignore) HandleAllow(int, string)                 {}
func (ignore) HandleDisallow(int, string)              {}
func (ignore) HandleSitemap(int, string)               {}
func (ignore) HandleUnknownAction(int, string, string) {}

// BenchmarkCold is a file parsed and asked once, beside grobotstxt, and the parsing and
// compiling of the largest file beside grobotstxt's bare parser.
func BenchmarkCold(b *testing.B) {
	for _, n := range []int{10, 100, 5000} {
		body, paths := rulesFile(n)
		b.Run(fmt.Sprintf("%d/grobotstxt", n), func(b *testing.B) {
			for b.Loop() {
				grobotstxt.AgentAllowed(string(body), "foobot", "http://example.com"+paths[0])
			}
		})
		b.Run(fmt.Sprintf("%d/robots", n), func(b *testing.B) {
			for b.Loop() {
				robots.Parse(body).Group("foobot").TestPath(paths[0])
			}
		})
	}
	body := conformance.Read(b, "robots/corpus/www.runescape.com.txt")
	b.Run("118KB/parser alone", func(b *testing.B) {
		for b.Loop() {
			grobotstxt.Parse(string(body), ignore{})
		}
	})
	b.Run("118KB/robots", func(b *testing.B) {
		for b.Loop() {
			robots.Parse(body).Group("foobot")
		}
	})
}
