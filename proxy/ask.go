package proxy

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/politefetch/sdk/internal/botwall"
)

const (
	reserve = 1 // credits of a plain page on the classic network

	maxBusy     = 3 // further requests to a busy provider
	maxBusyWait = 30 * time.Second

	// checkGrace is how long a Check of an answer's own address may take before the ask
	// gives up its slot to others, which Check may be waiting for.
	checkGrace = time.Second

	maxWall = 256 << 10 // of a body that is looked at for walls
)

// errTimeout is the cause of a context that our own deadline ended.
var errTimeout = errors.New("proxy: the provider took too long")

// An Ask is what became of one ask, for accounts and logs. It is plain data and holds no
// secret.
type Ask struct {
	Start, Final  string // the address asked for, and where the answer came from; "": it did not come so far
	Status        int    // the site's; 0: it gave none
	StatusUnknown bool   // the answer came from a redirect's end with the redirect's status; it was taken for a 200
	Credits       float64
	Uncertain     bool   // the provider did not say what it cost; Credits is what was set aside
	RequestID     string // the provider's name for the ask; "": none given
	Busy          int    // requests that the provider turned down as too many, before this outcome
	Began, Ended  time.Time
	Err           error // what RoundTrip returned
}

// ask is one call of RoundTrip.
type ask struct {
	bee    *ScrapingBee
	req    *http.Request
	start  *url.URL
	header http.Header // to the provider: what it is to forward

	slot *slot
	cost cost
	rec  Ask
}

func (s *ScrapingBee) newAsk(req *http.Request) (*ask, error) {
	start, err := target(req)
	if err != nil {
		return nil, err
	}
	h, err := forwarded(req.Header)
	if err != nil {
		return nil, err
	}
	if s.Key.in(start.String()) {
		return nil, errors.New("proxy: the address holds the provider's key")
	}
	return &ask{bee: s, req: req, start: start, header: h, rec: Ask{Start: start.String()}}, nil
}

// take waits for a slot and reserves what the ask may cost.
func (a *ask) take(ctx context.Context) error {
	slot, err := a.bee.shared().enter(ctx)
	if err != nil {
		return err
	}
	if err = a.bee.barred(ctx, a.start); err == nil && !a.bee.Budget.reserve(reserve) {
		err = ErrBudget
	}
	if err != nil {
		slot.leave()
		return err
	}
	a.slot = slot
	a.rec.Began = time.Now()
	return nil
}

// end settles the ask's accounts and reports it.
func (a *ask) end(err error) {
	a.slot.leave()
	a.bee.Budget.settle(reserve, a.cost)
	a.rec.Ended = time.Now()
	a.rec.Err = err
	a.rec.Credits, a.rec.Uncertain = a.cost.credits, !a.cost.known
	if a.rec.Uncertain {
		a.rec.Credits = reserve
	}
	if a.bee.Observe != nil {
		a.bee.Observe(a.rec)
	}
}

// do asks, and asks again while the provider is busy.
func (a *ask) do(ctx context.Context) (*http.Response, error) {
	for {
		resp, err := a.once(ctx)
		p, ok := errors.AsType[*ProviderError](err)
		if !ok {
			return resp, err
		}
		switch {
		case p.stops():
			a.bee.shared().stopped.CompareAndSwap(nil, p)
		case p.Kind == KindDrift:
			a.bee.latch().close(p, a.start)
		case p.Kind == KindBusy && a.rec.Busy < maxBusy && busyWait(ctx, p, a.rec.Busy):
			a.rec.Busy++
			if err := a.renew(ctx); err != nil {
				return nil, err
			}
			continue
		}
		return nil, err
	}
}

// renew looks once more whether the ask may be sent: things may have changed in a wait. Check
// may need the slot.
func (a *ask) renew(ctx context.Context) error {
	a.slot.leave()
	if err := a.bee.barred(ctx, a.start); err != nil {
		return err
	}
	if err := a.bee.Check(ctx, clone(a.start)); err != nil {
		return &CheckError{URL: a.start.String(), Err: err}
	}
	slot, err := a.bee.shared().enter(ctx)
	if err != nil {
		return err
	}
	a.slot = slot
	return a.bee.barred(ctx, a.start)
}

