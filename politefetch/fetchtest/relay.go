package fetchtest

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

// A Relay is a crawling provider that reads a [Site] for its clients: a stand-in for
// ScrapingBee's HTML API, with its parameters, headers, prices and errors. Give it to the
// code under test in the place of the network ([http.RoundTripper]), or serve it
// ([http.Handler]; the API's path is /api/v1/). The zero Relay with a Site is ready to use;
// it is safe for concurrent use once its exported fields are set.
//
//	var site fetchtest.Site
//	relay := site.Relay()
//	relay.Key = "0123456789ABCDEF"
//	route := &proxy.ScrapingBee{Key: proxy.NewAPIKey("0123456789ABCDEF"), Base: relay, Check: …}
//
// It follows the Site's redirects by itself, so that one script serves both routes. It is
// stricter than its model where a mistake would pass unseen: unknown parameters, values
// that are none, and a key in the URL are errors.
type Relay struct {
	Site        *Site
	Key         string        // that clients must bear; "": any
	Concurrency int           // requests in flight, above which it is busy; 0: any number
	Credits     int           // of the account: what would cost more is turned down; 0: unlimited
	Latency     time.Duration // passes before the Site is asked
	MaxHops     int           // redirects followed; 0: 10, negative: none
	Gzip        bool          // compresses answers for clients that accept it

	mu     sync.Mutex
	script map[string][]RelayFault
	log    []*RelayExchange
	flying int
	used   int
}

var (
	_ http.RoundTripper = (*Relay)(nil)
	_ http.Handler      = (*Relay)(nil)
)

// Relay returns a new provider that reads s.
func (s *Site) Relay() *Relay { return &Relay{Site: s} }

// Set scripts what goes wrong with the asks for an address: a full URL, a path with or
// without a query on any host, or "" for all that have no script. The faults come in order;
// the last one stays, so end with the zero RelayFault where all is well again. No faults
// take the address out of the script.
func (r *Relay) Set(addr string, faults ...RelayFault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.script == nil {
		r.script = make(map[string][]RelayFault)
	}
	r.script[addr] = slices.Clone(faults)
}

// A RelayExchange is one request as a [Relay] saw it. It is plain data.
type RelayExchange struct {
	// Exchange is the ask: URL is the address asked for (empty if it was none), Header what
	// the site was to see, Answer what it answered in the end (zero: it was not asked). Began,
	// Answered, Ended and Sent are those of the request to the Relay.
	Exchange

	Params   url.Values  // as they came
	Request  http.Header // as it came, the key included
	Reply    Answer      // the Relay's, as its client got it
	Final    string      // where the redirects ended; "": the site was not asked
	Cost     int         // credits
	InFlight int         // requests in flight, this one included
	Hops     []Exchange  // requests at the site
}

// Log returns the requests so far, in the order in which they came.
func (r *Relay) Log() []RelayExchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Site.mu.Lock() // its bodies end the exchanges
	defer r.Site.mu.Unlock()
	out := make([]RelayExchange, len(r.log))
	for i, x := range r.log {
		out[i] = *x
		out[i].Hops = slices.Clone(x.Hops)
	}
	return out
}

// Asked returns the asks that reached the site, as a log for [Audit]: what the provider was
// asked for, not the redirects that it followed.
func (r *Relay) Asked() []Exchange {
	var out []Exchange
	for _, x := range r.Log() {
		if len(x.Hops) > 0 {
			out = append(out, x.Exchange)
		}
	}
	return out
}

// Count returns how often an address was asked for: a full URL or, on any host, a path
// with its query. Redirects to it don't count.
func (r *Relay) Count(addr string) int {
	n := 0
	for _, x := range r.Log() {
		if x.isFor(addr) {
			n++
		}
	}
	return n
}

// Used returns the credits that all asks cost so far.
func (r *Relay) Used() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used
}

// RoundTrip implements [http.RoundTripper]. All it blocks on is timers and contexts, so
// that it works in testing/synctest bubbles.
func (r *Relay) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close()
	}
	b, err := r.serve(req)
	if err != nil {
		return nil, err
	}
	a := b.a
	return &http.Response{
		Status:     fmt.Sprintf("%d %s", a.Status, http.StatusText(a.Status)),
		StatusCode: a.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.Header.Clone(), Body: b, ContentLength: -1, Request: req,
	}, nil
}

