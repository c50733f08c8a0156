// Package robots decides what a robots.txt file lets one crawler read.
//
// [Parse] reads a file, [File.Group] picks the rules that speak to one product, and
// [Group.Test] gives the verdict for an address:
//
//	group := robots.Parse(body).Group("KiwiRankBot")
//	if v := group.Test(u); !v.Allowed {
//		return fmt.Errorf("%s: %s", u, v) // disallowed by robots.txt line 12: Disallow: /private
//	}
//	delay, ok := group.CrawlDelay()
//
// The package does no I/O. [FromStatus] says what an HTTP answer to /robots.txt means
// (RFC 9309, section 2.3.1); whoever fetches the file keeps the copy, follows the
// redirects, and asks each origin (scheme, host and port) for its own file: a rule says
// nothing about any other origin.
//
// # What decides
//
//   - Groups: all groups that name the product are read as one, in any order, and replace
//     the group of * whole, even when they hold no rule (RFC 9309, section 2.2.1). Only an
//     Allow or Disallow line ends the run of User-agent lines that starts a group; blank
//     lines, Sitemap, Crawl-delay and unknown lines don't (section 2.2.4).
//   - Products: letters, "-" and "_", compared without regard to case with the longest such
//     prefix of a User-agent value. A product with other letters (MJ12bot) is compared with
//     a prefix that may hold digits and ".!+~" too.
//   - Rules: the longest pattern that matches decides, counted in octets of its normal form
//     with its "*" and "$"; Allow wins a tie (section 2.2.2). "*" stands for anything and a
//     final "$" for the end (section 2.2.3). A pattern that starts with neither "/" nor "*"
//     matches nothing, an empty one decides nothing.
//   - Normal form, of rules and addresses alike: escapes of unreserved characters are
//     decoded, other escapes written in capitals, and octets that a URL can't hold escaped
//     (section 2.2.2; RFC 3986, section 6.2.2). Reserved octets stay as written. "%2A" and
//     "%24" are the characters themselves, never the wildcards.
//   - An address with dot segments is allowed only if it is both as written and with them
//     taken away, for it's anyone's guess which of the two the server will see.
//   - /robots.txt itself is always allowed (section 2.2.2).
//   - As Google's parser does: a colon may be missing between two words, a few misspellings
//     of Disallow are known, a line counts up to 16,663 bytes, and "Allow: /a/index.html"
//     allows /a/ too.
//
// # Limits
//
// The first [MaxBytes] bytes of a file count. No pattern, however hostile, costs more than
// time in proportion to it, and a compiled group takes no more memory than a few times the
// text of its rules. Nothing in this package is ever changed after it was made: files and
// groups may be shared by any number of goroutines.
package robots
