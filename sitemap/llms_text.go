package sitemap

import (
	"strings"
	"unicode"
)

// isDecoration reports whether s is nothing but emphasis, symbols and emoji.
func isDecoration(s string) bool {
	for _, r := range s {
		switch {
		case r == ' ' || r == '\n' || r == '*' || r == '_' || r == '<' || r == 0x200d || r == 0xfe0f || r == 0x20e3:
		case unicode.IsSymbol(r) && r > 0x7f, unicode.Is(unicode.Mn, r):
		default:
			return false
		}
	}
	return true
}

// note returns the rest of an item without what separates it from the link.
func note(s string) string {
	s = strings.TrimLeft(s, "*_>")
	s = strings.TrimSpace(s)
	for _, sep := range []string{":", "-", "–", "—", "|"} {
		if after, ok := strings.CutPrefix(s, sep); ok {
			s = strings.TrimSpace(after)
			break
		}
	}
	return oneLine(plainText(s))
}

// oneLine makes any run of white space one blank.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// plainText decodes backslash escapes and entities, but not in code.
func plainText(s string) string {
	if strings.IndexByte(s, '\\') < 0 && strings.IndexByte(s, '&') < 0 {
		return s
	}
	const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
	var b []byte
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && strings.IndexByte(punctuation, s[i+1]) >= 0:
			i++
			b = append(b, s[i])
		case s[i] == '&':
			end := strings.IndexByte(s[i:min(len(s), i+maxEntity)], ';')
			if end < 0 {
				b = append(b, '&')
				continue
			}
			b, _, _ = unescape(b, []byte(s[i:i+end+1]), nil)
			i += end
		default:
			b = append(b, s[i])
		}
	}
	return string(b)
}
