package page

import "bytes"

// scriptState is where a script stands in the rules that hide "</script>" in what looks
// like a comment (HTML Standard, sections 13.2.5.18 to 31).
type scriptState uint8

const (
	scriptData          scriptState = iota
	scriptEscaped                   // behind "<!--"
	scriptDoubleEscaped             // behind "<script" within
)

// rawText returns how much of b is text of the element z.within, and whether its end tag
// follows.
func (z *lexer) rawText(b []byte, eof bool) (n int, ended bool) {
	switch z.within {
	case "plaintext":
		return whole(b, eof), false
	case "script":
		return z.scriptText(b, eof)
	}
	for i := 0; ; {
		j := bytes.Index(b[i:], []byte("</"))
		if j < 0 {
			return whole(b, eof), false
		}
		i += j
		switch matches, known := endsWith(b[i:], z.within, eof); {
		case matches:
			return i, true
		case !known:
			return i, false
		}
		i += len("</")
	}
}

// endsWith tells whether b, behind its "</", goes on as the end tag of an element.
func endsWith(b []byte, name string, eof bool) (matches, known bool) {
	return named(b[len("</"):], name, eof)
}

// named tells whether b begins with the name of an element, in any case. It is not known if
// b is too short.
func named(b []byte, name string, eof bool) (matches, known bool) {
	for i := range len(name) {
		switch {
		case i == len(b):
			return false, eof
		case b[i] != name[i] && b[i] != name[i]-('a'-'A'):
			return false, true
		}
	}
	if len(name) == len(b) {
		return false, eof
	}
	return endsName(b[len(name)]), true
}

// endsName is true of what ends the name of a tag.
func endsName(c byte) bool { return isSpace(c) || c == '/' || c == '>' }

// scriptText is rawText of a script.
func (z *lexer) scriptText(b []byte, eof bool) (n int, ended bool) {
	const lookahead = len("</script>")
	for i := 0; i < len(b); {
		if z.script == scriptData {
			j := bytes.IndexByte(b[i:], '<')
			if j < 0 {
				break
			}
			i += j
		}
		c := b[i]
		switch {
		case c == '<' && len(b)-i < lookahead && !eof:
			return i, false
		case c == '<':
			n, ended := z.scriptLess(b[i:])
			if ended {
				return i, true
			}
			i += n
		case c == '-':
			z.dashes++
			i++
		case c == '>' && z.dashes >= 2:
			z.script, z.dashes = scriptData, 0
			i++
		default:
			z.dashes = 0
			i++
		}
	}
	return len(b), false
}

// scriptLess takes a "<" in a script, and returns how many bytes are settled by it or that
// the end tag begins there.
func (z *lexer) scriptLess(b []byte) (n int, ended bool) {
	slash, end, begin := len(b) > 1 && b[1] == '/', false, false
	if slash {
		end, _ = endsWith(b, "script", true)
	} else {
		begin, _ = named(b[1:], "script", true)
	}
	z.dashes = 0
	switch {
	case end && z.script == scriptDoubleEscaped:
		z.script = scriptEscaped
		return len("</script>"), false
	case end:
		return 0, true
	case slash:
		return len("</"), false
	case z.script == scriptData && bytes.HasPrefix(b, []byte("<!--")):
		z.script, z.dashes = scriptEscaped, len("--")
		return len("<!--"), false
	case z.script == scriptEscaped && begin:
		z.script = scriptDoubleEscaped
		return len("<script>"), false
	case z.script == scriptEscaped && len(b) > 1 && !isLetter(b[1]):
		z.script = scriptData // the Standard stays where it is; golang.org/x/net/html doesn't
	}
	return 1, false
}
