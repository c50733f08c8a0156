package wire

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"time"
)

// closeTimeout is for the last word to a peer.
const closeTimeout = 250 * time.Millisecond

// shake makes the TLS handshake with the host of addr.
func (t *Transport) shake(ctx context.Context, a *attempt, addr string) (*tls.Conn, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	cfg := t.tls.Clone()
	cfg.ServerName = host
	cfg.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		a.asked = true // the alert of a server that insists may not tell
		return new(tls.Certificate), nil
	}
	ctx, cancel := context.WithTimeout(ctx, t.step)
	defer cancel()
	trace := httptrace.ContextClientTrace(ctx)
	if trace != nil && trace.TLSHandshakeStart != nil {
		trace.TLSHandshakeStart()
	}
	tc := tls.Client(a.fresh, cfg)
	err = tc.HandshakeContext(ctx)
	a.shaking = err != nil
	if trace != nil && trace.TLSHandshakeDone != nil {
		trace.TLSHandshakeDone(tc.ConnectionState(), err)
	}
	return tc, err
}

// secure is a connection with TLS, over one that is counted.
type secure struct {
	*tls.Conn
	below *conn
}

// Close tells the peer. It does not wait long for one that reads nothing: TLS would, for 5 s.
func (s secure) Close() error {
	defer time.AfterFunc(closeTimeout, func() { _ = s.below.Close() }).Stop()
	return s.Conn.Close()
}
