package sitemap

import (
	"bytes"
	"strings"
	"unicode"
)

// readText reads a text sitemap: one absolute URL a line (sitemaps.org, "Other Sitemap
// formats"), LF, CR or CRLF. Blank lines and lines that begin with "#" are skipped, others
// dropped. The last line needs no end, unless the input broke off there.
func (rd *reader) readText() {
	for !rd.stopped {
		line, whole, ok := rd.line()
		if !ok {
			break
		}
		rd.textLine(line, whole)
		if rd.count == 0 && rd.w.offset() > windowSize {
			rd.fail(ErrNotSitemap) // a sitemap shows in the first 64 KiB
		}
	}
	switch {
	case rd.stopped:
	case rd.w.err != nil && !rd.w.ended():
		rd.fail(rd.w.err)
	case rd.count == 0:
		rd.fail(ErrNotSitemap)
	}
}

// line returns the next line. whole is false if it is longer than the window, whose rest
// is skipped.
func (rd *reader) line() (line []byte, whole, ok bool) {
	w := &rd.w
	scanned := 0
	for {
		rest := w.rest()
		if k := bytes.IndexAny(rest[scanned:], "\r\n"); k >= 0 {
			w.i += scanned + k + 1
			return rest[:scanned+k], true, true
		}
		scanned = len(rest)
		if w.fill() {
			continue
		}
		w.i = w.n
		switch {
		case w.err == nil: // the window is full
			for w.fill() {
				if k := bytes.IndexAny(w.rest(), "\r\n"); k >= 0 {
					w.i += k + 1
					break
				}
				w.i = w.n
			}
			return nil, false, true
		case w.ended():
			return rest, true, len(rest) > 0
		default:
			return nil, false, false
		}
	}
}

func (rd *reader) textLine(line []byte, whole bool) {
	line = bytes.TrimFunc(line, isBlank)
	if whole && (len(line) == 0 || line[0] == '#') {
		return
	}
	if whole && isAbsolute(line) {
		text, fixed := toUTF8(line)
		if fixed {
			rd.warn(WarnInvalidUTF8, string(line))
		}
		raw := string(text)
		if loc, ok := rd.resolve(raw, nil); ok {
			rd.setKind(KindText)
			rd.emit(Entry{Loc: loc, Raw: raw, Outside: rd.outside(loc)})
			return
		}
	}
	rd.warn(WarnLineDropped, string(line))
}

func isBlank(r rune) bool {
	return r <= ' ' || r == 0x7f || r == 0x200b || r == 0xfeff || unicode.IsSpace(r)
}

// isAbsolute reports whether s begins like an absolute http or https URL.
func isAbsolute[T string | []byte](s T) bool {
	head := strings.ToLower(string(s[:min(len(s), len("https://"))]))
	return strings.HasPrefix(head, "http://") || head == "https://"
}
