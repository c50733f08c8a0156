package politefetch_test

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
	"github.com/politefetch/sdk/ratepolicy"
)

// closer is an HTTP/1.1 server that answers the first request of every connection and
// closes it when a second one comes, without an answer.
type closer struct {
	mu   sync.Mutex
	came []time.Time
}

func (c *closer) serve(ln net.Listener) {
	for {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			r := bufio.NewReader(conn)
			for first := true; ; first = false {
				req, err := http.ReadRequest(r)
				if err != nil {
					return
				}
				c.mu.Lock()
				c.came = append(c.came, time.Now())
				c.mu.Unlock()
				if !first {
					return
				}
				status := "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Type: text/html\r\n\r\nx"
				if req.URL.Path == "/robots.txt" {
					status = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
				}
				if _, err := conn.Write([]byte(status)); err != nil {
					return
				}
			}
		}()
	}
}

func TestAStaleConnectionIsTriedOnceMoreThroughTheGate(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	var srv closer
	go srv.serve(ln)
	cfg := politeConfig(nil)
	cfg.Transport = nil
	cfg.Guard.Allow = []netip.AddrPort{netip.MustParseAddrPort(ln.Addr().String())}
	const delay = 50 * time.Millisecond
	cfg.Policy.Normal.Delay = delay
	bot := newBot(t, cfg)
	for range 4 {
		p, err := bot.Fetch(t.Context(), "http://"+ln.Addr().String()+"/", nil)
		require.NoError(t, err)
		assert.Equal(t, politefetch.Done, p.Outcome)
	}
	srv.mu.Lock()
	defer srv.mu.Unlock()
	assert.LessOrEqual(t, len(srv.came), 2*5, "robots.txt and four pages, each at most twice")
	assert.Greater(t, len(srv.came), 5, "connections did go stale")
	for i := range srv.came[1:] {
		assert.GreaterOrEqual(t, srv.came[i+1].Sub(srv.came[i]), delay-2*time.Millisecond)
	}
}

// brokenStore is a store that is down.
type brokenStore struct{ err error }

func (s brokenStore) Update(context.Context, string, func(time.Time, []byte) ([]byte, time.Time)) error {
	return s.err
}

func TestAStoreThatIsDownFailsClosed(t *testing.T) {
	var site fetchtest.Site
	cfg := politeConfig(&site)
	down := errors.New("store is down")
	cfg.Store = brokenStore{down}
	bot := newBot(t, cfg)
	_, err := bot.Fetch(t.Context(), site1+"/", nil)
	require.ErrorIs(t, err, down)
	got := visit(t, bot, site1+"/", politefetch.VisitOptions{})
	require.ErrorIs(t, got.errs[site1+"/"], down)
	assert.NotEqual(t, politefetch.Done, got.report.Outcome)
	assert.Empty(t, site.Log(), "no request")
}

var _ ratepolicy.Store = brokenStore{}
