package politefetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/politefetch/sdk/internal/wire"
)

// A TLSFault is the class of a failure of TLS (RFC 8446), as far as a client can tell them
// apart. It is text, because owners of bots store it; its String is plain English.
type TLSFault string

// The classes. The zero TLSFault is no failure of TLS.
const (
	TLSExpired       TLSFault = "expired"         // a certificate of the chain has expired
	TLSNotYetValid   TLSFault = "not-yet-valid"   // a certificate of the chain is of the future
	TLSWrongName     TLSFault = "wrong-name"      // the certificate is for other names
	TLSSelfSigned    TLSFault = "self-signed"     // the server vouches for itself
	TLSUnknownIssuer TLSFault = "unknown-issuer"  // no trusted authority issued the certificate, or an intermediate one is missing
	TLSUnusable      TLSFault = "unusable"        // the chain breaks the rules of X.509: constraints, purposes, authorities that are none (RFC 5280)
	TLSWeakSignature TLSFault = "weak-signature"  // the certificate is signed with MD5 or SHA-1
	TLSBadKey        TLSFault = "bad-key"         // the key is too small or too large, or not the certificate's
	TLSOldVersion    TLSFault = "old-version"     // the server has no TLS 1.2 or later
	TLSNoCipher      TLSFault = "no-cipher"       // no cipher suite or group in common
	TLSRefused       TLSFault = "refused"         // the server sent handshake_failure or another alert without a class here
	TLSUnknownName   TLSFault = "unknown-name"    // the server knows no site of this name (unrecognized_name, RFC 6066 section 3)
	TLSClientCert    TLSFault = "client-cert"     // the server asks for a certificate of the client
	TLSPlainHTTP     TLSFault = "plain-http"      // the port answers in HTTP without TLS
	TLSOtherProtocol TLSFault = "other-protocol"  // the port answers in neither TLS nor HTTP
	TLSClosed        TLSFault = "closed"          // the connection was closed or reset in the handshake
	TLSSilent        TLSFault = "silent"          // the handshake was not over after 10 s
	TLSBroken        TLSFault = "broken-protocol" // the server breaks the rules of TLS
)

// String says what is wrong, without the particulars that [TLSText] knows.
func (f TLSFault) String() string {
	switch f {
	case TLSExpired:
		return "certificate expired"
	case TLSNotYetValid:
		return "certificate is not valid yet"
	case TLSWrongName:
		return "certificate is for another name"
	case TLSSelfSigned:
		return "certificate is self-signed"
	case TLSUnknownIssuer:
		return "certificate is of an unknown issuer"
	case TLSUnusable:
		return "certificate may not be used for this"
	case TLSWeakSignature:
		return "certificate has a signature that is no longer safe"
	case TLSBadKey:
		return "certificate has an unusable key"
	case TLSOldVersion:
		return "server has no TLS 1.2 or later"
	case TLSNoCipher:
		return "server has no cipher in common"
	case TLSRefused:
		return "server refused the TLS handshake"
	case TLSUnknownName:
		return "server does not know this name"
	case TLSClientCert:
		return "server asks for a client certificate"
	case TLSPlainHTTP:
		return "server answers in plain HTTP on the port of HTTPS"
	case TLSOtherProtocol:
		return "server does not speak TLS on the port of HTTPS"
	case TLSClosed:
		return "server closed the connection in the TLS handshake"
	case TLSSilent:
		return "server did not answer the TLS handshake"
	case TLSBroken:
		return "server broke the TLS protocol"
	}
	return string(f)
}

// TLSFaultOf returns the class of an error of [Crawler.Fetch], a visit or the default
// Transport; "" for what is no failure of TLS, such as the end of the caller's context. A
// handshake that is cut short by Config.Timeout passes for a timeout, not for one of TLS.
func TLSFaultOf(err error) TLSFault {
	if f := certificateFault(err); f != "" {
		return f
	}
	if r, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		if string(r.RecordHeader[:]) == "HTTP/" {
			return TLSPlainHTTP
		}
		return TLSOtherProtocol
	}
	h, shaking := errors.AsType[*wire.HandshakeError](err)
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "remote error" {
		f := alertFault(op.Err.Error())
		if f == TLSRefused && shaking && h.CertAsked {
			return TLSClientCert // handshake_failure is what TLS 1.2 has for it
		}
		return f
	}
	if !shaking {
		return ""
	}
	return handshakeFault(h.Err)
}

