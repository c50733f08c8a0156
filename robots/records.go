package robots

import (
	"iter"
	"strings"
	"unicode"
)

// A Record is one line of a robots.txt file that has a key and a value.
type Record struct {
	Key   string // in lower case; known spelling variants under their right name
	Value string // as written, without the comment and the white space around it
	Line  int    // counted from 1
}

// Records returns an iterator over all records of the file in file order, those that this
// package knows nothing of among them: "host", "clean-param", "license" (RSL 1.0) and
// "noindex" are read this way. Host, Clean-param and License speak of the whole file.
func (f *File) Records() iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for _, r := range f.records {
			if !yield(Record{Key: f.key(r), Value: f.value(r), Line: r.line()}) {
				return
			}
		}
	}
}

// kind is what a record is about.
type kind uint8

const (
	kindOther kind = iota
	kindUserAgent
	kindAllow
	kindDisallow
	kindSitemap
	kindCrawlDelay
	kindRequestRate
	kindVisitTime
	kindContentSignal
	kindContentUsage
)

// kindOf names a key that the tokenizer doesn't know.
func kindOf(key string) kind {
	if len(key) < 10 || len(key) > 14 {
		return kindOther
	}
	switch strings.ToLower(key) {
	case "crawl-delay", "crawldelay", "crawl delay":
		return kindCrawlDelay
	case "request-rate":
		return kindRequestRate
	case "visit-time":
		return kindVisitTime
	case "content-signal":
		return kindContentSignal
	case "content-usage":
		return kindContentUsage
	}
	return kindOther
}

// name is the key of the kind, or "" for kindOther.
func (k kind) name() string {
	switch k {
	case kindUserAgent:
		return "user-agent"
	case kindAllow:
		return "allow"
	case kindDisallow:
		return "disallow"
	case kindSitemap:
		return "sitemap"
	case kindCrawlDelay:
		return "crawl-delay"
	case kindRequestRate:
		return "request-rate"
	case kindVisitTime:
		return "visit-time"
	case kindContentSignal:
		return "content-signal"
	case kindContentUsage:
		return "content-usage"
	case kindOther:
	}
	return ""
}

// A record is a kind, a line and the bounds of a value in the file's text, in 8 bytes, so
// that a file of the shortest lines there are ("a:") still takes less than six times its
// size. Text is shorter than 2^20 bytes (MaxBytes of UTF-16 are at most half as much again
// in UTF-8) and a value than 2^15 (maxLine). The lead is what the key takes before the
// value, or maxLead if it is more or has to be looked for.
type record uint64

const (
	lineBits = 20
	offBits  = 20
	lenBits  = 15
	leadBits = 5

	maxLead = 1<<leadBits - 1
)

func newRecord(k kind, line, off, n, lead int) record {
	//nolint:gosec // all five are small and not negative
	return record(k)<<(lineBits+offBits+lenBits+leadBits) | record(line)<<(offBits+lenBits+leadBits) |
		record(off)<<(lenBits+leadBits) | record(n)<<leadBits | record(min(lead, maxLead))
}

func (r record) kind() kind { return kind(r >> (lineBits + offBits + lenBits + leadBits)) }
func (r record) line() int  { return int(r >> (offBits + lenBits + leadBits) & (1<<lineBits - 1)) }
func (r record) off() int   { return int(r >> (lenBits + leadBits) & (1<<offBits - 1)) }
func (r record) len() int   { return int(r >> leadBits & (1<<lenBits - 1)) }
func (r record) lead() int  { return int(r & maxLead) }

// value is the record's value as written.
func (f *File) value(r record) string { return f.text[r.off() : r.off()+r.len()] }

// statement is the record as written: key, colon and value.
func (f *File) statement(r record) string {
	if lead := r.lead(); lead < maxLead && r.len() > 0 {
		return f.text[r.off()-lead : r.off()+r.len()]
	}
	start := r.off()
	for start > f.bom {
		if c := f.text[start-1]; c == '\n' || c == '\r' {
			break
		}
		start--
	}
	for start < r.off() && (f.text[start] == ' ' || f.text[start] == '\t') {
		start++
	}
	s := f.text[start : r.off()+r.len()]
	if len(s) > 0 && (unicode.IsSpace(rune(s[0])) || s[0] >= 0x80) || r.len() == 0 {
		s = strings.TrimSpace(s)
	}
	return s
}

// key is the record's key in lower case.
func (f *File) key(r record) string {
	if name := r.kind().name(); name != "" {
		return name
	}
	key, _ := split(f.statement(r))
	return strings.ToLower(key)
}
