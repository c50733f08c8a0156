package timeline

import (
	_ "embed"
	"html/template"
	"io"
	"time"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/ratepolicy"
)

// A Run is what the page is made of. It is plain data; every field may be zero.
type Run struct {
	Title string // of the page
	Bot   string // its user agent
	Ended string // in words: how the run ended

	Facts []Fact // whatever else there is to say, in order
	Table Table  // what came of each address

	// Policy is the pace that the bot promises; zeros as in [ratepolicy.Policy]. The page
	// holds the events against it.
	Policy ratepolicy.Policy
	// OneSite: all hosts share one pace, as those of one visit do.
	OneSite bool

	Events []politefetch.Event // in any order
	Lost   int                 // events that are not there any more, being the oldest

	Zone *time.Location // of every instant on the page; nil: time.Local
}

// A Fact is a name and what there is to say under it, a line each.
type Fact struct {
	Name  string
	Lines []string
}

// A Table has a head and rows of as many cells.
type Table struct {
	Head []string
	Rows [][]string
}

//go:embed page.html
var page string

var tmpl = template.Must(template.New("page").Parse(page))

// Write writes the page.
func (r *Run) Write(w io.Writer) error { return tmpl.Execute(w, newView(r)) }