// ServeHTTP implements [http.Handler] for servers on real sockets.
func (r *Relay) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	b, err := r.serve(req)
	if err != nil {
		panic(http.ErrAbortHandler) // net/http's way to close the connection
	}
	defer func() { _ = b.Close() }()
	maps.Copy(w.Header(), b.a.Header)
	w.WriteHeader(b.a.Status)
	if _, err := io.Copy(flusher{w, http.NewResponseController(w), b.a.Drip > 0 || b.cut != 0}, b); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// serve logs a request and answers it.
func (r *Relay) serve(req *http.Request) (*relayBody, error) {
	x := r.begin(req)
	end := sync.OnceFunc(func() { r.end(x) })
	a, f, err := r.answer(req, x)
	if err != nil {
		end()
		return nil, err
	}
	a.Status = cmp.Or(f.Status, a.Status, http.StatusNotFound)
	a.Header = f.header(a.Header)
	if r.Gzip && accepts(req.Header, "gzip") && len(a.Body) > 0 && !a.Endless && a.Drip == 0 {
		a = compressed(a)
	}
	r.Site.mu.Lock()
	x.Reply, x.Answered = a, time.Now()
	r.Site.mu.Unlock()
	return &relayBody{
		body: body{site: r.Site, x: &x.Exchange, a: a, ctx: req.Context(), done: end},
		cut:  f.Cut,
	}, nil
}

func (r *Relay) begin(req *http.Request) *RelayExchange {
	params := req.URL.Query()
	target, err := url.Parse(params.Get("url"))
	if err != nil {
		target = new(url.URL)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.flying++
	x := &RelayExchange{
		Exchange: Exchange{Method: req.Method, URL: target, Header: seenBySite(params, req.Header), Began: time.Now()},
		Params:   params, Request: req.Header.Clone(), InFlight: r.flying,
	}
	r.log = append(r.log, x)
	return x
}

func (r *Relay) end(x *RelayExchange) {
	r.Site.end(&x.Exchange)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.flying--
	r.Site.mu.Lock()
	defer r.Site.mu.Unlock()
	if n := len(x.Hops); n > 0 && x.Hops[n-1].Ended.IsZero() {
		x.Hops[n-1].Ended, x.Hops[n-1].Sent = x.Ended, x.Sent
	}
}

// relayBody hands out an answer's body, perhaps not to its end.
type relayBody struct {
	body
	cut int
}

// Read reads until the body breaks off.
func (b *relayBody) Read(p []byte) (int, error) {
	if b.cut != 0 {
		left := max(b.cut, 0) - b.off
		if left <= 0 {
			b.end()
			return 0, io.ErrUnexpectedEOF
		}
		p = p[:min(len(p), left)]
	}
	return b.body.Read(p)
}

// hops follows the site's redirects from the address asked for. The answer is the last
// one's.
func (r *Relay) hops(ctx context.Context, x *RelayExchange) (final Answer, initial int, err error) {
	most := r.MaxHops
	if most == 0 {
		most = 10
	}
	for n, u := 0, x.URL; ; n++ {
		a, err := r.hop(ctx, x, u)
		initial = cmp.Or(initial, a.Status)
		to := location(u, a)
		if err != nil || to == nil || n >= most {
			return a, initial, err
		}
		u = to
	}
}

// hop asks the site once. Its end is known at the next hop, or with the answer's.
func (r *Relay) hop(ctx context.Context, x *RelayExchange, u *url.URL) (Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return Answer{}, err
	}
	req.Header = x.Header.Clone()
	hop, a := r.Site.begin(req, req.URL, false)
	r.Site.mu.Lock()
	last := len(x.Hops)
	if last > 0 {
		x.Hops[last-1].Ended = hop.Began
	}
	x.Hops = append(x.Hops, *hop)
	x.Final = u.String()
	r.Site.mu.Unlock()
	err = sleep(ctx, r.Site.Latency+a.Delay)
	r.Site.mu.Lock()
	defer r.Site.mu.Unlock()
	if err != nil {
		x.Answer = Answer{Err: err}
		return a, err
	}
	x.Answer = a
	if a.Err == nil {
		x.Hops[last].Answered = time.Now()
	}
	return a, a.Err
}

// location returns where an answer redirects to; nil: nowhere.
func location(u *url.URL, a Answer) *url.URL {
	switch a.Status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil
	}
	to, err := u.Parse(a.Header.Get("Location"))
	if err != nil || a.Header.Get("Location") == "" || to.Scheme != "http" && to.Scheme != "https" {
		return nil
	}
	return to
}
