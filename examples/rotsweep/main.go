// Rotsweep watches links as the bot RotSweep does, and says which of them broke, moved or
// no longer say what they used to.
//
//	rotsweep [flags] [FILE|-]
//	rotsweep [flags] -scan page|sitemap URL
//	rotsweep [flags] -bot-page FORM
//	rotsweep -demo
//
// It asks for each address once a sweep, a domain's at the pace that its page promises,
// many domains side by side. robots.txt is obeyed where it looks for links (-scan); a
// link that somebody put on the list is checked whatever it says, and the table tells. See
// rotsweep -h for the list's format and the flags.
//
// Progress goes to standard error; the table, or with -json one object a link and the
// report as the last, go to standard output. The exit code is
//
//	0    nothing to report: no link is broken, has moved or has drifted
//	1    the sweep could not be made: the last line says why
//	2    the command line, or the list, is wrong
//	3    the sweep was made, and there is something to report
//	130  the sweep was interrupted; a -watch is ended that way, with 0
package main

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	log.SetOutput(io.Discard) // net/http's words on servers that send more than they announced
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, nil))
}
