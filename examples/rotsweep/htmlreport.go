package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/politefetch/sdk/examples/internal/timeline"
)

// htmlReport is the run as -report writes it.
func (c *command) htmlReport(links []*link, sum *summary) *timeline.Run {
	run := &timeline.Run{
		Title: c.cfg.Product + ": " + strings.SplitN(strings.TrimSpace(sum.text()), ":", 2)[0], Bot: c.cfg.UserAgent,
		Policy: c.cfg.Policy, Events: c.events.Events(), Lost: c.events.Lost(),
		Table: timeline.Table{Head: []string{"link", "verdict", "status", "note"}},
	}
	lines := strings.Split(strings.TrimSpace(sum.text()), "\n")
	run.Facts = append(run.Facts, timeline.Fact{Name: "sweep", Lines: lines})
	var closed []string // and checked all the same, having been designated
	for _, l := range links {
		if l.swept && l.Closed != "" {
			closed = append(closed, fmt.Sprintf("%s: %s", l.URL, l.Closed))
		}
		status := ""
		if l.swept && l.Status != 0 {
			status = strconv.Itoa(l.Status)
		}
		run.Table.Rows = append(run.Table.Rows, []string{l.URL, l.words(), status, l.note()})
	}
	if len(closed) > 0 {
		run.Facts = append(run.Facts, timeline.Fact{
			Name: "robots.txt", Lines: append([]string{"What robots.txt has against addresses that somebody put on the list, where it is advice and no bar:"}, closed...),
		})
	}
	return run
}
