package guard_test

import (
	"errors"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/politefetch/sdk/internal/dnstest"
	"github.com/politefetch/sdk/internal/guard"
)

func TestDNSAnswersAreJudgedWhole(t *testing.T) {
	addr := netip.MustParseAddr
	zone := map[string][]dnstest.Answer{
		"public.test.": {{Name: "public.test.", Addr: addr("93.184.216.34")}},
		"mixed.test.": {
			{Name: "mixed.test.", Addr: addr("93.184.216.34")},
			{Name: "mixed.test.", Addr: addr("10.0.0.1")},
		},
		"mixed6.test.": {
			{Name: "mixed6.test.", Addr: addr("93.184.216.34")},
			{Name: "mixed6.test.", Addr: addr("fd00::1")},
		},
		"mapped.test.": {{Name: "mapped.test.", Addr: addr("::ffff:127.0.0.1")}},
		"alias.test.": {
			{Name: "alias.test.", Alias: "db.corp."},
			{Name: "db.corp.", Addr: addr("10.0.0.5")},
		},
		"pubalias.test.": {
			{Name: "pubalias.test.", Alias: "cdn.test."},
			{Name: "cdn.test.", Addr: addr("1.1.1.1")},
		},
		"localhost.test.": {{Name: "localhost.test.", Addr: addr("127.0.0.1")}},
	}
	var asked atomic.Int64
	res := dnstest.Serve(t, func(name string, _ dnsmessage.Type) []dnstest.Answer { asked.Add(1); return zone[name] })
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
	res := dnstest.Serve(t, func(name string, kind dnsmessage.Type) []dnstest.Answer {
		switch {
		case kind != dnsmessage.TypeA:
			return nil
		case n.Add(1)%2 == 0:
			return []dnstest.Answer{{Name: name, Addr: inside}}
		case n.Load()%5 == 0:
			return []dnstest.Answer{{Name: name, Addr: public}, {Name: name, Addr: inside}}
		}
		return []dnstest.Answer{{Name: name, Addr: public}}
	})
	refused, dialled := 0, 0
	for _, skip := range []bool{false, true} {
		d := guard.NewDialer(guard.Options{
			Allow:       []netip.AddrPort{netip.AddrPortFrom(public, port)},
			SkipBlocked: skip,
		})
		d.Resolver = res
		for range 2500 {
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
