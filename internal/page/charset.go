package page

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// prescan is how much of a page is looked at for its character set (HTML Standard,
// section 13.2.3.2).
const prescan = 1024

const plainUTF8 = "text/html; charset=utf-8"

// decode returns the content of s as UTF-8. The character set is told by a byte order mark,
// the Content-Type, or a meta element in the first 1,024 bytes, in this order. A page that
// declares none that we know is UTF-8 if its first other than ASCII characters are, else
// windows-1252: browsers guess as well, and UTF-8 read as windows-1252 is never right.
func decode(s *source, contentType string) io.Reader {
	head := s.peek(prescan)
	contentType = plainType(contentType)
	if contentType == plainUTF8 && !bytes.HasPrefix(head, []byte("\xfe\xff")) && !bytes.HasPrefix(head, []byte("\xff\xfe")) {
		s.pre = bytes.TrimPrefix(s.pre, []byte("\xef\xbb\xbf"))
		return s
	}
	e, name, certain := charset.DetermineEncoding(head, contentType)
	for _, bom := range [...]string{"\xef\xbb\xbf", "\xfe\xff", "\xff\xfe"} {
		if bytes.HasPrefix(head, []byte(bom)) {
			s.pre = s.pre[len(bom):]
		}
	}
	switch {
	case name == "utf-8":
		return s
	case name == "x-user-defined" && !certain: // a meta element can't mean it
		e, _ = charset.Lookup("windows-1252")
		return e.NewDecoder().Reader(s)
	case name == "windows-1252" && !certain && !declares(head, contentType):
		return &guess{s: s}
	default:
		return e.NewDecoder().Reader(s)
	}
}

// plainType returns a Content-Type that says the given one's character set and no more. It
// reads what browsers do and mime.ParseMediaType doesn't: broken parameters beside it,
// several of it (the first counts), and several types (the last that has one; Fetch
// Standard, "extract a MIME type").
func plainType(contentType string) string {
	label := ""
	params, found := false, false
	for rest := contentType; rest != ""; {
		end, quoted := 0, false
		for end < len(rest) && (quoted || rest[end] != ';' && rest[end] != ',') {
			quoted = quoted != (rest[end] == '"')
			end++
		}
		name, value, _ := strings.Cut(rest[:end], "=")
		if params && !found && value != "" && strings.EqualFold(strings.TrimLeft(name, " \t"), "charset") {
			label, found = value, true
			if q, ok := strings.CutPrefix(value, `"`); ok {
				label, _, _ = strings.Cut(q, `"`)
			}
		}
		if end == len(rest) {
			break
		}
		if params = rest[end] == ';'; !params {
			found = false // another type
		}
		rest = rest[end+1:]
	}
	if strings.EqualFold(label, "utf-8") {
		return plainUTF8
	}
	if e, _ := charset.Lookup(label); e == nil {
		return ""
	}
	return "text/html; charset=" + strings.TrimSpace(label)
}

// declares tells a declared windows-1252 from the one that is fallen back to: behind a
// character of UTF-8, only the declared one is still found.
func declares(head []byte, contentType string) bool {
	probe := append([]byte("é"), head[:min(len(head), prescan-len("é"))]...)
	for i, c := range probe[len("é"):] {
		if c >= utf8.RuneSelf {
			probe[len("é")+i] = 'x'
		}
	}
	_, name, _ := charset.DetermineEncoding(probe, contentType)
	return name == "windows-1252"
}

// guess reads ASCII as it is, and decides on the character set at the first other byte.
type guess struct {
	s       *source
	decided io.Reader
}

func (g *guess) Read(p []byte) (int, error) {
	if g.decided != nil {
		return g.decided.Read(p)
	}
	n, err := g.s.Read(p)
	i := 0
	for i < n && p[i] < utf8.RuneSelf {
		i++
	}
	if i == n {
		return n, err
	}
	g.s.unread(p[i:n])
	if i > 0 {
		return i, nil
	}
	g.decided = g.s
	if sample := g.s.peek(prescan); !utf8.Valid(sample[:len(sample)-partial(sample)]) {
		e, _ := charset.Lookup("windows-1252")
		g.decided = e.NewDecoder().Reader(g.s)
	}
	return g.decided.Read(p)
}

// partial returns the length of the incomplete character at the end of b.
func partial(b []byte) int {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-i:]) {
				return i
			}
			break
		}
	}
	return 0
}
