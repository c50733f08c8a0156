package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/politefetch/sdk/examples/internal/cli"
)

// Widths of the table, in columns of the screen.
const (
	leastRoom = 36 // for addresses and notes
	leastCell = 8
	mostType  = 15
)

// A column is one of figures, or of something as short.
type column struct {
	title string
	left  bool // aligned
	spare int  // on a narrow screen the highest goes first; 0: it stays
	cell  func(*row) string
}

func columns() []column {
	figure := func(of func(*row) int64) func(*row) string {
		return func(r *row) string {
			if r.Fingerprint == "" {
				return ""
			}
			return strconv.FormatInt(of(r), 10)
		}
	}
	return []column{
		{"#", false, 0, func(r *row) string { return strconv.Itoa(r.N) }},
		{"status", false, 0, func(r *row) string {
			if r.Status == 0 {
				return "-"
			}
			return strconv.Itoa(r.Status)
		}},
		{"type", true, 6, func(r *row) string { return cli.Middle(cli.Printable(strings.TrimPrefix(r.Type, "text/")), mostType) }},
		{"bytes", false, 1, figure(func(r *row) int64 { return r.Bytes })},
		{"text", false, 5, figure(func(r *row) int64 { return int64(r.Text) })},
		{"words", false, 2, figure(func(r *row) int64 { return int64(r.Words) })},
		{"links", false, 3, figure(func(r *row) int64 { return int64(r.Links) })},
		{"same", false, 4, func(r *row) string {
			if r.Twin == 0 {
				return ""
			}
			return fmt.Sprintf("#%d", r.Twin)
		}},
	}
}

// fit leaves out columns until there is room for addresses and notes in a table as wide as
// total, and returns that room.
func fit(columns []column, rows []row, total int) (kept []column, room int) {
	for {
		room = total - 1 - 3*(len(columns)+2)
		least := -1
		for i, c := range columns {
			wide := len(c.title)
			for j := range rows {
				wide = max(wide, utf8.RuneCountInString(c.cell(&rows[j])))
			}
			room -= wide
			if c.spare > 0 && (least < 0 || c.spare > columns[least].spare) {
				least = i
			}
		}
		if room >= leastRoom || least < 0 {
			return columns, max(room, 2*leastCell)
		}
		columns = slices.Delete(columns, least, least+1)
	}
}

// writeTable prints a row for each page.
func writeTable(w io.Writer, site string, rows []row) {
	if len(rows) == 0 {
		return
	}
	total := cli.ScreenWidth(w)
	figures, room := fit(columns(), rows, total)
	pages, notes := leastCell, leastCell
	for i := range rows {
		pages = max(pages, utf8.RuneCountInString(cli.Printable(short(rows[i].URL, site))))
		notes = max(notes, utf8.RuneCountInString(cli.Printable(rows[i].note(site))))
	}
	notes = min(notes, max(room-pages, room/2))
	pages = min(pages, room-notes)

	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.Style().Size.WidthMax = total // of a screen that is too narrow for anything
	cells := func(number, page, note any, other func(column) any) table.Row {
		out := table.Row{number, page}
		for _, c := range figures[1:] {
			out = append(out, other(c))
		}
		return append(out, note)
	}
	t.AppendHeader(cells("#", "page", "note", func(c column) any { return c.title }))
	configs := []table.ColumnConfig{
		{Number: 1, Align: text.AlignRight, AlignHeader: text.AlignRight},
		{Number: len(figures) + 2, WidthMax: notes, WidthMaxEnforcer: text.WrapSoft},
	}
	for i, c := range figures[1:] {
		if !c.left {
			configs = append(configs, table.ColumnConfig{Number: i + 3, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	t.SetColumnConfigs(configs)
	for i := range rows {
		r := &rows[i]
		page := cli.Middle(cli.Printable(short(r.URL, site)), pages)
		t.AppendRow(cells(r.N, page, cli.Printable(r.note(site)), func(c column) any { return c.cell(r) }))
	}
	t.Render()
}
