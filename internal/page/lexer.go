package page

import (
	"bytes"
	"errors"
	"io"
)

// lexer takes a page apart into tags and text, by the rules of the HTML Standard (section
// 13.2.5) as golang.org/x/net/html.Tokenizer has them, but that noscript holds markup:
// FuzzLexer holds the two against each other. It is there for its speed, and because it
// gives text, scripts and comments in pieces: of these it keeps no more than was read at
// once, of a tag at most 256 KiB.
//
// What a token refers to is valid until the next call of next.
type lexer struct {
	r   io.Reader
	buf []byte
	pos int   // in buf, of what is no token yet
	err error // of r; what is in buf still counts

	raw  []byte // the token as it came
	tags tagBuf // of a start or an end tag

	within  string // the element whose raw text comes next; "": none
	isRaw   bool   // the text is raw text
	encoded bool   // its character references are yet to be decoded
	script  scriptState
	dashes  int // that stand before this place in a script
	open    commentState
	scratch []byte
}

// token is the kind of a piece of a page.
type token uint8

const (
	endToken     token = iota // of the page, or of what could be read of it: lexer.err tells
	textToken                 // a text or a part of it
	startToken                // a start tag
	stopToken                 // an end tag
	commentToken              // a part of what says nothing: comments, doctypes, processing instructions
)

const firstRead = 4 << 10 // bytes; more where a tag is longer

// next takes the next token.
func (z *lexer) next() token {
	for {
		b, eof := z.buf[z.pos:], z.err != nil
		if len(b) > 0 {
			if kind, n := z.take(b, eof); n > 0 {
				z.raw = b[:n]
				z.pos += n
				return kind
			}
		}
		switch { // it is not enough
		case eof:
			z.raw, z.pos = nil, len(z.buf)
			return endToken
		case len(b) >= maxToken:
			z.err = ErrTag
		default:
			z.fill(len(b))
		}
	}
}

// fill reads until there is twice as much as the n bytes that were not enough, so that
// taking up a long tag again and again costs little.
func (z *lexer) fill(n int) {
	enough := min(2*n+1, maxToken)
	if cap(z.buf) < enough {
		buf := make([]byte, n, min(max(2*cap(z.buf), firstRead, enough), maxToken))
		copy(buf, z.buf[z.pos:])
		z.buf = buf
	} else {
		z.buf = z.buf[:copy(z.buf, z.buf[z.pos:])]
	}
	z.pos = 0
	for empty := 0; len(z.buf) < enough && z.err == nil; empty++ {
		m, err := z.r.Read(z.buf[len(z.buf):cap(z.buf)])
		z.buf, z.err = z.buf[:len(z.buf)+m], err
		if m > 0 {
			empty = 0
		} else if empty == 100 && err == nil {
			z.err = io.ErrNoProgress
		}
	}
}

// failure is the error that the page ended with; nil if it was read whole.
func (z *lexer) failure() error {
	if errors.Is(z.err, io.EOF) {
		return nil
	}
	return z.err
}

// take returns the token that b begins with, and its length; 0 if b ends before that is
// known, which at the end of the page only a tag does: it is left out then.
func (z *lexer) take(b []byte, eof bool) (token, int) {
	if z.open != noComment {
		return commentToken, z.comment(b, eof)
	}
	z.isRaw, z.encoded = false, true
	if z.within != "" {
		n, ended := z.rawText(b, eof)
		z.isRaw, z.encoded = true, z.within == "title" || z.within == "textarea"
		if ended {
			z.within = ""
		}
		if n > 0 || !ended {
			return textToken, n
		}
	}
	for i := 0; ; i++ {
		j := bytes.IndexByte(b[i:], '<')
		if j < 0 {
			return textToken, whole(b, eof)
		}
		i += j
		kind, known := opens(b[i:], eof)
		switch {
		case i > 0 && (!known || kind != textToken):
			return textToken, i
		case !known:
			return textToken, 0
		case kind == startToken:
			return kind, z.startTag(b)
		case kind == stopToken:
			return kind, z.tags.read(b, len("</"))
		case kind == commentToken:
			return kind, z.comment(b, eof)
		}
	}
}

