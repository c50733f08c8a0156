// Package wire sends HTTP requests one by one and reads answers that may be hostile.
//
// A call of [Transport.RoundTrip] is at most one request on the wire. net/http by itself
// sends a request again when a reused connection turns out closed, and on HTTP/2 when the
// server refuses the stream or says goodbye: up to hundreds a second, for as long as the
// context lasts (golang/go#52459). To a fetcher that promised a pace this would break the
// promise exactly where a site wants it gone. Here a connection is chosen once; a request
// that the server has not taken ends with [ErrResend], and the caller, which owns the pace,
// may send it once more.
//
// Every read is bounded: the bytes that come in from the socket by [WithBudget], those
// that a [Body] gives out by its maximum.
package wire

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/http2"

	"github.com/politefetch/sdk/internal/urlnorm"
)

const (
	headerBytes = 64 << 10 // of an answer's head
	stepTimeout = 10 * time.Second
)

// Transport is a [http.RoundTripper] over its own connections. It uses no proxy, adds no
// header, follows no redirect, asks for no compression and decodes none. Dialling, the TLS
// handshake and the wait for the answer's head may take 10 s each; the head at most 64 KiB.
// Idle connections are kept for 4 s. It is safe for concurrent use.
//
// Errors are one of the sentinels of this package, the cause of the request's context if
// that ended, or what the dial function or the TLS handshake reported.
type Transport struct {
	h1, h2 *http.Transport // what they speak, on connections that are given to them
	tls    *tls.Config
	pool   pool
	dialer func(ctx context.Context, network, addr string) (net.Conn, error)
	step   time.Duration // for a dial, and for a handshake
}

// NewTransport returns a Transport that opens its connections with dial, which must honour
// its context.
func NewTransport(dial func(ctx context.Context, network, addr string) (net.Conn, error)) *Transport {
	t := &Transport{
		h1:     newProtocol(),
		h2:     newProtocol(),
		tls:    &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}},
		dialer: dial,
		step:   stepTimeout,
	}
	t.h1.Protocols.SetHTTP1(true)
	t.h2.Protocols.SetUnencryptedHTTP2(true) // net/http isn't to know of the TLS below
	t.h2.HTTP2 = &http.HTTP2Config{
		// What a server may push before anybody reads.
		MaxReceiveBufferPerStream:     512 << 10,
		MaxReceiveBufferPerConnection: 1 << 20,
		MaxReadFrameSize:              maxFrame,
		// A server that floods pings and reads no answer would hold the connection,
		// and the goroutine that answers them, for ever.
		WriteByteTimeout: stepTimeout,
	}
	// net/http's own HTTP/2, as of Go 1.26, locks up for ever when a server lets the window of
	// a stream overflow: no deadline ends the request. That of x/net is mended.
	if err := http2.ConfigureTransport(t.h2); err != nil { //nolint:staticcheck // deprecated for Go 1.27, where it hands over to net/http
		panic("wire: " + err.Error()) // only a transport that was configured before is refused
	}
	return t
}

// newProtocol returns one for connections that are there already. Its own pool stays empty.
func newProtocol() *http.Transport {
	return &http.Transport{
		Proxy:                  nil, // never from the environment: a proxy would resolve names behind the guard
		DialContext:            given,
		Protocols:              new(http.Protocols),
		DisableCompression:     true,
		MaxResponseHeaderBytes: headerBytes,
		ResponseHeaderTimeout:  stepTimeout,
	}
}

type givenKey struct{}

// given is the dial function of who is given a connection, in the context.
func given(ctx context.Context, _, _ string) (net.Conn, error) {
	if c, ok := ctx.Value(givenKey{}).(net.Conn); ok {
		return c, nil
	}
	return nil, errText("a dial of nobody's")
}

