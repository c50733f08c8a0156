package sitemap

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/politefetch/sdk/internal/urlnorm"
)

// accept is what Walk asks for (RFC 9110 section 12.5.1).
const accept = "application/xml,text/xml;q=0.9,text/plain;q=0.8,*/*;q=0.1"

// job is a sitemap to fetch.
type job struct {
	url, parent string
	depth       int
	lastMod     time.Time
}

// result is what one file gave.
type result struct {
	file     File
	pages    []Entry
	children []job
	errs     []error // of its children, then of itself
	enough   bool
}

// refuseCycles returns a copy of client that follows no redirect to a sitemap that was
// already seen, so that it isn't asked for twice.
func (w *walker) refuseCycles(client *http.Client) *http.Client {
	c := *client
	check := c.CheckRedirect
	c.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if u, err := urlnorm.Parse(nil, req.URL.String()); err == nil && w.seen[u.String()] {
			return ErrCycle
		}
		if check != nil {
			return check(req, via)
		}
		if len(via) >= 10 {
			return errors.New("stopped after 10 redirects") // as net/http does
		}
		return nil
	}
	return &c
}

// fetch reads one file. The body is closed when it returns.
func (w *walker) fetch(ctx context.Context, j job) (r result) {
	r.file = File{URL: j.url, Parent: j.parent, Depth: j.depth}
	defer func() {
		r.file.Kept = len(r.pages)
		if r.file.Err != nil {
			r.errs = append(r.errs, r.file.Err)
		}
	}()
	resp, err := w.get(ctx, j.url)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		r.file.Err = &Error{URL: harmless(j.url), Err: err}
		return r
	}
	defer resp.Body.Close()
	r.file.Status, r.file.Header = resp.StatusCode, resp.Header
	u, final := finalURL(resp, j.url)
	r.file.Final = final
	if final != j.url && w.seen[final] {
		r.file.Err = &Error{URL: harmless(j.url), Status: resp.StatusCode, Err: ErrCycle}
		return r
	}
	w.seen[final] = true
	switch {
	case resp.StatusCode == http.StatusOK:
		w.read(ctx, resp, u, j, &r)
	case resp.StatusCode == http.StatusNotModified && w.opts.Earlier != nil:
	default:
		r.file.Err = &Error{URL: harmless(j.url), Status: resp.StatusCode, Err: ErrStatus}
	}
	return r
}

func (w *walker) get(ctx context.Context, address string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", accept)
	if w.opts.Earlier != nil {
		earlier := w.opts.Earlier(address)
		if tag := earlier.Get("ETag"); tag != "" {
			req.Header.Set("If-None-Match", tag)
		}
		if at := earlier.Get("Last-Modified"); at != "" {
			req.Header.Set("If-Modified-Since", at)
		}
	}
	return w.client.Do(req)
}

// finalURL returns where the answer came from, and its canonical text.
func finalURL(resp *http.Response, asked string) (*url.URL, string) {
	if resp.Request != nil && resp.Request.URL != nil {
		if u, err := urlnorm.Parse(nil, resp.Request.URL.String()); err == nil {
			return u, u.String()
		}
	}
	u, _ := url.Parse(asked) // it is canonical
	return u, asked
}

// read reads the body of an answer.
func (w *walker) read(ctx context.Context, resp *http.Response, u *url.URL, j job, r *result) {
	opts := Options{
		URL: u, ContentType: resp.Header.Get("Content-Type"), MaxURLs: w.opts.MaxURLs, MaxBytes: w.opts.MaxBytes,
		Extensions: w.opts.Extensions, Format: func(k Kind) { r.file.Kind = k },
	}
	if w.opts.Warn != nil {
		opts.Warn = func(warning Warning) { w.opts.Warn(j.url, warning) }
	}
	for e, err := range Read(untilDone{ctx, resp.Body}, &opts) {
		if err == nil && ctx.Err() != nil {
			err = &Error{Kind: r.file.Kind, Entries: r.file.Pages + r.file.Sitemaps, Err: context.Cause(ctx)}
		}
		if err != nil {
			w.fileError(err, resp, j, r)
			return
		}
		switch {
		case !e.Sitemap:
			r.file.Pages++
			w.page(e, r)
		case w.opts.Sitemaps:
			r.file.Sitemaps++
			if e.ChangedSince(w.opts.Since) {
				w.page(e, r)
			}
		default:
			r.file.Sitemaps++
			w.child(e, j, r)
		}
		if r.enough = r.enough || w.opts.Enough != nil && w.opts.Enough(); r.enough || w.full() {
			return
		}
	}
}

// fileError takes the error of a file, under the address that was asked for.
func (w *walker) fileError(err error, resp *http.Response, j job, r *result) {
	if se, ok := errors.AsType[*Error](err); ok {
		se.URL, se.Status = harmless(j.url), resp.StatusCode
		err = se
	}
	r.file.Err = err
}

func (w *walker) page(e Entry, r *result) {
	if w.pages[e.Loc] || w.opts.Keep != nil && !w.opts.Keep(e) {
		return
	}
	if w.opts.Unique {
		if w.pages == nil {
			w.pages = map[string]bool{}
		}
		w.pages[e.Loc] = true
	}
	w.total++
	r.pages = append(r.pages, e)
}

func (w *walker) child(e Entry, j job, r *result) {
	if w.seen[e.Loc] || !e.ChangedSince(w.opts.Since) {
		return
	}
	if w.opts.Follow != nil {
		if err := w.opts.Follow(e); err != nil {
			r.errs = append(r.errs, &Error{URL: harmless(e.Loc), Err: err})
			return
		}
	}
	r.children = append(r.children, job{url: e.Loc, parent: j.url, depth: j.depth + 1, lastMod: e.LastMod})
}

// untilDone fails with the cause of ctx once it has ended.
type untilDone struct {
	ctx context.Context //nolint:containedctx // it lives as long as the call that it belongs to
	r   io.Reader
}

func (u untilDone) Read(p []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	n, err := u.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) && u.ctx.Err() != nil {
		err = context.Cause(u.ctx)
	}
	return n, err
}

// harmless returns the text of a URL without user information.
func harmless(raw string) string {
	if strings.IndexByte(raw, '@') < 0 {
		return raw
	}
	if u, err := url.Parse(raw); err == nil {
		return redact(u)
	}
	return "…" + raw[strings.LastIndexByte(raw, '@'):]
}
