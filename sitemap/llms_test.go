package sitemap_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/internal/conformance"
	"github.com/politefetch/sdk/sitemap"
)

// llmsVector is a case of llmstxt/expected.json.
type llmsVector struct {
	File, URL      string
	Error          string
	Title, Summary string
	Links, Inline  []sitemap.Link
	Sections       []sitemap.Section
	About          string
}

func llmsCode(err error) string {
	se, ok := errors.AsType[*sitemap.Error](err)
	switch {
	case err == nil:
		return ""
	case errors.Is(err, sitemap.ErrEmpty):
		return "empty"
	case ok && errors.Is(err, sitemap.ErrNotLLMs) && se.Kind == sitemap.KindHTML:
		return "html"
	case errors.Is(err, sitemap.ErrNotLLMs):
		return "not_llms"
	}
	return err.Error()
}

// normal makes links comparable with vectors: raw is given where it differs from the URL.
func normal(links []sitemap.Link) []sitemap.Link {
	out := []sitemap.Link{}
	for _, l := range links {
		if l.Raw == l.URL {
			l.Raw = ""
		}
		out = append(out, l)
	}
	return out
}

func (v llmsVector) check(t *testing.T, input []byte) {
	t.Helper()
	u, err := url.Parse(v.URL)
	require.NoError(t, err)
	doc, err := sitemap.ReadLLMs(bytes.NewReader(input), &sitemap.LLMsOptions{URL: u})
	assert.Equal(t, v.Error, llmsCode(err))
	if v.Error != "" {
		assert.Nil(t, doc)
		return
	}
	require.NoError(t, err)
	assert.Equal(t, v.Title, doc.Title)
	assert.Equal(t, v.Summary, doc.Summary)
	assert.Equal(t, normal(v.Links), normal(doc.Links))
	assert.Equal(t, normal(v.Inline), normal(doc.Inline))
	require.Len(t, doc.Sections, len(v.Sections))
	for i, want := range v.Sections {
		got := doc.Sections[i]
		assert.Equal(t, want.Title, got.Title)
		assert.Equal(t, want.Level, got.Level)
		assert.Equal(t, want.Optional, got.Optional)
		assert.Equal(t, normal(want.Links), normal(got.Links), "links of %s", want.Title)
		assert.Equal(t, normal(want.Inline), normal(got.Inline), "inline links of %s", want.Title)
	}
}

func TestLLMsVectors(t *testing.T) {
	var data struct{ Cases []llmsVector }
	conformance.ReadJSON(t, "llmstxt/expected.json", &data)
	require.NotEmpty(t, data.Cases)
	for _, v := range data.Cases {
		t.Run(v.File, func(t *testing.T) { v.check(t, conformance.Read(t, "llmstxt/"+v.File)) })
	}
}

// llmsCases are our own cases: what they stand for, the input, and what it must give as
// the text that describe makes of it.
var llmsCases = []struct{ name, input, want string }{
	{"the form of the specification", "# T\n\n> S\n\nD\n\n## Docs\n\n- [A](/a): n\n\n## Optional\n\n- [B](/b)\n", "T|S|D\n2 Docs: A=/a(n)\n2? Optional: B=/b()"},
	{"title alone", "# T", "T||"},
	{"no title", "- [A](/a)", "||\n: A=/a()"},
	{"front matter", "---\ntitle: 'F'\n---\n- [A](/a)", "F||\n: A=/a()"},
	{"underlined title", "T\n===\n> S", "T|S|"},
	{"summary over lines", "# T\n> a\n> b\nc\n\n> no", "T|a\nb\nc|> no"},
	{"escaped quote", "# T\n&gt; S", "T|S|"},
	{"every bullet", "# T\n## D\n* [A](/a)\n+ [B](/b)\n1. [C](/c)\n2) [D](/d)\n• [E](/e)\n- [ ] [F](/f)\n    - [G](/g)\n[H](/h)\n**[I](/i)**: x", "T||\n2 D: A=/a() B=/b() C=/c() D=/d() E=/e() F=/f() G=/g() H=/h() I=/i(x)"},
	{"labels", "# T\n## D\n- AUR: [A](/a)\n- **B**: [b](/b), [c](/c).\n- Read [d](/d)", "T||\n2 D: AUR>A=/a() B>b=/b(, [c](/c).) ~c=/c ~d=/d"},
	{"bare URLs", "# T\n## D\n- https://a.test/x: n\n- see https://a.test/y.\n- (https://a.test/z)", "T||\n2 D: !=/x(n) ~!=/y ~!=/z"},
	{"destinations", "# T\n## D\n- [A](/a_(b))\n- [B](</b c>)\n- [C](/c \"t\")\n- [E](#e)\n- [F](mailto:x@a.test)\n- ![G](/g)", "T||\n2 D: A=/a_(b)() B=/b%20c() C=/c()"},
	{"references", "# T\n## D\n- [A][x]\n- [B][]\n- [C]\n- [D][no]\n\n[x]: /a\n[b]: </b>", "T||\n2 D: A=/a() B=/b()"},
	{"code hides", "# T\n```\n## no\n- [no](/no)\n```\n## D\n- [A](/a): `[x](/x)`", "T||```\n## no\n- [no](/no)\n```\n2 D: A=/a(`[x](/x)`)"},
	{"comments", "# T\n<!-- ## no\n-->\n## D <!-- x -->\n- [A](/a)", "T||\n2 D: A=/a()"},
	{"groups", "# T\n## D\n### G\n- [A](/a)\n## E\n- [B](/b)", "T||\n2 D: A=/a()@G\n2 E: B=/b()"},
	{"headings of level 1", "# T\n# comment\n\n# No body\n## D\n- [A](/a)\n# Part\ntext\n# End", "T||\n2 D: A=/a()\n1 Part:"},
	{"brackets", "# T\n## D\n- [A [b]](/a)\n- [C \\[](/c)\n- [`d[0]`](/d)\n- [![i](/i)](/e)", "T||\n2 D: A [b]=/a() C [=/c() `d[0]`=/d() ![i](/i)=/e()"},
	{"escapes and entities", "# A\\&B &amp; C\n## D\n- [x &#8211; y](/a\\_b)", "A&B & C||\n2 D: x – y=/a_b()"},
	{"wrapped note", "# T\n## D\n- [A](/a) – one\n  two\n\nthree", "T||\n2 D: A=/a(one two)"},
	{"CR only", "# T\r## D\r- [A](/a)", "T||\n2 D: A=/a()"},
	{"equal titles", "# T\n## D\n- [A](/a)\n## D\n- [A](/a)", "T||\n2 D: A=/a()\n2 D: A=/a()"},
	{"empty", " \n", "empty"},
	{"page", "\ufeff<!doctype html><p>[a](/a)", "html"},
	{"comment, then page", "<!-- x --><html>", "html"},
	{"JSON", `{"url": "https://a.test/"}`, "not_llms"},
	{"robots.txt", "User-agent: *\nSitemap: https://a.test/s.xml", "not_llms"},
	{"words", "not found", "not_llms"},
}

