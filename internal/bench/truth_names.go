package main

import (
	"context"
	"net"
	"net/netip"
	"sync"

	"golang.org/x/net/dns/dnsmessage"
)

// rebindName is the one name that there is.
const rebindName = "www.site.example"

// A nameServer answers for rebindName: the first time with host a's address, afterwards
// with that of the host inside (DNS rebinding). There is nothing else.
type nameServer struct {
	addr string
	conn net.PacketConn
	wg   sync.WaitGroup
}

func newNameServer() (*nameServer, error) {
	conn, err := (&net.ListenConfig{}).ListenPacket(context.Background(), "udp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	n := &nameServer{addr: conn.LocalAddr().String(), conn: conn}
	n.wg.Go(n.serve)
	return n, nil
}

func (n *nameServer) close() {
	_ = n.conn.Close()
	n.wg.Wait()
}

func (n *nameServer) serve() {
	buf := make([]byte, 1500)
	for host := "a"; ; {
		k, from, err := n.conn.ReadFrom(buf)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(buf[:k]) != nil || len(m.Questions) != 1 {
			continue
		}
		q := m.Questions[0]
		m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
		switch {
		case q.Name.String() != rebindName+".":
			m.RCode = dnsmessage.RCodeNameError
		case q.Type == dnsmessage.TypeA:
			m.Answers = []dnsmessage.Resource{{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET},
				Body:   &dnsmessage.AResource{A: netip.MustParseAddr(truthHosts[host]).As4()},
			}}
			host = "inside"
		}
		if out, err := m.Pack(); err == nil {
			_, _ = n.conn.WriteTo(out, from)
		}
	}
}
