package proxy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch/fetchtest"
	"github.com/politefetch/sdk/proxy"
)

// secret is a key that looks different once escaped.
const secret = "S3CRET/KEY+0123456789=="

func secrets() []string {
	return []string{secret, url.QueryEscape(secret), url.PathEscape(secret), "S3CRET"}
}

// dumps returns v in every form in which it might end up in a log.
func dumps(t *testing.T, v any) map[string]string {
	t.Helper()
	out := make(map[string]string)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T"} {
		out[verb] = fmt.Sprintf(verb, v)
	}
	if b, err := json.Marshal(v); err == nil {
		out["JSON"] = string(b)
	}
	if b, err := xml.Marshal(v); err == nil {
		out["XML"] = string(b)
	}
	var b bytes.Buffer
	slog.New(slog.NewTextHandler(&b, nil)).Info("x", "v", v)
	slog.New(slog.NewJSONHandler(&b, nil)).Info("x", "v", v)
	log.New(&b, "", 0).Print(v)
	out["logs"] = b.String()
	if err, ok := v.(error); ok {
		for ; err != nil; err = errors.Unwrap(err) {
			out["chain"] += fmt.Sprintf("%v %+v %#v\n", err, err, err)
		}
	}
	return out
}

func assertNoSecret(t *testing.T, what string, v any) {
	t.Helper()
	for form, text := range dumps(t, v) {
		for _, s := range append(secrets(), fmt.Sprintf("%x", secret), fmt.Sprintf("%X", secret)) {
			assert.NotContains(t, text, s, "%s as %s", what, form)
		}
	}
}

func TestKeysPrintAsRedacted(t *testing.T) {
	k := proxy.NewAPIKey(secret)
	type config struct {
		Key  proxy.APIKey
		Ptr  *proxy.APIKey
		Keys []proxy.APIKey
	}
	type careless struct {
		key  proxy.APIKey
		ptr  *proxy.APIKey
		keys []any
	}
	c := config{k, &k, []proxy.APIKey{k}}
	route := &proxy.ScrapingBee{Key: k}
	for what, v := range map[string]any{
		"key": k, "pointer": &k, "field": c, "any": []any{k, &c}, "route": route, "field of its own": careless{k, &k, []any{k, &c}},
		"error": fmt.Errorf("%v %w", k, errors.New(k.GoString()+k.String())), "no key": proxy.APIKey{},
	} {
		assertNoSecret(t, what, v)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		assert.Equal(t, "REDACTED", fmt.Sprintf(verb, k), verb)
	}
	var diff spewed // follows pointers into every field
	assert.Equal(&diff, careless{}, careless{k, &k, []any{k, route}})
	assert.Contains(t, diff, "Diff:")
	assertNoSecret(t, "diff", string(diff))
	b, err := json.Marshal(c)
	require.NoError(t, err)
	assert.JSONEq(t, `{"Key":"REDACTED","Ptr":"REDACTED","Keys":["REDACTED"]}`, string(b))
}

// spewed is what testify shows of values that differ.
type spewed string

func (s *spewed) Errorf(format string, args ...any) { *s += spewed(fmt.Sprintf(format, args...)) }

// echo is a provider that puts the key wherever it can.
func echo(status int, mark bool, where string) baseFunc {
	return func(r *http.Request) (*http.Response, error) {
		auth := r.Header.Get("Authorization")
		h := http.Header{"Www-Authenticate": {auth}}
		body := auth
		if mark {
			h = http.Header{
				"Spb-Initial-Status-Code": {"200"}, "Spb-Resolved-Url": {r.URL.Query().Get("url")}, "Spb-Cost": {"1"},
				"Spb-Content-Type": {"text/html"},
			}
			body = "<p>x"
		}
		switch where {
		case "":
		case "error":
			return nil, &url.Error{Op: "Get", URL: r.URL.String() + "&api_key=" + url.QueryEscape(secret), Err: fmt.Errorf("%+v", r.Header)}
		case "body":
			body += auth
		case "escaped body":
			body += url.QueryEscape(auth)
		case "body of a path":
			body += url.PathEscape(secret)
		case "body error":
			return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(failing{fmt.Errorf("%v", r.Header)})}, nil
		default:
			h[where] = []string{auth}
		}
		return &http.Response{StatusCode: status, Status: auth, Header: h, Body: io.NopCloser(bytes.NewReader([]byte(body))), Request: r}, nil
	}
}

type baseFunc func(*http.Request) (*http.Response, error)

