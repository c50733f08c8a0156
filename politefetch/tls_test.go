package politefetch_test

import (
	"bufio"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch"
)

// authority is a certificate authority that the test process trusts, where the system's own
// list of them can be named by SSL_CERT_FILE: on Unix but macOS.
var authority issuer

func TestMain(m *testing.M) {
	log.SetOutput(io.Discard) // net/http writes there what hostile servers send
	os.Exit(withAuthority(m.Run))
}

func withAuthority(run func() int) int {
	dir, err := os.MkdirTemp("", "politefetch-ca")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	authority = newIssuer(&x509.Certificate{Subject: pkix.Name{CommonName: "test authority"}}, nil)
	file := filepath.Join(dir, "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority.cert.Raw}), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	os.Setenv("SSL_CERT_FILE", file)
	os.Setenv("SSL_CERT_DIR", dir)
	return run()
}

// issuer makes certificates.
type issuer struct {
	cert *x509.Certificate
	key  crypto.Signer
}

// newIssuer makes an authority; a nil parent: a root.
func newIssuer(tmpl *x509.Certificate, parent *issuer) issuer {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	tmpl.IsCA, tmpl.BasicConstraintsValid = true, true
	tmpl.KeyUsage = x509.KeyUsageCertSign
	if parent == nil {
		parent = &issuer{tmpl, key}
	}
	return issuer{parent.sign(tmpl, key.Public()), key}
}

// sign completes a template and signs it.
func (ca *issuer) sign(tmpl *x509.Certificate, key crypto.PublicKey) *x509.Certificate {
	tmpl.SerialNumber = big.NewInt(time.Now().UnixNano())
	if tmpl.NotBefore.IsZero() {
		tmpl.NotBefore = time.Now().Add(-time.Hour)
	}
	if tmpl.NotAfter.IsZero() {
		tmpl.NotAfter = time.Now().Add(time.Hour)
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, ca.cert, key, ca.key)
	if err != nil {
		panic(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		panic(err)
	}
	return cert
}

// leaf makes a server's certificate for 127.0.0.1; change may alter it first.
func (ca *issuer) leaf(change func(*x509.Certificate)) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	return ca.leafWith(key, change)
}

func (ca *issuer) leafWith(key crypto.Signer, change func(*x509.Certificate)) tls.Certificate {
	tmpl := &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"}}
	if change != nil {
		change(tmpl)
	}
	cert := ca.sign(tmpl, key.Public())
	return tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key}
}

// pemFiles writes a certificate and its key for a server that reads files.
func pemFiles(t *testing.T, cert tls.Certificate, dir string) (certFile, keyFile string) {
	t.Helper()
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	require.NoError(t, err)
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	require.NoError(t, os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]}), 0o600))
	require.NoError(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}), 0o600))
	return certFile, keyFile
}

// tlsServer is a server of one fault: what it does with a connection to the port of HTTPS.
type tlsServer func(t *testing.T, c net.Conn)

// serves does the handshake, and answers if that succeeds.
func serves(cfg *tls.Config) tlsServer {
	return func(_ *testing.T, c net.Conn) {
		s := tls.Server(c, cfg)
		defer s.Close()
		if s.Handshake() == nil {
			_, _ = http.ReadRequest(bufio.NewReader(s))
			put(s, noRobots)
		}
	}
}

func presents(chain ...tls.Certificate) tlsServer {
	return serves(&tls.Config{Certificates: chain})
}

// says waits for the first bytes of the client and answers with fixed ones.
func says(text string) tlsServer {
	return func(_ *testing.T, c net.Conn) {
		_, _ = c.Read(make([]byte, 4096))
		put(c, text)
		_, _ = io.Copy(io.Discard, c) // let the client read before a reset can come
	}
}

// alert is a record of one alert (RFC 8446 section 6).
func alert(level, code byte) string { return string([]byte{21, 3, 3, 0, 2, level, code}) }

