package ratepolicy

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxSeconds is where a wait saturates: 2^31 s, the value that RFC 9111 section 1.2.2
// gives for delta-seconds that are too large.
const maxSeconds = 1 << 31

const retryAfter = "Retry-After"

// ParseWait returns the wait that an answer with header h and the given status asks
// for, received at now, and whether it names one. In order of precedence:
//
//   - Retry-After (RFC 9110 section 10.2.3): seconds, or a date in any of the three
//     forms of HTTP. Also read, because servers send them: decimals, "1m30s", RFC 3339
//     dates, and Unix times within [-1 day, +366 days]. Of several, the longest.
//   - RateLimit (draft-ietf-httpapi-ratelimit-headers-10; the form of draft 07 too): the
//     longest t among the policies whose r is 0. Ignored on an answer with an Age.
//   - RateLimit-Reset, X-RateLimit-Reset, X-Rate-Limit-Reset, where the Remaining beside
//     it is 0 or less, or absent on a 429 or 503. From 10^9 on it is a Unix time, from
//     10^12 on in milliseconds.
//
// Dates count from the answer's own Date (plus Age), so that a wrong local clock does no
// harm; now is used where there is no readable Date. Waits are whole seconds, rounded up,
// and at most 2^31 s; dates in the past give 0, true. Nothing is cut to a policy's taste
// and nothing is raised. Fields that can't be read are as if absent.
func ParseWait(h http.Header, status int, now time.Time) (time.Duration, bool) {
	d, _, ok := parseWait(h, status, now)
	return d, ok
}

// parseWait also returns the field that asked.
func parseWait(h http.Header, status int, now time.Time) (time.Duration, string, bool) {
	if !asks(h) {
		return 0, "", false // as almost all answers
	}
	base, aged := serverNow(h, now)
	if n, ok := longest(h[retryAfter], base); ok {
		return seconds(n), retryAfter, true
	}
	if lines := h["Ratelimit"]; len(lines) > 0 && !aged { // as Go canonicalises RateLimit
		if n, ok, valid := rateLimit(strings.Join(lines, ", ")); ok || valid {
			return seconds(n), "RateLimit", ok
		}
	}
	for _, f := range [...]struct{ remaining, reset, name string }{
		{"Ratelimit-Remaining", "Ratelimit-Reset", "RateLimit-Reset"},
		{"X-Ratelimit-Remaining", "X-Ratelimit-Reset", "X-RateLimit-Reset"},
		{"X-Rate-Limit-Remaining", "X-Rate-Limit-Reset", "X-Rate-Limit-Reset"},
	} {
		if n, ok := legacy(h[f.remaining], h[f.reset], status, base); ok {
			return seconds(n), f.name, true
		}
	}
	return 0, "", false
}

// asks reports whether there is a field that could name a wait.
func asks(h http.Header) bool {
	for _, name := range [...]string{retryAfter, "Ratelimit", "Ratelimit-Reset", "X-Ratelimit-Reset", "X-Rate-Limit-Reset"} {
		if len(h[name]) > 0 {
			return true
		}
	}
	return false
}

func seconds(n int64) time.Duration { return time.Duration(min(n, maxSeconds)) * time.Second }

// serverNow returns the server's present, which is Date + Age, or else now, and
// whether the answer has been in a cache.
func serverNow(h http.Header, now time.Time) (time.Time, bool) {
	var age int64
	if v := strings.Trim(h.Get("Age"), " \t"); digits(v) {
		age = min(number(v), maxSeconds)
	}
	if v := h.Get("Date"); v != "" {
		if t, ok := parseDate(strings.Trim(v, " \t"), now); ok {
			return t.Add(time.Duration(age) * time.Second), age > 0
		}
	}
	return now, age > 0
}

// longest returns the longest of the waits in lines of Retry-After, in seconds.
func longest(lines []string, base time.Time) (most int64, ok bool) {
	for _, v := range lines {
		if n, good := oneWait(v, base); good {
			most, ok = max(most, n), true
		}
	}
	return most, ok
}