// opens tells what a "<" begins; textToken if nothing. It is not known if b is too short.
func opens(b []byte, eof bool) (kind token, known bool) {
	switch {
	case len(b) < 2:
		return textToken, eof
	case isLetter(b[1]):
		return startToken, true
	case b[1] == '!' || b[1] == '?':
		return commentToken, true
	case b[1] != '/':
		return textToken, true
	case len(b) < 3:
		return textToken, eof
	case isLetter(b[2]):
		return stopToken, true
	default:
		return commentToken, true
	}
}

// whole returns how much of a text can be given away.
func whole(b []byte, eof bool) int {
	if eof {
		return len(b)
	}
	return len(b) - unfinished(b)
}

// startTag reads a start tag, which may say that raw text follows.
func (z *lexer) startTag(b []byte) int {
	n := z.tags.read(b, len("<"))
	if n == 0 {
		return 0
	}
	if name := rawName(z.tags.name); name != "" {
		z.within, z.script, z.dashes = name, scriptData, 0
	}
	return n
}

// rawName returns the name of an element whose content is text whatever it looks like, "" of
// any other.
func rawName(name []byte) string {
	for _, raw := range [...]string{"iframe", "noembed", "noframes", "plaintext", "script", "style", "textarea", "title", "xmp"} {
		if string(name) == raw {
			return raw
		}
	}
	return ""
}

// text returns the text of a token, character references decoded.
func (z *lexer) text() []byte {
	b := z.raw
	if z.isRaw && bytes.IndexByte(b, 0) >= 0 {
		b = bytes.ReplaceAll(b, []byte{0}, []byte("\uFFFD"))
	}
	if z.encoded {
		return z.decode(b, false)
	}
	return b
}

type commentState uint8

const (
	noComment    commentState = iota
	inComment                 // "<!--" was read
	inOtherThing              // another "<!", "<?", or "</" with no name
)

// comment returns how much of a comment can be given away: all of it, or what is there but
// for what may be the beginning of its end.
func (z *lexer) comment(b []byte, eof bool) int {
	const start = "<!--"
	from, first := 0, z.open == noComment
	if first {
		z.open, from = inOtherThing, len("<!")
		if bytes.HasPrefix(b, []byte(start)) {
			z.open, from = inComment, len(start)
		} else if !eof && len(b) < len(start) && bytes.HasPrefix([]byte(start), b) {
			z.open = noComment
			return 0
		}
	}
	n := 0
	if z.open == inComment {
		n = commentEnd(b[from:], first)
	} else {
		n = bytes.IndexByte(b[from:], '>') + 1
	}
	switch {
	case n > 0:
		z.open = noComment
		return from + n
	case eof:
		return len(b)
	case z.open == inOtherThing:
		return len(b)
	case len(b)-from < len("--!"):
		if first {
			z.open = noComment
		}
		return 0
	default:
		return len(b) - len("--!")
	}
}

// commentEnd returns where a comment ends, behind the ">"; 0 if it doesn't. First means that
// b is its beginning, where fewer dashes will do.
func commentEnd(b []byte, first bool) int {
	for i := 0; ; i++ {
		j := bytes.IndexByte(b[i:], '>')
		if j < 0 {
			return 0
		}
		i += j
		if said := b[:i]; bytes.HasSuffix(said, []byte("--")) || bytes.HasSuffix(said, []byte("--!")) ||
			first && (i == 0 || i == 1 && said[0] == '-') {
			return i + 1
		}
	}
}

// unfinished returns how many bytes at the end of a piece of text only make sense together
// with what follows.
func unfinished(piece []byte) int {
	const tag, reference = len("</plaintext>"), len("&CounterClockwiseContourIntegral;")
	tail := piece[max(0, len(piece)-tag):]
	if i := bytes.LastIndexByte(tail, '<'); i >= 0 {
		return len(tail) - i
	}
	tail = piece[max(0, len(piece)-reference):]
	if i := bytes.LastIndexByte(tail, '&'); i >= 0 && bytes.IndexByte(tail[i:], ';') < 0 {
		return len(tail) - i
	}
	return partial(piece)
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' }
