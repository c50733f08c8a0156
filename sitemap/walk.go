package sitemap

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"net/http"
	"slices"
	"time"

	"github.com/politefetch/sdk/internal/urlnorm"
)

// Defaults of WalkOptions.
const (
	DefaultMaxDepth = 5   // sitemaps.org knows one level; real indexes need two or three
	DefaultMaxFiles = 500 // Google's limit for one site
)

// WalkOptions say how to walk. Walk copies them. The functions are called on the goroutine
// that ranges over the walk.
type WalkOptions struct {
	// MaxDepth bounds the levels of indexes; the roots have depth 0. 0: 5, negative: no limit.
	MaxDepth int
	// MaxFiles bounds the sitemaps that are asked for; 0: 500, negative: no limit.
	MaxFiles int
	// MaxPages ends the walk, without an error, after that many pages; 0, too: no limit. Nothing
	// more is read or fetched then.
	MaxPages int
	// MaxURLs and MaxBytes bound each file as in Options.
	MaxURLs  int
	MaxBytes int64
	// Extensions: also read alternates, images, videos and news.
	Extensions bool
	// Since: sitemaps of an index that have not changed since are not fetched. One without
	// lastmod is. Zero: all are. For pages there is Entry.ChangedSince in Keep.
	Since time.Time
	// NewestFirst: the sitemaps of an index are fetched in the order of their lastmod, those
	// without one last. Otherwise in document order.
	NewestFirst bool
	// Unique: a page is yielded once. It costs a map of all their URLs.
	Unique bool
	// Sitemaps: the sitemaps that a sitemap names are yielded, as entries with Sitemap set,
	// in place of being followed: the walk lists its roots. They are treated as pages are:
	// in document order, asked about with Keep, counted by MaxPages and by File.Kept. Since
	// heeds them, Follow and NewestFirst do not apply.
	Sitemaps bool
	// Keep is asked for each page while its file is read; false drops it at once. So a caller
	// with room for few pages walks large sitemaps in little memory. nil: all are kept.
	Keep func(Entry) bool
	// Follow is asked for each sitemap that a sitemap names, before it is queued; an error
	// is yielded in its place. It is not asked for the roots. nil: all are followed.
	Follow func(Entry) error
	// Enough is asked after each entry that is read; true ends the walk without an error.
	// What was kept of the file so far is still yielded. nil: never.
	Enough func() bool
	// Earlier returns the header of an earlier answer for a URL, or nil. Its ETag and
	// Last-Modified make the request conditional (RFC 9110 section 13.1); an answer of 304
	// is a File without entries: if it is an index, the sitemaps that it named are not asked
	// for. Return nil for those where that is not wanted.
	Earlier func(url string) http.Header
	// Warn is told what was forgiven in the file of that URL; nil: nobody is.
	Warn func(url string, w Warning)
	// Observe is told of each file after its body is closed and before anything of it is
	// yielded; nil: nobody is. What is yielded until the next call comes from that file,
	// but for errors about files that are not asked for.
	Observe func(File)
}

// File is what a walk did with one sitemap. It is plain data.
type File struct {
	URL      string      // as asked for, normalised
	Final    string      // where redirects led; empty if there was no answer
	Parent   string      // the index that names it; empty for a root
	Depth    int         // 0 for a root
	Status   int         // of the answer; 0: none
	Header   http.Header // of the answer, to hand to Earlier at the next walk
	Kind     Kind
	Pages    int // page entries that were read
	Kept     int // entries that are yielded
	Sitemaps int // sitemap entries that were read
	Err      error
}

