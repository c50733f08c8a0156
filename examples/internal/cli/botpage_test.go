package cli_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/politefetch"
)

func TestPageForm(t *testing.T) {
	for s, begins := range map[string]string{
		"md": "# About Bot\n", "en.md": "# About Bot\n", "fi": "# Bot: näin", "fi.md": "# Bot: näin",
		"html": "<!doctype html>\n<html lang=\"en\">", "en.html": "<!doctype html>\n<html lang=\"en\">", "fi.html": "<!doctype html>\n<html lang=\"fi\">",
	} {
		var f cli.PageForm
		require.NoError(t, f.Set(s), s)
		var out bytes.Buffer
		require.NoError(t, f.Write(&out, &politefetch.BotPage{
			Config: politefetch.Config{Product: "Bot", UserAgent: "Bot/1.0 (+https://bot.example/)"}, Lang: f.Lang,
		}))
		assert.True(t, bytes.HasPrefix(out.Bytes(), []byte(begins)), "%s: %.60s", s, out.String())
	}
	for _, s := range []string{"", "sv", "pdf", "fi.pdf", "md.fi", "fi.", ".md"} {
		var f cli.PageForm
		require.Error(t, f.Set(s), s)
		assert.Zero(t, f)
	}
}

func TestPageFormSaysWhatIsWrong(t *testing.T) {
	f := cli.PageForm{Lang: "en", Form: "md"}
	var out bytes.Buffer
	require.Error(t, f.Write(&out, &politefetch.BotPage{}))
	assert.Empty(t, out.String())
}
