// Package pydoc finds ordinary web pages for tests: those of Python's documentation, as
// Debian's package python3-doc installs them.
package pydoc

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Env names the folder of the pages. Set but absent is a failure, so that a machine that is
// meant to have them can't pass without.
const Env = "POLITEFETCH_PYDOC"

// Pages returns about 530 ordinary pages of all sizes, by the names of their files. When
// Env is unset it looks where Debian puts them, takes one page in eight, and skips the test
// if there are none.
func Pages(tb testing.TB) map[string][]byte {
	tb.Helper()
	dir, set := os.LookupEnv(Env)
	if !set {
		for _, d := range []string{"/usr/share/doc/python3/html", "/usr/share/doc/python3-doc/html"} {
			if _, err := os.Stat(d); err == nil {
				dir = d
			}
		}
		if dir == "" {
			tb.Skip("no python3-doc; set " + Env + " to its html folder")
		}
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		tb.Fatal(err)
	}
	pages, n := map[string][]byte{}, 0
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".html") {
			return err
		}
		if n++; !set && n%8 != 0 {
			return nil
		}
		pages[path], err = os.ReadFile(path) //nolint:gosec // tests only
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	if n < 100 {
		tb.Fatalf("%s is no python3-doc", dir)
	}
	return pages
}
