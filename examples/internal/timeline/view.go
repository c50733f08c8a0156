package timeline

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/ratepolicy"
)

// A view is what the template is filled in with: text, numbers and coordinates.
type view struct {
	Title, Bot, How    string
	Zone               string
	Began, Ended, Took string
	Counts             string
	Requests           int
	Lost               int
	Broken             bool // a promise
	Checks             []*check
	Facts              []Fact
	Head               []column
	Rows               [][]string
	Closed             []*closed
	Hosts              []hostView
	Other              []otherView
	Legend             []legend
}

type column struct {
	Name   string
	Figure bool // or nothing
	Wide   bool
}

// closed is what one rule of one robots.txt closed.
type closed struct {
	Host, Rule string
	Line       int
	Addresses  []string
	Count      int // of all of them
	known      map[string]bool
}

// More is how many addresses are not shown.
func (c *closed) More() int { return c.Count - len(c.Addresses) }

type hostView struct {
	N       int
	Key     string
	Base    string // what all addresses begin with
	Counts  string
	Busiest string
	Unit    string
	Rates   []rate
	Strips  []strip
	Rows    []rowView
	Unsent  []otherView
}

type otherView struct {
	At, Kind, URL, Text string
}

type legend struct {
	Class, Sign, Name string
	Count             int
}

const (
	mostClosed = 50 // addresses shown for each rule
	wide       = 12 // characters: a column that is not squeezed
)

func newView(r *Run) *view {
	zone := r.Zone
	if zone == nil {
		zone = time.Local
	}
	s := tell(r.Events, mostWait(r.Policy))
	v := &view{
		Title: text(r.Title), Bot: text(r.Bot), How: text(r.Ended), Requests: len(s.requests), Lost: r.Lost,
		Checks: r.audit(s), Closed: closedBy(s.forbids), Counts: counts(s.requests),
	}
	for _, c := range v.Checks {
		v.Broken = v.Broken || c.breaks > 0
	}
	if !s.began.IsZero() {
		v.Began, v.Ended, v.Took = s.began.In(zone).Format(instant), s.ended.In(zone).Format(instant), seconds(s.ended.Sub(s.began))
		v.Zone = zoneName(s.began.In(zone), s.ended.In(zone))
	}
	for _, f := range r.Facts {
		lines := make([]string, len(f.Lines))
		for i, l := range f.Lines {
			lines[i] = text(l)
		}
		v.Facts = append(v.Facts, Fact{text(f.Name), lines})
	}
	v.table(&r.Table)
	for i, h := range s.hosts {
		v.Hosts = append(v.Hosts, viewHost(i+1, h, zone))
	}
	for i := range s.other {
		v.Other = append(v.Other, viewOther(&s.other[i], zone))
	}
	for _, l := range looks {
		if n := count(s.requests, l); n > 0 {
			v.Legend = append(v.Legend, legend{l.class, l.sign, l.name, n})
		}
	}
	return v
}

// zoneName is the zone of the page's instants; two, where the clocks were changed.
func zoneName(from, to time.Time) string {
	const layout = "MST (UTC-07:00)"
	a, b := from.Format(layout), to.Format(layout)
	switch {
	case a != b:
		return a + ", then " + b
	case strings.HasPrefix(a, "UTC "):
		return "UTC"
	}
	return a
}

// mostWait is the longest hold that a bot sits out.
func mostWait(p ratepolicy.Policy) time.Duration {
	return max(cmp.Or(p.Normal.MaxWait, 30*time.Second), cmp.Or(p.Gentle.MaxWait, time.Minute), cmp.Or(p.Relay.MaxWait, 30*time.Second))
}

func count(rs []*request, l look) (n int) {
	for _, r := range rs {
		if r.look() == l {
			n++
		}
	}
	return n
}

// content is how much of answers was read, in bytes.
func content(rs []*request) (n int64) {
	for _, r := range rs {
		n += r.content
	}
	return n
}

