package timeline

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/politefetch/sdk/examples/cli"
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

// rate is how many requests began in one unit of time.
type rate struct {
	When  string
	Count int
	First int // the number of the first of them
	Width int // of its bar, in per cent
	start time.Time
}

type rowView struct {
	N                    int
	At, Took, Gap        string
	Class, Sign, Answer  string
	Mode, Why, Note, URL string
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

// counts says what requests were answered.
func counts(rs []*request) string {
	words := []string{plural(len(rs), "request", "requests")}
	for _, l := range looks {
		if n := count(rs, l); n > 0 {
			words = append(words, fmt.Sprintf("%s %s", thousands(n), l.name))
		}
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

// mostRates bounds the lines of how many requests came when.
const mostRates = 60

// rates counts requests by the minute, or by what is longer where there are too many.
func (v *hostView) rates(h *host, zone *time.Location) {
	if len(h.requests) == 0 {
		return
	}
	minutes := ratesBy(h, zone, time.Minute)
	top := slices.MaxFunc(minutes, func(a, b rate) int { return cmp.Compare(a.Count, b.Count) })
	v.Busiest = fmt.Sprintf("%s in the minute from %s", plural(top.Count, "request", "requests"), top.start.In(zone).Format("2006-01-02 15:04 -07:00"))
	v.Unit, v.Rates = "minute", minutes
	for _, u := range []struct {
		name string
		d    time.Duration
	}{{"hour", time.Hour}, {"day", 24 * time.Hour}} {
		if len(v.Rates) > mostRates {
			v.Unit, v.Rates = u.name, ratesBy(h, zone, u.d)
		}
	}
	if len(v.Rates) > mostRates || len(v.Rates) == 1 {
		v.Unit, v.Rates = "", nil // the log below has them all, or Busiest does
		return
	}
	most := slices.MaxFunc(v.Rates, func(a, b rate) int { return cmp.Compare(a.Count, b.Count) }).Count
	for i := range v.Rates {
		v.Rates[i].Width = max(1, 100*v.Rates[i].Count/most)
	}
}

func ratesBy(h *host, zone *time.Location, unit time.Duration) []rate {
	var out []rate
	for _, r := range h.requests {
		t := r.began.In(zone)
		_, off := t.Zone()
		shift := time.Duration(off) * time.Second
		t = t.Add(shift).Truncate(unit).Add(-shift) // of the zone's own hours and days
		if n := len(out); n == 0 || !out[n-1].start.Equal(t) {
			out = append(out, rate{When: t.Format("2006-01-02 15:04 -07:00"), First: r.n, start: t})
		}
		out[len(out)-1].Count++
	}
	return out
}

func viewRow(r, prev *request, end time.Time, zone *time.Location) rowView {
	l := r.look()
	v := rowView{
		N: r.n, At: r.began.In(zone).Format(instant), Took: seconds(r.ended.Sub(r.began)), Class: l.class, Sign: l.sign,
		Answer: r.answer(), Mode: r.mode(),
	}
	switch {
	case end.IsZero():
	case end.After(r.began):
		v.Gap = "others in flight"
	default:
		v.Gap = seconds(r.began.Sub(end))
	}
	if r.open {
		v.Took = ""
	}
	v.Why = r.reason(prev, end)
	switch {
	case r.limited != nil:
		v.Note = fmt.Sprintf("%s; not before %s", text(r.limited.Why), r.limited.Until.In(zone).Format(instant))
	case r.wall != nil:
		v.Note = text(r.wall.Why)
	case r.why != "":
		v.Note = text(cli.Once(r.why))
	}
	return v
}

// reason says why a request came when it did. Prev is the one before it, nil if there is
// none, and end is that of the answers before.
func (r *request) reason(prev *request, end time.Time) string {
	if len(r.waits) == 0 { // nobody waited in the crawler: a scheduler may have known
		if h := r.heldBefore(end); h != nil {
			return "its turn had come; held before: " + text(h.Why)
		}
		return "its turn had come"
	}
	var whys []string
	add := func(why string) {
		if !slices.Contains(whys, why) {
			whys = append(whys, why)
		}
	}
	var until time.Time
	for i := range r.waits {
		e := &r.waits[i]
		add(text(cli.WhyWait(e)))
		if e.Until.After(until) {
			until = e.Until
		}
	}
	for i := range r.host.holds { // what the host asked for in the meantime
		if h := &r.host.holds[i]; h.At.After(r.waits[0].At) && h.At.Before(r.began) && h.Until.After(until) {
			add("then " + text(h.Why))
			until = h.Until
		}
	}
	if late := r.began.Sub(until); late > slow && prev != nil && prev.began.After(r.waits[0].At) {
		add("then requests before it")
	} else if late > slow {
		add("then " + seconds(late) + " late")
	}
	return fmt.Sprintf("%s: waited %s", strings.Join(whys, ", "), seconds(r.began.Sub(r.waitedFrom())))
}

// heldBefore is the hold that lay between the answers before, which ended at end, and r.
func (r *request) heldBefore(end time.Time) *politefetch.Event {
	var last *politefetch.Event
	for i := range r.host.holds {
		if h := &r.host.holds[i]; h.Until.After(end) && !h.Until.After(r.began) && (last == nil || h.Until.After(last.Until)) {
			last = h
		}
	}
	return last
}

// slow is by how much a turn is taken late if others went first, or the machine is busy.
const slow = 50 * time.Millisecond

// kinds are the events that are no requests, in words.
var kinds = map[politefetch.EventKind]string{
	politefetch.EventBar:     "not asked for",
	politefetch.EventRobots:  "robots.txt",
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
