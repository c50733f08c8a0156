package proxy

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// shared is what all copies of a route have in common.
type shared struct {
	slots   chan struct{} // an ask in flight has put one in
	base    http.RoundTripper
	stopped atomic.Pointer[ProviderError]
}

// shared returns the state of all copies; the first call makes it.
func (s *ScrapingBee) shared() *shared {
	if sh := s.state.Load(); sh != nil {
		return sh
	}
	sh := &shared{slots: make(chan struct{}, cmp.Or(max(s.Concurrency, 0), defaultConcurrency)), base: s.Base}
	if sh.base == nil {
		sh.base = plainTransport()
	}
	s.state.CompareAndSwap(nil, sh)
	return s.state.Load()
}

// plainTransport returns a transport that sends each request once: net/http repeats one by
// itself if a kept connection, or HTTP/2, lets it down, and each repeat would be an ask.
func plainTransport() *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: 256 << 10, // the site's and the provider's
		DisableKeepAlives:      true,
		Protocols:              protocols,
	}
}

// slot is one ask's place among those in flight.
type slot struct {
	slots chan struct{}
	once  sync.Once
}

func (sh *shared) enter(ctx context.Context) (*slot, error) {
	select {
	case sh.slots <- struct{}{}:
		return &slot{slots: sh.slots}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// leave gives the place up; only the first call counts.
func (s *slot) leave() { s.once.Do(func() { <-s.slots }) }

// latch remembers the sites for which a route is closed.
type latch struct {
	mu    sync.Mutex
	sites map[string]error
}

func (s *ScrapingBee) latch() *latch {
	if l := s.closed.Load(); l != nil {
		return l
	}
	s.closed.CompareAndSwap(nil, &latch{sites: make(map[string]error)})
	return s.closed.Load()
}

// close closes the route for the sites of these addresses.
func (l *latch) close(why error, us ...*url.URL) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, u := range us {
		l.sites[site(u)] = why
	}
}

// why returns what closed the route for u's site, nil if nothing did.
func (l *latch) why(u *url.URL) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.sites[site(u)]
	if w, ok := err.(*WallError); ok { //nolint:errorlint // put there as it is
		return w.copy()
	}
	return err
}

// site is what a wall closes: a host, with its other name in "www.".
func site(u *url.URL) string { return strings.TrimPrefix(u.Hostname(), "www.") }

func isLoopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}
