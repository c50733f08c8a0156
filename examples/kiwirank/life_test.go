package main

import (
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
)

// TestALife lives through set-up, limits, the provider's route and walls with one folder,
// each run a process of its own. Time begins on Saturday 1 January 2000.
func TestALife(t *testing.T) {
	w := newWorld(t)
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		at := func(d time.Duration) { time.Sleep(time.Until(began.Add(d))) }
		const hour, day = time.Hour, 24 * time.Hour

		code, _, errOut := w.run(t, "recheck", start)
		assert.Equal(t, exitNotDone, code)
		assert.Contains(t, errOut, "is not set up: kiwirank visit -state "+w.dir+" "+start)
		code, out, _ := w.run(t, "due", start)
		assert.Equal(t, exitDone, code)
		assert.Equal(t, start+"\tset-up\tever\n", out)
		assert.Contains(t, w.status(t), "next now, set-up: it was never visited recheck now: it was not pressed yet")

		assert.Contains(t, w.visit(t, exitDone), "set-up visit: done")
		assert.Contains(t, w.status(t), "way as usual: at most 2 requests at a time next Sat 8 Jan 00:00, weekly: 7 days after the visit of 1 Jan 00:00")
		sent := len(w.direct.Log())
		code, _, errOut = w.run(t, "visit", start)
		assert.Equal(t, exitNotDone, code)
		assert.Contains(t, errOut, "no visit before Sat 8 Jan 00:00: 7 days after the visit of 1 Jan 00:00")
		code, out, errOut = w.run(t, "due")
		assert.Equal(t, exitNotDone, code)
		assert.Empty(t, out)
		assert.Contains(t, errOut, "nothing is due; next is "+start+", at Sat 8 Jan 00:00")
		assert.Len(t, w.direct.Log(), sent)

		at(7*day + 9*hour + 12*time.Minute)
		_, out, _ = w.run(t, "due")
		assert.Equal(t, start+"\tweekly\t2000-01-08T00:00:00Z\n", out)
		w.direct.Set("/a", busy(20), fetchtest.HTML("a"))
		assert.Contains(t, w.visit(t, exitDone), "limited GET /a answered 429 with Retry-After 20 on 8 Jan 09:12")
		assert.Contains(t, w.status(t), "gentle until 22 Jan 09:13 because GET /a answered 429 with Retry-After 20 on 8 Jan 09:12: one request at a time, 2 s apart; limited again, it is read through the provider "+
			"next Sat 8 Jan 13:13, extra: extra visit 1 of 2 this week, 4 hours after the end of one that the site limited")

		at(7*day + 14*hour)
		w.direct.Set("/b", busy(60), fetchtest.HTML("b"))
		out = w.visit(t, exitDone)
		assert.Contains(t, out, "extra visit: done")
		assert.Contains(t, out, "8 requests, gently, at most 1 at a time")
		assert.Empty(t, w.relay.Log())
		assert.Contains(t, w.status(t), "way through the provider until 22 Jan 14:01 because GET /b answered 429 with Retry-After 60 on 8 Jan 14:00, when it was asked gently already; at most 2 requests at a time next Sat 8 Jan 18:02, extra: extra visit 2 of 2")

		at(7*day + 19*hour)
		sent = len(w.direct.Log())
		assert.Contains(t, w.visit(t, exitDone), "7 requests through the provider, at most 2 at a time")
		assert.Len(t, w.direct.Log(), sent)
		assert.Contains(t, w.status(t), "next Sat 15 Jan 09:12, weekly")

		at(8 * day)
		w.far.Set("/b", demoWall())
		code, out, _ = w.run(t, "recheck", start)
		assert.Equal(t, exitNotDone, code)
		assert.Contains(t, out, "recheck: walled")
		assert.Contains(t, flat(out), "recheck Sun 9 Jan 06:01: 6 hours after the end of the last one, which was walled")
		at(8*day + 5*hour)
		code, _, errOut = w.run(t, "recheck", start)
		assert.Equal(t, exitNotDone, code)
		assert.Contains(t, errOut, start+": no recheck before Sun 9 Jan 06:01")
		w.far.Set("/b", fetchtest.HTML("b"))
		at(8*day + 7*hour)
		code, out, _ = w.run(t, "recheck", start)
		assert.Equal(t, exitDone, code, out)
		assert.Contains(t, flat(out), "recheck Sun 9 Jan 13:00: 6 hours after the last one was asked for")

		at(22 * day) // two weeks after the last limit of its own servers
		w.direct.Set("/c", fetchtest.Challenge())
		assert.Contains(t, w.visit(t, exitNotDone), "weekly visit: walled")
		assert.Contains(t, w.status(t), "the bot wall of 23 Jan 00:00 at /c, cloudflare challenge (cf-mitigated), keeps it off the provider's route until a whole visit has ended without one")
		w.direct.Set("/c", fetchtest.HTML("c"))
		at(29 * day)
		w.visit(t, exitDone)
		assert.NotContains(t, w.status(t), "bot wall")
		w.audit(t)
	})
}

