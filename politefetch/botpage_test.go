package politefetch_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/ratepolicy"
)

// proxyless is a transport and a relay that nothing is known of.
type proxyless struct{}

func (proxyless) RoundTrip(*http.Request) (*http.Response, error) { return nil, http.ErrNotSupported }

func addrPorts(s string) []netip.AddrPort { return []netip.AddrPort{netip.MustParseAddrPort(s)} }
func prefixes(s string) []netip.Prefix    { return []netip.Prefix{netip.MustParsePrefix(s)} }

func cadenceOf(b *politefetch.BotPage, set func(*politefetch.Cadence)) *politefetch.Cadence {
	c := *b.Cadence
	set(&c)
	return &c
}

// rendered is a page in both forms, which say the same.
type rendered struct {
	markdown, html string
	lines          []string          // the text of both, a paragraph, item or line of code each
	sections       map[string]string // the text of each, by its id
}

// text is the text of some sections.
func (r *rendered) text(ids string) string {
	var out []string
	for id := range strings.FieldsSeq(ids) {
		out = append(out, r.sections[id])
	}
	return strings.Join(out, "\n")
}

// render makes both forms of a page and holds them against each other.
func render(t *testing.T, b *politefetch.BotPage, lang string) *rendered {
	t.Helper()
	b.Lang = lang
	r := &rendered{}
	var err error
	r.markdown, err = b.Markdown()
	require.NoError(t, err)
	r.html, err = b.HTML()
	require.NoError(t, err)
	r.lines, r.sections = htmlText(t, r.html, lang)
	require.Equal(t, r.lines, markdownText(r.markdown), "both forms say the same")
	return r
}

// htmlText reads a page as a browser does, and holds it to be a whole document that loads
// and runs nothing.
func htmlText(t *testing.T, page, lang string) (lines []string, sections map[string]string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	var again strings.Builder
	require.NoError(t, html.Render(&again, doc))
	require.Equal(t, skeletonOf(page), skeletonOf(again.String()), "a parser finds nothing to mend")
	allowed := strings.Fields("html head meta title style body main h1 h2 section p ul li pre code a")
	sections = make(map[string]string)
	section := "title"
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		require.Contains(t, allowed, n.Data)
		for _, a := range n.Attr {
			switch a.Key {
			case "href":
				require.Regexp(t, `^(https?://|mailto:)`, a.Val)
			case "id":
				section = a.Val
			case "lang":
				require.Equal(t, lang, a.Val)
			default:
				require.Contains(t, []string{"charset", "name", "content"}, a.Key)
			}
		}
		switch n.Data {
		case "h1", "h2", "p", "li":
			lines = append(lines, textOf(n))
		case "pre":
			lines = append(lines, strings.Split(textOf(n), "\n")...)
		default:
			continue
		}
		sections[section] += textOf(n) + "\n"
	}
	return lines, sections
}

func textOf(n *html.Node) string {
	var out strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			out.WriteString(d.Data)
		}
	}
	return out.String()
}

// skeletonOf are the tags of a page, in order.
func skeletonOf(page string) []string {
	return regexp.MustCompile(`</?[a-z0-9]+`).FindAllString(page, -1)
}

// markdownText reads as much of Markdown as a page has.
func markdownText(page string) []string {
	var lines []string
	fenced := false
	for line := range strings.SplitSeq(page, "\n") {
		switch {
		case line == "```":
			fenced = !fenced
		case fenced:
			lines = append(lines, line)
		case line != "":
			lines = append(lines, inlineText(strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(line, "# "), "## "), "- ")))
		}
	}
	return lines
}

// inlineText reads a line by the rules of CommonMark for escapes, code and links; any other
// markup in it stays as it is.
func inlineText(line string) string {
	var out strings.Builder
	for code := false; line != ""; {
		c := line[0]
		switch {
		case c == '`':
			code = !code
			line = line[1:]
			continue
		case code || c != '\\' && c != '[' && c != ']':
		case c == '\\' && len(line) > 1 && strings.ContainsRune("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", rune(line[1])):
			line = line[1:]
		case c == '[':
			line = line[1:]
			continue
		case strings.HasPrefix(line, "](<"):
			line = line[strings.Index(line, ">)")+2:]
			continue
		}
		out.WriteByte(line[0])
		line = line[1:]
	}
	return out.String()
}

// differ returns the ids of the sections that are not the same.
func differ(a, b *rendered) []string {
	all := maps.Clone(a.sections)
	maps.Copy(all, b.sections)
	var out []string
	for id := range all {
		if a.sections[id] != b.sections[id] {
			out = append(out, id)
		}
	}
	return out
}

