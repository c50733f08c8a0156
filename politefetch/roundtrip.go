package politefetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/politefetch/sdk/internal/botwall"
	"github.com/politefetch/sdk/ratepolicy"
)

// ErrTooLarge is what reading a body of [Crawler.RoundTrip] ends with where there was
// more than Config.MaxBody.
var ErrTooLarge = errors.New("the body is larger than Config.MaxBody")

// ErrMethod is why RoundTrip refuses a request that is not a GET or HEAD without a body.
var ErrMethod = errors.New("only GET and HEAD without a body are sent")

// RoundTrip implements [http.RoundTripper], so that a Crawler can be the Transport of any
// [http.Client]: each request, the redirects that the client follows included, takes the
// whole path. It sends the bot's own headers; of the request's only Accept,
// Accept-Language, If-None-Match and If-Modified-Since, and nothing of its Host field nor of
// the user information in its URL. It waits for the host's turn as long as the policy and
// the request's context allow; a client's Timeout counts that too. Where a client follows a
// redirect that asks for a wait, as the request's Response tells, that is waited out first
// (RFC 9110 section 10.2.3), up to Policy.Normal.MaxWait. The body is read ahead up
// to Config.MaxBody and decoded, and the turn is given back, before RoundTrip returns: an
// unread body never holds a host. That of a redirect isn't read at all. Every error is an
// [*Error]; a bot wall is one, since what it sends is not the host's answer, other statuses
// are not.
func (c *Crawler) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close()
	}
	if req.URL == nil {
		return nil, &Error{Outcome: Barred, Err: errors.New("the request has no URL")}
	}
	if req.Method != http.MethodGet && req.Method != http.MethodHead && req.Method != "" ||
		req.Body != nil && req.Body != http.NoBody {
		return nil, &Error{URL: redacted(req.URL.String()), Outcome: Barred, Err: fmt.Errorf("%s: %w", clip(req.Method), ErrMethod)}
	}
	for _, name := range passed {
		if i := slices.IndexFunc(req.Header.Values(name), unsendable); i >= 0 {
			err := fmt.Errorf("%s holds what no header field may: %s", name, clip(req.Header.Values(name)[i]))
			return nil, &Error{URL: redacted(req.URL.String()), Outcome: Barred, Err: err}
		}
	}
	ctx := req.Context()
	e := c.errand()
	bare := *req.URL
	bare.User = nil // credentials go nowhere
	u, err := e.pass(ctx, addressOf(&bare))
	if err != nil {
		return nil, err
	}
	if err := e.redirected(ctx, req.Response, u); err != nil {
		return nil, wrap(ctx, u, err)
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
	read := q.method != http.MethodHead && !x.leadsAway() // a redirect to itself may be a wall's
	if read {
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
	return rebuilt(req, x.resp, read, body, rerr), nil
}

// redirected waits before a client's next hop, to u, where the redirect from asks for it.
// Clients follow at once, so that the wait runs from now. A nil from is no redirect.
func (e *errand) redirected(ctx context.Context, from *http.Response, u *url.URL) error {
	if from == nil {
		return nil
	}
	now := time.Now()
	a := ratepolicy.ReadAnswer(from, nil, now)
	why := fmt.Sprintf("redirected with %d, %s asks for %v", a.Status, a.From, a.Wait)
	return e.pause(ctx, u, now.Add(a.Wait), clip(why), e.lim.Policy().Normal.MaxWait)
}

// passed are the request fields that are sent on.
var passed = []string{"Accept", "Accept-Language", "If-None-Match", "If-Modified-Since"} //nolint:gochecknoglobals // a constant list

// passedOn picks the request fields that are sent on.
func passedOn(h http.Header) http.Header {
	out := make(http.Header)
	for _, name := range passed {
		if v := h.Values(name); len(v) > 0 {
			out[name] = slices.Clone(v)
		}
	}
	return out
}

// unsendable reports whether a header may not hold the value (RFC 9110 section 5.5).
func unsendable(value string) bool {
	return strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// rebuilt is an answer to req whose body was read, and decoded, or is left out; reading it
// ends with err.
func rebuilt(req *http.Request, resp *http.Response, read bool, body []byte, err error) *http.Response {
	out := *resp
	out.Request = req
	out.Header = resp.Header.Clone()
	out.Body = http.NoBody
	if req.Method == http.MethodHead {
		return &out // and its ContentLength is what a GET would get
	}
	out.Body = io.NopCloser(bytes.NewReader(body))
	out.ContentLength, out.TransferEncoding = int64(len(body)), nil
	if err != nil {
		out.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failing{err}))
		out.ContentLength = -1
	}
	if len(body) > 0 && out.Header.Get("Content-Encoding") != "" {
		out.Header.Del("Content-Encoding")
		out.Uncompressed = true
	}
	if out.Uncompressed || !read {
		out.Header.Del("Content-Length")
	}
	return &out
}

// failing is a reader that only fails.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
