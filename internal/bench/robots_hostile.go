package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

const (
	hostileSize = 500 << 10 // the most of a file that counts
	longestPath = 8_000     // about the longest that is asked for
)

// hostileFiles are files of about n bytes that are laid out to cost a matcher as much as
// can be, each with addresses to go with it. The first is an ordinary one.
func hostileFiles(n int) []robotsCase {
	rng := rand.New(rand.NewPCG(9309, 500))
	letters := func(n, of int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = 'a' + byte(rng.IntN(of))
		}
		return string(b)
	}
	stars := strings.Repeat("*a", 50)
	var files []robotsCase
	add := func(name string, line func(i int) string, paths ...string) {
		var b strings.Builder
		b.WriteString("User-agent: *\n")
		for i := 0; ; i++ {
			l := line(i)
			if b.Len()+len(l) >= n {
				break
			}
			b.WriteString(l + "\n")
		}
		c := robotsCase{name: name, body: []byte(b.String())}
		for _, p := range append(paths, "/"+letters(2000, 20), "/"+letters(8000, 20)) {
			p = p[:min(len(p), longestPath)]
			if a, err := address("https://www.example.com" + p); err == nil {
				c.ask = append(c.ask, a)
			}
		}
		files = append(files, c)
	}
	add("ordinary", func(i int) string {
		return fmt.Sprintf("Disallow: /%s/%s-%d/", letters(6, 20), letters(9, 20), i)
	}, "/articles/2026/11/on-polite-robots-7?page=3")
	hex := "/" + letters(2000, 6)
	for _, x := range []struct {
		name string
		line func(i int) string
		path string
	}{
		{"a star, a number, a star", func(i int) string { return fmt.Sprintf("Disallow:/*%x*z", i) }, hex},
		{"the same, with a z", func(i int) string { return fmt.Sprintf("Disallow:/*%x*z", i) }, hex + "z"},
		{"equal rules", func(int) string { return "Disallow:/*ab*z" }, "/" + letters(2000, 3)},
		{"50 stars", func(i int) string { return fmt.Sprintf("Disallow:/%s*b%d", stars, i) }, "/" + strings.Repeat("a", 2000)},
		{"50 stars and a common end", func(i int) string { return fmt.Sprintf("Disallow:/%s*%sq", stars, letters(3, 4)) }, "/" + strings.Repeat("aabacad", 280)},
		{"runs of stars", func(i int) string { return "Disallow:/" + strings.Repeat("*", i%1000) + "b" }, "/" + strings.Repeat("ab", 1000)},
		{"only stars", func(i int) string { return "Disallow:/" + strings.Repeat("*", 1000-i%1000) }, "/" + strings.Repeat("ab", 1000)},
		{"pieces of two letters", func(int) string {
			return "Disallow:/*" + letters(6, 2) + "*" + letters(6, 2) + "*" + letters(8, 2)
		}, "/" + letters(2000, 2)},
		{"one gram, other tails", func(i int) string { return fmt.Sprintf("Disallow:/*aaaa*%s", letters(3, 26)) }, "/" + strings.Repeat("a", 2000) + letters(500, 26)},
		{"one gram, no tail fits", func(i int) string {
			return fmt.Sprintf("Disallow:/*aaaa*%c%c%c", 'a'+i%24, 'b'+i/24%24, 'c'+i/24/24%24)
		}, "/" + strings.Repeat("a", 500) + strings.Repeat("zyxwvutsrqponmlkjihgfedcb", 60)},
		{"nested prefixes", func(i int) string { return "Disallow:/" + strings.Repeat("a", i%700) }, "/" + strings.Repeat("a", 2000)},
		{"nested prefixes with a tail", func(i int) string { return "Disallow:/" + strings.Repeat("a", i%700) + "*z" }, "/" + strings.Repeat("a", 2000)},
		{"one prefix", func(i int) string { return fmt.Sprintf("Disallow:/aaaa*%x", i) }, "/aaaa" + letters(2000, 6)},
		{"short rules", func(i int) string { return fmt.Sprintf("allow:/%x", i) }, hex},
		{"anchors", func(i int) string { return fmt.Sprintf("Disallow:/*a*%x$", i) }, hex},
		{"escapes", func(i int) string { return fmt.Sprintf("Disallow:/*é*%x", i) }, "/" + strings.Repeat("%C3%A9", 330)},
		{"unknown keys", func(int) string { return "X:" }, "/"},
		{"agents", func(i int) string { return fmt.Sprintf("User-agent:a%x", i) }, "/"},
	} {
		add(x.name, x.line, x.path, x.path+x.path+x.path+x.path)
	}
	add("one rule", func(i int) string { return "Disallow: /" + strings.Repeat("*a", n/2-100) + strings.Repeat("\n", i*n) },
		"/"+strings.Repeat("a", 2000), "/"+strings.Repeat("a", 8000))
	return files
}

// benchHostile compares hostile files with an ordinary one of their size: the costliest
// answer, and how the cost of making them ready grows with their size.
func benchHostile(b *bench) error {
	title := "robots: hostile files of 500 KiB, the costliest answer of each"
	if !b.picked(title) {
		return nil
	}
	files, quarters := hostileFiles(hostileSize), hostileFiles(hostileSize/4)
	var ops []operation
	for i := range files {
		ops = append(ops, readOp(files[i].body), readOp(quarters[i].body))
	}
	reads := b.interleave(ops)
	ops = nil
	for i := range files {
		test, err := parseOurs(files[i].body)
		if err != nil {
			return err
		}
		for k := range files[i].ask {
			a := &files[i].ask[k]
			ops = append(ops, func(n int) {
				for range n {
					test(a)
				}
			})
		}
	}
	answers := b.interleave(ops)
	var rows [][]string
	var ordinary, worst, growth float64
	var worstFile, growthFile string
	for i := range files {
		costliest := sample{}
		at := 0
		for k := range files[i].ask {
			if answers[k].ns > costliest.ns {
				costliest, at = answers[k], k
			}
		}
		answers = answers[len(files[i].ask):]
		if i == 0 {
			ordinary = costliest.ns
		} else if costliest.ns > worst {
			worst, worstFile = costliest.ns, files[i].name
		}
		g := reads[2*i].ns / reads[2*i+1].ns
		if g > growth {
			growth, growthFile = g, files[i].name
		}
		rows = append(rows, []string{
			files[i].name, duration(reads[2*i].ns), short(g) + "x", duration(costliest.ns),
			short(costliest.ns/ordinary) + "x", fmt.Sprint(len(files[i].ask[at].Path)),
		})
	}
	b.table(title, []string{"file", "read and made ready", "over that of a quarter", "costliest answer", "over the ordinary file's", "its address's bytes"}, rows)
	b.atMost(100, worst/ordinary, "robots: hostile 500 KiB, costliest answer / ordinary file's (worst: %s)", worstFile)
	fmt.Fprintf(b.w, "\nFour times the file takes at most %sx the time to make ready (%s); a quadratic step would take 16x.\n", short(growth), growthFile)
	return nil
}

func readOp(body []byte) operation {
	return func(n int) {
		for range n {
			parseOurs(body)
		}
	}
}

func parseOurs(body []byte) (Allowed, error) {
	for _, s := range Robots {
		if s.Name == ours {
			return s.Do(body, agent)
		}
	}
	return nil, fmt.Errorf("there is no subject %q", ours)
}
