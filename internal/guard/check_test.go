package guard_test

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/internal/guard"
	"github.com/politefetch/sdk/internal/urlnorm"
)

func TestCheckRefuses(t *testing.T) {
	for _, tt := range []struct{ url, reason string }{
		{"", "no scheme"},
		{"ok.test/", "no scheme"},
		{"//ok.test/", "no scheme"},
		{"ftp://ok.test/", "scheme is not"},
		{"file:///etc/passwd", "scheme is not"},
		{"data:text/html,x", "scheme is not"},
		{"http://u:p@ok.test/", "user information"},
		{"http://@ok.test/", "user information"},
		{"http://ok.test@127.0.0.1/", "user information"},
		{"http:/ok.test/", "no host"},
		{"http:///ok.test/", "no host"},
		{"http://:80/", "no host"},
		{"http://ok.test:22/", "port is not allowed (80 and 443 are)"},
		{"http://ok.test:8080/", "port is not allowed (80 and 443 are)"},
		{"http://ok.test:0/", "port is not allowed (80 and 443 are)"},
		{"http://ok.test:000000080/", "port is not allowed (80 and 443 are)"},
		{"http://ok.test:65616/", "port is not allowed (80 and 443 are)"}, // 80 modulo 65536
		{"http://ok.test:+80/", "does not parse"},
		{"http://ok.\ttest/", "does not parse"},
		{"http://127.0.0.1\\@ok.test/", "does not parse"},
		{"http://[127.0.0.1]/", "does not parse"},
		{"http://%31%32%37.0.0.1/", "does not parse"},
		{"http://ok.test/100%", `does not parse: a "%" begins no escape; the sign itself is written %25`},
		{"http://ok.test/%zz/", `does not parse: a "%" begins no escape; the sign itself is written %25`},
		{"http://[::1%25lo]/", "host is malformed"},
		{"http://ok..test/", "host is malformed"},
		{"http://*.ok.test/", "host is malformed"},
		{"http://ok.\u202etest/", "host is malformed"},
		{"http://0177.1/", "ends in a number"},
		{"http://2130706433/", "ends in a number"},
		{"http://0x7f000001/", "ends in a number"},
		{"http://ok.0x/", "ends in a number"},
		{"http://1.2.3.4.5/", "ends in a number"},
		{"http://intranet/", "single label"},
		{"http://localhost/", "single label"},
		{"http://localhost./", "single label"},
		{"http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/", "single label"},
		{"http://a.localhost/", "local networks"},
		{"http://printer.local/", "local networks"},
		{"http://router.home.arpa/", "local networks"},
		{"http://home.arpa/", "local networks"},
		{"http://\uff4detadata.google.internal/", "local networks"},
		{"http://127.0.0.1/", "address is not public"},
		{"http://127.0.0.1./", "address is not public"},
		{"http://①②⑦.⓪.⓪.①/", "address is not public"},
		{"http://[::ffff:7f00:1]/", "address is not public"},
		{"http://[64:ff9b::a9fe:a9fe]/", "address is not public"},
		{"http://ok.test/" + strings.Repeat("a", urlnorm.MaxLen), "longer than"},
		{"http://ok.test/" + strings.Repeat("ä", 3000), "longer than"}, // once escaped
	} {
		u, err := guard.Check(tt.url, nil)
		r := new(guard.Refusal)
		if assert.ErrorAs(t, err, &r, "%.60q", tt.url) {
			assert.Nil(t, u)
			assert.Contains(t, r.Reason, tt.reason, "%.60q", tt.url)
		}
	}
}

func TestCheckReturnsTheCanonicalURL(t *testing.T) {
	for _, tt := range []struct{ url, want string }{
		{"http://OK.Test.:0080", "http://ok.test/"},
		{"https://ok.test:443/a?b#c", "https://ok.test/a?b"},
		{"http://ok.test:443/", "http://ok.test:443/"},
		{"http://8.8.8.8./", "http://8.8.8.8/"},
		{"http://[::ffff:93.184.216.34]/", "http://93.184.216.34/"},
		{"http://[2A00:1450:4001:080B::200E]/", "http://[2a00:1450:4001:80b::200e]/"},
		{"http://日本語.test/", "http://xn--wgv71a119e.test/"},
		{"http://o\u00adk.test/", "http://ok.test/"},
		{"http://mylocal.test/", "http://mylocal.test/"},
		{"http://internal.ok.test/", "http://internal.ok.test/"},
		{"http://123.test/", "http://123.test/"},
		{"http://a.x0/", "http://a.x0/"},
	} {
		u, err := guard.Check(tt.url, nil)
		if assert.NoError(t, err, tt.url) {
			assert.Equal(t, tt.want, u.String())
		}
	}
}

