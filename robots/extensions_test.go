package robots_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/politefetch/sdk/robots"
)

func TestCrawlDelayValues(t *testing.T) {
	none := time.Duration(-1)
	for value, want := range map[string]time.Duration{
		"10": 10 * time.Second, "0": 0, "0.5": 500 * time.Millisecond, ".5": 500 * time.Millisecond,
		"3.": 3 * time.Second, "86400": 24 * time.Hour, "007": 7 * time.Second, "5 # five": 5 * time.Second,
		"99999999999999999999": math.MaxInt64, "9223372036": 9223372036 * time.Second, "9223372037": math.MaxInt64,
		"": none, "-5": none, "+5": none, "ten": none, "nan": none, "inf": none, "[5]": none, "1e3": none,
		"0x10": none, "1_0": none, "5s": none, "1.2.3": none, ".": none, "5 6": none, "5,5": none,
	} {
		d, ok := robots.Parse([]byte("User-agent: *\nCrawl-delay: " + value + "\n")).Group("foobot").CrawlDelay()
		assert.Equal(t, want != none, ok, "%q", value)
		assert.Equal(t, max(want, 0), d, "%q", value)
	}
}

func TestCrawlDelayScope(t *testing.T) {
	const none = -1
	for _, tt := range []struct {
		name, body string
		want       map[string]int
	}{
		{"of a named group", "User-agent: a\nCrawl-delay: 1\nUser-agent: *\nCrawl-delay: 9\n", map[string]int{"a": 1, "b": 9}},
		{"not inherited from *", "User-agent: *\nCrawl-delay: 9\nUser-agent: a\nDisallow: /x\n", map[string]int{"a": none, "b": 9}},
		{"delay-only groups keep their own", "User-agent: a\nCrawl-delay: 1\nUser-agent: b\nCrawl-delay: 2\nUser-agent: c\nDisallow: /\n", map[string]int{"a": 1, "b": 2, "c": none}},
		{"the longest of several", "User-agent: a\nCrawl-delay: 7\nCrawl-delay: 2\nDisallow: /\nCrawl-delay: 8\nUser-agent: a\nCrawl-delay: 3\n", map[string]int{"a": 8}},
		{"orphans are a default", "Crawl-delay: 4\nUser-agent: a\nCrawl-delay: 1\nUser-agent: b\nDisallow: /\n", map[string]int{"a": 1, "b": 4, "c": 4}},
		{"a bad one of one's own leaves the default", "Crawl-delay: 4\nUser-agent: a\nCrawl-delay: x\n", map[string]int{"a": 4}},
		{"for two agents", "User-agent: a\nUser-agent: b\nCrawl-delay: 3\n", map[string]int{"a": 3, "b": 3}},
		{"other spellings", "User-agent: a\nCrawldelay: 3\nUser-agent: b\ncrawl delay: 4\nUser-agent: c\nCRAWL-DELAY 5\n", map[string]int{"a": 3, "b": 4, "c": 5}},
		{"does not end a group", "User-agent: a\nCrawl-delay: 3\nUser-agent: b\nDisallow: /\n", map[string]int{"a": 3, "b": none}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := robots.Parse([]byte(tt.body))
			for agent, want := range tt.want {
				d, ok := f.Group(agent).CrawlDelay()
				assert.Equal(t, want != none, ok, agent)
				assert.Equal(t, time.Duration(max(want, 0))*time.Second, d, agent)
			}
		})
	}
}

func TestDelayEndsGroupMode(t *testing.T) {
	body := []byte("User-agent: a\nCrawl-delay: 3\nUser-agent: b\nDisallow: /\n")
	assert.False(t, robots.Parse(body).Group("a").TestPath("/").Allowed)
	assert.True(t, robots.ParseMode(body, robots.DelayEndsGroup).Group("a").TestPath("/").Allowed)
}

