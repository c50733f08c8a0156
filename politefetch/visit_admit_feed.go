package politefetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
)

// A look is one call of Admit, fed with a home page as it is read. Reading the page never
// waits for Admit, so that its slowness is not taken for the site's and holds no turn.
type look struct {
	pr   *proof
	ctx  context.Context //nolint:containedctx // it lives as long as the reading of one page
	u    *url.URL
	feed *feed
	said chan verdict // what Admit said, or how it ended
	once sync.Once
	err  error
}

type verdict struct {
	how      string
	err      error
	panicked any
}

// look starts Admit on the page that is about to be read, if that page is to prove its
// host: nil if not. The goroutine ends in stop, which must be called.
func (pr *proof) look(ctx context.Context, u *url.URL, status int, rd *reading) *look {
	if pr == nil || rd.proving != u.Hostname() || status != http.StatusOK {
		return nil
	}
	l := &look{pr: pr, ctx: ctx, u: u, feed: newFeed(ctx), said: make(chan verdict, 1)}
	go func() {
		v := verdict{err: errors.New("the call of Admit ended without an answer")} // as runtime.Goexit does
		defer func() {
			v.panicked = recover()
			l.said <- v
		}()
		v.how, v.err = pr.ask(ctx, u.Hostname(), l.feed)
	}()
	return l
}

// Write feeds Admit. It takes everything, at once.
func (l *look) Write(b []byte) (int, error) {
	l.feed.add(b)
	return len(b), nil
}

// stop ends the page, with the error that reading it ended with, waits for Admit and
// returns what it had against the host. Only the first call counts.
func (l *look) stop(err error) error {
	if l == nil {
		return nil
	}
	l.once.Do(func() {
		l.feed.end(err)
		v := <-l.said
		if v.panicked != nil {
			panic(v.panicked) // where the caller can recover it
		}
		if err != nil && v.err == nil {
			v.err = fmt.Errorf("the home page of %s could not be read: %w", l.u.Hostname(), err)
		}
		switch {
		case v.err != nil && l.ctx.Err() != nil:
			l.err = &Error{URL: l.u.String(), Err: context.Cause(l.ctx)}
			return
		case v.err != nil:
			l.err = &Error{URL: l.u.String(), Outcome: Barred, Err: v.err}
		}
		l.pr.settle(l.ctx, l.u.Hostname(), v.how, v.err)
	})
	return l.err
}

// A feed is a pipe that its writer never waits for; it holds what was not read yet, which
// a page's size bounds.
type feed struct {
	ctx  context.Context //nolint:containedctx // it lives as long as one call of Admit
	more chan struct{}   // something changed

	mu   sync.Mutex
	buf  bytes.Buffer
	done bool
	err  error
}

func newFeed(ctx context.Context) *feed { return &feed{ctx: ctx, more: make(chan struct{}, 1)} }

func (f *feed) add(b []byte) {
	f.mu.Lock()
	f.buf.Write(b)
	f.mu.Unlock()
	f.signal()
}

func (f *feed) end(err error) {
	f.mu.Lock()
	if !f.done {
		f.done, f.err = true, err
	}
	f.mu.Unlock()
	f.signal()
}

func (f *feed) signal() {
	select {
	case f.more <- struct{}{}:
	default:
	}
}

// Read implements [io.Reader] for Admit.
func (f *feed) Read(b []byte) (int, error) {
	for {
		f.mu.Lock()
		n, _ := f.buf.Read(b)
		done, err := f.done, f.err
		f.mu.Unlock()
		switch {
		case n > 0 || len(b) == 0:
			return n, nil
		case done && err != nil:
			return 0, err
		case done:
			return 0, io.EOF
		}
		select {
		case <-f.more:
		case <-f.ctx.Done():
			return 0, context.Cause(f.ctx)
		}
	}
}
