package page_test

import (
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHiddenTextIsNotOfThePage(t *testing.T) {
	for _, tt := range []struct{ name, body string }{
		{"hidden", `One <span hidden>17</span> two three`},
		{"in upper case", `One <SPAN HIDDEN="">17</SPAN> two three`},
		{"until found", `One <div hidden=until-found>17</div> two three`},
		{"style", `One <span style="color: red; Display : NONE">17</span> two three`},
		{"important", `One <span style="display:none!important">17</span> two three`},
		{"nested", `One <div hidden>a<div>b</div>c<br>d<img src=x></div> two three`},
		{"of the same name", `One <span hidden>a<span>b</span>c</span> two three`},
		{"a hidden one in it", `One <div hidden>a<p hidden>b</p>c</div> two three`},
		{"void", `One <input hidden><img hidden><br> two three`},
		{"a value", `One <input type=hidden value=17> two three`},
		{"void inside", `One <span hidden><input hidden>17<wbr></span> two three`},
		{"textarea", `One <textarea hidden>17</textarea> two three`},
		{"script inside", `One <div hidden><script>"</div>"</script>a<style>x</style>b</div> two three`},
		{"svg", `One <svg hidden><g hidden/><text>17</text></svg> two three`},
		{"svg, closed at once", `One <svg hidden/> two three`},
		{"own element", `One <my-very-long-element hidden>17<x-y>18</x-y></my-very-long-element> two three`},
		{"p ended by another", `One <p hidden>17<p>two three`},
		{"p ended by a heading", `One <p hidden>17 <b>18<h2>two three</h2>`},
		{"li ended by another", `<ul><li>One<li hidden>17<li>two three</ul>`},
		{"li ended by its list", `<ul><li>One<li hidden>17</ul>two three`},
		{"li with a list", `<ul><li>One<li hidden>17<ul><li>a<li>b</ul>c<li>two three</ul>`},
		{"cell", `<table><tr><td>One<td hidden>17<td>two<tr hidden><td>a<td>b<tr><td>three</table>`},
		{"rows", `<table><tbody hidden><tr><td>17<tbody><tr><td>One two three</table>`},
		{"li with a paragraph", `<ul><li>One<li hidden><p>17<li>two three</ul>`},
		{"definition", `<dl><dt>One<dd hidden>17<dt>two three</dl>`},
		{"option", `<select><option>One<option hidden>17<option>two<optgroup hidden><option>a<optgroup>three</select>`},
		{"stray inline end", `One <div hidden>a</b>b</div> two three`},
		{"stray p end", `One <div hidden>a</p>b</div> two three`},
		{"deep", `One <div hidden>` + strings.Repeat("<div>", 200) + "17" + strings.Repeat("</div>18", 200) + `</div> two three`},
		{"within a word", `O<span hidden>17</span>ne two th<div hidden>18</div>ree`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := scan(t, tt.body)
			assert.Equal(t, len("One two three"), f.Text)
			assert.Equal(t, sha256.Sum256([]byte("One two three")), f.Digest)
		})
	}
}

func TestShownTextIs(t *testing.T) {
	for _, body := range []string{
		`<html hidden style="display:none"><head hidden></head><body hidden style="display:none">One two three`,
		`<div class=hidden data-hidden=1 aria-hidden=true>One two three</div>`,
		`<div style="display:block;color:none">One</div> <p style="x-display:none">two <p style="display">three`,
		`<p hidden>a</div>One two three`, // the end of what is around it
	} {
		assert.Equal(t, sha256.Sum256([]byte("One two three")), scan(t, body).Digest, body)
	}
}

// TestHiddenLinksAreLinks: a menu that opens is hidden until then.
func TestHiddenLinksAreLinks(t *testing.T) {
	f := scan(t, `<ul style="display:none"><li><a href=/a>A</a></ul><h1 hidden>x</h1>`)
	assert.Len(t, f.Links, 1)
	assert.Equal(t, 1, f.H1)
	assert.Zero(t, f.Text)
}
