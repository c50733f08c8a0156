package politefetch_test

import (
	"bufio"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/politefetch/sdk/internal/conformance"
	"github.com/politefetch/sdk/internal/dnstest"
	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
)

// resolve makes this process resolve names by a script for one test: each name's answers
// are given in order, every one some addresses, and the last one stays.
func resolve(t *testing.T, names map[string][]string) {
	t.Helper()
	var mu sync.Mutex
	old := net.DefaultResolver
	net.DefaultResolver = dnstest.Serve(t, func(name string, kind dnsmessage.Type) []dnstest.Answer {
		mu.Lock()
		defer mu.Unlock()
		as := names[strings.TrimSuffix(name, ".")]
		if len(as) == 0 || kind != dnsmessage.TypeA && kind != dnsmessage.TypeAAAA {
			return nil
		}
		if len(as) > 1 && kind == dnsmessage.TypeA {
			names[strings.TrimSuffix(name, ".")] = as[1:]
		}
		var out []dnstest.Answer
		for a := range strings.FieldsSeq(as[0]) {
			out = append(out, dnstest.Answer{Name: name, Addr: netip.MustParseAddr(a)})
		}
		return out
	})
	t.Cleanup(func() { net.DefaultResolver = old })
}

func TestM10_EveryDomainIsCheckedOnTheAddressReallyDialled(t *testing.T) {
	var inside fetchtest.Site // what must not be reached
	var shop fetchtest.Site
	srv := httptest.NewServer(&shop)
	defer srv.Close()
	at := netip.MustParseAddrPort(srv.Listener.Addr().String())
	hidden, err := net.Listen("tcp", net.JoinHostPort("127.0.0.2", url2port(t, srv.URL)))
	require.NoError(t, err)
	internal := httptest.NewUnstartedServer(&inside)
	internal.Listener = hidden
	internal.Start()
	defer internal.Close()

	base := "http://kauppa.test:" + url2port(t, srv.URL)
	config := func(t *testing.T, names map[string][]string) politefetch.Config {
		t.Helper()
		resolve(t, names)
		cfg := scannerConfig(nil)
		cfg.Transport = nil
		cfg.Guard.Allow = []netip.AddrPort{at} // stands for the public address of the shop
		return cfg
	}
	shop.Set("/", links("/a", "/moved", "/plain"))
	shop.Set("/a", links().With("Connection", "close"))
	shop.Set("/moved", fetchtest.Redirect("http://toinen.test:"+url2port(t, srv.URL)+"/x"))
	shop.Set("/plain", fetchtest.Redirect("http://127.0.0.2:"+url2port(t, srv.URL)+"/x"))
	opts := scannerVisit
	opts.Hosts = []string{"kauppa.test", "toinen.test", "127.0.0.2"}

	t.Run("redirects, to a name and to an address", func(t *testing.T) {
		cfg := config(t, map[string][]string{"kauppa.test": {"127.0.0.1"}, "toinen.test": {"127.0.0.2"}})
		got := visit(t, newBot(t, cfg), base+"/", opts)
		assert.Equal(t, 2, got.report.Pages)
		for _, addr := range []string{base + "/moved", base + "/plain"} {
			var e *politefetch.Error
			require.ErrorAs(t, got.errs[addr], &e, addr)
			assert.Equal(t, politefetch.Barred, e.Outcome, addr)
			assert.Contains(t, e.Error(), "127.0.0.2", addr)
		}
	})
	t.Run("a name that changes between two requests", func(t *testing.T) {
		shop.Set("/robots.txt", fetchtest.Status(404).With("Connection", "close"))
		cfg := config(t, map[string][]string{"kauppa.test": {"127.0.0.1", "127.0.0.2"}})
		got := visit(t, newBot(t, cfg), base+"/", opts)
		assert.Zero(t, got.report.Pages)
		assert.Equal(t, politefetch.Barred, got.report.Outcome)
		assert.Contains(t, got.report.Why, "127.0.0.2")
	})
	t.Run("one inner address among public ones", func(t *testing.T) {
		cfg := config(t, map[string][]string{"kauppa.test": {"127.0.0.1 127.0.0.2"}})
		got := visit(t, newBot(t, cfg), base+"/", opts)
		assert.Zero(t, got.report.Pages)
	})
	t.Run("a name that does not exist", func(t *testing.T) {
		cfg := config(t, map[string][]string{})
		got := visit(t, newBot(t, cfg), base+"/", opts)
		assert.Equal(t, politefetch.NoRobots, got.report.Outcome)
		assert.Contains(t, got.report.Why, "no such host")
	})
	assert.Empty(t, inside.Log(), "no request reached the inner address")
}

