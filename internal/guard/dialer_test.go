package guard_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/internal/conformance"
	"github.com/politefetch/sdk/internal/guard"
	"github.com/politefetch/sdk/internal/urlnorm"
)

// world is a fake resolver and a fake network: what was asked and what was dialled.
type world struct {
	mu      sync.Mutex
	answers []map[string][]string // of the first lookup of a name, the second, and so on; the last stays
	asked   map[string]int
	dialled []string
	fail    func(to netip.AddrPort) error
}

func (w *world) dialer(o guard.Options) *guard.Dialer {
	w.asked = map[string]int{}
	d := guard.NewDialer(o)
	d.SetSeams(w.lookup, w.dial)
	return d
}

func (w *world) lookup(_ context.Context, host string) ([]netip.Addr, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := min(w.asked[host], len(w.answers)-1)
	w.asked[host]++
	var out []netip.Addr
	for _, s := range w.answers[n][host] {
		out = append(out, netip.MustParseAddr(s))
	}
	if out == nil {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return out, nil
}

func (w *world) dial(_ context.Context, to netip.AddrPort) (net.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dialled = append(w.dialled, to.String())
	if w.fail != nil {
		if err := w.fail(to); err != nil {
			return nil, err
		}
	}
	c, _ := net.Pipe()
	return c, nil
}

// go1 is what a fetcher does for one URL: check, then dial.
func (w *world) go1(t *testing.T, d *guard.Dialer, o *guard.Options, raw string) error {
	t.Helper()
	u, err := guard.Check(raw, o)
	if err != nil {
		return err
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	c, err := d.DialContext(t.Context(), "tcp", net.JoinHostPort(u.Hostname(), port))
	if err == nil {
		c.Close()
	}
	return err
}

type urlRow struct {
	ID         string              `json:"id"`
	URL        string              `json:"url"`
	Redirects  []string            `json:"redirects"`
	DNS        map[string][]string `json:"dns"`
	DNSSecond  map[string][]string `json:"dns_second_lookup"`
	Expect     string              `json:"expect"`
	ExpectSkip string              `json:"expect_skip_blocked"`
	ExpectAny  string              `json:"expect_any_port"`
	Stage      string              `json:"stage"`
	AtHop      int                 `json:"at_hop"`
	Canonical  string              `json:"canonical"`
	MayDial    []string            `json:"may_dial"`
	Env        map[string]string   `json:"env"`
	Why        string              `json:"why"`
}

func TestURLConformance(t *testing.T) {
	var data struct {
		Vectors []urlRow `json:"vectors"`
	}
	conformance.ReadJSON(t, "ssrf/urls.json", &data)
	require.NotEmpty(t, data.Vectors)
	for _, row := range data.Vectors {
		t.Run(row.ID, func(t *testing.T) {
			for k, v := range row.Env {
				t.Setenv(k, v)
			}
			row.run(t, guard.Options{}, row.Expect)
			if row.ExpectSkip != "" {
				row.run(t, guard.Options{SkipBlocked: true}, row.ExpectSkip)
			}
			if row.ExpectAny != "" {
				row.run(t, guard.Options{AnyPort: true}, row.ExpectAny)
			}
		})
	}
	t.Logf("%d URLs", len(data.Vectors))
}

// run follows the row's chain as the facade does, but for the count of hops, which is not
// the guard's.
func (row urlRow) run(t *testing.T, o guard.Options, want string) {
	t.Helper()
	w := &world{answers: []map[string][]string{row.DNS}}
	d := w.dialer(o)
	if row.DNSSecond != nil {
		// The name is seen public once, with a connection or without, before it turns.
		w.answers = append(w.answers, row.DNSSecond)
		_ = w.go1(t, d, &o, row.URL)
		w.dialled = nil
	}
	var (
		at   *url.URL
		last string
		err  error
	)
	for hop, raw := range append([]string{row.URL}, row.Redirects...) {
		if hop > 10 {
			assert.Equal(t, "redirect", row.Stage)
			return
		}
		if at != nil {
			next, perr := urlnorm.Parse(at, raw)
			if perr == nil {
				raw = next.String()
			} // else the guard says why
		}
		w.dialled = nil
		if err = w.go1(t, d, &o, raw); err != nil {
			assert.Equal(t, row.AtHop, hop, "%s: %v", row.Why, err)
			break
		}
		at, _ = guard.Check(raw, &o)
		last = at.Scheme + "://" + at.Host
	}
	r := new(guard.Refusal)
	dns := new(net.DNSError)
	switch want {
	case "refuse":
		if assert.ErrorAs(t, err, &r, "%s %s", row.URL, row.Why) {
			assert.Empty(t, w.dialled)
			assert.Equal(t, row.Stage, stage(r.Reason), "%s: %s", row.URL, r.Reason)
		}
	case "no_answer":
		require.ErrorAs(t, err, &dns)
		assert.NotErrorAs(t, err, &r)
		assert.Empty(t, w.dialled)
	case "may_connect":
		require.NoError(t, err, "%s %s", row.URL, row.Why)
		if row.Canonical != "" {
			assert.Equal(t, row.Canonical, last)
		}
		for _, to := range w.dialled {
			if row.MayDial != nil {
				assert.Contains(t, row.MayDial, to)
			}
			assert.True(t, guard.Public(netip.MustParseAddrPort(to).Addr()), to)
		}
	default:
		t.Fatal(want)
	}
}

func stage(reason string) string {
	for _, s := range []struct{ word, stage string }{
		{"longer", "length"},
		{"parse", "parse"},
		{"scheme", "scheme"},
		{"user information", "userinfo"},
		{"port", "port"},
		{"address", "address"},
		{"host", "host"},
	} {
		if strings.Contains(reason, s.word) {
			return s.stage
		}
	}
	return reason
}

func TestOneBlockedAnswerRefusesTheName(t *testing.T) {
	w := &world{answers: []map[string][]string{{
		"mixed.test":  {"93.184.216.34", "10.0.0.1", "1.1.1.1"},
		"inside.test": {"10.0.0.1", "::1"},
		"mapped.test": {"::ffff:127.0.0.1"},
	}}}
	d := w.dialer(guard.Options{})
	r := new(guard.Refusal)
	for _, name := range []string{"mixed.test", "inside.test", "mapped.test"} {
		_, err := d.DialContext(t.Context(), "tcp", name+":80")
		require.ErrorAs(t, err, &r, name)
		assert.Equal(t, name, r.Host)
		assert.Equal(t, "address is not public", r.Reason)
	}
	assert.Empty(t, w.dialled)

	d = w.dialer(guard.Options{SkipBlocked: true})
	for range 2 {
		_, err := d.DialContext(t.Context(), "tcp", "mixed.test:80")
		require.NoError(t, err)
	}
	_, err := d.DialContext(t.Context(), "tcp", "inside.test:80")
	require.ErrorAs(t, err, &r)
	assert.Equal(t, []string{"93.184.216.34:80", "93.184.216.34:80"}, w.dialled)
}

func TestDialerInsistsOnTheAllowedAddress(t *testing.T) {
	w := &world{answers: []map[string][]string{{"in.test": {"127.0.0.1"}, "out.test": {"93.184.216.34"}}}}
	d := w.dialer(guard.Options{
		Allow: []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:8081")},
		Deny:  []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
	for addr, passes := range map[string]bool{
		"127.0.0.1:8081": true, "in.test:8081": true, "[::ffff:127.0.0.1]:8081": true,
		"out.test:8081": false, "in.test:80": false, "127.0.0.1:80": false, "93.184.216.34:8081": false,
		"[::ffff:127.0.0.1%lo]:8081": false,
	} {
		_, err := d.DialContext(t.Context(), "tcp", addr)
		assert.Equal(t, passes, err == nil, "%s: %v", addr, err)
	}
}

func TestDialerRefusesWhatCheckWouldHaveRefused(t *testing.T) {
	w := &world{answers: []map[string][]string{{"localhost": {"93.184.216.34"}, "a.local": {"93.184.216.34"}}}}
	d := w.dialer(guard.Options{})
	r := new(guard.Refusal)
	for _, addr := range []string{
		"localhost:80", "a.local:80", ":80", "0177.1:80", "[::1%lo]:80", "ok.test:http", "ok.test", "",
		"ok.test:", "ok.test:+80", "ok.test:99999", "[::1]x:80", "1.1.1.1:22",
	} {
		_, err := d.DialContext(t.Context(), "tcp", addr)
		require.ErrorAs(t, err, &r, addr)
	}
	for _, network := range []string{"udp", "unix", "tcp5", "ip"} {
		_, err := d.DialContext(t.Context(), network, "93.184.216.34:80")
		require.ErrorAs(t, err, &r, network)
	}
	assert.Empty(t, w.dialled)
	assert.Empty(t, w.asked)
}

// The last door: what the socket is really told to connect to.
func TestControlJudgesTheLiteral(t *testing.T) {
	d := guard.NewDialer(guard.Options{})
	require.NoError(t, d.Control("tcp4", "93.184.216.34:80", nil))
	require.NoError(t, d.Control("tcp6", "[2606:4700:4700::1111]:443", nil))
	r := new(guard.Refusal)
	for _, addr := range []string{
		"127.0.0.1:80", "127.0.0.1%lo:80", ":80", "", "93.184.216.34", "93.184.216.34:22", "localhost:80",
		"[::1]:80", "[::ffff:127.0.0.1]:80", "[fe80::1%eth0]:80", "/var/run/docker.sock",
	} {
		require.ErrorAs(t, d.Control("tcp4", addr, nil), &r, addr)
		require.ErrorAs(t, d.Control("tcp6", addr, nil), &r, addr)
	}
	for _, network := range []string{"tcp", "udp4", "unix", ""} {
		require.ErrorAs(t, d.Control(network, "93.184.216.34:80", nil), &r, network)
	}
}

// Only Control stands between this dial and a real listener.
func TestControlStopsARealDial(t *testing.T) {
	ln, hits := listen(t)
	port := ln.Addr().(*net.TCPAddr).AddrPort().Port()
	d := guard.NewDialer(guard.Options{Allow: []netip.AddrPort{netip.AddrPortFrom(netip.MustParseAddr("127.0.0.2"), port)}})
	_, err := d.Connect(t.Context(), ln.Addr().(*net.TCPAddr).AddrPort())
	r := new(guard.Refusal)
	require.ErrorAs(t, err, &r)
	_, err = d.DialContext(t.Context(), "tcp", ln.Addr().String())
	require.ErrorAs(t, err, &r)
	assert.Zero(t, hits())

	d = guard.NewDialer(guard.Options{Allow: []netip.AddrPort{ln.Addr().(*net.TCPAddr).AddrPort()}})
	c, err := d.DialContext(t.Context(), "tcp", ln.Addr().String())
	require.NoError(t, err)
	c.Close()
	assert.Eventually(t, func() bool { return hits() == 1 }, time.Minute, time.Millisecond)
}

func TestDialerTriesTheFamiliesInTurn(t *testing.T) {
	w := &world{answers: []map[string][]string{{
		"many.test": {"2606:4700::1", "2606:4700::2", "::ffff:1.1.1.1", "1.1.1.1", "1.0.0.1", "2606:4700::3"},
	}}}
	down := errors.New("down")
	w.fail = func(to netip.AddrPort) error {
		if to.Addr().Is6() {
			return down
		}
		return nil
	}
	d := w.dialer(guard.Options{})
	_, err := d.DialContext(t.Context(), "tcp", "many.test:80")
	require.NoError(t, err)
	assert.Equal(t, []string{"[2606:4700::1]:80", "1.1.1.1:80"}, w.dialled)

	w.dialled = nil
	_, err = d.DialContext(t.Context(), "tcp6", "many.test:80")
	require.ErrorIs(t, err, down)
	assert.Equal(t, []string{"[2606:4700::1]:80", "[2606:4700::2]:80", "[2606:4700::3]:80"}, w.dialled)

	w.dialled = nil
	w.fail = func(netip.AddrPort) error { return down }
	_, err = d.DialContext(t.Context(), "tcp", "many.test:80")
	require.ErrorIs(t, err, down)
	assert.Equal(t, []string{
		"[2606:4700::1]:80", "1.1.1.1:80", "[2606:4700::2]:80", "1.0.0.1:80", "[2606:4700::3]:80",
	}, w.dialled)
}

func TestDialerEndsWithItsContext(t *testing.T) {
	w := &world{answers: []map[string][]string{{"slow.test": {"1.1.1.1", "1.0.0.1"}}}}
	d := w.dialer(guard.Options{})
	d.SetSeams(w.lookup, func(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { cancel(enough) })
	_, err := d.DialContext(ctx, "tcp", "slow.test:80")
	require.ErrorIs(t, err, enough)

	short, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	_, err = d.DialContext(short, "tcp", "slow.test:80")
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// A public address of the machine itself is refused, unless it is allowed. The interfaces
// are asked for once a minute at most.
func TestOwnAddressesAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		mine := []net.Addr{
			&net.IPNet{IP: net.IPv4(93, 184, 216, 34), Mask: net.CIDRMask(24, 32)},
			&net.IPNet{IP: net.ParseIP("2606:4700::1"), Mask: net.CIDRMask(64, 128)},
			&net.UnixAddr{Name: "what no interface has"},
		}
		interfaces := func() ([]net.Addr, error) { asked++; return mine, nil }
		w := &world{answers: []map[string][]string{{"me.test": {"93.184.216.34"}, "us.test": {"1.1.1.1", "93.184.216.34"}, "they.test": {"93.184.216.35"}}}}
		dial := func(d *guard.Dialer, addr string) error {
			c, err := d.DialContext(t.Context(), "tcp", addr)
			if err == nil {
				c.Close()
			}
			return err
		}
		d := w.dialer(guard.Options{Allow: []netip.AddrPort{netip.MustParseAddrPort("93.184.216.34:8080")}})
		d.SetInterfaces(interfaces)
		for addr, passes := range map[string]bool{
			"me.test:80": false, "us.test:443": false, "they.test:80": true, "me.test:8080": true,
			"[2606:4700::1]:80": false, "[2606:4700::2]:80": true, "[::ffff:93.184.216.34]:80": false,
			"[64:ff9b::93.184.216.34]:443": false, "[64:ff9b::93.184.216.35]:443": true,
		} {
			err := dial(d, addr)
			if passes {
				require.NoError(t, err, addr)
				continue
			}
			r := new(guard.Refusal)
			require.ErrorAs(t, err, &r, addr)
			assert.Equal(t, "address is this machine's own", r.Reason, addr)
		}
		assert.Equal(t, 1, asked)
		require.ErrorAs(t, d.Control("tcp4", "93.184.216.34:80", nil), new(*guard.Refusal), "the last door, too")

		mine = mine[1:] // the address moves to another machine
		time.Sleep(59 * time.Second)
		require.Error(t, dial(d, "me.test:80"))
		time.Sleep(time.Second)
		require.NoError(t, dial(d, "me.test:80"))
		assert.Equal(t, 2, asked)

		d = w.dialer(guard.Options{Own: true})
		d.SetInterfaces(interfaces)
		require.NoError(t, dial(d, "[2606:4700::1]:80"))
		assert.Equal(t, 2, asked)

		d = w.dialer(guard.Options{})
		d.SetInterfaces(func() ([]net.Addr, error) { return nil, errors.New("no netlink") })
		require.ErrorContains(t, dial(d, "they.test:80"), "not known")
	})
}

// The system's own answer: whatever addresses this machine has, none can be dialled.
func TestOwnAddressesOfThisMachine(t *testing.T) {
	all, err := net.InterfaceAddrs()
	require.NoError(t, err)
	require.NotEmpty(t, all)
	w := new(world)
	d := w.dialer(guard.Options{})
	for _, a := range all {
		ip := a.(*net.IPNet).IP
		_, err := d.DialContext(t.Context(), "tcp", net.JoinHostPort(ip.String(), "80"))
		require.ErrorAs(t, err, new(*guard.Refusal), "%v", ip)
	}
	assert.Empty(t, w.dialled)
}

// listen returns a real listener and the count of its connections.
func listen(t *testing.T) (net.Listener, func() int) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var (
		mu sync.Mutex
		n  int
	)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			n++
			mu.Unlock()
			c.Close()
		}
	}()
	t.Cleanup(func() { ln.Close(); <-done })
	return ln, func() int { mu.Lock(); defer mu.Unlock(); return n }
}
