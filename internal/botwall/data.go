package botwall

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// fromData judges the bodies that are not HTML: the JSON objects that two services send to
// scripts, and Cloudflare's plain line. Their whole shape must fit.
func fromData(status int, h http.Header, body []byte) Wall {
	switch mediaType(h) {
	case "application/json":
		if status == 403 {
			return fromJSON(h, body)
		}
	case "text/plain", "":
		if status >= 400 && isCloudflare(h) && cloudflareBlocks(plainCode(body)) {
			return block("cloudflare", "error code "+string(bytes.TrimSpace(body))[len("error code: "):])
		}
	}
	return Wall{}
}

func fromJSON(h http.Header, body []byte) Wall {
	var v struct {
		URL         string `json:"url"`
		AppID       string `json:"appId"`
		BlockScript string `json:"blockScript"`
	}
	if json.Unmarshal(body, &v) != nil {
		return Wall{}
	}
	if u, err := url.Parse(v.URL); err == nil && h.Get("X-Datadome") != "" &&
		strings.HasSuffix(u.Hostname(), ".captcha-delivery.com") {
		return challenge("datadome", "captcha-delivery.com in JSON")
	}
	if strings.HasPrefix(v.AppID, "PX") && v.BlockScript != "" {
		return challenge("perimeterx", "blockScript in JSON")
	}
	return Wall{}
}

// isCloudflare is true of what Cloudflare serves, a condition and never a proof.
func isCloudflare(h http.Header) bool {
	return strings.Contains(strings.ToLower(h.Get("Server")), "cloudflare") || h.Get("Cf-Ray") != ""
}

// plainCode returns the code of a body that is exactly "error code: 1ddd", or 0.
func plainCode(body []byte) int {
	digits, ok := bytes.CutPrefix(bytes.TrimSpace(body), []byte("error code: "))
	if !ok || len(digits) != 4 {
		return 0
	}
	return code(digits)
}

// code reads four digits that begin with 1, or returns 0.
func code(b []byte) int {
	if len(b) < 4 || b[0] != '1' || len(b) > 4 && isDigit(b[4]) {
		return 0
	}
	n := 0
	for _, c := range b[:4] {
		if !isDigit(c) {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// cloudflareBlocks is true of the codes by which Cloudflare turns a client away. The other
// codes of the same page speak of a rate limit (1015) or of the site's own set-up.
func cloudflareBlocks(code int) bool {
	switch code {
	case 1005, 1006, 1007, 1008, 1009, 1010, 1012, 1020, 1106:
		return true
	}
	return false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }
