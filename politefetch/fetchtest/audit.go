package fetchtest

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Promise is what a bot's public page says of its behaviour. A zero field is not
// checked.
type Promise struct {
	UserAgent string // every request carries it, robots.txt included
	Anonymous bool   // GET only, no body, no Cookie, Authorization or Referer

	// Product is the bot's robots.txt token. The robots.txt of every scheme, host and
	// port is asked for before anything else there, its rules as they were served are
	// obeyed, and its Crawl-delay lengthens Delay. While it can't be had (429, 5xx, no
	// answer) nothing else is asked for.
	Product string
	// Exempt are addresses that are asked for whatever robots.txt says, before it too:
	// a full URL, or a path with its query on any host.
	Exempt []string

	Concurrency int           // requests in flight
	Delay       time.Duration // from an answer's end to the next request
	Burst       int           // requests that may start within Delay; 0 and 1: none but the first
	// MaxWait is the longest wait that is sat out. After an answer that asked for more
	// (Retry-After in seconds or as a date) the host is not asked again before then;
	// after a shorter one neither: MaxWait only sorts what the message says. Below status 400
	// the wait is that of the address to which a redirect leads (RFC 9110 section 10.2.3).
	MaxWait time.Duration
	// OneSite: all hosts in the log share one pace, as those of one visit do.
	OneSite bool
	// Tolerance is taken off every wait, for clocks that are not fake.
	Tolerance time.Duration
}

// Audit holds a log against a promise, host by host, and returns an error for each
// breach, joined: nil when every promise was kept, also when nothing was asked for at all
// (look at [Site.Count] for that). The log must be in the order in which the requests came.
func Audit(log []Exchange, p Promise) error {
	a := auditor{p: p, hosts: make(map[string]*track), files: make(map[string]*rules), moved: make(map[string]string)}
	for i := range log {
		a.headers(&log[i])
		a.robots(&log[i])
		a.pace(&log[i])
		a.answered(&log[i])
	}
	return errors.Join(a.breaches...)
}

type auditor struct {
	p        Promise
	hosts    map[string]*track // by host name
	files    map[string]*rules // robots.txt by scheme, host and port
	moved    map[string]string // where a robots.txt was redirected to, and whose it is
	breaches []error
}

// track is what one host has seen so far.
type track struct{ seen []*Exchange }

func (a *auditor) breach(x *Exchange, format string, args ...any) {
	a.breaches = append(a.breaches, fmt.Errorf("fetchtest: %s %s at %s: %s",
		x.Method, x.URL, x.Began.UTC().Format("2006-01-02T15:04:05.000Z"), fmt.Sprintf(format, args...)))
}

func (a *auditor) headers(x *Exchange) {
	if ua := x.Header.Get("User-Agent"); a.p.UserAgent != "" && ua != a.p.UserAgent {
		a.breach(x, "User-Agent is %q, promised %q", ua, a.p.UserAgent)
	}
	if !a.p.Anonymous {
		return
	}
	if x.Method != http.MethodGet {
		a.breach(x, "method is not GET")
	}
	for _, name := range []string{"Cookie", "Authorization", "Proxy-Authorization", "Referer", "Content-Length"} {
		if x.Header.Get(name) != "" {
			a.breach(x, "carries %s", name)
		}
	}
}

func (a *auditor) robots(x *Exchange) {
	if a.p.Product == "" || len(a.owners(x.URL)) > 0 || a.exempt(x.URL) {
		return
	}
	switch f := a.files[authority(x.URL)]; {
	case f == nil:
		a.breach(x, "robots.txt of %s had not been read", authority(x.URL))
	case f.unreachable:
		a.breach(x, "robots.txt of %s could not be had", authority(x.URL))
	case x.Began.Before(f.since):
		a.breach(x, "robots.txt of %s had not been read", authority(x.URL))
	default:
		if line, ok := f.test(x.URL.RequestURI()); !ok {
			a.breach(x, "disallowed by robots.txt line %d", line)
		}
	}
}

// owners returns the authorities whose robots.txt is asked for at u: none when u is a
// page, two when one was redirected to the other's.
func (a *auditor) owners(u *url.URL) []string {
	var keys []string
	if u.Path == "/robots.txt" {
		keys = append(keys, authority(u))
	}
	if first, ok := a.moved[u.String()]; ok && !slices.Contains(keys, first) {
		keys = append(keys, first)
	}
	return keys
}

func (a *auditor) exempt(u *url.URL) bool {
	return slices.Contains(a.p.Exempt, u.String()) || slices.Contains(a.p.Exempt, u.RequestURI())
}