func TestRequestRates(t *testing.T) {
	body := "User-agent: a\nRequest-rate: 1/10s 1820-1940\nRequest-rate: 100/15m\nRequest-rate: 1/2h\nRequest-rate: 9/1D\nRequest-rate: 3/7\n" +
		"Request-rate: 0/5\nRequest-rate: 5/0\nRequest-rate: -1/5\nRequest-rate: 1\nRequest-rate: 1/\nRequest-rate: 1/s\nRequest-rate: 1/5 2500-2600\nRequest-rate: 1/99999\nRequest-rate: 9999999999/1\n" +
		"User-agent: b\nDisallow:\n"
	f := robots.Parse([]byte(body))
	assert.Equal(t, []robots.RequestRate{
		{1, 10 * time.Second, robots.Window{18*time.Hour + 20*time.Minute, 19*time.Hour + 40*time.Minute}, 2},
		{100, 15 * time.Minute, robots.Window{}, 3},
		{1, 2 * time.Hour, robots.Window{}, 4},
		{9, 24 * time.Hour, robots.Window{}, 5},
		{3, 7 * time.Second, robots.Window{}, 6},
	}, f.Group("a").RequestRates())
	assert.Empty(t, f.Group("b").RequestRates())
}

func TestVisitTimes(t *testing.T) {
	body := "Visit-time: 0000-2400\nUser-agent: a\nVisit-time: 0600-0845\nVisit-time: 2300 0159\nVisit-time: 600-845\nVisit-time: 0660-0700\nVisit-time: 2500-2600\nVisit-time: 0600\nDisallow:\nUser-agent: b\nDisallow:\n"
	f := robots.Parse([]byte(body))
	assert.Equal(t, []robots.Window{
		{6 * time.Hour, 8*time.Hour + 45*time.Minute},
		{23 * time.Hour, time.Hour + 59*time.Minute},
	}, f.Group("a").VisitTimes())
	assert.Equal(t, []robots.Window{{0, 24 * time.Hour}}, f.Group("b").VisitTimes())
}

func TestContentSignals(t *testing.T) {
	body := "Content-Signal: search=yes\nUser-agent: a\nContent-Signal: AI-Train=no, search = yes ,x,=y,z=\nContent-Signal: ai-train=yes,use=reference\nDisallow:\nUser-agent: b\nDisallow:\n"
	f := robots.Parse([]byte(body))
	assert.Equal(t, map[string]string{"ai-train": "no", "search": "yes", "use": "reference"}, f.Group("a").ContentSignals())
	assert.Equal(t, map[string]string{"search": "yes"}, f.Group("b").ContentSignals())
	assert.Nil(t, robots.Parse(nil).Group("a").ContentSignals())
}

func TestContentUsage(t *testing.T) {
	body := "User-agent: *\nDisallow: /never/\nContent-Usage: train-ai=n, search=y\nContent-Usage: /ok/ train-ai=y;p=1\nContent-Usage: /ok/*.html$ train-ai=n\n" +
		"Content-Usage: /both train-ai=y\nContent-Usage: /both train-ai=n\nContent-Usage: /both train-ai=y\nContent-Usage: /bad train-ai=y,,\nContent-Usage: /no-members\nContent-Usage: /odd a, b=?1, c=maybe, d=y, d=1\n"
	g := robots.Parse([]byte(body)).Group("foobot")
	for path, want := range map[string]map[string]bool{
		"/":           {"train-ai": false, "search": true},
		"/ok/x":       {"train-ai": true},
		"/ok/x.html":  {"train-ai": false},
		"/ok/x.html?": {"train-ai": true},
		"/both":       {"train-ai": false},
		"/bad":        {"train-ai": false, "search": true},
		"/no-members": {"train-ai": false, "search": true},
		"/odd":        {},
		"/never/x":    nil,
	} {
		assert.Equal(t, want, g.ContentUsage(path), path)
	}
	assert.Nil(t, robots.Parse(nil).Group("foobot").ContentUsage("/"))
}
