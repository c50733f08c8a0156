package page

import (
	"bytes"
	"crypto/sha256"
	"io"
	"strings"
)

// ScanText reads a text that is not HTML to its end. Its Facts are Bytes, Robots, Digest and
// Simhash, of the whole text, as Scan makes them of visible text; but words are also set
// apart by ASCII punctuation, since JSON and the like may come without a blank. The error is
// that of r; the Facts of what was read until then are valid. The character set is told as
// [Scan] does, or by an XML declaration.
func ScanText(r io.Reader, o *Options) (*Facts, error) {
	raw := &source{r: r}
	contentType := o.Header.Get("Content-Type")
	if label := declared(raw.peek(prescan)); label != "" && plainType(contentType) == "" {
		contentType = "text/xml; charset=" + label
	}
	in := decode(raw, contentType)
	var sim simhash
	text := normalizer{hash: sha256.New(), sim: &sim, punctuated: true}
	buf := make([]byte, maxPiece)
	n := 0 // bytes of a character that goes on
	var err error
	for err == nil {
		var m int
		m, err = in.Read(buf[n:])
		n += m
		whole := n
		if err == nil {
			whole -= partial(buf[:n])
		}
		text.write(buf[:whole])
		n = copy(buf, buf[whole:n])
	}
	f := &Facts{Bytes: raw.n, Robots: RobotsTag(o.Header, o.Product), Cut: err != io.EOF}
	f.Digest, f.Simhash = text.digests()
	if !f.Cut {
		err = nil
	}
	return f, err
}

// ScanBytes reads what is no text to its end. Its Facts are Bytes, Robots, and Digest: of the
// bytes as they came. The error is that of r.
func ScanBytes(r io.Reader, o *Options) (*Facts, error) {
	sum := sha256.New()
	n, err := io.Copy(sum, r)
	f := &Facts{Bytes: n, Robots: RobotsTag(o.Header, o.Product), Cut: err != nil}
	sum.Sum(f.Digest[:0])
	return f, err
}

// maxPiece is how much of a text is decoded at a time.
const maxPiece = 4 << 10

// declared is the encoding that an XML declaration names (XML 1.0 section 4.3.3); "": none.
func declared(head []byte) string {
	rest, ok := bytes.CutPrefix(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), []byte("<?xml"))
	decl, _, closed := bytes.Cut(rest, []byte("?>"))
	_, value, named := bytes.Cut(decl, []byte("encoding"))
	value = bytes.TrimLeft(value, " \t\r\n=")
	if !ok || !closed || !named || len(value) == 0 || value[0] != '"' && value[0] != '\'' {
		return ""
	}
	label, _, _ := bytes.Cut(value[1:], value[:1])
	if bytes.HasPrefix(bytes.ToLower(label), []byte("utf-16")) {
		return "utf-8" // or this could not have been read
	}
	return strings.TrimSpace(string(label))
}

// blank puts blanks in the place of ASCII punctuation.
func blank(b []byte) {
	for i, c := range b {
		switch {
		case c > ' ' && c < '0', c > '9' && c < 'A', c > 'Z' && c < 'a', c > 'z' && c < 0x7F:
			b[i] = ' '
		}
	}
}
