// Kiwirank visits web sites as the bot KiwiRankBot does, remembers what came of it, and
// says what it will do next and why.
//
//	kiwirank visit   -state DIR SITE…
//	kiwirank recheck -state DIR SITE…
//	kiwirank status  -state DIR [SITE…]
//	kiwirank due     -state DIR [SITE…]
//	kiwirank -demo
//
// Visit sets a site up and then visits it when it is due: once a week, and up to twice more
// after a visit that the site limited. Recheck is the owner's button. Both refuse to come
// too soon, and say when. Status explains, due lists. See kiwirank -h for the flags.
//
// Progress goes to standard error, what came of it to standard output. The exit code is
//
//	0    every visit was made and read the site; due: something is due
//	1    some visit was not, or did not: the output says why; due: nothing is due
//	2    the command line is wrong
//	130  interrupted: what was done is remembered
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
	a := &app{stdout: os.Stdout, stderr: os.Stderr, key: os.Getenv(keyVariable)}
	os.Exit(a.run(ctx, os.Args[1:]))
}
