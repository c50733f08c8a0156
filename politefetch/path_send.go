package politefetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/politefetch/sdk/internal/botwall"
	"github.com/politefetch/sdk/internal/wire"
	"github.com/politefetch/sdk/ratepolicy"
)

// query is what one request asks for.
type query struct {
	method string
	addr   string // the text of the address; "": not made yet
	accept string
	header http.Header    // conditional fields; nil: none
	guise  http.Header    // a browser's fields, in place of the bot's own; nil: the bot's
	max    int64          // bytes of the decoded body
	delay  time.Duration  // robots.txt's Crawl-delay for the address
	budget *time.Duration // time on the network that is left; each exchange takes its share off
	claim  *claim         // the leave to ask for a robots.txt; nil: it is for something else
	owner  string         // on whose behalf an address is claimed that a relay's redirect leads to; "": none is
	proves string         // the host that the page is to prove; "": none
	routed bool           // it went through the relay; open says so
	asks   asks           // through the relay, so far
	began  *time.Time     // set to when the first request went out; nil: nobody asks
}

// wireSlack is what the encoding of a body may take beyond the body itself.
const wireSlack = 1 << 20

// timeoutError is the cause of a context that the Crawler's own Timeout ended.
type timeoutError struct{}

func (timeoutError) Error() string   { return "no complete answer in time" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Is(e error) bool { return e == context.DeadlineExceeded || e == ErrTooSlow }

var errTimeout error = timeoutError{}

// An exchange is one wire request under one lease: the only way anything is sent. Its
// holder reads the body and must close it.
type exchange struct {
	e      *errand
	u      *url.URL      // asked for
	addr   string        // its text
	at     *url.URL      // that answered: the relay follows redirects itself
	delay  time.Duration // robots.txt's Crawl-delay for u
	proves string        // the host that the page is to prove; "": none
	turn   turn
	resp   *http.Response
	came   content
	body   *wire.Body
	head   ratepolicy.Answer
	began  time.Time
	heard  time.Time // when the head came
	end    context.CancelCauseFunc
	late   *time.Timer // ends it
	budget *time.Duration
	left   time.Duration // of the budget, before the address was asked
	once   sync.Once
	opens  time.Time
	err    error

	robots      bool // u is a robots.txt
	sent        bool // the relay was asked, and may have been busy
	conditional bool // the request set a condition
	calm        bool // the server asked for fewer requests in HTTP/2's own words
}

// open waits for the host's turn, sends one request and reads the answer's head. What is
// worth another request takes another turn: once where a connection had gone stale, and
// up to Asks of them through the relay, while the answer comes from elsewhere.
func (e *errand) open(ctx context.Context, u *url.URL, q *query) (*exchange, error) {
	addr := q.addr
	if addr == "" {
		addr = u.String()
	}
	left := *q.budget
	for try := 1; ; try++ {
		t, waited, err := e.turn(ctx, u, q.delay)
		if err != nil {
			return nil, err
		}
		err = e.recheck(ctx, u, waited)
		if err == nil && q.claim != nil {
			err = q.claim.take(ctx)
		}
		if err != nil {
			_, rerr := t.release(ctx, ratepolicy.Answer{})
			return nil, errors.Join(err, rerr)
		}
		x := &exchange{e: e, u: u, addr: addr, at: u, delay: q.delay, proves: q.proves, turn: t, budget: q.budget, left: left}
		x.robots, x.conditional = q.claim != nil, q.header != nil && !t.relayed
		if q.routed = t.relayed; t.relayed {
			q.asks.n++
		}
		err = x.send(ctx, q)
		if q.began != nil && q.began.IsZero() {
			*q.began = x.began
		}
		if err == nil {
			return x, nil
		}
		if store := x.close(ctx, relayWall(err)); store != nil {
			return nil, errors.Join(store, err)
		}
		if x.calm {
			err = &ratepolicy.WaitError{Key: e.c.cfg.Key(u), Until: x.opens, Why: clip(err.Error()), Held: true}
		}
		again := try == 1 && errors.Is(err, wire.ErrResend)
		if t.relayed {
			var next *url.URL
			if next, err = e.askAgain(ctx, u, q, err); next != nil {
				again = q.asks.n < e.c.cfg.Asks
				if next != u {
					u, addr = next, next.String()
				}
			}
		}
		switch {
		case !again || ctx.Err() != nil:
			return nil, err
		case addr != x.addr && q.owner != "" && !e.claim(addr, q.owner):
			return nil, errTaken
		}
	}
}

// errTaken says that a relay's redirect leads to an address that the visit reads for itself.
var errTaken = errors.New("asked for by another page of the visit")

// recheck looks once more whether anything may be sent: things may have changed while a
// turn was waited for.
func (e *errand) recheck(ctx context.Context, u *url.URL, waited bool) error {
	if e.halted.Load() {
		return &Error{URL: u.String(), Err: errHalted}
	}
	if waited && e.c.cfg.Allow != nil {
		if err := e.c.cfg.Allow(ctx, u); err != nil {
			return e.bar(ctx, u.String(), err)
		}
	}
	return nil
}

// errHalted is why requests that were under way when another met what ends the visit, a bot
// wall or too long a wait, are not sent.
var errHalted = errors.New("another request met what ends the visit")

// send makes the wire request. On success x has a response and a body.
func (x *exchange) send(ctx context.Context, q *query) error {
	c := x.e.c
	x.began = time.Now()
	limit := *q.budget
	if x.turn.relayed {
		limit = relayTimeout
	}
	ctx, end := context.WithCancelCause(ctx)
	x.end, x.late = end, time.AfterFunc(limit, func() { end(errTimeout) })
	ctx = wire.WithBudget(ctx, q.max+wireSlack)
	req, err := http.NewRequestWithContext(ctx, q.method, x.addr, nil)
	if err != nil {
		return err
	}
	c.dress(req.Header, q)
	if x.turn.relayed {
		req = req.WithContext(context.WithValue(ctx, exchangeKey{}, x))
		x.e.relayed()
		for name := range q.header {
			req.Header.Del(name) // a condition would be set by the provider's own copies
		}
	}
	c.observe(ctx, Event{Kind: EventSend, URL: x.addr, Key: c.cfg.Key(x.u), Relayed: x.turn.relayed, Gentle: x.turn.gentle})
	resp, err := x.via().RoundTrip(req)
	now := time.Now()
	switch {
	case err != nil && context.Cause(ctx) != nil:
		err = context.Cause(ctx) // what ended it, not how the transport put it
	case err == nil && resp == nil:
		err = errNoAnswer("neither an answer nor an error")
	case err == nil && resp.StatusCode < 200:
		err = errNoAnswer(fmt.Sprintf("status %d", resp.StatusCode))
		if resp.Body != nil {
			_ = resp.Body.Close()
		}
	}
	if err == nil {
		if resp.Body == nil {
			resp.Body = http.NoBody
		}
		err = x.land(ctx, resp)
	}
	if err != nil {
		x.head = ratepolicy.ReadAnswer(nil, err, now)
		x.calmed(err)
		return x.overheard(err, now)
	}
	x.heard = now
	x.came.ReadCloser, resp.Body = resp.Body, &x.came
	x.resp, x.head = resp, ratepolicy.ReadAnswer(resp, nil, now)
	x.body = wire.NewBody(resp, q.max)
	if !x.turn.relayed {
		x.body.Hurry(end)
	}
	if x.head.Wait > 0 || isBusy(resp.StatusCode) {
		return x.turn.answered(ctx, x.head) // the wait counts from here, however long the body takes
	}
	return nil
}

// dress fills in a request's header.
func (c *Crawler) dress(h http.Header, q *query) {
	maps.Copy(h, q.header)
	own := [...]string{"gzip", c.cfg.UserAgent, q.accept, c.cfg.From}
	h["Accept-Encoding"] = own[0:1:1] // and decoded here, within limits
	if q.guise != nil {
		maps.Copy(h, q.guise)
		return
	}
	h["User-Agent"], h["Accept"] = own[1:2:2], own[2:3:3]
	if c.cfg.From != "" {
		h["From"] = own[3:4:4]
	}
}

// text is the text of the address that answered.
func (x *exchange) text() string {
	if x.at == x.u {
		return x.addr
	}
	return x.at.String()
}

// calmed takes an HTTP/2 server at its word that ended the request with ENHANCE_YOUR_CALM: to
// the policy that is a 429 that names no wait (RFC 9113 section 7).
func (x *exchange) calmed(err error) {
	if errors.Is(err, wire.ErrCalm) && !x.turn.relayed {
		x.head.Status, x.head.Wait, x.head.From, x.calm = http.StatusTooManyRequests, 0, "", true
	}
}

// close ends the exchange, tells the limiter what came of it and gives the turn back.
// Only the first call counts. The error is the store's.
func (x *exchange) close(ctx context.Context, wall botwall.Wall) error {
	x.once.Do(func() {
		if x.body != nil {
			x.calmed(x.body.Err())
			_ = x.body.Close()
		}
		x.cancel()
		ended := time.Now() // the delay to the next request counts from here
		if !x.turn.relayed {
			*x.budget -= ended.Sub(x.began)
		}
		if wall.Kind != botwall.NotAWall {
			x.head.Wall = wallOf(wall).String()
			if x.e.siteKey != "" {
				x.e.halted.Store(true) // whatever else of the visit is under way
			}
		}
		x.opens, x.err = x.turn.release(ctx, x.head)
		if x.head.Wait > 0 || x.head.Limited() {
			x.e.asked(x.opens)
		}
		x.report(ctx, ended)
		if x.err == nil {
			x.e.owed(ctx, x)
		}
	})
	return x.err
}

// content counts what is read of an answer's body.
type content struct {
	io.ReadCloser
	read int64
}

func (c *content) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.read += int64(n)
	return n, err
}

