package main

import (
	"fmt"

	"github.com/politefetch/sdk/examples/internal/timeline"
	"github.com/politefetch/sdk/politefetch"
)

// page is the run as -report writes it.
func (s *summary) page(cfg *politefetch.Config, rows []row, events *timeline.Log) *timeline.Run {
	run := &timeline.Run{
		Title: cfg.Product + " at " + s.Site, Bot: cfg.UserAgent, Ended: fmt.Sprintf("%s: %s.", s.Outcome, s.Why),
		Facts:  s.says()[2:], // what Title and Ended say is there
		Policy: cfg.Policy, OneSite: true, Events: events.Events(), Lost: events.Lost(),
	}
	figures := columns()
	head := []string{figures[0].title, "page"}
	for _, c := range figures[1:] {
		head = append(head, c.title)
	}
	run.Table.Head = append(head, "note")
	for i := range rows {
		r := &rows[i]
		cells := []string{figures[0].cell(r), short(r.URL, s.Site)}
		for _, c := range figures[1:] {
			cells = append(cells, c.cell(r))
		}
		run.Table.Rows = append(run.Table.Rows, append(cells, r.note(s.Site)))
	}
	return run
}