func url2port(t *testing.T, raw string) string {
	t.Helper()
	u, err := url.Parse(raw)
	require.NoError(t, err)
	return u.Port()
}

func TestCheckURL(t *testing.T) {
	u, err := politefetch.CheckURL("HTTPS://Example.COM:443/a/../b#c")
	require.NoError(t, err)
	assert.Equal(t, "https://example.com/b", u.String())
	for _, raw := range []string{
		"", "example.com", "ftp://example.com/", "https://user:geheim@example.com/", "http://localhost/", "http://127.0.0.1/",
		"http://[::1]/", "http://10.0.0.1/", "http://169.254.169.254/latest/meta-data", "http://2130706433/", "http://intranet/", "https://example.com:8080/",
	} {
		_, err := politefetch.CheckURL(raw)
		var e *politefetch.Error
		require.ErrorAs(t, err, &e, raw)
		assert.Equal(t, politefetch.Barred, e.Outcome)
		require.ErrorIs(t, err, politefetch.ErrGuard)
		assert.NotContains(t, err.Error(), "geheim")
	}
	assert.True(t, politefetch.IsPublic(netip.MustParseAddr("93.184.216.34")))
	assert.False(t, politefetch.IsPublic(netip.MustParseAddr("168.63.129.16")), "a cloud's wire server")
}

// guarded is the answer of a real default transport for the addresses that a row says are
// refused; what comes before is answered by a script.
type guarded struct {
	next http.RoundTripper
	hops map[string]string // an address and where it leads
	sent int               // requests that were left to the real transport
}

func (g *guarded) RoundTrip(req *http.Request) (*http.Response, error) {
	resp := &http.Response{
		StatusCode: http.StatusNotFound, Header: http.Header{}, Body: http.NoBody, Request: req,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	if to, ok := g.hops[req.URL.String()]; ok {
		resp.StatusCode = http.StatusFound
		resp.Header.Set("Location", to)
		return resp, nil
	}
	if req.URL.Path == "/robots.txt" && g.hops[req.URL.Scheme+"://"+req.URL.Host+"/"] != "" {
		return resp, nil
	}
	g.sent++
	return g.next.RoundTrip(req)
}

// Every address that must not be contacted is refused through the public door, over the
// real transport and this machine's real sockets. Listeners on every loopback form count.
func TestGuardAddressRowsThroughFetch(t *testing.T) {
	var data struct {
		Vectors []struct {
			Addr    string `json:"addr"`
			Blocked bool   `json:"blocked"`
		} `json:"vectors"`
	}
	conformance.ReadJSON(t, "ssrf/addresses.json", &data)
	port, hits := listenAnywhere(t)
	refused := 0
	for _, row := range data.Vectors {
		addr := netip.MustParseAddr(row.Addr)
		assert.Equal(t, !row.Blocked, politefetch.IsPublic(addr), row.Addr)
		if !row.Blocked {
			continue // nobody is asked without need
		}
		refused++
		cfg := politeConfig(nil)
		cfg.Transport, cfg.Guard.AnyPort = nil, true
		bot := newBot(t, cfg)
		raw := "http://" + netip.AddrPortFrom(addr, port).String() + "/"
		p, err := bot.Fetch(t.Context(), raw, nil)
		require.ErrorIs(t, err, politefetch.ErrGuard, raw)
		assert.Equal(t, politefetch.Barred, p.Outcome, raw)
		// And where a name leads there, at the door of the socket.
		resolve(t, map[string][]string{"inside.test": {addr.WithZone("").String()}})
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://inside.test:"+strconv.Itoa(int(port))+"/", nil)
		require.NoError(t, err)
		tr := politefetch.NewTransport(&politefetch.GuardOptions{AnyPort: true})
		resp, err := tr.RoundTrip(req)
		if err == nil {
			resp.Body.Close()
		}
		if politefetch.IsPublic(addr.WithZone("")) {
			continue // the zone was what barred it, and no resolver gives one
		}
		require.ErrorIs(t, err, politefetch.ErrGuard, "a name of %v", addr)
	}
	require.Positive(t, refused)
	assert.Zero(t, hits(), "connections at the listeners")
	t.Logf("%d addresses, %d refused", len(data.Vectors), refused)
}

// listenAnywhere listens on one port of all addresses of this machine, IPv4 and IPv6.
func listenAnywhere(t *testing.T) (port uint16, hits func() int64) {
	t.Helper()
	ln, err := net.Listen("tcp", ":0")
	require.NoError(t, err)
	var n atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			n.Add(1)
			c.Close()
		}
	}()
	t.Cleanup(func() { ln.Close(); <-done })
	return uint16(ln.Addr().(*net.TCPAddr).Port), n.Load
}

