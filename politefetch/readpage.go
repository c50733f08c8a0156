package politefetch

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
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

// readPage reads the answer of x into p. It returns where a redirect leads and the wall
// that answered, if one did: that is settled before the answer is taken for a page. The
// exchange stays open.
func (e *errand) readPage(ctx context.Context, p *Page, x *exchange, rd *reading) (*url.URL, botwall.Wall, error) {
	status, h := x.resp.StatusCode, x.resp.Header
	p.Status, p.Header = status, h
	p.Body, p.Truncated, p.summary = nil, false, nil
	if wall := botwall.FromHeader(status, h); wall.Kind != botwall.NotAWall {
		return nil, wall, nil
	}
	if isRedirect(status) {
		next, err := location(x.u, h)
		if err == nil && next.String() != x.u.String() {
			return next, botwall.Wall{}, nil
		}
		wall := p.readWall(x) // a redirect to itself or to nowhere may be a wall's
		if wall.Kind == botwall.NotAWall && err == nil {
			err = ErrRedirectLoop
		}
		return nil, wall, err
	}
	body := bufio.NewReaderSize(x.body, maxReadBuffer)
	isHTML := htmlType(h, body)
	switch {
	case status >= http.StatusBadRequest && !isHTML:
		wall := p.readWall(x)
		if !rd.keep {
			p.Body = nil
		}
		return nil, wall, nil
	case isHTML:
		return e.readHTML(ctx, p, x, body, rd)
	case rd.htmlOnly || !rd.keep:
		return nil, botwall.Wall{}, nil // dropped at the head
	}
	var err error
	p.Body, err = io.ReadAll(body)
	p.Truncated = x.body.Truncated() || err != nil
	wall := botwall.Detect(status, h, p.Body[:min(len(p.Body), maxWallScan)])
	return nil, wall, err
}

// readHTML summarises a page while it streams, keeps its body if that is wanted, and
// lets Admit see a home page.
func (e *errand) readHTML(ctx context.Context, p *Page, x *exchange, body io.Reader, rd *reading) (*url.URL, botwall.Wall, error) {
	isError := p.Status >= http.StatusBadRequest
	if isError {
		stop := time.AfterFunc(maxErrorTime, x.cancel)
		defer stop.Stop()
		body = io.LimitReader(body, maxErrorBody)
	}
	var kept bytes.Buffer
	if rd.keep {
		body = io.TeeReader(body, &kept)
	}
	look := e.proof.look(ctx, x.u, p.Status, rd)
	if look != nil {
		body = io.TeeReader(body, look)
	}
	facts, err := page.Scan(body, &page.Options{
		URL: x.u, Header: p.Header, Status: p.Status, Product: e.c.cfg.Product,
	})
	if errors.Is(err, page.ErrTag) { // the rest is the page's all the same
		_, err = io.Copy(io.Discard, body)
	}
	p.Truncated = x.body.Truncated() || err != nil
	p.summary = summaryOf(facts, rd.keep)
	if rd.keep {
		p.Body = kept.Bytes()
	}
	if isError {
		err = nil // what was read of it will do
	}
	if facts.Wall.Kind != botwall.NotAWall {
		_ = look.stop(errors.New("a bot wall answered")) // that is what is reported
		return nil, facts.Wall, err
	}
	if admission := look.stop(err); admission != nil && err == nil {
		err = admission
	}
	return nil, botwall.Wall{}, err
}

// readWall reads as much of an answer that is no page as tells whether a wall made it.
func (p *Page) readWall(x *exchange) botwall.Wall {
	stop := time.AfterFunc(maxErrorTime, x.cancel)
	defer stop.Stop()
	var err error
	p.Body, err = io.ReadAll(io.LimitReader(x.body, maxErrorBody))
	p.Truncated = err != nil || len(p.Body) == maxErrorBody
	return botwall.Detect(p.Status, p.Header, p.Body)
}

// htmlType reports whether an answer is HTML: by its Content-Type or, without one, by its
// first bytes (https://mimesniff.spec.whatwg.org/).
func htmlType(h http.Header, body *bufio.Reader) bool {
	ct := h.Get("Content-Type")
	if ct == "" {
		head, _ := body.Peek(maxTypeSniff)
		ct = http.DetectContentType(head)
	}
	mt, _, _ := mime.ParseMediaType(ct)
	return mt == "text/html" || mt == "application/xhtml+xml"
}
