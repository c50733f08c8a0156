// Package page summarises an HTML page while it streams: lengths, counts, addresses, what
// it says to robots, whether it is the page of a bot wall, and a digest of its text.
//
// A page is never held in memory and never becomes a tree. Whatever the page, a scan keeps
// one tag (at most 256 KiB), the links up to their limit, and some KiB besides.
package page

import (
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/politefetch/sdk/internal/botwall"
)

const (
	maxToken = 256 << 10 // bytes of a tag; longer texts, scripts and comments come in pieces
	maxLinks = 10_000    // links kept by default
	maxTitle = 1 << 10   // bytes of the title that are kept

	// maxLinkBytes bounds the text of all links together: a long <base> makes kilobytes of
	// every short reference.
	maxLinkBytes = 2 << 20
)

// ErrTag ends the scan of a page that has a tag of more than 256 KiB.
var ErrTag = errors.New("page: a tag of more than 256 KiB")

// Options says what is known about a page before it is read.
type Options struct {
	// URL is the page's address, which links and the canonical address are relative to.
	// Nil: only absolute ones are found.
	URL *url.URL

	// Header is the answer's header. Its Content-Type, Link and X-Robots-Tag count, and
	// whatever tells a bot wall.
	Header http.Header

	Status   int    // the answer's status; 0: 200
	Product  string // our product token in X-Robots-Tag and meta elements; "": what is said to all
	MaxLinks int    // links kept; 0: 10,000, negative: none
}

// Facts is what a page says of itself. Text is measured in characters (code points), with
// white space collapsed.
type Facts struct {
	Lang        string // of the html element, as written; "" if it has none of a sane length
	Title       string // of the document, white space collapsed, the first 1 KiB of it
	TitleLen    int    // characters of the whole title
	Description int    // characters of <meta name="description">

	// Canonical is the address the page prefers for itself, in canonical form: that of
	// <link rel="canonical"> in its head, else of the Link header. It may be on any host.
	Canonical string

	// Robots is what the page and its header ask of this bot. NoFollow is about every link.
	Robots

	Text     int // characters of visible text
	Words    int // of visible text, split at white space
	Headings int // h1 to h6
	H1       int
	Images   int // img elements
	Scripts  int // script elements, inline or not
	Forms    int

	// Links holds the addresses that a and area elements lead to, http and https only,
	// canonical, in the order of the page, each once. Links to places in the page itself
	// are left out.
	Links     []Link
	MoreLinks bool // there were more than fit

	// Digest is SHA-256 over the visible text as UTF-8, every run of white space a single
	// blank. Pages with the same text have the same digest, whatever their markup, scripts,
	// styles, comments, character set and title.
	Digest [32]byte

	// Simhash is of the same text. In pages with nearly the same text, nearly all bits are
	// the same; in unrelated ones, half of them.
	Simhash [32]byte

	Wall botwall.Wall // judged on the first 256 KiB

	Bytes int64 // of the page that were read, as they came
	Cut   bool  // the scan ended before the page did; the error says why
}

// Link is an address that the page leads to.
type Link struct {
	URL      string
	NoFollow bool // every element that leads there says rel="nofollow"
}

// Scan reads a page to its end. The error is that of r, or [ErrTag]; the Facts of what was
// read until then are valid, and never nil. No character set, known or not, and no markup
// is an error.
func Scan(r io.Reader, o *Options) (*Facts, error) {
	if o == nil {
		o = &Options{}
	}
	s := newScanner(r, o)
	err := s.run()
	s.finish()
	s.facts.Cut = err != nil
	return &s.facts, err
}