// Every row of URLs that must be refused, each hop through Fetch as a redirect leads there.
func TestGuardURLRowsThroughFetch(t *testing.T) {
	var data struct {
		Vectors []struct {
			ID        string              `json:"id"`
			URL       string              `json:"url"`
			Redirects []string            `json:"redirects"`
			DNS       map[string][]string `json:"dns"`
			DNSSecond map[string][]string `json:"dns_second_lookup"`
			Expect    string              `json:"expect"`
			Stage     string              `json:"stage"`
			AtHop     int                 `json:"at_hop"`
			Env       map[string]string   `json:"env"`
			Why       string              `json:"why"`
		} `json:"vectors"`
	}
	conformance.ReadJSON(t, "ssrf/urls.json", &data)
	count := map[string]int{}
	for _, row := range data.Vectors {
		if row.Expect == "may_connect" {
			if u, err := politefetch.CheckURL(row.URL); assert.NoError(t, err, "%s: %s", row.ID, row.Why) {
				again, err := politefetch.CheckURL(u.String())
				require.NoError(t, err)
				assert.Equal(t, u, again)
			}
			count[row.Expect]++
			continue
		}
		t.Run(row.ID, func(t *testing.T) {
			for k, v := range row.Env {
				t.Setenv(k, v)
			}
			names := make(map[string][]string)
			for name, addrs := range row.DNS {
				names[name] = []string{strings.Join(addrs, " ")}
			}
			if row.DNSSecond != nil {
				names = make(map[string][]string) // the lookup that the dial goes by
				for name, addrs := range row.DNSSecond {
					names[name] = []string{strings.Join(addrs, " ")}
				}
			}
			resolve(t, names)
			g := &guarded{next: politefetch.NewTransport(nil), hops: make(map[string]string)}
			at := row.URL
			for _, to := range row.Redirects {
				g.hops[at] = to
				base, err := url.Parse(at)
				require.NoError(t, err)
				if next, err := base.Parse(to); err == nil {
					at = next.String()
				}
			}
			cfg := politeConfig(nil)
			cfg.Transport = g
			cfg.Policy.Normal.Delay = time.Microsecond
			p, err := newBot(t, cfg).Fetch(t.Context(), row.URL, nil)
			require.Error(t, err, row.Why)
			switch {
			case row.Stage == "redirect":
				assert.True(t, errors.Is(err, politefetch.ErrTooManyHops) || errors.Is(err, politefetch.ErrRedirectLoop), "%v", err)
			case row.Expect == "no_answer":
				assert.Equal(t, politefetch.NoRobots, p.Outcome)
			case row.Stage == "userinfo" && len(row.Redirects) > 0:
				require.ErrorIs(t, err, politefetch.ErrBadRedirect, "%s", row.Why)
			case errors.Is(err, politefetch.ErrBadRedirect): // its Location is no address at all
			default:
				require.ErrorIs(t, err, politefetch.ErrGuard, "%s", row.Why)
				assert.Equal(t, politefetch.Barred, p.Outcome)
			}
			if row.Stage != "redirect" && !errors.Is(err, politefetch.ErrBadRedirect) {
				assert.Len(t, p.Hops, row.AtHop, "the hop that was refused")
			}
			if _, err := politefetch.CheckURL(at); err != nil {
				assert.Zero(t, g.sent, "nothing is asked for where the text tells")
			} else {
				assert.LessOrEqual(t, g.sent, 1, "robots.txt, which the dialer refuses")
			}
		})
		count[row.Expect]++
	}
	t.Logf("%v", count)
}