// explained are the numbers of a page, and which of them some value changed.
type explained struct {
	page *rendered
	done map[string]bool // by line and place
}

func newExplained(page *rendered) *explained {
	return &explained{page: page, done: make(map[string]bool)}
}

var number = regexp.MustCompile(`\d(?:[\d.,\x{a0}]*\d)?`)

// numbersOf splits a line into its numbers and the rest.
func numbersOf(line string) (skeleton string, numbers []string) {
	return number.ReplaceAllString(line, "#"), number.FindAllString(line, -1)
}

// by takes in a page of which one value is another: a line that is the same but for a
// number has that number from the value.
func (e *explained) by(after *rendered) {
	others := make(map[string][][]string)
	for _, line := range after.lines {
		skeleton, numbers := numbersOf(line)
		others[skeleton] = append(others[skeleton], numbers)
	}
	for _, line := range e.page.lines {
		skeleton, numbers := numbersOf(line)
		for _, other := range others[skeleton] {
			for i := range numbers {
				if numbers[i] != other[i] {
					e.done[fmt.Sprint(line, i)] = true
				}
			}
		}
	}
}

// constants are the numbers that no value of a bot changes: statuses, and what an RFC or
// the module itself sets for every bot.
var constants = regexp.MustCompile(`\b(429|503|401|403|407|451)\b|\(5xx\)` +
	`|younger than 30 days|alle 30 päivän` + // RFC 9309 section 2.3.1.4
	`|at most 3 minutes|enintään 3 minuuttia`) // of one request through the relay

// left are the lines with numbers that nothing explains.
func (e *explained) left() []string {
	var out []string
	for _, line := range e.page.lines {
		if strings.HasPrefix(line, "User-Agent: ") {
			continue
		}
		_, numbers := numbersOf(line)
		places := number.FindAllStringIndex(line, -1)
		given := constants.FindAllStringIndex(line, -1)
		for i := range numbers {
			constant := slices.ContainsFunc(given, func(g []int) bool { return g[0] <= places[i][0] && places[i][1] <= g[1] })
			if !constant && !e.done[fmt.Sprint(line, i)] {
				out = append(out, numbers[i]+" in: "+line)
			}
		}
	}
	return out
}

// unsaid are the fields that have no place on the page, and why.
var unsaid = map[string]string{
	"Config.Policy": "its fields are told", "Config.Guard": "its fields are told",
	"Policy.Normal": "its fields are told", "Policy.Gentle": "its fields are told", "Policy.Relay": "its fields are told",
	"Config.Observe": "what the bot tells its operator", "Config.Logger": "what the bot tells its operator",
	"Policy.LeaseFor":        "when a turn of a process that died is free: it never makes the bot faster",
	"VisitOptions.Hosts":     "which site it is, and the page is about all",
	"VisitOptions.Want":      "it only leaves addresses out",
	"VisitOptions.Requested": "when, of one visit",
	"FetchOptions.MaxWait":   "it only gives up its turn",
	"FetchOptions.Hops":      "of one call",
	"FetchOptions.Earlier":   "of one call",
}

// A new field must get its place on the page, or a reason why it has none.
func TestG05_EveryPromiseHasItsPlaceOnThePage(t *testing.T) {
	said := make(map[string]bool)
	for _, c := range changes {
		said[c.field] = true
	}
	fields := make(map[string]bool)
	for name, v := range map[string]any{
		"Config": politefetch.Config{}, "Guard": politefetch.GuardOptions{}, "Policy": ratepolicy.Policy{},
		"Policy.Normal": ratepolicy.Pace{}, "Policy.Gentle": ratepolicy.Pace{}, "Policy.Relay": ratepolicy.Pace{},
		"Cadence": politefetch.Cadence{}, "Retry": politefetch.Retry{},
		"VisitOptions": politefetch.VisitOptions{}, "FetchOptions": politefetch.FetchOptions{},
	} {
		for f := range reflect.TypeOf(v).Fields() {
			fields[name+"."+f.Name] = true
		}
	}
	for field := range fields {
		assert.NotEqual(t, said[field], unsaid[field] != "", "%s has no place on the page and no reason for that, or both", field)
	}
	for field := range unsaid {
		assert.True(t, fields[field], "there is no %s", field)
	}
}

