package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/politefetch/sdk/internal/guard"
	"github.com/politefetch/sdk/internal/wire"
)

// guardPage is what the server of these tables answers: a small page.
const guardPage = 10 << 10

// benchGuard measures what the address guard costs a GET: the same transport with the
// guard's dialer and with a plain one, beside bare net/http.
func benchGuard(b *bench) error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	page := strings.Repeat("<p>ten bytes", guardPage/12)
	srv := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, page)
	})}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ln) }()
	defer func() { _ = srv.Close(); <-done }()

	plain := (&net.Dialer{Timeout: 10 * time.Second}).DialContext
	guarded := guard.NewDialer(guard.Options{
		Allow: []netip.AddrPort{netip.MustParseAddrPort(ln.Addr().String())}, // the listener's, which is no public one
	}).DialContext
	own := func(dial func(context.Context, string, string) (net.Conn, error)) *wire.Transport {
		return wire.NewTransport(dial)
	}
	subjects := []Subject[http.RoundTripper]{
		{Ours, "with the guard", own(guarded)},
		{Peer, "without the guard", own(plain)},
		{Other, "net/http", &http.Transport{DialContext: plain, DisableCompression: true}},
	}
	for _, s := range subjects {
		defer s.Do.(interface{ CloseIdleConnections() }).CloseIdleConnections()
	}
	for _, closing := range []bool{true, false} {
		title := "guard: GET of a page of 10 KiB, a new connection each"
		if !closing {
			title = "guard: GET of a page of 10 KiB, one kept connection"
		}
		if !b.picked(title) {
			continue
		}
		if err := guardTable(b, title, subjects, "http://"+ln.Addr().String()+"/", closing); err != nil {
			return err
		}
	}
	return nil
}

// guardTable times one GET through each transport.
func guardTable(b *bench, title string, subjects []Subject[http.RoundTripper], url string, closing bool) error {
	var failure error
	ops := make([]operation, len(subjects))
	for i, s := range subjects {
		ops[i] = func(n int) {
			for range n {
				if err := get(s.Do, url, closing); err != nil {
					failure = fmt.Errorf("%s: %w", s.Name, err)
				}
			}
		}
	}
	got := b.interleave(ops)
	if failure != nil {
		return failure
	}
	costs(&b.report, title, subjects, got, make([]error, len(subjects)), nil, nil)
	what := strings.TrimPrefix(title, "guard: ")
	b.atMost(1.1, named(subjects, got, "with the guard").ns/named(subjects, got, "without the guard").ns, "%s: with the guard over without", what)
	return nil
}

// get reads one page.
func get(tr http.RoundTripper, url string, closing bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) //nolint:forbidigo // nobody's call
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Close = closing
	resp, err := tr.RoundTrip(req)
	if err != nil {
		return err
	}
	n, err := io.Copy(io.Discard, resp.Body)
	if cerr := resp.Body.Close(); err == nil {
		err = cerr
	}
	if err == nil && n < guardPage-12 {
		err = fmt.Errorf("read %d bytes", n)
	}
	return err
}
