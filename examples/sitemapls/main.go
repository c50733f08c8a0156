// Sitemapls lists the addresses that a web site publishes for crawlers in its sitemaps or
// its llms.txt.
//
//	sitemapls https://site.example/                all sitemaps of a site
//	sitemapls https://site.example/news.xml.gz     one sitemap, index or feed
//	sitemapls -file map.xml.gz                     a file; "-" is standard input
//	sitemapls -llms https://site.example/          the links of its llms.txt
//
// Of a site it reads the sitemaps that robots.txt names or, where it names none,
// /sitemap.xml or else /sitemap_index.xml. It follows indexes, asks for one file at a time
// and obeys robots.txt; a sitemap that it asks for may have 50 MiB. What -file names may
// have any size and is read in constant memory. See sitemapls -h for the flags.
//
// The addresses go to standard output, one a line and in the order of the files, duplicates
// as they come; with -json one object an address, with all that the sitemap says of it.
// A summary goes to standard error:
//
//	$ sitemapls -since 2026-01-15 https://site.example/ >urls
//	sitemaps  robots.txt names 1
//	files     2 read: 1 urlset, 1 index; 1 error
//	URLs      840 of 3117
//	warnings  bad_lastmod: 12, the first before byte 279 of https://site.example/a.xml.gz: "yesterday"
//	errors    https://site.example/b.xml: unexpected status 404
//	time      4.06s
//
// What of it a stranger wrote is escaped where it could steer a terminal. The exit code is
//
//	0    everything was read
//	1    something could not be read, or not whole; what was read is printed all the same
//	2    there is nothing to read, or the command line is wrong
//	130  it was interrupted; what was read until then is printed
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
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, nil))
}
