package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/politefetch/sdk/sitemap"
)

// Exit codes.
const (
	exitRead        = 0
	exitNotRead     = 1
	exitNothing     = 2
	exitInterrupted = 130
)

// run is the whole command. A nil transport is the library's own, which connects to
// public addresses only.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, transport http.RoundTripper) int {
	o, err := parseFlags(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return exitRead
	}
	var l *lister
	if err == nil {
		l, err = newLister(o, newScreen(stdout, stderr), transport)
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: %s\nrun %[1]s -h for help\n", name, printable(err.Error()))
		return exitNothing
	}
	switch {
	case o.llms:
		l.llms(ctx, stdin)
	case o.file != "":
		l.readFile(ctx, stdin)
	case o.wholeSite():
		l.site(ctx)
	default:
		l.walk(ctx, []string{o.address.String()})
	}
	if err := l.screen.end(); err != nil {
		fmt.Fprintf(stderr, "%s: writing the output: %s\n", name, printable(err.Error()))
		return exitNotRead
	}
	l.sum.interrupted = ctx.Err() != nil
	l.sum.write(stderr)
	if hint := l.sum.hint(o.local); hint != "" {
		fmt.Fprintln(stderr, printable(hint))
	}
	return l.sum.code()
}

// A lister prints the entries of sitemaps and remembers what the summary needs.
type lister struct {
	o      *options
	client *http.Client
	screen *screen
	sum    *summary
}

// errListed stands for a sitemap that was printed instead of followed.
var errListed = errors.New("listed")

// walk prints what the sitemaps at the addresses, and those that they name, list. It
// reports whether any of the addresses is a sitemap, even if a broken one.
func (l *lister) walk(ctx context.Context, roots []string) (found bool) {
	opts := &sitemap.WalkOptions{
		MaxFiles: l.o.maxFiles, Extensions: l.o.ext, Since: l.o.since,
		Keep:   func(e sitemap.Entry) bool { return e.ChangedSince(l.o.since) },
		Enough: l.enough,
		Warn:   l.sum.warn,
		Observe: func(f sitemap.File) {
			l.sum.file(&f)
			found = found || f.Depth == 0 && !absent(f.Err)
		},
	}
	if l.o.max > 0 {
		opts.MaxPages = l.o.max - l.sum.printed
	}
	if l.o.noFollow {
		opts.Follow = func(e sitemap.Entry) error {
			l.put(&e)
			return errListed
		}
	}
	for e, err := range sitemap.Walk(ctx, l.client, roots, opts) {
		switch {
		case err == nil:
			l.put(&e)
		case !errors.Is(err, errListed):
			l.sum.fail(ctx, "", err)
		}
		if l.screen.err != nil {
			break
		}
	}
	return found
}

// readFile prints what the file lists; the sitemaps that it names are asked for.
func (l *lister) readFile(ctx context.Context, stdin io.Reader) {
	r, err := l.open(ctx, stdin)
	if err != nil {
		l.sum.fail(ctx, l.o.file, err)
		return
	}
	defer r.Close()
	f := sitemap.File{URL: l.o.file}
	opts := &sitemap.Options{
		URL: l.o.address, MaxURLs: -1, MaxBytes: -1, Extensions: l.o.ext,
		Warn:   func(w sitemap.Warning) { l.sum.warn(l.o.file, w) },
		Format: func(k sitemap.Kind) { f.Kind = k },
	}
	var children []string
	for e, err := range sitemap.Read(r, opts) {
		if err != nil {
			f.Err = err
			l.sum.fail(ctx, l.o.file, err)
			break
		}
		if e.Sitemap {
			f.Sitemaps++
		} else {
			f.Pages++
		}
		switch {
		case !e.ChangedSince(l.o.since):
		case e.Sitemap && !l.o.noFollow:
			if len(children) <= l.o.maxFiles { // one more tells that there are too many
				children = append(children, e.Loc)
			}
		default:
			l.put(&e)
		}
		if l.enough() {
			break
		}
	}
	l.sum.file(&f)
	if len(children) > 0 && !l.enough() && ctx.Err() == nil {
		l.walk(ctx, children)
	}
}

// open opens the file. Reading it ends with ctx.
func (l *lister) open(ctx context.Context, stdin io.Reader) (io.ReadCloser, error) {
	f := io.NopCloser(stdin)
	if l.o.file != "-" {
		var err error
		if f, err = os.Open(l.o.file); err != nil {
			return nil, err
		}
	}
	return struct {
		io.Reader
		io.Closer
	}{readerFunc(func(p []byte) (int, error) {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		return f.Read(p)
	}), f}, nil
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// put prints an entry.
func (l *lister) put(e *sitemap.Entry) {
	if l.enough() {
		return
	}
	if l.o.json {
		l.printJSON(newRecord(e))
	} else {
		l.print(printable(e.Loc))
	}
}

// print writes one line.
func (l *lister) print(line string) {
	l.sum.printed++
	l.screen.line(line)
	if l.sum.printed%1000 == 0 {
		l.screen.now(l.sum.progress)
	}
}

// enough reports whether nothing more is to be printed.
func (l *lister) enough() bool {
	return l.o.max > 0 && l.sum.printed >= l.o.max || l.screen.err != nil
}
