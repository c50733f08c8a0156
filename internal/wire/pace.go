package wire

import (
	"context"
	"sync"
	"time"
)

// A body must come at this rate once it had time to get going. A browser's user would have
// left long before; what it stops are servers that drip to hold a connection, and its turn.
const (
	minRate   = 1 << 10 // bytes a second, as transferred
	paceGrace = 5 * time.Second
)

// pace watches how fast a body comes. Only the time that Read waits for it counts, so that
// a reader may take its own.
type pace struct {
	mu     sync.Mutex
	timer  *time.Timer
	cancel context.CancelCauseFunc
	bytes  int64
	waited time.Duration // in reads that are over
	since  time.Time     // the read under way; zero: none is
	slow   bool
}

// start begins the watch. Without it any rate will do.
func (p *pace) start(cancel context.CancelCauseFunc) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cancel = cancel
	p.timer = time.AfterFunc(paceGrace, p.check)
}

// on reports whether anybody watches. It is settled before the first read.
func (p *pace) on() bool { return p.timer != nil }

// begin is called when a read begins, done when it is over.
func (p *pace) begin() {
	if !p.on() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.since = time.Now()
}

func (p *pace) done(n int) {
	if !p.on() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bytes += int64(n)
	p.waited += time.Since(p.since)
	p.since = time.Time{}
}

// check ends the request if too little has come in the time so far, and else looks again
// when that could next be so.
func (p *pace) check() {
	p.mu.Lock()
	defer p.mu.Unlock()
	waited := p.waited
	if !p.since.IsZero() {
		waited += time.Since(p.since)
	}
	due := max(paceGrace, time.Duration(float64(p.bytes)/minRate*float64(time.Second)))
	if waited < due {
		p.timer.Reset(max(due-waited, time.Millisecond))
		return
	}
	p.slow = true
	p.cancel(p.failure())
}

// stop ends the watch.
func (p *pace) stop() {
	if p.on() {
		p.timer.Stop()
	}
}

// tooSlow reports whether the watch ended the request.
func (p *pace) tooSlow() bool {
	if !p.on() {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.slow
}

func (p *pace) failure() error {
	return &failure{ErrTimeout, errText("the body came at less than 1 KiB a second")}
}
