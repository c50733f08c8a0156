package politefetch

import (
	"bytes"
	"fmt"
	html "html/template"
	"io"
	"net/mail"
	"net/url"
	"strings"
	text "text/template"
	"unicode"
)

// A BotPage is the public page about a bot, for those who find it in their logs: who it
// is, how to block it, what it obeys, how fast and how much it asks for. Every number on
// the page is one that the bot runs by, defaults included, and each sentence is there only
// where it holds; so the page is true as long as the bot is run with the same values. It is
// plain data; nothing is sent. Its methods are safe for concurrent use.
//
// What no value says is not on the page: what Allow, Admit and Transport do beyond what
// their comments say. The caller's own words are for that (About).
type BotPage struct {
	Config Config // as given to [New]

	// Visit are the options of the bot's visits. Nil: it makes none, the page has nothing
	// about them.
	Visit *VisitOptions
	// Monitor are the options of its checks of single addresses, by [Crawler.Fetch]. Nil:
	// it makes none.
	Monitor *FetchOptions
	// Browser says that the owner of a single address may opt it into a browser-like check
	// (FetchOptions.Browser), which Monitor.Browser says too.
	Browser bool
	// Cadence is how often sites are visited. Nil: the page doesn't say.
	Cadence *Cadence
	// Retry is what becomes of refusals and failures of checks. Nil: the page doesn't say.
	Retry *Retry

	// About is what the page begins with: whose bot it is and what it is for. Paragraphs
	// are parted by empty lines; there is no markup in it. "": nothing.
	About string
	// Contact is a mail address or the address of a page. "": none.
	Contact string
	// Lang is the page's language, "en" or "fi". "": "en".
	Lang string

	// Template replaces the built-in template of the method that is called: a template of
	// package text/template for Markdown, of html/template for HTML. Its data has the fields
	// Lang, Title, About (paragraphs) and Sections, each with ID, Title and Blocks. The
	// built-in {{template "section" .}} renders one of those, {{template "text" .}} a
	// paragraph of About; {{with .Section "pace"}} finds one by its ID. "": the built-in.
	Template string
}

// Markdown returns the page in Markdown (CommonMark). An error says which field is wrong.
func (b *BotPage) Markdown() (string, error) {
	p, err := b.page()
	if err != nil {
		return "", err
	}
	t, err := text.New("").Funcs(text.FuncMap{"md": escapeMarkdown, "line": escapeLine}).ParseFS(botPageFiles, "botpage/page.md.tmpl")
	if err != nil {
		return "", err // the built-in one: never
	}
	t = t.Lookup("page.md.tmpl")
	if b.Template != "" {
		if t, err = t.New("Template").Parse(b.Template); err != nil {
			return "", wrongPage("Template", err)
		}
	}
	return b.execute(t, p)
}

// HTML returns the page as a whole HTML document: no scripts, nothing to load, its style
// within. All text in it is escaped. An error says which field is wrong.
func (b *BotPage) HTML() (string, error) {
	p, err := b.page()
	if err != nil {
		return "", err
	}
	t, err := html.New("").ParseFS(botPageFiles, "botpage/page.html.tmpl")
	if err != nil {
		return "", err // the built-in one: never
	}
	t = t.Lookup("page.html.tmpl")
	if b.Template != "" {
		if t, err = t.New("Template").Parse(b.Template); err != nil {
			return "", wrongPage("Template", err)
		}
	}
	return b.execute(t, p)
}

func (b *BotPage) execute(t interface{ Execute(io.Writer, any) error }, p *botPage) (string, error) {
	var out bytes.Buffer
	if err := t.Execute(&out, p); err != nil {
		return "", wrongPage("Template", err)
	}
	return out.String(), nil
}

func wrongPage(field string, err error) error {
	return fmt.Errorf("politefetch: BotPage.%s: %w", field, err)
}

// A botPage is what both forms of a page are made of.
type botPage struct {
	Lang, Title string
	About       [][]span
	Sections    []pageSection
}

// Section returns the section of that ID; nil if the page has none.
func (p *botPage) Section(id string) *pageSection {
	for i := range p.Sections {
		if p.Sections[i].ID == id {
			return &p.Sections[i]
		}
	}
	return nil
}

type pageSection struct {
	ID, Title string
	Blocks    []pageBlock
}

// A pageBlock is one of a paragraph, a list and lines to be copied.
type pageBlock struct {
	Text  []span
	Items [][]span
	Code  string
}

// A span is a piece of text: a link if Href is set.
type span struct {
	Text, Href string
	Code       bool
}

// spans reads a sentence, in which backquotes stand around code.
func spans(sentence string) []span {
	var out []span
	code := false
	for s := range strings.SplitSeq(sentence, "`") {
		if s != "" {
			out = append(out, span{Text: s, Code: code})
		}
		code = !code
	}
	return out
}

// paragraphs are the caller's own words.
func paragraphs(s string) [][]span {
	var out [][]span
	for p := range strings.SplitSeq(strings.ReplaceAll(s, "\r\n", "\n"), "\n\n") {
		if p = oneLine(p); p != "" {
			out = append(out, []span{{Text: p}})
		}
	}
	return out
}

// oneLine is s with each run of spaces, line ends and control characters as one space.
// Spaces that don't break a line stay.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || unicode.IsControl(r) }), " ")
}

// contact returns the link that a BotPage's Contact is.
func contact(s string) (span, error) {
	if a, err := mail.ParseAddress(s); err == nil && a.Address == s {
		return span{Text: s, Href: hrefOf(&url.URL{Scheme: "mailto", Opaque: url.PathEscape(s)})}, nil
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return span{}, wrongPage("Contact", fmt.Errorf("%q is neither a bare mail address nor the address of a page", clip(s)))
	}
	return span{Text: s, Href: hrefOf(u)}, nil
}

// hrefOf is u with whatever could end a link's target escaped.
func hrefOf(u *url.URL) string {
	return strings.NewReplacer("<", "%3C", ">", "%3E", `"`, "%22", "`", "%60", `\`, "%5C").Replace(u.String())
}

// escapeMarkdown returns s as text of a CommonMark paragraph (section 2.4, backslash
// escapes): nothing in it is markup.
func escapeMarkdown(s string) string {
	var out strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\\`*_[]<>&~|", r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}

// escapeLine is escapeMarkdown for the beginning of a line, where a heading, a list or the
// line under a heading could begin as well.
func escapeLine(s string) string {
	rest := strings.TrimLeft(s, "0123456789")
	begins := "#+-="
	if rest != s {
		begins = ".)"
	}
	if rest == "" || !strings.Contains(begins, rest[:1]) {
		return escapeMarkdown(s)
	}
	return s[:len(s)-len(rest)] + `\` + rest[:1] + escapeMarkdown(rest[1:])
}
