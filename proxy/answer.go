package proxy

import (
	"bytes"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Fields of an answer that are the provider's own. All others that begin like them are the
// site's.
const (
	fieldCost     = "Spb-Cost"
	fieldAutoCost = "Spb-Auto-Cost"
	fieldInitial  = "Spb-Initial-Status-Code" // the first status of the chain: the mark of a site's answer
	fieldFinal    = "Spb-Resolved-Url"
	fieldID       = "Spb-Request-Id"
)

// Texts by which the provider tells apart what it gives one status for.
const (
	textQuota       = "Monthly API calls limit reached"
	textBusy        = "concurrency limit"
	textUnreachable = "Proxy connection error"
	maxOwnText      = 4 << 10 // of a provider's own answer that is looked at
)

// answer is what the provider brought back from the site.
type answer struct {
	status        int
	statusUnknown bool
	final         *url.URL
	header        http.Header
}

// read tells the site's answer from the provider's own. It notes what the ask cost.
func (a *ask) read(resp *http.Response, body *body) (*answer, error) {
	h := resp.Header
	a.cost = costOf(h)
	a.rec.RequestID = requestID(h, a.bee.Key)
	fail := func(kind Kind, reason string) *ProviderError {
		return &ProviderError{Status: resp.StatusCode, Kind: kind, RequestID: a.rec.RequestID, Reason: reason}
	}
	if holdsKey(h, a.bee.Key) {
		return nil, fail(KindDrift, "the answer's header holds the key")
	}
	for _, name := range []string{fieldCost, fieldAutoCost, fieldInitial, fieldFinal, fieldID} {
		if len(h[name]) > 1 { // a site's field of that name would arrive beside the provider's
			err := fail(KindDrift, name+" has more than one value")
			err.site = true
			return nil, err
		}
	}
	initial, ok := h[fieldInitial]
	if !ok {
		err := a.own(resp, body, fail)
		if err.Kind != KindDrift && !a.cost.known {
			a.cost = cost{known: true} // turned down, not billed
		}
		return nil, err
	}
	if !isStatus(initial[0]) {
		return nil, fail(KindDrift, fieldInitial+" is not a status")
	}
	if unreachable(resp.StatusCode, h, a.cost) && bytes.HasPrefix(body.head(int64(len(textUnreachable))), []byte(textUnreachable)) {
		return nil, ErrUnreachable
	}
	if coded(h) {
		return nil, fail(KindDrift, "the answer is in a content coding that was not asked for")
	}
	final, err := finalURL(h, fail)
	if err != nil {
		return nil, err
	}
	ans := &answer{status: resp.StatusCode, final: final, header: siteHeader(h)}
	switch {
	case ans.status < 200 || ans.status > 999:
		return nil, fail(KindDrift, "not a final status")
	case ans.status < 400 && ans.status >= 300 && final.String() != a.rec.Start:
		ans.status, ans.statusUnknown = http.StatusOK, true
	}
	return ans, nil
}

// own judges an answer without the mark of a site's.
func (a *ask) own(resp *http.Response, body *body, fail func(Kind, string) *ProviderError) *ProviderError {
	says := func(text string) bool { return bytes.Contains(body.head(maxOwnText), []byte(text)) }
	switch status := resp.StatusCode; {
	case status == http.StatusUnauthorized && says(textQuota):
		return fail(KindQuota, "the account is out of credits")
	case status == http.StatusTooManyRequests, status == http.StatusForbidden && says(textBusy):
		err := fail(KindBusy, "too many asks in flight for the account")
		err.RetryAfter = retryAfter(resp.Header.Get("Retry-After"), time.Now())
		return err
	case status == http.StatusUnauthorized, status == http.StatusPaymentRequired, status == http.StatusForbidden:
		return fail(KindAuth, "the key is not accepted")
	case status >= 400 && status < 500:
		return fail(KindRequest, "the request was turned down")
	case status >= 500 && status < 600:
		return fail(KindDown, "it failed")
	}
	return fail(KindDrift, "the answer says not whose it is")
}

// costOf reads what the ask cost: a number, not always a whole one.
func costOf(h http.Header) cost {
	if len(h[fieldCost]) != 1 {
		return cost{}
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(h.Get(fieldCost)), 64)
	if err != nil || math.IsNaN(n) || n < 0 || n > 1e6 {
		return cost{}
	}
	return cost{credits: n, known: true}
}

// requestID returns the provider's name for the ask if it is harmless.
func requestID(h http.Header, key APIKey) string {
	id := h.Get(fieldID)
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_.:", r)
	}
	if len(id) > 80 || strings.ContainsFunc(id, odd) || key.in(id) {
		return ""
	}
	return id
}

func holdsKey(h http.Header, key APIKey) bool {
	for name, values := range h {
		if key.in(name) || slices.ContainsFunc(values, key.in) {
			return true
		}
	}
	return false
}

func isStatus(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && len(s) == 3 && n >= 100
}

// unreachable reports whether an answer has the head by which the provider says that it
// could not connect: marked like a site's 503, but free and with nothing of a site's.
func unreachable(status int, h http.Header, c cost) bool {
	if status != http.StatusServiceUnavailable || !c.known || c.credits != 0 {
		return false
	}
	for name := range siteHeader(h) {
		if !strings.HasPrefix(name, "Content-") {
			return false
		}
	}
	return true
}

// coded reports whether a content coding of the provider's own is still to be undone.
func coded(h http.Header) bool {
	v := strings.TrimSpace(h.Get("Content-Encoding"))
	return v != "" && !strings.EqualFold(v, "identity")
}

// finalURL returns where the answer came from.
func finalURL(h http.Header, fail func(Kind, string) *ProviderError) (*url.URL, error) {
	raw := h.Get(fieldFinal)
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.ContainsAny(raw, " \t") {
		e := fail(KindDrift, fieldFinal+" is not an address")
		e.site = raw != "" // it may be a Location of the site's, handed on as it is
		return nil, e
	}
	final, err := checked(raw)
	if err != nil { // a site can redirect to any address
		e := fail(KindDrift, fmt.Sprintf("%s: %v", fieldFinal, err))
		e.site = true
		return nil, e
	}
	return final, nil
}

// siteHeader returns the site's header: without the provider's fields, cookies, and what
// was true of the connection between the two alone (RFC 9110 section 7.6.1).
func siteHeader(h http.Header) http.Header {
	out := make(http.Header)
	for name, values := range h {
		name, ok := strings.CutPrefix(name, prefix)
		if !ok || name == "" {
			continue
		}
		switch name = http.CanonicalHeaderKey(name); name {
		case "Cost", "Auto-Cost", "Initial-Status-Code", "Resolved-Url", "Request-Id",
			"Content-Encoding", "Content-Length", "Transfer-Encoding", "Trailer", "Te", "Upgrade",
			"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection",
			"Set-Cookie", "Set-Cookie2":
			continue
		}
		if !strings.HasPrefix(name, "Js-Scenario-") {
			out[name] = append(out[name], values...)
		}
	}
	return out
}

// retryAfter reads a wait in seconds or up to a date (RFC 9110 section 10.2.3); 0: none.
func retryAfter(v string, now time.Time) time.Duration {
	v = strings.TrimSpace(v)
	if n, err := strconv.ParseUint(v, 10, 31); err == nil {
		return time.Duration(n) * time.Second
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(t.Sub(now), 0)
	}
	return 0
}

func statusLine(code int) string { return strconv.Itoa(code) + " " + http.StatusText(code) }
