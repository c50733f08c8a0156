package proxy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/politefetch/sdk/internal/guard"
)

const (
	endpoint           = "https://app.scrapingbee.com/api/v1/"
	defaultCountry     = "us"
	defaultTimeout     = 90 * time.Second // slow sites take the provider 30 s and more
	defaultMaxBody     = 2 << 20
	defaultConcurrency = 2

	// countries of the classic proxy network (the provider's list of 30 July 2026). It takes
	// any other code for "us" without a word.
	countries = " ar at au be br ca ch cl cn co de dk ee es fi fr gb gr hr hu id ie il in it jp kr lt lv mx nl no nz pl pt ro sa se sg si th us "
)

// ScrapingBee is a route to web sites through the provider of that name (its HTML API), as
// an [http.RoundTripper]. Set the fields, then use it; it must not be copied or changed
// after that, other than by WithCheck. It is safe for concurrent use.
type ScrapingBee struct {
	Key APIKey // required

	// Check says whether an address may be read: nil if so. It is asked before the start
	// address is sent, each time if the provider is busy, and again for the address that an
	// answer came from if that is another.
	// It is called with the request's context and may send requests of its own through this
	// route. Required, but where the route is a politefetch.Config's Relay, which sets it.
	Check func(ctx context.Context, u *url.URL) error

	Country     string            // whose addresses are used, in two lower-case letters; "": us
	Endpoint    string            // of the API, https (http on this machine only); "": the public one
	Base        http.RoundTripper // carries the asks; nil: plain connections, no proxy of the environment, no redirects
	Timeout     time.Duration     // of one request to the provider, body included; 0: 90 s
	MaxBody     int64             // bytes of a body, after which reading it fails with an [*http.MaxBytesError]; 0: 2 MiB
	Concurrency int               // asks in flight, those of all copies together; 0: 2
	Budget      *Budget           // nil: unlimited
	Observe     func(Ask)         // called after each ask, concurrently if asks are; nil: nobody

	state  atomic.Pointer[shared] // of all copies
	closed atomic.Pointer[latch]  // of this copy
}

// Validate reports the first field that can't be used, nil if there is none. RoundTrip does
// the same.
func (s *ScrapingBee) Validate() error {
	switch {
	case s.Check == nil:
		return errors.New("proxy: ScrapingBee.Check is nil: it must say what may be asked for")
	case !s.Key.valid():
		return errKey
	case s.Country != "" && (len(s.Country) != 2 || !strings.Contains(countries, " "+s.Country+" ")):
		return fmt.Errorf("proxy: ScrapingBee.Country: the standard proxies have none in %q", clip(s.Country))
	case s.Timeout < 0, s.MaxBody < 0, s.Concurrency < 0:
		return errors.New("proxy: ScrapingBee: negative Timeout, MaxBody or Concurrency")
	}
	_, err := s.endpoint()
	return err
}

// WithCheck returns a copy of s with another Check, for one visit. Copies share Budget,
// Concurrency and what stops the route for all sites; each learns of bot walls by itself.
func (s *ScrapingBee) WithCheck(check func(ctx context.Context, u *url.URL) error) *ScrapingBee {
	c := &ScrapingBee{
		Key: s.Key, Check: check, Country: s.Country, Endpoint: s.Endpoint, Base: s.Base, Timeout: s.Timeout,
		MaxBody: s.MaxBody, Concurrency: s.Concurrency, Budget: s.Budget, Observe: s.Observe,
	}
	c.state.Store(s.shared())
	return c
}

// Stopped returns why the route is stopped for all sites, in all copies, until Resume: the
// account is out of credits, the key is not accepted, or the provider's answers are not
// what they should be. Nil: it is not.
func (s *ScrapingBee) Stopped() *ProviderError { return s.shared().stopped.Load() }

// Resume lets asks through again after the route had stopped, in all copies.
func (s *ScrapingBee) Resume() { s.shared().stopped.Store(nil) }

// RoundTrip asks the provider for one page, once. Only GET is supported, without a body.
// Of the header, User-Agent (required), Accept, Accept-Language and From reach the site,
// and nothing else does.
//
// The answer is the site's: its status, header and body. Response.Request.URL is where it
// ended; a redirect that the provider did not follow comes as it is. The whole body has been
// read by then, up to MaxBody, so that an unread answer holds up no other; what broke off
// the reading, be it the context's end, comes as an error at the end of the body. Hooks of
// package net/http/httptrace in the request's context are not called: they would be shown
// the key.
//
// A provider with too many asks of the account in flight is asked up to three times more,
// after the wait that it names or about 1, 2 and 4 s: no such request reaches the site.
// Waits over 30 s, or past the context's end, are left to the caller: a [*ProviderError] of
// KindBusy. Nothing else is repeated; after KindDown the ask may have reached the site.
func (s *ScrapingBee) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close()
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	a, err := s.newAsk(req)
	if err != nil {
		return nil, err
	}
	ctx := req.Context()
	if err := s.barred(ctx, a.start); err != nil {
		return nil, err
	}
	if err := s.Check(ctx, clone(a.start)); err != nil {
		return nil, &CheckError{URL: a.start.String(), Err: err}
	}
	if err := a.take(ctx); err != nil {
		return nil, err
	}
	err = errPanic
	defer func() { a.end(err) }() // when Check or Base panics, too
	resp, err := a.do(ctx)
	return resp, err
}

// errPanic is what the accounts say of an ask that never came back.
var errPanic = errors.New("proxy: Check or Base panicked")

// endpoint returns where the API is.
func (s *ScrapingBee) endpoint() (*url.URL, error) {
	if s.Endpoint == "" {
		return url.Parse(endpoint)
	}
	u, err := url.Parse(s.Endpoint)
	switch {
	case err != nil, u.Host == "", u.User != nil, u.RawQuery != "", u.Fragment != "":
		return nil, errors.New("proxy: ScrapingBee.Endpoint is not an address without user, query and fragment")
	case u.Scheme == "https":
		return u, nil
	case u.Scheme == "http" && isLoopback(u.Hostname()):
		return u, nil
	}
	return nil, errors.New("proxy: ScrapingBee.Endpoint: the key goes over https only, or to this machine")
}

// barred returns why nothing may be sent for u: the context's end, or an earlier answer.
func (s *ScrapingBee) barred(ctx context.Context, u *url.URL) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if p := s.Stopped(); p != nil {
		return fmt.Errorf("%w: %w", ErrStopped, p)
	}
	return s.latch().why(u)
}

// checked returns the canonical form of an address that the provider may be asked for.
func checked(raw string) (*url.URL, error) {
	return guard.Check(raw, &guard.Options{AnyPort: true})
}

func clone(u *url.URL) *url.URL {
	c := *u
	return &c
}
