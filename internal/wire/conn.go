package wire

import (
	"context"
	"io"
	"math"
	"net"
	"sync"
)

// idleBudget is what a connection may receive between two requests: the rest of an HTTP/2
// stream that was cut, pings, a TLS session ticket.
const idleBudget = 1 << 20

type budgetKey struct{}

// WithBudget bounds the bytes that may come in from the socket for a request with this
// context: TLS handshake of a new connection, head, body as transferred, HTTP/2 frames of
// any kind. A frame that brings no data counts as 1 KiB more, for it is work. One byte more
// ends the connection and the answer with [ErrBudget]. Requests that share an HTTP/2
// connection at one time share the sum of their budgets. Without it, or if bytes is not
// positive, there is no such bound.
//
// It is for what a limit of the decoded body never sees: floods of empty gzip members,
// interim answers, pings or settings.
func WithBudget(ctx context.Context, bytes int64) context.Context {
	return context.WithValue(ctx, budgetKey{}, bytes)
}

func budgetOf(ctx context.Context) int64 {
	if n, _ := ctx.Value(budgetKey{}).(int64); n > 0 {
		return n
	}
	return math.MaxInt64
}

// conn counts what is read from a socket, and knows what became of what was written to it.
type conn struct {
	net.Conn

	mu     sync.Mutex
	left   int64  // bytes that may still come
	read   int64  // bytes that came since the last request began
	begun  uint32 // requests
	active int    // requests that are not yet answered in full
	fault  error  // why the connection was ended from here
	calm   bool   // the peer said goodbye and asked for fewer requests
	broken bool   // a read failed, or the connection was closed
	rests  bool   // a read waits for what comes next
	moved  *sync.Cond
	watch  bool // whether the peer takes the request is of interest
	took   bool // it did

	writing sync.Mutex // held by each Write
	wrote   bool       // a Write since the request began succeeded
}

func newConn(nc net.Conn, budget int64) *conn {
	c := &conn{Conn: nc, left: budget}
	c.moved = sync.NewCond(&c.mu)
	return c
}

// Read reads no more than the budget has left.
func (c *conn) Read(p []byte) (int, error) {
	c.mu.Lock()
	left := c.left
	c.rests = true
	c.moved.Broadcast()
	c.mu.Unlock()
	if left <= 0 {
		return 0, c.fail(ErrBudget, "for one answer")
	}
	n, err := c.Conn.Read(p[:min(int64(len(p)), left)])
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rests = false
	c.left -= int64(n)
	c.read += int64(n)
	c.broken = c.broken || err != nil
	if c.watch && !c.took && (n > 0 || err == io.EOF) { //nolint:errorlint // io.Reader's contract: EOF comes unwrapped
		c.took = c.delivered()
	}
	return n, err
}

// Close closes the socket.
func (c *conn) Close() error {
	err := c.Conn.Close() // first, for a Write may hang on it
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = true
	c.moved.Broadcast()
	return err
}

// ready waits until nothing is left of an earlier answer, and reports whether the connection
// may carry another request. net/http closes one on which more came than the answer, but it
// takes the rest for the next answer if a request comes first: a 304 with a body would be
// enough to mix up pages.
func (c *conn) ready() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.rests && !c.broken {
		c.moved.Wait()
	}
	return !c.broken
}

// charge takes n more off the budget than the bytes that came.
func (c *conn) charge(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left -= n
}

// fail ends the connection, and keeps the reason: net/http and TLS do not always pass it on.
func (c *conn) fail(kind error, detail errText) error {
	c.mu.Lock()
	if c.fault == nil {
		c.fault = &failure{kind, detail}
	}
	err := c.fault
	c.broken = true // before the peer can know
	c.mu.Unlock()
	_ = c.Close()
	return err
}

// Write takes note of its success.
func (c *conn) Write(p []byte) (int, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	n, err := c.Conn.Write(p)
	if err == nil {
		c.wrote = true
	}
	return n, err
}

// delivered reports whether the request has reached the peer. A Write under way is waited
// for: the peer has hung up or answered, so it ends soon.
func (c *conn) delivered() bool {
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.wrote && acknowledged(c.Conn)
}

// begin gives the connection a request's budget. With watch, taken will tell whether the
// peer took the request; the connection then carries one at a time.
func (c *conn) begin(budget int64, watch bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.active == 0 || c.left > math.MaxInt64-budget {
		c.left = budget
	} else {
		c.left += budget
	}
	c.active++
	c.begun++
	c.read = 0
	c.watch, c.took = watch, false
	if watch {
		c.writing.Lock()
		c.wrote = false
		c.writing.Unlock()
	}
}

func (c *conn) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.active--; c.active == 0 {
		c.left = idleBudget
	}
}

// taken reports whether the peer had the whole request when it said something or hung up.
// A server that closes an idle connection just as the request arrives has not: its kernel
// answers with a reset. One that reads the request and closes without a word has.
func (c *conn) taken() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.took
}

// failed returns why the connection was ended from here, or nil.
func (c *conn) failed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fault
}

// calmed takes note of a goodbye that asks for fewer requests; calms reports it.
func (c *conn) calmed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calm = true
}

func (c *conn) calms() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calm
}

// lastStream is the greatest HTTP/2 stream that a request can have.
func (c *conn) lastStream() uint32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return max(2*c.begun, 1) - 1
}

// dead reports whether nothing more can come.
func (c *conn) dead() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.broken
}

func (c *conn) since() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.read
}
