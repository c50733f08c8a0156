package politefetch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/internal/conformance"
	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
	"github.com/politefetch/sdk/robots"
)

// outcomeRow is one thing that may come of asking for robots.txt.
type outcomeRow struct {
	Name  string
	Fetch struct {
		Status     int
		Error      string
		Body       string
		Redirects  any
		Blocked    string
		Size       string `json:"size_decoded"`
		RetryAfter int    `json:"retry_after"`
	}
	HaveCached  bool `json:"have_cached"`
	Unreachable int  `json:"unreachable_for_s"`
	Choice      string
}

// own rows, so that a clone without the conformance data tests the table too.
const ownOutcomes = `[
	{"name":"parsed","fetch":{"status":200,"body":"rules"},"choice":"parse"},
	{"name":"no content","fetch":{"status":204},"choice":"allow_all"},
	{"name":"gone","fetch":{"status":410},"choice":"allow_all"},
	{"name":"refused","fetch":{"status":403},"choice":"allow_all"},
	{"name":"limited","fetch":{"status":429},"choice":"disallow_all"},
	{"name":"server error","fetch":{"status":500},"choice":"disallow_all"},
	{"name":"unasked 304","fetch":{"status":304},"choice":"disallow_all"},
	{"name":"no answer","fetch":{"error":"reset"},"choice":"disallow_all"},
	{"name":"cut","fetch":{"status":200,"error":"unexpected EOF"},"choice":"disallow_all"},
	{"name":"five redirects","fetch":{"redirects":5,"status":200,"body":"rules"},"choice":"parse"},
	{"name":"six redirects","fetch":{"redirects":6},"choice":"allow_all"},
	{"name":"moved and broken","fetch":{"redirects":2,"status":500},"choice":"disallow_all"},
	{"name":"moved inside","fetch":{"redirects":1,"blocked":"ssrf"},"choice":"disallow_all"},
	{"name":"broken, copy of yesterday","fetch":{"status":500},"have_cached":true,"unreachable_for_s":86400,"choice":"keep_cached"},
	{"name":"broken, copy of last month","fetch":{"status":500},"have_cached":true,"unreachable_for_s":2595600,"choice":"disallow_all"},
	{"name":"interrupted","fetch":{"error":"context canceled"},"choice":"error"}
]`

const rulesBody = "User-agent: *\nDisallow: /no\n"

// script makes a site answer for robots.txt as the row says.
func (row outcomeRow) script(site *fetchtest.Site) {
	answer := fetchtest.Status(row.Fetch.Status)
	switch {
	case row.Fetch.Size != "":
		answer = fetchtest.Text(rulesBody)
		answer.Endless = true
	case row.Fetch.Error == "unexpected EOF":
		answer = fetchtest.Text(rulesBody).With("Content-Encoding", "gzip").Gzip()
		answer.Body = answer.Body[:len(answer.Body)-10]
	case row.Fetch.Error == "context canceled", row.Fetch.Error == "timeout":
		answer = fetchtest.Hang()
	case row.Fetch.Error != "":
		answer = fetchtest.Fail(errors.New(row.Fetch.Error))
	case row.Fetch.Body == "rules":
		answer = fetchtest.Text(rulesBody)
	case row.Fetch.Body == "html":
		answer = fetchtest.HTML("<!doctype html><title>Home</title><p>Welcome")
	case row.Fetch.RetryAfter > 0:
		answer = answer.RetryAfter(time.Duration(row.Fetch.RetryAfter) * time.Second)
	case row.Fetch.Blocked != "":
		answer = fetchtest.Redirect("http://169.254.169.254/robots.txt")
	}
	hops := 0
	switch r := row.Fetch.Redirects.(type) {
	case float64:
		hops = int(r)
	case string:
		answer = fetchtest.Redirect("/robots.txt")
	}
	if row.Fetch.Blocked != "" {
		hops = 0
	}
	for i := range hops {
		at := "/robots.txt"
		if i > 0 {
			at = fmt.Sprintf("/hop%d", i)
		}
		site.Set(at, fetchtest.Redirect(fmt.Sprintf("/hop%d", i+1)))
	}
	if hops > 0 {
		site.Set(fmt.Sprintf("/hop%d", hops), answer)
		return
	}
	site.Set("/robots.txt", answer)
}

func TestRobotsOutcomes(t *testing.T) {
	var own, rows []outcomeRow
	require.NoError(t, json.Unmarshal([]byte(ownOutcomes), &own))
	for _, row := range own {
		t.Run("own/"+row.Name, row.test)
	}
	conformance.ReadJSON(t, "robots/status.json", &rows)
	for _, row := range rows {
		t.Run(row.Name, row.test)
	}
}

