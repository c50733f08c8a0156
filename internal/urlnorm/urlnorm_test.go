package urlnorm_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/internal/conformance"
	"github.com/politefetch/sdk/internal/urlnorm"
)

const base = "https://www.example.com/dir/page?q=1#top"

func TestParse(t *testing.T) {
	tests := []struct{ name, raw, want string }{
		{"canonical", "https://www.example.com/a?b=c", "https://www.example.com/a?b=c"},
		{"case of scheme and host", "HTTPS://WWW.Example.COM/CaSe", "https://www.example.com/CaSe"},
		{"white space around", " \u00a0\ufeff\thttps://www.example.com/a\u2003\r\n", "https://www.example.com/a"},
		{"tab and line breaks inside", "https://www.example.com/a\tb\r\n   c", "https://www.example.com/abc"},
		{"space inside", "https://www.example.com/a b", "https://www.example.com/a%20b"},
		{"default port", "https://www.example.com:443/p", "https://www.example.com/p"},
		{"default port with zeros", "http://www.example.com:0080/", "http://www.example.com/"},
		{"empty port", "http://www.example.com:/", "http://www.example.com/"},
		{"port of the other scheme", "http://www.example.com:443/", "http://www.example.com:443/"},
		{"odd port", "https://www.example.com:8443", "https://www.example.com:8443/"},
		{"trailing dot", "https://www.example.com./a", "https://www.example.com/a"},
		{"trailing dot and port", "https://www.example.com.:443/a", "https://www.example.com/a"},
		{"empty path", "https://www.example.com", "https://www.example.com/"},
		{"empty path with query", "https://www.example.com?q=1", "https://www.example.com/?q=1"},
		{"empty query stays", "https://www.example.com/a?", "https://www.example.com/a?"},
		{"fragment", "https://www.example.com/a#b?c", "https://www.example.com/a"},
		{"question marks in the query", "https://www.example.com/a??b?", "https://www.example.com/a??b?"},
		{"dot segments", "https://www.example.com/a/../b/./c", "https://www.example.com/b/c"},
		{"escaped dot segments", "https://www.example.com/a/%2E%2e/b/%2e/c/.%2E", "https://www.example.com/b/"},
		{"dots at the end", "https://www.example.com/a/b/..", "https://www.example.com/a/"},
		{"dots above the root", "https://www.example.com/../../a", "https://www.example.com/a"},
		{"dots in a query stay", "https://www.example.com/a?b=/../c", "https://www.example.com/a?b=/../c"},
		{"three dots", "https://www.example.com/.../..a/a..", "https://www.example.com/.../..a/a.."},
		{"double slashes", "https://www.example.com//a//b", "https://www.example.com//a//b"},
		{"escapes stay as they are", "https://www.example.com/%7euser/%e4%2f", "https://www.example.com/%7euser/%e4%2f"},
		{"lone percent signs", "https://www.example.com/100%/%4/%zz?%", "https://www.example.com/100%25/%254/%25zz?%25"},
		{"forbidden characters", "https://www.example.com/a|b\\c\"{}<>^`\x01\x7fz", "https://www.example.com/a%7Cb%5Cc%22%7B%7D%3C%3E%5E%60%01%7Fz"},
		{"brackets stay", "https://www.example.com/x[1]?y[]=2", "https://www.example.com/x[1]?y[]=2"},
		{"not ASCII", "https://www.example.com/päivä?q=ö", "https://www.example.com/p%C3%A4iv%C3%A4?q=%C3%B6"},
		{"not UTF-8", "https://www.example.com/\xe4", "https://www.example.com/%E4"},
		{"international host", "https://Bücher.example/ä", "https://xn--bcher-kva.example/%C3%A4"},
		{"escaped international host", "https://b%C3%BCcher.example/", "https://xn--bcher-kva.example/"},
		{"A-label", "https://XN--Bcher-kva.example/", "https://xn--bcher-kva.example/"},
		{"ideographic full stops", "https://日本語。test。/", "https://xn--wgv71a119e.test/"},
		{"digits that map to an address", "http://①②⑦.⓪.⓪.①/", "http://127.0.0.1/"},
		{"underscore", "https://a_b.example/", "https://a_b.example/"},
		{"IPv6", "http://[2001:DB8:0:0::1]:80/v6", "http://[2001:db8::1]/v6"},
		{"IPv4-mapped", "http://[::ffff:192.0.2.7]/", "http://192.0.2.7/"},
		{"user information stays", "https://u:p%40@www.example.com/", "https://u:p%40@www.example.com/"},
		{"empty user information stays", "https://@www.example.com/", "https://@www.example.com/"},
		{"at sign in the path", "https://www.example.com/@a", "https://www.example.com/@a"},
		{"path", "/root", "https://www.example.com/root"},
		{"relative path", "rel/page", "https://www.example.com/dir/rel/page"},
		{"relative with colon later", "rel/a:b", "https://www.example.com/dir/rel/a:b"},
		{"parent", "../up", "https://www.example.com/up"},
		{"query", "?x", "https://www.example.com/dir/page?x"},
		{"fragment only", "#x", "https://www.example.com/dir/page?q=1"},
		{"other host", "//cdn.example.net/x", "https://cdn.example.net/x"},
		{"backslashes in a path", `\\evil.example\x`, "https://www.example.com/dir/%5C%5Cevil.example%5Cx"},
	}
	b, err := url.Parse(base)
	require.NoError(t, err)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u, err := urlnorm.Parse(b, tt.raw)
			require.NoError(t, err)
			assert.Equal(t, tt.want, u.String())
			again, err := urlnorm.Parse(nil, u.String())
			require.NoError(t, err)
			assert.Equal(t, u, again)
			text, err := urlnorm.Text(b, tt.raw)
			require.NoError(t, err)
			assert.Equal(t, tt.want, text)
			assert.True(t, !urlnorm.Plain(tt.raw) || tt.raw == tt.want, "Plain is wrong")
		})
	}
}

