package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ReadPage takes from a page what a site checker wants to know.
type ReadPage func(body []byte) (PageFacts, error)

// PageFacts are a page's. Words are those of its text, scripts, styles and title left out.
type PageFacts struct {
	Title, Robots, Canonical string
	Links, Words             int
}

const (
	pageTokens  = "x/net/html tokenizer loop"
	pageTree    = "x/net/html Parse and walk"
	pageGoquery = "goquery"
)

func benchPage(b *bench) error {
	b.cpu = true
	defer func() { b.cpu = false }()
	for _, kb := range []int{20, 200, 1000} {
		body := newPage(kb*1000, func(i int) string { return fmt.Sprintf("/shop/item-%d?ref=list&amp;pos=%d", i, i) })
		if err := benchPages(b, fmt.Sprintf("page: %d KB, generated", kb), [][]byte{body}, true); err != nil {
			return err
		}
	}
	docs, err := docPages()
	if err != nil {
		return err
	}
	if len(docs) == 0 {
		fmt.Fprintf(b.w, "\nPython's documentation is not here (POLITEFETCH_PYDOC): no table of real pages.\n")
		return nil
	}
	return benchPages(b, fmt.Sprintf("page: %d pages of Python's documentation", len(docs)), docs, false)
}

// docPages returns one in eight pages of Debian's package python3-doc, if it is there.
func docPages() (pages [][]byte, err error) {
	dir := os.Getenv("POLITEFETCH_PYDOC")
	if dir == "" {
		dir = "/usr/share/doc/python3-doc/html"
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, nil //nolint:nilerr // it isn't there
	}
	n := 0
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".html") {
			return err
		}
		if n++; n%8 != 0 {
			return nil
		}
		body, err := os.ReadFile(path) //nolint:gosec // the folder is the caller's choice
		pages = append(pages, body)
		return err
	})
	return pages, err
}

// benchPages measures all subjects on some pages. Where the facts are known to be plain,
// those of a subject must be the tree's.
func benchPages(b *bench, title string, pages [][]byte, plain bool) error {
	if !b.picked(title) {
		return nil
	}
	total := 0
	for _, body := range pages {
		total += len(body)
	}
	ops, why, same := make([]operation, len(Pages)), make([]error, len(Pages)), make([]string, len(Pages))
	tree := slices.IndexFunc(Pages, func(s Subject[ReadPage]) bool { return s.Name == pageTree })
	for i, s := range Pages {
		agree := 0
		for _, body := range pages {
			want, err := Pages[tree].Do(body)
			if err != nil {
				return err
			}
			var got PageFacts
			if got, why[i] = s.Do(body); why[i] != nil {
				break
			}
			if got == want {
				agree++
			}
		}
		// The tokenizer keeps none; on real pages, links and words are told apart in several ways.
		if plain && s.Name != pageTokens {
			same[i] = fmt.Sprintf("%d of %d", agree, len(pages))
		}
		if why[i] != nil {
			continue
		}
		ops[i] = func(n int) {
			for range n {
				for _, body := range pages {
					s.Do(body)
				}
			}
		}
	}
	got := b.interleave(ops)
	tokens := named(Pages, got, pageTokens)
	costs(&b.report, title, Pages, got, why, []string{"MB/s", "MB/s over the tokenizer's", "the tree's facts"}, func(i int) []string {
		if got[i].ns == 0 {
			return []string{"", "", ""}
		}
		return []string{fmt.Sprintf("%.0f", float64(total)*1e3/got[i].ns), short(tokens.ns/got[i].ns) + "x", same[i]}
	})
	mine := named(Pages, got, ours)
	b.atLeast(0.8, tokens.ns/mine.ns, "%s: MB/s over the bare tokenizer's", title)
	b.atMost(0.55, mine.ns/named(Pages, got, pageTree).ns, "%s: time over html.Parse's", title)
	b.atMost(0.45, mine.ns/named(Pages, got, pageGoquery).ns, "%s: time over goquery's", title)
	return nil
}