func (row outcomeRow) test(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/yes", fetchtest.HTML("x"))
		site.Set("/no", fetchtest.HTML("x"))
		bot := newBot(t, politeConfig(&site))
		if row.HaveCached {
			site.Set("/robots.txt", fetchtest.Text(rulesBody).With("Cache-Control", "max-age=60"))
			_, err := bot.Robots(t.Context(), site1)
			require.NoError(t, err)
			time.Sleep(time.Duration(max(row.Unreachable, 61)) * time.Second)
		}
		row.script(&site)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if row.Choice == "error" {
			time.AfterFunc(time.Second, cancel)
		}
		_, yes := bot.Fetch(ctx, site1+"/yes", nil)
		if row.Choice == "error" {
			require.ErrorIs(t, yes, context.Canceled)
			site.Set("/robots.txt", fetchtest.Text(rulesBody))
			_, err := bot.Fetch(t.Context(), site1+"/yes", nil)
			require.NoError(t, err, "nothing was kept of it")
			return
		}
		if row.Fetch.RetryAfter > 0 || row.Fetch.Status == 429 {
			time.Sleep(time.Duration(row.Fetch.RetryAfter+10) * time.Second) // the host is held: let it open
			_, yes = bot.Fetch(ctx, site1+"/yes", nil)
		}
		_, no := bot.Fetch(ctx, site1+"/no", nil)
		switch allowed := [2]bool{yes == nil, no == nil}; row.Choice {
		case "parse", "keep_cached":
			want := [2]bool{true, false}
			if row.Fetch.Body == "html" {
				want[1] = true
			}
			assert.Equal(t, want, allowed, "%v %v", yes, no)
		case "allow_all":
			assert.Equal(t, [2]bool{true, true}, allowed, "%v %v", yes, no)
		case "disallow_all":
			assert.Equal(t, [2]bool{false, false}, allowed)
			var e *politefetch.Error
			require.ErrorAs(t, yes, &e)
			assert.Equal(t, robots.ReasonUnreachable, e.Robots.Reason)
		default:
			assert.Fail(t, "unknown choice", row.Choice)
		}
	})
}

func TestRobotsCopiesOutliveTheProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		store := newMapStore()
		config := func() politefetch.Config {
			cfg := politeConfig(&site)
			cfg.Store = store
			return cfg
		}
		site.Set("/a", fetchtest.HTML("x"))
		site.Set("/robots.txt", fetchtest.Text(rulesBody).With("ETag", `"7"`))
		_, err := newBot(t, config()).Fetch(t.Context(), site1+"/a", nil)
		require.NoError(t, err)

		_, err = newBot(t, config()).Fetch(t.Context(), site1+"/no", nil)
		require.Error(t, err)
		assert.Equal(t, 1, site.Count("/robots.txt"), "another process goes by the copy in the store")

		time.Sleep(25 * time.Hour)
		site.Set("/robots.txt", fetchtest.Status(304))
		_, err = newBot(t, config()).Fetch(t.Context(), site1+"/no", nil)
		require.Error(t, err)
		log := site.Log()
		assert.Equal(t, `"7"`, log[len(log)-1].Header.Get("If-None-Match"), "and asks whether it is still good")

		site.Set("/robots.txt", fetchtest.Status(500))
		time.Sleep(29 * 24 * time.Hour)
		bot := newBot(t, config())
		_, err = bot.Fetch(t.Context(), site1+"/a", nil)
		require.NoError(t, err, "the copy stands in while the file can't be had")
		got := visit(t, bot, site1+"/a", politefetch.VisitOptions{})
		assert.Equal(t, politefetch.NoRobots, got.report.Outcome, "but not for a visit")
		time.Sleep(26 * time.Hour)
		_, err = newBot(t, config()).Fetch(t.Context(), site1+"/a", nil)
		require.Error(t, err, "nor for longer than 30 days")
	})
}

func TestRobotsFailuresAreAskedAboutMoreAndMoreSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/robots.txt", fetchtest.Status(500))
		bot := newBot(t, politeConfig(&site))
		for range 60 * 60 {
			_, err := bot.Robots(t.Context(), site1)
			require.Error(t, err)
			time.Sleep(time.Second)
		}
		var gaps []time.Duration
		log := site.Log()
		for i := range log[1:] {
			gaps = append(gaps, log[i+1].Began.Sub(log[i].Began).Round(time.Minute))
		}
		m := time.Minute
		assert.Equal(t, []time.Duration{m, 2 * m, 4 * m, 8 * m, 10 * m, 10 * m, 10 * m, 10 * m}, gaps)
	})
}

func TestRobotsBindsOneSchemeHostAndPort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("https://kauppa.example/robots.txt", fetchtest.Text(rulesBody))
		site.Set("/no", fetchtest.HTML("x"))
		bot := newBot(t, politeConfig(&site))
		_, err := bot.Fetch(t.Context(), "https://KAUPPA.example:443/no", nil)
		require.Error(t, err)
		_, err = bot.Fetch(t.Context(), "http://kauppa.example/no", nil)
		require.NoError(t, err)
		assert.Equal(t, 1, site.Count("http://kauppa.example/robots.txt"))

		group, err := bot.Robots(t.Context(), "https://kauppa.example/")
		require.NoError(t, err)
		u, err := url.Parse("http://kauppa.example/no")
		require.NoError(t, err)
		assert.Equal(t, robots.Verdict{Reason: robots.ReasonOtherAuthority}, group.Test(u), "no silent answer for another")
	})
}

func TestRobotsMemoryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var site fetchtest.Site
		site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /no\n"+strings.Repeat("#"+strings.Repeat("x", 9_999)+"\n", 45)))
		bot := newBot(t, politeConfig(&site))
		const hosts = 40 // of about 3 MB each, by the estimate
		for i := range hosts {
			_, err := bot.Robots(t.Context(), fmt.Sprintf("https://h%d.example/", i))
			require.NoError(t, err)
		}
		_, err := bot.Robots(t.Context(), fmt.Sprintf("https://h%d.example/", hosts-1))
		require.NoError(t, err)
		assert.Equal(t, hosts, site.Count("/robots.txt"), "the latest is kept")
		_, err = bot.Robots(t.Context(), "https://h0.example/")
		require.NoError(t, err)
		assert.Equal(t, hosts+1, site.Count("/robots.txt"), "the least recently used was let go")
	})
}
