package ratepolicy

import (
	"strconv"
	"strings"
	"time"
)

// maxWhy bounds a reason, in bytes.
const maxWhy = 300

// clean returns s escaped and cut to max bytes.
func clean(s string, max int) string {
	if len(s) > max {
		s = s[:max] // escaping never shortens
	}
	q := strconv.QuoteToASCII(s)
	q = strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
	if len(q) > max {
		q = q[:max]
	}
	return q
}

// stamp writes an instant for reasons, no earlier than it is.
func stamp(t time.Time) string {
	t = t.UTC()
	if s := t.Truncate(time.Second); !s.Equal(t) {
		t = s.Add(time.Second)
	}
	return t.Format(time.RFC3339)
}
