package politefetch_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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