// Names that change their answer with every question, thousands of times, through the
// public transport: what is inside gets no connection, what is outside its answers.
func TestGuardRebindingThroughTheTransport(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var outside wireServer
	outside.serve(t, ln, outside.keepsAlive(1, func(net.Conn, *bufio.Reader) {}))
	port := strconv.Itoa(ln.Addr().(*net.TCPAddr).Port)
	hidden, err := net.Listen("tcp", "127.0.0.2:"+port)
	require.NoError(t, err)
	var inside wireServer
	inside.serve(t, hidden, func(net.Conn) { inside.note("inside") })

	const rebinds = 5000
	var questions atomic.Int64
	old := net.DefaultResolver
	net.DefaultResolver = dnstest.Serve(t, func(name string, kind dnsmessage.Type) []dnstest.Answer {
		if kind != dnsmessage.TypeA {
			return nil
		}
		good := dnstest.Answer{Name: name, Addr: netip.MustParseAddr("127.0.0.1")}
		bad := dnstest.Answer{Name: name, Addr: netip.MustParseAddr("127.0.0.2")}
		switch questions.Add(1) % 4 {
		case 0:
			return []dnstest.Answer{bad}
		case 1:
			return []dnstest.Answer{good}
		case 2:
			return []dnstest.Answer{good, bad}
		}
		return []dnstest.Answer{{Name: name, Alias: "db.internal."}, {Name: "db.internal.", Addr: bad.Addr}}
	})
	t.Cleanup(func() { net.DefaultResolver = old })
	tr := politefetch.NewTransport(&politefetch.GuardOptions{Allow: []netip.AddrPort{netip.MustParseAddrPort(ln.Addr().String())}})
	answered, refused := 0, 0
	for i := range rebinds {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://h"+strconv.Itoa(i%10)+".test:"+port+"/", nil)
		require.NoError(t, err)
		req.Close = true
		resp, err := tr.RoundTrip(req)
		if err != nil {
			require.ErrorIs(t, err, politefetch.ErrGuard)
			refused++
			continue
		}
		resp.Body.Close()
		answered++
	}
	assert.Equal(t, rebinds/4, answered)
	assert.Equal(t, rebinds-rebinds/4, refused)
	_, pages := inside.log()
	assert.Zero(t, pages, "connections inside")
	_, pages = outside.log()
	assert.Equal(t, answered, pages)
	t.Logf("%d questions: %d answered, %d refused, 0 inside", questions.Load(), answered, refused)
}

const envAlone = "POLITEFETCH_TEST_ALONE"

