package proxy

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
)

// redacted is all that is ever seen of an APIKey.
const redacted = "REDACTED"

// minKey is the shortest key that is taken for one: a shorter text in the key's place is a
// mistake, and could not be told from ordinary words when answers are searched for it.
const minKey = 8

var errKey = errors.New("proxy: ScrapingBee.Key is not a key: 8 or more of the characters that RFC 6750 section 2.1 allows")

// An APIKey is a provider's secret. It prints as REDACTED in every form: fmt verbs, JSON and
// other text encodings, log/slog. Convert it to string to get at it. Two things print values
// without asking them and can't be helped: package reflect, and fmt on an unexported struct
// field; keep keys out of those.
type APIKey string

// Format implements [fmt.Formatter] for all verbs.
func (APIKey) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(redacted)) }

// String returns "REDACTED".
func (APIKey) String() string { return redacted }

// GoString returns "REDACTED".
func (APIKey) GoString() string { return redacted }

// MarshalText returns "REDACTED". Reading an APIKey from text works as for any string.
func (APIKey) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// LogValue returns "REDACTED".
func (APIKey) LogValue() slog.Value { return slog.StringValue(redacted) }

// valid reports whether k can be sent as it is (b64token, RFC 6750 section 2.1).
func (k APIKey) valid() bool {
	s := strings.TrimRight(string(k), "=")
	if len(k) < minKey || s == "" {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("-._~+/", rune(c)) {
			return false
		}
	}
	return true
}

// in reports whether s holds the key, as it is or escaped for a URL.
func (k APIKey) in(s string) bool {
	raw := string(k)
	return strings.Contains(s, raw) || strings.Contains(s, url.QueryEscape(raw)) || strings.Contains(s, url.PathEscape(raw))
}
