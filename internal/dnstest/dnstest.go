// Package dnstest is a name server on loopback whose answers are scripted, for tests.
package dnstest

import (
	"context"
	"net"
	"net/netip"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// An Answer is one record of a DNS answer: an address or, if Addr is invalid, an alias.
// Names end with a dot.
type Answer struct {
	Name  string
	Addr  netip.Addr
	Alias string
}

// Serve answers A and AAAA questions on UDP by a script until the test ends, and returns a
// resolver, Go's own, that asks nobody else.
func Serve(tb testing.TB, script func(name string, kind dnsmessage.Type) []Answer) *net.Resolver {
	tb.Helper()
	pc, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 1500)
		for {
			n, from, err := pc.ReadFrom(buf)
			if err != nil {
				return
			}
			if out := reply(buf[:n], script); out != nil {
				_, _ = pc.WriteTo(out, from)
			}
		}
	}()
	tb.Cleanup(func() { _ = pc.Close(); <-done })
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp4", pc.LocalAddr().String())
	}}
}

func reply(query []byte, script func(string, dnsmessage.Type) []Answer) []byte {
	var m dnsmessage.Message
	if m.Unpack(query) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	for _, a := range script(q.Name.String(), q.Type) {
		r := dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: dnsmessage.MustNewName(a.Name), Class: dnsmessage.ClassINET}}
		switch {
		case !a.Addr.IsValid():
			r.Header.Type = dnsmessage.TypeCNAME
			r.Body = &dnsmessage.CNAMEResource{CNAME: dnsmessage.MustNewName(a.Alias)}
		case a.Addr.Is4() && q.Type == dnsmessage.TypeA:
			r.Header.Type = dnsmessage.TypeA
			r.Body = &dnsmessage.AResource{A: a.Addr.As4()}
		case a.Addr.Is6() && q.Type == dnsmessage.TypeAAAA:
			r.Header.Type = dnsmessage.TypeAAAA
			r.Body = &dnsmessage.AAAAResource{AAAA: a.Addr.As16()}
		default:
			continue
		}
		m.Answers = append(m.Answers, r)
	}
	if len(m.Answers) == 0 {
		m.RCode = dnsmessage.RCodeNameError
	}
	out, err := m.Pack()
	if err != nil {
		return nil
	}
	return out
}
