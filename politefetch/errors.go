package politefetch

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/politefetch/sdk/internal/guard"
	"github.com/politefetch/sdk/internal/wire"
	"github.com/politefetch/sdk/ratepolicy"
	"github.com/politefetch/sdk/robots"
)

// Reasons that an [*Error] wraps where no type says more.
var (
	ErrOffSite      = errors.New("not one of the visit's hosts")
	ErrRedirectLoop = errors.New("redirects lead back to an address already asked for")
	ErrTooManyHops  = errors.New("too many redirects")
	ErrBadRedirect  = errors.New("redirect without a usable Location")
	ErrNotWanted    = errors.New("an address of a type that the visit does not read")
	ErrGuard        = guard.ErrRefused // the address guard refused it; also what NewTransport's errors are
)

// How an answer failed on the wire. What was read before stands: see [Page].Truncated.
var (
	ErrTooSlow   = wire.ErrTimeout  // a step, the whole or the rate of a body (1 KiB/s after 5 s) took too long
	ErrCut       = wire.ErrCut      // the connection ended before the answer did
	ErrMalformed = wire.ErrProtocol // it is not HTTP
	ErrFlood     = wire.ErrBudget   // a head of more than 64 KiB, or far more bytes on the wire than make a body
	ErrEncoding  = wire.ErrEncoding // a content coding that was not asked for
	ErrGzip      = wire.ErrGzip     // broken gzip
)

// An Error says why an address was not read. Unwrap gives the reason: a
// [*ratepolicy.WaitError] with the time to come back, what Allow or Admit said, a refusal
// of the address guard, one of this package's Err values, or what went wrong on the
// network.
type Error struct {
	URL     string  // the address that could not be read, after redirects
	Outcome Outcome // "": something of the bot's own, and nothing about the site
	Robots  robots.Verdict
	Err     error // nil: Robots says it all
}

// Error says what was asked for and what forbade it. It holds no secrets.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("politefetch: ")
	b.WriteString(clip(e.URL))
	b.WriteString(": ")
	b.WriteString(e.Reason())
	return b.String()
}

// Reason is the text of Error without the address: for tables that have it in a column of
// its own.
func (e *Error) Reason() string {
	refusal, ok := errors.AsType[*guard.Refusal](e.Err)
	switch {
	case ok && refusal.URL != "": // it names the address again
		return clip("refused: " + refusal.Reason)
	case e.Err != nil:
		return clip(strings.ReplaceAll(e.Err.Error(), "\n", ": ")) // joined errors are a line each
	case e.Robots.Reason != robots.ReasonNone:
		return e.Robots.String()
	}
	return string(e.Outcome)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// Timeout reports whether time ran out, be it Config.Timeout, a step on the network or the
// caller's deadline: it is what a [*url.Error] of an [http.Client] and [os.IsTimeout] ask for.
// A turn that lies past a deadline is no time-out: the [*ratepolicy.WaitError] is there at once.
func (e *Error) Timeout() bool {
	t, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](e.Err)
	return ok && t.Timeout()
}

// maxText bounds foreign text in errors and reports.
const maxText = 300

// clip cuts s to maxText bytes and escapes what could break a log line.
func clip(s string) string {
	cut := ""
	if len(s) > maxText {
		s, cut = s[:maxText], "…"
	}
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\ufffd' }) >= 0 {
		q := fmt.Sprintf("%q", s)
		s = q[1 : len(q)-1]
	}
	return s + cut
}

// waitError returns the WaitError in err's chain, nil if there is none.
func waitError(err error) *ratepolicy.WaitError {
	w, _ := errors.AsType[*ratepolicy.WaitError](err)
	return w
}

// ended reports whether err is the end of the caller's context, not the site's doing.
func ended(ctx context.Context, err error) bool {
	return ctx.Err() != nil && (errors.Is(err, context.Cause(ctx)) || errors.Is(err, ctx.Err()))
}
