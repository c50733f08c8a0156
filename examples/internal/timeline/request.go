package timeline

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/politefetch/sdk/politefetch"
)

// A request is one that went out, with the waits that it sat out before.
type request struct {
	n       int // from 1, in the order of starts
	host    *host
	url     string
	began   time.Time
	ended   time.Time // with open: when the run did
	open    bool      // no answer is on record
	status  int
	content int64  // bytes
	why     string // there is no answer
	gentle  bool
	relayed bool
	limited *politefetch.Event
	wall    *politefetch.Event
	waits   []politefetch.Event
	lane    int
}

// A host is what is known of one host key, its requests in the order of their starts.
type host struct {
	key      string
	requests []*request
	holds    []politefetch.Event // what the host asked for
	unsent   []politefetch.Event // waits that no request came after
	lanes    int                 // most requests in flight
}

// A story is the events in order.
type story struct {
	requests []*request
	hosts    []*host // in the order of their first requests
	byKey    map[string]*host
	other    []politefetch.Event // neither a request nor a wait
	forbids  []politefetch.Event
	began    time.Time
	ended    time.Time
}

// tell puts events into order. It doesn't matter in which order they are given.
func tell(given []politefetch.Event, mostWait time.Duration) *story {
	events := slices.Clone(given)
	slices.SortStableFunc(events, func(a, b politefetch.Event) int {
		return cmp.Or(began(&a).Compare(began(&b)), cmp.Compare(rank[a.Kind], rank[b.Kind]),
			cmp.Compare(a.Key, b.Key), cmp.Compare(a.URL, b.URL), cmp.Compare(a.Status, b.Status), a.At.Compare(b.At))
	})
	s := &story{byKey: make(map[string]*host)}
	for i := range events {
		if e := &events[i]; i == 0 {
			s.began, s.ended = began(e), e.At
		} else if e.At.After(s.ended) {
			s.ended = e.At
		}
	}
	by := byURL(events)
	s.ask(events, by)
	for i := range events {
		switch e := &events[i]; e.Kind {
		case politefetch.EventWait:
			s.waited(e, by[e.URL], mostWait)
		case politefetch.EventLimit, politefetch.EventWall:
			if r := by[e.URL].endingAt(e.At); r != nil {
				r.complain(e)
			}
			if h := s.host(e.Key); e.Kind == politefetch.EventLimit {
				h.holds = append(h.holds, *e)
			}
			s.other = append(s.other, *e)
		case politefetch.EventForbid:
			if e.Outcome == "" { // it is exempt, and asked for all the same
				s.other = append(s.other, *e)
			} else {
				s.forbids = append(s.forbids, *e)
			}
		case politefetch.EventSend, politefetch.EventAnswer, politefetch.EventRedirect:
		default:
			s.other = append(s.other, *e)
		}
	}
	for _, h := range s.hosts {
		h.setLanes()
	}
	return s
}

// began is when what an event tells of began.
func began(e *politefetch.Event) time.Time { return e.At.Add(-e.Took) }

// rank orders events of one instant: as a request goes its way.
var rank = map[politefetch.EventKind]int{
	politefetch.EventAnswer: 1, politefetch.EventSend: 2, politefetch.EventLimit: 3, politefetch.EventWall: 4,
	politefetch.EventRedirect: 5, politefetch.EventRobots: 6, politefetch.EventWait: 7, politefetch.EventEnd: 9,
}

// asked is what went out to one address, in order.
type asked struct {
	requests []*request
	sends    int // of them, those whose sending is on record
	waited   int // of them, those that began before the latest wait
}

// byURL prepares the looking up by address.
func byURL(events []politefetch.Event) map[string]*asked {
	by := make(map[string]*asked)
	for i := range events {
		if by[events[i].URL] == nil {
			by[events[i].URL] = &asked{}
		}
	}
	return by
}

