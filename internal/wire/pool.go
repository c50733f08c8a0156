package wire

import (
	"crypto/tls"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	// Less than the 5 s after which Apache httpd and Node.js close, unless told otherwise: a
	// bot that comes every five seconds would meet each close with its request.
	idleTimeout = 4 * time.Second
	maxIdle     = 32 // connections without a request, in all
	maxIdleHost = 2  // and of one host
)

// link is a connection in a pool.
type link struct {
	cc     *http.ClientConn
	conn   *conn
	key    string // scheme, host and port
	tls    *tls.ConnectionState
	h2     bool // carries several requests at a time, once it is known how many
	known  bool // so it is: the server's settings come before its first answer
	users  int
	gone   bool        // no longer in the pool
	idle   bool        // in the pool without a request
	expiry *time.Timer // closes it when it was idle for long; nil: it never was
}

// pool holds the connections of a Transport, so that the Transport knows which one carries
// a request: [http.Transport] would choose another one behind its back.
type pool struct {
	mu     sync.Mutex
	links  map[string][]*link
	idle   []*link // the longest idle first
	doomed []*link // to be closed once mu is free
}

// unlock ends what every method does under the lock. Closing may send a last word.
func (p *pool) unlock() {
	doomed := p.doomed
	p.doomed = nil
	p.mu.Unlock()
	for _, l := range doomed {
		_ = l.cc.Close()
	}
}

// pick returns a connection for one request, or nil if there is none.
func (p *pool) pick(key string) *link {
	for {
		l := p.take(key)
		if l == nil || l.h2 || l.conn.ready() {
			return l
		}
		p.give(l, false)
	}
}

// take returns one that is as good as it seems.
func (p *pool) take(key string) *link {
	p.mu.Lock()
	defer p.unlock()
	for _, l := range slices.Backward(p.links[key]) { // what drop moves was seen before
		switch {
		case l.users > 0 && (!l.h2 || !l.known):
		case l.cc.Err() != nil || l.conn.dead():
			p.drop(l)
		case l.cc.Reserve() == nil:
			p.wake(l)
			l.users++
			return l
		case l.users == 0:
			p.drop(l) // the server has said goodbye
		}
	}
	return nil
}

// add takes in a new connection that is in use.
func (p *pool) add(l *link) {
	p.mu.Lock()
	defer p.unlock()
	l.users = 1
	if p.links == nil {
		p.links = make(map[string][]*link)
	}
	p.links[l.key] = append(p.links[l.key], l)
}

// answered takes note that a connection has brought an answer. Until then it is not shared:
// were more requests reserved on it than the server's settings allow, they would wait for
// one another as long as their contexts last.
func (p *pool) answered(l *link) {
	if !l.h2 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	l.known = true
}

// give takes a connection back. It is kept if it can carry another request.
func (p *pool) give(l *link, usable bool) {
	p.mu.Lock()
	defer p.unlock()
	l.users--
	switch {
	case !usable || l.gone || l.cc.Err() != nil || l.conn.dead():
		p.drop(l)
	case l.users > 0:
	case l.cc.Available() == 0:
		p.drop(l)
	default:
		p.idle = append(p.idle, l)
		l.idle = true
		if l.expiry == nil {
			l.expiry = time.AfterFunc(idleTimeout, func() { p.expire(l) })
		} else {
			l.expiry.Reset(idleTimeout)
		}
		p.trim(l.key)
	}
}

// trim closes what is idle beyond the limits.
func (p *pool) trim(key string) {
	count, oldest := 0, (*link)(nil)
	for _, l := range p.idle {
		if l.key == key {
			if oldest == nil {
				oldest = l
			}
			count++
		}
	}
	switch {
	case count > maxIdleHost:
		p.drop(oldest)
	case len(p.idle) > maxIdle:
		p.drop(p.idle[0])
	}
}

func (p *pool) expire(l *link) {
	p.mu.Lock()
	defer p.unlock()
	if l.idle { // nobody took it meanwhile
		p.drop(l)
	}
}

// closeIdle closes the connections without a request.
func (p *pool) closeIdle() {
	p.mu.Lock()
	defer p.unlock()
	for _, l := range slices.Clone(p.idle) {
		p.drop(l)
	}
}

// suspect closes the idle connections to a server that has closed one of them.
func (p *pool) suspect(key string) {
	p.mu.Lock()
	defer p.unlock()
	for _, l := range slices.Clone(p.idle) {
		if l.key == key {
			p.drop(l)
		}
	}
}

// wake takes a connection off the idle ones. The caller holds the lock, as for drop.
func (p *pool) wake(l *link) {
	if !l.idle {
		return
	}
	l.expiry.Stop()
	l.idle = false
	p.idle = slices.DeleteFunc(p.idle, func(o *link) bool { return o == l })
}

// drop forgets a connection, and closes it once nobody uses it.
func (p *pool) drop(l *link) {
	p.wake(l)
	l.gone = true
	rest := slices.DeleteFunc(p.links[l.key], func(o *link) bool { return o == l })
	if p.links[l.key] = rest; len(rest) == 0 {
		delete(p.links, l.key)
	}
	if l.users == 0 {
		p.doomed = append(p.doomed, l)
	}
}
