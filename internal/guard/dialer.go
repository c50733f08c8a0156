package guard

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"github.com/politefetch/sdk/internal/urlnorm"
)

const (
	dialTimeout = 10 * time.Second // of a whole DialContext, lookup included
	dialShare   = 3 * time.Second  // of one address, while there are others to try
	maxDials    = 6                // addresses tried; all answers are judged
)

// Dialer opens TCP connections to addresses that the guard lets pass, and to no other.
// It is safe for concurrent use. It takes at most 10 s.
type Dialer struct {
	Resolver *net.Resolver // answers the names; nil: net.DefaultResolver. Set it before the first use

	opts   Options
	own    own
	net    net.Dialer
	lookup func(ctx context.Context, host string) ([]netip.Addr, error)   // nil: Resolver
	dial   func(ctx context.Context, to netip.AddrPort) (net.Conn, error) // nil: net
}

// NewDialer returns a Dialer with a copy of these options.
func NewDialer(o Options) *Dialer {
	o.Allow = slices.Clone(o.Allow)
	o.Deny = slices.Clone(o.Deny)
	d := &Dialer{opts: o}
	d.net.Control = d.control
	return d
}

// DialContext connects to "host:port" for the networks tcp, tcp4 and tcp6. The host may be
// a name or a literal address. All addresses of a name are judged before the first
// connection. The error is a [*Refusal] if the guard said no, a [*net.DNSError] if the name
// has no address, the context's cause if that ended, and otherwise tells each attempt.
func (d *Dialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	if network != "tcp" && network != "tcp4" && network != "tcp6" {
		return nil, &Refusal{Host: safeText(addr), Reason: "network is not TCP"}
	}
	host, port, err := split(addr)
	if err != nil {
		return nil, err
	}
	call, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	all, err := d.resolve(call, host)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, err
	}
	targets, err := d.pass(host, all, port)
	if err != nil {
		return nil, err
	}
	targets = slices.DeleteFunc(targets, func(a netip.Addr) bool {
		return network == "tcp4" && !a.Is4() || network == "tcp6" && !a.Is6()
	})
	if len(targets) == 0 {
		return nil, &net.DNSError{Err: "no suitable address", Name: host, IsNotFound: true}
	}
	conn, err := d.try(call, interleave(targets), port)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return conn, err
}

// split takes "host:port" apart and applies the rules for names again, for callers that
// did not come through Check.
func split(addr string) (host string, port uint16, err error) {
	host, text, err := net.SplitHostPort(addr)
	if err != nil {
		return "", 0, &Refusal{Host: safeText(addr), Reason: "address does not parse"}
	}
	n, err := net.LookupPort("tcp", text)
	if err != nil || text == "" || text[0] < '0' || text[0] > '9' {
		return "", 0, &Refusal{Host: safeText(host), Reason: "port is not a number"}
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return host, uint16(n), nil //nolint:gosec // LookupPort keeps to 0..65535
	}
	name, err := urlnorm.Host(host)
	if err != nil {
		return "", 0, &Refusal{Host: safeText(host), Reason: "host is malformed"}
	}
	if why := nameRule(name); why != "" {
		return "", 0, &Refusal{Host: safeText(name), Reason: why}
	}
	return name, uint16(n), nil //nolint:gosec // LookupPort keeps to 0..65535
}

// resolve returns all addresses of a host.
func (d *Dialer) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	var (
		all []netip.Addr
		err error
	)
	switch {
	case d.lookup != nil:
		all, err = d.lookup(ctx, host)
	default:
		r := d.Resolver
		if r == nil {
			r = net.DefaultResolver
		}
		// The final dot keeps the resolver from trying the search domains of the network
		// we run in, where a name of the public internet may have a namesake.
		all, err = r.LookupNetIP(ctx, "ip", host+".")
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		dns.Name = host // without the final dot
	}
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, &net.DNSError{Err: "no address", Name: host, IsNotFound: true}
	}
	return all, nil
}

// pass returns the addresses that may be dialled, unmapped and without doubles.
func (d *Dialer) pass(host string, all []netip.Addr, port uint16) ([]netip.Addr, error) {
	good := make([]netip.Addr, 0, len(all))
	var first *Refusal
	for _, a := range all {
		if why := d.judge(netip.AddrPortFrom(a, port)); why != "" {
			if first == nil {
				first = &Refusal{Host: safeText(host), Addr: a, Reason: why}
			}
			continue
		}
		if a = a.Unmap(); !slices.Contains(good, a) {
			good = append(good, a)
		}
	}
	if first != nil && (!d.opts.SkipBlocked || len(good) == 0) {
		return nil, first
	}
	return good, nil
}

// interleave keeps the resolver's order (RFC 6724) within a family and takes the families
// in turn, so that one that is broken costs only every other attempt (RFC 8305 section 4).
func interleave(in []netip.Addr) []netip.Addr {
	var first, second []netip.Addr
	for _, a := range in {
		if a.Is4() == in[0].Is4() {
			first = append(first, a)
		} else {
			second = append(second, a)
		}
	}
	out := make([]netip.Addr, 0, len(in))
	for i := range max(len(first), len(second)) {
		if i < len(first) {
			out = append(out, first[i])
		}
		if i < len(second) {
			out = append(out, second[i])
		}
	}
	return out[:min(len(out), maxDials)]
}

// try dials one address after the other, each with its share of the time.
func (d *Dialer) try(ctx context.Context, to []netip.Addr, port uint16) (net.Conn, error) {
	var errs []error
	for i, a := range to {
		conn, err := d.one(ctx, netip.AddrPortFrom(a, port), len(to)-i)
		if err == nil {
			return conn, nil
		}
		errs = append(errs, err)
		if ctx.Err() != nil {
			break
		}
	}
	if len(errs) == 1 {
		return nil, errs[0]
	}
	return nil, errors.Join(errs...)
}

func (d *Dialer) one(ctx context.Context, to netip.AddrPort, left int) (net.Conn, error) {
	if end, ok := ctx.Deadline(); ok && left > 1 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, min(time.Until(end)/time.Duration(left), dialShare))
		defer cancel()
	}
	if d.dial != nil {
		return d.dial(ctx, to)
	}
	conn, err := d.net.DialTCP(ctx, "tcp", netip.AddrPort{}, to)
	if op, ok := errors.AsType[*net.OpError](err); ok {
		op.Source = nil // the empty address that stands for "any", which reads as ":0->"
	}
	if err != nil {
		return nil, err // not conn: a nil *net.TCPConn is no nil net.Conn
	}
	return conn, nil
}

// control runs on the socket, right before connect(2), and judges the literal that is
// really dialled. What it cannot read, it refuses.
func (d *Dialer) control(network, address string, _ syscall.RawConn) error {
	if network != "tcp4" && network != "tcp6" {
		return &Refusal{Host: safeText(address), Reason: "network is not TCP"}
	}
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return &Refusal{Host: safeText(address), Reason: "address does not parse"}
	}
	if why := d.judge(ap); why != "" {
		return &Refusal{Host: safeText(address), Addr: ap.Addr(), Reason: why}
	}
	return nil
}

// judge adds to the rules what only the machine can tell: its own addresses.
func (d *Dialer) judge(ap netip.AddrPort) string {
	why := d.opts.judge(ap)
	if why != "" || d.opts.Own || d.opts.allowed(ap) {
		return why
	}
	return d.own.judge(ap.Addr().Unmap())
}
