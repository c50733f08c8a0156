package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/politefetch"
)

// A history is what is remembered of one site's visits, in a file of its own beside what
// the library remembers there of hosts.
type history struct {
	Site   string   `json:"site"`
	Start  string   `json:"start"`
	Visits []record `json:"visits"` // oldest first

	path  string
	begun bool // the last visit is going on
}

// A record is one visit: the library's report, and the answers that it was about.
type record struct {
	Kind  kind  `json:"kind"`
	Words int   `json:"words"`           // of all pages: what a ranker would rank
	Limit *sign `json:"limit,omitempty"` // the last answer that asked for fewer requests
	Wall  *sign `json:"wall,omitempty"`  // the bot wall that ended it
	politefetch.Report
}

// A kind of visit.
type kind string

const (
	setUp   kind = "set-up"
	weekly  kind = "weekly"
	extra   kind = "extra"
	recheck kind = "recheck"
	unknown kind = "unknown" // stands for a history that was damaged
)

// words are "weekly visit" and the like.
func (k kind) words() string {
	if k == recheck || k == unknown {
		return string(k)
	}
	return string(k) + " visit"
}

// A sign is an answer that decided what the bot does next.
type sign struct {
	At      time.Time `json:"at"`
	URL     string    `json:"url"`
	What    string    `json:"what"`              // in words
	Relayed bool      `json:"relayed,omitempty"` // it came through the provider
}

// history reads what is known of a site. A file that is damaged is set aside: its last
// change then counts as a visit and as a recheck, since not to know is no leave to come again.
func (a *app) history(name string) (*history, error) {
	sum := sha256.Sum256([]byte(name))
	h := &history{path: filepath.Join(a.sitesDir(), hex.EncodeToString(sum[:16])+".json")}
	b, err := os.ReadFile(h.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		h.Site = name
		return h, nil
	case err != nil:
		return nil, fmt.Errorf("what is known of %s: %w", name, err)
	}
	if err := json.Unmarshal(b, h); err == nil && h.Site == name {
		return h, nil
	}
	return a.setAside(name, h.path)
}

func (a *app) sitesDir() string { return filepath.Join(a.state, "sites") }

func (a *app) setAside(name, path string) (*history, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	aside := path + ".damaged-" + a.clock.now().UTC().Format("20060102T150405Z")
	if err := os.Rename(path, aside); err != nil {
		return nil, fmt.Errorf("what is known of %s is damaged: %w", name, err)
	}
	at := info.ModTime()
	seen := politefetch.Report{Site: name, Began: at, Ended: at, Outcome: politefetch.Done, Why: "its history was damaged, and is in " + filepath.Base(aside)}
	pressed := seen
	pressed.Requested = at
	h := &history{Site: name, path: path, Visits: []record{{Kind: unknown, Report: seen}, {Kind: unknown, Report: pressed}}}
	fmt.Fprintf(a.stderr, "kiwirank: the history of %s is damaged and set aside as %s; its last change, %s, counts as a visit\n", cli.Printable(name), filepath.Base(aside), at.Format(day))
	return h, h.save()
}

// histories reads all that is remembered, by address.
func (a *app) histories() ([]*history, error) {
	files, err := os.ReadDir(a.sitesDir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []*history
	for _, f := range files {
		if filepath.Ext(f.Name()) != ".json" || strings.HasPrefix(f.Name(), ".") {
			continue
		}
		path := filepath.Join(a.sitesDir(), f.Name())
		b, err := os.ReadFile(path)
		h := &history{path: path}
		if err != nil || json.Unmarshal(b, h) != nil || h.Start == "" {
			fmt.Fprintf(a.stderr, "kiwirank: %s is damaged: name its site to have it set aside\n", path)
			continue
		}
		out = append(out, h)
	}
	slices.SortFunc(out, func(a, b *history) int { return strings.Compare(a.Start, b.Start) })
	return out, nil
}

// past is the history as the calendar takes it.
func (h *history) past() []politefetch.Report {
	out := make([]politefetch.Report, len(h.Visits))
	for i := range h.Visits {
		out[i] = h.Visits[i].Report
	}
	return out
}

// begin remembers a visit that goes on, in case nobody lives to end it.
func (h *history) begin(r *record, now time.Time) error {
	going := record{Kind: r.Kind, Report: politefetch.Report{Began: now, Ended: now, Why: "it is going on, or its process died"}}
	if r.Kind == recheck {
		going.Requested = now
	}
	h.Visits = append(h.Visits, going)
	h.begun = true
	h.prune()
	return h.save()
}

// end remembers a visit.
func (h *history) end(r *record) error {
	if !h.begun { // nobody answered
		h.Visits = append(h.Visits, record{})
	}
	h.begun = false
	h.Visits[len(h.Visits)-1] = *r
	h.prune()
	return h.save()
}

func (h *history) save() error {
	b, err := json.MarshalIndent(h, "", " ")
	if err != nil {
		return err
	}
	return cli.WriteFile(h.path, append(b, '\n'))
}

// keepWeeks is how many weeks are remembered. The calendar needs one; it counts from a
// week's first visit, so that only whole weeks are forgotten.
const keepWeeks = 10

func (h *history) prune() {
	starts := h.weeks()
	if n := len(starts) - keepWeeks; n > 0 {
		h.Visits = slices.Clone(h.Visits[starts[n]:])
	}
}

// weeks are the indexes of the visits that weeks begin with, as the calendar counts them.
func (h *history) weeks() []int {
	var starts []int
	var anchor time.Time
	for i := range h.Visits {
		r := &h.Visits[i]
		if r.Requested.IsZero() && (anchor.IsZero() || !r.Began.Before(anchor.Add(calendar.Every))) {
			anchor = r.Began
			starts = append(starts, i)
		}
	}
	return starts
}

// kind is what a scheduled visit at an instant is.
func (h *history) kind(at time.Time) kind {
	starts := h.weeks()
	switch {
	case len(starts) == 0:
		return setUp
	case at.Before(h.Visits[starts[len(starts)-1]].Began.Add(calendar.Every)):
		return extra
	}
	return weekly
}

// extras counts the extra visits of the week that is going on.
func (h *history) extras() int {
	starts, n := h.weeks(), 0
	for i := range h.Visits {
		if len(starts) > 0 && i > starts[len(starts)-1] && h.Visits[i].Requested.IsZero() {
			n++
		}
	}
	return n
}

// walled is the last direct visit that met a bot wall; nil if a whole direct one has ended
// since without one.
func (h *history) walled() *record {
	for _, r := range slices.Backward(h.Visits) {
		switch {
		case r.Relayed:
		case r.Outcome == politefetch.Walled:
			return &r
		case r.Outcome == politefetch.Done && r.Kind != unknown:
			return nil
		}
	}
	return nil
}

// limit is the last limit that our own servers met, and the visit that it was in.
func (h *history) limit() (*record, *sign) {
	for _, r := range slices.Backward(h.Visits) {
		if r.Limit != nil && !r.Limit.Relayed {
			return &r, r.Limit
		}
	}
	return nil, nil
}
