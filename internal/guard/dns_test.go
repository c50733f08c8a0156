package guard_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/politefetch/sdk/internal/guard"
)

// answer is one record of a DNS answer: an address or, if addr is invalid, an alias.
type answer struct {
	name  string
	addr  netip.Addr
	alias string
}

// nameserver answers A and AAAA questions on UDP by a script, and returns a resolver, Go's
// own, that asks nobody else.
func nameserver(t *testing.T, script func(name string, kind dnsmessage.Type) []answer) *net.Resolver {
	t.Helper()
	pc, err := net.ListenPacket("udp4", "127.0.0.1:0")
	require.NoError(t, err)
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
	t.Cleanup(func() { pc.Close(); <-done })
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp4", pc.LocalAddr().String())
	}}
}

func reply(query []byte, script func(string, dnsmessage.Type) []answer) []byte {
	var m dnsmessage.Message
	if m.Unpack(query) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	for _, a := range script(q.Name.String(), q.Type) {
		r := dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: dnsmessage.MustNewName(a.name), Class: dnsmessage.ClassINET}}
		switch {
		case !a.addr.IsValid():
			r.Header.Type = dnsmessage.TypeCNAME
			r.Body = &dnsmessage.CNAMEResource{CNAME: dnsmessage.MustNewName(a.alias)}
		case a.addr.Is4() && q.Type == dnsmessage.TypeA:
			r.Header.Type = dnsmessage.TypeA
			r.Body = &dnsmessage.AResource{A: a.addr.As4()}
		case a.addr.Is6() && q.Type == dnsmessage.TypeAAAA:
			r.Header.Type = dnsmessage.TypeAAAA
			r.Body = &dnsmessage.AAAAResource{AAAA: a.addr.As16()}
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

func TestDNSAnswersAreJudgedWhole(t *testing.T) {
	addr := netip.MustParseAddr
	zone := map[string][]answer{
		"public.test.": {{name: "public.test.", addr: addr("93.184.216.34")}},
		"mixed.test.": {
			{name: "mixed.test.", addr: addr("93.184.216.34")},
			{name: "mixed.test.", addr: addr("10.0.0.1")},
		},
		"mixed6.test.": {
			{name: "mixed6.test.", addr: addr("93.184.216.34")},
			{name: "mixed6.test.", addr: addr("fd00::1")},
		},
		"mapped.test.": {{name: "mapped.test.", addr: addr("::ffff:127.0.0.1")}},
		"alias.test.": {
			{name: "alias.test.", alias: "db.corp."},
			{name: "db.corp.", addr: addr("10.0.0.5")},
		},
		"pubalias.test.": {
			{name: "pubalias.test.", alias: "cdn.test."},
			{name: "cdn.test.", addr: addr("1.1.1.1")},
		},
		"localhost.test.": {{name: "localhost.test.", addr: addr("127.0.0.1")}},
	}
	var asked atomic.Int64
	res := nameserver(t, func(name string, _ dnsmessage.Type) []answer { asked.Add(1); return zone[name] })
	w := new(world)
	for name, want := range map[string]string{
		"public.test": "93.184.216.34:80", "pubalias.test": "1.1.1.1:80",
		"mixed.test": "", "mixed6.test": "", "mapped.test": "", "alias.test": "", "localhost.test": "",
	} {
		d := guard.NewDialer(guard.Options{})
		d.Resolver = res
		d.SetSeams(nil, w.dial)
		w.dialled = nil
		_, err := d.DialContext(t.Context(), "tcp", name+":80")
		if want != "" {
			require.NoError(t, err, name)
			assert.Equal(t, []string{want}, w.dialled, name)
			continue
		}
		r := new(guard.Refusal)
		require.ErrorAs(t, err, &r, name)
		assert.Empty(t, w.dialled, name)
	}
	require.Positive(t, asked.Load())

	d := guard.NewDialer(guard.Options{})
	d.Resolver = res
	_, err := d.DialContext(t.Context(), "tcp", "no.such.test:80")
	dns := new(net.DNSError)
	require.ErrorAs(t, err, &dns)
	assert.True(t, dns.IsNotFound)
	assert.Equal(t, "no.such.test", dns.Name)
}

// A name that changes its answer with every question, thousands of times, through the real
// resolver and the real socket code. Nothing may reach the listener inside, on the very
// port that is open to us.
func TestRebindingReachesNothingInside(t *testing.T) {
	ln, hits := listen(t)
	port := ln.Addr().(*net.TCPAddr).AddrPort().Port()
	inside := netip.MustParseAddr("127.0.0.1")
	public := netip.MustParseAddr("127.0.0.9") // made public by its Allow entry: nobody listens there
	var n atomic.Int64
	res := nameserver(t, func(name string, kind dnsmessage.Type) []answer {
		switch {
		case kind != dnsmessage.TypeA:
			return nil
		case n.Add(1)%2 == 0:
			return []answer{{name: name, addr: inside}}
		case n.Load()%5 == 0:
			return []answer{{name: name, addr: public}, {name: name, addr: inside}}
		}
		return []answer{{name: name, addr: public}}
	})
	refused, dialled := 0, 0
	for _, skip := range []bool{false, true} {
		d := guard.NewDialer(guard.Options{
			Allow:       []netip.AddrPort{netip.AddrPortFrom(public, port)},
			SkipBlocked: skip,
		})
		d.Resolver = res
		for range 1500 {
			c, err := d.DialContext(t.Context(), "tcp", net.JoinHostPort("rebind.test", ln.Addr().String()[len("127.0.0.1:"):]))
			if err == nil {
				c.Close()
				t.Fatal("connected")
			}
			if r := new(guard.Refusal); errors.As(err, &r) {
				refused++
				continue
			}
			require.ErrorAs(t, err, new(*net.OpError))
			dialled++
		}
	}
	t.Logf("%d questions, %d refused, %d dialled the public address", n.Load(), refused, dialled)
	assert.Positive(t, refused)
	assert.Positive(t, dialled)
	time.Sleep(10 * time.Millisecond)
	assert.Zero(t, hits(), "connections inside")
}
