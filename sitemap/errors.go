package sitemap

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
)

// What ends the reading of a file. All come wrapped in an [*Error].
var (
	// ErrEmpty: there is nothing but white space.
	ErrEmpty = errors.New("empty")
	// ErrNotSitemap: the content is something else, often a page (Error.Kind is KindHTML).
	ErrNotSitemap = errors.New("not a sitemap")
	// ErrTruncated: the input ends before the root element or the compressed data does.
	ErrTruncated = errors.New("truncated")
	// ErrGzip: the compressed data is corrupt or its checksum is wrong.
	ErrGzip = errors.New("corrupt gzip data")
	// ErrTooLarge: the decoded data exceeds Options.MaxBytes.
	ErrTooLarge = errors.New("too many bytes")
	// ErrTooMany: there are more entries than Options.MaxURLs.
	ErrTooMany = errors.New("too many entries")
)

// What keeps Walk from reading a file. All come wrapped in an [*Error].
var (
	// ErrStatus: the answer's status is not 200; Error.Status has it.
	ErrStatus = errors.New("unexpected status")
	// ErrCycle: a redirect leads to a sitemap that was or will be read anyway.
	ErrCycle = errors.New("redirect to a sitemap already known")
	// ErrDepth: the sitemap lies deeper than WalkOptions.MaxDepth.
	ErrDepth = errors.New("too many levels of indexes")
	// ErrTooManyFiles: WalkOptions.MaxFiles sitemaps were asked for; the walk ends here.
	ErrTooManyFiles = errors.New("too many sitemaps")
)

// Error is every error of this package. Entries that came before it stand.
type Error struct {
	URL     string // the sitemap's, as far as known, without user information
	Kind    Kind   // what the content turned out to be
	Status  int    // of the HTTP answer; 0: none, or not from Walk
	Offset  int64  // bytes of decoded data before it happened
	Entries int    // entries of this file that came before it
	Err     error  // one of the sentinels, or what the reader or client said
}

const maxErrorText = 300

// Error returns one line of at most 300 bytes: the address and what is wrong.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("sitemap: ")
	if e.URL != "" {
		b.WriteString(e.URL[:min(len(e.URL), maxErrorText/2)])
		b.WriteString(": ")
	}
	err := e.Err
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // the address is already there
	}
	if err != nil {
		b.WriteString(clip(err.Error()))
	}
	switch {
	case errors.Is(e.Err, ErrStatus):
		b.WriteByte(' ')
		b.WriteString(strconv.Itoa(e.Status))
	case e.Kind == KindHTML:
		b.WriteString(" but an HTML page")
	case e.Entries > 0:
		b.WriteString(" after ")
		b.WriteString(strconv.Itoa(e.Entries))
		b.WriteString(" entries")
	}
	text := b.String()
	return text[:min(len(text), maxErrorText)]
}

// Unwrap returns Err, so that errors.Is and errors.As see the sentinels and whatever the
// reader or the client returned.
func (e *Error) Unwrap() error { return e.Err }

// clip bounds foreign error text and escapes what doesn't belong on one line.
func clip(s string) string {
	s = strings.ToValidUTF8(s[:min(len(s), maxErrorText/2)], "?")
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) < 0 {
		return s
	}
	q := strconv.Quote(s)
	return q[1 : len(q)-1]
}

// redact returns the text of u without user information.
func redact(u *url.URL) string {
	if u == nil {
		return ""
	}
	if u.User != nil {
		c := *u
		c.User = nil
		u = &c
	}
	return u.String()
}
