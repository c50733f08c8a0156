package sitemap

import (
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"iter"
	"net/url"

	"github.com/politefetch/sdk/internal/urlnorm"
)

// Defaults of Options, the limits of sitemaps.org for one file.
const (
	DefaultMaxURLs  = 50_000
	DefaultMaxBytes = 50 << 20
)

// Options say how to read one file. Read copies them.
type Options struct {
	// URL is where the content was read from. Relative URLs are resolved against it and
	// Entry.Outside is judged by it; nil: relative URLs are dropped, nothing is outside.
	URL *url.URL
	// ContentType is the Content-Type header, if there was one. Only its charset is used,
	// and only where the content leaves a doubt.
	ContentType string
	// MaxURLs bounds the entries; 0: 50,000, negative: no limit.
	MaxURLs int
	// MaxBytes bounds the data after decompression; 0: 50 MiB, negative: no limit.
	MaxBytes int64
	// Extensions: also read alternates, images, videos and news.
	Extensions bool
	// Warn is told what was forgiven, as it happens; nil: nobody is.
	Warn func(Warning)
	// Format is told once what the content is, before the first entry and before the error;
	// nil: nobody is.
	Format func(Kind)
}

// Read reads one sitemap, index or feed from r and yields its entries in document order,
// then at most one error, an [*Error]. Entries before an error stand. Duplicates are
// yielded as they come.
//
// Read keeps a window of 64 KiB and the current entry, no more; r is read while the
// iterator runs and never past MaxBytes. A nil opts means the defaults. The iterator is
// for one use and for one goroutine; it doesn't close r.
func Read(r io.Reader, opts *Options) iter.Seq2[Entry, error] {
	rd := reader{yield: func(Entry, error) bool { return true }}
	if opts != nil {
		rd.opts = *opts
	}
	if rd.opts.MaxURLs == 0 {
		rd.opts.MaxURLs = DefaultMaxURLs
	}
	if rd.opts.MaxBytes == 0 {
		rd.opts.MaxBytes = DefaultMaxBytes
	}
	return func(yield func(Entry, error) bool) {
		rd.yield = yield
		rd.run(r)
	}
}

// reader is the state that all formats share.
type reader struct {
	opts  Options
	yield func(Entry, error) bool
	w     window

	kind    Kind
	told    bool // Format has been called
	count   int
	stopped bool // the consumer left, or the error was delivered

	base   *url.URL // canonical URL of the file, or nil
	hosts  [2]string
	prefix string // the location rule: every URL inside begins with it
}

func (rd *reader) run(r io.Reader) {
	rd.locate()
	src, err := gunzip(r, rd.warn)
	if err != nil {
		rd.fail(err)
		return
	}
	if rd.opts.MaxBytes > 0 {
		src = &limitedReader{r: src, left: rd.opts.MaxBytes}
	}
	rd.w.reset(src)
	rd.w.fillAll()
	rd.decode()
	switch f := rd.sniff(); f {
	case formatEmpty:
		rd.fail(rd.endOr(ErrEmpty))
	case formatHTML:
		rd.kind = KindHTML
		rd.fail(ErrNotSitemap)
	case formatText:
		rd.readText()
	case formatXML:
		p := parser{reader: rd}
		p.run()
	}
}

// locate prepares what depends on the URL of the file.
func (rd *reader) locate() {
	if rd.opts.URL == nil {
		return
	}
	u, err := urlnorm.Parse(nil, rd.opts.URL.String())
	if err != nil {
		return
	}
	rd.base = u
	rd.hosts, rd.prefix = locate(u)
}

// endOr returns why the input ended, or err if it just ended.
func (rd *reader) endOr(err error) error {
	if rd.w.err != nil && !rd.w.ended() {
		return rd.w.err
	}
	return err
}

// setKind says what the content is.
func (rd *reader) setKind(k Kind) {
	rd.kind = k
	if !rd.told && rd.opts.Format != nil {
		rd.opts.Format(k)
	}
	rd.told = true
}

// emit hands out an entry.
func (rd *reader) emit(e Entry) {
	if rd.opts.MaxURLs > 0 && rd.count >= rd.opts.MaxURLs {
		rd.fail(ErrTooMany)
		return
	}
	rd.count++
	if !rd.yield(e, nil) {
		rd.stopped = true
	}
}

// fail ends the reading with an error, unless it has ended.
func (rd *reader) fail(err error) {
	if rd.stopped {
		return
	}
	rd.stopped = true
	rd.setKind(rd.kind)
	rd.yield(Entry{}, &Error{
		URL: redact(rd.opts.URL), Kind: rd.kind, Offset: rd.w.offset(), Entries: rd.count, Err: classify(err),
	})
}

func (rd *reader) warn(code WarningCode, value string) {
	if rd.opts.Warn != nil {
		rd.opts.Warn(Warning{Code: code, Offset: rd.w.offset(), Value: value[:min(len(value), maxWarningValue)]})
	}
}

// classify makes the errors of the layers below this package's own, and keeps the cause.
func classify(err error) error {
	corrupt := flate.CorruptInputError(0)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &causeError{ErrTruncated, err}
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.As(err, &corrupt):
		return &causeError{ErrGzip, err}
	}
	return err
}

// causeError is a sentinel with the error that led to it.
type causeError struct{ kind, cause error }

func (e *causeError) Error() string   { return e.kind.Error() + ": " + e.cause.Error() }
func (e *causeError) Unwrap() []error { return []error{e.kind, e.cause} }
