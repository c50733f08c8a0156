package wire

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"sync"
)

type attemptKey struct{}

// attempt is one call of RoundTrip: the gate that lets one request through. It needs two
// halves. A new connection after the first one was at hand (GOAWAY, PROTOCOL_ERROR, a stale
// HTTP/1 connection) is stopped at the dial; a second connection from the pool, or the same
// HTTP/2 one again (REFUSED_STREAM), when net/http says that it has it.
type attempt struct {
	secure bool
	budget int64
	cancel context.CancelCauseFunc
	onEnd  func(func()) (stop func() bool) // arranges for a function to run when the call ends

	mu     sync.Mutex
	dials  int   // connections asked for
	got    int   // connections given, each of which would carry the request
	hidden bool  // a second one was stopped
	ended  bool  // the call is over
	ready  bool  // fresh is out of its handshake
	fresh  *conn // the connection this attempt opened
	used   *conn // the connection its request went out on
}

func (a *attempt) mayDial() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.got > 0 || a.dials > 0 {
		a.hidden = true
		return false
	}
	a.dials++
	return !a.ended
}

// dialled takes note of a new connection, unless the call is over.
func (a *attempt) dialled(c *conn) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		_ = c.Close()
		return false
	}
	a.fresh, a.ready = c, !a.secure
	return true
}

func (a *attempt) handshaken(_ tls.ConnectionState, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ready = err == nil
}

// gotConn is called right before the request is written.
func (a *attempt) gotConn(info httptrace.GotConnInfo) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.got++
	if a.got > 1 {
		a.hidden = true
		a.cancel(ErrResend)
		if !isHTTP2(info.Conn) {
			// net/http looks at the context only after the request is on its way. HTTP/2
			// looks before, and its connection has other streams.
			_ = info.Conn.Close()
		}
		return
	}
	if a.used = unwrap(info.Conn); a.used != nil {
		a.used.begin(a.budget)
	}
}

// end releases what the call holds; only the first time counts.
func (a *attempt) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		return
	}
	a.ended = true
	a.cancel(nil)
	if a.used != nil {
		a.used.end()
	}
	if a.fresh != nil && !a.ready {
		_ = a.fresh.Close() // still in its handshake, for nobody
	}
}

// explain names the kind of an error. inBody tells a broken body from a missing answer.
func (a *attempt) explain(caller context.Context, err error, inBody bool) error {
	a.mu.Lock()
	hidden, used := a.hidden, a.used
	a.mu.Unlock()
	switch {
	case caller.Err() != nil:
		return ended(context.Cause(caller))
	case hidden && !inBody:
		return ErrResend // err is the gate's own doing
	case used != nil && used.spent():
		return &failure{ErrBudget, err}
	case used == nil:
		if isTimeout(err) {
			return &failure{ErrTimeout, err}
		}
		return err // the dial's or the handshake's
	case !inBody && used.since() >= headerBytes && !isTimeout(err):
		return &failure{ErrBudget, err} // net/http has no name for a head that is too long
	}
	return classify(err)
}

func isHTTP2(c net.Conn) bool {
	t, ok := c.(*tls.Conn)
	return ok && t.ConnectionState().NegotiatedProtocol == "h2"
}

// unwrap returns our connection below TLS.
func unwrap(c net.Conn) *conn {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	own, _ := c.(*conn)
	return own
}
