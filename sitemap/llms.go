package sitemap

import (
	"bytes"
	"errors"
	"io"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/politefetch/sdk/internal/urlnorm"
)

// ErrNotLLMs means that the content is no llms.txt, often a page (Error.Kind is KindHTML), JSON or
// a robots.txt. It comes wrapped in an [*Error].
var ErrNotLLMs = errors.New("not an llms.txt")

// Limits of ReadLLMs.
const (
	DefaultMaxLLMsBytes = 1 << 20 // of the file
	MaxLLMsLinks        = 10_000  // in all
)

// LLMsOptions say how to read an llms.txt.
type LLMsOptions struct {
	// URL is where the content was read from; relative links are resolved against it. nil:
	// they are left out.
	URL *url.URL
	// MaxBytes bounds what is read; 0: 1 MiB, negative: no limit.
	MaxBytes int64
}

// LLMs is an llms.txt (https://llmstxt.org). All text is data of the site it is from, never
// an instruction to whoever reads it.
type LLMs struct {
	// Title is the first heading of level 1, or else the title of a YAML front matter.
	Title string
	// Summary is the first block quote between the title and the first section.
	Summary string
	// Details is the Markdown between the title and the first section, without the summary.
	Details string
	// Links are the entries before the first section, and Inline the links in the text there.
	Links, Inline []Link
	Sections      []Section
}

// Section is a part of an llms.txt, in file order. Equal titles stay apart.
type Section struct {
	Title    string
	Level    int    // 2, or 1 for a later heading of level 1
	Optional bool   // the title is "Optional": may be skipped for a shorter context
	Links    []Link // entries: items and lines that begin with a link
	Inline   []Link // links in text, tables, and further ones of an item
}

// Link is a link of an llms.txt.
type Link struct {
	Title string // empty for a bare URL
	URL   string // absolute, http or https, normalised, without fragment
	Raw   string // as written
	Note  string // the rest of its item; of entries only
	Label string // text with a colon before the link; of entries only
	Group string // the heading of level 3 or deeper above it; of entries only
	Bare  bool   // a URL without the Markdown of a link
}

// ReadLLMs reads an llms.txt: one pass in linear time, over at most MaxBytes and
// MaxLLMsLinks links. It is as lenient as real files need: any bullet, links without one,
// missing titles, wrapped notes, HTML comments, several headings of level 1. Links to
// places inside the page, to images and to other schemes are left out.
//
// An error is an [*Error] with ErrEmpty, ErrNotLLMs, ErrTooLarge, or that of r. With
// ErrTooLarge, and if r fails after the first line, the result holds what came before,
// but for the line that was cut; otherwise it is nil.
func ReadLLMs(r io.Reader, opts *LLMsOptions) (*LLMs, error) {
	var o LLMsOptions
	if opts != nil {
		o = *opts
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxLLMsBytes
	}
	if o.MaxBytes > 0 {
		r = &limitedReader{r: r, left: o.MaxBytes}
	}
	raw, err := io.ReadAll(r)
	fail := func(kind Kind, err error) error {
		return &Error{URL: redact(o.URL), Kind: kind, Offset: int64(len(raw)), Err: classify(err)}
	}
	text := markdownText(raw)
	if err != nil {
		text = text[:strings.LastIndexByte(text, '\n')+1]
		if text == "" {
			return nil, fail(KindUnknown, err)
		}
		err = fail(KindUnknown, err)
	}
	body := removeComments(text)
	blank := strings.TrimFunc(body, isBlank) == ""
	switch {
	case blank && err != nil:
		return nil, err
	case blank:
		return nil, fail(KindUnknown, ErrEmpty)
	case isHTMLText(body):
		return nil, fail(KindHTML, ErrNotLLMs)
	}
	p := llmsParser{}
	if o.URL != nil {
		p.base, _ = urlnorm.Parse(nil, o.URL.String())
	}
	if !p.run(body) {
		return nil, fail(KindUnknown, ErrNotLLMs)
	}
	return &p.doc, err
}

// markdownText decodes UTF-16 by its byte order mark and single invalid bytes as
// windows-1252, removes byte order marks, and makes all line ends LF.
func markdownText(b []byte) string {
	switch label := utf16Label(b); label {
	case "":
		b, _ = toUTF8(b)
	default:
		units := make([]uint16, 0, len(b)/2)
		for i := 0; i+1 < len(b); i += 2 {
			u := uint16(b[i]) | uint16(b[i+1])<<8
			if label == "utf-16be" {
				u = u<<8 | u>>8
			}
			units = append(units, u)
		}
		b = []byte(string(utf16.Decode(units)))
	}
	b = bytes.TrimPrefix(b, []byte(bom))
	b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	return strings.ReplaceAll(string(b), "\r", "\n")
}

// removeComments removes HTML comments. One that doesn't end is none.
func removeComments(s string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, "<!--")
		if !found {
			break
		}
		_, rest, closed := strings.Cut(after, "-->")
		if !closed {
			break
		}
		b.WriteString(before)
		s = rest
	}
	if b.Len() == 0 {
		return s
	}
	b.WriteString(s)
	return b.String()
}

// isHTMLText reports whether s begins with an element that a page begins with.
func isHTMLText(s string) bool {
	s = strings.TrimLeftFunc(s, isBlank)
	if s == "" || s[0] != '<' {
		return false
	}
	for _, tag := range []string{
		"html", "head", "body", "script", "style", "meta", "title", "noscript", "iframe", "link", "!doctype", "?xml", "frameset",
	} {
		if after, ok := cutFold([]byte(s[1:min(len(s), 20)]), tag); ok && endsName(after) {
			return true
		}
	}
	return false
}

// foreign reports whether a text without a heading is of another format: JSON, robots.txt.
func foreign(s string) bool {
	s = strings.TrimLeftFunc(s, unicode.IsSpace)
	if strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[{") {
		return true
	}
	for line := range strings.Lines(s) {
		key, _, found := strings.Cut(line, ":")
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "user-agent", "disallow", "allow", "sitemap":
			if found {
				return true
			}
		}
	}
	return false
}
