package politefetch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/politefetch/sdk/internal/botwall"
)

// ErrTooLarge is what reading a body of [Crawler.RoundTrip] ends with where there was
// more than Config.MaxBody.
var ErrTooLarge = errors.New("the body is larger than Config.MaxBody")

// ErrMethod is why RoundTrip refuses a request that is not a GET or HEAD without a body.
var ErrMethod = errors.New("only GET and HEAD without a body are sent")

// RoundTrip implements [http.RoundTripper], so that a Crawler can be the Transport of any
// [http.Client]: each request, the redirects that the client follows included, takes the
// whole path. It sends the bot's own headers; of the request's only Accept,
// Accept-Language, If-None-Match and If-Modified-Since. It waits for the host's turn as
// long as the policy and the request's context allow. The body is read ahead up to
// Config.MaxBody and decoded, and the turn is given back, before RoundTrip returns: an
// unread body never holds a host. Other errors than a wrong method are an [*Error]; a bot
// wall is one, other statuses are not.
func (c *Crawler) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close()
	}
	if req.URL == nil {
		return nil, &Error{Outcome: Barred, Err: errors.New("the request has no URL")}
	}
	if req.Method != http.MethodGet && req.Method != http.MethodHead && req.Method != "" ||
		req.Body != nil && req.Body != http.NoBody {
		return nil, fmt.Errorf("politefetch: %s %s: %w", clip(req.Method), clip(req.URL.Redacted()), ErrMethod)
	}
	ctx := req.Context()
	e := c.errand()
	bare := *req.URL
	bare.User = nil // credentials go nowhere
	u, err := e.pass(ctx, addressOf(&bare))
	if err != nil {
		return nil, err
	}
	r, err := e.robots(ctx, u)
	if err != nil {
		return nil, err
	}
	if v := r.verdict(u); !v.Allowed {
		return nil, e.forbid(ctx, u, v)
	}
	budget := c.cfg.Timeout
	q := &query{method: http.MethodGet, accept: acceptAny, header: passedOn(req.Header), max: c.cfg.MaxBody, delay: r.delay(), budget: &budget}
	if req.Method == http.MethodHead {
		q.method = http.MethodHead
	}
	if a := req.Header.Get("Accept"); a != "" {
		q.accept = a
	}
	x, err := e.open(ctx, u, q)
	if err != nil {
		return nil, wrap(ctx, u, err)
	}
	var body []byte
	var rerr error
	if !x.leadsAway() { // nobody reads the body of a redirect, but of one to itself
		body, rerr = io.ReadAll(x.body)
	}
	wall := botwall.Detect(x.resp.StatusCode, x.resp.Header, body[:min(len(body), maxWallScan)])
	if err := x.close(ctx, wall); err != nil {
		return nil, wrap(ctx, u, err)
	}
	if wall.Kind != botwall.NotAWall {
		return nil, &Error{URL: u.String(), Outcome: Walled, Err: fmt.Errorf("a bot wall answered: %s", wallOf(wall))}
	}
	if rerr == nil && x.body.Truncated() {
		rerr = ErrTooLarge
	}
	return rebuilt(req, x.resp, body, rerr), nil
}

// passedOn picks the request fields that are sent on.
func passedOn(h http.Header) http.Header {
	out := make(http.Header)
	for _, name := range []string{"Accept-Language", "If-None-Match", "If-Modified-Since"} {
		if v := h.Values(name); len(v) > 0 {
			out[http.CanonicalHeaderKey(name)] = v
		}
	}
	return out
}

// rebuilt is an answer whose body was read, and decoded; reading it ends with err.
func rebuilt(req *http.Request, resp *http.Response, body []byte, err error) *http.Response {
	out := *resp
	out.Request = req
	out.Header = resp.Header.Clone()
	out.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil {
		out.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failing{err}))
	}
	if req.Method != http.MethodHead {
		out.ContentLength = int64(len(body))
		if err != nil {
			out.ContentLength = -1
		}
		if out.Header.Get("Content-Encoding") != "" {
			out.Header.Del("Content-Encoding")
			out.Header.Del("Content-Length")
			out.Uncompressed = true
		}
	}
	return &out
}

// failing is a reader that only fails.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
