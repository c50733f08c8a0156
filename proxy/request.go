package proxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// prefix marks the fields of a header that are the site's, in requests and in answers.
const prefix = "Spb-"

var errNoAgent = errors.New("proxy: request without a User-Agent: a bot says who it is")

// target returns the address that a request asks for, or why it can't be asked for here.
func target(req *http.Request) (*url.URL, error) {
	switch {
	case req.Method != "" && req.Method != http.MethodGet:
		return nil, fmt.Errorf("proxy: method %q: %w", clip(req.Method), errors.ErrUnsupported)
	case req.Body != nil && req.Body != http.NoBody:
		return nil, fmt.Errorf("proxy: request with a body: %w", errors.ErrUnsupported)
	case req.URL == nil:
		return nil, errors.New("proxy: request without a URL")
	case req.Host != "" && !strings.EqualFold(req.Host, req.URL.Host):
		return nil, fmt.Errorf("proxy: Host other than the URL's: %w", errors.ErrUnsupported)
	}
	u, err := checked(req.URL.String())
	if err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	if _, err := netip.ParseAddr(u.Hostname()); err == nil {
		return nil, fmt.Errorf("proxy: %s: an address in the place of a name: %w", clip(u.String()), ErrRefused)
	}
	return u, nil
}

// forwarded returns what the site is to see of a request's header: what a bot says of
// itself and of what it reads, and nothing that could identify or authorise anybody else.
func forwarded(h http.Header) (http.Header, error) {
	out := make(http.Header)
	for _, name := range []string{"User-Agent", "Accept", "Accept-Language", "From"} {
		for _, v := range h[name] {
			if strings.ContainsFunc(v, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
				return nil, fmt.Errorf("proxy: %s holds a control character", name)
			}
			out.Add(prefix+name, v)
		}
	}
	if strings.TrimSpace(out.Get(prefix+"User-Agent")) == "" {
		return nil, errNoAgent
	}
	return out, nil
}

// apiRequest returns the request to the provider. Parameters with a default are sent as
// well: the defaults render pages in a browser and hide the site's status. With
// forward_headers_pure the site sees the forwarded fields alone, without a browser's.
func (a *ask) apiRequest(ctx context.Context) (*http.Request, error) {
	u, err := a.bee.endpoint()
	if err != nil {
		return nil, err
	}
	limit := defaultTimeout
	if deadline, ok := ctx.Deadline(); ok {
		limit = time.Until(deadline)
	}
	u.RawQuery = url.Values{
		"url":                     {a.start.String()},
		"render_js":               {"false"},
		"premium_proxy":           {"false"},
		"stealth_proxy":           {"false"},
		"transparent_status_code": {"true"}, // the site's status, and no hidden retries
		"json_response":           {"false"},
		"return_page_source":      {"false"},
		"block_resources":         {"true"},
		"block_ads":               {"false"},
		"device":                  {"desktop"},
		"forward_headers_pure":    {"true"},
		"country_code":            {cmp.Or(a.bee.Country, defaultCountry)},
		"timeout":                 {strconv.FormatInt(providerTimeout(limit).Milliseconds(), 10)},
	}.Encode()
	req, err := http.NewRequestWithContext(untraced{ctx}, http.MethodGet, u.String(), nil) //nolint:contextcheck // it wraps it
	if err != nil {
		return nil, errors.New("proxy: ScrapingBee.Endpoint is not usable")
	}
	maps.Copy(req.Header, a.header)
	req.Header.Set("User-Agent", "politefetch") // the provider's, not the site's: that one is above
	req.Header.Set("Authorization", "Bearer "+a.bee.Key.reveal())
	return req, nil
}

// untraced hides the caller's hooks (package net/http/httptrace) from the transport, which
// would show them the header with the key.
type untraced struct{ context.Context } //nolint:containedctx // it is a context

// Value implements [context.Context].
func (c untraced) Value(key any) any {
	v := c.Context.Value(key)
	if _, ok := v.(*httptrace.ClientTrace); ok {
		return nil
	}
	return v
}

// providerTimeout is the timeout that the provider is told, of the 1 to 140 s that it
// takes: less than our own, so that it is the one to say that a site was too slow.
func providerTimeout(limit time.Duration) time.Duration {
	return min(max(limit-min(limit/4, 10*time.Second), time.Second), 140*time.Second)
}
