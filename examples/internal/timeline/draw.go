package timeline

import (
	"fmt"
	"strings"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/politefetch"
)

// Heights in a strip; the template knows those of what stands above the bars.
const (
	barTop     = 27
	barHeight  = 22 // of all lanes together, while there are few
	leastBar   = 3.0
	waitHeight = 7
	axisHeight = 16
)

// A strip is one line of a host's time line.
type strip struct {
	From, To          string
	Height, Bars      int // of the strip, of its bars
	Wait, Axis, Label int // where these begin
	Shades            []span
	Holds, Waits      []span
	Marks             []mark
	Breaks            []label
	Ticks             []label
}

// Cut is a quarter of the height of the sign that a wait is cut short.
func (s *strip) Cut() int { return (s.Axis - 26) / 4 }

// A span is what takes time.
type span struct {
	Class  string
	X, W   px
	Label  string // where there is room for it
	Short  string // where there is not
	Title  string
	LabelX px
}

// A mark is one request.
type mark struct {
	N           int
	X, Y, W, H  px
	Class, Sign string
	SignX       px
	Title       string
}

type label struct {
	X      px
	Text   string
	Anchor string // where X is in the text, so that it stays on the strip
}

func newLabel(x float64, text string) label {
	l := label{px(x), text, "mid"}
	const half = 25
	switch {
	case x < half:
		l.Anchor = "start"
	case x > stripWidth-half:
		l.Anchor = "end"
	}
	return l
}

// A drawing places what a host saw on strips.
type drawing struct {
	*scale
	strips []strip
	zone   *time.Location
	lanes  int
}

// draw draws a host's time line.
func draw(h *host, zone *time.Location) []strip {
	var stops []time.Time
	var steps []time.Duration
	for i, r := range h.requests {
		stops = append(stops, r.began, r.ended)
		for j := range r.waits {
			stops = append(stops, r.waits[j].At)
		}
		if i > 0 {
			steps = append(steps, r.began.Sub(h.requests[i-1].began))
		}
	}
	for i := range h.holds {
		stops = append(stops, h.holds[i].At, h.holds[i].Until)
	}
	if len(stops) == 0 {
		return nil
	}
	d := &drawing{scale: newScale(stops, steps), zone: zone, lanes: h.lanes}
	d.frame()
	d.shades(h)
	for i := range h.holds {
		e := &h.holds[i]
		d.span(e.At, e.Until, func(s *strip, sp span) { s.Holds = append(s.Holds, sp) }, span{
			Class: "held", Label: text(e.Why), Short: fmt.Sprint(e.Status), Title: fmt.Sprintf("%s: nothing more before %s", text(e.Why), e.Until.In(zone).Format(instant)),
		})
	}
	for _, r := range h.requests {
		d.request(r)
	}
	return d.strips
}

// frame makes the strips, with what is on them whatever happened.
func (d *drawing) frame() {
	n := d.scale.strips()
	bars := max(barHeight, 6*d.lanes)
	for i := range n {
		from, to := float64(i)*stripWidth, float64(i+1)*stripWidth
		s := strip{
			From: d.at(from).In(d.zone).Format(instant), To: d.at(to).In(d.zone).Format(instant), Bars: bars,
			Wait: barTop + bars + 2, Axis: barTop + bars + 2 + waitHeight + 2,
		}
		s.Label = s.Axis + 12
		s.Height = s.Axis + axisHeight
		for _, t := range d.ticks(from, to) {
			s.Ticks = append(s.Ticks, newLabel(d.x(t)-from, tickText(t.In(d.zone))))
		}
		d.strips = append(d.strips, s)
	}
	for i, st := range d.stops {
		if st.leftOut {
			x := (st.x + d.stops[i+1].x) / 2
			k := int(x / stripWidth)
			d.strips[k].Breaks = append(d.strips[k].Breaks, newLabel(x-float64(k)*stripWidth, seconds(d.stops[i+1].t.Sub(st.t))))
		}
	}
}

// tickText is an instant without the zeros that a round one ends with.
func tickText(t time.Time) string {
	return strings.TrimSuffix(t.Format(clock), ".000")
}

// pieces cuts the stretch from one instant to another into those of the strips.
func (d *drawing) pieces(from, to time.Time, least float64, yield func(s *strip, x, w float64)) {
	a, b := d.x(from), d.x(to)
	b = max(b, a+least)
	for k := int(a / stripWidth); k < len(d.strips); k++ {
		left, right := float64(k)*stripWidth, float64(k+1)*stripWidth
		if b <= left {
			return
		}
		if k == len(d.strips)-1 || b-right < least {
			right = max(right, b) // rather a little over the edge than a splinter
		}
		yield(&d.strips[k], max(a, left)-left, min(b, right)-max(a, left))
		if b <= right {
			return
		}
	}
}

func (d *drawing) span(from, to time.Time, add func(*strip, span), sp span) {
	first := true
	d.pieces(from, to, 1, func(s *strip, x, w float64) {
		p := sp
		p.X, p.W, p.LabelX = px(x), px(w), px(x+8)
		if float64(len(p.Label))*5.3+12 > w {
			p.Label = sp.Short
		}
		if !first {
			p.Label = ""
		}
		first = false
		add(s, p)
	})
}

// shades mark the stretches in which the host was asked in another mode than usual.
func (d *drawing) shades(h *host) {
	for i := 0; i < len(h.requests); {
		mode := h.requests[i].mode()
		j := i + 1
		for j < len(h.requests) && h.requests[j].mode() == mode {
			j++
		}
		if mode != "" {
			from, to := h.requests[i].waitedFrom(), h.requests[i].ended
			for _, r := range h.requests[i:j] {
				if r.ended.After(to) {
					to = r.ended
				}
			}
			d.span(from, to, func(s *strip, sp span) { s.Shades = append(s.Shades, sp) }, span{Class: mode, Label: mode, Title: modes[mode]})
		}
		i = j
	}
}

// modes are the ways of asking other than the usual one.
var modes = map[string]string{
	"gentle":  "gentle: the host had asked for fewer requests",
	"relayed": "relayed: asked through the provider",
}

func (r *request) mode() string {
	switch {
	case r.relayed:
		return "relayed"
	case r.gentle:
		return "gentle"
	}
	return ""
}

// request draws one request and what it waited for.
func (d *drawing) request(r *request) {
	for i := range r.waits {
		e := &r.waits[i]
		to := r.began
		if i+1 < len(r.waits) {
			to = r.waits[i+1].At
		}
		d.span(e.At, to, func(s *strip, sp span) { s.Waits = append(s.Waits, sp) }, span{
			Class: waitClass(e), Title: fmt.Sprintf("#%d waited %s: %s", r.n, seconds(to.Sub(e.At)), text(cli.WhyWait(e))),
		})
	}
	l := r.look()
	title := fmt.Sprintf("#%d %s, %s after %s: %s", r.n, r.began.In(d.zone).Format(clock), r.answer(), seconds(r.ended.Sub(r.began)), cli.Middle(address(r.url), 80))
	high := float64(max(barHeight, 6*d.lanes)) / float64(d.lanes)
	first := true
	d.pieces(r.began, r.ended, leastBar, func(s *strip, x, w float64) {
		m := mark{
			N: r.n, X: px(x), W: px(w), Y: px(barTop + float64(r.lane)*high), H: px(high - 1),
			Class: l.class, Title: title, SignX: px(x + min(w, leastBar)/2),
		}
		if first {
			m.Sign = l.sign
		}
		first = false
		s.Marks = append(s.Marks, m)
	})
}

// answer is what came back, in a word or two.
func (r *request) answer() string {
	switch {
	case r.open:
		return "no answer on record"
	case r.status == 0:
		return "no answer"
	}
	return fmt.Sprint(r.status)
}

// waitClass tells whose wish a wait is.
func waitClass(e *politefetch.Event) string {
	switch {
	case e.Held:
		return "held"
	case strings.HasPrefix(e.Why, "robots.txt"):
		return "crawl"
	}
	return "own"
}