// One real server each. Faults that the handshake itself shows come through Fetch as they
// are.
func TestTLSFaultsAreToldApart(t *testing.T) {
	day := 24 * time.Hour
	now := time.Now()
	stranger := newIssuer(&x509.Certificate{Subject: pkix.Name{CommonName: "stranger"}}, nil)
	bounded := newIssuer(&x509.Certificate{
		Subject: pkix.Name{CommonName: "bounded"}, PermittedDNSDomainsCritical: true, PermittedDNSDomains: []string{"elsewhere.example"},
	}, &authority)
	middle := newIssuer(&x509.Certificate{Subject: pkix.Name{CommonName: "middle"}, NotBefore: now.Add(-9 * day), NotAfter: now.Add(-5 * day)}, &authority)
	chained := func(leaf tls.Certificate, issuers ...issuer) tls.Certificate {
		for _, i := range issuers {
			leaf.Certificate = append(leaf.Certificate, i.cert.Raw)
		}
		return leaf
	}
	self := func() tls.Certificate {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		require.NoError(t, err)
		tmpl := &x509.Certificate{Subject: pkix.Name{CommonName: "myself"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
		cert := (&issuer{tmpl, key}).sign(tmpl, key.Public())
		return tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key}
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	sha1 := authority.leaf(func(c *x509.Certificate) { c.SignatureAlgorithm = x509.ECDSAWithSHA1 })
	// No key pair is needed: the client gives up before it is used.
	huge := &rsa.PublicKey{N: new(big.Int).SetBit(new(big.Int).Lsh(big.NewInt(1), 9000), 0, 1), E: 65537}
	good := authority.leaf(nil)
	other := authority.leaf(nil)

	for _, tt := range []struct {
		name string
		f    tlsServer
		want politefetch.TLSFault
		text string
	}{
		{"expired", presents(authority.leaf(func(c *x509.Certificate) { c.NotBefore, c.NotAfter = now.Add(-9*day), now.Add(-3*day-time.Hour) })), politefetch.TLSExpired, "certificate expired 3 days ago"},
		{"an intermediate expired", presents(chained(middle.leaf(nil), middle)), politefetch.TLSExpired, "certificate of CN=middle expired 5 days ago"},
		{"not yet valid", presents(authority.leaf(func(c *x509.Certificate) { c.NotBefore, c.NotAfter = now.Add(50*time.Hour), now.Add(9*day) })), politefetch.TLSNotYetValid, "certificate becomes valid in 2 days"},
		{"wrong name", presents(authority.leaf(func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"a.example", "b.example"} })), politefetch.TLSWrongName, "certificate is for a.example, b.example, not for 127.0.0.1"},
		{"self-signed", presents(self()), politefetch.TLSSelfSigned, "certificate is self-signed"},
		{"unknown issuer", presents(stranger.leaf(nil)), politefetch.TLSUnknownIssuer, "certificate is of an unknown issuer: CN=stranger"},
		{"unknown issuer, root included", presents(chained(stranger.leaf(nil), stranger)), politefetch.TLSUnknownIssuer, "certificate is of an unknown issuer: CN=stranger"},
		{"intermediate missing", presents(bounded.leaf(nil)), politefetch.TLSUnknownIssuer, "certificate is of an unknown issuer: CN=bounded"},
		{"outside its issuer's constraints", presents(chained(bounded.leaf(nil), bounded)), politefetch.TLSUnusable, "certificate may not be used for this"},
		{"for clients only", presents(authority.leaf(func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} })), politefetch.TLSUnusable, ""},
		{"signed with SHA-1", presents(sha1), politefetch.TLSWeakSignature, "certificate has a signature that is no longer safe: CN=test authority"},
		{"a key of 9,001 bits", presents(tls.Certificate{Certificate: [][]byte{authority.sign(&x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}, huge).Raw}, PrivateKey: rsaKey}), politefetch.TLSBadKey, ""},
		{"another one's key", presents(tls.Certificate{Certificate: good.Certificate, PrivateKey: other.PrivateKey}), politefetch.TLSBadKey, ""},
		{"TLS 1.1 at most", serves(&tls.Config{Certificates: []tls.Certificate{good}, MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}), politefetch.TLSOldVersion, "server has no TLS 1.2 or later"},
		{"answers in TLS 1.0", says("\x16\x03\x01\x00\x2a\x02\x00\x00\x26\x03\x01" + strings.Repeat("r", 32) + "\x00\x00\x2f\x00"), politefetch.TLSOldVersion, ""},
		{"an unknown cipher", says("\x16\x03\x03\x00\x2a\x02\x00\x00\x26\x03\x03" + strings.Repeat("r", 32) + "\x00\x00\x2f\x00"), politefetch.TLSNoCipher, "server has no cipher in common"},
		{"insufficient_security", says(alert(2, 71)), politefetch.TLSNoCipher, ""},
		{"handshake_failure", says(alert(2, 40)), politefetch.TLSRefused, "server refused the TLS handshake"},
		{"handshake_failure, no cipher in common", serves(&tls.Config{
			Certificates: []tls.Certificate{authority.leafWith(rsaKey, nil)}, MaxVersion: tls.VersionTLS12,
			CipherSuites: []uint16{tls.TLS_RSA_WITH_RC4_128_SHA},
		}), politefetch.TLSRefused, ""},
		{"unrecognized_name", says(alert(2, 112)), politefetch.TLSUnknownName, "server does not know this name"},
		{"client certificate, TLS 1.3", serves(&tls.Config{Certificates: []tls.Certificate{good}, ClientAuth: tls.RequireAnyClientCert}), politefetch.TLSClientCert, "server asks for a client certificate"},
		{"client certificate, TLS 1.2", serves(&tls.Config{Certificates: []tls.Certificate{good}, ClientAuth: tls.RequireAnyClientCert, MaxVersion: tls.VersionTLS12}), politefetch.TLSClientCert, ""},
		{"HTTP on the port of HTTPS", says("HTTP/1.1 400 Bad Request\r\n\r\nThe plain HTTP request was sent to HTTPS port"), politefetch.TLSPlainHTTP, "server answers in plain HTTP on the port of HTTPS"},
		{"SSH on the port of HTTPS", says("SSH-2.0-OpenSSH_9.9\r\n"), politefetch.TLSOtherProtocol, "server does not speak TLS on the port of HTTPS"},
		{"closed at once", func(_ *testing.T, c net.Conn) { _, _ = c.Read(make([]byte, 4096)) }, politefetch.TLSClosed, "server closed the connection in the TLS handshake"},
		{"reset", func(_ *testing.T, c net.Conn) {
			_, _ = c.Read(make([]byte, 1))
			_ = c.(*net.TCPConn).SetLinger(0)
		}, politefetch.TLSClosed, ""},
		{"closed within a record", func(_ *testing.T, c net.Conn) {
			_, _ = c.Read(make([]byte, 4096))
			put(c, "\x16\x03\x03\x00\x2a\x02")
		}, politefetch.TLSClosed, ""},
		{"silent", func(_ *testing.T, c net.Conn) { _, _ = io.Copy(io.Discard, c) }, politefetch.TLSSilent, "server did not answer the TLS handshake"},
		{"warnings without an end", func(_ *testing.T, c net.Conn) {
			_, _ = c.Read(make([]byte, 4096))
			for put(c, strings.Repeat(alert(1, 112), 100)) {
			}
		}, politefetch.TLSBroken, "server broke the TLS protocol"},
		{"a record out of place", says("\x17\x03\x03\x00\x05hello"), politefetch.TLSOtherProtocol, ""},
		{"a message of no known type", says("\x16\x03\x03\x00\x05hello"), politefetch.TLSBroken, ""},
		{"a certificate of garbage", presents(tls.Certificate{Certificate: [][]byte{[]byte("garbage")}, PrivateKey: good.PrivateKey}), politefetch.TLSBroken, ""},
		{"nothing wrong", presents(good), "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var s wireServer
			s.serve(t, listen(t), func(c net.Conn) { s.note(""); tt.f(t, c) })
			bot := s.bot(t, time.Millisecond)
			p, err := bot.Fetch(t.Context(), "https://"+s.addr+"/", &politefetch.FetchOptions{RobotsAdvisory: tt.want != politefetch.TLSSilent})
			if tt.want == "" && tt.name == "nothing wrong" {
				require.NoError(t, err)
				assert.Equal(t, http.StatusNotFound, p.Status)
				return
			}
			require.Error(t, err)
			outcome := politefetch.Failed
			if tt.want == politefetch.TLSSilent {
				outcome = politefetch.NoRobots // twice 10 s would be long for a test
			}
			assert.Equal(t, outcome, p.Outcome)
			assert.Equal(t, tt.want, politefetch.TLSFaultOf(err), "%v", err)
			text := politefetch.TLSText(err, now)
			assert.NotEmpty(t, text)
			assert.NotEqual(t, string(tt.want), tt.want.String(), "it has words")
			if tt.text != "" {
				assert.Equal(t, tt.text, text)
			}
			assert.Less(t, len(err.Error()), hostileError)
		})
	}
	assert.Empty(t, politefetch.TLSFaultOf(nil))
	assert.Empty(t, politefetch.TLSFaultOf(context.Canceled))
	assert.Empty(t, politefetch.TLSText(io.EOF, now))
}

// A caller that gives up is no fault of the server's.
func TestTLSFaultIsNotTheCallers(t *testing.T) {
	var s wireServer
	s.serve(t, listen(t), func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
	bot := s.bot(t, time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := bot.Fetch(ctx, "https://"+s.addr+"/", nil)
	require.Error(t, err)
	assert.Empty(t, politefetch.TLSFaultOf(err))
}
