package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// writeText prints the report for a person.
func (r *report) writeText(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	line(map[bool]string{true: "allowed", false: "DISALLOWED"}[r.Allowed], "%s for %s", printable(r.Address), r.Agent)
	if r.Line > 0 {
		line("decided by", "line %d: %s", r.Line, strconv.Quote(r.Rule))
	} else {
		_, why, _ := strings.Cut(r.Why, ": ") // the word before it was said
		line("decided by", "%s", printable(why))
	}
	line("robots.txt", "%s", printable(r.From))
	switch r.Group {
	case "":
		line("group", "none for %s", r.Agent)
	case "*":
		line("group", "* (everybody; none names %s)", r.Agent)
	default:
		line("group", "%s", r.Group)
	}
	if r.CrawlDelay != nil {
		line("crawl delay", "%v", r.delay)
	}
	for _, x := range r.Rates {
		when := ""
		if x.Window != nil {
			when = ", " + x.Window.String()
		}
		line("request rate", "%d in %v%s (line %d)", x.Requests, x.per, when, x.Line)
	}
	for _, x := range r.Visits {
		line("visit time", "%s", x.String())
	}
	if len(r.Signals) > 0 {
		line("signals", "%s", printable(pairs(r.Signals)))
	}
	if len(r.Usage) > 0 {
		line("usage", "%s", printable(pairs(r.Usage)))
	}
	for _, x := range r.Licenses {
		line("license", "%s", printable(x))
	}
	for _, x := range r.Sitemaps {
		line("sitemap", "%s", printable(x))
	}
	for _, x := range r.Diagnostics {
		line("odd", "line %d: %s (%s)", x.Line, printable(x.Text), x.Code)
	}
	return w.Flush()
}

func (w window) String() string { return w.From + " to " + w.To + " UTC" }

// pairs lists a map as "a=x, b=y".
func pairs[V string | bool](m map[string]V) string {
	list := make([]string, 0, len(m))
	for _, k := range slices.SortedFunc(maps.Keys(m), cmp.Compare[string]) {
		v := fmt.Sprint(m[k])
		v = cmp.Or(map[string]string{"true": "y", "false": "n"}[v], v)
		list = append(list, k+"="+v)
	}
	return strings.Join(list, ", ")
}

// printable returns s, or s in Go's quotes if something in it could steer a terminal or
// would not show.
func printable(s string) string {
	if q := strconv.Quote(s); q[1:len(q)-1] != strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) {
		return q
	}
	return s
}
