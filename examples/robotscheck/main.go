// Robotscheck tells what a robots.txt lets one crawler do: whether it may ask for an
// address, which line decides, and what else the file says to it.
//
//	robotscheck -agent KiwiRankBot https://site.example/path
//	robotscheck -agent KiwiRankBot -file robots.txt /path
//
// Without -file it asks the site, as the crawler would: through the address guard, one
// request at a time, and with a bot wall or a broken answer in place of the file told from
// a file. With -file it reads a file and needs no network; of an address only the path and
// query count then. See robotscheck -h for the flags.
//
// The answer, and all that the file says to the crawler, goes to standard output, with
// -json as one object. What of it the file's author wrote is escaped where it could steer a
// terminal. The exit code is
//
//	0  allowed
//	1  disallowed
//	2  it could not be told: robots.txt can't be had, or the command line is wrong
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