// counts says what requests were answered.
func counts(rs []*request) string {
	words := []string{plural(len(rs), "request", "requests")}
	for _, l := range looks {
		if n := count(rs, l); n > 0 {
			words = append(words, fmt.Sprintf("%s %s", thousands(n), l.name))
		}
	}
	if n := content(rs); n > 0 {
		words = append(words, thousands(n)+" bytes of content")
	}
	return strings.Join(words, ", ")
}

func (v *view) table(t *Table) {
	for i, name := range t.Head {
		c := column{Name: text(name), Figure: len(t.Rows) > 0}
		for _, row := range t.Rows {
			c.Wide = c.Wide || i < len(row) && len(row[i]) > wide
			c.Figure = c.Figure && (i >= len(row) || strings.Trim(row[i], "0123456789-") == "")
		}
		v.Head = append(v.Head, c)
	}
	for _, row := range t.Rows {
		cells := make([]string, len(t.Head))
		for i := range min(len(row), len(cells)) {
			cells[i] = text(row[i])
		}
		v.Rows = append(v.Rows, cells)
	}
}

// closedBy sorts what robots.txt closed by the rule that did.
func closedBy(forbids []politefetch.Event) []*closed {
	type key struct {
		host, rule string
		line       int
	}
	by := make(map[key]*closed)
	var out []*closed
	for i := range forbids {
		e := &forbids[i]
		k := key{hostOf(e.URL), e.Robots.Rule, e.Robots.Line}
		c := by[k]
		if c == nil {
			c = &closed{Host: text(k.host), Rule: text(k.rule), Line: k.line, known: make(map[string]bool)}
			if k.line == 0 {
				c.Rule = text(e.Robots.String())
			}
			by[k], out = c, append(out, c)
		}
		if c.known[e.URL] {
			continue
		}
		c.known[e.URL] = true
		if c.Count++; len(c.Addresses) < mostClosed {
			c.Addresses = append(c.Addresses, address(e.URL))
		}
	}
	slices.SortStableFunc(out, func(a, b *closed) int {
		return cmp.Or(strings.Compare(a.Host, b.Host), cmp.Compare(a.Line, b.Line))
	})
	return out
}

func hostOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	return u.Scheme + "://" + u.Host
}

func viewHost(n int, h *host, zone *time.Location) hostView {
	v := hostView{N: n, Key: text(h.key), Counts: counts(h.requests), Strips: draw(h, zone)}
	v.rates(h, zone)
	var prev *request
	var end time.Time // of the answers before
	base := h.base()
	v.Base = text(base)
	for _, r := range h.requests {
		row := viewRow(r, prev, end, zone)
		prev = r
		row.URL = address(strings.TrimPrefix(r.url, base))
		v.Rows = append(v.Rows, row)
		if r.ended.After(end) {
			end = r.ended
		}
	}
	for i := range h.unsent {
		v.Unsent = append(v.Unsent, viewOther(&h.unsent[i], zone))
	}
	return v
}

// base is the scheme and the host that all addresses begin with; "" if there are several.
func (h *host) base() string {
	base := ""
	for i, r := range h.requests {
		b := hostOf(r.url)
		if i > 0 && b != base || !strings.HasPrefix(r.url, b+"/") {
			return ""
		}
		base = b
	}
	return base
}

// kinds are the events that are no requests, in words.
var kinds = map[politefetch.EventKind]string{
	politefetch.EventBar:     "not asked for",
	politefetch.EventRobots:  "robots.txt",
	politefetch.EventForbid:  "asked for though closed",
	politefetch.EventAdmit:   "ownership",
	politefetch.EventWait:    "would have to wait",
	politefetch.EventLimit:   "asked for fewer",
	politefetch.EventWall:    "bot wall",
	politefetch.EventSitemap: "sitemap",
	politefetch.EventSkip:    "given up",
	politefetch.EventEnd:     "end",
}

func viewOther(e *politefetch.Event, zone *time.Location) otherView {
	v := otherView{At: e.At.In(zone).Format(instant), Kind: cmp.Or(kinds[e.Kind], text(string(e.Kind))), URL: address(e.URL), Text: text(cli.Once(cli.WhyWait(e)))}
	if !e.Until.IsZero() {
		v.Text += "; not before " + e.Until.In(zone).Format(instant)
	}
	return v
}
