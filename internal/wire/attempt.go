package wire

import (
	"context"
	"errors"
	"net/http/httptrace"
	"sync"
	"sync/atomic"

	"golang.org/x/net/http2"
)

// attempt is one call of RoundTrip: one request on one connection.
type attempt struct {
	t      *Transport
	budget int64
	fresh  *conn // the connection that was opened for it
	link   *link // the connection its request went out on; nil: none yet
	reused bool  // link has carried an earlier request

	shaking bool        // in the TLS handshake
	asked   bool        // for a certificate, in it
	began   atomic.Bool // the answer did
	once    sync.Once
}

// sending are the hooks for the request.
func (a *attempt) sending() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{GotFirstResponseByte: func() { a.began.Store(true) }}
}

// end gives the connection back; only the first time counts. again reports whether it may
// carry another request.
func (a *attempt) end(again bool) {
	a.once.Do(func() {
		a.link.conn.end()
		a.t.pool.give(a.link, again)
	})
}

// lasts reports whether the connection may carry another request after an error. On HTTP/2
// it may, unless the server fell silent: then nobody may be there any more.
func (a *attempt) lasts(err error) bool { return a.link.h2 && !errors.Is(err, ErrTimeout) }

// refused explains why there is no connection.
func (a *attempt) refused(caller context.Context, err error) error {
	switch {
	case caller.Err() != nil:
		err = ended(context.Cause(caller))
	case a.fresh != nil && a.fresh.failed() != nil:
		err = a.fresh.failed()
	case isTimeout(err):
		err = &failure{ErrTimeout, err}
	}
	if a.shaking {
		return &HandshakeError{Err: err, CertAsked: a.asked}
	}
	return err
}

// explain names the kind of an error that came once there was a connection. inBody tells a
// broken body from a missing answer.
func (a *attempt) explain(caller context.Context, err error, inBody bool) error {
	c := a.link.conn
	switch {
	case caller.Err() != nil:
		return ended(context.Cause(caller))
	case c.failed() != nil:
		return c.failed()
	case c.calms():
		return &failure{ErrCalm, err}
	case inBody, a.began.Load():
		// The server has answered.
	case a.unanswered(err):
		return &failure{ErrResend, err}
	}
	if unsolicited(err) {
		return errEarly
	}
	// On HTTP/2 that may have been the answers of others, which share the connection.
	if _, own := errors.AsType[http2.StreamError](err); !own && !inBody && c.since() >= headerBytes && !isTimeout(err) {
		return &failure{ErrBudget, err} // net/http has no name for a head that is too long
	}
	return classify(err)
}

// unanswered reports whether the server has not taken the request, so that sending it once
// more does not ask twice. No type is exported for what net/http and x/net say.
func (a *attempt) unanswered(err error) bool {
	if !a.link.h2 {
		return a.reused && (isCut(err) || unsolicited(err)) && !a.link.conn.taken()
	}
	if s, ok := errors.AsType[http2.StreamError](err); ok {
		return s.Code == http2.ErrCodeRefusedStream // RFC 9113 section 8.7
	}
	return endsIn(err, "client conn not usable") || // nothing was sent
		endsIn(err, "graceful shutdown GOAWAY") // above the last stream that the server took, RFC 9113 section 6.8
}

// unsolicited reports whether the server spoke unasked on an HTTP/1 connection.
func unsolicited(err error) bool { return endsIn(err, "readLoopPeekFailLocked: %!w(<nil>)") }
