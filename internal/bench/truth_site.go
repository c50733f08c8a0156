package main

import (
	"context"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// A request is one that the server saw arrive.
type request struct {
	host         string // "a", "b", …
	path         string // with its query
	header       http.Header
	began, ended time.Time
	beside       int // requests under way at this host, itself included
}

// requests is the log, in order of arrival.
type requests []request

// An answer answers a request, knowing what came before.
type answer func(s *truthSite, w http.ResponseWriter, r *http.Request)

// truthHosts are a site's hosts by address: none is public, and "inside" isn't to be
// asked for.
var truthHosts = map[string]string{"a": "127.0.0.1", "b": "127.0.0.2", "c": "127.0.0.3", "inside": "127.0.0.4"}

// A truthSite serves the hosts of one exchange, on one port each, and keeps their log.
type truthSite struct {
	script  map[string]answer
	servers map[string]*httptest.Server // by host
	goaway  *goawayServer               // host "h2"
	names   *nameServer
	port    string

	mu    sync.Mutex
	log   requests
	under map[string]int
}

func newTruthSite(script map[string]answer) (*truthSite, error) {
	s := &truthSite{script: script, servers: map[string]*httptest.Server{}, under: map[string]int{}}
	var err error
	for range 100 { // until a port is free at every address
		if err = s.listen(); err == nil {
			break
		}
		s.close()
	}
	if err != nil {
		return nil, err
	}
	if s.goaway, err = newGoawayServer(s); err == nil {
		s.names, err = newNameServer()
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *truthSite) listen() error {
	s.port = "0"
	for _, host := range []string{"a", "b", "c", "inside"} {
		ln, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", net.JoinHostPort(truthHosts[host], s.port))
		if err != nil {
			return err
		}
		_, s.port, _ = net.SplitHostPort(ln.Addr().String())
		srv := &httptest.Server{Listener: ln, Config: &http.Server{ReadHeaderTimeout: time.Minute, Handler: s.handler(host)}}
		srv.Start()
		s.servers[host] = srv
	}
	return nil
}

func (s *truthSite) close() {
	for host, srv := range s.servers {
		srv.CloseClientConnections()
		srv.Close()
		delete(s.servers, host)
	}
	if s.goaway != nil {
		s.goaway.close()
	}
	if s.names != nil {
		s.names.close()
	}
}

// numberKey is the key of a request's number in its context.
type numberKey struct{}

// handler logs a request and answers it by the script, whose names are a host and path, a
// path, a host with "*" and "*" for all its pages; or as sites do: no robots.txt and no
// sitemap, "/go?ADDRESS" redirects, all else is a page.
func (s *truthSite) handler(host string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := s.arrive(host, r.URL.RequestURI(), r.Header)
		defer s.leave(n)
		r = r.WithContext(context.WithValue(r.Context(), numberKey{}, n))
		names := []string{host + r.URL.Path, r.URL.Path}
		if r.URL.Path != "/robots.txt" && !strings.HasPrefix(r.URL.Path, "/sitemap") {
			names = append(names, host+"*", "*")
		}
		for _, name := range names {
			if do := s.script[name]; do != nil {
				do(s, w, r)
				return
			}
		}
		switch {
		case r.URL.Path == "/go":
			w.Header().Set("Location", s.location(r.URL.RawQuery))
			w.WriteHeader(http.StatusFound)
		case r.URL.Path == "/robots.txt" || strings.HasPrefix(r.URL.Path, "/sitemap"):
			http.NotFound(w, r)
		default:
			servePage(w)
		}
	})
}

// servePage answers with a small page that links to addresses.
func servePage(w http.ResponseWriter, linked ...string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, "<title>A page</title><p>Hello.")
	for _, to := range linked {
		fmt.Fprintf(w, " <a href=%q>more</a>", to)
	}
}

// arrive notes a request and returns its number.
func (s *truthSite) arrive(host, path string, h http.Header) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.under[host]++
	s.log = append(s.log, request{host: host, path: path, header: h.Clone(), began: time.Now(), beside: s.under[host]})
	return len(s.log) - 1
}

func (s *truthSite) leave(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.under[s.log[n].host]--
	s.log[n].ended = time.Now()
}

// note adds to the log what is known of a request only when it has been answered.
func (s *truthSite) note(r *http.Request, field, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log[r.Context().Value(numberKey{}).(int)].header.Set(field, value)
}

// hostOf is the host that a request is for.
func (s *truthSite) hostOf(r *http.Request) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log[r.Context().Value(numberKey{}).(int)].host
}

func (s *truthSite) requests() requests {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// address is the URL of "/path" at host a, or of "b/path". Anything else is itself.
func (s *truthSite) address(where string) string {
	host, path, ok := strings.Cut(where, "/")
	switch {
	case !ok || strings.HasSuffix(host, ":"):
		return strings.Replace(where, rebindName, net.JoinHostPort(rebindName, s.port), 1)
	case host == "h2":
		return "https://" + s.goaway.addr + "/" + path
	}
	return "http://" + net.JoinHostPort(truthHosts[orElse(host, "a")], s.port) + "/" + path
}

// location is what a redirect to "/path" or "b/path" says.
func (s *truthSite) location(where string) string {
	if strings.HasPrefix(where, "/") {
		return where
	}
	return s.address(where)
}

// public are the hosts that may be asked.
func (s *truthSite) public() []string {
	var all []string
	for _, host := range []string{"a", "b", "c"} {
		all = append(all, net.JoinHostPort(truthHosts[host], s.port))
	}
	return append(all, net.JoinHostPort(rebindName, s.port), s.goaway.addr)
}

// certFile writes down which certificate is to be trusted.
func (s *truthSite) certFile(dir string) string {
	name := filepath.Join(dir, "cert.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.goaway.cert})
	if err := os.WriteFile(name, text, 0o600); err != nil {
		return ""
	}
	return name
}

// at are the requests for a host, robots.txt and sitemaps left out.
func (l requests) at(host string) (out requests) {
	for _, r := range l {
		if r.host == host && !r.aside() {
			out = append(out, r)
		}
	}
	return out
}

// pages are the requests for anything but robots.txt and sitemaps.
func (l requests) pages() requests {
	return slices.DeleteFunc(slices.Clone(l), request.aside)
}

func (r request) aside() bool {
	return r.path == "/robots.txt" || strings.HasPrefix(r.path, "/sitemap")
}

// asked reports whether "/path" at host a, or "b/path", was asked for.
func (l requests) asked(where string) bool {
	host, path, _ := strings.Cut(where, "/")
	return slices.ContainsFunc(l, func(r request) bool { return r.host == orElse(host, "a") && r.path == "/"+path })
}

// gaps are the pauses between the arrivals of two requests at one host, least first.
func (l requests) gaps() (out []time.Duration) {
	last := map[string]time.Time{}
	for _, r := range l {
		if t, ok := last[r.host]; ok {
			out = append(out, r.began.Sub(t))
		}
		last[r.host] = r.began
	}
	slices.Sort(out)
	return out
}

// spaced reports whether requests were at least so far apart. A tenth and 20 ms are
// forgiven: what the server notes late looks early.
func (l requests) spaced(want time.Duration) (bool, string) {
	g := l.gaps()
	if len(g) == 0 {
		return false, fmt.Sprintf("%d requests", len(l))
	}
	return g[0] >= want*9/10-20*time.Millisecond, fmt.Sprintf("%d ms apart, not %d", g[0].Milliseconds(), want.Milliseconds())
}