// oneWait reads one field line: a number, a date, or a comma list of digits.
func oneWait(v string, base time.Time) (int64, bool) {
	v = strings.Trim(v, " \t")
	if n, ok := delay(v, base); ok {
		return n, true
	}
	if t, ok := parseDate(v, base); ok {
		return until(t, base), true
	}
	if !strings.Contains(v, ",") {
		return 0, false
	}
	most, ok := int64(0), false
	for p := range strings.SplitSeq(v, ",") {
		switch p = strings.Trim(p, " \t"); {
		case p == "":
		case !digits(p):
			return 0, false
		default:
			most, ok = max(most, epochOrDelta(number(p), base, true)), true
		}
	}
	return most, ok
}

// delay reads digits, a decimal, or whole hours, minutes and seconds in that order.
func delay(v string, base time.Time) (int64, bool) {
	if digits(v) {
		return epochOrDelta(number(v), base, true), true
	}
	if whole, frac, ok := strings.Cut(v, "."); ok {
		if !digits(whole) || !digits(frac) {
			return 0, false
		}
		n := min(number(whole), maxSeconds)
		if strings.Trim(frac, "0") != "" {
			n++
		}
		return min(n, maxSeconds), true
	}
	total, units := int64(0), "hms"
	for rest := v; rest != ""; {
		i := strings.IndexAny(rest, "hms")
		if i < 0 || !digits(rest[:i]) {
			return 0, false
		}
		u := strings.IndexByte(units, rest[i])
		if u < 0 {
			return 0, false
		}
		scale := int64(1)
		switch rest[i] {
		case 'h':
			scale = 3600
		case 'm':
			scale = 60
		}
		total += min(number(rest[:i]), maxSeconds) * scale
		units, rest = units[u+1:], rest[i+1:]
	}
	return min(total, maxSeconds), v != ""
}

// epochOrDelta tells Unix times from seconds. With near set, only times within
// [-1 day, +366 days] of base are Unix times.
func epochOrDelta(n int64, base time.Time, near bool) int64 {
	var t time.Time
	switch {
	case n < 1e9 || n >= 1e15:
		return min(n, maxSeconds)
	case n >= 1e12:
		t = time.UnixMilli(n)
	default:
		t = time.Unix(n, 0)
	}
	if near && (t.Before(base.Add(-24*time.Hour)) || t.After(base.Add(366*24*time.Hour))) {
		return min(n, maxSeconds)
	}
	return until(t, base)
}

// until returns the seconds from base to t, rounded up, 0 if it is past.
func until(t, base time.Time) int64 {
	d := t.Sub(base) // saturates at 292 years
	if d <= 0 {
		return 0
	}
	n := int64(d / time.Second)
	if d%time.Second != 0 {
		n++
	}
	return min(n, maxSeconds)
}

// legacy reads the fields that preceded RateLimit: the smallest remaining and the
// longest reset count.
func legacy(remaining, reset []string, status int, base time.Time) (most int64, ok bool) {
	if len(reset) == 0 {
		return 0, false
	}
	if len(remaining) == 0 {
		if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
			return 0, false
		}
	} else if !exhausted(remaining) {
		return 0, false
	}
	for _, v := range reset {
		v = strings.Trim(v, " \t")
		if digits(v) {
			most, ok = max(most, epochOrDelta(number(v), base, false)), true
		} else if n, good := oneWait(v, base); good {
			most, ok = max(most, n), true
		}
	}
	return most, ok
}

func exhausted(remaining []string) bool {
	least := math.Inf(1)
	for _, v := range remaining {
		v, _, _ = strings.Cut(v, ",")
		if f, err := strconv.ParseFloat(strings.Trim(v, " \t"), 64); err == nil && !math.IsNaN(f) {
			least = min(least, f)
		}
	}
	return least <= 0
}

// digits reports whether s is 1*DIGIT.
func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// number returns the value of digits, or the largest there is.
func number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return math.MaxInt64
	}
	return n
}
