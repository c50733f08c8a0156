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
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/politefetch"
)

// maxRuns is how many runs of a site are remembered.
const maxRuns = 50

// A history is what -state DIR remembers of one site's runs, in a file of its own beside
// what the library remembers there of hosts. The zero history remembers nothing.
type history struct {
	dir  string
	site string
	runs []pastRun
}

// A pastRun is as much of a run's report as the calendar needs: no address of a page, no
// text. One without an outcome was broken off.
type pastRun struct {
	Site      string              `json:"site"`
	Requested time.Time           `json:"requested,omitzero"` // by hand; zero: the weekly run
	Began     time.Time           `json:"began"`
	Ended     time.Time           `json:"ended"`
	Opens     time.Time           `json:"opens,omitzero"`
	Outcome   politefetch.Outcome `json:"outcome"`
	Limited   bool                `json:"limited,omitempty"`
	Pages     int                 `json:"pages"`
}

// openHistory reads what is known of a site. A file that can't be read is an error: not
// to know is no leave to come again.
func openHistory(dir, site string) (*history, error) {
	h := &history{dir: dir, site: site}
	b, err := os.ReadFile(h.path())
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &h.runs)
	}
	if err != nil {
		return nil, fmt.Errorf("what -state knows of %s can't be read: %w", site, err)
	}
	return h, nil
}

func (h *history) path() string {
	sum := sha256.Sum256([]byte(h.site))
	return filepath.Join(h.dir, "runs", hex.EncodeToString(sum[:16])+".json")
}

// past is the history as the calendar takes it.
func (h *history) past() []politefetch.Report {
	var out []politefetch.Report
	for _, r := range h.runs {
		out = append(out, politefetch.Report{
			Site: r.Site, Requested: r.Requested, Began: r.Began, Ended: r.Ended, Opens: r.Opens,
			Outcome: r.Outcome, Limited: r.Limited, Pages: r.Pages,
		})
	}
	return out
}

// due says when the next run may begin: the zero time, at once.
func (h *history) due(byHand bool) time.Time {
	if byHand {
		return calendar.RecheckOpens(h.past())
	}
	return calendar.Next(h.past())
}

// brokenOff reports whether the last run of the kind was: interrupted, or its process died.
func (h *history) brokenOff(byHand bool) bool {
	for _, r := range slices.Backward(h.runs) {
		if r.Requested.IsZero() != byHand {
			return r.Outcome == ""
		}
	}
	return false
}

// begin remembers a run that goes on as one that was broken off, in case nobody lives to
// end it.
func (h *history) begin(requested, now time.Time) error {
	h.runs = append(h.runs, pastRun{Site: h.site, Requested: requested, Began: now, Ended: now})
	return h.save()
}

// end remembers what came of the run that was begun; one that does not count is forgotten.
func (h *history) end(rep *politefetch.Report, counts bool) error {
	if h.dir == "" {
		return nil
	}
	h.runs = h.runs[:len(h.runs)-1]
	if counts {
		h.runs = append(h.runs, pastRun{
			Site: rep.Site, Requested: rep.Requested, Began: rep.Began, Ended: rep.Ended, Opens: rep.Opens,
			Outcome: rep.Outcome, Limited: rep.Limited, Pages: rep.Pages,
		})
	}
	return h.save()
}

// save writes the file whole or not at all: a new one takes the old one's place.
func (h *history) save() error {
	b, err := json.Marshal(h.runs[max(0, len(h.runs)-maxRuns):])
	if err != nil {
		return err
	}
	return cli.WriteFile(h.path(), b)
}
