package cli_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/politefetch"
)

func TestHelpIsWrapped(t *testing.T) {
	fs := flag.NewFlagSet("x", flag.ContinueOnError)
	fs.Bool("bare", false, "short")
	fs.String("long", "", "a `VALUE` "+strings.Repeat("and some more of it ", 20))
	var out bytes.Buffer
	cli.Help(&out, fs, "head\n", "tail\n")
	assert.True(t, strings.HasPrefix(out.String(), "head\n  -bare\n        short\n  -long VALUE\n        a VALUE and some"), out.String())
	assert.True(t, strings.HasSuffix(out.String(), "more of it\ntail\n"), out.String())
	for line := range strings.Lines(out.String()) {
		assert.LessOrEqual(t, len(line), cli.Width+1)
	}
}

func TestWebAddress(t *testing.T) {
	for s, want := range map[string]string{
		"":                             "the address is empty",
		"site.example":                 "do you mean https://site.example ?",
		"ftp://site.example/":          "neither http:// nor https://",
		"https://[::1/":                "is not a web address",
		"https:///x":                   "names no host",
		"https://user:secret@x.test/":  "no credentials are ever sent",
		"https://us%er:secret@x.test/": "is not a web address",
		"user:secret@x.test/":          `"…@x.test/" is not a web address: it begins with neither`,
		"127.0.0.1:8080/x":             "do you mean https://127.0.0.1:8080/x ?",
		"//site.example/x":             "do you mean https://site.example/x ?",
		"mailto:a@x.test":              "neither http:// nor https://",
		"javascript:alert(1)":          "neither http:// nor https://",
	} {
		_, err := cli.WebAddress(s)
		require.ErrorContains(t, err, want)
		assert.NotContains(t, err.Error(), "secret")
	}
	u, err := cli.WebAddress("https://site.example/x")
	require.NoError(t, err)
	assert.Equal(t, "/x", u.Path)
}

func TestTimesAreNeverTooEarly(t *testing.T) {
	at := time.Date(2026, 1, 2, 14, 54, 0, 400_000_000, time.UTC)
	assert.Equal(t, "14:54:01", cli.RoundUp(at, time.Second, time.TimeOnly))
	assert.Equal(t, "14:55", cli.RoundUp(at, time.Minute, "15:04"))
	whole := at.Truncate(time.Second)
	assert.Equal(t, "14:54:00", cli.RoundUp(whole, time.Second, time.TimeOnly))
}

func TestGuardHints(t *testing.T) {
	allowed := []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:19000")}
	for address, want := range map[string]string{
		"http://127.0.0.1:8080/":           "let it through with -allow-addr 127.0.0.1:8080.",
		"https://[::1]/":                   "let it through with -allow-addr [::1]:443.",
		"http://localhost:19000/a?b":       "use http://127.0.0.1:19000/a?b",
		"http://localhost:8080/a?b":        "-allow-addr 127.0.0.1:8080 http://127.0.0.1:8080/a?b",
		"http://printer/":                  "-allow-addr IP:80 http://IP:80/",
		"http://intranet.site.example:81/": "-allow-addr IP:81.",
	} {
		err := &politefetch.Error{URL: address, Outcome: politefetch.Barred, Err: fmt.Errorf("%w: for a reason", politefetch.ErrGuard)}
		assert.Contains(t, cli.GuardHint(fmt.Errorf("wrapped: %w", err), allowed), want, address)
	}
	assert.Empty(t, cli.GuardHint(&politefetch.Error{URL: "http://10.0.0.1/", Outcome: politefetch.Barred, Err: errors.New("guard: said by another")}, nil))
	assert.Contains(t, cli.GuardHint(&politefetch.Error{Outcome: politefetch.NoRobots, Err: politefetch.ErrGuard}, nil), "-allow-addr IP:PORT")
}
