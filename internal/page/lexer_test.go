package page_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/politefetch/sdk/internal/page"
	"github.com/politefetch/sdk/internal/page/pydoc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
)

// newlines are all the same to a reader of text, however many: "&#13\r" is two or one.
var newlines = regexp.MustCompile(`(?:[\r\n]|\\[rn])+`)

var zeros = strings.NewReplacer("\x00", "\uFFFD", `\x00`, "\uFFFD")

// plain writes newlines and zeros in one way.
func plain(s string) string {
	return zeros.Replace(newlines.ReplaceAllString(s, "\n"))
}

// reference takes a page apart by golang.org/x/net/html, and writes it down as page.Lex does.
func reference(body []byte) (tokens []string, size int) {
	keys := page.Keys()
	z := html.NewTokenizer(bytes.NewReader(body))
	var text strings.Builder
	for {
		kind := z.Next()
		if kind != html.ErrorToken { // it may be a tag that is left out
			size += len(z.Raw())
		}
		if kind != html.TextToken && text.Len() > 0 {
			tokens = append(tokens, "text "+text.String())
			text.Reset()
		}
		switch kind {
		case html.ErrorToken:
			return tokens, size
		case html.TextToken:
			text.Write(z.Text())
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			if string(name) == "noscript" {
				z.NextIsNotRawText()
			}
			closes := fmt.Sprint(kind == html.SelfClosingTagToken)
			if unquoted.Match(z.Raw()) && bytes.Count(z.Raw(), []byte("=")) > 1 {
				closes = "?"
			}
			s := fmt.Sprintf("start %s %s", known(name), closes)
			values := map[string]string{}
			for more {
				var key, val []byte
				key, val, more = z.TagAttr()
				values[string(key)] = string(val)
			}
			for _, key := range keys {
				if val, ok := values[key]; ok {
					s += fmt.Sprintf(" %s=%q", key, val)
				}
			}
			tokens = append(tokens, s)
		case html.EndTagToken:
			name, _ := z.TagName()
			tokens = append(tokens, "end "+known(name))
		default:
			if len(tokens) == 0 || tokens[len(tokens)-1] != "!" {
				tokens = append(tokens, "!")
			}
		}
	}
}

// unquoted is a tag that may end in a value without quotes. Where an attribute of that name
// came before, the reference takes the value's "/" for the tag's.
var unquoted = regexp.MustCompile(`=\s*([^\s"'>][^\s>]*)?/>$`)

// known drops the names that are longer than any we know.
func known(name []byte) string {
	if len(strings.ReplaceAll(string(name), "\uFFFD", "\x00")) > len("figcaption") {
		return ""
	}
	return string(name)
}

// level takes out of both what may differ.
func level(want, got []string) {
	for i := range min(len(want), len(got)) {
		if want[i] == got[i] {
			continue
		}
		want[i], got[i] = plain(want[i]), plain(got[i])
		if parts := strings.SplitN(want[i], " ", 4); parts[0] == "start" && parts[2] == "?" {
			if actual := strings.SplitN(got[i], " ", 4); len(actual) > 2 {
				parts[2] = actual[2]
				want[i] = strings.Join(parts, " ")
			}
		}
	}
}

// same holds the lexer against the reference, however the page arrives.
func same(tb testing.TB, body []byte) {
	tb.Helper()
	want, size := reference(body)
	for _, r := range []io.Reader{
		bytes.NewReader(body), iotest.OneByteReader(bytes.NewReader(body)), iotest.DataErrReader(bytes.NewReader(body)), iotest.HalfReader(bytes.NewReader(body)),
	} {
		got, n, err := page.Lex(r)
		require.NoError(tb, err)
		level(want, got)
		if !slices.Equal(want, got) {
			require.Equal(tb, want, got, "%q", body)
		}
		if len(body) > 0 && body[len(body)-1] == '>' && size == len(body) {
			require.Equal(tb, size, n, "all of it is in some token: %q", body)
		}
	}
}

