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

// An APIKey is a provider's secret, made by [NewAPIKey]; the zero APIKey is none. It prints
// as REDACTED in every form (fmt verbs, JSON and other text encodings, log/slog), and where
// printers reach into values without asking them, such as package fmt into unexported fields,
// they find the address of a function.
type APIKey struct{ secret func() string }

// NewAPIKey returns the key with this text.
func NewAPIKey(text string) APIKey { return APIKey{func() string { return text }} }

// reveal returns the text of the key.
func (k APIKey) reveal() string {
	if k.secret == nil {
		return ""
	}
	return k.secret()
}

// Format implements [fmt.Formatter] for all verbs.
func (APIKey) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(redacted)) }

// String returns "REDACTED".
func (APIKey) String() string { return redacted }

// GoString returns "REDACTED".
func (APIKey) GoString() string { return redacted }

// MarshalText returns "REDACTED".
func (APIKey) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// LogValue returns "REDACTED".
func (APIKey) LogValue() slog.Value { return slog.StringValue(redacted) }

// valid reports whether k can be sent as it is (b64token, RFC 6750 section 2.1).
func (k APIKey) valid() bool {
	s := strings.TrimRight(k.reveal(), "=")
	if len(k.reveal()) < minKey || s == "" {
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
	raw := k.reveal()
	return strings.Contains(s, raw) || strings.Contains(s, url.QueryEscape(raw)) || strings.Contains(s, url.PathEscape(raw))
}

// partly reports whether s holds as much of the key, at the least, as a key has, whatever
// became of the rest: foreign text is cut, quoted and written small.
func (k APIKey) partly(s string) bool {
	raw, small := strings.ToLower(k.reveal()), strings.ToLower(s)
	for i := range len(raw) - minKey + 1 {
		if strings.Contains(small, raw[i:i+minKey]) {
			return true
		}
	}
	return k.in(s)
}