// ask makes the requests: one of each answer, and one of each sending without.
func (s *story) ask(events []politefetch.Event, by map[string]*asked) {
	for i := range events {
		e := &events[i]
		if e.Kind != politefetch.EventAnswer && e.Kind != politefetch.EventSend {
			continue
		}
		a := by[e.URL]
		if e.Kind == politefetch.EventSend && a.answers(e.At) {
			continue
		}
		r := &request{
			url: e.URL, began: began(e), ended: e.At, status: e.Status, content: e.Received, why: e.Why,
			gentle: e.Gentle, relayed: e.Relayed, open: e.Kind == politefetch.EventSend,
		}
		if r.open {
			r.ended, r.why = s.ended, "the run ended before the answer"
			a.sends++
		}
		a.requests = append(a.requests, r)
		s.requests = append(s.requests, r)
		r.n, r.host = len(s.requests), s.host(e.Key)
		r.host.requests = append(r.host.requests, r)
	}
}

// answers reports whether what was sent at t is a request that an answer tells more of.
func (a *asked) answers(t time.Time) bool {
	for a.sends < len(a.requests) && a.requests[a.sends].ended.Before(t) {
		a.sends++ // its sending is not on record
	}
	if a.sends == len(a.requests) {
		return false
	}
	a.sends++
	return true
}

func (s *story) host(key string) *host {
	h := s.byKey[key]
	if h == nil {
		h = &host{key: key}
		s.byKey[key] = h
		s.hosts = append(s.hosts, h)
	}
	return h
}

// waited hands a wait to the request that came after it. A hold longer than any that is
// sat out is none that a request waited for.
func (s *story) waited(e *politefetch.Event, a *asked, most time.Duration) {
	for a.waited < len(a.requests) && !a.requests[a.waited].began.After(e.At) {
		a.waited++
	}
	if a.waited == len(a.requests) || e.Held && e.Until.Sub(e.At) > most {
		h := s.host(e.Key)
		h.unsent = append(h.unsent, *e)
		return
	}
	r := a.requests[a.waited]
	r.waits = append(r.waits, *e)
}

// endingAt returns the request whose answer had been read at t.
func (a *asked) endingAt(t time.Time) *request {
	for _, r := range a.requests {
		if r.ended.Equal(t) && !r.open {
			return r
		}
	}
	return nil
}

func (r *request) complain(e *politefetch.Event) {
	if e.Kind == politefetch.EventWall {
		r.wall = e
	} else {
		r.limited = e
	}
}

// setLanes puts requests that were in flight together into lanes of their own.
func (h *host) setLanes() {
	var free []time.Time // when each lane is
	for _, r := range h.requests {
		r.lane = slices.IndexFunc(free, func(t time.Time) bool { return !t.After(r.began) })
		if r.lane < 0 {
			r.lane, free = len(free), append(free, time.Time{})
		}
		free[r.lane] = r.ended
	}
	h.lanes = max(1, len(free))
}

// waitedFrom is when the first of a request's waits began.
func (r *request) waitedFrom() time.Time {
	if len(r.waits) == 0 {
		return r.began
	}
	return r.waits[0].At
}

// A look is how an answer is shown: never by its colour alone.
type look struct {
	class, sign, name string
}

var (
	lookOK       = look{"ok", "", "answered"}
	lookMoved    = look{"moved", "›", "redirected"}
	lookGone     = look{"gone", "○", "not there (4xx)"}
	lookRefused  = look{"refused", "⊘", "refused"}
	lookFailed   = look{"failed", "✕", "failed"}
	lookLimited  = look{"limited", "◆", "asked for fewer requests"}
	lookWall     = look{"wall", "■", "bot wall"}
	lookNoAnswer = look{"open", "…", "no answer on record"}
)

// looks are all of them, in the order of a legend.
var looks = []look{lookOK, lookMoved, lookGone, lookRefused, lookLimited, lookFailed, lookWall, lookNoAnswer}

func (r *request) look() look {
	switch s := r.status; {
	case r.open:
		return lookNoAnswer
	case r.wall != nil:
		return lookWall
	case r.limited != nil, s == http.StatusTooManyRequests:
		return lookLimited
	case s == 0, s >= 500 && s < 600:
		return lookFailed
	case s == http.StatusUnauthorized, s == http.StatusForbidden, s == http.StatusProxyAuthRequired,
		s == http.StatusUnavailableForLegalReasons, s >= 600:
		return lookRefused
	case s >= 400:
		return lookGone
	case s >= 300 && s != http.StatusNotModified:
		return lookMoved
	}
	return lookOK
}
