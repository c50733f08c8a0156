package proxy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/politefetch/sdk/internal/guard"
)

// Reasons of errors where no type says more.
var (
	// ErrBudget: the Budget has no credits left for an ask. Nothing was sent.
	ErrBudget = errors.New("proxy: no credits left in the budget")
	// ErrStopped: the provider's earlier answer stopped the route for all sites. Nothing was
	// sent. The error that holds it holds that answer's [*ProviderError] too.
	ErrStopped = errors.New("proxy: the route has stopped")
	// ErrUnreachable: the provider could not connect to the site. It is not an answer of the
	// site's, and no sign of a limit.
	ErrUnreachable = errors.New("proxy: the provider could not reach the site")
	// ErrRefused: an address that no provider is to be asked for. Nothing was sent.
	ErrRefused = guard.ErrRefused
)

// A Kind says what a provider's own answer means.
type Kind uint8

// The kinds of a [ProviderError].
const (
	KindUnknown Kind = iota
	KindRequest      // the request was turned down, a mistake in it or here
	KindQuota        // the account is out of credits: stops the route
	KindAuth         // the key is not accepted: stops the route
	KindBusy         // the account has too many asks in flight
	KindDown         // a failure of the provider, or of the network on the way to it
	KindDrift        // an answer that a provider as documented does not give: stops the route
)

// String returns "request", "quota", "auth", "busy", "down", "drift" or "unknown".
func (k Kind) String() string {
	switch k {
	case KindRequest:
		return "request"
	case KindQuota:
		return "quota"
	case KindAuth:
		return "auth"
	case KindBusy:
		return "busy"
	case KindDown:
		return "down"
	case KindDrift:
		return "drift"
	default:
		return "unknown"
	}
}

// MarshalText implements [encoding.TextMarshaler] with the text of String.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what [Kind.MarshalText] wrote. A text that is no Kind's is an error.
func (k *Kind) UnmarshalText(text []byte) error {
	for known := KindUnknown; known <= KindDrift; known++ {
		if known.String() == string(text) {
			*k = known
			return nil
		}
	}
	return fmt.Errorf("proxy: %.40q is no Kind", text)
}

// A ProviderError is what the provider, not the site, had to say. It holds nothing of the
// provider's text but what its fields name.
type ProviderError struct {
	Status     int // of the provider's answer; 0: there was none
	Kind       Kind
	RequestID  string        // the provider's name for the ask, for its support; "": none given
	RetryAfter time.Duration // the wait that a busy provider asks for; 0: none named
	Reason     string        // in words of this package

	timeout bool // our own deadline
	site    bool // the site may have caused it: it stops the route for that site alone
}

// Error says what kind of answer it was, and why.
func (e *ProviderError) Error() string {
	var b strings.Builder
	b.WriteString("proxy: provider: " + e.Kind.String())
	if e.Reason != "" {
		b.WriteString(": " + e.Reason)
	}
	var facts []string
	if e.Status != 0 {
		facts = append(facts, "status "+strconv.Itoa(e.Status))
	}
	if e.RetryAfter > 0 {
		facts = append(facts, "retry after "+e.RetryAfter.String())
	}
	if e.RequestID != "" {
		facts = append(facts, "request "+e.RequestID)
	}
	if len(facts) > 0 {
		b.WriteString(" (" + strings.Join(facts, ", ") + ")")
	}
	return b.String()
}

// Is reports whether target is [context.DeadlineExceeded] and the provider took too long.
func (e *ProviderError) Is(target error) bool { return e.timeout && target == context.DeadlineExceeded }

// Timeout reports whether the provider took too long.
func (e *ProviderError) Timeout() bool { return e.timeout }

// stops reports whether no further ask of any site makes sense.
func (e *ProviderError) stops() bool {
	switch e.Kind {
	case KindQuota, KindAuth:
		return true
	case KindDrift:
		return !e.site
	default:
		return false
	}
}

// A WallError says that a bot wall or challenge page answered in the site's place. The ask
// that met it fails with it, and so do all later ones for that site, without a request.
type WallError struct {
	URL                  string // where it was met
	Status               int
	Header               http.Header // the site's
	Kind, Vendor, Marker string      // "challenge" or "block", who makes it, what proves it
}

// Error names the wall and where it was met.
func (e *WallError) Error() string {
	return fmt.Sprintf("proxy: %s: bot wall: %s %s (%s), status %d", clip(e.URL), e.Vendor, e.Kind, e.Marker, e.Status)
}

func (e *WallError) copy() *WallError {
	c := *e
	c.Header = e.Header.Clone()
	return &c
}

// A CheckError says that Check refused an address. Unwrap gives what Check said.
type CheckError struct {
	URL   string // the address that Check refused
	After bool   // the answer came from there; its body was dropped. False: nothing was sent
	Err   error

	Status int         // what was answered there; 0: nothing was sent
	Header http.Header // the site's
}

// Error says what was refused, when, and why.
func (e *CheckError) Error() string {
	if e.After {
		return "proxy: the answer came from " + clip(e.URL) + ": " + e.Err.Error()
	}
	return "proxy: " + clip(e.URL) + ": " + e.Err.Error()
}

// Unwrap returns what Check said.
func (e *CheckError) Unwrap() error { return e.Err }

// maxText bounds foreign text in errors.
const maxText = 300

// clip cuts s to maxText bytes and escapes what could break a log line.
func clip(s string) string {
	cut := ""
	if len(s) > maxText {
		s, cut = s[:maxText], "…"
	}
	q := strconv.QuoteToASCII(s)
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`) + cut
}
