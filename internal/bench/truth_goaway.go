package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// A goawayServer speaks HTTP/2. It has no robots.txt, and says goodbye to every other
// request without having taken it (RFC 9113 section 6.8).
type goawayServer struct {
	site *truthSite
	addr string
	cert []byte // to be trusted
	ln   net.Listener
	wg   sync.WaitGroup

	mu    sync.Mutex
	conns []net.Conn
}

func newGoawayServer(site *truthSite) (*goawayServer, error) {
	lender := httptest.NewTLSServer(http.NotFoundHandler()) // of a certificate for 127.0.0.1
	defer lender.Close()
	ln, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	g := &goawayServer{site: site, addr: ln.Addr().String(), cert: lender.Certificate().Raw}
	g.ln = tls.NewListener(ln, &tls.Config{Certificates: lender.TLS.Certificates, NextProtos: []string{"h2"}, MinVersion: tls.VersionTLS12})
	g.wg.Go(g.accept)
	return g, nil
}

func (g *goawayServer) accept() {
	for {
		c, err := g.ln.Accept()
		if err != nil {
			return
		}
		g.mu.Lock()
		g.conns = append(g.conns, c)
		g.mu.Unlock()
		g.wg.Go(func() {
			defer c.Close()
			_ = g.talk(c) // it ends when the other side has gone
		})
	}
}

func (g *goawayServer) close() {
	_ = g.ln.Close()
	g.mu.Lock()
	for _, c := range g.conns {
		_ = c.Close()
	}
	g.mu.Unlock()
	g.wg.Wait()
}

// talk answers on one connection, up to the first request that isn't for robots.txt.
func (g *goawayServer) talk(c net.Conn) error {
	if _, err := io.CopyN(io.Discard, c, int64(len(http2.ClientPreface))); err != nil {
		return err
	}
	f := http2.NewFramer(c, c)
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	if err := f.WriteSettings(); err != nil {
		return err
	}
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return err
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				err = f.WriteSettingsAck()
			}
		case *http2.MetaHeadersFrame:
			g.site.leave(g.site.arrive("h2", frame.PseudoValue("path"), headerOf(frame)))
			if frame.PseudoValue("path") != "/robots.txt" {
				return f.WriteGoAway(max(frame.StreamID, 2)-2, http2.ErrCodeNo, nil)
			}
			var block bytes.Buffer
			err = hpack.NewEncoder(&block).WriteField(hpack.HeaderField{Name: ":status", Value: "404"})
			if err == nil {
				err = f.WriteHeaders(http2.HeadersFrameParam{StreamID: frame.StreamID, BlockFragment: block.Bytes(), EndHeaders: true, EndStream: true})
			}
		}
		if err != nil {
			return err
		}
	}
}

func headerOf(f *http2.MetaHeadersFrame) http.Header {
	h := http.Header{}
	for _, field := range f.RegularFields() {
		h.Add(strings.ToLower(field.Name), field.Value)
	}
	return h
}
