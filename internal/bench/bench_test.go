package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/politefetch/sdk/sitemap"
)

// Every subject must be able to run, and ours must answer as the reference does.
func TestSubjectsAgree(t *testing.T) {
	for _, n := range []int{10, 100} {
		c, err := generated(n, false)
		if err != nil {
			t.Fatal(err)
		}
		_, why, agree := c.asked(Robots)
		for i, s := range Robots {
			if why[i] != nil || agree[i] != len(c.ask) {
				t.Errorf("%s at %d rules: %d of %d answers, %v", s.Name, n, agree[i], len(c.ask), why[i])
			}
		}
	}
	for _, images := range []bool{false, true} {
		for _, s := range Sitemaps {
			if n, err := s.Do(newSitemap(300, images), images); n != 300 || err != nil {
				t.Errorf("%s: %d URLs, %v", s.Name, n, err)
			}
		}
	}
}

func TestLimitersTakeOneTurnAnInterval(t *testing.T) {
	for _, s := range append(Rates, ratesHeld...) {
		decide, err := s.Do(time.Hour)
		if err != nil {
			t.Fatal(s.Name, err)
		}
		if !decide("a.example") || !decide("b.example") || decide("a.example") {
			t.Errorf("%s: not one turn an hour for each host", s.Name)
		}
	}
}

func TestGeneratedSitemapHasWhatItsTableSays(t *testing.T) {
	images, alternates := 0, 0
	for e, err := range sitemap.Read(newSitemap(1000, true), &sitemap.Options{Extensions: true}) {
		if err != nil || e.LastMod.IsZero() || e.ChangeFreq != "weekly" || !e.HasPriority {
			t.Fatal(e, err)
		}
		images += len(e.Images)
		alternates += len(e.Alternates)
	}
	if images != 1500 || alternates != 250 {
		t.Errorf("%d images, %d alternates", images, alternates)
	}
}

func TestInterleaveTakesTheBestRound(t *testing.T) {
	b := &bench{progress: io.Discard, rounds: 3, slice: time.Millisecond}
	calls := 0
	got := b.interleave([]operation{
		func(n int) {
			if calls++; calls == 1 {
				time.Sleep(20 * time.Millisecond) // a busy neighbour
			}
			for range n {
				time.Sleep(100 * time.Microsecond)
			}
		},
		nil,
	})
	if got[0].ns < 1e5 || got[0].ns > 5e6 {
		t.Errorf("best round: %v", got[0])
	}
	if got[1] != (sample{}) {
		t.Errorf("nothing was run: %v", got[1])
	}
}

func TestReportTellsMissedBars(t *testing.T) {
	for _, tt := range []struct {
		args []string
		code int
	}{
		{[]string{"-bench", "robots", "-only", "one answer, the file read before: 10 rules", "-rounds", "1", "-slice", "1ms"}, exitKept},
		{[]string{"-bench", "nothing"}, exitBroken},
		{[]string{"-rounds", "0"}, exitBroken},
		{[]string{"-only", "("}, exitBroken},
	} {
		var out, errOut bytes.Buffer
		if code := run(tt.args, &out, &errOut); code != tt.code && !strings.Contains(out.String(), "**missed**") {
			t.Errorf("%v: exit code %d, want %d\n%s%s", tt.args, code, tt.code, &out, &errOut)
		}
	}
	var out bytes.Buffer
	r := report{w: &out}
	r.atMost(2, 3, "a %s", "time")
	r.atLeast(2, 3, "a ratio")
	r.writeBars()
	if !r.missed() || strings.Count(out.String(), "**missed**") != 1 || strings.Count(out.String(), "kept") != 1 {
		t.Errorf("report:\n%s", &out)
	}
}

func TestHostileFilesHaveTheirSize(t *testing.T) {
	for _, c := range hostileFiles(hostileSize) {
		if len(c.body) > hostileSize || len(c.body) < hostileSize*9/10 || len(c.ask) < 3 {
			t.Errorf("%s: %d bytes, %d addresses", c.name, len(c.body), len(c.ask))
		}
		for _, a := range c.ask {
			if len(a.Path) > longestPath {
				t.Errorf("%s: an address of %d bytes", c.name, len(a.Path))
			}
		}
	}
}
