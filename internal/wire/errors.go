package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/net/http2"
)

// The kinds of failure, to be told with [errors.Is]. Each comes with what net/http said.
var (
	// ErrResend: the server has not taken the request, so it may be sent once more, in its
	// turn. The usual cause is an idle connection that the server had closed; on HTTP/2, a
	// refused stream (RFC 9113 section 8.7) or one above the last that a GOAWAY names
	// (section 6.8).
	ErrResend = errors.New("not answered on this connection")
	// ErrBudget: the server sent more than the budget, or a head of more than 64 KiB.
	ErrBudget = errors.New("too many bytes")
	// ErrTimeout: the server was too slow at some step, or the context's deadline passed;
	// [context.DeadlineExceeded] matches too, then.
	ErrTimeout = errors.New("too slow")
	// ErrCut: the connection ended before the answer did, or without one after the server
	// took the request. What came before stands.
	ErrCut = errors.New("connection ended early")
	// ErrProtocol: the answer is not HTTP.
	ErrProtocol = errors.New("malformed answer")
	// ErrCalm: the server ended the request, or said goodbye on its connection, with
	// ENHANCE_YOUR_CALM (RFC 9113 section 7): it wants fewer of them.
	ErrCalm = errors.New("server asks for fewer requests")
	// ErrEncoding: the body has a content coding that was not asked for, or several.
	ErrEncoding = errors.New("content coding is not gzip")
	// ErrGzip: the body's gzip is broken or ends early. What came before stands.
	ErrGzip = errors.New("broken gzip")
)

const maxText = 300 // bytes that a server may add to an error text

// HandshakeError is a TLS handshake that failed, or was still going on when time ran out.
type HandshakeError struct {
	Err       error // a kind of this package, the context's cause or what crypto/tls reported
	CertAsked bool  // the server asked for a certificate of the client, and got none
}

// Error names the step and the reason.
func (e *HandshakeError) Error() string { return "TLS handshake: " + safe(e.Err.Error()) }

// Unwrap returns the reason.
func (e *HandshakeError) Unwrap() error { return e.Err }

// Timeout reports whether time ran out: it is what clients ask of a [net.Error].
func (e *HandshakeError) Timeout() bool { return isTimeout(e.Err) || errors.Is(e.Err, ErrTimeout) }

// failure is an error of a kind.
type failure struct{ kind, err error }

// Error is the kind's text and the detail, escaped and cut.
func (f *failure) Error() string { return f.kind.Error() + ": " + safe(f.err.Error()) }

// Unwrap lets both the kind and the detail be found.
func (f *failure) Unwrap() []error { return []error{f.kind, f.err} }

// Timeout reports whether time ran out.
func (f *failure) Timeout() bool { return errors.Is(f.kind, ErrTimeout) }

// errEarly is of an HTTP/1 connection on which more came than was asked for.
var errEarly error = &failure{ErrProtocol, errText("it came before the request")}

// errText is a detail without a type of its own.
type errText string

// Error is the text itself.
func (e errText) Error() string { return string(e) }

// ended is the error for a context that ended for this cause.
func ended(cause error) error {
	if errors.Is(cause, context.DeadlineExceeded) {
		return &failure{ErrTimeout, cause}
	}
	return cause
}

// classify names the kind of an error that came after the request was sent.
func classify(err error) error {
	if f := new(failure); errors.As(err, &f) {
		return err
	}
	kind := ErrProtocol
	stream, _ := errors.AsType[http2.StreamError](err)
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, ErrBudget):
		kind = ErrBudget
	case isTimeout(err):
		kind = ErrTimeout
	case endsIn(err, "header list too large"), endsIn(err, "header list larger than advertised limit"):
		kind = ErrBudget
	case stream.Code == http2.ErrCodeEnhanceYourCalm:
		kind = ErrCalm
	case isCut(err):
		kind = ErrCut
	}
	return &failure{kind, err}
}

func isTimeout(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

func isCut(err error) bool {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		endsIn(err, "server closed idle connection") || endsIn(err, "client conn could not be established") ||
		endsIn(err, "unexpected EOF reading trailer") ||
		endsIn(err, "force closed via ClientConn.Close") { // by x/net, of what shares a connection on which writing failed
		return true
	}
	op := new(net.OpError)
	return errors.As(err, &op) && op.Op != "remote error"
}

// endsIn reports whether an error is one of those for which net/http and x/net export no
// type. What a server says stands in quotes at the end of a text, if at all.
func endsIn(err error, text string) bool { return strings.HasSuffix(err.Error(), text) }

// safe escapes what is not printable ASCII and cuts the rest, for texts end up in logs.
func safe(s string) string {
	q := strconv.QuoteToASCII(s[:min(len(s), maxText)])
	q = strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
	return q[:min(len(q), maxText)]
}
