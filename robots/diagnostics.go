package robots

import (
	"fmt"
	"slices"
	"strings"
)

// A Diagnostic is something in a robots.txt file that its owner may not have meant.
type Diagnostic struct {
	Line int    // counted from 1
	Code string // see [File.Diagnostics]
	Text string // what is wrong, with what the file says escaped and cut
}

// String returns the diagnostic in one line.
func (d Diagnostic) String() string { return fmt.Sprintf("line %d: %s: %s", d.Line, d.Code, d.Text) }

// maxDiagnostics bounds what [File.Diagnostics] returns.
const maxDiagnostics = 1000

// Diagnostics returns what is odd about the file, in the order of its lines, 1,000 entries
// at most. The codes are:
//
//   - html-body: the file is an HTML page.
//   - cut-file: the file goes on after [MaxBytes]; the line is the first that was left out.
//   - cut-line: a line is longer than 16,663 bytes; what follows was left out.
//   - bad-user-agent: a User-agent value isn't a product token (RFC 9309, section 2.2.1);
//     only what comes before the first odd character counts.
//   - orphan-rule: a rule before the first User-agent line, which is for nobody.
//   - rule-without-slash: a pattern that starts with neither "/" nor "*" and so never
//     matches.
//   - merged-delay-group: a group with a Crawl-delay and no rules is followed by another
//     group, whose rules are for both (section 2.2.4).
//   - bad-crawl-delay: a Crawl-delay that isn't a number of seconds.
//   - missing-colon, misspelt-key: a line that only a lenient reader understands.
func (f *File) Diagnostics() []Diagnostic {
	d := diagnoser{file: f}
	if looksLikeHTML(f.text[f.bom:]) {
		d.add(1, "html-body", "this is an HTML page")
	}
	for _, r := range f.records {
		d.record(r)
	}
	d.lines()
	slices.SortStableFunc(d.list, func(a, b Diagnostic) int { return a.Line - b.Line })
	return d.list[:min(len(d.list), maxDiagnostics)]
}

// A diagnoser walks through a file.
type diagnoser struct {
	file   *File
	list   []Diagnostic
	begun  bool   // there was a User-agent line
	closed bool   // the last run of User-agent lines was ended by a rule
	delay  record // the Crawl-delay of a run that no rule has ended yet, or 0
}

func (d *diagnoser) add(line int, code, format string, args ...any) {
	d.list = append(d.list, Diagnostic{line, code, fmt.Sprintf(format, args...)})
}

func (d *diagnoser) record(r record) {
	f, line, value := d.file, r.line(), d.file.value(r)
	switch r.kind() {
	case kindUserAgent:
		if d.delay != 0 && !d.closed {
			d.add(d.delay.line(), "merged-delay-group",
				"a Crawl-delay ends no group: the rules after line %d are for this one too", line)
		}
		d.begun, d.closed, d.delay = true, false, 0
		if !namesAll(value, f.mode) && (value == "" || narrowToken(value) != value) {
			d.add(line, "bad-user-agent", `"%s" isn't a product token; "%s" counts`,
				printable(value, 100), narrowToken(value[:min(len(value), 100)]))
		}
	case kindAllow, kindDisallow:
		d.closed, d.delay = true, 0
		if !d.begun {
			d.add(line, "orphan-rule", "a rule before the first User-agent line is for nobody")
		}
		if value != "" && value[0] != '/' && value[0] != '*' {
			d.add(line, "rule-without-slash", `"%s" never matches: a path starts with a slash`, printable(value, 100))
		}
	case kindCrawlDelay:
		if _, ok := parseDelay(value); !ok {
			d.add(line, "bad-crawl-delay", `"%s" isn't a number of seconds`, printable(value, 100))
		}
		if d.begun && !d.closed {
			d.delay = r
		}
	default:
	}
	if r.kind() != kindOther && f.colonless(r) {
		d.add(line, "missing-colon", "there is no colon after the key")
	}
	if f.misspelt(r) {
		d.add(line, "misspelt-key", `this counts as "%s"`, r.kind().name())
	}
}

// lines looks at what isn't seen from the records: the lengths of lines and of the file.
func (d *diagnoser) lines() {
	text, line := d.file.text[d.file.bom:], 1
	for {
		n := strings.IndexAny(text, "\r\n")
		if n > maxLine || n < 0 && len(text) > maxLine {
			d.add(line, "cut-line", "this line is longer than %d bytes: what follows doesn't count", maxLine)
		}
		if n < 0 {
			break
		}
		line++
		if text[n] == '\r' && strings.HasPrefix(text[n+1:], "\n") {
			n++
		}
		text = text[n+1:]
	}
	if d.file.cut {
		if text != "" { // the limit fell between two lines
			line++
		}
		d.add(line, "cut-file", "the file is longer than %d bytes: this line and those after it don't count", MaxBytes)
	}
}

// looksLikeHTML reports whether text starts with a tag, a comment or a declaration.
func looksLikeHTML(text string) bool {
	text = strings.TrimSpace(text[:min(len(text), 1024)])
	if len(text) < 2 || text[0] != '<' {
		return false
	}
	return text[1] == '!' || text[1] == '?' || isNarrow(text[1])
}

// colonless reports whether a record's key and value are parted by white space only.
func (f *File) colonless(r record) bool {
	s := f.statement(r)
	return strings.IndexByte(s, ':') < 0
}

// misspelt reports whether a record of a kind that RFC 9309 knows has another key than
// the right one.
func (f *File) misspelt(r record) bool {
	switch r.kind() {
	case kindUserAgent, kindAllow, kindDisallow:
		key, _ := split(f.statement(r))
		return !strings.EqualFold(key, r.kind().name())
	default:
		return false
	}
}