func (f baseFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestTheKeyIsNeverSeen(t *testing.T) {
	type answer struct {
		base baseFunc
		err  bool
	}
	answers := map[string]answer{
		"error":            {echo(200, true, "error"), true},
		"body":             {echo(200, true, "body"), true},
		"body of a wall":   {echo(403, true, "body"), true},
		"escaped body":     {echo(200, true, "escaped body"), true},
		"body of a path":   {echo(200, true, "body of a path"), true},
		"the body's error": {echo(200, true, "body error"), false},
		"status text":      {echo(200, true, ""), false},
	}
	for _, name := range []string{
		"Spb-Cost", "Spb-Resolved-Url", "Spb-Request-Id", "Spb-Initial-Status-Code", "Spb-Server", "Spb-Cf-Mitigated",
		"Server", "Spb-Content-Type", "Spb-Location", "Spb-Set-Cookie", "Content-Encoding",
	} {
		answers["header "+name] = answer{echo(200, true, name), true}
	}
	for _, status := range []int{200, 302, 400, 401, 402, 403, 429, 500, 503} {
		answers[fmt.Sprint("own ", status)] = answer{echo(status, false, ""), true}
	}
	for name, tt := range answers {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				w.route.Key, w.route.Base = proxy.NewAPIKey(secret), tt.base
				resp, err := w.route.RoundTrip(request(t, home))
				assert.Equal(t, tt.err, err != nil)
				assertNoSecret(t, "error", err)
				assertNoSecret(t, "ask", w.last(t))
				assertNoSecret(t, "route", w.route)
				assertNoSecret(t, "stopped", w.route.Stopped())
				if err == nil {
					body, err := io.ReadAll(resp.Body)
					assertNoSecret(t, "body", string(body))
					assertNoSecret(t, "the body's error", err)
					assertNoSecret(t, "header", resp.Header)
					assertNoSecret(t, "answer", *resp)
					assertNoSecret(t, "request", *resp.Request)
				}
				_, err = w.route.RoundTrip(request(t, home)) // perhaps stopped
				assertNoSecret(t, "next error", err)
				_, err = (&http.Client{Transport: w.route}).Do(request(t, "https://b.example/"))
				assertNoSecret(t, "client's error", err)
			})
		})
	}
}

func TestTheKeyIsInNoURL(t *testing.T) {
	w := newWorld()
	w.route.Key, w.relay.Key = proxy.NewAPIKey(secret), secret
	var addr string
	relay := w.route.Base
	w.route.Base = baseFunc(func(r *http.Request) (*http.Response, error) {
		addr = r.URL.String()
		return relay.RoundTrip(r)
	})
	w.route.Check = func(ctx context.Context, u *url.URL) error {
		assertNoSecret(t, "checked", u)
		return ctx.Err()
	}
	w.site.Set("/", fetchtest.HTML("x"))
	_, _, err := get(t, w.route, home)
	require.NoError(t, err)
	assertNoSecret(t, "address", addr)
	assert.Equal(t, "Bearer "+secret, w.relay.Log()[0].Request.Get("Authorization"))
	assertNoSecret(t, "seen by the site", w.relay.Log()[0].Hops[0].Header)
}

func TestHooksOfTheCallerAreNotShownTheKey(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Spb-Initial-Status-Code", "200")
		w.Header().Set("Spb-Resolved-Url", r.URL.Query().Get("url"))
	}))
	defer srv.Close()
	route := &proxy.ScrapingBee{Key: proxy.NewAPIKey(secret), Endpoint: srv.URL, Check: func(context.Context, *url.URL) error { return nil }}
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		WroteHeaderField: func(name string, values []string) { t.Errorf("%s: %q", name, values) },
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://site.example/", nil)
	require.NoError(t, err)
	req.Header.Set("User-Agent", "ExampleBot/1.0")
	resp, err := route.RoundTrip(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
}

// Where hardly two characters of the key stand together it is known by its escapes.
func TestErrorsHoldNoEscapedKey(t *testing.T) {
	const key = "A0/b1+C2/d3+E4/f5=="
	for _, escape := range []func(string) string{url.QueryEscape, url.PathEscape} {
		w := newWorld()
		w.route.Key = proxy.NewAPIKey(key)
		w.route.Base = baseFunc(func(*http.Request) (*http.Response, error) {
			return nil, errors.New("GET /?api_key=" + escape(key))
		})
		_, _, err := get(t, w.route, home)
		p, ok := errors.AsType[*proxy.ProviderError](err)
		require.True(t, ok, "%v", err)
		assert.Equal(t, "error withheld: it holds the key", p.Reason)
	}
}

// What a transport makes of the key in an error is not always the whole of it.
func TestErrorsHoldNoPartOfTheKey(t *testing.T) {
	const long = "A0b1C2d3/E4f5+G6h7=="
	for name, cut := range map[string]func(string) string{
		"cut":     func(s string) string { return s[:len("Bearer ")+10] },
		"its end": func(s string) string { return "…" + s[len(s)-8:] },
		"small":   strings.ToLower,
		"in JSON": func(s string) string { return strings.ReplaceAll(s, "/", `\/`) },
		"in HTML": func(s string) string { return strings.ReplaceAll(s, "+", "&#43;") },
		"quoted":  func(s string) string { return fmt.Sprintf("%q", s) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			w.route.Key = proxy.NewAPIKey(long)
			w.route.Base = baseFunc(func(r *http.Request) (*http.Response, error) {
				return nil, errors.New("no route for " + cut(r.Header.Get("Authorization")))
			})
			_, _, err := get(t, w.route, home)
			p, ok := errors.AsType[*proxy.ProviderError](err)
			require.True(t, ok, "%v", err)
			assert.Equal(t, "error withheld: it holds the key", p.Reason)
		})
	}
}