// busyWait waits until a busy provider may be asked again. False: that is too long.
func busyWait(ctx context.Context, p *ProviderError, tries int) bool {
	wait := p.RetryAfter
	if wait == 0 {
		wait = time.Second << tries
	}
	if wait > maxBusyWait {
		return false
	}
	wait += rand.N(wait/4 + 1) //nolint:gosec // spreads asks, guards nothing
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= wait {
		return false
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return true // the caller sees to it
	}
}

// once makes one request to the provider and reads its answer.
func (a *ask) once(ctx context.Context) (*http.Response, error) {
	sending, cancel := context.WithTimeoutCause(ctx, cmp.Or(a.bee.Timeout, defaultTimeout), errTimeout)
	defer cancel()
	api, err := a.apiRequest(sending)
	if err != nil {
		a.cost.known = true
		return nil, err
	}
	resp, err := a.bee.shared().base.RoundTrip(api)
	if err == nil && resp == nil {
		err = errors.New("neither an answer nor an error")
	}
	if err != nil {
		a.cost = cost{known: unsent(err)}
		return nil, a.broken(sending, ctx, err)
	}
	body := newBody(resp.Body, a.bee.maxBody(), func(err error) error { return a.broken(sending, ctx, err) })
	defer body.drop()
	ans, err := a.read(resp, body)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		return nil, err
	}
	return a.judge(ctx, ans, body, cancel)
}

// unsent reports whether an error says that nothing reached the provider.
func unsent(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// broken is what a failure on the way to the provider comes to. The transport's error is
// kept as text alone, and not if that holds the key: who knows what it hangs on to.
func (a *ask) broken(sending, ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if context.Cause(sending) == errTimeout { //nolint:errorlint // our own, as it is
		return &ProviderError{Kind: KindDown, Reason: "no complete answer in time", timeout: true}
	}
	text := err.Error()
	if a.bee.Key.partly(text) {
		text = "error withheld: it holds the key"
	}
	return &ProviderError{Kind: KindDown, Reason: clip(text)}
}

// judge decides what the caller gets of the site's answer.
func (a *ask) judge(ctx context.Context, ans *answer, body *body, cancel context.CancelFunc) (*http.Response, error) {
	a.rec.Final, a.rec.Status, a.rec.StatusUnknown = ans.final.String(), ans.status, ans.statusUnknown
	if a.rec.Final != a.rec.Start {
		if err := a.checkFinal(ctx, ans, body, cancel); err != nil {
			return nil, err
		}
	}
	body.fill() // as far as it comes: the head counts, also if the context ends
	if a.bee.Key.in(string(body.data)) {
		return nil, &ProviderError{Status: ans.status, Kind: KindDrift, RequestID: a.rec.RequestID, Reason: "the answer's body holds the key"}
	}
	if w := botwall.Detect(ans.status, ans.header, body.data[:min(len(body.data), maxWall)]); w.Kind != botwall.NotAWall {
		err := &WallError{
			URL: a.rec.Final, Status: ans.status, Header: ans.header,
			Kind: w.Kind.String(), Vendor: w.Vendor, Marker: w.Marker,
		}
		a.bee.latch().close(err, a.start, ans.final)
		return nil, err.copy()
	}
	return a.response(ctx, ans, body), nil
}

// checkFinal asks Check about the address that the answer came from, while the body waits
// unread. If that takes long the body is read ahead, in case Check waits for the slot.
func (a *ask) checkFinal(ctx context.Context, ans *answer, body *body, cancel context.CancelFunc) error {
	ahead := make(chan struct{})
	t := time.AfterFunc(checkGrace, func() {
		defer close(ahead)
		body.fill()
		a.slot.leave()
	})
	err := errPanic
	defer func() {
		if err != nil {
			cancel()
		}
		if !t.Stop() {
			<-ahead
		}
	}()
	if err = a.bee.Check(ctx, clone(ans.final)); err != nil {
		return &CheckError{URL: ans.final.String(), After: true, Err: err, Status: ans.status, Header: ans.header}
	}
	return nil
}

// response is the site's answer as the caller gets it.
func (a *ask) response(ctx context.Context, ans *answer, body *body) *http.Response {
	req := a.req.Clone(ctx)
	req.URL, req.Host, req.Body = clone(ans.final), ans.final.Host, nil
	return &http.Response{
		Status:     strings.TrimSpace(statusLine(ans.status)),
		StatusCode: ans.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: ans.header, Body: body.reader(), ContentLength: -1, Uncompressed: true, Request: req,
	}
}
