// Package wire sends HTTP requests one by one and reads answers that may be hostile.
//
// A call of [Transport.RoundTrip] is at most one request on the wire. net/http by itself
// sends a request again when a reused connection turns out closed, and on HTTP/2 when the
// server refuses the stream or says goodbye: up to hundreds a second, for as long as the
// context lasts (golang/go#52459). To a fetcher that promised a pace this would break the
// promise exactly where a site wants it gone. Here the second attempt is an error,
// [ErrResend], and the caller, which owns the pace, may send once more.
//
// Every read is bounded: the bytes that come in from the socket by [WithBudget], those
// that a [Body] gives out by its maximum.
package wire

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"time"
)

const (
	headerBytes = 64 << 10 // of an answer's head
	stepTimeout = 10 * time.Second
)

// Transport is a [http.RoundTripper] over its own connections. It uses no proxy, adds no
// header, follows no redirect, asks for no compression and decodes none. Dialling, the TLS
// handshake and the wait for the answer's head may take 10 s each; the head at most 64 KiB.
// Idle connections are kept for 30 s. It is safe for concurrent use.
//
// Errors are one of the sentinels of this package, the cause of the request's context if
// that ended, or what the dial function or the TLS handshake reported.
type Transport struct {
	base        *http.Transport
	dialer      func(ctx context.Context, network, addr string) (net.Conn, error)
	dialTimeout time.Duration
}

// NewTransport returns a Transport that opens its connections with dial, which must honour
// its context.
func NewTransport(dial func(ctx context.Context, network, addr string) (net.Conn, error)) *Transport {
	t := &Transport{dialer: dial, dialTimeout: stepTimeout}
	t.base = &http.Transport{
		Proxy:                  nil, // never from the environment: a proxy would resolve names behind the guard
		DialContext:            t.dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:      true, // a DialContext would switch it off
		DisableCompression:     true,
		MaxResponseHeaderBytes: headerBytes,
		TLSHandshakeTimeout:    stepTimeout,
		ResponseHeaderTimeout:  stepTimeout,
		MaxIdleConns:           32,
		MaxIdleConnsPerHost:    2,
		IdleConnTimeout:        30 * time.Second,
		HTTP2: &http.HTTP2Config{
			// What a server may push before anybody reads.
			MaxReceiveBufferPerStream:     512 << 10,
			MaxReceiveBufferPerConnection: 1 << 20,
			// A server that floods pings and reads no answer would hold the connection,
			// and the goroutine that answers them, for ever.
			WriteByteTimeout: stepTimeout,
		},
	}
	return t
}

// RoundTrip sends the request, at most once. The caller must close the answer's body, and
// should read it through a [Body].
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	a := &attempt{
		secure: req.URL != nil && req.URL.Scheme == "https",
		budget: budgetOf(ctx),
		cancel: cancel,
		onEnd:  func(f func()) (stop func() bool) { return context.AfterFunc(ctx, f) },
	}
	traced := httptrace.WithClientTrace(context.WithValue(ctx, attemptKey{}, a), &httptrace.ClientTrace{
		GotConn:          a.gotConn,
		TLSHandshakeDone: a.handshaken,
	})
	resp, err := t.base.RoundTrip(req.WithContext(traced))
	if err == nil {
		if err = malformed(resp); err != nil {
			resp.Body.Close()
		}
	}
	if err != nil {
		err = a.explain(req.Context(), err, false)
		a.end()
		return nil, err
	}
	resp.Request = req
	if resp.Body == http.NoBody {
		a.end()
		return resp, nil
	}
	resp.Body = &stream{body: resp.Body, attempt: a, req: req}
	return resp, nil
}

// CloseIdleConnections closes the connections that wait for a next request.
func (t *Transport) CloseIdleConnections() { t.base.CloseIdleConnections() }

// dial opens a connection for the attempt in its context. net/http detaches the dial from
// the request's end, so that a later request may profit; here it ends with its call.
func (t *Transport) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	a, ok := ctx.Value(attemptKey{}).(*attempt)
	if !ok || !a.mayDial() {
		return nil, ErrResend
	}
	ctx, cancel := context.WithTimeout(ctx, t.dialTimeout)
	defer cancel()
	defer a.onEnd(cancel)()
	nc, err := t.dialer(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	c := newConn(nc, a.budget)
	if !a.dialled(c) {
		return nil, context.Canceled
	}
	return c, nil
}

// malformed refuses answers that net/http lets pass though no HTTP server gives them.
func malformed(resp *http.Response) error {
	switch {
	case resp.StatusCode == http.StatusSwitchingProtocols:
		return &failure{ErrProtocol, errText("switches protocols unasked")}
	case resp.StatusCode < 100:
		return &failure{ErrProtocol, errText("status below 100")}
	case resp.ProtoMajor != 1 && (resp.TLS == nil || resp.TLS.NegotiatedProtocol != "h2"):
		return &failure{ErrProtocol, errText("not HTTP/1")}
	}
	return nil
}

// stream is the body of an answer as it comes from the wire.
type stream struct {
	body    io.ReadCloser
	attempt *attempt
	req     *http.Request
}

// Read reads on, and explains how the body ended.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.body.Read(p)
	if err != nil {
		if err != io.EOF { //nolint:errorlint // io.Reader's contract: EOF comes unwrapped
			err = s.attempt.explain(s.req.Context(), err, true)
		}
		s.attempt.end()
	}
	return n, err
}

// Close ends the call. A connection with more to come is dropped, not drained.
func (s *stream) Close() error {
	err := s.body.Close()
	s.attempt.end()
	return err
}
