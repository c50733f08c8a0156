package page

import (
	"crypto/sha256"
	"io"
	"net/url"

	"github.com/politefetch/sdk/internal/botwall"
)

// scanner is the state of one scan.
type scanner struct {
	facts   Facts
	o       *Options
	raw     *source   // what came
	in      io.Reader // the same as UTF-8
	wall    *botwall.Collector
	base    *url.URL
	origin  string // of base; "": unknown
	hasBase bool
	links   linkList
	text    normalizer
	sim     simhash // of text
	title   normalizer
	titled  bool // the document has its title

	hidden   bool // the raw text to come is not visible
	inTitle  bool // it is the title
	head     bool // nothing of the body has come yet
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
	s := &scanner{o: o, head: true}
	s.rebase(o.URL)
	s.raw = &source{r: r}
	s.in = decode(s.raw, o.Header.Get("Content-Type"))
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
	z := &lexer{r: s.in}
	for {
		kind := z.next()
		if s.wall.Wants() {
			s.wall.Advance(len(z.raw))
		}
		switch kind {
		case endToken:
			return z.failure()
		case textToken:
			s.addText(z.text())
		case startToken:
			s.startTag(z)
		case stopToken:
			s.endTag(z)
		default:
		}
	}
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
