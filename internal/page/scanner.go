package page

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"net/url"

	"github.com/politefetch/sdk/internal/botwall"
	"golang.org/x/net/html"
)

// scanner is the state of one scan.
type scanner struct {
	facts   Facts
	o       *Options
	raw     *source // what came
	in      *source // the same as UTF-8
	wall    *botwall.Collector
	base    *url.URL
	hasBase bool
	links   linkList
	text    normalizer
	sim     simhash // of text
	title   normalizer
	titled  bool // the document has its title

	resumed  bool   // the next start tag is our own
	rawName  string // the element whose raw text comes next
	hidden   bool   // that text is not visible
	inTitle  bool   // that text is the title
	head     bool   // nothing of the body has come yet
	noscript bool
	template int
	svg      int
	hide     hiding
}

func newScanner(r io.Reader, o *Options) *scanner {
	status := o.Status
	if status == 0 {
		status = 200
	}
	s := &scanner{o: o, head: true, base: o.URL}
	s.raw = &source{r: r}
	s.in = &source{r: decode(s.raw, o.Header.Get("Content-Type"))}
	s.wall = botwall.NewCollector(status, o.Header)
	s.links = linkList{max: o.MaxLinks}
	if o.MaxLinks == 0 {
		s.links.max = maxLinks
	}
	s.text.hash, s.text.sim = sha256.New(), &s.sim
	s.facts.Robots = RobotsTag(o.Header, o.Product)
	return s
}

// run reads the page to its end.
func (s *scanner) run() error {
	z := s.tokenizer()
	for {
		tt := z.Next()
		size := len(z.Raw())
		if s.wall.Wants() {
			s.wall.Advance(size)
		}
		switch tt {
		case html.ErrorToken:
			switch err := z.Err(); {
			case errors.Is(err, io.EOF):
				return nil
			case errors.Is(err, html.ErrBufferExceeded):
				return ErrTag
			default:
				return err
			}
		case html.TextToken:
			if size >= maxToken {
				z = s.resumeText(z)
				continue
			}
			s.addText(z.Text())
			s.rawName = ""
		case html.StartTagToken, html.SelfClosingTagToken:
			s.startTag(z, tt == html.SelfClosingTagToken)
		case html.EndTagToken:
			s.endTag(z)
		case html.CommentToken:
			if size >= maxToken {
				z = s.resumeComment(z)
			}
		default:
		}
	}
}

func (s *scanner) tokenizer() *html.Tokenizer {
	z := html.NewTokenizer(s.in)
	z.SetMaxBuf(maxToken)
	return z
}

// resumeText takes the text that has filled the tokenizer's buffer and goes on behind it
// with a new tokenizer. What may be the beginning of a tag, of a character reference or of
// a character is left to the next piece. The tokenizer must find itself in the same
// element: its start tag is put before the rest, and skipped when it comes by.
func (s *scanner) resumeText(z *html.Tokenizer) *html.Tokenizer {
	piece := z.Raw()
	n := len(piece) - unfinished(piece)
	prefix := ""
	if s.rawName != "" {
		prefix = "<" + s.rawName + ">"
		s.resumed = true
	}
	s.in.unread([]byte(prefix), piece[n:], z.Buffered())
	piece = piece[:n]
	if s.rawName == "" || s.rawName == "title" || s.rawName == "textarea" {
		piece = []byte(html.UnescapeString(string(piece)))
	}
	s.addText(piece)
	return s.tokenizer()
}

// resumeComment goes on behind the part of a comment that has filled the buffer.
func (s *scanner) resumeComment(z *html.Tokenizer) *html.Tokenizer {
	piece := z.Raw()
	prefix, end := "<?", len(">") // a bogus comment, which ends at the first ">"
	if bytes.HasPrefix(piece, []byte("<!--")) {
		prefix, end = "<!-- ", len("--!>")
	}
	s.in.unread([]byte(prefix), piece[len(piece)-end:], z.Buffered())
	return s.tokenizer()
}

// unfinished returns how many bytes at the end of a piece of text only make sense together
// with what follows.
func unfinished(piece []byte) int {
	const tag, reference = len("</plaintext>"), len("&CounterClockwiseContourIntegral;")
	tail := piece[max(0, len(piece)-tag):]
	if i := bytes.LastIndexByte(tail, '<'); i >= 0 {
		return len(tail) - i
	}
	tail = piece[max(0, len(piece)-reference):]
	if i := bytes.LastIndexByte(tail, '&'); i >= 0 && bytes.IndexByte(tail[i:], ';') < 0 {
		return len(tail) - i
	}
	return partial(piece)
}

// addText takes text that is decoded; it may be a piece.
func (s *scanner) addText(text []byte) {
	if s.wall.Wants() {
		s.wall.Text(text)
	}
	switch {
	case s.inTitle:
		s.title.write(text)
	case s.hidden || s.noscript || s.template > 0 || s.hide.on():
	default:
		s.text.write(text)
		s.head = s.head && s.text.chars == 0
	}
}

// finish fills in the facts that are known at the end.
func (s *scanner) finish() {
	f := &s.facts
	f.Title, f.TitleLen = s.title.kept(), s.title.chars
	f.Text, f.Words = s.text.chars, s.text.words
	f.Digest, f.Simhash = s.text.digests()
	f.Links, f.MoreLinks = s.links.list, s.links.more
	f.Wall = s.wall.Wall()
	f.Bytes = s.raw.n
	if f.Canonical == "" {
		f.Canonical = canonicalOf(s.o.Header, s.o.URL)
	}
}
