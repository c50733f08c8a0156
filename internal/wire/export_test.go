package wire

import (
	"context"
	"crypto/x509"
	"net"
	"time"
)

// Trust makes the transport accept the certificates of a test server.
func (t *Transport) Trust(roots *x509.CertPool) { t.tls.RootCAs = roots }

// SetTimeouts shortens all steps.
func (t *Transport) SetTimeouts(d time.Duration) {
	t.h2.HTTP2.WriteByteTimeout = d
	t.step, t.h1.ResponseHeaderTimeout, t.h2.ResponseHeaderTimeout = d, d, d
}

// WrapDial puts something between the transport and the sockets that it opens.
func (t *Transport) WrapDial(wrap func(net.Conn) net.Conn) {
	dial := t.dialer
	t.dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return wrap(c), nil
	}
}
