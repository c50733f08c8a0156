package robots_test

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/robots"
)

// A decision is one question of testdata/decisions.txt.
type decision struct {
	file     string
	products []string
	path     string
	allowed  bool
	line     int
	at       string // where it's written
}

// readDecisions reads testdata/decisions.txt, whose head explains it.
func readDecisions(tb testing.TB) map[string][]decision {
	tb.Helper()
	f, err := os.Open("testdata/decisions.txt")
	require.NoError(tb, err)
	defer f.Close()
	cases := make(map[string][]decision)
	name, body := "", ""
	for n, s := 1, bufio.NewScanner(f); s.Scan(); n++ {
		line := s.Text()
		switch {
		case line == "" || line[0] == '#':
		case strings.HasPrefix(line, "== "):
			name, body = line[3:], ""
			require.NotContains(tb, cases, name)
		case strings.HasPrefix(line, "|q "):
			raw, err := strconv.Unquote(line[3:])
			require.NoError(tb, err, "line %d", n)
			body += raw
		case line[0] == '|':
			body += strings.TrimPrefix(line[1:], " ") + "\n"
		default:
			d := decision{file: body, at: "decisions.txt:" + strconv.Itoa(n)}
			words := strings.Fields(line)
			if line[0] == '"' {
				q, err := strconv.QuotedPrefix(line)
				require.NoError(tb, err, "line %d", n)
				agent, err := strconv.Unquote(q)
				require.NoError(tb, err, "line %d", n)
				d.products, words = []string{agent}, append([]string{""}, strings.Fields(line[len(q):])...)
			} else {
				d.products = strings.Split(words[0], ",")
			}
			require.GreaterOrEqual(tb, len(words), 3, "line %d", n)
			d.path, d.allowed = strings.Trim(words[1], `"`), words[2] == "yes"
			if len(words) > 3 {
				d.line, err = strconv.Atoi(words[3])
				require.NoError(tb, err, "line %d", n)
			}
			cases[name] = append(cases[name], d)
		}
	}
	return cases
}

func TestDecisions(t *testing.T) {
	rows := 0
	for name, list := range readDecisions(t) {
		rows += len(list)
		t.Run(name, func(t *testing.T) {
			for _, d := range list {
				v := robots.Parse([]byte(d.file)).Group(d.products...).TestPath(d.path)
				assert.Equal(t, d.allowed, v.Allowed, "%s: %s", d.at, v)
				assert.Equal(t, d.line, v.Line, "%s: %s", d.at, v)
				assert.Equal(t, d.line > 0, v.Reason == robots.ReasonRule, "%s: %s", d.at, v)
			}
		})
	}
	require.GreaterOrEqual(t, rows, 150)
	t.Logf("%d rows", rows)
}
