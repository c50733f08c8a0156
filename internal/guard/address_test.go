package guard_test

import (
	"math/rand/v2"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/internal/conformance"
	"github.com/politefetch/sdk/internal/guard"
)

// Both ends of every block and the addresses just outside, so that a clone without the
// conformance data tests each rule.
func TestPublicFollowsTheRegistries(t *testing.T) {
	closed := []string{
		"0.0.0.0-0.255.255.255", "10.0.0.0-10.255.255.255", "100.64.0.0-100.127.255.255",
		"127.0.0.0-127.255.255.255", "168.63.129.16-168.63.129.16", "169.254.0.0-169.254.255.255",
		"172.16.0.0-172.31.255.255", "192.0.0.0-192.0.0.255", "192.0.2.0-192.0.2.255",
		"192.31.196.0-192.31.196.255", "192.52.193.0-192.52.193.255", "192.88.99.0-192.88.99.255",
		"192.168.0.0-192.168.255.255", "192.175.48.0-192.175.48.255", "198.18.0.0-198.19.255.255",
		"198.51.100.0-198.51.100.255", "203.0.113.0-203.0.113.255", "224.0.0.0-255.255.255.255",
		"2001::-2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::-2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
		"2002::-2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2620:4f:8000::-2620:4f:8000:ffff:ffff:ffff:ffff:ffff",
		"3fff::-3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "4000::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
		"64:ff9b::a00:0-64:ff9b::aff:ffff", "64:ff9b::1:0:0-1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
		"2a00:1450::5efe:0:0-2a00:1450::5efe:ffff:ffff", "2a00:1450::200:5efe:0:0-2a00:1450::200:5efe:ffff:ffff",
	}
	for _, block := range closed {
		first, last := cut(t, block)
		t.Run(block, func(t *testing.T) {
			assert.False(t, guard.Public(first), "first")
			assert.False(t, guard.Public(last), "last")
			// The neighbours are public, but for the end of all space and one block that
			// follows another: the NAT64 form of 255.255.255.255.
			if p := first.Prev(); p.IsValid() && p != netip.MustParseAddr("64:ff9b::ffff:ffff") {
				assert.True(t, guard.Public(p), "below: %v", p)
			}
			if n := last.Next(); n.IsValid() {
				assert.True(t, guard.Public(n), "above: %v", n)
			}
		})
	}
}

func cut(t *testing.T, block string) (first, last netip.Addr) {
	t.Helper()
	for i := range block {
		if block[i] == '-' {
			return netip.MustParseAddr(block[:i]), netip.MustParseAddr(block[i+1:])
		}
	}
	t.Fatal(block)
	return
}

func TestPublicJudgesWhatIsDialled(t *testing.T) {
	for _, tt := range []struct {
		addr string
		want bool
	}{
		{"::ffff:93.184.216.34", true},
		{"::ffff:0.0.0.0", false}, // netip finds it neither unspecified nor private; it reaches loopback
		{"::ffff:169.254.169.254", false},
		{"64:ff9b::93.184.216.34", true},
		{"64:ff9b::169.254.169.254", false},
		{"64:ff9b::168.63.129.16", false},
		{"64:ff9b:1::93.184.216.34", false},
		{"::93.184.216.34", false},
		{"::ffff:0:93.184.216.34", false},
		{"2606:4700:4700::1111%eth0", false},
		{"::1%lo", false},
		{"fec0::1", false},
	} {
		assert.Equal(t, tt.want, guard.Public(netip.MustParseAddr(tt.addr)), tt.addr)
	}
	assert.False(t, guard.Public(netip.Addr{}), "the zero Addr")
}

func TestPublicConformance(t *testing.T) {
	var data struct {
		Vectors []struct {
			Addr    string `json:"addr"`
			Blocked bool   `json:"blocked"`
			Reason  string `json:"reason"`
		} `json:"vectors"`
	}
	conformance.ReadJSON(t, "ssrf/addresses.json", &data)
	require.NotEmpty(t, data.Vectors)
	for _, v := range data.Vectors {
		assert.Equal(t, !v.Blocked, guard.Public(netip.MustParseAddr(v.Addr)), "%s: %s", v.Addr, v.Reason)
	}
	t.Logf("%d addresses", len(data.Vectors))
}

// No spelling of an address is more open than the plain one.
func TestOtherFormsAreNeverMoreOpen(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		var b [4]byte
		b[0], b[1], b[2], b[3] = byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32())
		plain := netip.AddrFrom4(b)
		want := guard.Public(plain)
		mapped := netip.AddrFrom16(plain.As16())
		require.Equal(t, want, guard.Public(mapped), "%v", mapped)
		require.Equal(t, want, guard.Public(embed("64:ff9b::", b, 12)), "NAT64 of %v", plain)
		require.False(t, guard.Public(mapped.WithZone("lo")), "%v with a zone", mapped)
		for at, prefix := range map[int]string{2: "2002::", 8: "64:ff9b:1::", 12: "::"} {
			require.False(t, guard.Public(embed(prefix, b, at)), "%s with %v", prefix, plain)
		}
		require.False(t, guard.Public(embed("2a00:1450::5efe:0:0", b, 12)), "ISATAP of %v", plain)
	}
}

func embed(prefix string, v4 [4]byte, at int) netip.Addr {
	b := netip.MustParseAddr(prefix).As16()
	copy(b[at:], v4[:])
	return netip.AddrFrom16(b)
}

func TestPublicDoesNotAllocate(t *testing.T) {
	a, b := netip.MustParseAddr("192.169.1.1"), netip.MustParseAddr("2a00:1450:4001:80b::200e")
	assert.Zero(t, testing.AllocsPerRun(100, func() { guard.Public(a); guard.Public(b) }))
}

func BenchmarkPublic(b *testing.B) {
	for _, s := range []string{"192.169.1.1", "2a00:1450:4001:80b::200e", "64:ff9b::5db8:d822"} {
		b.Run(s, func(b *testing.B) {
			a := netip.MustParseAddr(s)
			b.ReportAllocs()
			for b.Loop() {
				guard.Public(a)
			}
		})
	}
}
