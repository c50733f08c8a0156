package politefetch

import (
	"strings"

	"github.com/politefetch/sdk/internal/page"
)

// A Summary is what an HTML page comes to: lengths, counts and addresses, none of its
// text but a title that was asked to be kept. It was made while the page streamed. Of what
// is not HTML it has Bytes, Fingerprint, and what X-Robots-Tag asks. The zero Summary is
// that of an answer whose body was not read.
type Summary struct {
	HTML           bool   // it is HTML, by its Content-Type or, without one, its first bytes
	Title          string // first 1,024 bytes; "" when bodies are dropped
	TitleLen       int    // in characters
	DescriptionLen int    // of the meta description, in characters
	Lang           string // of the html element, if it is shaped like a language tag (RFC 5646)
	Canonical      string // the canonical link, resolved

	// What X-Robots-Tag and meta robots ask of this bot. All but NoFollow are about use: a
	// page that says so may be fetched.
	NoIndex    bool
	NoFollow   bool // none of the Links is to be followed
	NoAI       bool // not to train on it
	NoImageAI  bool // nor on its images
	MaxSnippet int  // longest excerpt to be shown, in characters; 0: nothing said, negative: none

	Bytes       int64 // read, decoded
	TextLen     int   // visible text, white space collapsed, in characters
	Words       int   // of the visible text
	H1          int
	Headings    int // h1 to h6
	Images      int
	Scripts     int
	Forms       int
	Links       []Link // of a and area elements, resolved, each once, in document order
	MoreLinks   bool   // there were more Links than are kept (10,000)
	Fingerprint Fingerprint
}

// A Link is an address that a page links to.
type Link struct {
	URL      string
	NoFollow bool // rel=nofollow
}

// Summary returns what the page comes to. It is computed while the page is read, so this
// costs nothing.
func (p *Page) Summary() Summary {
	if p.summary == nil {
		return Summary{}
	}
	return *p.summary
}

func summaryOf(f *page.Facts, keepText bool) *Summary {
	s := &Summary{
		HTML: true, TitleLen: f.TitleLen, DescriptionLen: f.Description, Lang: languageTag(f.Lang), Canonical: f.Canonical,
		NoIndex: f.NoIndex, NoFollow: f.NoFollow, NoAI: f.NoAI, NoImageAI: f.NoImageAI, MaxSnippet: f.MaxSnippet,
		Bytes: f.Bytes, TextLen: f.Text, Words: f.Words, H1: f.H1, Headings: f.Headings, Images: f.Images, Scripts: f.Scripts, Forms: f.Forms,
		MoreLinks: f.MoreLinks, Fingerprint: fingerprintOf(f),
	}
	if keepText {
		s.Title = f.Title
	}
	if len(f.Links) > 0 {
		s.Links = make([]Link, len(f.Links))
		for i, l := range f.Links {
			s.Links[i] = Link(l)
		}
	}
	return s
}

// otherSummary is that of what is not HTML.
func otherSummary(f *page.Facts, fp Fingerprint) *Summary {
	return &Summary{
		NoIndex: f.NoIndex, NoFollow: f.NoFollow, NoAI: f.NoAI, NoImageAI: f.NoImageAI, MaxSnippet: f.MaxSnippet,
		Bytes: f.Bytes, Fingerprint: fp,
	}
}

// languageTag returns s if it has the shape of a language tag, so that nothing else gets
// into a Summary by that way.
func languageTag(s string) string {
	if len(s) > 35 { // RFC 5646 section 4.4.1
		return ""
	}
	for part := range strings.SplitSeq(s, "-") {
		if len(part) == 0 || len(part) > 8 || strings.IndexFunc(part, notAlphanumeric) >= 0 {
			return ""
		}
	}
	return s
}

func notAlphanumeric(r rune) bool {
	return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}
