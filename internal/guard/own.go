package guard

import (
	"net"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"
)

// ownFor is how long the addresses of the network interfaces are taken to stay what they
// were. Asking for them costs some hundred times what the other rules do.
const ownFor = time.Minute

// own knows the addresses of this machine's network interfaces. A machine with a public
// address may have services there that trust whoever connects from the machine itself.
type own struct {
	interfaces func() ([]net.Addr, error) // nil: net.InterfaceAddrs
	known      atomic.Pointer[snapshot]
}

type snapshot struct {
	at    time.Time
	addrs []netip.Addr
}

// judge returns why a public address may not be dialled, or "". If the system doesn't tell
// the addresses, none may.
func (o *own) judge(addr netip.Addr) string {
	s := o.known.Load()
	if now := time.Now(); s == nil || now.Sub(s.at) >= ownFor || now.Before(s.at) {
		ask := o.interfaces
		if ask == nil {
			ask = net.InterfaceAddrs
		}
		all, err := ask()
		if err != nil {
			return "the addresses of this machine are not known"
		}
		s = &snapshot{at: now, addrs: addrsOf(all)}
		o.known.Store(s)
	}
	v4, translated := nat64(addr)
	if slices.Contains(s.addrs, addr) || translated && slices.Contains(s.addrs, v4) {
		return "address is this machine's own"
	}
	return ""
}

func addrsOf(all []net.Addr) []netip.Addr {
	var out []netip.Addr
	for _, a := range all {
		var ip net.IP
		switch a := a.(type) {
		case *net.IPNet:
			ip = a.IP
		case *net.IPAddr:
			ip = a.IP
		}
		if addr, ok := netip.AddrFromSlice(ip); ok {
			out = append(out, addr.Unmap())
		}
	}
	return out
}
