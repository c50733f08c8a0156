package wire

import (
	"crypto/x509"
	"time"
)

// Trust makes the transport accept the certificates of a test server.
func (t *Transport) Trust(roots *x509.CertPool) { t.base.TLSClientConfig.RootCAs = roots }

// SetTimeouts shortens all steps.
func (t *Transport) SetTimeouts(d time.Duration) {
	t.base.HTTP2.WriteByteTimeout = d
	t.dialTimeout, t.base.TLSHandshakeTimeout, t.base.ResponseHeaderTimeout = d, d, d
}
