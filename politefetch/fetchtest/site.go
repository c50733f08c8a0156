package fetchtest

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

// A Site is a scripted web site: one host or many, all in one log. The zero Site is
// ready to use; every address that is not scripted is an empty 404. It is safe for
// concurrent use once its exported fields are set.
type Site struct {
	// Latency passes before every answer's own Delay.
	Latency time.Duration
	// Fallback answers what Set has not scripted. Nil: an empty 404.
	Fallback func(*http.Request) Answer

	mu     sync.Mutex
	script map[string][]Answer
	log    []*Exchange
}

var (
	_ http.RoundTripper = (*Site)(nil)
	_ http.Handler      = (*Site)(nil)
)

// Set scripts the answers of one address: a full URL or, for any host, a path with or
// without a query. The answers are given in order; the last one stays. No answers
// take the address out of the script.
func (s *Site) Set(addr string, answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.script == nil {
		s.script = make(map[string][]Answer)
	}
	s.script[addr] = slices.Clone(answers)
}

// An Exchange is one request as the server saw it. It is plain data.
type Exchange struct {
	Method   string
	URL      *url.URL
	Header   http.Header // the request's
	Began    time.Time   // when the request came
	Answered time.Time   // when the answer's head left; zero while it has not
	Ended    time.Time   // when the body was sent or given up; zero while it is open
	Answer   Answer      // what was answered
	Sent     int64       // bytes of the body that were taken
}

// isFor reports whether it asked for addr: a full URL or, on any host, a path with its query.
func (x Exchange) isFor(addr string) bool {
	return x.URL.String() == addr || x.URL.RequestURI() == addr
}

// Log returns the requests so far, in the order in which they came. Those of a [Relay] are
// in the log of that alone, and not counted by Count either.
func (s *Site) Log() []Exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Exchange, len(s.log))
	for i, x := range s.log {
		out[i] = *x
	}
	return out
}

// Count returns how often an address was asked for: a full URL or, on any host, a path
// with its query.
func (s *Site) Count(addr string) int {
	n := 0
	for _, x := range s.Log() {
		if x.isFor(addr) {
			n++
		}
	}
	return n
}

// RoundTrip implements [http.RoundTripper]. All it blocks on is timers and contexts, so
// that it works in testing/synctest bubbles.
func (s *Site) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close()
	}
	x, a := s.begin(req, req.URL, true)
	if err := sleep(req.Context(), s.Latency+a.Delay); err != nil {
		s.end(x)
		return nil, err
	}
	if a.Err != nil {
		s.end(x)
		return nil, a.Err
	}
	s.answered(x)
	length := int64(len(a.Body))
	if a.Endless {
		length = -1
	}
	h := a.Header.Clone()
	if h == nil {
		h = make(http.Header)
	}
	return &http.Response{
		Status:     fmt.Sprintf("%d %s", a.Status, http.StatusText(a.Status)),
		StatusCode: a.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: &body{site: s, x: x, a: a, ctx: req.Context()}, ContentLength: length, Request: req,
	}, nil
}

// ServeHTTP implements [http.Handler] for servers on real sockets.
func (s *Site) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	u := *req.URL
	u.Host, u.Scheme = req.Host, "http"
	if req.TLS != nil {
		u.Scheme = "https"
	}
	x, a := s.begin(req, &u, true)
	defer s.end(x)
	if sleep(req.Context(), s.Latency+a.Delay) != nil || a.Err != nil {
		panic(http.ErrAbortHandler) // net/http's way to close the connection
	}
	maps.Copy(w.Header(), a.Header)
	w.WriteHeader(a.Status)
	s.answered(x)
	b := &body{site: s, x: x, a: a, ctx: req.Context()}
	_, _ = io.Copy(flusher{w, http.NewResponseController(w), a.Drip > 0}, b) // the client may have gone
}

// flusher sends each write at once where the body drips.
type flusher struct {
	io.Writer
	rc   *http.ResponseController
	drip bool
}

func (f flusher) Write(p []byte) (int, error) {
	n, err := f.Writer.Write(p)
	if err == nil && f.drip {
		err = f.rc.Flush()
	}
	return n, err
}

// begin takes a request's answer off the script, and logs the request unless a [Relay]
// does.
func (s *Site) begin(req *http.Request, u *url.URL, logged bool) (*Exchange, Answer) {
	x := &Exchange{Method: req.Method, URL: u, Header: req.Header.Clone(), Began: time.Now()}
	a, ok := s.take(x, logged)
	if !ok && s.Fallback != nil {
		a = s.Fallback(req)
	}
	switch {
	case a.Status != 0:
	case a.Body != "":
		a.Status = http.StatusOK
	default:
		a.Status = http.StatusNotFound
	}
	s.mu.Lock()
	x.Answer = a
	s.mu.Unlock()
	return x, a
}

func (s *Site) take(x *Exchange, logged bool) (Answer, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if logged {
		s.log = append(s.log, x)
	}
	return next(s.script, keysOf(x.URL)...)
}

// keysOf are the keys under which an address may be in a script.
func keysOf(u *url.URL) []string { return []string{u.String(), u.RequestURI(), u.EscapedPath()} }

// next takes the next step off a script; the last one stays.
func next[T any](script map[string][]T, keys ...string) (T, bool) {
	for _, key := range keys {
		if steps := script[key]; len(steps) > 0 {
			if len(steps) > 1 {
				script[key] = steps[1:]
			}
			return steps[0], true
		}
	}
	var none T
	return none, false
}

func (s *Site) answered(x *Exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.Answered = time.Now()
}

func (s *Site) end(x *Exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x.Ended.IsZero() {
		x.Ended = time.Now()
	}
}

// body hands out an answer's body; the exchange ends with it.
type body struct {
	site *Site
	x    *Exchange
	a    Answer
	ctx  context.Context //nolint:containedctx // a request's context lives as long as its body
	off  int
	done func() // called when the exchange has ended, perhaps again; nil: nobody waits for it
}

func (b *body) end() {
	b.site.end(b.x)
	if b.done != nil {
		b.done()
	}
}

func (b *body) Read(p []byte) (int, error) {
	if b.off == len(b.a.Body) && b.a.Endless {
		b.off = 0
	}
	if b.off == len(b.a.Body) {
		b.end()
		return 0, io.EOF
	}
	if err := context.Cause(b.ctx); err != nil {
		return 0, err
	}
	if b.a.Drip > 0 && len(p) > 0 {
		if err := sleep(b.ctx, b.a.Drip); err != nil {
			return 0, err
		}
		p = p[:1]
	}
	n := copy(p, b.a.Body[b.off:])
	b.off += n
	b.site.mu.Lock()
	b.x.Sent += int64(n)
	b.site.mu.Unlock()
	if b.off == len(b.a.Body) && !b.a.Endless {
		b.end() // the last byte has left, whether or not the client looks for more
	}
	return n, nil
}

func (b *body) Close() error {
	b.end()
	return nil
}

// sleep waits on a timer and the context together.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return context.Cause(ctx)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