// RoundTrip sends the request, at most once. The caller must close the answer's body, and
// should read it through a [Body].
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close()
	}
	key, addr, err := destination(req.URL)
	if err != nil {
		return nil, err
	}
	ctx := req.Context()
	a := &attempt{t: t, budget: budgetOf(ctx)}
	if a.link = t.pool.pick(key); a.link != nil {
		a.reused = true
	} else if err := t.connect(ctx, a, req.URL.Scheme, key, addr); err != nil {
		return nil, a.refused(ctx, err)
	}
	a.link.conn.begin(a.budget, a.reused && !a.link.h2)
	resp, err := a.link.cc.RoundTrip(req.WithContext(httptrace.WithClientTrace(ctx, a.sending())))
	if err == nil {
		if err = malformed(resp, a.link.h2); err != nil {
			resp.Body.Close()
		}
	}
	if err != nil {
		err = a.explain(ctx, err, false)
		a.end(a.lasts(err))
		if errors.Is(err, ErrResend) {
			t.pool.suspect(key) // so that the second try is on a new connection
		}
		return nil, err
	}
	t.pool.answered(a.link)
	resp.Request, resp.TLS = req, a.link.tls
	if resp.Body == http.NoBody {
		a.end(true)
		return resp, nil
	}
	resp.Body = &stream{body: resp.Body, attempt: a, ctx: ctx}
	return resp, nil
}

// CloseIdleConnections closes the connections that wait for a next request.
func (t *Transport) CloseIdleConnections() { t.pool.closeIdle() }

// destination is where a request for u goes: the pool's key and the address to dial.
func destination(u *url.URL) (key, addr string, err error) {
	port := ""
	switch {
	case u == nil:
		return "", "", errText("request without a URL")
	case u.Scheme == "http":
		port = "80"
	case u.Scheme == "https":
		port = "443"
	default:
		return "", "", errText("scheme is not http or https")
	}
	host := u.Hostname()
	if name, err := urlnorm.Host(host); err == nil { // else the dial function says why
		host = strings.Trim(name, "[]") // of an IPv6 address
	}
	if addr = u.Host; u.Port() == "" || host != u.Hostname() {
		addr = net.JoinHostPort(host, cmp.Or(u.Port(), port))
	}
	return u.Scheme + "://" + addr, addr, nil
}

// connect opens a connection for the attempt.
func (t *Transport) connect(ctx context.Context, a *attempt, scheme, key, addr string) error {
	nc, err := t.dial(ctx, addr)
	if err != nil {
		return err
	}
	a.fresh = newConn(nc, a.budget)
	l, speak, top := &link{conn: a.fresh, key: key}, t.h1, net.Conn(a.fresh)
	if scheme == "https" {
		tc, err := t.shake(ctx, a, addr)
		if err != nil {
			_ = a.fresh.Close()
			return err
		}
		state := tc.ConnectionState()
		l.tls, l.h2 = &state, state.NegotiatedProtocol == "h2"
		top = secure{tc, a.fresh}
		if l.h2 {
			speak, top = t.h2, newFrames(secure{tc, a.fresh})
		}
	}
	if l.cc, err = speak.NewClientConn(context.WithValue(ctx, givenKey{}, top), "http", addr); err != nil {
		_ = top.Close()
		return err
	}
	a.link = l
	t.pool.add(l)
	return nil
}

// dial opens a socket.
func (t *Transport) dial(ctx context.Context, addr string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, t.step)
	defer cancel()
	return t.dialer(ctx, "tcp", addr)
}

// malformed refuses answers that net/http lets pass though no HTTP server gives them.
func malformed(resp *http.Response, h2 bool) error {
	switch {
	case resp.StatusCode == http.StatusSwitchingProtocols:
		return &failure{ErrProtocol, errText("switches protocols unasked")}
	case resp.StatusCode < 100, resp.StatusCode > 999:
		return &failure{ErrProtocol, errText("status is not of three digits")}
	case resp.ProtoMajor != 1 && !h2:
		return &failure{ErrProtocol, errText("not HTTP/1")}
	}
	return nil
}

// stream is the body of an answer as it comes from the wire.
type stream struct {
	body    io.ReadCloser
	attempt *attempt
	ctx     context.Context //nolint:containedctx // the request's, whose body this is
}

// Read reads on, and explains how the body ended.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.body.Read(p)
	switch {
	case err == io.EOF: //nolint:errorlint // io.Reader's contract: EOF comes unwrapped
		s.attempt.end(true)
	case err != nil:
		err = s.attempt.explain(s.ctx, err, true)
		s.attempt.end(s.attempt.lasts(err))
	}
	return n, err
}

// Close ends the call. An HTTP/1 connection with more to come is dropped, not drained.
func (s *stream) Close() error {
	err := s.body.Close()
	s.attempt.end(s.attempt.link.h2)
	return err
}
