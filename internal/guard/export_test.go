package guard

import (
	"context"
	"net"
	"net/netip"
	"syscall"
)

// SetSeams puts a fake resolver and a fake network below the rules.
func (d *Dialer) SetSeams(lookup func(ctx context.Context, host string) ([]netip.Addr, error), dial func(ctx context.Context, to netip.AddrPort) (net.Conn, error)) {
	d.lookup, d.dial = lookup, dial
}

// SetInterfaces replaces what the system says of its network interfaces.
func (d *Dialer) SetInterfaces(f func() ([]net.Addr, error)) { d.own.interfaces = f }

// Connect dials an address that nothing has judged yet.
func (d *Dialer) Connect(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	return d.one(ctx, to, 1)
}

// Control is what runs on the socket.
func (d *Dialer) Control(network, address string, c syscall.RawConn) error {
	return d.control(network, address, c)
}
