package sitemap

import (
	"net/url"
	"strings"
)

// maxBlock bounds the text of one item or paragraph; longer ones are read in parts.
const maxBlock = 64 << 10

// blockKind is what the text that is being collected belongs to.
type blockKind uint8

const (
	blockNone blockKind = iota
	blockItem           // an item of a list
	blockLine           // a line that begins with a link
	blockText
	blockSummary
)

// llmsParser reads Markdown line by line.
type llmsParser struct {
	doc  LLMs
	base *url.URL
	refs map[string]string // link reference definitions

	lines   []string
	i       int
	titled  bool
	quoted  bool // the summary has been read
	heading int  // line of the last heading of level 1, +1
	section *Section
	group   string
	links   int

	kind    blockKind
	block   strings.Builder
	details strings.Builder
	headed  bool // any heading was seen
}

// run reads the text and reports whether it is an llms.txt.
func (p *llmsParser) run(text string) bool {
	front, text := frontMatter(text)
	p.lines = strings.Split(strings.TrimRight(text, "\n"), "\n")
	p.references()
	var fence string
	for ; p.i < len(p.lines); p.i++ {
		line := p.lines[p.i]
		if fence != "" {
			if closesFence(line, fence) {
				fence = ""
			}
			p.detail(line)
			continue
		}
		if fence = opensFence(line); fence != "" {
			p.endBlock()
			p.detail(line)
			continue
		}
		p.line(line)
	}
	p.endBlock()
	if p.doc.Title == "" {
		p.doc.Title = front
	}
	p.doc.Details = strings.TrimSpace(p.details.String())
	if !p.headed && foreign(text) {
		return false
	}
	return p.headed || p.links > 0
}

// detail keeps a line of what stands before the first section.
func (p *llmsParser) detail(line string) {
	if p.section == nil && p.titled {
		p.details.WriteString(line)
		p.details.WriteByte('\n')
	}
}

// line handles a line outside of code.
func (p *llmsParser) line(line string) {
	trimmed := strings.TrimSpace(line)
	if trimmed == "" {
		p.endBlock()
		p.detail("")
		return
	}
	if level, title := p.headingOf(line, trimmed); level > 0 {
		p.endBlock()
		p.startHeading(level, title)
		return
	}
	if quote, ok := cutQuote(trimmed); ok {
		p.quoteLine(quote, line)
		return
	}
	if rest, ok := cutBullet(trimmed); ok {
		p.startBlock(blockItem, rest)
		p.detail(line)
		return
	}
	switch {
	case p.kind == blockSummary: // lazy continuation
		p.addLine(trimmed)
		return
	case p.kind != blockText && line[0] != ' ' && line[0] != '\t' && p.beginsWithLink(trimmed):
		p.startBlock(blockLine, trimmed)
	case p.kind == blockNone || p.block.Len() > maxBlock:
		p.startBlock(blockText, trimmed)
	default:
		p.addLine(trimmed)
	}
	p.detail(line)
}

func (p *llmsParser) quoteLine(quote, line string) {
	switch {
	case p.kind == blockSummary:
		p.addLine(quote)
		return
	case p.titled && !p.quoted && p.section == nil:
		p.quoted = true
		p.startBlock(blockSummary, quote)
		return
	}
	p.startBlock(blockText, quote)
	p.detail(line)
}

func (p *llmsParser) startBlock(kind blockKind, text string) {
	p.endBlock()
	p.kind = kind
	p.block.WriteString(text)
}

func (p *llmsParser) addLine(text string) {
	p.block.WriteByte('\n')
	p.block.WriteString(text)
}

// endBlock reads what was collected.
func (p *llmsParser) endBlock() {
	text := p.block.String()
	kind := p.kind
	p.kind = blockNone
	p.block.Reset()
	switch kind {
	case blockNone:
	case blockSummary:
		p.doc.Summary = strings.TrimSpace(plainText(text))
	case blockText:
		p.inline(parseLinks(text, p.refs))
	case blockItem, blockLine:
		p.item(text)
	}
}

// headingOf returns the level of a heading, or 0. Of underlined ones only level 1 counts;
// a line of hyphens means too many other things.
func (p *llmsParser) headingOf(line, trimmed string) (level int, title string) {
	if line[0] != '#' && trimmed[0] == '#' && len(line)-len(strings.TrimLeft(line, " \t")) > 3 {
		return 0, ""
	}
	for level < len(trimmed) && trimmed[level] == '#' {
		level++
	}
	if level >= 1 && level <= 6 {
		title = strings.TrimSpace(trimmed[level:])
		if bare := strings.TrimRight(title, "#"); bare == "" || strings.HasSuffix(bare, " ") {
			title = strings.TrimSpace(bare)
		}
		return level, strings.TrimSpace(plainText(title))
	}
	if level == 0 && p.kind == blockNone && p.i+1 < len(p.lines) {
		if next := strings.TrimSpace(p.lines[p.i+1]); len(next) >= 2 && strings.Trim(next, "=") == "" {
			if _, bullet := cutBullet(trimmed); !bullet {
				p.i++
				return 1, strings.TrimSpace(plainText(trimmed))
			}
		}
	}
	return 0, ""
}

func (p *llmsParser) startHeading(level int, title string) {
	p.headed = true
	switch {
	case level == 1 && !p.titled:
		p.titled = true
		p.doc.Title = title
		p.heading = p.i + 1
		return
	case level == 1:
		below := p.heading == p.i && p.section == nil
		p.heading = p.i + 1
		if below || !p.hasBody() {
			return
		}
	case level > 2:
		p.group = title
		p.detail(p.lines[p.i])
		return
	}
	p.group = ""
	optional := strings.EqualFold(strings.TrimSpace(strings.TrimSuffix(title, ":")), "optional")
	p.doc.Sections = append(p.doc.Sections, Section{Title: title, Level: level, Optional: optional && level == 2})
	p.section = &p.doc.Sections[len(p.doc.Sections)-1]
}

// hasBody reports whether the next line that is not blank belongs to this heading, and is
// not itself the heading of a section.
func (p *llmsParser) hasBody() bool {
	for _, line := range p.lines[p.i+1:] {
		if line = strings.TrimSpace(line); line != "" {
			return line[0] != '#' || strings.HasPrefix(line, "###")
		}
	}
	return false
}

// references collects the definitions "[label]: destination", and blanks their lines.
func (p *llmsParser) references() {
	var fence string
	for i, line := range p.lines {
		switch {
		case fence != "":
			if closesFence(line, fence) {
				fence = ""
			}
			continue
		default:
			if fence = opensFence(line); fence != "" {
				continue
			}
		}
		s := strings.TrimSpace(line)
		if !strings.HasPrefix(s, "[") {
			continue
		}
		label, dest, ok := strings.Cut(s[1:], "]:")
		if !ok || label == "" || strings.ContainsAny(label, "[]") {
			continue
		}
		if p.refs == nil {
			p.refs = map[string]string{}
		}
		if key := refKey(label); p.refs[key] == "" {
			p.refs[key] = strings.TrimSpace(dest)
		}
		p.lines[i] = ""
	}
}
