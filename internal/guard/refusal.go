package guard

import (
	"errors"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// maxText bounds what a hostile URL or host adds to an error text.
const maxText = 300

// ErrRefused is what every [Refusal] is, to be told with [errors.Is].
var ErrRefused = errors.New("refused by the address guard")

// Refusal says why the guard let a URL or an address not pass. A name that does not resolve
// is no refusal: the [Dialer] reports it as a [*net.DNSError].
type Refusal struct {
	URL    string     // as given, without user information, escaped and cut to 300 bytes; empty when dialling
	Host   string     // escaped and cut; empty if it never came so far
	Addr   netip.Addr // the address that was refused, if it was an address
	Reason string     // lower case, without any part of the URL
}

// Error names the URL, or else the host, and the reason.
func (r *Refusal) Error() string {
	var b strings.Builder
	b.WriteString("refused ")
	switch {
	case r.URL != "":
		b.WriteString(r.URL)
	case r.Host != "":
		b.WriteString(r.Host)
	default:
		b.WriteString("an address")
	}
	b.WriteString(": ")
	b.WriteString(r.Reason)
	if r.Addr.IsValid() && r.Addr.String() != r.Host {
		b.WriteString(" (" + safeText(r.Addr.String()) + ")")
	}
	return b.String()
}

// Is reports whether target is [ErrRefused].
func (r *Refusal) Is(target error) bool { return target == ErrRefused }

func refuse(raw, reason string) *Refusal {
	r := &Refusal{URL: safeURL(raw), Reason: reason}
	if u, err := url.Parse(raw); err == nil && len(raw) <= maxText {
		r.Host = safeText(u.Hostname())
	}
	return r
}

// safeURL is raw without user information, fit for a log line.
func safeURL(raw string) string {
	if u, err := url.Parse(raw); err == nil && u.Opaque == "" {
		if u.User == nil && u.Host != "" {
			return safeText(raw)
		}
		if u.User != nil {
			u.User = nil
			return safeText(u.String())
		}
	}
	// What doesn't parse, or has no host, may have a password anywhere in front of an "@".
	if i := strings.LastIndexByte(raw, '@'); i >= 0 {
		raw = raw[i+1:]
	}
	return safeText(raw)
}

// safeText escapes what isn't printable ASCII and cuts the rest.
func safeText(s string) string {
	s = s[:min(len(s), maxText)]
	q := strconv.QuoteToASCII(s)
	q = strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
	return q[:min(len(q), maxText)]
}
