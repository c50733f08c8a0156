package main

import (
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/politefetch/sdk/examples/internal/cli"
)

const (
	leastCell = 10
	manyRows  = 60 // of a longer list what is fine isn't shown, nor what was not asked for
)

// writeTable prints a row for each link.
func writeTable(w io.Writer, links []*link) {
	var shown []*link
	var fine, left int
	for _, l := range links {
		switch {
		case len(links) <= manyRows, l.swept && l.Verdict != ok:
			shown = append(shown, l)
		case l.swept:
			fine++
		default:
			left++
		}
	}
	if fine > 0 {
		defer fmt.Fprintf(w, "Not shown: %s.\n", cli.Plural(fine, "link that is ok", "links that are ok"))
	}
	if left > 0 {
		defer fmt.Fprintf(w, "Not shown: %s.\n", cli.Plural(left, "link that was not checked", "links that were not checked"))
	}
	if len(shown) == 0 {
		return
	}
	addresses, verdicts, notes := leastCell, leastCell, len("note")
	for _, l := range shown {
		addresses = max(addresses, utf8.RuneCountInString(l.URL))
		verdicts = max(verdicts, utf8.RuneCountInString(l.words()))
		notes = max(notes, utf8.RuneCountInString(l.note()))
	}
	// The frame takes ten columns. Verdicts are worth most, and then addresses.
	total := cli.ScreenWidth(w)
	room := max(total-10, 3*leastCell)
	addresses = min(addresses, max(room*2/5, leastCell))
	verdicts = min(verdicts, max(room-addresses-min(notes, room/4), leastCell))
	notes = min(notes, max(room-addresses-verdicts, leastCell))

	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.Style().Size.WidthMax = total
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 2, WidthMax: verdicts, WidthMaxEnforcer: text.WrapSoft},
		{Number: 3, WidthMax: notes, WidthMaxEnforcer: text.WrapSoft},
	})
	t.AppendHeader(table.Row{"link", "verdict", "note"})
	for _, l := range shown {
		t.AppendRow(table.Row{cli.Middle(cli.Printable(l.URL), addresses), cli.Printable(l.words()), cli.Printable(l.note())})
	}
	t.Render()
}
