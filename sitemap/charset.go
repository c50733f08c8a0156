package sitemap

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// decode turns the input into UTF-8, if it is something else. In this order: byte order
// mark; the zero bytes of UTF-16; UTF-8 if the window is valid UTF-8, whatever is declared
// (servers add a default that is wrong); the charset of the HTTP header; the XML
// declaration; else UTF-8, in which single invalid bytes count as windows-1252.
func (rd *reader) decode() {
	head := rd.w.rest()
	label := utf16Label(head)
	declared := headerCharset(rd.opts.ContentType)
	if declared == "" {
		declared = declaredCharset(head)
	}
	if label == "" && declared != "" {
		name, known := lookup(declared)
		switch {
		case !known:
			rd.warn(WarnWrongCharset, declared)
		case name == "utf-8":
		case isASCII(head):
		case validUTF8(head):
			rd.warn(WarnWrongCharset, declared)
		default:
			label = name
		}
	}
	if label == "" {
		return
	}
	utf16 := strings.HasPrefix(label, "utf-16")
	src := io.Reader(bytes.NewReader(bytes.Clone(head)))
	if rd.w.err == nil {
		src = io.MultiReader(src, rd.w.r)
	} else if !rd.w.ended() {
		src = io.MultiReader(src, failingReader{rd.w.err})
	}
	decoded, err := charset.NewReaderLabel(label, src)
	if err != nil {
		return
	}
	rd.w.reset(decoded)
	rd.w.fillAll()
	if d := declaredCharset(rd.w.rest()); utf16 && d != "" && !strings.HasPrefix(strings.ToLower(d), "utf-16") {
		rd.warn(WarnWrongCharset, d)
	}
}

// failingReader only fails.
type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

// lookup returns the canonical name of a charset that can be decoded by its label. UTF-16
// shows in the bytes; where it is only declared, it is not what it says.
func lookup(label string) (name string, known bool) {
	enc, name := charset.Lookup(label)
	if enc == nil || name == "replacement" || strings.HasPrefix(name, "utf-16") {
		return "", false
	}
	return name, true
}

// utf16Label recognises UTF-16 by its byte order mark or by zero bytes where the first two
// characters are below U+0100 (XML 1.0 appendix F.1).
func utf16Label(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte{0xff, 0xfe}):
		return "utf-16le"
	case bytes.HasPrefix(b, []byte{0xfe, 0xff}):
		return "utf-16be"
	case len(b) < 4:
		return ""
	case b[0] != 0 && b[1] == 0 && b[2] != 0 && b[3] == 0:
		return "utf-16le"
	case b[0] == 0 && b[1] != 0 && b[2] == 0 && b[3] != 0:
		return "utf-16be"
	}
	return ""
}

// headerCharset returns the charset parameter of a Content-Type header.
func headerCharset(contentType string) string {
	_, after, ok := strings.Cut(strings.ToLower(contentType), "charset=")
	if !ok {
		return ""
	}
	label, _, _ := strings.Cut(after, ";")
	return strings.Trim(label, " \t\"'")
}

// declaredCharset returns the encoding of the XML declaration, which may stand behind
// white space and byte order marks.
func declaredCharset(b []byte) string {
	b = b[blanks(b):]
	if !bytes.HasPrefix(b, []byte("<?xml")) {
		return ""
	}
	decl, _, _ := bytes.Cut(b[len("<?xml"):min(len(b), 1024)], []byte(">"))
	label := ""
	attributes(bytes.TrimSuffix(decl, []byte("?")), func(name, value []byte) {
		if string(name) == "encoding" {
			label = string(bytes.TrimSpace(value))
		}
	})
	return label
}

// blanks returns the length of the white space, control characters and byte order marks
// that b begins with.
func blanks(b []byte) int {
	i := 0
	for i < len(b) {
		if b[i] <= ' ' {
			i++
		} else if bytes.HasPrefix(b[i:], []byte(bom)) {
			i += len(bom)
		} else {
			break
		}
	}
	return i
}

const bom = "\ufeff"

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// validUTF8 is utf8.Valid for a window that may end inside a character.
func validUTF8(b []byte) bool {
	for cut := range min(utf8.UTFMax, len(b)+1) {
		if head := b[:len(b)-cut]; utf8.Valid(head) {
			return cut == 0 || !utf8.FullRune(b[len(head):])
		}
	}
	return false
}

// toUTF8 returns b with invalid bytes read as windows-1252, and whether there were any.
func toUTF8(b []byte) ([]byte, bool) {
	if utf8.Valid(b) {
		return b, false
	}
	out := make([]byte, 0, len(b)+16)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			r = windows1252(b[0])
		}
		out = utf8.AppendRune(out, r)
		b = b[n:]
	}
	return out, true
}

// windows1252 maps a byte as the Encoding Standard of the WHATWG does.
func windows1252(c byte) rune {
	const high = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"
	if c < 0x80 || c >= 0xa0 {
		return rune(c)
	}
	i := byte(0x80)
	for _, r := range high {
		if i == c {
			return r
		}
		i++
	}
	return rune(c)
}