// describe writes a document on a few lines: title|summary|details, then the links before
// the first section and each section. ~ marks an inline link, ! a bare one, > a label.
func describe(doc *sitemap.LLMs) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s|%s|%s", doc.Title, doc.Summary, doc.Details)
	all := func(links, inline []sitemap.Link) {
		for _, l := range links {
			b.WriteByte(' ')
			if l.Label != "" {
				b.WriteString(l.Label + ">")
			}
			b.WriteString(mark(l) + "(" + l.Note + ")")
			if l.Group != "" {
				b.WriteString("@" + l.Group)
			}
		}
		for _, l := range inline {
			b.WriteString(" ~" + mark(l))
		}
	}
	if len(doc.Links)+len(doc.Inline) > 0 {
		b.WriteString("\n:")
		all(doc.Links, doc.Inline)
	}
	for _, s := range doc.Sections {
		optional := ""
		if s.Optional {
			optional = "?"
		}
		fmt.Fprintf(&b, "\n%d%s %s:", s.Level, optional, s.Title)
		all(s.Links, s.Inline)
	}
	return b.String()
}

func mark(l sitemap.Link) string {
	title := l.Title
	if l.Bare {
		title = "!"
	}
	return title + "=" + strings.TrimPrefix(l.URL, "https://a.test")
}

func TestOwnLLMsCases(t *testing.T) {
	base, err := url.Parse("https://a.test/llms.txt")
	require.NoError(t, err)
	for _, tt := range llmsCases {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := sitemap.ReadLLMs(strings.NewReader(tt.input), &sitemap.LLMsOptions{URL: base})
			if err != nil {
				assert.Equal(t, tt.want, llmsCode(err))
				assert.Nil(t, doc)
				return
			}
			assert.Equal(t, tt.want, describe(doc))
		})
	}
}

func TestLLMsLimits(t *testing.T) {
	long := "# T\n" + strings.Repeat("- [A](https://a.test/a)\n", 20_000)
	doc, err := sitemap.ReadLLMs(strings.NewReader(long), nil)
	require.NoError(t, err)
	assert.Len(t, doc.Links, sitemap.MaxLLMsLinks)

	doc, err = sitemap.ReadLLMs(strings.NewReader(long), &sitemap.LLMsOptions{MaxBytes: 40})
	require.ErrorIs(t, err, sitemap.ErrTooLarge)
	assert.Equal(t, "T||- [A](https://a.test/a)\n: A=/a()", describe(doc), "the cut line is left out")

	_, err = sitemap.ReadLLMs(strings.NewReader("# T"), &sitemap.LLMsOptions{MaxBytes: 2})
	require.ErrorIs(t, err, sitemap.ErrTooLarge)

	broken := errors.New("broken pipe")
	doc, err = sitemap.ReadLLMs(io.MultiReader(strings.NewReader("# T\n- [A](https://a.te"), iotest.ErrReader(broken)), nil)
	require.ErrorIs(t, err, broken)
	assert.Equal(t, "T||", describe(doc))
}

func TestLLMsIsLinear(t *testing.T) {
	for _, unit := range []string{"[", "(", "`", "[a](", "![", "\\[", "<", "- [", "[a]: ", "<!--", "> ", "#", "https://", "``a`", "*", "&amp", "[a](b \"", "```\n"} {
		input := "# T\n- " + strings.Repeat(unit, (1<<20)/len(unit)-10)
		const most = 5 * time.Second
		took := time.Hour // the least of some runs: a busy machine lets one of them wait
		for n := 0; n < 5 && took >= most; n++ {
			began := time.Now()
			_, err := sitemap.ReadLLMs(strings.NewReader(input), nil)
			require.NoError(t, err)
			took = min(took, time.Since(began))
		}
		assert.Less(t, took, most, "%q", unit)
		if took > time.Second {
			t.Logf("%q took %s", unit, took)
		}
	}
}