// cancel ends the request, its body included.
func (x *exchange) cancel() {
	x.late.Stop()
	x.end(nil)
}

// report makes the events that the answer is.
func (x *exchange) report(ctx context.Context, ended time.Time) {
	ev := Event{Kind: EventAnswer, At: ended, URL: x.addr, Key: x.e.c.cfg.Key(x.u), Status: x.head.Status, Took: ended.Sub(x.began), Received: x.came.read, Relayed: x.turn.relayed, Gentle: x.turn.gentle}
	if x.head.Err != nil {
		ev.Why = x.head.Err.Error()
	}
	if x.calm {
		ev.Status = 0 // the policy's reading of it, not an answer
	}
	x.e.got(ev.Received)
	x.e.c.observe(ctx, ev)
	ev.Received = 0
	switch outcomeOf(x.head) {
	case Limited:
		x.e.limited()
		ev.Kind, ev.Until, ev.Took = EventLimit, x.opens, 0
		ev.Why = fmt.Sprintf("answered %d", ev.Status)
		if x.calm {
			ev.Why = "the server ended the request with ENHANCE_YOUR_CALM"
		}
		if x.head.Wait > 0 {
			ev.Why += fmt.Sprintf(", %s asks for %v", x.head.From, x.head.Wait)
		}
		x.e.c.observe(ctx, ev)
	case Walled:
		ev.Kind, ev.Took, ev.Why = EventWall, 0, x.head.Wall
		x.e.c.observe(ctx, ev)
	default:
	}
}
