// Command bench measures this module's packages beside their peers, side by side in one
// process, and holds the figures against the project's bars:
//
//	GOWORK=off go -C internal/bench run . -bench robots
//
// A Markdown report goes to standard output, what it is at to standard error. The exit code
// is 1 if a bar is missed and 2 if the command line is wrong or something broke. README.md
// says what the columns mean and how a subject is added.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"
)

// Exit codes.
const (
	exitKept   = 0
	exitMissed = 1
	exitBroken = 2
)

// A part is one subject matter, such as robots.txt files.
type part func(*bench) error

func main() {
	if what, ok := os.LookupEnv(crawlChild); ok {
		os.Exit(child(what))
	}
	if what, ok := os.LookupEnv(truthChild); ok {
		os.Exit(truthful(what))
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	parts := map[string]part{"robots": benchRobots, "sitemap": benchSitemap, "rate": benchRate, "guard": benchGuard, "page": benchPage, "crawl": benchCrawl, "truth": benchTruth}
	b := &bench{report: report{w: stdout}, progress: stderr}
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(stderr)
	which := fs.String("bench", "robots,sitemap,rate,guard,page,crawl,truth", "`parts` to run, with commas")
	fs.IntVar(&b.rounds, "rounds", 7, "interleaved rounds: every subject runs once a round")
	fs.DurationVar(&b.slice, "slice", 50*time.Millisecond, "time for one subject in one round")
	fs.Func("only", "measure only what has a title that matches `REGEXP`", func(s string) (err error) {
		b.only, err = regexp.Compile(s)
		return err
	})
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return exitKept
	case err != nil:
		return exitBroken
	case fs.NArg() > 0 || b.rounds < 1:
		fmt.Fprintln(stderr, "bench: flags only, and at least one round")
		return exitBroken
	}
	b.header(args)
	for name := range strings.SplitSeq(*which, ",") {
		p := parts[name]
		if p == nil {
			fmt.Fprintf(stderr, "bench: there is no part %q\n", name)
			return exitBroken
		}
		fmt.Fprintf(stdout, "\n# %s\n", name)
		if err := p(b); err != nil {
			fmt.Fprintf(stderr, "bench: %s: %v\n", name, err)
			return exitBroken
		}
	}
	b.writeBars()
	if b.missed() {
		return exitMissed
	}
	return exitKept
}