var lexerSeeds = []string{
	article, "", "<", "</", "<!", "<?", "<a", "<a b", "<a b=", "<a b='", "<a b=c", "</a", "</a b='>'>c", "</>x</ >y</3>z", "a<b", "a < b <3 <!x><!DOCTYPE html><!doctype",
	"<!-->a<!--->b<!---->c<!--d--!>e<!--f--!-->g<!-- > -> -- >--> h<!--!>i-->", "<!--x", "<!--x-", "<!--x--!", "<?xml version='1.0'?>", "<![CDATA[x]]>",
	"<a href = x name=\"y\" name=z rel='&amp;&copy&copy=&copyx&notin;&not;in&amp' />", "<a/href=/b/><p =id ==class=x><p id=/><p id/><br/ ><img src=x/ >",
	"<p a=1 a=/>", "&lt;&gt;&quot;&#39;&apos;&nbsp;&#160;&ndash;&#8211;&mdash;&#8212;&copy;&#169;&laquo;&raquo;&hellip;&#8230;",
	"<a href='&lt;&gt;&quot;&#39;&apos;&nbsp;&#160;&ndash;&#8211;&mdash;&#8212;&copy;&#169;&laquo;&raquo;&hellip;&#8230;'>",
	"&amp;&#38;&#x26;&lt&ltx&nbsp;&#0;&#128;&#xD800;&CounterClockwiseContourIntegral;&fjlig;&semi;&;&#;&#x;&amp", "a\r\nb\rc\x00d", "a&#13\rb",
	"<title>a<b>&amp;</titl></title >x<textarea>\x00</TEXTAREA><style></style><xmp>&amp;</xmp/><noscript><p></noscript><iframe><p></iframe></iframe>",
	"<script><!-- <script> </script> --> </script>x", "<script>a<!--b</script>c<script><!--<script></script></script>d</script>e",
	"<script><!-- --><script></script>x</script>y", "<script><!--<script>--></script>x</script>y", "<script><!--<script>--->a</script>x",
	"<script><!--<a<</script>", "<script><!-- - -- -> --></script>", "<script>x</scriptx></script", "<script><!--<scripty></script>", "<script/>x</script>", "<plaintext></plaintext>",
	"<svg><title/><style/>x", "<ABBR LANG=x HTTP-EQUIV=y Content=&AMP;>", "<my-long-element-name id=x>", "\x80<\x80p\xc3>\xc3",
}

// FuzzLexer holds the lexer against golang.org/x/net/html's tokenizer.
func FuzzLexer(f *testing.F) {
	for _, seed := range lexerSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) { same(t, body) })
}

// TestLexerOnSoup makes pages of the pieces that matter.
func TestLexerOnSoup(t *testing.T) {
	pieces := strings.Split(`<|>|</|/|!|-|--|<!--|-->|--!>|<?|=|"|'|&|&amp;|&copy|;|#|x| |`+"\n|\r|\x00|é|"+`a|p|<p|<a href|id=|class="x"|<script>|</script>|<script|</SCRIPT|<title>|</title>|<style|</style |<textarea>|</textarea/|<xmp>|</xmp>|<noscript>|<plaintext>|<svg/>|<!DOCTYPE html>`, "|")
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		var b strings.Builder
		for range 1 + r.IntN(14) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		same(t, []byte(b.String()))
	}
}

func TestLexerOnOrdinaryPages(t *testing.T) {
	for name, body := range pydoc.Pages(t) {
		want, size := reference(body)
		got, n, err := page.Lex(bytes.NewReader(body))
		require.NoError(t, err)
		require.Equal(t, size, n, name)
		level(want, got)
		if !slices.Equal(want, got) {
			require.Equal(t, want, got, name)
		}
	}
}

// TestLexerOnTruncatedPages ends a page at every byte.
func TestLexerOnTruncatedPages(t *testing.T) {
	all := strings.Join(lexerSeeds, "")
	for i := range all {
		same(t, []byte(all[max(0, i-200):i]))
	}
	for _, seed := range lexerSeeds {
		for i := range seed {
			same(t, []byte(seed[:i]))
		}
	}
}

// TestLexerReadsNoMoreThanItMust looks at what is asked of a reader that has said its last.
func TestLexerReadsNoMoreThanItMust(t *testing.T) {
	r := &lastWord{data: []byte("<p>x</p>")}
	_, n, err := page.Lex(r)
	require.NoError(t, err)
	assert.Equal(t, len("<p>x</p>"), n)
	assert.Equal(t, 0, r.after, "reads behind the end")
	_, _, err = page.Lex(iotest.ErrReader(io.ErrUnexpectedEOF))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	_, _, err = page.Lex(silent{})
	require.ErrorIs(t, err, io.ErrNoProgress)
}

type lastWord struct {
	data  []byte
	ended bool
	after int
}

func (r *lastWord) Read(p []byte) (int, error) {
	if r.ended {
		r.after++
	}
	n := copy(p, r.data)
	r.data = r.data[n:]
	r.ended = len(r.data) == 0
	if r.ended {
		return n, io.EOF
	}
	return n, nil
}

type silent struct{}

func (silent) Read([]byte) (int, error) { return 0, nil }