// Both languages have the same sentences, and the page uses each of them.
func TestBotPageHasEverySentenceInBothLanguages(t *testing.T) {
	outline, err := os.ReadFile("botpage_outline.go")
	require.NoError(t, err)
	names := make(map[string][]string)
	for _, lang := range []string{"en", "fi"} {
		words, err := os.ReadFile("botpage/" + lang + ".tmpl")
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`{{define "([a-z.]+)"}}`).FindAllSubmatch(words, -1) {
			if name := string(m[1]); !strings.HasPrefix(name, "unit") {
				names[lang] = append(names[lang], name)
				assert.Contains(t, string(outline), `"`+name+`"`)
			}
		}
	}
	assert.Equal(t, names["en"], names["fi"])
	finnish, err := os.ReadFile("botpage/fi.tmpl")
	require.NoError(t, err)
	assert.NotRegexp(t, `vähintään {{[^}]*}} välein`, string(finnish), "which is read as: at least that often")
	assert.Greater(t, len(names["en"]), 50)
}

func TestBotPageSaysSpansOfTime(t *testing.T) {
	for _, tt := range []struct {
		d      time.Duration
		en, fi string
	}{
		{time.Millisecond, "0.001 seconds", "0,001 sekuntia"},
		{300 * time.Millisecond, "0.3 seconds", "0,3 sekuntia"},
		{time.Second, "1 second", "1 sekunnin"},
		{2 * time.Second, "2 seconds", "2 sekuntia"},
		{time.Minute, "60 seconds", "60 sekuntia"},
		{90 * time.Second, "90 seconds", "90 sekuntia"},
		{2 * time.Minute, "2 minutes", "2 minuuttia"},
		{time.Hour, "60 minutes", "60 minuuttia"},
		{36 * time.Hour, "36 hours", "36 tuntia"},
		{24 * time.Hour, "24 hours", "24 tuntia"},
		{14 * 24 * time.Hour, "14 days", "14 päivää"},
		{3601 * time.Second, "3,601 seconds", "3\u00a0601 sekuntia"},
	} {
		page := metrimatoPage()
		page.Config.Timeout = tt.d
		assert.Contains(t, render(t, page, "en").sections["limits"], "given up after "+tt.en+" on the network")
		assert.Contains(t, render(t, page, "fi").sections["limits"], "kestää verkossa enintään "+tt.fi+".")
	}
}

func TestBotPageIsTrueOfTheZeroConfig(t *testing.T) {
	page := &politefetch.BotPage{
		Config:  politefetch.Config{Product: scannerProduct, UserAgent: scannerAgent},
		Visit:   &politefetch.VisitOptions{},
		Monitor: &politefetch.FetchOptions{}, Cadence: &politefetch.Cadence{}, Retry: &politefetch.Retry{},
	}
	text := strings.Join(render(t, page, "en").lines, "\n")
	for _, want := range []string{
		"One request at a time for each host", "At least 1 second between", "at most 500 pages", "At most 2 MiB", "after 15 seconds", "at most 10 hops",
		"up to 30 seconds", "at least 5 seconds", "asked for up to 2 times", "5 pages skipped", "For 14 days", "at least 2 seconds apart", "up to 60 seconds",
		"for at least 6 hours", "about 10 minutes later", "once a week", "once every 6 hours", "10 minutes after it ended",
	} {
		assert.Contains(t, text, want)
	}
	assert.NotContains(t, text, "provider")
	assert.NotContains(t, text, "more visits", "no Extras")
}

// What holds for visits alone is not said of checks too.
func TestBotPageTellsVisitsFromChecks(t *testing.T) {
	page := kiwiRankPage()
	page.Monitor = &politefetch.FetchOptions{}
	en, fi := render(t, page, "en").sections["reads"], render(t, page, "fi").sections["reads"]
	assert.Contains(t, en, "A visit reads HTML and nothing else")
	assert.Contains(t, en, "The content of pages that a visit reads is not kept.")
	assert.Contains(t, fi, "Käynti lukee HTML:ää eikä mitään muuta")
	assert.Contains(t, fi, "Käynnillä luettujen sivujen sisältöä ei tallenneta.")

	page.Monitor.DropBody = true
	assert.Contains(t, render(t, page, "en").sections["reads"], "The content of pages is not kept.")
	assert.Contains(t, render(t, page, "fi").sections["reads"], "Sivujen sisältöä ei tallenneta.")
}

