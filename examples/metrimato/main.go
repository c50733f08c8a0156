// Metrimato scans one web site as the bot Metrimato-Scanner does and prints what its
// pages come to: lengths, counts and addresses, nothing of their text.
//
//	metrimato [flags] https://site.example/
//	metrimato -demo
//	metrimato [flags] -bot-page FORM
//
// It reads robots.txt first and obeys it, takes its addresses from the site's sitemaps
// and follows links only where there is none, asks for one HTML page at a time with at
// least 0.3 s in between, and leaves after 500 pages. See metrimato -h for the flags.
//
// Progress goes to standard error; the table and the report, or with -json one object a
// page and the report as the last, go to standard output. The exit code is
//
//	0    the site was scanned (or as much of it as -max-pages lets)
//	1    it could not be scanned, or the scan stopped early, or (-state) it is not due yet
//	     or another process is scanning it: the report says why
//	2    the command line is wrong
//	130  the scan was interrupted: the report covers what was done
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr, nil))
}
