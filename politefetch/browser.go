package politefetch

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
)

// Browsers that [FetchOptions].Browser knows.
const (
	BrowserChrome  = "chrome"
	BrowserFirefox = "firefox"
	BrowserSafari  = "safari"
)

// browsers are the header fields that a browser sends when somebody types an address:
// the desktop versions that were current in autumn 2026. Accept-Encoding is not among
// them: what is asked for is what this package decodes within limits.
var browsers = map[string]http.Header{ //nolint:gochecknoglobals // a constant table
	BrowserChrome: {
		"User-Agent":                {"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/152.0.0.0 Safari/537.36"},
		"Accept":                    {"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8"},
		"Accept-Language":           {"en-US,en;q=0.9"},
		"Sec-Ch-Ua":                 {`"Chromium";v="152", "Google Chrome";v="152", "Not.A/Brand";v="99"`},
		"Sec-Ch-Ua-Mobile":          {"?0"},
		"Sec-Ch-Ua-Platform":        {`"Windows"`},
		"Sec-Fetch-Dest":            {"document"},
		"Sec-Fetch-Mode":            {"navigate"},
		"Sec-Fetch-Site":            {"none"},
		"Sec-Fetch-User":            {"?1"},
		"Upgrade-Insecure-Requests": {"1"},
	},
	BrowserFirefox: {
		"User-Agent":                {"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:152.0) Gecko/20100101 Firefox/152.0"},
		"Accept":                    {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"},
		"Accept-Language":           {"en-US,en;q=0.5"},
		"Sec-Fetch-Dest":            {"document"},
		"Sec-Fetch-Mode":            {"navigate"},
		"Sec-Fetch-Site":            {"none"},
		"Sec-Fetch-User":            {"?1"},
		"Upgrade-Insecure-Requests": {"1"},
	},
	BrowserSafari: {
		"User-Agent":      {"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15"},
		"Accept":          {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"},
		"Accept-Language": {"en-US,en;q=0.9"},
		"Sec-Fetch-Dest":  {"document"},
		"Sec-Fetch-Mode":  {"navigate"},
		"Sec-Fetch-Site":  {"none"},
	},
}

// ErrBrowser is why a Fetch with an unknown FetchOptions.Browser sends nothing.
var ErrBrowser = errors.New("unknown FetchOptions.Browser")

// browser returns the header fields of the browser of that name; "": none.
func browser(name string) (http.Header, error) {
	h, ok := browsers[name]
	if !ok && name != "" {
		return nil, fmt.Errorf("%w %q; there are %q", ErrBrowser, clip(name), slices.Sorted(maps.Keys(browsers)))
	}
	return h, nil
}