func TestParseRefuses(t *testing.T) {
	long := strings.Repeat("a", urlnorm.MaxLen)
	tests := []struct {
		name, raw string
		want      error
	}{
		{"nothing", "", urlnorm.ErrEmpty},
		{"blank", " \u00a0\n", urlnorm.ErrEmpty},
		{"too long", "https://www.example.com/" + long, urlnorm.ErrTooLong},
		{"too long when escaped", "https://www.example.com/" + strings.Repeat("ä", 2000), urlnorm.ErrTooLong},
		{"relative", "/a", urlnorm.ErrRelative},
		{"no scheme", "www.example.com/", urlnorm.ErrRelative},
		{"two slashes", "//www.example.com/", urlnorm.ErrRelative},
		{"other scheme", "ftp://www.example.com/", urlnorm.ErrScheme},
		{"mail", "mailto:u@example.com", urlnorm.ErrScheme},
		{"script", "javascript:alert(1)", urlnorm.ErrScheme},
		{"port without scheme", "localhost:80/", urlnorm.ErrScheme},
		{"one slash", "https:/www.example.com/", urlnorm.ErrHost},
		{"no slash", "https:www.example.com", urlnorm.ErrHost},
		{"three slashes", "https:///www.example.com/", urlnorm.ErrHost},
		{"no host", "https://", urlnorm.ErrHost},
		{"port only", "https://:80/", urlnorm.ErrHost},
		{"space in the host", "http://exa mple.com/", urlnorm.ErrHost},
		{"comma", "http://a.test,b.test/", urlnorm.ErrHost},
		{"backslash", `http://a.test\b/`, urlnorm.ErrHost},
		{"backslash before an at sign", `http://127.0.0.1\@a.test/`, urlnorm.ErrUserinfo},
		{"bad escape before an at sign", "http://%zz@a.test/", urlnorm.ErrUserinfo},
		{"escaped ASCII", "http://%31.test/", urlnorm.ErrHost},
		{"cut escape", "http://a.%C3/", urlnorm.ErrHost},
		{"escape without digits", "http://a.%C/", urlnorm.ErrHost},
		{"empty label", "http://a..test/", urlnorm.ErrHost},
		{"leading dot", "http://.test/", urlnorm.ErrHost},
		{"two trailing dots", "http://a.test../", urlnorm.ErrHost},
		{"dot", "http://./", urlnorm.ErrHost},
		{"leading hyphen", "http://-a.test/", urlnorm.ErrHost},
		{"label of 64", "http://" + strings.Repeat("a", 64) + ".test/", urlnorm.ErrHost},
		{"name of 254", "http://" + strings.Repeat("a.", 126) + "aa/", urlnorm.ErrHost},
		{"bidi override", "http://ok.\u202etest/", urlnorm.ErrHost},
		{"symbol", "http://℀.test/", urlnorm.ErrHost},
		{"fullwidth colon", "http://a.test：80/", urlnorm.ErrHost},
		{"open bracket", "http://[::1", urlnorm.ErrHost},
		{"name in brackets", "http://[localhost]/", urlnorm.ErrHost},
		{"IPv4 in brackets", "http://[127.0.0.1]/", urlnorm.ErrHost},
		{"zone", "http://[fe80::1%25eth0]/", urlnorm.ErrHost},
		{"text after the bracket", "http://[::1]x/", urlnorm.ErrHost},
		{"bare IPv6", "http://::1/", urlnorm.ErrPort},
		{"port 0", "http://a.test:0/", urlnorm.ErrPort},
		{"port above 65535", "http://a.test:65536/", urlnorm.ErrPort},
		{"six digits", "http://a.test:000080/", urlnorm.ErrPort},
		{"sign", "http://a.test:+80/", urlnorm.ErrPort},
		{"two ports", "http://a.test:80:80/", urlnorm.ErrPort},
		{"fullwidth digits", "http://a.test:８０/", urlnorm.ErrPort},
		{"scheme twice", "https://https://a.test/", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u, err := urlnorm.Parse(nil, tt.raw)
			if tt.want == nil { // "https:" is host and empty port: canonical is https://https//a.test/
				require.NoError(t, err)
				assert.Equal(t, "https://https//a.test/", u.String())
				return
			}
			require.ErrorIs(t, err, tt.want)
			assert.Nil(t, u)
			assert.False(t, urlnorm.Plain(tt.raw))
		})
	}
}

