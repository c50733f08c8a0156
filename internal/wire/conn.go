package wire

import (
	"context"
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
// any kind. One more ends the connection and the answer with [ErrBudget]. Requests that
// share an HTTP/2 connection at one time share the sum of their budgets. Without it, or if
// bytes is not positive, there is no such bound.
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

// conn counts what is read from a socket.
type conn struct {
	net.Conn

	mu     sync.Mutex
	left   int64 // bytes that may still come
	read   int64 // bytes that came since the last request began
	active int   // requests that are not yet answered in full
	over   bool  // more came than may
}

func newConn(c net.Conn, budget int64) *conn { return &conn{Conn: c, left: budget} }

// Read reads no more than the budget has left.
func (c *conn) Read(p []byte) (int, error) {
	c.mu.Lock()
	left := c.left
	if left <= 0 && len(p) > 0 {
		c.over = true
		c.mu.Unlock()
		_ = c.Close()
		return 0, ErrBudget
	}
	c.mu.Unlock()
	n, err := c.Conn.Read(p[:min(int64(len(p)), left)])
	c.mu.Lock()
	c.left -= int64(n)
	c.read += int64(n)
	c.mu.Unlock()
	return n, err
}

// begin gives the connection a request's budget.
func (c *conn) begin(budget int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.active == 0 || c.left > math.MaxInt64-budget {
		c.left = budget
	} else {
		c.left += budget
	}
	c.active++
	c.read = 0
}

func (c *conn) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.active--; c.active == 0 {
		c.left = idleBudget
	}
}

// spent reports whether the budget ended this connection. net/http and TLS do not always
// pass the error on.
func (c *conn) spent() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.over
}

func (c *conn) since() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.read
}
