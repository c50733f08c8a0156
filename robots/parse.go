package robots

import (
	"slices"
	"strings"
	"unicode"

	"github.com/jimsmart/grobotstxt"
)

// maxLine is how many bytes of a line the tokenizer reads: 8 times the 2,083 that some
// browsers allow a URL, less one.
const maxLine = 2083*8 - 1

// parse runs the tokenizer over body and notes where each record lies. Values are read
// again from the text, since the tokenizer hands most of them out escaped, and escapes
// wrongly: its upper-casing masks digits too, so that %c3 comes out as "%C" and a control
// character.
func parse(body []byte, m mode) *File {
	f := &File{mode: m}
	f.text, f.cut = decode(body)
	f.bom = bomLen(f.text)

	tokens := lowerKeys(f.text)
	c := collector{text: tokens, next: f.bom, lf: -1, cr: -1, google: m&modeGoogle != 0}
	c.records = make([]record, 0, strings.Count(f.text, "\n")+1)
	grobotstxt.Parse(tokens, &c)
	if cap(c.records) > len(c.records)+len(c.records)/4 {
		c.records = slices.Clone(c.records)
	}
	f.records = c.records
	return f
}

// lowerKeys returns the text for the tokenizer: the same with the keys in lower case, for
// the tokenizer copies a key once for every key that it compares it with unless it is so,
// and with no escapes, for it copies values to correct them. Nothing of it is kept.
func lowerKeys(text string) string {
	b := []byte(strings.ReplaceAll(text, "%", "x"))
	lf, cr := -1, -1
	for start := 0; start < len(b); {
		i := start
		for i < len(b) && (b[i] == ' ' || b[i] == '\t') {
			i++
		}
		for ; i < len(b) && b[i] > ' ' && b[i] != ':' && b[i] != '#'; i++ {
			if b[i] >= 'A' && b[i] <= 'Z' {
				b[i] |= 0x20
			}
		}
		if lf < start {
			lf = indexFrom(text, '\n', start)
		}
		if cr < start {
			cr = indexFrom(text, '\r', start)
		}
		start = min(lf, cr) + 1
	}
	return unsafeString(b)
}

// collector is the tokenizer's handler. The tokenizer tells line numbers only, so the
// collector walks the text beside it: start and end are the bounds of line count.
type collector struct {
	text       string
	records    []record
	next       int // where the line after the current one starts
	count      int // lines begun so far, as the tokenizer counts them
	start, end int
	lf, cr     int // the first LF and CR from start on, or len(text)
	google     bool
}

// seek moves on to the given line, counting as the tokenizer does: LF, CR and CRLF each
// end a line.
func (c *collector) seek(line int) {
	for c.count < line {
		c.count++
		c.start = c.next
		if c.lf < c.start {
			c.lf = indexFrom(c.text, '\n', c.start)
		}
		if c.cr < c.start {
			c.cr = indexFrom(c.text, '\r', c.start)
		}
		end := min(c.lf, c.cr)
		c.next = end + 1
		if c.cr+1 == c.lf && c.lf < len(c.text) {
			c.next = c.lf + 1
		}
		c.end = min(end, c.start+maxLine)
	}
}

func indexFrom(s string, b byte, from int) int {
	if i := strings.IndexByte(s[from:], b); i >= 0 {
		return from + i
	}
	return len(s)
}

// add notes a record of the given line, whose value the tokenizer gave as v.
func (c *collector) add(k kind, line int, v string) {
	c.seek(line)
	raw := c.text[c.start:c.end]
	at := c.end - len(v)
	if v == "" || !strings.HasSuffix(raw, v) || strings.IndexByte(raw, '#') >= 0 {
		_, v = split(raw) // a comment, white space at the end, or an escaped value
		at = c.start + valueAt(raw, v)
	}
	n := len(v)
	for c.google && at+n < c.end && c.text[at+n] >= 0x80 {
		n++ // Google's library trims ASCII white space only
	}
	lead := at - c.start
	if raw[0] <= ' ' || raw[0] >= 0x80 { // white space before the key
		lead = maxLead
	}
	c.records = append(c.records, newRecord(k, line, at, n, lead))
}

// split takes a line apart as the tokenizer does. A line without a colon has a value only
// if it is two words.
func split(line string) (key, value string) {
	line, _, _ = strings.Cut(line, "#")
	line = strings.TrimSpace(line)
	i := strings.IndexByte(line, ':')
	if i < 0 {
		if i = strings.IndexAny(line, " \t"); i < 0 {
			return line, ""
		}
	}
	return strings.TrimSpace(line[:i]), strings.TrimSpace(line[i+1:])
}

// valueAt is where value, which split returned, begins in line: the value is what the line
// ends with but for white space and the comment.
func valueAt(line, value string) int {
	line, _, _ = strings.Cut(line, "#")
	return len(strings.TrimRightFunc(line, unicode.IsSpace)) - len(value)
}

func (c *collector) HandleRobotsStart() {}

func (c *collector) HandleRobotsEnd() {}

func (c *collector) HandleUserAgent(line int, v string) { c.add(kindUserAgent, line, v) }

func (c *collector) HandleAllow(line int, v string) { c.add(kindAllow, line, v) }

func (c *collector) HandleDisallow(line int, v string) { c.add(kindDisallow, line, v) }

func (c *collector) HandleSitemap(line int, v string) { c.add(kindSitemap, line, v) }

func (c *collector) HandleUnknownAction(line int, key, v string) { c.add(kindOf(key), line, v) }
