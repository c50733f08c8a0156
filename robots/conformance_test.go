package robots_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/internal/conformance"
	"github.com/politefetch/sdk/robots"
)

// A vector is one row of the conformance data. README.md there explains the fields.
type vector struct {
	Name      string
	Robots    *string
	RobotsB64 string `json:"robots_b64"`
	File      string `json:"robots_file"`
	Parts     []struct {
		Text   string
		Repeat int
	} `json:"robots_parts"`
	Agent   string
	Agents  []string
	Union   bool
	URL     string
	Allowed bool
	Line    *int
	Delay   json.RawMessage `json:"crawl_delay_s"`
	Maps    []string        `json:"sitemaps"`

	Profile      string
	LineProfile  string `json:"line_profile"`
	MapsProfile  string `json:"sitemaps_profile"`
	DelayProfile string `json:"crawl_delay_profile"`
}

func (v *vector) body(t *testing.T) []byte {
	t.Helper()
	switch {
	case v.File != "":
		return conformance.Read(t, "robots/"+v.File)
	case v.RobotsB64 != "":
		b, err := base64.StdEncoding.DecodeString(v.RobotsB64)
		require.NoError(t, err)
		return b
	case v.Parts != nil:
		var b strings.Builder
		for _, p := range v.Parts {
			b.WriteString(strings.Repeat(p.Text, max(p.Repeat, 1)))
		}
		return []byte(b.String())
	}
	require.NotNil(t, v.Robots)
	return []byte(*v.Robots)
}

// products is the chain that a row asks for.
func (v *vector) products() []string {
	if len(v.Agents) > 0 {
		return v.Agents
	}
	if v.Agent == "" {
		return nil
	}
	return []string{v.Agent}
}

// mode is the mode that a row is to be read in, or false if the row states what another
// implementation answers and this package does not.
func (v *vector) mode() (m robots.Mode, ours bool) {
	if v.Union {
		m |= robots.Union
	}
	switch v.Profile {
	case "", "limit-500KiB":
		return m, true
	case "google":
		return m | robots.Google, true
	}
	return m, false
}

func TestConformance(t *testing.T) {
	for _, name := range []string{
		"benjaminestes", "crawl-delay", "crawler-commons", "google", "google-docs", "groups", "limits",
		"normalisation", "protego", "python-robotparser", "real-world", "rep-cpp", "rfc9309", "samclarke",
		"temoto", "texting_robots",
	} {
		t.Run(name, func(t *testing.T) {
			var rows []vector
			conformance.ReadJSON(t, "robots/"+name+".json", &rows)
			passed, others := 0, map[string]int{}
			for _, row := range rows {
				m, ours := row.mode()
				if !ours {
					others[row.Profile]++
					continue
				}
				ok := t.Run(row.Name, func(t *testing.T) { testVector(t, &row, m) })
				if ok {
					passed++
				}
			}
			t.Logf("%s: %d rows, %d pass, of others' answers left out %v", name, len(rows), passed, others)
		})
	}
}

func testVector(t *testing.T, row *vector, m robots.Mode) {
	t.Helper()
	body := row.body(t)
	f := robots.ParseMode(body, m)
	g := f.Group(row.products()...)
	address := row.URL
	if row.File != "" { // C++ was asked about the normal form
		address = robots.Normal(address)
	}
	v := g.TestPath(address)
	assert.Equal(t, row.Allowed, v.Allowed, "%s %q", v, row.URL)
	if row.Line != nil && row.LineProfile == "" {
		assert.Equal(t, *row.Line, v.Line, "%s", v)
	}
	if v.Rule != "" && row.RobotsB64 == "" {
		assert.Contains(t, string(body), v.Rule)
	}
	if row.Delay != nil && row.DelayProfile == "" {
		var want *float64
		require.NoError(t, json.Unmarshal(row.Delay, &want))
		d, ok := g.CrawlDelay()
		if assert.Equal(t, want != nil, ok) && ok {
			assert.Equal(t, time.Duration(*want*float64(time.Second)), d)
		}
	}
	if row.Maps != nil && row.MapsProfile == "" {
		assert.Equal(t, row.Maps, append([]string{}, f.Sitemaps()...))
	}
}

