package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/robots"
	"github.com/politefetch/sdk/sitemap"
)

// maxErrors is how many errors are printed; sites with hundreds of broken sitemaps exist.
const maxErrors = 20

// A summary is what is said at the end.
type summary struct {
	began   time.Time
	source  string // where the sitemaps come from; "": from the command line
	listing bool   // sitemaps are listed like pages, not followed
	kinds   map[sitemap.Kind]int
	read    int // files, in part at least
	entries int // in them
	printed int

	warnings    map[sitemap.WarningCode]*warned
	failures    []failure
	interrupted bool
}

// warned is a kind of warning: how often it came, and the first one.
type warned struct {
	count int
	where string
	first sitemap.Warning
}

// failure is a file that could not be read.
type failure struct {
	file string
	err  error
}

func newSummary(listing bool) *summary {
	return &summary{
		began: time.Now(), listing: listing, kinds: make(map[sitemap.Kind]int), warnings: make(map[sitemap.WarningCode]*warned),
	}
}

func (s *summary) warn(url string, w sitemap.Warning) {
	if x := s.warnings[w.Code]; x != nil {
		x.count++
		return
	}
	s.warnings[w.Code] = &warned{count: 1, where: url, first: w}
}

// file counts a file that was read.
func (s *summary) file(f *sitemap.File) {
	s.entries += f.Pages
	if s.listing {
		s.entries += f.Sitemaps
	}
	if f.Err == nil || f.Pages+f.Sitemaps > 0 {
		s.read++
		s.kinds[f.Kind]++
	}
}

// fail remembers the error of a file, "" that of a walk's, which knows its file. The end
// of ctx is nobody's error.
func (s *summary) fail(ctx context.Context, file string, err error) {
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return
	}
	if e, ok := errors.AsType[*sitemap.Error](err); ok && file == "" {
		file = e.URL
	}
	s.failures = append(s.failures, failure{file, err})
}

// forgetAbsent forgets files that were only guessed to be there.
func (s *summary) forgetAbsent() {
	s.failures = slices.DeleteFunc(s.failures, func(f failure) bool { return absent(f.err) })
}

// absent reports whether an error says that there is no sitemap, or llms.txt, at all.
func absent(err error) bool {
	if e, ok := errors.AsType[*sitemap.Error](err); ok && (e.Status == http.StatusNotFound || e.Status == http.StatusGone) {
		return true
	}
	for _, target := range []error{sitemap.ErrNotSitemap, sitemap.ErrNotLLMs, sitemap.ErrEmpty, fs.ErrNotExist} {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

// code is the exit code.
func (s *summary) code() int {
	switch {
	case s.interrupted:
		return exitInterrupted
	case len(s.failures) == 0:
		return exitRead
	case s.read == 0 && !slices.ContainsFunc(s.failures, func(f failure) bool { return !absent(f.err) }):
		return exitNothing
	}
	return exitNotRead
}

// progress is how far it is.
func (s *summary) progress() string {
	return plural(s.read, "file", "files") + ", " + plural(s.printed, "URL", "URLs")
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// write prints the summary.
func (s *summary) write(w io.Writer) {
	put := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-10s%s\n", name, printable(fmt.Sprintf(format, args...)))
	}
	if s.source != "" {
		put("sitemaps", "%s", s.source)
	}
	put("files", "%s", s.files())
	if s.printed < s.entries {
		put("URLs", "%d of %d", s.printed, s.entries)
	} else {
		put("URLs", "%d", s.printed)
	}
	title := "warnings"
	for _, code := range slices.Sorted(maps.Keys(s.warnings)) {
		put(title, "%s", s.warnings[code])
		title = ""
	}
	title = "errors"
	for _, f := range s.failures[:min(len(s.failures), maxErrors)] {
		put(title, "%s: %s", f.file, f.reason())
		title = ""
	}
	if n := len(s.failures) - maxErrors; n > 0 {
		put("", "and %d more", n)
	}
	took := time.Since(s.began).Round(10 * time.Millisecond).String()
	if s.interrupted {
		took += ", interrupted"
	}
	put("time", "%s", took)
}

// hint says what can be done about the first error that something can be done about.
func (s *summary) hint(allowed []netip.AddrPort) string {
	for _, f := range s.failures {
		if hint := cli.GuardHint(f.err, allowed); hint != "" {
			return hint
		}
		e, ok := errors.AsType[*sitemap.Error](f.err)
		if ok && (e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable) {
			return "The site is busy. Try again later."
		}
	}
	return ""
}

// files says how many files there were, and what.
func (s *summary) files() string {
	var kinds []string
	for _, k := range slices.Sorted(maps.Keys(s.kinds)) {
		if k != sitemap.KindUnknown {
			kinds = append(kinds, fmt.Sprintf("%d %s", s.kinds[k], k))
		}
	}
	text := fmt.Sprintf("%d read", s.read)
	if len(kinds) > 0 {
		text += ": " + strings.Join(kinds, ", ")
	}
	if n := len(s.failures); n > 0 {
		text += "; " + plural(n, "error", "errors")
	}
	return text
}

// String tells how often it was, and of the first where and on what.
func (w *warned) String() string {
	text := fmt.Sprintf("%s: %d, the first before byte %d of %s", w.first.Code, w.count, w.first.Offset, w.where)
	if w.count == 1 {
		text = strings.Replace(text, "1, the first before", "1, before", 1)
	}
	if w.first.Value != "" {
		text += fmt.Sprintf(": %q", w.first.Value)
	}
	return text
}

// reason is the error's text without the name of the file.
func (f *failure) reason() string {
	if e, ok := errors.AsType[*politefetch.Error](f.err); ok {
		text := cmp.Or(string(e.Outcome), "failed")
		switch {
		case e.Err != nil:
			text = e.Err.Error()
		case e.Robots.Reason != robots.ReasonNone:
			text = e.Robots.String()
		}
		if e.URL != f.file {
			text = e.URL + ": " + text // a redirect led there
		}
		return text
	}
	if e, ok := errors.AsType[*fs.PathError](f.err); ok {
		return e.Err.Error()
	}
	if e, ok := errors.AsType[*sitemap.Error](f.err); ok {
		bare := *e
		bare.URL = ""
		return strings.TrimPrefix(bare.Error(), "sitemap: ")
	}
	return f.err.Error()
}
