package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/politefetch/sdk/politefetch/fetchtest"
)

const demoIntro = `A bundled site is served on %s, on this machine alone, and scanned.
Watch for: robots.txt with a group of its own for the scanner and a Crawl-delay of %v; a
sitemap index with a gzipped child; the tracking code on the home page; redirects on the
site and off it; images and PDFs that are never asked for; a page that is cut at 2 MB;
twins; a closed area; a page that answers 429 and is sat out, after which the scanner
goes gently, a request every 2 s.

`

// demo serves the bundled site, scans it, and holds the server's own log against what
// the scanner's page promises.
func demo(ctx context.Context, o *options, stdout, stderr io.Writer, size demoSize) int {
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintf(stderr, "metrimato: serving the bundled site: %v\n", err)
		return exitNotScanned
	}
	site := demoSite("http://"+ln.Addr().String(), size)
	srv := &http.Server{Handler: site, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = srv.Serve(ln) // Close ends it
	}()

	fmt.Fprintf(stderr, demoIntro, ln.Addr(), size.crawlDelay)
	o.start, o.code = "http://"+ln.Addr().String()+"/", demoCode
	o.local = []netip.AddrPort{netip.MustParseAddrPort(ln.Addr().String())}
	code := scan(ctx, o, stdout, stderr, nil)
	_ = srv.Close()
	<-served
	out := stdout
	if o.json {
		out = stderr // standard output is for the objects alone
	}
	if !held(out, site.Log(), size.crawlDelay) && code == exitScanned {
		return exitNotScanned
	}
	return code
}

// promise is the scanner's page as fetchtest.Audit takes it. Clocks that run on a busy
// machine are forgiven 10 ms.
var promise = fetchtest.Promise{
	Product: "Metrimato-Scanner", UserAgent: "Metrimato-Scanner/1.0 (+https://metrimato.com/scanner)", Anonymous: true,
	Concurrency: 1, Delay: 300 * time.Millisecond, MaxWait: 30 * time.Second, OneSite: true, Tolerance: 10 * time.Millisecond,
}

// held prints whether the server's log keeps the promise.
func held(w io.Writer, log []fetchtest.Exchange, delay time.Duration) bool {
	robots, sitemaps, limited, other, sent := 0, 0, 0, 0, int64(0)
	for i := range log {
		x := &log[i]
		sent += x.Sent
		switch {
		case x.URL.Path == "/robots.txt":
			robots++
		case strings.HasPrefix(x.URL.Path, "/sitemap"):
			sitemaps++
		default:
			other++
		}
		if x.Answer.Status == http.StatusTooManyRequests {
			limited++
		}
	}
	fmt.Fprintf(w, "\nThe server's own log: %d requests, %d of them for robots.txt, %d for sitemaps, %d for pages; %d answered 429; %d bytes sent.\n",
		len(log), robots, sitemaps, other, limited, sent)
	if err := fetchtest.Audit(log, promise); err != nil {
		fmt.Fprintf(w, "Promises that were BROKEN:\n%v\n", err)
		return false
	}
	fmt.Fprintf(w, "Every promise was kept: the user agent on each request; robots.txt first and obeyed; GET only,\n"+
		"no cookies; one request at a time, %v apart and more where it was asked for.\n", max(promise.Delay, delay))
	return true
}