func TestBotPageEscapesWhatOthersWrote(t *testing.T) {
	const nasty = "<script>alert(1)</script> \"><img src=x onerror=alert(1)> [x](javascript:alert(1)) *b* `code` &amp; | _i_ ~~s~~ \\"
	page := kiwiRankPage()
	page.Config.UserAgent = "KiwiRankBot/1.0 (+https://bot.example/) </code></pre><script>alert(1)</script> ``` {{.Config}}"
	page.Config.From = "a<b@x.example"
	page.About = "# " + nasty + "\n" + nasty + "\n\n- " + nasty + "\r\n\r\n1. {{.Title}} " + nasty + "\n\n \n\n--- \x00"
	_, err := page.HTML()
	require.ErrorContains(t, err, "Config.From")
	page.Config.From = "" // none that New takes is nasty
	for _, contact := range []string{`https://x.example/"><script>alert(1)</script>)>?<b>=` + "`'\\#\"<i>", "o'x&y@x.example", "a`b@x.example"} {
		page.Contact = contact
		got := render(t, page, "en") // which lets no other element, attribute or scheme pass
		text := strings.Join(got.lines, "\n")
		assert.Contains(t, text, nasty+" "+nasty)
		assert.Contains(t, text, "User-Agent: "+page.Config.UserAgent)
		assert.Contains(t, text, contact)
		assert.Contains(t, got.markdown, `\# \<script\>`)
		assert.Contains(t, got.markdown, "\n\\- ")
		assert.Contains(t, got.markdown, "\n1\\. {{.Title}}")
		assert.NotContains(t, regexp.MustCompile("(?s)```\n.*?\n```").ReplaceAllString(got.markdown, ""), "<script>")
		assert.Regexp(t, `\]\(<(https|mailto):[^\s<>"\\`+"`"+`]+>\)\.`, got.markdown)
	}
	assert.NotContains(t, render(t, page, "fi").markdown, "not-for-the-page", "the relay's key")
}

func TestBotPageSaysWhichFieldIsWrong(t *testing.T) {
	for field, set := range map[string]func(*politefetch.BotPage){
		"BotPage.Config: politefetch: Config.Product": func(b *politefetch.BotPage) { b.Config.Product = "<b>" },
		"BotPage.Config: politefetch: Config.Timeout": func(b *politefetch.BotPage) { b.Config.Timeout = -1 },
		`BotPage.Lang: no sentences in "sv"`:          func(b *politefetch.BotPage) { b.Lang = "sv" },
		"BotPage.Template: template: ":                func(b *politefetch.BotPage) { b.Template = "{{" },
		"BotPage.Template: template: Template:1:":     func(b *politefetch.BotPage) { b.Template = "{{.Nothing}}" },
		`BotPage.Contact: "javascript:alert(1)" is`:   func(b *politefetch.BotPage) { b.Contact = "javascript:alert(1)" },
		`BotPage.Contact: "a b" is`:                   func(b *politefetch.BotPage) { b.Contact = "a b" },
	} {
		page := kiwiRankPage()
		set(page)
		got, err := page.Markdown()
		require.ErrorContains(t, err, field)
		assert.Empty(t, got)
		got, err = page.HTML()
		require.ErrorContains(t, err, field)
		assert.Empty(t, got)
	}
}

func TestBotPageTemplate(t *testing.T) {
	page := metrimatoPage()
	page.About = "<b>"
	page.Template = `{{.Lang}}: {{.Title}}{{range .About}} {{template "text" .}}{{end}}{{with .Section "contact"}} {{template "section" .}}{{end}}{{with .Section "relay"}}never{{end}}`
	got, err := page.Markdown()
	require.NoError(t, err)
	assert.Equal(t, "en: About Metrimato-Scanner \\<b\\> ## Questions\n\nIf you think that the bot misbehaves, have a question, or want it to stay away from your site, "+
		"contact [https://metrimato.com/yhteys](<https://metrimato.com/yhteys>).\n", got)
	got, err = page.HTML()
	require.NoError(t, err)
	assert.Contains(t, got, `en: About Metrimato-Scanner &lt;b&gt; <section id="contact">`)
	assert.Contains(t, got, `<a href="https://metrimato.com/yhteys">https://metrimato.com/yhteys</a>`)
}

func ExampleBotPage() {
	page := politefetch.BotPage{
		Config: politefetch.Config{ // the very one that New is given
			Product:   "ExampleBot",
			UserAgent: "ExampleBot/1.0 (+https://bot.example/)",
			Policy:    ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: 2 * time.Second}},
		},
		Visit:    &politefetch.VisitOptions{MaxPages: 50},
		Contact:  "bot@bot.example",
		Template: `{{with .Section "pace"}}{{template "section" .}}{{end}}`, // leave it out for the whole page
	}
	markdown, err := page.Markdown()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(markdown)
	// Output:
	// ## How fast it asks
	//
	// - One request at a time for each host; all hosts of one visit count together.
	// - At least 2 seconds between the end of an answer and the next request.
	// - Requests to the same host wait their turn.
	// - The pace is a ceiling and not negotiable: no single visit or check can exceed it.
}