func TestBaseThatCannotBeResolvedAgainst(t *testing.T) {
	for raw, want := range map[string]error{
		"":                      urlnorm.ErrRelative,
		"/dir/":                 urlnorm.ErrRelative,
		"file:///etc/passwd":    urlnorm.ErrRelative,
		"ftp://example.com/dir": urlnorm.ErrScheme,
	} {
		b, err := url.Parse(raw)
		require.NoError(t, err)
		_, err = urlnorm.Parse(b, "a")
		require.ErrorIs(t, err, want, raw)
	}
	// A base need not be canonical, nor come from url.Parse.
	u, err := urlnorm.Parse(&url.URL{Scheme: "HTTP", Host: "Bücher.Example:80", Path: "a b/c"}, "d")
	require.NoError(t, err)
	assert.Equal(t, "http://xn--bcher-kva.example/a%20b/d", u.String())
}

func TestErrorsHoldNoPassword(t *testing.T) {
	for _, raw := range []string{
		"https://user:hunter2@/", "https://user:hunter2@a..b/", "https://user:hunter2", "ftp://user:hunter2@a/",
		"https://user:hunter2/@a.test/", "user:hunter2@a.test", "https://user:hunter2%zz@a.test/",
	} {
		_, err := urlnorm.Parse(nil, raw)
		require.Error(t, err, raw)
		assert.NotContains(t, err.Error(), "hunter2")
	}
}

func TestHost(t *testing.T) {
	for in, want := range map[string]string{
		"WWW.Example.com.": "www.example.com",
		"bücher.example":   "xn--bcher-kva.example",
		"192.0.2.1":        "192.0.2.1",
		"::1":              "[::1]",
		"[2001:DB8::1]":    "[2001:db8::1]",
		"::ffff:192.0.2.1": "192.0.2.1",
		"localhost":        "localhost",
	} {
		got, err := urlnorm.Host(in)
		require.NoError(t, err, in)
		assert.Equal(t, want, got)
	}
	for _, in := range []string{"", ".", "a b", "[::1", "::1]", "a.test:80", "fe80::1%eth0", "a/b"} {
		_, err := urlnorm.Host(in)
		require.ErrorIs(t, err, urlnorm.ErrHost, in)
	}
}

func TestHostsOfTheGuardVectors(t *testing.T) {
	var data struct {
		Vectors []struct{ ID, URL, Expect, Stage, Canonical string }
	}
	conformance.ReadJSON(t, "ssrf/urls.json", &data)
	require.NotEmpty(t, data.Vectors)
	for _, v := range data.Vectors {
		u, err := urlnorm.Parse(nil, v.URL)
		switch {
		case v.Expect == "may_connect" || v.Expect == "no_answer":
			require.NoError(t, err, v.ID)
			redirected := v.Canonical != "" && !strings.HasPrefix(u.String(), v.Canonical+"/")
			assert.False(t, redirected && v.ID != "u218", "%s: %s is not %s", v.ID, u, v.Canonical)
		case v.Stage == "parse" && err == nil:
			// Rule 7 removes tabs and line breaks; the guard refuses them before it asks.
			assert.Contains(t, v.URL, "\t", v.ID)
		}
	}
}

