package robots

// A File is a parsed robots.txt file. The zero File is an empty one, which allows
// everything. A File is immutable and safe for concurrent use.
type File struct {
	text    string   // the body, decoded to 8-bit text
	bom     int      // length of the byte order mark that text starts with
	records []record // in file order
	cut     bool     // the body was longer than MaxBytes
	outcome Reason   // ReasonNone, ReasonUnavailable or ReasonUnreachable
	mode    mode

	authority string // scheme, host and port that the file is bound to; "": not bound
}

// mode is a set of departures from the package's reading of a file. They exist for tests
// that compare it with other implementations.
type mode uint8

const (
	modeGoogle         mode = 1 << iota // bytes as Google's C++ library compares them
	modeRFC                             // no misspellings, missing colons or index.html
	modeDelayEndsGroup                  // a Crawl-delay line ends a run of User-agent lines
	modeUnion                           // all products of a chain at once
)

// Parse reads a robots.txt body. It never fails: lines that make no sense are passed over,
// and [File.Diagnostics] says which. Of a body longer than [MaxBytes] the lines that are
// whole within the limit count. A body that was cut short by a failing connection must not
// be parsed at all (use [FromStatus] with status 0). Parse keeps no reference to body.
func Parse(body []byte) *File { return parse(body, 0) }

// FromStatus returns the File that an HTTP answer to /robots.txt stands for, after its
// redirects were followed (RFC 9309, section 2.3.1):
//
//   - 2xx: the body is parsed.
//   - 4xx but 429: there are no rules, everything is allowed ([ReasonUnavailable]).
//   - all else, 429, 5xx and 3xx among them: nothing is allowed ([ReasonUnreachable],
//     [File.Unreachable]). That 429 counts here is Google's rule, not the RFC's.
//
// Status 0 stands for no answer: network failures, and bodies that ended too soon.
func FromStatus(status int, body []byte) *File {
	switch {
	case status >= 200 && status <= 299:
		return Parse(body)
	case status >= 400 && status <= 499 && status != 429:
		return &File{outcome: ReasonUnavailable}
	}
	return &File{outcome: ReasonUnreachable}
}

// Unreachable reports whether the file could not be had, so that nothing but the file
// itself may be asked for (RFC 9309, section 2.3.1.4).
func (f *File) Unreachable() bool { return f.outcome == ReasonUnreachable }

// maxSitemaps bounds what [File.Sitemaps] returns.
const maxSitemaps = 1000

// Sitemaps returns the values of the file's Sitemap lines, each once, in file order and as
// written: they may be relative, or no addresses at all. They belong to no group. At most
// 1,000 are returned.
func (f *File) Sitemaps() []string {
	var list []string
	seen := make(map[string]bool)
	for _, r := range f.records {
		if r.kind() != kindSitemap {
			continue
		}
		v := f.value(r)
		if v == "" || seen[v] {
			continue
		}
		if len(list) == maxSitemaps {
			break
		}
		seen[v] = true
		list = append(list, v)
	}
	return list
}
