package politefetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"sync"
)

// proof keeps which hosts of a visit were admitted. A host is proved by its home page:
// whoever asks for that page first proves it, and whoever needs the host before has the
// page read in between, or waits for it. A nil proof admits every host.
type proof struct {
	c    *Crawler
	ask  func(ctx context.Context, host string, home io.Reader) (string, error)
	home func(ctx context.Context, addr string) // reads a home page as a page of the visit
	turn chan struct{}                          // one home page is read in between at a time

	mu    sync.Mutex
	hosts map[string]*admission
}

// An admission is settled when done is closed.
type admission struct {
	done chan struct{}
	how  string
	err  error
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
		if a.settled() && a.err == nil {
			out[host] = a.how
		}
	}
	return out
}

// refuses says why nothing of a host may be used that was not to be asked; nil where the
// host was admitted.
func (pr *proof) refuses(host string) error {
	if pr == nil {
		return nil
	}
	switch a, begun := pr.of(host); {
	case !begun || !a.settled():
		return fmt.Errorf("%s was not admitted: its home page was not read", host)
	default:
		return a.err
	}
}

func (a *admission) settled() bool {
	select {
	case <-a.done:
		return true
	default:
		return false
	}
}

// of returns a host's admission; begun reports whether somebody is or was proving it.
func (pr *proof) of(host string) (a *admission, begun bool) {
	pr.mu.Lock()
	defer pr.mu.Unlock()
	a, begun = pr.hosts[host]
	return a, begun
}

// begin makes the caller the one who proves a host; false if somebody else is or did.
func (pr *proof) begin(host string) bool {
	pr.mu.Lock()
	defer pr.mu.Unlock()
	if pr.hosts[host] != nil {
		return false
	}
	pr.hosts[host] = &admission{done: make(chan struct{})}
	return true
}

// settle records a host's admission; the first word stands.
func (pr *proof) settle(ctx context.Context, host, how string, err error) {
	pr.mu.Lock()
	a := pr.hosts[host]
	known := a.settled()
	if !known {
		a.how, a.err = how, err
		close(a.done)
	}
	pr.mu.Unlock()
	switch {
	case known:
	case err == nil:
		pr.c.observe(ctx, Event{Kind: EventAdmit, URL: host, Why: how})
	default:
		pr.c.observe(ctx, Event{Kind: EventBar, URL: host, Outcome: Barred, Why: err.Error()})
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
		pr.settle(ctx, rd.proving, "", fmt.Errorf("the home page of %s leads to %s: it proves nothing", rd.proving, host))
		rd.proving = ""
	}
	if rd.proving == host || rd.page && isHome(u) && pr.begin(host) {
		rd.proving = host
		return nil
	}
	a, begun := pr.of(host)
	if !begun {
		if err := pr.prove(ctx, u, rd); err != nil {
			return err
		}
		a, begun = pr.of(host)
	}
	if !begun {
		return &Error{URL: u.String(), Outcome: Barred, Err: fmt.Errorf("%s was not admitted: its home page was not read", host)}
	}
	select {
	case <-a.done:
	case <-ctx.Done():
		return &Error{URL: u.String(), Err: context.Cause(ctx)}
	}
	if a.err != nil {
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
	if _, begun := pr.of(u.Hostname()); !begun {
		pr.home(ctx, (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"}).String())
	}
	if err := context.Cause(ctx); err != nil {
		return &Error{URL: u.String(), Err: err}
	}
	return nil
}

// conclude settles a host whose home page came to nothing, once it will not be asked for
// again.
func (pr *proof) conclude(ctx context.Context, p *Page, rd *reading, err error) {
	if pr == nil || rd.proving == "" || ctx.Err() != nil {
		return // interrupted: nobody goes on who could ask
	}
	why := fmt.Errorf("the home page of %s answered %d: it proves nothing", rd.proving, p.Status)
	if err != nil {
		why = fmt.Errorf("the home page of %s could not be read: %w", rd.proving, err)
	}
	pr.settle(ctx, rd.proving, "", why)
}

func isHome(u *url.URL) bool { return u.Path == "/" && u.RawQuery == "" }
