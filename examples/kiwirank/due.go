package main

import (
	"context"
	"fmt"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
)

// A dueSite is a line of due.
type dueSite struct {
	Start string `json:"start"`
	Due   bool   `json:"due"`
	outlook
}

// dues lists the sites that are due; as JSON all of them.
func (a *app) dues(ctx context.Context) int {
	sites, err := a.named()
	if err != nil {
		return a.code(err)
	}
	code, now := exitNotDone, a.clock.now()
	var soonest *dueSite
	for _, address := range sites {
		s, err := a.open(ctx, address)
		if err != nil {
			a.code(err)
			continue
		}
		d := &dueSite{Start: s.start, outlook: a.next(s.past)}
		d.Due = !d.At.After(now)
		switch {
		case d.Due:
			code = exitDone
		case soonest == nil || d.At.Before(soonest.At):
			soonest = d
		}
		if err := a.putDue(d); err != nil {
			return a.code(err)
		}
	}
	if code == exitNotDone {
		fmt.Fprintln(a.stderr, "kiwirank: nothing is due"+next(soonest))
	}
	return code
}

func (a *app) putDue(d *dueSite) error {
	if !a.json && !d.Due {
		return nil
	}
	since := "ever"
	if !d.At.IsZero() {
		since = d.At.Format(time.RFC3339)
	}
	return a.put(d, cli.Printable(d.Start)+"\t"+string(d.Kind)+"\t"+since+"\n")
}

func next(d *dueSite) string {
	if d == nil {
		return ""
	}
	return fmt.Sprintf("; next is %s, at %s", cli.Printable(d.Start), cli.RoundUp(d.At, time.Minute, day))
}
