package main

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
)

func TestADamagedHistoryIsSetAsideAndNoLeave(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"half":         func(b []byte) []byte { return b[:len(b)/2] },
		"empty":        func([]byte) []byte { return nil },
		"another's":    func(b []byte) []byte { return []byte(strings.ReplaceAll(string(b), "shop.example", "other.example")) },
		"of zeros":     func(b []byte) []byte { return make([]byte, len(b)) },
		"another type": func([]byte) []byte { return []byte(`["x"]`) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Hour)
				w.visit(t, exitDone)
				files, err := filepath.Glob(filepath.Join(w.dir, "sites", "*.json"))
				require.NoError(t, err)
				require.Len(t, files, 1)
				whole, err := os.ReadFile(files[0])
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(files[0], damage(whole), 0o600))
				require.NoError(t, os.Chtimes(files[0], time.Now(), time.Now()))
				sent := len(w.direct.Log())

				time.Sleep(24 * time.Hour)
				code, _, errOut := w.run(t, "visit", start)
				assert.Equal(t, exitNotDone, code)
				assert.Contains(t, errOut, "is damaged and set aside as")
				assert.Contains(t, errOut, "no visit before Sat 8 Jan 01:0")
				assert.Len(t, w.direct.Log(), sent)
				aside, err := filepath.Glob(files[0] + ".damaged-*")
				require.NoError(t, err)
				require.Len(t, aside, 1)
				kept, err := os.ReadFile(aside[0])
				require.NoError(t, err)
				assert.Equal(t, string(damage(whole)), string(kept))

				_, _, errOut = w.run(t, "visit", start)
				assert.NotContains(t, errOut, "damaged", "said once")
				time.Sleep(6 * 24 * time.Hour)
				assert.Contains(t, w.visit(t, exitDone), "weekly visit: done")
			})
		})
	}
}

func TestOneVisitAtATime(t *testing.T) {
	w := newWorld(t)
	synctest.Test(t, func(t *testing.T) {
		w.direct.Set("/a", busy(30), busy(30))
		w.direct.Set("/b", busy(30), busy(30))
		w.direct.Set("/c", busy(30), busy(30))
		done := make(chan string)
		go func() {
			_, out, errOut := w.run(t, "visit", start)
			done <- out + errOut
		}()
		time.Sleep(80 * time.Second)
		code, _, errOut := w.run(t, "visit", start)
		assert.Equal(t, exitNotDone, code)
		assert.Contains(t, errOut, "https://shop.example: another process is at it since Saturday, 00:00:00")
		assert.Contains(t, <-done, "set-up visit: ")
		w.audit(t)
	})
}

// A context that ends is a process that dies, as far as the store can see.
func TestAClaimOfADeadProcessRunsOut(t *testing.T) {
	w := newWorld(t)
	synctest.Test(t, func(t *testing.T) {
		a := &app{options: options{state: w.dir}, stdout: os.Stdout, stderr: os.Stderr}
		s, err := a.open(t.Context(), start)
		require.NoError(t, err)
		ctx, die := context.WithCancel(t.Context())
		_, err = cli.Claim(ctx, a.memory(), claimKey(s))
		require.NoError(t, err)
		die()
		time.Sleep(cli.ClaimFor - time.Second)
		code, _, errOut := w.run(t, "visit", start)
		assert.Equal(t, exitNotDone, code)
		assert.Contains(t, errOut, "(one that died is forgotten after 2 minutes)")
		time.Sleep(2 * time.Second)
		w.visit(t, exitDone)
	})
}

func TestAnInterruptedVisitIsRemembered(t *testing.T) {
	w := newWorld(t)
	synctest.Test(t, func(t *testing.T) {
		w.direct.Set("/b", fetchtest.Hang())
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		var out, errOut strings.Builder
		a := &app{stdout: &out, stderr: &errOut, direct: &w.direct}
		assert.Equal(t, exitInterrupted, a.run(ctx, []string{"visit", start, "https://never.example/", "-state", w.dir}))
		assert.Contains(t, out.String(), "set-up visit: interrupted")
		assert.Zero(t, w.direct.Count("https://never.example/robots.txt"))
		assert.Contains(t, w.status(t), "last set-up visit on Sat 1 Jan 00:00: interrupted")
		code, out2, _ := w.run(t, "recheck", start)
		assert.Equal(t, exitDone, code, out2)
	})
}