func TestWithoutAKeyThereIsNoRoute(t *testing.T) {
	w := newWorld(t)
	w.key = ""
	synctest.Test(t, func(t *testing.T) {
		w.direct.Set("/a", busy(1), fetchtest.HTML("a"))
		_, _, errOut := w.run(t, "visit", start)
		assert.Contains(t, errOut, "SCRAPINGBEE_API_KEY is not set")
		assert.Contains(t, w.status(t), "limited again, it is read through the provider, but the provider's route is not configured")
		time.Sleep(5 * time.Hour)
		w.direct.Set("/a", busy(1), fetchtest.HTML("a"))
		w.visit(t, exitDone)
		assert.Contains(t, w.status(t), "one request at a time, 2 s apart; it would be read through the provider, but")
		time.Sleep(5 * time.Hour)
		assert.Contains(t, w.visit(t, exitDone), "gently")
		assert.Empty(t, w.relay.Log())
		w.audit(t)
	})
}

// A wall that was met while there was no route bars it when there is one.
func TestAWallIsRememberedFromWithoutAKey(t *testing.T) {
	w := newWorld(t)
	synctest.Test(t, func(t *testing.T) {
		key := w.key
		w.key = ""
		w.direct.Set("/a", busy(1), fetchtest.HTML("a"))
		w.visit(t, exitDone)
		time.Sleep(5 * time.Hour)
		w.direct.Set("/a", busy(1), fetchtest.HTML("a"))
		w.direct.Set("/c", fetchtest.Challenge())
		w.visit(t, exitNotDone)
		w.key = key
		w.direct.Set("/c", fetchtest.HTML("c"))
		for _, relayed := range []bool{false, true} {
			time.Sleep(6 * 24 * time.Hour)
			time.Sleep(time.Hour)
			code, out, errOut := w.run(t, "recheck", start)
			require.Equal(t, exitDone, code, errOut)
			assert.Equal(t, relayed, len(w.relay.Log()) > 0, out)
		}
		w.audit(t)
	})
}

func TestJSON(t *testing.T) {
	w := newWorld(t)
	synctest.Test(t, func(t *testing.T) {
		w.direct.Set("/a", busy(20), fetchtest.HTML("a"))
		code, out, _ := w.run(t, "visit", "-json", start)
		require.Equal(t, exitDone, code)
		var visit struct {
			Start    string
			Kind     kind
			Outcome  politefetch.Outcome
			Pages    int
			Requests int
			Limit    *sign
			Next     outlook
		}
		require.NoError(t, json.Unmarshal([]byte(out), &visit), out)
		assert.Equal(t, []any{start, setUp, politefetch.Done, 4, 8}, []any{visit.Start, visit.Kind, visit.Outcome, visit.Pages, visit.Requests})
		assert.Equal(t, "answered 429 with Retry-After 20", visit.Limit.What)
		assert.Equal(t, extra, visit.Next.Kind)

		code, out, _ = w.run(t, "visit", "-json", start)
		require.Equal(t, exitNotDone, code)
		var soon struct {
			Start string
			At    time.Time
			Why   string
		}
		require.NoError(t, json.Unmarshal([]byte(out), &soon), out)
		assert.True(t, soon.At.Equal(visit.Next.At))

		_, out, _ = w.run(t, "status", "-json")
		var st status
		require.NoError(t, json.Unmarshal([]byte(out), &st), out)
		assert.Contains(t, st.Because, "GET /a answered 429 with Retry-After 20")
		assert.Equal(t, politefetch.Done, st.Last.Outcome)

		_, out, _ = w.run(t, "due", "-json")
		var d dueSite
		require.NoError(t, json.Unmarshal([]byte(out), &d), out)
		assert.False(t, d.Due)
		assert.True(t, d.At.Equal(visit.Next.At))
	})
}

func TestAHoldIsShownAndNoVisit(t *testing.T) {
	w := newWorld(t)
	synctest.Test(t, func(t *testing.T) {
		w.direct.Set("/a", busy(3*60*60))
		out := w.visit(t, exitNotDone)
		assert.Contains(t, out, "set-up visit: limited")
		assert.Contains(t, w.status(t), "hold not before 1 Jan 03:00:01: answered 429, Retry-After 10800")
		time.Sleep(time.Hour)
		sent := len(w.direct.Log())
		code, _, _ := w.run(t, "recheck", start)
		assert.Equal(t, exitNotDone, code)
		assert.Len(t, w.direct.Log(), sent, "nothing is sent")
		assert.NotContains(t, w.status(t), "last recheck", "and that was no visit")
		w.audit(t)
	})
}