func (a *auditor) pace(x *Exchange) {
	key := x.URL.Hostname()
	if a.p.OneSite {
		key = ""
	}
	t := a.hosts[key]
	if t == nil {
		t = &track{}
		a.hosts[key] = t
	}
	delay := a.p.Delay
	burst := max(a.p.Burst, 1)
	if f := a.files[authority(x.URL)]; f != nil && f.delay > delay {
		delay, burst = f.delay, 1
	}
	flying := 1
	var last *Exchange // the latest to end
	for _, y := range t.seen {
		switch {
		case y.Ended.IsZero() || y.Ended.After(x.Began):
			flying++
		case last == nil || y.Ended.After(last.Ended):
			last = y
		}
	}
	if a.p.Concurrency > 0 && flying > a.p.Concurrency {
		a.breach(x, "%d requests in flight, promised at most %d", flying, a.p.Concurrency)
	}
	if burst == 1 && delay > 0 && last != nil {
		a.gap(x, last, last.Ended, delay)
	} else if burst > 1 && delay > 0 && len(t.seen) >= burst {
		y := t.seen[len(t.seen)-burst]
		a.gap(x, y, y.Began, delay)
	}
	a.holds(x, t)
	t.seen = append(t.seen, x)
}

func (a *auditor) gap(x, y *Exchange, since time.Time, delay time.Duration) {
	if d := x.Began.Sub(since); d < delay-a.p.Tolerance {
		a.breach(x, "came %v after %s, promised %v", d, y.URL, delay)
	}
}

// holds looks for answers that had asked for more time.
func (a *auditor) holds(x *Exchange, t *track) {
	for _, y := range t.seen {
		wait := retryAfter(y.Answer, y.Answered)
		if wait <= 0 || y.Answered.IsZero() || y.Answered.After(x.Began) || y.URL.Hostname() != x.URL.Hostname() {
			continue
		}
		if y.Answer.Status < http.StatusBadRequest && !leads(y, x.URL) {
			continue
		}
		if d := x.Began.Sub(y.Answered); d < wait-a.p.Tolerance {
			sort := "is to be waited out"
			if a.p.MaxWait > 0 && wait > a.p.MaxWait {
				sort = "ends the visit"
			}
			a.breach(x, "came %v after %s answered %d and asked for %v, which %s", d, y.URL, y.Answer.Status, wait, sort)
		}
	}
}

// leads reports whether an answer redirects to an address.
func leads(x *Exchange, u *url.URL) bool {
	to, err := x.URL.Parse(x.Answer.Header.Get("Location"))
	return err == nil && x.Answer.Status/100 == 3 && to.String() == u.String()
}

// answered takes in what an answer says of the requests after it.
func (a *auditor) answered(x *Exchange) {
	if a.p.Product == "" {
		return
	}
	for _, key := range a.owners(x.URL) {
		old := a.files[key]
		if x.URL.Path == "/robots.txt" && authority(x.URL) == key {
			maps.DeleteFunc(a.moved, func(_, k string) bool { return k == key }) // asked for anew
			if old != nil {
				old.hops = 0
			}
		}
		f := &rules{since: x.Ended}
		switch s := x.Answer.Status; {
		case s == http.StatusNotModified && old != nil:
			f.lines, f.delay, f.unreachable = old.lines, old.delay, old.unreachable
		case x.Answer.Err != nil, x.Answered.IsZero(), s == http.StatusTooManyRequests, s >= 500:
			f.unreachable = true
		case s/100 == 3 && x.Answer.Header.Get("Location") != "":
			f = a.follow(x, key, old)
		case s/100 == 2:
			f = parseRules(x.Answer.Body, a.p.Product)
			f.since = x.Ended
		}
		a.files[key] = f
	}
}

// follow notes where a robots.txt was redirected to; until that has answered it can't be
// had. More than five redirects, or a loop, are as if there were none (RFC 9309 section
// 2.3.1.2).
func (a *auditor) follow(x *Exchange, key string, old *rules) *rules {
	f := &rules{since: x.Ended, hops: 1}
	if old != nil && old.hops > 0 {
		f.hops = old.hops + 1
	}
	to, err := x.URL.Parse(x.Answer.Header.Get("Location"))
	if err != nil {
		f.unreachable = true
		return f
	}
	if _, again := a.moved[to.String()]; f.hops > 5 || again || to.String() == key+"/robots.txt" || to.String() == x.URL.String() {
		return f
	}
	f.unreachable = true
	a.moved[to.String()] = key
	return f
}

func authority(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}

// retryAfter returns the wait that an answer asked for; 0 when none.
func retryAfter(a Answer, at time.Time) time.Duration {
	v := cmp.Or(a.Header.Get("Retry-After"))
	if n, err := strconv.ParseUint(v, 10, 31); err == nil {
		return time.Duration(n) * time.Second
	}
	if t, err := http.ParseTime(v); err == nil {
		return t.Sub(at)
	}
	return 0
}