// A proxy in the environment is not asked, by Fetch or by the transport, whatever the scheme.
func TestGuardIgnoresProxiesOfTheEnvironment(t *testing.T) {
	if os.Getenv(envAlone) == "" {
		// net/http reads the environment once a process, so this one may have missed it.
		alone := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		alone.Env = append(os.Environ(), envAlone+"=1")
		out, err := alone.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return
	}
	var proxy, site wireServer
	proxy.serve(t, listen(t), func(net.Conn) { proxy.note("proxy") })
	site.serve(t, listen(t), site.keepsAlive(3, func(net.Conn, *bufio.Reader) {}))
	for _, k := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"} {
		t.Setenv(k, "http://"+proxy.addr)
	}
	t.Setenv("ALL_PROXY", "socks5://"+proxy.addr)
	t.Setenv("all_proxy", "socks5://"+proxy.addr)
	t.Setenv("NO_PROXY", "")
	resolve(t, map[string][]string{"site.test": {"127.0.0.1"}})
	_, port, err := net.SplitHostPort(site.addr)
	require.NoError(t, err)
	p, err := site.bot(t, time.Millisecond).Fetch(t.Context(), "http://site.test:"+port+"/", nil)
	require.NoError(t, err)
	assert.Equal(t, politefetch.Done, p.Outcome)
	_, err = site.bot(t, time.Millisecond).Fetch(t.Context(), "https://site.test:"+port+"/", nil)
	require.Error(t, err, "it speaks no TLS")
	_, err = site.bot(t, time.Millisecond).Fetch(t.Context(), "http://10.0.0.1/", nil)
	require.ErrorIs(t, err, politefetch.ErrGuard)
	came, _ := proxy.log()
	assert.Empty(t, came, "connections at the proxy")
	_, pages := site.log()
	assert.Equal(t, 1, pages)
}

// The operator's lists through the public door: denied networks, exact addresses allowed
// all the same, and what of a name's addresses may be left out.
func TestGuardOperatorLists(t *testing.T) {
	var site wireServer
	site.serve(t, listen(t), site.keepsAlive(1, func(net.Conn, *bufio.Reader) {}))
	at := netip.MustParseAddrPort(site.addr)
	deny := []netip.Prefix{netip.MustParsePrefix("93.184.0.0/16"), netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("2606:4700::/32")}
	port := ":" + strconv.Itoa(int(at.Port()))
	resolve(t, map[string][]string{"ours.test": {"127.0.0.1"}, "both.test": {"127.0.0.1 127.0.0.3"}, "denied.test": {"93.184.216.34"}})
	for _, tt := range []struct {
		url    string
		opts   politefetch.GuardOptions
		passes bool
	}{
		{"http://ours.test" + port, politefetch.GuardOptions{Allow: []netip.AddrPort{at}, Deny: deny}, true},
		{"http://" + site.addr, politefetch.GuardOptions{Allow: []netip.AddrPort{at}, Deny: deny}, true},
		{"http://127.0.0.1:1", politefetch.GuardOptions{Allow: []netip.AddrPort{at}}, false},
		{"http://127.0.0.2" + port, politefetch.GuardOptions{Allow: []netip.AddrPort{at}}, false},
		{"http://denied.test", politefetch.GuardOptions{Deny: deny}, false},
		{"http://93.184.216.34", politefetch.GuardOptions{Deny: deny}, false},
		{"http://[64:ff9b::93.184.216.34]", politefetch.GuardOptions{Deny: deny}, false},
		{"http://[2606:4700::1111]", politefetch.GuardOptions{Deny: deny}, false},
		{"http://both.test" + port, politefetch.GuardOptions{Allow: []netip.AddrPort{at}}, false},
		{"http://both.test" + port, politefetch.GuardOptions{Allow: []netip.AddrPort{at}, SkipBlocked: true}, true},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, tt.url+"/", nil)
		require.NoError(t, err)
		req.Close = true
		resp, err := politefetch.NewTransport(&tt.opts).RoundTrip(req)
		if tt.passes {
			if assert.NoError(t, err, tt.url) {
				resp.Body.Close()
			}
			continue
		}
		if err == nil {
			resp.Body.Close()
		}
		require.ErrorIs(t, err, politefetch.ErrGuard, tt.url)
	}
	_, pages := site.log()
	assert.Equal(t, 3, pages)
}
