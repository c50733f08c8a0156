package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/politefetch/sdk/robots"
)

// corpusEnv names the folder of the conformance data, whose robots/corpus holds real
// files. They are other people's and not in the repository.
const corpusEnv = "POLITEFETCH_CONFORMANCE"

// realFiles are files of four sizes, and whether temoto's parser takes them.
var realFiles = []struct {
	site, name string
	temoto     bool
}{
	{"stackoverflow.com", "stackoverflow.com.txt", true},
	{"en.wikipedia.org", "en.wikipedia.org.txt", true},
	{"ipwatchdog.com", "texting-ipwatchdog.txt", false},
	{"runescape.com", largestReal, true},
}

const largestReal = "www.runescape.com.txt" // 118 KB

// corpus returns the path of the real files that match a pattern, or with a plain name of
// that one.
func corpus(name string) string {
	dir, set := os.LookupEnv(corpusEnv)
	if !set {
		dir = filepath.Join("..", "..", "..", "shared", "conformance") // beside the repository
	}
	return filepath.Join(dir, "robots", "corpus", name)
}

// absent notes in the report that a real file is missing; other errors it returns.
func (b *bench) absent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(b.w, "\n**Real files are not measured**: %s names no folder that has robots/corpus.\n", corpusEnv)
		return nil
	}
	return err
}

func benchReal(b *bench) error {
	for _, file := range realFiles {
		body, err := os.ReadFile(corpus(file.name))
		if err != nil {
			return b.absent(err)
		}
		c, err := realCase(body)
		if err != nil {
			return err
		}
		title := fmt.Sprintf("robots: one answer, the file read before: %s, %s", file.site, size(float64(len(body))))
		if !b.picked(title) {
			continue
		}
		got := c.hot(b, title)
		mine := named(Robots, got, ours)
		b.atLeast(200, named(Robots, got, grobots).ns/mine.ns, "robots: answer of %s: grobotstxt's time / ours", file.site)
		if file.temoto {
			b.atLeast(10, named(Robots, got, temoto).ns/mine.ns, "robots: answer of %s: temoto's time / ours", file.site)
		}
		b.atMost(0, mine.allocs, "robots: answer of %s: allocations", file.site)
	}
	return nil
}

// realCase makes 64 addresses for a file, in normal form: half of them spelled like rules
// from all over it, half like nothing there.
func realCase(body []byte) (*robotsCase, error) {
	var paths []string
	for r := range robots.Parse(body).Records() {
		if r.Key != "allow" && r.Key != "disallow" || !strings.HasPrefix(r.Value, "/") {
			continue
		}
		path := strings.NewReplacer("*", "x", "$", "").Replace(r.Value)
		if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_/?=&") == "" {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return nil, errors.New("a real file without a plain rule")
	}
	const addresses = 64
	c := &robotsCase{body: body}
	for i := range addresses {
		path := fmt.Sprintf("/articles/2026/%d/on-polite-robots-%d?page=%d", i%12+1, i*i, i)
		if i%2 == 0 {
			path = paths[i*len(paths)/addresses] + []string{"", "index", "/more/of-it"}[i/2%3]
		}
		a, err := address("https://www.example.com" + path)
		if err != nil {
			return nil, err
		}
		c.ask = append(c.ask, a)
	}
	return c, nil
}

// benchCompile times the reading of the largest real file beside the bare parser of
// grobotstxt, which keeps nothing.
func benchCompile(b *bench) error {
	body, err := os.ReadFile(corpus(largestReal))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // benchReal said so
	}
	if err != nil {
		return err
	}
	title := "robots: file read and made ready: runescape.com, " + size(float64(len(body)))
	if !b.picked(title) {
		return nil
	}
	subjects := []Subject[ParseRobots]{{Other, "grobotstxt, bare Parse", bareParse}}
	for _, s := range Robots {
		if s.Name != grobots && s.Kind == Peer || s.Name == ours { // grobotstxt itself makes nothing ready
			subjects = append(subjects, s)
		}
	}
	ops, why := make([]operation, len(subjects)), make([]error, len(subjects))
	for i, s := range subjects {
		if _, why[i] = s.Do(body, agent); why[i] != nil {
			continue
		}
		ops[i] = func(n int) {
			for range n {
				s.Do(body, agent)
			}
		}
	}
	got := b.interleave(ops)
	costs(&b.report, title, subjects, got, why, nil, nil)
	b.atMost(2.5, named(subjects, got, ours).ns/got[0].ns, "robots: 118 KB read and compiled: time / grobotstxt's bare Parse")
	return nil
}
