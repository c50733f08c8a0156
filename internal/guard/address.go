package guard

import (
	"encoding/binary"
	"net/netip"
)

// Public reports whether an address is ordinary global unicast space, where a web site may
// live. It follows the IANA special-purpose address registries (RFC 6890, snapshot of July
// 2026), including their few globally reachable rows, none of which carries web sites.
//
// An IPv4-mapped address is judged as the IPv4 address that is really dialled, an address
// of the NAT64 prefix 64:ff9b::/96 (RFC 6052) by the IPv4 address it is translated to. An
// address with a zone is never public: the kernel ignores the zone of ::1 and connects.
func Public(a netip.Addr) bool {
	if !a.IsValid() || a.Zone() != "" {
		return false
	}
	a = a.Unmap()
	if v4, ok := nat64(a); ok {
		a = v4
	}
	if a.Is4() {
		return public4(a.As4())
	}
	return public6(a.As16())
}

// nat64 returns the IPv4 address behind one of the well-known NAT64 prefix. Networks
// without IPv4 reach every IPv4 site that way (DNS64), so the prefix is neither open nor
// closed. The prefix for local use, 64:ff9b:1::/48 (RFC 8215), stays closed.
func nat64(a netip.Addr) (netip.Addr, bool) {
	if !a.Is6() {
		return netip.Addr{}, false
	}
	b := a.As16()
	if binary.BigEndian.Uint64(b[:8]) != 0x0064ff9b_00000000 || binary.BigEndian.Uint32(b[8:12]) != 0 {
		return netip.Addr{}, false
	}
	return netip.AddrFrom4([4]byte(b[12:])), true
}

// public4 is false for every row of the IPv4 special-purpose registry, for multicast and
// all above it, and for one address that a cloud provider uses inside.
func public4(b [4]byte) bool {
	ip := binary.BigEndian.Uint32(b[:])
	switch b[0] {
	case 0, // 0.0.0.0/8 this network, RFC 791
		10,  // 10.0.0.0/8 private, RFC 1918
		127: // 127.0.0.0/8 loopback, RFC 1122
		return false
	case 100: // 100.64.0.0/10 shared address space, RFC 6598
		return ip>>22 != 0x64400000>>22
	case 168: // 168.63.129.16 looks public, and is Azure's own server for its guests
		return ip != 0xa83f8110
	case 169: // 169.254.0.0/16 link local, RFC 3927: cloud metadata
		return b[1] != 254
	case 172: // 172.16.0.0/12 private, RFC 1918
		return ip>>20 != 0xac100000>>20
	case 192:
		return public192(b)
	case 198: // 198.18.0.0/15 benchmarking, RFC 2544; 198.51.100.0/24 TEST-NET-2, RFC 5737
		return ip>>17 != 0xc6120000>>17 && ip>>8 != 0xc63364
	case 203: // 203.0.113.0/24 TEST-NET-3, RFC 5737
		return ip>>8 != 0xcb0071
	}
	// 224.0.0.0/4 multicast, RFC 5771; 240.0.0.0/4 reserved and broadcast, RFC 1112, RFC 919
	return b[0] < 224
}

func public192(b [4]byte) bool {
	switch [3]byte(b[:3]) {
	case [3]byte{192, 0, 0}, // IETF protocol assignments, RFC 6890
		[3]byte{192, 0, 2},    // TEST-NET-1, RFC 5737
		[3]byte{192, 31, 196}, // AS112, RFC 7535
		[3]byte{192, 52, 193}, // AMT, RFC 7450
		[3]byte{192, 88, 99},  // 6to4 relay anycast, withdrawn by RFC 7526
		[3]byte{192, 175, 48}: // AS112, RFC 7534
		return false
	}
	return b[1] != 168 // 192.168.0.0/16 private, RFC 1918
}

// public6 is true for the global unicast space in use, 2000::/3, without the rows that the
// IPv6 special-purpose registry has inside it. All else is reserved, local, multicast or
// embeds an IPv4 address.
func public6(b [16]byte) bool {
	if b[0]>>5 != 0x20>>5 {
		return false
	}
	switch binary.BigEndian.Uint16(b[:]) {
	case 0x2001:
		if b[2]>>1 == 0 || // 2001::/23 IETF protocol assignments, RFC 2928; Teredo, RFC 4380
			b[2] == 0x0d && b[3] == 0xb8 { // 2001:db8::/32 documentation, RFC 3849
			return false
		}
	case 0x2002: // 6to4, RFC 3056
		return false
	case 0x2620: // 2620:4f:8000::/48 AS112, RFC 7534
		if binary.BigEndian.Uint32(b[2:]) == 0x004f8000 {
			return false
		}
	case 0x3fff: // 3fff::/20 documentation, RFC 9637
		if b[2]>>4 == 0 {
			return false
		}
	}
	// ISATAP interface identifiers embed an IPv4 address under any prefix (RFC 5214).
	return binary.BigEndian.Uint32(b[8:])&^0x02000000 != 0x00005efe
}