func TestOnlySitesThatWereNamed(t *testing.T) {
	w := newWorld(t)
	synctest.Test(t, func(t *testing.T) {
		w.direct.Set("/", fetchtest.Redirect("https://www.shop.example/"))
		w.direct.Set("https://www.shop.example/", fetchtest.HTML("home"))
		w.direct.Set("/map.xml", fetchtest.Sitemap(start+"a", "https://blog.shop.example/", "https://other.example/", "https://www.shop.example/b"))
		w.direct.Set("/a", fetchtest.Redirect("https://other.example/"))
		w.visit(t, exitDone)
		for _, x := range w.direct.Log() {
			assert.Contains(t, []string{"shop.example", "www.shop.example"}, x.URL.Hostname())
		}
		assert.Equal(t, 1, w.direct.Count("https://www.shop.example/b"))
	})
}

func TestStatusOfTheNextVisitNotOfNow(t *testing.T) {
	w := newWorld(t)
	synctest.Test(t, func(t *testing.T) {
		w.direct.Set("/a", busy(20), fetchtest.HTML("a"))
		w.visit(t, exitDone)
		time.Sleep(5 * time.Hour)
		w.visit(t, exitDone)
		time.Sleep(7*24*time.Hour - 4*time.Hour)
		w.visit(t, exitDone)
		assert.Contains(t, w.status(t), "way as usual by then: gentle only until 15 Jan 00:01, because GET /a answered 429 with Retry-After 20 on 1 Jan 00:00 next Sat 15 Jan 01:01, weekly")
		w.audit(t)
	})
}

// What the provider met is not why a site is not asked directly.
func TestALimitThatTheProviderMetIsNoReason(t *testing.T) {
	w := newWorld(t)
	synctest.Test(t, func(t *testing.T) {
		for range 2 {
			w.direct.Set("/a", busy(20), fetchtest.HTML("a"))
			w.visit(t, exitDone)
			time.Sleep(5 * time.Hour)
		}
		w.far.Set("/b", busy(10), fetchtest.HTML("b"))
		assert.Contains(t, w.visit(t, exitDone), "limited GET /b answered 429 with Retry-After 10 on 1 Jan 10:00 (through the provider)")
		assert.Contains(t, w.status(t), "through the provider until 15 Jan 05:01 because GET /a answered 429 with Retry-After 20 on 1 Jan 05:00")
		w.audit(t)
	})
}

// A key that the provider does not take costs the site no visit: it saw none.
func TestAVisitThatTheProviderTurnedDownIsStillDue(t *testing.T) {
	w := newWorld(t)
	synctest.Test(t, func(t *testing.T) {
		for range 2 {
			w.direct.Set("/a", busy(1), fetchtest.HTML("a"))
			w.visit(t, exitDone)
			time.Sleep(5 * time.Hour)
		}
		sent := len(w.direct.Log())
		right := w.key
		w.key = "a-key-of-yesterday"
		out := w.visit(t, exitNotDone)
		assert.Contains(t, out, "extra visit: failed why /: proxy: provider: auth: the key is not accepted")
		assert.Contains(t, out, "next since Sat 1 Jan 09:01, extra")
		w.key = right
		assert.Contains(t, w.visit(t, exitDone), "7 requests through the provider")
		assert.Len(t, w.direct.Log(), sent)
		w.audit(t)
	})
}

// The sites of one registrable domain share their pace, and its memory.
func TestStatusSaysWhatAnotherSiteOfTheDomainAskedFor(t *testing.T) {
	w := newWorld(t)
	synctest.Test(t, func(t *testing.T) {
		w.direct.Set("/a", busy(1), fetchtest.HTML("a"))
		w.visit(t, exitDone)
		_, out, _ := w.run(t, "status", "https://blog.shop.example/")
		assert.Contains(t, flat(out), "gentle until 15 Jan 00:01 because another site of shop.example asked for fewer requests")
		assert.Contains(t, w.status(t), "limited again, it is read through the provider")
		w.direct.Set("https://blog.shop.example/", demoWall())
		code, _, _ := w.run(t, "visit", "https://blog.shop.example/")
		assert.Equal(t, exitNotDone, code)
		out = w.status(t)
		assert.NotContains(t, out, "limited again, it is read through the provider")
		assert.Contains(t, out, "a bot wall at another site of shop.example keeps it off the provider's route")
		w.audit(t)
	})
}