func TestNothingToChangeAllocatesNothing(t *testing.T) {
	const raw = "https://www.example.com/2024/some-page_1.html?id=7&x=%20"
	n := testing.AllocsPerRun(100, func() {
		if _, err := urlnorm.Text(nil, raw); err != nil {
			t.Fatal(err)
		}
	})
	assert.Zero(t, n)
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"https://www.example.com/a?b#c", "HTTP://Ex%C3%A4mple.com.:80/%2e%2E/./x y", "//h/..", "?q", "#", "http://u:p@[::1%25a]:1/",
		"https:/a", "a\tb\r\n c", "http://①。⓪/", "%", "http://a/%2", "http://a/.%2e/..", "http://xn--a/", "http://℀/\xff\x00",
	} {
		f.Add(base, s)
	}
	f.Fuzz(func(t *testing.T, base, raw string) {
		b, _ := url.Parse(base)
		if b != nil && b.User == nil {
			if home, err := urlnorm.Text(nil, b.Scheme+"://"+b.Host+"/"); err == nil {
				if got, ok := urlnorm.Under(strings.TrimSuffix(home, "/"), []byte(raw)); ok {
					if want, err := urlnorm.Text(b, raw); err != nil || got != want {
						t.Fatalf("%q under %q: %q, and by Text %q, %v", raw, base, got, want, err)
					}
				}
			}
		}
		u, err := urlnorm.Parse(b, raw)
		if err != nil {
			if u != nil || errors.Unwrap(err) != nil {
				t.Fatalf("%q: %v with %v", raw, err, u)
			}
			return
		}
		text := u.String()
		again, err := urlnorm.Parse(nil, text)
		if err != nil || again.String() != text || *again != *u && u.User == nil {
			t.Fatalf("%q on %q: %q, then %v, %v", raw, base, text, again, err)
		}
		if second, err := urlnorm.Text(b, text); err != nil || second != text {
			t.Fatalf("%q: text %q, %v", raw, second, err)
		}
		if urlnorm.Plain(raw) && raw != text {
			t.Fatalf("Plain(%q), but canonical is %q", raw, text)
		}
		if host, err := urlnorm.Host(u.Hostname()); err != nil || host != strings.TrimSuffix(u.Host, ":"+u.Port()) {
			t.Fatalf("%q: host %q, %v", raw, host, err)
		}
		if len(text) > urlnorm.MaxLen || u.Fragment != "" || u.Path == "" || strings.ContainsAny(text, " \\<>\"") {
			t.Fatalf("%q: %q is not canonical", raw, text)
		}
		if js, _ := json.Marshal(text); strings.Contains(string(js), `\ufffd`) {
			t.Fatalf("%q: %q is not ASCII", raw, text)
		}
	})
}

func BenchmarkText(b *testing.B) {
	for name, raw := range map[string]string{
		"plain":   "https://www.example.com/2024/some-page_1.html?id=7&x=%20",
		"changed": "https://WWW.example.com:443/2024/../some page.html#x",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				if _, err := urlnorm.Text(nil, raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestSitemapLinesResolve covers what robots.txt parsers leave to their caller: the values
// of Sitemap lines become URLs here.
func TestSitemapLinesResolve(t *testing.T) {
	var data struct {
		Cases []struct {
			Name, Robots string
			Base64       []byte `json:"robots_base64"`
			RobotsURL    string `json:"robots_url"`
			Sitemaps     []string
		}
	}
	conformance.ReadJSON(t, "sitemap/robots-sitemaps.json", &data)
	require.NotEmpty(t, data.Cases)
	for _, c := range data.Cases {
		b, err := url.Parse(c.RobotsURL)
		require.NoError(t, err)
		got := []string{}
		text := strings.NewReplacer("\r", "\n", "\ufeff", "").Replace(c.Robots + string(c.Base64))
		for line := range strings.SplitSeq(text, "\n") {
			line, _, _ = strings.Cut(line, "#")
			key, value, _ := strings.Cut(line, ":")
			if key = strings.ToLower(strings.TrimSpace(key)); key != "sitemap" && key != "site-map" {
				continue
			}
			u, err := urlnorm.Parse(b, value)
			if err != nil || *u == *b || !utf8.ValidString(value) {
				continue
			}
			if !slices.Contains(got, u.String()) {
				got = append(got, u.String())
			}
		}
		assert.Equal(t, c.Sitemaps, got, c.Name)
	}
}

// Under may only say what Text says.
func TestUnderAgreesWithText(t *testing.T) {
	base, err := url.Parse("http://127.0.0.1:8080/dir/page?q#f")
	require.NoError(t, err)
	plain := 0
	for _, ref := range []string{
		"/", "/a", "/a/b.html?x=1&y=2", "//other.example/", "/a//b", "/./a", "/../a", "/a/..", "/a/.", "/.hidden", "/%41", "/%2e/x", "/a%2", "/a#f", "/a b", "/ä",
		"/\\x", "/a?b#c", "/a?b?c/../d", "/~u/(x)!$'*,;=:@", "/\"<>^`{|}", "", "a", "?q", "#f", "/a\n", "/a\t/b", "/%7e", "/?../..", "/a?/./", "/[x]", "/x%zz", "/x?y%zz",
	} {
		got, ok := urlnorm.Under("http://127.0.0.1:8080", []byte(ref))
		if !ok {
			continue
		}
		plain++
		want, err := urlnorm.Text(base, ref)
		require.NoError(t, err, ref)
		assert.Equal(t, want, got, ref)
	}
	assert.GreaterOrEqual(t, plain, 5)
}
