package main

import (
	"fmt"
	"net/http"
	"strings"
)

// text answers with a text, such as a robots.txt. In it "{a}" is host a's address.
func text(body string) answer {
	return func(s *truthSite, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprint(w, strings.ReplaceAll(body, "{a}", strings.TrimSuffix(s.address("a/"), "/")))
	}
}

// obeyed holds what was asked for against robots.txt: of two addresses the one it disallows
// must not be, and the one it allows must.
func obeyed(never, must string) func(l requests) (bool, string) {
	return func(l requests) (bool, string) {
		for where := range strings.FieldsSeq(never) {
			if l.asked(where) {
				return false, "asked for " + where
			}
		}
		for where := range strings.FieldsSeq(must) {
			if !l.asked(where) {
				return false, "left out " + where
			}
		}
		return true, ""
	}
}

// rulePromises are about reading robots.txt.
func rulePromises() []promise {
	rule := func(words, by, robots, never, must string) promise {
		return promise{
			words: words, by: by, ask: strings.Fields(never + " " + must),
			serve: map[string]answer{"/robots.txt": text(robots)}, kept: obeyed(never, must),
		}
	}
	const (
		named   = "User-agent: *\nDisallow: /\n\nUser-agent: KiwiRankBot\nDisallow: /private\n"
		filling = "Disallow: /x/0123456789\n"
	)
	mozilla := rule("The same for a bot whose header begins with Mozilla/5.0 (compatible; …)", "RFC 9309 2.2.1", named, "/private/x", "/open")
	mozilla.agent = longAgent
	return []promise{
		rule("A group that names the bot replaces that of *", "RFC 9309 2.2.1", named, "/private/x", "/open"),
		mozilla,
		rule("Two groups that name the bot are one", "RFC 9309 2.2.1",
			"User-agent: KiwiRankBot\nDisallow: /a\n\nUser-agent: X\nDisallow: /\n\nUser-agent: KiwiRankBot\nDisallow: /private\n", "/a/x /private/x", "/open"),
		rule("The longest rule wins", "RFC 9309 2.2.2", "User-agent: *\nAllow: /p\nDisallow: /\nDisallow: /private\n", "/private/x /x", "/page"),
		rule("Rules see the query: Disallow: /*?sid=", "RFC 9309 2.2.2", "User-agent: *\nDisallow: /*?sid=\n", "/x?sid=1", "/x?id=1"),
		rule("Rules begin where the path does: Disallow: /a*b leaves /x/axb open", "RFC 9309 2.2.2", "User-agent: *\nDisallow: /a*b\n", "/axb", "/x/axb"),
		rule("Rules and addresses are compared decoded: /%62%61%7A is /baz, /ツ is /%E3%83%84", "RFC 9309 2.2.2",
			"User-agent: *\nDisallow: /%62%61%7A\nDisallow: /ツ\n", "/baz /%E3%83%84", "/open"),
		rule("A line that can't be read (Crawl-delay: soon) spoils no other", "RFC 9309 2.2.4", "User-agent: *\nCrawl-delay: soon\nDisallow: /private\n", "/private/x", "/open"),
		rule("A rule at 450 KB of a long robots.txt counts", "RFC 9309 2.5",
			"User-agent: *\n"+strings.Repeat(filling, 19500)+"Disallow: /private\n"+strings.Repeat(filling, 6500), "/private/x", "/open"),
	}
}
