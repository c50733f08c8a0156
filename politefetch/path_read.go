package politefetch

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/politefetch/sdk/internal/botwall"
	"github.com/politefetch/sdk/internal/page"
)

// Limits on the bodies of answers that are not pages: they are only looked at for walls.
const (
	maxErrorBody  = 256 << 10
	maxErrorTime  = 2 * time.Second
	maxWallScan   = 256 << 10
	maxTypeSniff  = 512
	maxReadBuffer = 4 << 10
)

// reading says how pages are read.
type reading struct {
	accept   string
	advisory bool // robots.txt is recorded, not obeyed
	keep     bool // the body
	htmlOnly bool // other types are closed at the head

	budget  time.Duration // time on the network that the chain has left
	earlier http.Header   // the condition on the chain's first request; nil: none
	guise   http.Header   // the fields that are sent in place of the bot's own; nil: the bot's

	exempt  string // the address that is read whatever robots.txt says of it; "": none
	page    bool   // of a visit, so that a home page proves its host
	asks    asks   // through the relay, so far
	owner   string // of a visit: on whose behalf addresses are claimed
	nested  bool   // this reads a home page in order to admit its host
	proving string // the host that the chain's next page is to prove
}

// readPage reads the answer of x into p. It returns where a redirect leads and the wall
// that answered, if one did: that is settled before the answer is taken for a page. The
// exchange stays open.
func (e *errand) readPage(p *Page, x *exchange, rd *reading, look *look) (*url.URL, botwall.Wall, error) {
	status, h := x.resp.StatusCode, x.resp.Header
	p.Status, p.Header = status, h
	if !rd.keep {
		p.Header = kept(h)
	}
	p.Body, p.Truncated, p.summary = nil, false, nil
	if wall := botwall.FromHeader(status, h); wall.Kind != botwall.NotAWall {
		return nil, wall, nil
	}
	if isRedirect(status) {
		next, err := location(x.at, h)
		p.cookies = p.cookies || h.Get("Set-Cookie") != ""
		if x.leadsAway() {
			return next, botwall.Wall{}, nil
		}
		wall := p.readWall(x, x.body, false) // a redirect to itself or to nowhere may be a wall's
		if wall.Kind == botwall.NotAWall && err == nil {
			err = p.loop()
		}
		return nil, wall, err
	}
	body, kind := mediaType(h, x.body)
	switch isHTML := isHTML(kind); {
	case status >= http.StatusBadRequest && !isHTML:
		return nil, p.readWall(x, body, rd.keep), nil
	case isHTML:
		wall, err := e.readHTML(p, x, body, rd, look)
		return nil, wall, err
	case rd.htmlOnly, rd.page && !rd.keep:
		return nil, botwall.Wall{}, nil // dropped at the head
	}
	wall, err := e.readOther(p, x, body, kind, rd)
	return nil, wall, err
}

// readHTML summarises a page while it streams, keeps its body if that is wanted, and
// lets Admit see a home page.
func (e *errand) readHTML(p *Page, x *exchange, body io.Reader, rd *reading, look *look) (botwall.Wall, error) {
	isError := p.Status >= http.StatusBadRequest
	limited := &io.LimitedReader{R: body, N: 1<<63 - 1}
	if isError {
		stop := time.AfterFunc(maxErrorTime, x.cancel)
		defer stop.Stop()
		limited.N = maxErrorBody
	}
	body = limited
	var copied bytes.Buffer
	if rd.keep {
		body = io.TeeReader(body, &copied)
	}
	if look != nil {
		body = io.TeeReader(body, look)
	}
	facts, err := page.Scan(body, &page.Options{
		URL: x.at, Header: x.resp.Header, Status: p.Status, Product: e.c.cfg.Product,
	})
	if errors.Is(err, page.ErrTag) { // the rest is the page's all the same
		_, err = io.Copy(io.Discard, body)
	}
	p.Truncated = x.body.Truncated() || err != nil || limited.N == 0 && more(limited.R)
	p.summary = summaryOf(facts, rd.keep)
	if rd.keep {
		p.Body = copied.Bytes()
	}
	if isError {
		err = nil // what was read of it will do
	}
	return facts.Wall, err
}

