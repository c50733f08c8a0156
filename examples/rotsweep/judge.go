package main

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/ratepolicy"
	"github.com/politefetch/sdk/robots"
)

// A verdict is what a check came to, in a word.
type verdict string

// The verdicts. None of the middle group is a report: what comes of them is.
const (
	ok      verdict = "ok"
	moved   verdict = "moved"   // it leads elsewhere than it did
	drifted verdict = "drifted" // it no longer says what it did
	broken  verdict = "broken"

	pending verdict = "pending" // it failed once, and is tried again before that is reported
	refused verdict = "refused" // the bot was, which says nothing about the link
	limited verdict = "limited" // its domain asked for a pause
	stopped verdict = "stopped" // its domain is on the opt-out list

	barred verdict = "barred" // the address guard refused it
)

// isReport reports whether a verdict is something to tell a link's owner.
func (v verdict) isReport() bool { return v == moved || v == drifted || v == broken || v == barred }

// rules are what checks are judged by.
type rules struct {
	plan   politefetch.Retry
	every  time.Duration // from a check to the next one
	drift  float64       // a page that is less alike has drifted
	accept bool          // what is found is what later checks are compared with
}

// judge takes in what a check came to.
func (l *link) judge(p *politefetch.Page, err error, r *rules) {
	now := time.Now()
	l.robots(p.Robots)
	l.Version, l.Checked, l.Chain, l.Why = recordVersion, now, nil, ""
	l.Status, l.Final, l.Hops, l.Truncated = p.Status, p.Final, p.Hops, p.Truncated
	l.Unchanged = p.Outcome == politefetch.Unchanged
	l.Next = now.Add(r.every)
	// It is there, in a content coding that nobody asked for, which browsers read all the same.
	coded := errors.Is(err, politefetch.ErrEncoding) && p.Status == http.StatusOK
	down := p.Outcome == politefetch.Limited && p.Status == http.StatusServiceUnavailable
	if (p.Outcome == politefetch.Failed || p.Outcome == politefetch.NoRobots || down) && !coded {
		l.Failures++
	} else {
		l.Failures = 0
	}
	at, again := r.plan.Next(p, err, l.Failures)
	if again && !coded {
		l.Next = at
	}
	switch {
	case coded:
		l.Why = "its text is not compared: " + reason(err)
		l.compare(p, r)
	case errors.Is(err, errStopped):
		l.Verdict, l.Why = stopped, strings.TrimPrefix(reason(err), errStopped.Error()+": ")
	case p.Outcome == politefetch.Barred:
		l.Verdict, l.Why = barred, reason(err)
	case p.Outcome == politefetch.Refused, p.Outcome == politefetch.Walled:
		l.Verdict, l.Why = refused, answer(p)
	case p.Outcome == politefetch.Limited && again:
		l.Verdict, l.Why = limited, answer(p)
	case again:
		l.Verdict, l.Why = pending, failure(p, err)
	case err != nil, p.Outcome == politefetch.Failed, p.Outcome == politefetch.Limited, p.Status >= http.StatusBadRequest:
		l.Verdict, l.Why = broken, failure(p, err)
	default:
		l.compare(p, r)
	}
	l.news = l.tell()
}

// pause takes in that a check has to wait, and where it goes on.
func (l *link) pause(p *politefetch.Page) {
	l.robots(p.Robots)
	l.Chain = p.Hops
}

// hold takes in that the wait is too long to be sat out.
func (l *link) hold(w *ratepolicy.WaitError) {
	l.Version, l.Verdict, l.Next, l.news = recordVersion, limited, w.Until, false
	l.Why, _, _ = strings.Cut(w.Why, " (until ")
}

// robots takes in what robots.txt says; of a chain that goes on, a disallow before it.
func (l *link) robots(v robots.Verdict) {
	if len(l.Chain) > 0 && l.Closed != "" {
		return
	}
	l.Closed, l.Line = "", 0
	if v.Reason != robots.ReasonNone && !v.Allowed {
		l.Closed, l.Line = v.String(), v.Line
	}
}

// compare holds a page that is there against what it was.
func (l *link) compare(p *politefetch.Page, r *rules) {
	if !l.Unchanged && l.Why == "" { // else what was read last still stands, or is all there is
		l.ETag, l.Modified = "", ""
		found := p.Summary().Fingerprint
		if found != "" && p.Status == http.StatusOK && p.Final == p.URL {
			l.ETag, l.Modified = p.Header.Get("Etag"), p.Header.Get("Last-Modified")
		}
		if found != "" { // else it is there, and took too long to be told by what it says
			l.Fingerprint = found
		}
	}
	if l.Baseline == "" {
		l.Baseline = l.Fingerprint
	}
	l.Alike = 1
	if l.Fingerprint != l.Baseline {
		alike, same := l.Fingerprint.Similarity(l.Baseline)
		if same || l.Fingerprint == "" {
			l.Alike = alike
		} else { // made by another version: there is nothing to compare it with
			l.Baseline = l.Fingerprint
		}
	}
	leads := ""
	if p.Final != p.URL {
		leads = p.Final
	}
	switch {
	case leads != l.Leads:
		l.Verdict, l.Why = moved, "to "+p.Final
	case l.Alike < r.drift:
		l.Verdict = drifted
	default:
		l.Verdict = ok
	}
	if r.accept {
		l.Baseline, l.Leads = l.Fingerprint, leads
	}
}

// tell reports whether the verdict is news, and notes that it was told. What is only put
// off is none.
func (l *link) tell() bool {
	switch l.Verdict {
	case pending, limited:
		return false
	default:
	}
	now := string(l.Verdict)
	if l.Verdict == moved {
		now += " " + l.Why
	}
	news := now != l.Told && (l.Told != "" || l.Verdict != ok)
	l.Told = now
	return news
}

// answer is an answer in words.
func answer(p *politefetch.Page) string {
	if p.Wall.Kind != politefetch.NotAWall {
		return p.Wall.String()
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", p.Status, strings.ToLower(http.StatusText(p.Status))))
}

// failure says why a link did not answer as it should.
func failure(p *politefetch.Page, err error) string {
	if err == nil {
		return answer(p)
	}
	if text := politefetch.TLSText(err, time.Now()); text != "" {
		return text
	}
	return reason(err)
}

// reason is an error's text without the address that the row shows anyway.
func reason(err error) string {
	e, ok := errors.AsType[*politefetch.Error](err)
	if !ok {
		return err.Error()
	}
	return strings.TrimPrefix(e.Reason(), "refused: ")
}
