// Package sitemap reads what sites publish for crawlers: XML sitemaps and sitemap
// indexes (https://www.sitemaps.org/protocol.html), plain text sitemaps, RSS and Atom
// feeds, each of them also compressed, and llms.txt (https://llmstxt.org).
//
//	for entry, err := range sitemap.Read(file, &sitemap.Options{URL: u}) {
//		if err != nil {
//			log.Print(err) // the entries before it stand
//			break
//		}
//		fmt.Println(entry.Loc, entry.LastMod)
//	}
//
// [Read] streams: its memory does not grow with the file. Content decides, never a name
// or a Content-Type: gzip is found by its magic bytes, the charset by byte order marks
// and validity, the format by the root element. [Walk] follows indexes over an
// [net/http.Client]; give it a polite transport and it is polite. A transport that bounds
// bodies bounds sitemaps, which may have 50 MiB: a Crawler of package politefetch, by its
// Config.MaxBody.
//
// # What is forgiven
//
// Most sitemaps break a rule somewhere. There are three levels of error, and none ever
// becomes the next one. A bad value (a date, a priority) is left out. A bad entry (no
// usable URL) is left out. A bad end (a cut file, a wrong checksum, a limit) is one error
// after everything that came before it. A URL that may be cut is never reported. What was
// forgiven is told to Options.Warn.
//
// # What it does not do
//
// The package asks no robots.txt, checks no scope and removes no duplicates unless asked:
// those are decisions of the caller or its transport. It never expands or fetches what a
// document type declares. It starts no goroutine. Text of a sitemap or llms.txt is data
// of a stranger; treat it so.
package sitemap