// certificateFault is that of a chain that was not accepted.
func certificateFault(err error) TLSFault {
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		switch {
		case e.Reason != x509.Expired || e.Cert == nil:
			return TLSUnusable
		case time.Now().Before(e.Cert.NotBefore):
			return TLSNotYetValid
		}
		return TLSExpired
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return TLSWrongName
	}
	if e, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		leaf := leafOf(err)
		switch {
		case leaf != nil && bytes.Equal(leaf.RawIssuer, leaf.RawSubject):
			return TLSSelfSigned
		case strings.Contains(e.Error(), "insecure algorithm"): // a hint that has no field
			return TLSWeakSignature
		}
		return TLSUnknownIssuer
	}
	if _, ok := errors.AsType[x509.InsecureAlgorithmError](err); ok {
		return TLSWeakSignature
	}
	if _, ok := errors.AsType[x509.ConstraintViolationError](err); ok {
		return TLSUnusable
	}
	if _, ok := errors.AsType[x509.UnhandledCriticalExtension](err); ok {
		return TLSUnusable
	}
	return ""
}

// leafOf is the server's own certificate in an error about its chain, or nil.
func leafOf(err error) *x509.Certificate {
	v, ok := errors.AsType[*tls.CertificateVerificationError](err)
	if !ok || len(v.UnverifiedCertificates) == 0 {
		return nil
	}
	return v.UnverifiedCertificates[0]
}

// alertFault is that of an alert (RFC 8446 section 6.2), which has no type but its text.
func alertFault(text string) TLSFault {
	switch strings.TrimPrefix(text, "tls: ") {
	case "protocol version not supported":
		return TLSOldVersion
	case "insufficient security level":
		return TLSNoCipher
	case "unrecognized name":
		return TLSUnknownName
	case "certificate required", "bad certificate", "unknown certificate authority", "unsupported certificate", "access denied":
		return TLSClientCert // of the one that was not sent
	case "internal error":
		return TLSBroken
	}
	return TLSRefused
}

// handshakeFault is that of a handshake that this side gave up.
func handshakeFault(err error) TLSFault {
	text := err.Error()
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(text, p) {
				return true
			}
		}
		return false
	}
	switch {
	case errors.Is(err, wire.ErrTimeout):
		return TLSSilent
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return ""
	case errors.Is(err, wire.ErrBudget):
		return TLSBroken
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.ErrClosedPipe), errors.Is(err, net.ErrClosed),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return TLSClosed
	case has("system roots"):
		return "" // this machine's trouble
	// crypto/tls exports no types for these.
	case has("unsupported protocol version", "unsupported versions"):
		return TLSOldVersion
	case has("unconfigured cipher suite", "unsupported cipher suite", "invalid cipher suite", "unsupported group", "unsupported curve"):
		return TLSNoCipher
	case has("RSA key", "crypto/rsa", "invalid signature by the server certificate", "unsupported type of public key"):
		return TLSBadKey
	case has("tls: ", "x509: "):
		return TLSBroken
	}
	return ""
}

// TLSText says what is wrong with the particulars that a site's owner needs, such as
// "certificate expired 3 days ago"; "" where [TLSFaultOf] is. It may hold names out of the
// certificate, escaped and cut.
func TLSText(err error, now time.Time) string {
	f := TLSFaultOf(err)
	switch f {
	case TLSExpired, TLSNotYetValid:
		e, _ := errors.AsType[x509.CertificateInvalidError](err)
		whose := "certificate"
		if leaf := leafOf(err); leaf != nil && !leaf.Equal(e.Cert) {
			whose = "certificate of " + nameOf(e.Cert)
		}
		if f == TLSExpired {
			return whose + " expired " + roughly(now.Sub(e.Cert.NotAfter)) + " ago"
		}
		return whose + " becomes valid in " + roughly(e.Cert.NotBefore.Sub(now))
	case TLSWrongName:
		e, _ := errors.AsType[x509.HostnameError](err)
		return clip(fmt.Sprintf("certificate is for %s, not for %s", namesOf(e.Certificate), e.Host))
	case TLSUnknownIssuer, TLSWeakSignature:
		if leaf := leafOf(err); leaf != nil {
			return f.String() + ": " + clip(leaf.Issuer.String())
		}
	default:
	}
	return f.String()
}

func nameOf(c *x509.Certificate) string { return clip(c.Subject.String()) }

// namesOf lists the first names that a certificate is for.
func namesOf(c *x509.Certificate) string {
	names := append([]string(nil), c.DNSNames...)
	for _, ip := range c.IPAddresses {
		names = append(names, ip.String())
	}
	const shown = 3
	switch n := len(names); {
	case n == 0:
		return "no name"
	case n > shown:
		return strings.Join(names[:shown], ", ") + fmt.Sprintf(" and %d more", n-shown)
	}
	return strings.Join(names, ", ")
}

// roughly writes a duration in its greatest whole unit.
func roughly(d time.Duration) string {
	const day = 24 * time.Hour
	n, unit := int(d/day), "day"
	switch {
	case d < time.Minute:
		return "less than a minute"
	case d < time.Hour:
		n, unit = int(d/time.Minute), "minute"
	case d < day:
		n, unit = int(d/time.Hour), "hour"
	}
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", n, unit)
}