// readOther makes a fingerprint of what is not HTML while it streams, and keeps its body if
// that is wanted.
func (e *errand) readOther(p *Page, x *exchange, body io.Reader, kind string, rd *reading) (botwall.Wall, error) {
	var copied bytes.Buffer
	if rd.keep {
		body = io.TeeReader(body, &copied)
	}
	scan, fingerprint := page.ScanBytes, bytesFingerprint
	if isText(kind) {
		scan, fingerprint = page.ScanText, fingerprintOf
	}
	facts, err := scan(body, &page.Options{Header: x.resp.Header, Product: e.c.cfg.Product})
	p.Truncated = x.body.Truncated() || err != nil
	known := fingerprint(facts)
	if !rd.keep && (errors.Is(err, ErrTooSlow) || errors.Is(err, ErrEncoding)) {
		err, known = nil, "" // it is there, says its head; a film takes longer than a check
	}
	if p.Status != http.StatusNotModified {
		p.summary = otherSummary(facts, known)
	}
	if !rd.keep {
		return botwall.Wall{}, err // with such a status a wall is in the header, or HTML
	}
	p.Body = copied.Bytes()
	return botwall.Detect(p.Status, x.resp.Header, p.Body[:min(len(p.Body), maxWallScan)]), err
}

// more reports whether a reader has more.
func more(r io.Reader) bool {
	var b [1]byte
	n, _ := io.ReadFull(r, b[:])
	return n > 0
}

// readWall reads as much of an answer that is no page as tells whether a wall made it; r
// reads x's body.
func (p *Page) readWall(x *exchange, r io.Reader, keep bool) botwall.Wall {
	stop := time.AfterFunc(maxErrorTime, x.cancel)
	defer stop.Stop()
	body, err := io.ReadAll(io.LimitReader(r, maxErrorBody))
	p.Truncated = err != nil || len(body) == maxErrorBody && more(r)
	if keep {
		p.Body = body
	}
	return botwall.Detect(p.Status, x.resp.Header, body)
}

// kept are the fields of a header that stay when a page is dropped: what it takes to ask
// again, to date and to type the answer. None of them holds the page's words or cookies.
func kept(h http.Header) http.Header {
	out := make(http.Header)
	for _, name := range []string{
		"Age", "Cache-Control", "Content-Encoding", "Content-Language", "Content-Length", "Content-Type", "Date",
		"Etag", "Expires", "Last-Modified", "Ratelimit", "Retry-After", "Server", "X-Robots-Tag",
	} {
		if v := h.Values(name); len(v) > 0 {
			out[name] = v
		}
	}
	return out
}

// mediaType is the media type of an answer, in lower case and without parameters: its
// Content-Type or, without one, what its first bytes tell
// (https://mimesniff.spec.whatwg.org/). The body is to be read from what it returns.
func mediaType(h http.Header, body io.Reader) (io.Reader, string) {
	ct := strings.TrimSpace(h.Get("Content-Type"))
	if ct == "" {
		buffered := bufio.NewReaderSize(body, maxReadBuffer)
		head, _ := buffered.Peek(maxTypeSniff)
		ct, body = http.DetectContentType(head), buffered
	}
	if i := strings.IndexAny(ct, ";,"); i >= 0 { // parameters; of two types in one the first will do
		ct = strings.TrimSpace(ct[:i])
	}
	return body, strings.ToLower(ct)
}

func isHTML(mediaType string) bool {
	return mediaType == "text/html" || mediaType == "application/xhtml+xml"
}

// isText reports whether a media type is one of text: by its name, its suffix (RFC 6838
// section 4.2.8), or as one of those that have neither.
func isText(mediaType string) bool {
	if strings.HasPrefix(mediaType, "text/") {
		return true
	}
	switch _, suffix, _ := strings.Cut(mediaType, "+"); suffix {
	case "json", "xml", "yaml":
		return true
	}
	switch mediaType {
	case "application/json", "application/xml", "application/yaml", "application/javascript", "application/x-javascript", "application/x-ndjson":
		return true
	}
	return false
}
