package politefetch_test

import (
	"net"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

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
		if len(as) == 0 || kind != dnsmessage.TypeA {
			return nil
		}
		if len(as) > 1 {
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
		require.Error(t, err, raw)
		assert.NotContains(t, err.Error(), "geheim")
	}
	assert.True(t, politefetch.IsPublic(netip.MustParseAddr("93.184.216.34")))
	assert.False(t, politefetch.IsPublic(netip.MustParseAddr("168.63.129.16")), "a cloud's wire server")
}
