package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// Widths of the table, in columns of the screen.
const (
	plainWidth  = 150 // where the output is not a terminal
	leastWidth  = 100
	figureWidth = 66 // what the columns of figures take
	leastCell   = 16
)

// writeTable prints a row for each page.
func writeTable(w io.Writer, site string, rows []row) {
	if len(rows) == 0 {
		return
	}
	room := max(width(w), leastWidth) - figureWidth
	pages, notes := 0, 0
	for i := range rows {
		pages = max(pages, len(short(rows[i].URL, site)))
		notes = max(notes, len(rows[i].note(site)))
	}
	notes = min(notes, max(room-pages, room/2))
	pages = max(min(pages, room-notes), leastCell)
	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.AppendHeader(table.Row{"#", "page", "status", "type", "bytes", "text", "words", "links", "same", "note"})
	figure := table.ColumnConfig{Align: text.AlignRight, AlignHeader: text.AlignRight}
	var columns []table.ColumnConfig
	for _, n := range []int{1, 3, 5, 6, 7, 8, 9} {
		figure.Number = n
		columns = append(columns, figure)
	}
	t.SetColumnConfigs(append(columns, table.ColumnConfig{Number: 10, WidthMax: max(notes, leastCell), WidthMaxEnforcer: text.WrapSoft}))
	for i := range rows {
		t.AppendRow(rows[i].cells(site, pages))
	}
	t.Render()
}

func (r *row) cells(site string, width int) table.Row {
	status, kind := "-", strings.TrimPrefix(r.Type, "text/")
	if r.Status > 0 {
		status = strconv.Itoa(r.Status)
	}
	same := ""
	if r.Twin > 0 {
		same = fmt.Sprintf("#%d", r.Twin)
	}
	cells := table.Row{r.N, middle(printable(short(r.URL, site)), width), status, middle(printable(kind), 15)}
	if r.Fingerprint == "" {
		cells = append(cells, "", "", "", "")
	} else {
		cells = append(cells, r.Bytes, r.Text, r.Words, r.Links)
	}
	return append(cells, same, printable(r.note(site)))
}

// middle cuts s to n characters and keeps its beginning and its end, which tell more of
// an address than what is between.
func middle(s string, n int) string {
	r := []rune(s)
	if len(r) <= n || n < 3 {
		return s
	}
	head := (n - 1) * 2 / 3
	return string(r[:head]) + "…" + string(r[len(r)-(n-1-head):])
}

// printable takes out what a site could play tricks on a terminal with.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return '·'
		}
		return r
	}, s)
}

// width is that of the terminal behind w.
func width(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return plainWidth
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
