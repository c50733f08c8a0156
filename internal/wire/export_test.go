package wire

import (
	"crypto/x509"
	"time"
)

// Trust makes the transport accept the certificates of a test server.
func (t *Transport) Trust(roots *x509.CertPool) { t.tls.RootCAs = roots }

// SetTimeouts shortens all steps.
func (t *Transport) SetTimeouts(d time.Duration) {
	t.h2.HTTP2.WriteByteTimeout = d
	t.step, t.h1.ResponseHeaderTimeout, t.h2.ResponseHeaderTimeout = d, d, d
}
