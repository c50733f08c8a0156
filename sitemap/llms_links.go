package sitemap

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/politefetch/sdk/internal/urlnorm"
)

// found is a link in a text: where it stands, and what it says.
type found struct {
	start, end  int
	title, dest string
	bare        bool
}

// parseLinks finds the links of a text in linear time. Brackets and parentheses are
// matched in one pass; code spans and images hide what is in them.
func parseLinks(s string, refs map[string]string) []found {
	match := pairs(s)
	var out []found
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '\\':
			i += 2
		case c == '`' && match[i] > 0:
			i = int(match[i])
		case c == '[' && match[i] > 0:
			image := i > 0 && s[i-1] == '!' && (i < 2 || s[i-2] != '\\')
			f, ok := linkAt(s, i, match, refs)
			if !ok {
				i++
				continue
			}
			if !image {
				out = append(out, f)
			}
			i = f.end
		case c|0x20 == 'h' && isAbsolute(s[i:]) && !afterWord(s[:i]):
			f := bareAt(s, i)
			out = append(out, f)
			i = f.end
		default:
			i++
		}
	}
	return out
}

// pairs returns for each opening bracket, parenthesis and backtick the index of what
// closes it (of a code span: behind it), or 0.
func pairs(s string) []int32 {
	match := make([]int32, len(s))
	var squares, rounds []int32
	dead := map[int]bool{} // lengths of backtick runs that have no partner
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '`':
			n := 1
			for i+n < len(s) && s[i+n] == '`' {
				n++
			}
			if end := spanEnd(s, i+n, n, dead); end > 0 {
				match[i] = int32(end) //nolint:gosec // a block is at most 64 KiB and a line
				n = end - i
			}
			i += n - 1
		case '[':
			squares = append(squares, int32(i))
		case ']':
			if n := len(squares); n > 0 {
				match[squares[n-1]] = int32(i)
				squares = squares[:n-1]
			}
		case '(':
			rounds = append(rounds, int32(i))
		case ')':
			if n := len(rounds); n > 0 {
				match[rounds[n-1]] = int32(i)
				rounds = rounds[:n-1]
			}
		}
	}
	return match
}

// spanEnd returns the index behind the code span that a run of n backticks before from
// opens, or 0.
func spanEnd(s string, from, n int, dead map[int]bool) int {
	if dead[n] {
		return 0
	}
	for i := from; i < len(s); {
		k := strings.IndexByte(s[i:], '`')
		if k < 0 {
			break
		}
		i += k
		run := 0
		for i < len(s) && s[i] == '`' {
			run++
			i++
		}
		if run == n {
			return i
		}
	}
	dead[n] = true
	return 0
}

// linkAt reads the link whose text begins at s[i].
func linkAt(s string, i int, match []int32, refs map[string]string) (found, bool) {
	end := int(match[i])
	f := found{start: i, title: oneLine(plainText(s[i+1 : end]))}
	next := end + 1
	if next >= len(s) || match[next] == 0 {
		return f, false
	}
	inside := s[next+1 : match[next]]
	f.end = int(match[next]) + 1
	switch s[next] {
	case '(':
		f.dest = destination(inside)
	case '[':
		if inside == "" {
			inside = s[i+1 : end]
		}
		dest, ok := refs[refKey(inside)]
		if !ok {
			return f, false
		}
		f.dest = destination(dest)
	default:
		return f, false
	}
	return f, true
}

// destination reads what stands between the parentheses of a link: a destination, perhaps
// in angle brackets, and perhaps a title.
func destination(s string) string {
	s = strings.TrimSpace(s)
	if after, ok := strings.CutPrefix(s, "<"); ok {
		if dest, _, ok := strings.Cut(after, ">"); ok {
			return plainText(dest)
		}
	}
	if n := len(s); n > 1 && (s[n-1] == '"' || s[n-1] == '\'') {
		if k := strings.LastIndexAny(s[:n-1], s[n-1:]); k > 0 && (s[k-1] == ' ' || s[k-1] == '\n') {
			s = strings.TrimSpace(s[:k])
		}
	}
	return plainText(s)
}

// bareAt reads the URL that begins at s[i], without the punctuation that ends a sentence.
func bareAt(s string, i int) found {
	end := len(s)
	if k := strings.IndexFunc(s[i:], func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("<>\"`|", r)
	}); k >= 0 {
		end = i + k
	}
	open := 0
	for _, c := range []byte(s[i:end]) {
		switch c {
		case '(', '[':
			open++
		case ')', ']':
			open--
		}
	}
	for end > i {
		switch c := s[end-1]; {
		case strings.IndexByte(".,;:!?'*_\\", c) >= 0:
		case (c == ')' || c == ']') && open < 0:
			open++
		default:
			return found{start: i, end: end, dest: s[i:end], bare: true}
		}
		end--
	}
	return found{start: i, end: end, dest: s[i:end], bare: true}
}

// afterWord reports whether s ends with a letter or digit.
func afterWord(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// link makes a Link of a found one, if it leads to a resource.
func (p *llmsParser) link(f found) (Link, bool) {
	raw := strings.TrimSpace(f.dest)
	if raw == "" || raw[0] == '#' || p.links >= MaxLLMsLinks {
		return Link{}, false
	}
	u, err := urlnorm.Text(p.base, raw)
	if err != nil {
		return Link{}, false
	}
	p.links++
	return Link{Title: f.title, URL: u, Raw: raw, Bare: f.bare}, true
}

// inline adds links of running text.
func (p *llmsParser) inline(links []found) {
	to := &p.doc.Inline
	if p.section != nil {
		to = &p.section.Inline
	}
	for _, f := range links {
		if l, ok := p.link(f); ok {
			*to = append(*to, l)
		}
	}
}

// item reads an item: at most one entry, further links are inline.
func (p *llmsParser) item(text string) {
	links := parseLinks(text, p.refs)
	if len(links) == 0 {
		return
	}
	first := links[0]
	label, ok := entryLabel(text[:first.start])
	if !ok {
		p.inline(links)
		return
	}
	entry, ok := p.link(first)
	if !ok {
		p.inline(links[1:])
		return
	}
	entry.Label = label
	entry.Group = p.group
	entry.Note = note(text[first.end:])
	to := &p.doc.Links
	if p.section != nil {
		to = &p.section.Links
	}
	*to = append(*to, entry)
	p.inline(links[1:])
}

// beginsWithLink reports whether a line without a bullet is an entry.
func (p *llmsParser) beginsWithLink(line string) bool {
	k := strings.IndexAny(line, "[hH<")
	if k < 0 || !isDecoration(line[:k]) {
		return false
	}
	links := parseLinks(line, p.refs)
	return len(links) > 0 && isDecoration(line[:links[0].start])
}

// entryLabel decides whether a link after that text is the entry of its item: after
// nothing but decoration, or after a label with a colon.
func entryLabel(before string) (label string, ok bool) {
	if isDecoration(before) {
		return "", true
	}
	label = strings.TrimSpace(strings.Trim(strings.TrimSpace(before), "*_<"))
	label, ok = strings.CutSuffix(label, ":")
	if !ok {
		return "", false
	}
	return strings.TrimSpace(plainText(strings.Trim(strings.TrimSpace(label), "*_"))), true
}
