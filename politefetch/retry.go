package politefetch

import (
	"cmp"
	"errors"
	"net/http"
	"time"
)

// A Retry says which checks of one address are worth making again before their outcome is
// reported. It is plain data, its method is pure: the caller's scheduler keeps the time
// and the count.
type Retry struct {
	Failed  time.Duration // after a time-out, a failed connection, a 5xx (503 with Retry-After too) or a robots.txt that can't be had; once; 0: 10 min, negative: not again
	Refused time.Duration // after a refusal or a bot wall, each time; 0: 6 h, negative: not again
}

// Next returns when to ask again for the address that gave p and err, and whether to,
// after so many failures in a row (this one included; waits, refusals and limits but a 503
// are none). It is never earlier than the host opens. A failure is worth one more try; so
// its first report is only a blip. A refusal is asked for again each time, which is for the
// caller to end. Another limit and a hold are always waited out, as is the bot's own store
// ([ErrStore]): they say nothing about the address. Everything else is final.
func (r Retry) Next(p *Page, err error, failures int) (at time.Time, again bool) {
	if w := waitError(err); w != nil {
		return w.Until, true
	}
	failed, refused := cmp.Or(r.Failed, 10*time.Minute), cmp.Or(r.Refused, 6*time.Hour)
	switch {
	case errors.Is(err, ErrStore):
		return later(p.Ended.Add(10*time.Minute), p.Opens), true
	case p.Outcome == "":
		return time.Time{}, true // the caller's context ended it
	case p.Outcome == Failed, p.Outcome == NoRobots, p.Outcome == Limited && p.Status == http.StatusServiceUnavailable:
		return later(p.Ended.Add(failed), p.Opens), failed > 0 && failures < 2
	case p.Outcome == Refused, p.Outcome == Walled:
		return later(p.Ended.Add(refused), p.Opens), refused > 0
	case p.Outcome == Limited:
		return later(p.Ended, p.Opens), true
	}
	return time.Time{}, false
}
