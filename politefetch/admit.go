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
)

// proof keeps which hosts of a visit were admitted. A host is proved by its home page:
// whoever asks for that page first proves it, and whoever needs the host before has the
// page read in between. A nil proof admits every host.
type proof struct {
	c    *Crawler
	ask  func(ctx context.Context, host string, home io.Reader) (string, error)
	home func(ctx context.Context, addr string) // reads a home page as a page of the visit
	turn chan struct{}                          // one home page is read in between at a time

	mu    sync.Mutex
	hosts map[string]admission
}

type admission struct {
	how string
	err error
}

// admitted returns how each host was verified.
func (pr *proof) admitted() map[string]string {
	if pr == nil {
		return nil
	}
	pr.mu.Lock()
	defer pr.mu.Unlock()
	out := make(map[string]string)
	for host, a := range pr.hosts {
		if a.err == nil {
			out[host] = a.how
		}
	}
	return maps.Clone(out)
}

func (pr *proof) settled(host string) (admission, bool) {
	pr.mu.Lock()
	defer pr.mu.Unlock()
	a, ok := pr.hosts[host]
	return a, ok
}

// settle records a host's admission; the first word stands.
func (pr *proof) settle(ctx context.Context, host string, a admission) {
	pr.mu.Lock()
	_, known := pr.hosts[host]
	if !known {
		pr.hosts[host] = a
	}
	pr.mu.Unlock()
	switch {
	case known:
	case a.err == nil:
		pr.c.observe(ctx, Event{Kind: EventAdmit, URL: host, Why: a.how})
	default:
		pr.c.observe(ctx, Event{Kind: EventBar, URL: host, Outcome: Barred, Why: a.err.Error()})
	}
}

// admit lets an address through if its host was admitted, or if it is the page that
// proves the host.
func (pr *proof) admit(ctx context.Context, u *url.URL, rd *reading) error {
	if pr == nil {
		return nil
	}
	host := u.Hostname()
	if rd.proving != "" && rd.proving != host {
		pr.settle(ctx, rd.proving, admission{err: fmt.Errorf("the home page of %s leads to %s: it proves nothing", rd.proving, host)})
		rd.proving = ""
	}
	a, ok := pr.settled(host)
	if !ok && (isHome(u) || rd.proving == host) {
		rd.proving = host
		return nil
	}
	if !ok {
		if err := pr.prove(ctx, u, rd); err != nil {
			return err
		}
		a, ok = pr.settled(host)
	}
	switch {
	case !ok:
		return &Error{URL: u.String(), Outcome: Barred, Err: fmt.Errorf("%s was not admitted: its home page proved nothing", host)}
	case a.err != nil:
		return &Error{URL: u.String(), Outcome: Barred, Err: a.err}
	}
	return nil
}

// prove reads the home page of u's host in between.
func (pr *proof) prove(ctx context.Context, u *url.URL, rd *reading) error {
	if rd.nested {
		return &Error{URL: u.String(), Outcome: Barred, Err: errors.New("a home page leads to another host")}
	}
	select {
	case pr.turn <- struct{}{}:
		defer func() { <-pr.turn }()
	case <-ctx.Done():
		return &Error{URL: u.String(), Err: context.Cause(ctx)}
	}
	if _, ok := pr.settled(u.Hostname()); !ok {
		pr.home(ctx, (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"}).String())
	}
	if err := context.Cause(ctx); err != nil {
		return &Error{URL: u.String(), Err: err}
	}
	return nil
}

// conclude settles a host whose home page came to nothing.
func (pr *proof) conclude(ctx context.Context, p *Page, rd *reading, err error) {
	if pr == nil || rd.proving == "" || waitError(err) != nil || ctx.Err() != nil {
		return
	}
	why := fmt.Errorf("the home page of %s answered %d: it proves nothing", rd.proving, p.Status)
	if err != nil {
		why = fmt.Errorf("the home page of %s could not be read: %w", rd.proving, err)
	}
	pr.settle(ctx, rd.proving, admission{err: why})
}

func isHome(u *url.URL) bool { return u.Path == "/" && u.RawQuery == "" }

// look starts Admit on the page that is about to be read, if that page is to prove its
// host. The goroutine ends in stop, which must be called.
func (pr *proof) look(ctx context.Context, u *url.URL, status int, rd *reading) *look {
	if pr == nil || rd.proving != u.Hostname() || status != http.StatusOK {
		return nil
	}
	r, w := io.Pipe()
	l := &look{pr: pr, ctx: ctx, u: u, w: w, said: make(chan admission, 1)}
	go func() {
		how, err := pr.ask(ctx, u.Hostname(), r)
		_ = r.Close() // what Admit left unread is not waited for
		l.said <- admission{how, err}
	}()
	return l
}

// look is one call of Admit, fed with a page as it is read.
type look struct {
	pr   *proof
	ctx  context.Context //nolint:containedctx // it lives as long as the reading of one page
	u    *url.URL
	w    *io.PipeWriter
	said chan admission
}

// Write feeds Admit. It takes everything, also when Admit has heard enough.
func (l *look) Write(b []byte) (int, error) {
	_, _ = l.w.Write(b)
	return len(b), nil
}

// stop ends the page, with the error that reading it ended with, and returns what Admit
// had against the host.
func (l *look) stop(err error) error {
	if l == nil {
		return nil
	}
	_ = l.w.CloseWithError(err)
	a := <-l.said
	if err != nil && a.err == nil {
		a = admission{err: fmt.Errorf("the home page of %s could not be read: %w", l.u.Hostname(), err)}
	}
	if a.err != nil && ended(l.ctx, a.err) {
		return &Error{URL: l.u.String(), Err: a.err}
	}
	l.pr.settle(l.ctx, l.u.Hostname(), a)
	if a.err != nil {
		return &Error{URL: l.u.String(), Outcome: Barred, Err: a.err}
	}
	return nil
}