// Walk fetches the sitemaps at roots with client, follows indexes breadth first, and
// yields the pages. An error, always an [*Error], is that of one file; the walk goes on
// after it. What a file said before its error is yielded before the error. It ends early at
// MaxPages, at Enough, with ErrTooManyFiles, when ctx ends (the error then wraps
// [context.Cause]), or when the caller stops ranging.
//
// A body is read as it arrives, and closed before anything of its file is yielded, so the
// caller may use the same client inside the loop even if it allows one request at a time.
// Memory grows with the pages of one file that Keep keeps. No sitemap is fetched twice;
// URLs are compared after normalisation, and after redirects. A nil opts means the
// defaults; client must not be nil. The iterator is for one use.
//
// Walk asks neither robots.txt nor a scope for leave: client's transport and Follow do.
func Walk(ctx context.Context, client *http.Client, roots []string, opts *WalkOptions) iter.Seq2[Entry, error] {
	w := walker{seen: map[string]bool{}}
	if opts != nil {
		w.opts = *opts
	}
	w.opts.MaxDepth = cmp.Or(w.opts.MaxDepth, DefaultMaxDepth)
	w.opts.MaxFiles = cmp.Or(w.opts.MaxFiles, DefaultMaxFiles)
	w.client = w.refuseCycles(client)
	roots = slices.Clone(roots)
	return func(yield func(Entry, error) bool) {
		w.yield = yield
		w.walk(ctx, roots)
	}
}

type walker struct {
	opts   WalkOptions
	client *http.Client
	yield  func(Entry, error) bool

	queue   []job
	seen    map[string]bool // sitemaps that were queued or reached by a redirect
	pages   map[string]bool // if Unique
	files   int
	total   int // pages yielded or about to be
	stopped bool
}

func (w *walker) walk(ctx context.Context, roots []string) {
	for _, root := range roots {
		u, err := urlnorm.Parse(nil, root)
		if err != nil {
			w.deliver(Entry{}, &Error{URL: harmless(root), Err: err})
			continue
		}
		w.enqueue(job{url: u.String()})
	}
	for len(w.queue) > 0 && !w.stopped {
		j := w.queue[0]
		w.queue = w.queue[1:]
		switch {
		case ctx.Err() != nil:
			w.deliver(Entry{}, &Error{URL: harmless(j.url), Err: context.Cause(ctx)})
			return
		case w.opts.MaxDepth >= 0 && j.depth > w.opts.MaxDepth:
			w.deliver(Entry{}, &Error{URL: harmless(j.url), Err: ErrDepth})
			continue
		case w.opts.MaxFiles >= 0 && w.files >= w.opts.MaxFiles:
			w.deliver(Entry{}, &Error{URL: harmless(j.url), Err: ErrTooManyFiles})
			return
		}
		w.files++
		r := w.fetch(ctx, j)
		w.handOut(r)
		if r.enough || w.full() || ctx.Err() != nil && says(r.errs, context.Cause(ctx)) {
			return
		}
	}
}

// says reports whether one of the errors that were handed out wraps cause.
func says(errs []error, cause error) bool {
	return slices.ContainsFunc(errs, func(err error) bool { return errors.Is(err, cause) })
}

// handOut yields what a file gave and queues its children. Its body is closed.
func (w *walker) handOut(r result) {
	if w.opts.Observe != nil {
		w.opts.Observe(r.file)
	}
	if w.opts.NewestFirst {
		slices.SortStableFunc(r.children, func(a, b job) int { return b.lastMod.Compare(a.lastMod) })
	}
	for _, j := range r.children {
		w.enqueue(j)
	}
	for i, e := range r.pages {
		r.pages[i] = Entry{} // so that memory shrinks while the caller works
		w.deliver(e, nil)
	}
	for _, err := range r.errs {
		w.deliver(Entry{}, err)
	}
}

func (w *walker) deliver(e Entry, err error) {
	if !w.stopped && !w.yield(e, err) {
		w.stopped = true
	}
}

func (w *walker) full() bool { return w.opts.MaxPages > 0 && w.total >= w.opts.MaxPages }

// enqueue queues a sitemap that was not seen before. More than can ever be fetched are not
// remembered.
func (w *walker) enqueue(j job) {
	if w.seen[j.url] || w.opts.MaxFiles >= 0 && w.files+len(w.queue) > w.opts.MaxFiles {
		return
	}
	w.seen[j.url] = true
	w.queue = append(w.queue, j)
}
