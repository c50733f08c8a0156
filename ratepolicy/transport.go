package ratepolicy

import (
	"bytes"
	"io"
	"net/http"
	"time"
)

// readAhead is how much of a body [Limiter.Transport] reads before it ends the turn.
const readAhead = 1 << 20

// Transport returns base with pacing and nothing else: every request waits for the
// turn of its host ([HostKey]) as in [Limiter.Acquire], within its own context, so each
// hop of a redirect is paced on its own host. Robots.txt is not asked. The error of a
// request that may not be made is a [*WaitError]; an answer is never invented.
//
// Up to 1 MiB of a body is read before RoundTrip returns, and the turn ends there: a
// body that nobody reads holds no host. What follows, and a body that never ends, is not
// paced. A nil base panics: which network to use is the caller's choice.
//
// That of a view belongs to no visit, since base is one route.
func (l *Limiter) Transport(base http.RoundTripper) http.RoundTripper {
	if base == nil {
		panic("ratepolicy: nil http.RoundTripper")
	}
	return &transport{&Limiter{core: l.core}, base}
}

type transport struct {
	l    *Limiter
	base http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	lease, err := t.l.Acquire(ctx, HostKey(req.URL), 0)
	if err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	resp, err := t.base.RoundTrip(req)
	a := ReadAnswer(resp, err, time.Now())
	if err != nil {
		_, _ = lease.Release(ctx, a) // the request's own error says more
		return nil, err
	}
	if err = lease.Answered(ctx, a); err == nil {
		resp.Body = ahead(resp.Body)
	}
	if _, e := lease.Release(ctx, a); err == nil {
		err = e
	}
	if err != nil {
		resp.Body.Close()
		return nil, err
	}
	return resp, nil
}

// ahead reads the start of a body now. Errors come when the reader gets there.
func ahead(body io.ReadCloser) io.ReadCloser {
	var b bytes.Buffer
	_, err := io.Copy(&b, io.LimitReader(body, readAhead))
	var rest io.Reader = body
	if err != nil {
		rest = broken{err}
	}
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(&b, rest), body}
}

type broken struct{ err error }

func (f broken) Read([]byte) (int, error) { return 0, f.err }