// TestForgettingWeeksChangesNoDate holds what the calendar says of a long history against
// what it says of the part that is kept.
func TestForgettingWeeksChangesNoDate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	outcomes := []politefetch.Outcome{politefetch.Done, politefetch.Limited, politefetch.Walled, politefetch.Failed, ""}
	pruned := 0
	for range 50 {
		var whole, kept history
		now := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
		for range 150 {
			r := record{Report: politefetch.Report{Outcome: outcomes[rng.IntN(len(outcomes))], Limited: rng.IntN(2) == 0}}
			if rng.IntN(2) == 0 {
				now = later(now, calendar.RecheckOpens(whole.past()))
				r.Requested = now
			} else {
				now = later(now, calendar.Next(whole.past())).Add(time.Duration(rng.IntN(7200)) * time.Second)
			}
			r.Began, r.Ended = now, now.Add(time.Duration(1+rng.IntN(900))*time.Second)
			now = r.Ended
			whole.Visits, kept.Visits = append(whole.Visits, r), append(kept.Visits, r)
			kept.prune()
			require.Equal(t, calendar.Next(whole.past()), calendar.Next(kept.past()))
			require.Equal(t, later(now, calendar.RecheckOpens(whole.past())), later(now, calendar.RecheckOpens(kept.past())))
			require.Equal(t, whole.kind(now), kept.kind(now))
			require.Equal(t, whole.extras(), kept.extras())
		}
		pruned += len(whole.Visits) - len(kept.Visits)
	}
	require.Positive(t, pruned)
}

// What is stored is the library's report, whole.
func TestReportsSurviveTheFile(t *testing.T) {
	w := newWorld(t)
	synctest.Test(t, func(t *testing.T) {
		w.direct.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /\n"))
		w.visit(t, exitNotDone)
		a := &app{options: options{state: w.dir}}
		h, err := a.history("shop.example")
		require.NoError(t, err)
		require.Len(t, h.Visits, 1)
		r := h.Visits[0]
		assert.Equal(t, politefetch.Disallowed, r.Outcome)
		assert.Equal(t, 2, r.Robots.Line)
		assert.Contains(t, w.status(t), "disallowed by robots.txt line 2: Disallow: /")
		b, err := json.Marshal(r.Report)
		require.NoError(t, err)
		var again politefetch.Report
		require.NoError(t, json.Unmarshal(b, &again))
		assert.Equal(t, r.Report, again)
	})
}

// A process that is killed leaves the folder as it is at that moment.
func TestAVisitThatWasKilledIsRemembered(t *testing.T) {
	w := newWorld(t)
	synctest.Test(t, func(t *testing.T) {
		w.direct.Set("/b", fetchtest.Hang())
		done := make(chan string)
		go func() {
			_, out, _ := w.run(t, "visit", start)
			done <- out
		}()
		time.Sleep(5 * time.Second)
		assert.Contains(t, w.status(t), "last set-up visit on Sat 1 Jan 00:00: interrupted: it is going on, or its process died")
		left := t.TempDir()
		require.NoError(t, os.CopyFS(left, os.DirFS(w.dir)))
		assert.Contains(t, <-done, "set-up visit: done")
		assert.NotContains(t, w.status(t), "interrupted")

		time.Sleep(time.Hour)
		sent := len(w.direct.Log())
		code, _, errOut := w.run(t, "visit", start, "-state", left)
		assert.Equal(t, exitNotDone, code)
		assert.Contains(t, errOut, "no visit before Sat 8 Jan 00:0")
		assert.Len(t, w.direct.Log(), sent)
	})
}

func TestASlowVisitKeepsItsClaim(t *testing.T) {
	w := newWorld(t)
	synctest.Test(t, func(t *testing.T) {
		w.direct.Set("/robots.txt", fetchtest.Text("User-agent: *\nCrawl-delay: 1200\n"))
		done := make(chan string)
		go func() {
			_, out, _ := w.run(t, "visit", start)
			done <- out
		}()
		time.Sleep(39 * time.Minute)
		code, _, errOut := w.run(t, "recheck", start)
		assert.Equal(t, exitNotDone, code)
		assert.Contains(t, errOut, "https://shop.example: another process is at it since Saturday, 00:00:00")
		assert.Contains(t, <-done, "set-up visit: done")
		w.audit(t)
	})
}

func TestASiteHasOneCalendarByAllItsNames(t *testing.T) {
	w := newWorld(t)
	synctest.Test(t, func(t *testing.T) {
		w.visit(t, exitDone)
		sent := len(w.direct.Log())
		for _, name := range []string{"http://shop.example/", "https://www.shop.example/", "HTTP://WWW.shop.example:80/a"} {
			code, _, errOut := w.run(t, "visit", name)
			assert.Equal(t, exitNotDone, code, name)
			assert.Contains(t, errOut, "no visit before Sat 8 Jan 00:00", name)
		}
		assert.Len(t, w.direct.Log(), sent)
		_, out, _ := w.run(t, "status")
		assert.Equal(t, 1, strings.Count(out, "next"))
	})
}

func TestAHistoryThatCannotBeReadHidesNoOther(t *testing.T) {
	w := newWorld(t)
	synctest.Test(t, func(t *testing.T) {
		w.visit(t, exitDone)
		require.NoError(t, os.Mkdir(filepath.Join(w.dir, "sites", "0.json"), 0o700))
		time.Sleep(8 * 24 * time.Hour)
		code, out, errOut := w.run(t, "due")
		assert.Equal(t, exitDone, code)
		assert.Contains(t, out, start)
		assert.Contains(t, errOut, "0.json is damaged")
	})
}