func TestCheckHonoursTheOptions(t *testing.T) {
	o := &guard.Options{
		Allow: []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:8081"), netip.MustParseAddrPort("11.0.0.7:80")},
		Deny: []netip.Prefix{
			netip.MustParsePrefix("11.0.0.0/8"),
			netip.MustParsePrefix("::ffff:12.0.0.0/104"),
			netip.MustParsePrefix("2a00:1450::/32"),
		},
	}
	for _, tt := range []struct {
		url    string
		passes bool
	}{
		{"http://127.0.0.1:8081/", true},
		{"http://[::ffff:127.0.0.1]:8081/", true},
		{"http://127.0.0.1:8082/", false},
		{"http://127.0.0.1/", false},
		{"http://127.0.0.2:8081/", false},
		{"http://93.184.216.34:8081/", false}, // the port alone opens nothing
		{"http://ok.test:8081/", true},        // may lead to the allowed entry; the dialler judges
		{"http://11.0.0.7/", true},            // Allow beats Deny
		{"https://11.0.0.7/", false},
		{"http://11.0.0.8/", false},
		{"http://[64:ff9b::11.0.0.8]/", false},
		{"http://12.0.0.1/", false},
		{"http://13.0.0.1/", true},
		{"http://[2a00:1450::1]/", false},
	} {
		_, err := guard.Check(tt.url, o)
		assert.Equal(t, tt.passes, err == nil, "%s: %v", tt.url, err)
	}
	anyPort := &guard.Options{AnyPort: true}
	for url, passes := range map[string]bool{
		"http://ok.test:8080/": true, "http://ok.test:6379/": true, "http://ok.test:25/": false,
		"http://ok.test:6667/": false, "http://ok.test:0/": false, "http://127.0.0.1:8080/": false,
	} {
		_, err := guard.Check(url, anyPort)
		assert.Equal(t, passes, err == nil, "%s: %v", url, err)
	}
}

// Error texts end up in logs: no password, no line breaks, no novel.
func TestRefusalTextIsSafe(t *testing.T) {
	for _, raw := range []string{
		"http://user:secret@ok.test/",
		"http://user:secret@ok.test:99999/x",
		"ftp://user:secret@ok.test/",
		"user:secret@ok.test",
		"http://user:sec ret@ok.test/",
		"http://user:secret@[::1",
		"http://u:secret/x@ok.test/",
		"http://ok.test/\x1b[31m\r\nnew line",
		"http://ok.local/" + strings.Repeat("\U0001f600", 500),
		"http://" + strings.Repeat("a", 9000) + "/",
	} {
		_, err := guard.Check(raw, nil)
		require.Error(t, err, raw)
		r := new(guard.Refusal)
		require.ErrorAs(t, err, &r)
		for _, text := range []string{err.Error(), r.URL, r.Host, r.Reason} {
			assert.NotContains(t, text, "secret")
			assert.NotContains(t, text, "sec ret")
			assert.Less(t, len(text), 400)
			for i := range len(text) {
				assert.True(t, text[i] >= ' ' && text[i] < 0x7f, "%q", text)
			}
		}
	}
	_, err := guard.Check("http://10.0.0.1/x", nil)
	require.EqualError(t, err, "refused http://10.0.0.1/x: address is not public")
	_, err = guard.Check("http://a.local:80/", nil)
	require.EqualError(t, err, "refused http://a.local:80/: host is a name of local networks")
}

func FuzzCheck(f *testing.F) {
	for _, s := range []string{
		"http://ok.test/", "http://[::1%25lo]/", "https://日本語.test:0443/ä?b#c", "http://u:p@h/",
		"http://0x7f.1/", "http://:80/", "http://[::ffff:93.184.216.34]:80/../a", "http:host", "\x00",
	} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, raw string, anyPort bool) {
		o := &guard.Options{AnyPort: anyPort}
		u, err := guard.Check(raw, o)
		if err != nil {
			text := err.Error()
			if len(text) > 2*300+100 || strings.ContainsAny(text, "\r\n\x1b") {
				t.Fatalf("unsafe error text: %q", text)
			}
			return
		}
		canonical := u.String()
		if u.User != nil || u.Fragment != "" || (u.Scheme != "http" && u.Scheme != "https") {
			t.Fatalf("%q: not canonical: %q", raw, canonical)
		}
		again, err := guard.Check(canonical, o)
		if err != nil || again.String() != canonical {
			t.Fatalf("%q: canonical %q is no fixed point: %v, %v", raw, canonical, again, err)
		}
		if a, err := netip.ParseAddr(u.Hostname()); err == nil && !guard.Public(a) {
			t.Fatalf("%q passed", raw)
		}
		if _, err := url.Parse(raw); err != nil {
			t.Fatalf("%q passed: %v", raw, err)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	for _, s := range []string{"https://www.example.org/a/b?c=d", "http://93.184.216.34/"} {
		b.Run(s, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = guard.Check(s, nil)
			}
		})
	}
}
