package main

import (
	"cmp"
	"strconv"

	"github.com/politefetch/sdk/examples/internal/timeline"
	"github.com/politefetch/sdk/politefetch"
)

// note keeps what came of a site for -report.
func (a *app) note(name string, said ...string) {
	a.page.Facts = append(a.page.Facts, timeline.Fact{Name: name, Lines: said})
}

// row keeps what came of a page for -report.
func (a *app) row(s *site, p *politefetch.Page, err error) {
	cells := []string{p.URL, string(cmp.Or(p.Outcome, "interrupted")), "", strconv.Itoa(p.Summary().Words), ""}
	if p.Status != 0 {
		cells[2] = strconv.Itoa(p.Status)
	}
	if err != nil {
		cells[4] = s.shorten(err.Error())
	}
	a.page.Table.Rows = append(a.page.Table.Rows, cells)
}

// writeReport writes what this run did. Each visit is of one site, whose hosts share a key.
func (a *app) writeReport() error {
	cfg := a.config(&site{}, nil)
	a.page.Title, a.page.Bot, a.page.Policy = cfg.Product+": "+a.command, cfg.UserAgent, cfg.Policy
	a.page.Table.Head = []string{"page", "outcome", "status", "words", "note"}
	a.page.Events, a.page.Lost = a.events.Events(), a.events.Lost()
	return a.page.WriteFile(a.report)
}
