package botwall

import (
	"net/http"
	"net/url"
	"strings"
)

// FromHeader judges an answer before its body is read, by the headers that services set
// with a verdict. A zero Wall says only that the header proves nothing: the presence of a
// service, its cookies and its sensors never do.
func FromHeader(status int, h http.Header) Wall {
	field := func(name string) string { return strings.ToLower(strings.TrimSpace(h.Get(name))) }
	switch v := field("Cf-Mitigated"); {
	case v == "challenge", v == "jschallenge", strings.HasSuffix(v, "_challenge"):
		return challenge("cloudflare", "cf-mitigated")
	case v == "block":
		return block("cloudflare", "cf-mitigated")
	}
	switch field("X-Vercel-Mitigated") {
	case "challenge":
		return challenge("vercel", "x-vercel-mitigated")
	case "deny":
		return block("vercel", "x-vercel-mitigated")
	}
	switch field("X-Amzn-Waf-Action") {
	case "challenge", "captcha":
		return challenge("awswaf", "x-amzn-waf-action")
	}
	if field("Sg-Captcha") == "challenge" {
		return challenge("siteground", "sg-captcha")
	}
	if field("X-Sucuri-Block") != "" {
		return block("sucuri", "x-sucuri-block")
	}
	// On a 200 this one is the token of a client that was let in.
	if (status == 403 || status == 429) && field("X-Kpsdk-Ct") != "" {
		return challenge("kasada", "x-kpsdk-ct")
	}
	if status == 999 {
		return block("linkedin", "status 999")
	}
	if status >= 300 && status <= 399 {
		if w := fromLocation(h.Get("Location")); w.Kind != NotAWall {
			return w
		}
	}
	return fromRefresh(h.Get("Refresh"))
}

// fromLocation judges a redirect to where a service keeps its challenge. The address is
// taken apart: a wall's address in another's query is not a redirect to it.
func fromLocation(location string) Wall {
	u, err := url.Parse(location)
	if err != nil {
		return Wall{}
	}
	switch {
	case strings.HasPrefix(u.Path, "/sorry/") && isGoogle(u.Hostname()):
		return challenge("google", "redirect to /sorry/")
	case strings.HasPrefix(u.Path, "/.well-known/sgcaptcha/"):
		return challenge("siteground", "redirect to sgcaptcha")
	}
	return Wall{}
}

// isGoogle is true of google.com, www.google.co.uk and the like.
func isGoogle(host string) bool {
	_, suffix, ok := strings.Cut("."+strings.ToLower(host), ".google.")
	return ok && suffix != "" && strings.Count(suffix, ".") <= 1 && len(suffix) <= len("com.xx")
}

func fromRefresh(refresh string) Wall {
	_, target, ok := strings.Cut(strings.ToLower(refresh), "url=")
	if !ok {
		return Wall{}
	}
	u, err := url.Parse(strings.Trim(target, ` '"`))
	if err != nil {
		return Wall{}
	}
	switch {
	case strings.HasPrefix(u.Path, "/.within.website/x/cmd/anubis/"):
		return challenge("anubis", "refresh")
	case strings.HasPrefix(u.Path, "/.well-known/.go-away/"):
		return challenge("go-away", "refresh")
	}
	return Wall{}
}

// mediaType returns the type of the body, lower case and without parameters. It forgives
// what mime.ParseMediaType doesn't: a broken parameter doesn't change the type.
func mediaType(h http.Header) string {
	v := h.Get("Content-Type")
	if i := strings.IndexAny(v, ";,"); i >= 0 {
		v = v[:i]
	}
	return strings.ToLower(strings.TrimSpace(v))
}

// isHTML is true of the types a page of a wall comes in, a missing one included.
func isHTML(h http.Header) bool {
	switch mediaType(h) {
	case "", "text/html", "application/xhtml+xml":
		return true
	}
	return false
}
