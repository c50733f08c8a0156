package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// A report is what a run prints: tables, and at its end the bars.
type report struct {
	w    io.Writer
	bars []bar
}

// A bar is a promise about a figure.
type bar struct {
	promise string
	limit   float64
	figure  float64
	least   bool // the figure must be at least the limit, not at most
}

func (b *bar) kept() bool {
	if b.least {
		return b.figure >= b.limit
	}
	return b.figure <= b.limit
}

func (r *report) atMost(limit, figure float64, format string, args ...any) {
	r.bars = append(r.bars, bar{promise: fmt.Sprintf(format, args...), limit: limit, figure: figure})
}

func (r *report) atLeast(limit, figure float64, format string, args ...any) {
	r.bars = append(r.bars, bar{promise: fmt.Sprintf(format, args...), limit: limit, figure: figure, least: true})
}

func (r *report) missed() bool {
	return slices.ContainsFunc(r.bars, func(b bar) bool { return !b.kept() })
}

func (r *report) writeBars() {
	if len(r.bars) == 0 {
		return
	}
	fmt.Fprintf(r.w, "\n# bars\n")
	var rows [][]string
	for _, b := range r.bars {
		limit, kept := "at most ", "kept"
		if b.least {
			limit = "at least "
		}
		if !b.kept() {
			kept = "**missed**"
		}
		rows = append(rows, []string{b.promise, limit + short(b.limit), short(b.figure), kept})
	}
	r.table("", []string{"what", "bar", "measured", ""}, rows)
}

// header says what was run, where and when.
func (r *report) header(args []string) {
	command := "GOWORK=off go -C internal/bench run ."
	for _, a := range args {
		if strings.ContainsAny(a, " |*()") {
			a = "'" + a + "'"
		}
		command += " " + a
	}
	fmt.Fprintf(r.w, "Made by `%s` on %s.\n\n",
		command, time.Now().UTC().Format("2006-01-02 at 15:04 UTC"))
	fmt.Fprintf(r.w, "%s, %s/%s, %d cores of %s", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), processor())
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		fmt.Fprintf(r.w, "; load average at the start %s", strings.Join(strings.Fields(string(load))[:3], ", "))
	}
	fmt.Fprintf(r.w, ".\n")
	if info, ok := debug.ReadBuildInfo(); ok {
		var peers []string
		for _, m := range info.Deps {
			if m.Replace == nil && !strings.HasPrefix(m.Path, "golang.org/") {
				peers = append(peers, m.Path+" "+m.Version)
			}
		}
		fmt.Fprintf(r.w, "Peers: %s.\n", strings.Join(peers, ", "))
	}
}

// processor is the name of the processor, where the system tells.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "an unnamed processor"
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, name, _ := strings.Cut(lines.Text(), ":"); strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(name)
		}
	}
	return "an unnamed processor"
}

// table prints a Markdown table.
func (r *report) table(title string, head []string, rows [][]string) {
	if title != "" {
		fmt.Fprintf(r.w, "\n## %s\n", title)
	}
	fmt.Fprintln(r.w)
	w := tabwriter.NewWriter(r.w, 0, 0, 0, ' ', tabwriter.Debug)
	line := func(cells []string) { fmt.Fprintf(w, "| %s \t\n", strings.Join(cells, " \t ")) }
	line(head)
	line(slices.Repeat([]string{"---"}, len(head)))
	for _, cells := range rows {
		line(cells)
	}
	w.Flush()
}

// costs prints a table of samples; more are further columns. A subject without a sample
// gets a row that says why.
func costs[F any](r *report, title string, subjects []Subject[F], got []sample, why []error, more []string, cells func(i int) []string) {
	best := bestPeer(subjects, got)
	var rows [][]string
	for i, s := range subjects {
		row := []string{s.Name, string(s.Kind)}
		switch g := got[i]; {
		case why[i] != nil:
			row = append(row, printable(why[i].Error()), "", "", "", "")
		case g.ns == 0:
			row = append(row, "not measured", "", "", "", "")
		default:
			row = append(row, duration(g.ns), short(g.ns/best)+"x", fmt.Sprintf("%.0f", g.bytes), fmt.Sprintf("%.1f", g.allocs), fmt.Sprintf("%.2f", g.spread))
		}
		if why[i] == nil && cells != nil {
			row = append(row, cells(i)...)
		} else {
			row = append(row, make([]string, len(more))...)
		}
		rows = append(rows, row)
	}
	r.table(title, append([]string{"subject", "kind", "time/op", "vs best peer", "B/op", "allocs/op", "spread"}, more...), rows)
}

// bestPeer is the least time of a peer; 0 if there is none.
func bestPeer[F any](subjects []Subject[F], got []sample) float64 {
	best := 0.0
	for i, s := range subjects {
		if s.Kind == Peer && got[i].ns > 0 && (best == 0 || got[i].ns < best) {
			best = got[i].ns
		}
	}
	return best
}

// named is the sample of the subject with a name.
func named[F any](subjects []Subject[F], got []sample, name string) sample {
	for i, s := range subjects {
		if s.Name == name {
			return got[i]
		}
	}
	return sample{}
}

// short writes a number with three digits that count.
func short(f float64) string {
	if f >= 1000 {
		return fmt.Sprintf("%.0f", f)
	}
	return fmt.Sprintf("%.3g", f)
}

func duration(ns float64) string {
	for _, unit := range []string{"ns", "µs"} {
		if ns < 999.5 {
			return short(ns) + " " + unit
		}
		ns /= 1000
	}
	return short(ns) + " ms"
}

// size writes a number of bytes.
func size(n float64) string {
	if n < 1024 {
		return fmt.Sprintf("%.0f B", n)
	}
	return short(n/1024) + " KiB"
}

// printable keeps a peer's message from breaking a table, or from filling it.
func printable(s string) string {
	s = strings.Map(func(c rune) rune {
		if c < ' ' || c == '|' {
			return ' '
		}
		return c
	}, s)
	if len(s) > 60 {
		s = strings.ToValidUTF8(s[:60], "") + "…"
	}
	return s
}
