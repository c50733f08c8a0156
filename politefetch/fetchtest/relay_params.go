package fetchtest

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// faultsOf says what is wrong with the parameters of an ask, by name.
func faultsOf(p url.Values, target *url.URL) map[string]string {
	faults := make(map[string]string)
	for name, values := range p {
		if len(values) > 1 {
			faults[name] = "More than one value."
			continue
		}
		switch v := values[0]; name {
		case "url", "country_code", "tag", "cookies", "own_proxy", "max_cost":
		case "render_js", "premium_proxy", "stealth_proxy", "transparent_status_code", "return_page_source",
			"block_resources", "block_ads", "forward_headers", "forward_headers_pure", "custom_google":
			if v != "true" && v != "false" {
				faults[name] = "Not a valid boolean."
			}
		case "json_response":
			if v != "false" {
				faults[name] = "Not played by this stand-in."
			}
		case "device":
			if v != "desktop" && v != "mobile" {
				faults[name] = "Not a valid choice."
			}
		case "mode":
			if v != "auto" {
				faults[name] = "Not a valid choice."
			}
		case "timeout":
			inRange(faults, name, v, 1000, 140000)
		case "session_id":
			inRange(faults, name, v, 0, 10000000)
		case "api_key":
			faults[name] = "Deprecated: the key belongs into the Authorization header."
		default:
			faults[name] = "Unknown field."
		}
	}
	if (target.Scheme != "http" && target.Scheme != "https") || target.Host == "" {
		faults["url"] = "Not a valid URL."
	}
	conflicts(faults, p, target)
	return faults
}

func inRange(faults map[string]string, name, v string, lo, hi int) {
	if n, err := strconv.Atoi(v); err != nil || n < lo || n > hi {
		faults[name] = "Must be between " + strconv.Itoa(lo) + " and " + strconv.Itoa(hi) + "."
	}
}

func conflicts(faults map[string]string, p url.Values, target *url.URL) {
	if p.Has("mode") {
		for _, name := range []string{"render_js", "premium_proxy", "stealth_proxy", "transparent_status_code"} {
			if p.Has(name) {
				faults[name] = "Not to be used with mode=auto."
			}
		}
	}
	if p.Get("stealth_proxy") == "true" {
		for _, name := range []string{"forward_headers", "forward_headers_pure", "cookies", "timeout"} {
			if v := p.Get(name); v != "" && v != "false" {
				faults[name] = "Not to be used with stealth_proxy."
			}
		}
	}
	if slices.Contains(strings.Split(target.Hostname(), "."), "google") && p.Get("custom_google") != "true" {
		faults["custom_google"] = "Required for this site."
	}
}

// priceOf is what an ask costs by its parameters. What is not said is as the provider
// would have it: with a browser.
func priceOf(p url.Values) int {
	browser := p.Get("render_js") != "false"
	switch {
	case p.Get("mode") == "auto":
		return 1
	case p.Get("stealth_proxy") == "true":
		return 75
	case p.Get("custom_google") == "true":
		return 15
	case p.Get("premium_proxy") == "true" && browser:
		return 25
	case p.Get("premium_proxy") == "true":
		return 10
	case browser:
		return 5
	}
	return 1
}

// seenBySite returns the header that a site gets to see: a browser's, what the client has
// forwarded, or both.
func seenBySite(p url.Values, h http.Header) http.Header {
	forwarded := make(http.Header)
	for name, values := range h {
		name, ok := strings.CutPrefix(name, "Spb-")
		if ok && name != "Cookie" && name != "Set-Cookie" && name != "Host" {
			forwarded[http.CanonicalHeaderKey(name)] = slices.Clone(values)
		}
	}
	pure := p.Get("forward_headers_pure") == "true"
	seen := make(http.Header)
	if !pure {
		seen = http.Header{
			"User-Agent":                {"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"},
			"Accept":                    {"text/html,application/xhtml+xml,*/*;q=0.8"},
			"Accept-Language":           {"en-US,en;q=0.9"},
			"Sec-Ch-Ua":                 {`"Chromium";v="140"`},
			"Sec-Ch-Ua-Platform":        {`"Linux"`},
			"Sec-Fetch-Mode":            {"navigate"},
			"Upgrade-Insecure-Requests": {"1"},
		}
	}
	if pure || p.Get("forward_headers") == "true" {
		maps.Copy(seen, forwarded)
	}
	if c := p.Get("cookies"); c != "" {
		seen.Set("Cookie", c)
	}
	return seen
}
