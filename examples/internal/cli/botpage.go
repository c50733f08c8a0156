package cli

import (
	"errors"
	"io"
	"strings"

	"github.com/politefetch/sdk/politefetch"
)

// BotPage is the usage of a flag -bot-page; [PageForm.Set] reads its value.
const BotPage = "print the bot's public page, made from the values that it runs by, and ask for nothing: `FORM` is md or html, in Finnish fi.md or fi.html"

// A PageForm says in which language and form a bot's public page is printed. The zero
// PageForm: it is not.
type PageForm struct{ Lang, Form string }

// Set reads a form as the command line has it.
func (f *PageForm) Set(s string) error {
	lang, form, both := strings.Cut(s, ".")
	switch {
	case !both && lang == "fi":
		form = "md"
	case !both:
		lang, form = "en", s
	}
	if lang != "en" && lang != "fi" || form != "md" && form != "html" {
		return errors.New("not md, html, fi.md or fi.html")
	}
	f.Lang, f.Form = lang, form
	return nil
}

// Write prints a page in the form.
func (f *PageForm) Write(out io.Writer, page *politefetch.BotPage) error {
	write := page.Markdown
	if f.Form == "html" {
		write = page.HTML
	}
	text, err := write()
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, text)
	return err
}