// TestStatusConformance covers the rows of status.json that are about an answer and not
// about redirects, copies or contexts: those are the fetching side's.
func TestStatusConformance(t *testing.T) {
	var rows []struct {
		Name  string
		Fetch struct {
			Status    int
			Body      string
			Error     string
			Redirects any
			Location  any
			Blocked   string
		}
		Cached bool `json:"have_cached"`
		Choice string
	}
	conformance.ReadJSON(t, "robots/status.json", &rows)
	tested := 0
	for _, row := range rows {
		if row.Fetch.Blocked != "" || row.Cached || row.Choice == "error" || row.Fetch.Status == 0 && row.Fetch.Error == "" ||
			row.Name == "redirect-without-location" {
			continue
		}
		tested++
		t.Run(row.Name, func(t *testing.T) {
			status := row.Fetch.Status
			if row.Fetch.Error != "" {
				status = 0 // as FromStatus's documentation has it
			}
			body := ""
			switch row.Fetch.Body {
			case "rules":
				body = "User-agent: *\nDisallow: /x\n"
			case "html":
				body = "<!DOCTYPE html><html><body>Not here</body></html>"
			}
			f := robots.FromStatus(status, []byte(body))
			v := f.Group("a").TestPath("/x")
			switch row.Choice {
			case "parse":
				assert.Equal(t, row.Fetch.Body == "rules", v.Reason == robots.ReasonRule)
				assert.False(t, f.Unreachable())
			case "allow_all":
				assert.True(t, v.Allowed)
				assert.False(t, f.Unreachable())
			case "disallow_all":
				assert.Equal(t, robots.Verdict{Reason: robots.ReasonUnreachable}, v)
				assert.True(t, f.Unreachable())
			default:
				t.Fatalf("unknown choice %q", row.Choice)
			}
		})
	}
	t.Logf("%d rows, %d of them about an answer alone", len(rows), tested)
}

func TestExtensionConformance(t *testing.T) {
	var rows []map[string]json.RawMessage
	conformance.ReadJSON(t, "robots/extensions.json", &rows)
	for _, row := range rows {
		var name, body, agent, url string
		for key, to := range map[string]*string{"name": &name, "robots": &body, "agent": &agent, "url": &url} {
			if row[key] != nil {
				require.NoError(t, json.Unmarshal(row[key], to))
			}
		}
		t.Run(name, func(t *testing.T) {
			if name == "test_generosity/12" {
				t.Skip("protego's answer: a line of four words without a colon is no record (section Missing colon of DISAGREEMENTS.md)")
			}
			f := robots.Parse([]byte(body))
			g := f.Group(agent)
			for key, want := range row {
				if got, ok := extension(f, g, key, url); ok {
					b, err := json.Marshal(got)
					require.NoError(t, err)
					assert.JSONEq(t, string(want), string(b), key)
				}
			}
		})
	}
}

// extension puts one expected field of extensions.json together; ok is false for fields
// that aren't expectations.
func extension(f *robots.File, g *robots.Group, key, url string) (got any, ok bool) {
	switch key {
	case "name", "robots", "agent", "url", "source", "note":
		return nil, false
	case "allowed":
		return g.TestPath(url).Allowed, true
	case "request_rate":
		if rates := g.RequestRates(); len(rates) > 0 {
			return rateRow(rates[0]), true
		}
		return nil, true
	case "request_rates":
		var rows []any
		for _, r := range g.RequestRates() {
			rows = append(rows, rateRow(r))
		}
		return rows, true
	case "visit_time":
		if w := g.VisitTimes(); len(w) > 0 {
			return windowRow(map[string]any{}, w[0]), true
		}
		return nil, true
	case "content_signal":
		if s := g.ContentSignals(); s != nil {
			return s, true
		}
		return map[string]string{}, true
	case "content_usage":
		usage := g.ContentUsage(url)
		if usage == nil {
			return nil, true
		}
		row := map[string]string{}
		for k, yes := range usage {
			row[k] = map[bool]string{true: "y", false: "n"}[yes]
		}
		return row, true
	}
	var values []string
	wanted := map[string]string{"licenses": "license", "host": "host", "noindex": "noindex", "clean_params": "clean-param"}[key]
	for r := range f.Records() {
		if r.Key == wanted {
			values = append(values, r.Value)
		}
	}
	switch {
	case wanted == "host" && len(values) > 0:
		return values[0], true
	case wanted == "clean-param":
		var rows []any
		for _, v := range values {
			params, path, _ := strings.Cut(v, " ")
			rows = append(rows, map[string]any{"params": strings.Split(params, "&"), "path": path})
		}
		return rows, true
	}
	return values, wanted != ""
}

func rateRow(r robots.RequestRate) map[string]any {
	row := map[string]any{"requests": r.Requests, "seconds": r.Per.Seconds()}
	if r.Window == (robots.Window{}) {
		return row
	}
	return windowRow(row, r.Window)
}

func windowRow(row map[string]any, w robots.Window) map[string]any {
	clock := func(d time.Duration) string { return time.Time{}.Add(d).Format("15:04") }
	row["from_utc"], row["to_utc"] = clock(w.From), clock(w.To)
	return row
}
