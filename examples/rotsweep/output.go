package main

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
)

// An output is what goes to standard output.
type output struct {
	w     io.Writer
	json  bool
	watch bool
	brief bool   // without the table
	clear func() // takes the progress away
	err   error  // of writing; nothing is written after it
}

// link writes what is to be known of a check at once.
func (o *output) link(l *link) {
	switch {
	case o.err != nil:
	case o.json:
		o.err = json.NewEncoder(o.w).Encode(newRow(l))
	case o.watch && l.news:
		o.clear()
		_, o.err = fmt.Fprintf(o.w, "%s  %s  %s\n", time.Now().Format(time.DateTime), cli.Printable(l.URL), cli.Printable(l.words()))
	}
}

// end writes the table and the report.
func (o *output) end(links []*link, sum *summary) {
	switch {
	case o.err != nil:
	case o.json:
		o.err = json.NewEncoder(o.w).Encode(map[string]*summary{"report": sum})
	default:
		if !o.brief {
			writeTable(o.w, links)
		}
		_, o.err = io.WriteString(o.w, sum.text())
	}
}
