package timeline_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/politefetch/sdk/examples/internal/timeline"
	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
	"github.com/politefetch/sdk/ratepolicy"
	"github.com/politefetch/sdk/robots"
)

const site1 = "https://site.example"

// visit visits a scripted site in fake time and returns the run.
func visit(t *testing.T, site *fetchtest.Site, change func(*politefetch.Config)) *timeline.Run {
	t.Helper()
	var events timeline.Log
	cfg := politefetch.Config{
		Product: "ExampleBot", UserAgent: "ExampleBot/1.0 (+https://bot.example/)", Transport: site, Observe: events.Observe,
		Policy: ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: 300 * time.Millisecond}},
	}
	if change != nil {
		change(&cfg)
	}
	bot, err := politefetch.New(cfg)
	require.NoError(t, err)
	v, err := bot.Visit(site1+"/", &politefetch.VisitOptions{HTMLOnly: true, DropBodies: true})
	require.NoError(t, err)
	for p := range v.Pages(t.Context()) {
		_ = p
	}
	return &timeline.Run{
		Title: "ExampleBot at " + site1, Bot: cfg.UserAgent, Policy: cfg.Policy, OneSite: true, Events: events.Events(),
		Zone: time.FixedZone("EET", 2*60*60),
	}
}

// busySite limits once, closes a folder, and has an answer of each kind.
func busySite() *fetchtest.Site {
	site := &fetchtest.Site{Latency: 40 * time.Millisecond}
	site.Set("/robots.txt", fetchtest.Text("User-agent: ExampleBot\nCrawl-delay: 0.5\nDisallow: /shop/\n"))
	pages := []string{"/a", "/shop/cart", "/moved", "/gone", "/members", "/broken", "/shop/x", "/busy", "/z"}
	for i, p := range pages {
		pages[i] = site1 + p
	}
	site.Set("/sitemap.xml", fetchtest.Sitemap(pages...))
	for _, p := range []string{"/", "/a", "/b", "/z"} {
		site.Set(p, fetchtest.HTML("<p>words</p>"))
	}
	site.Set("/moved", fetchtest.Redirect("/b"))
	site.Set("/members", fetchtest.Status(http.StatusForbidden))
	site.Set("/broken", fetchtest.Status(http.StatusInternalServerError))
	site.Set("/busy", fetchtest.Status(http.StatusTooManyRequests).RetryAfter(20*time.Second), fetchtest.HTML("busy"))
	return site
}

func render(t *testing.T, run *timeline.Run) (*goquery.Document, string) {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, run.Write(&b))
	text := b.String()
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(text))
	require.NoError(t, err)
	return doc, text
}

// texts are the words of each element that was found.
func texts(s *goquery.Selection) []string {
	return s.Map(func(_ int, s *goquery.Selection) string {
		var words []string
		for _, n := range s.Nodes {
			for d := range n.Descendants() {
				if d.Type == html.TextNode {
					words = append(words, strings.Fields(d.Data)...)
				}
			}
		}
		return strings.Join(words, " ")
	})
}

func TestAnOwnerFindsEveryRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := busySite()
		run := visit(t, site, nil)
		doc, _ := render(t, run)
		rows := doc.Find("#requests ~ div tr[id]")
		log := site.Log()
		sent := int64(0)
		require.Equal(t, len(log), rows.Length(), "a row each")
		rows.Each(func(i int, row *goquery.Selection) {
			cells := texts(row.Find("td"))
			assert.Equal(t, log[i].Began.In(run.Zone).Format("2006-01-02 15:04:05.000 -07:00"), cells[1], "the instant in the server's log")
			assert.Contains(t, cells[2], fmt.Sprint(log[i].Answer.Status))
			assert.Equal(t, fmt.Sprint(log[i].Sent), cells[4], "what the server sent of a body")
			assert.Equal(t, log[i].URL.RequestURI(), cells[6])
			want := "robots.txt Crawl-delay 500ms: waited 0.500 s"
			switch {
			case i == 0:
				want = "its turn had come"
			case log[i-1].Answer.Status == http.StatusTooManyRequests:
				want = "gentle answered 429, Retry-After 20: waited 20.0 s"
			case i == len(log)-1:
				want = "gentle pace 2s for the rest of the visit: waited 2.000 s"
			}
			assert.Contains(t, cells[7], want)
			sent += log[i].Sent
		})
		require.NotZero(t, sent)
		assert.Contains(t, doc.Find("body > p").Text(), fmt.Sprintf("%d bytes of content", sent))
		assert.Contains(t, texts(rows)[9], "answered 429, Retry-After asks for 20s; not before", "what the host asked for, and until when")
		assert.Equal(t, len(log), doc.Find(".strip a rect").Length(), "a mark each")
		assert.Equal(t, "12 requests in the minute from 2000-01-01 02:00 +02:00", strings.Split(strings.Split(doc.Find("#timeline ~ p").Text(), "Most: ")[1], ".")[0])
	})
}

func TestThePromiseIsHeldAgainstTheRequests(t *testing.T) {
	var run *timeline.Run
	synctest.Test(t, func(t *testing.T) { run = visit(t, busySite(), nil) })
	doc, _ := render(t, run)
	assert.Equal(t, []string{"✓ The promise was kept"}, texts(doc.Find(".verdict")))
	assert.Equal(t, []string{
		"✓ At most 1 request in flight to all hosts together at most 1",
		"✓ At least 0.300 s from an answer’s end to the next request to all hosts together the least was 0.500 s, before #2",
		"✓ At most 1 request in flight to a host that had asked for fewer at most 1",
		"✓ At least 2.000 s from an answer’s end to the next request to a host that had asked for fewer the least was 2.000 s, before #12",
		"✓ Every request waits for its turn: the bot’s own pace, a Crawl-delay, what the host asked for 11 waits sat out",
		"✓ A host that asks for fewer requests is left alone for as long as it asks one did",
	}, texts(doc.Find("#promise + table tbody tr")))

	for _, tt := range []struct {
		name   string
		change func(*timeline.Run)
		want   string
	}{
		{"own delay", func(r *timeline.Run) { r.Policy.Normal.Delay = 600 * time.Millisecond }, "#2 came after 0.500 s"},
		{"gentle delay", func(r *timeline.Run) { r.Policy.Gentle.Delay = 3 * time.Second }, "#12 came after 2.000 s"},
		{"a request too many", func(r *timeline.Run) {
			e := answer(r, 3)
			e.At = e.At.Add(-10 * time.Millisecond)
			r.Events = append(r.Events, e)
		}, "2 in flight"},
		{"a wait that was not sat out", func(r *timeline.Run) { r.Events = later(r.Events, politefetch.EventWait, time.Second) }, "#2 went out 1.000 s before its turn"},
		{"a hold that was not kept", func(r *timeline.Run) { r.Events = later(r.Events, politefetch.EventLimit, 5*time.Second) }, "#11 came 5.000 s before the end of the wait"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			broken := *run
			broken.Events = append([]politefetch.Event(nil), run.Events...)
			tt.change(&broken)
			doc, _ := render(t, &broken)
			assert.Equal(t, []string{"✕ The promise was broken"}, texts(doc.Find(".verdict")))
			assert.Contains(t, strings.Join(texts(doc.Find("#promise + table b")), "\n"), tt.want)
		})
	}
}

// answer is the nth answer of a run.
func answer(r *timeline.Run, n int) politefetch.Event {
	for _, e := range r.Events {
		if e.Kind == politefetch.EventAnswer {
			if n--; n == 0 {
				return e
			}
		}
	}
	return politefetch.Event{}
}

// later moves the ends of what events of a kind ask for.
func later(events []politefetch.Event, kind politefetch.EventKind, by time.Duration) []politefetch.Event {
	for i := range events {
		if events[i].Kind == kind {
			events[i].Until = events[i].Until.Add(by)
		}
	}
	return events
}

func TestABurstIsPromisedAsOne(t *testing.T) {
	at := time.Date(2026, 11, 30, 9, 12, 0, 0, time.UTC)
	var events []politefetch.Event
	for i, after := range []time.Duration{0, 0, time.Second, 2 * time.Second, 2900 * time.Millisecond} {
		u := fmt.Sprintf("%s/%d", site1, i)
		events = append(events, politefetch.Event{Kind: politefetch.EventAnswer, At: at.Add(after), Key: "site.example", URL: u, Status: 200})
	}
	run := &timeline.Run{Policy: ratepolicy.Policy{Normal: ratepolicy.Pace{Concurrency: 2, Burst: 2}}, Events: events}
	doc, _ := render(t, run)
	assert.Contains(t, texts(doc.Find("#promise + table tbody tr"))[1], "✓ At least 1.000 s from a request to the 2nd after it to one host")
	assert.Equal(t, []string{"✓ The promise was kept"}, texts(doc.Find(".verdict")))
	sixth := run.Events[4]
	sixth.URL, sixth.At = site1+"/5", at.Add(2950*time.Millisecond)
	doc, _ = render(t, &timeline.Run{Policy: run.Policy, Events: append(slices.Clone(run.Events), sixth)})
	assert.Equal(t, []string{"#6 came after 0.950 s"}, texts(doc.Find("#promise + table div b")))
	run.Policy.Normal.Burst = 1
	doc, _ = render(t, run)
	assert.Equal(t, []string{"#2 came after 0.000 s", "#5 came after 0.900 s"}, texts(doc.Find("#promise + table b"))[1:])
}

func TestWhatRobotsTxtClosedIsNamedByLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run := visit(t, busySite(), nil)
		for _, e := range run.Events { // met again, it is not another address
			if e.Kind == politefetch.EventForbid {
				run.Events = append(run.Events, e)
			}
		}
		doc, _ := render(t, run)
		assert.Equal(t, []string{"https://site.example 3 Disallow: /shop/ https://site.example/shop/cart https://site.example/shop/x"}, texts(doc.Find("#closed ~ table").First().Find("tbody tr")))
	})
}

func TestWhatIsExemptIsNotCalledClosed(t *testing.T) {
	e := politefetch.Event{Kind: politefetch.EventForbid, At: time.Now(), URL: site1 + "/", Why: "disallowed by robots.txt line 3: Disallow: /"}
	doc, _ := render(t, &timeline.Run{Events: []politefetch.Event{e}})
	assert.Zero(t, doc.Find("#closed").Length())
	assert.Contains(t, doc.Find("#decisions ~ div").Text(), "asked for though closed")
}

func TestLongWaitsAreCutShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		doc, _ := render(t, visit(t, busySite(), nil))
		require.Equal(t, 1, doc.Find(".strip").Length(), "half a minute, most of it a wait, is one line")
		assert.Equal(t, []string{"20.0 s"}, texts(doc.Find(".strip .cut + text")))
		assert.Equal(t, []string{"answered 429, Retry-After asks for 20s: nothing more before 2000-01-01 02:00:24.900 +02:00"}, texts(doc.Find(".strip rect[y='1'] title")))
		assert.Equal(t, 1, doc.Find(".strip rect.gentle").Length())
	})
}

func TestRequestsInFlightTogetherAreDrawnBelowEachOther(t *testing.T) {
	at := time.Date(2026, 11, 30, 9, 12, 0, 0, time.UTC)
	run := &timeline.Run{}
	for i, after := range []time.Duration{0, 500 * time.Millisecond, 2 * time.Second, 3 * time.Second} {
		run.Events = append(run.Events, politefetch.Event{
			Kind: politefetch.EventAnswer, At: at.Add(after + time.Second), Took: time.Second, Key: "site.example", URL: fmt.Sprint(site1, "/", i), Status: 200,
		})
	}
	doc, _ := render(t, run)
	marks := doc.Find(".strip a rect")
	top := marks.Map(func(_ int, s *goquery.Selection) string { return s.AttrOr("y", "") })
	assert.Equal(t, []string{"27", "38", "27", "27"}, top)
	x, err := strconv.ParseFloat(marks.Last().AttrOr("x", ""), 64)
	require.NoError(t, err)
	w, err := strconv.ParseFloat(marks.Last().AttrOr("width", ""), 64)
	require.NoError(t, err)
	assert.InDelta(t, 1000, x+w, 5, "a short run fills the strip")
}

func TestARelayedVisitIsShaded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events := []politefetch.Event{}
		at := time.Now()
		for i := range 4 {
			at = at.Add(time.Second)
			events = append(events, politefetch.Event{
				Kind: politefetch.EventAnswer, At: at, Took: 100 * time.Millisecond, Key: "site.example", Status: 200,
				URL: fmt.Sprintf("%s/%d", site1, i), Relayed: i > 1,
			})
		}
		doc, _ := render(t, &timeline.Run{Events: events})
		assert.Equal(t, 1, doc.Find(".strip rect.relayed").Length())
		assert.Contains(t, strings.Join(texts(doc.Find("#promise + table tbody tr")), "\n"), "through the relay to one host")
	})
}

func TestEventsMayComeInAnyOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run := visit(t, busySite(), nil)
		_, want := render(t, run)
		for seed := range uint64(20) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			rnd.Shuffle(len(run.Events), func(i, j int) { run.Events[i], run.Events[j] = run.Events[j], run.Events[i] })
			_, got := render(t, run)
			require.Equal(t, want, got, "seed %d", seed)
		}
	})
}

func TestARequestWithoutAnAnswerIsShown(t *testing.T) {
	at := time.Date(2026, 11, 30, 9, 12, 0, 0, time.UTC)
	doc, _ := render(t, &timeline.Run{Zone: time.UTC, Events: []politefetch.Event{
		{Kind: politefetch.EventSend, At: at, Key: "site.example", URL: site1 + "/a"},
		{Kind: politefetch.EventAnswer, At: at.Add(time.Second), Took: time.Second, Key: "site.example", URL: site1 + "/a", Status: 200},
		{Kind: politefetch.EventSend, At: at.Add(3 * time.Second), Key: "site.example", URL: site1 + "/a"},
	}})
	rows := texts(doc.Find("#requests ~ div tr[id]"))
	require.Len(t, rows, 2)
	assert.Contains(t, rows[1], "2026-11-30 09:12:03.000 +00:00 … no answer on record")
	assert.Contains(t, doc.Find("body").Text(), "in the zone UTC,")
}

// A hold that the bot does not sit out is no wait of the request that comes when it is over.
func TestAWaitThatWasTooLongIsNotSatOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		site.Set("/a", fetchtest.Status(http.StatusServiceUnavailable).RetryAfter(time.Hour), fetchtest.HTML("a"))
		var events timeline.Log
		bot, err := politefetch.New(politefetch.Config{
			Product: "ExampleBot", UserAgent: "ExampleBot/1.0 (+https://bot.example/)", Transport: site, Observe: events.Observe,
		})
		require.NoError(t, err)
		for range 2 {
			_, _ = bot.Fetch(t.Context(), site1+"/a", nil)
		}
		time.Sleep(2 * time.Hour)
		_, err = bot.Fetch(t.Context(), site1+"/a", nil)
		require.NoError(t, err)
		doc, _ := render(t, &timeline.Run{Events: events.Events()})
		rows := texts(doc.Find("#requests ~ div tr[id]"))
		require.Len(t, rows, 3)
		assert.Contains(t, rows[2], "its turn had come; held before: answered 503, Retry-After asks for 1h0m0s")
		assert.Contains(t, doc.Find("#requests ~ table").Text(), "answered 503, Retry-After 3600; not before")
		assert.Equal(t, []string{"1 h"}, texts(doc.Find(".strip .cut + text"))[:1])
	})
}

// A wait is told of when it begins; what prolongs it comes later.
func TestWhatProlongedAWaitIsNamed(t *testing.T) {
	at := time.Date(2026, 11, 30, 9, 12, 0, 0, time.UTC)
	const key = "site.example"
	doc, _ := render(t, &timeline.Run{Zone: time.UTC, Events: []politefetch.Event{
		{Kind: politefetch.EventWait, At: at, Key: key, URL: site1 + "/b", Until: at.Add(time.Second), Why: "own pace 1s (until 2026-11-30T09:12:01.000Z)"},
		{Kind: politefetch.EventWait, At: at, Key: key, URL: site1 + "/c", Until: at.Add(time.Second), Why: "own pace 1s (until 2026-11-30T09:12:01.000Z)"},
		{Kind: politefetch.EventAnswer, At: at.Add(100 * time.Millisecond), Took: 200 * time.Millisecond, Key: key, URL: site1 + "/a", Status: 429},
		{Kind: politefetch.EventLimit, At: at.Add(100 * time.Millisecond), Key: key, URL: site1 + "/a", Status: 429, Until: at.Add(9 * time.Second), Why: "answered 429, Retry-After asks for 9s"},
		{Kind: politefetch.EventAnswer, At: at.Add(9 * time.Second), Key: key, URL: site1 + "/b", Status: 200},
		{Kind: politefetch.EventAnswer, At: at.Add(11 * time.Second), Key: key, URL: site1 + "/c", Status: 200},
		{Kind: politefetch.EventWait, At: at.Add(11 * time.Second), Key: key, URL: site1 + "/d", Until: at.Add(12 * time.Second), Why: "own pace 1s (until 2026-11-30T09:12:12.000Z)"},
		{Kind: politefetch.EventAnswer, At: at.Add(16 * time.Second), Key: key, URL: site1 + "/d", Status: 200},
	}})
	rows := texts(doc.Find("#requests ~ div tr[id]"))
	require.Len(t, rows, 4)
	assert.Contains(t, rows[3], "own pace 1s, then 4.000 s late: waited 5.000 s", "with nothing before it")
	assert.Contains(t, rows[1], "own pace 1s, then answered 429, Retry-After asks for 9s: waited 9.000 s")
	assert.Contains(t, rows[2], "own pace 1s, then answered 429, Retry-After asks for 9s, then requests before it: waited 11.0 s")
}

func TestHostileTextIsEscaped(t *testing.T) {
	const evil = `"><script>alert(1)</script><img src=x onerror=alert(2)>' onload='x` + "\u202e\x00\x1b[2J"
	at := time.Date(2026, 11, 30, 9, 12, 0, 0, time.UTC)
	e := politefetch.Event{
		At: at, Key: evil, URL: "https://site.example/" + evil, Why: evil, Until: at.Add(time.Minute), Status: -1 << 40, Outcome: evil,
		Robots: robots.Verdict{Rule: evil, Line: 3, Reason: robots.ReasonRule},
	}
	run := &timeline.Run{
		Title: evil, Bot: evil, Ended: evil, Facts: []timeline.Fact{{Name: evil, Lines: []string{evil}}},
		Table: timeline.Table{Head: []string{evil, "b"}, Rows: [][]string{{evil}, {"1", "2", evil}}},
	}
	for _, kind := range []politefetch.EventKind{
		politefetch.EventBar, politefetch.EventRobots, politefetch.EventForbid, politefetch.EventAdmit, politefetch.EventWait, politefetch.EventSend,
		politefetch.EventAnswer, politefetch.EventRedirect, politefetch.EventLimit, politefetch.EventWall, politefetch.EventSitemap,
		politefetch.EventSkip, politefetch.EventEnd, evil,
	} {
		e.Kind = kind
		e.At = e.At.Add(time.Second)
		run.Events = append(run.Events, e)
	}
	doc, text := render(t, run)
	assert.Zero(t, doc.Find("script, img, iframe, link, object, embed, [src], [onload], [onerror]").Length())
	assert.NotContains(t, text, "<script")
	assert.NotContains(t, text, "\u202e", "nothing that turns text round")
	doc.Find("[href]").Each(func(_ int, s *goquery.Selection) {
		href, _ := s.Attr("href")
		assert.True(t, strings.HasPrefix(href, "#"), href)
		assert.Equal(t, 1, doc.Find(href).Length(), "%s leads somewhere", href)
	})
	assert.Equal(t, "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'", doc.Find("meta[http-equiv]").AttrOr("content", ""))
	assert.NotContains(t, text, "ZgotmplZ")
}

func TestAnEmptyRunIsAPageToo(t *testing.T) {
	doc, text := render(t, &timeline.Run{})
	assert.Contains(t, doc.Find("body").Text(), "Nothing was sent.")
	assert.Zero(t, doc.Find(".verdict, table, .strip").Length())
	assert.NotContains(t, text, "0001-01-01")
	doc, text = render(t, &timeline.Run{Events: []politefetch.Event{{}, {Kind: politefetch.EventLimit}, {Kind: politefetch.EventAnswer}}})
	assert.NotNil(t, doc)
	assert.NotContains(t, text, "NaN")
	assert.NotContains(t, text, "Inf")
}

// many is a run of n requests, three events each, to a few hosts.
func many(n int) *timeline.Run {
	at := time.Date(2026, 11, 30, 9, 12, 0, 0, time.UTC)
	run := &timeline.Run{Title: "many", OneSite: true, Zone: time.UTC}
	for i := range n {
		key := fmt.Sprintf("h%d.site.example", i%3)
		u := fmt.Sprintf("https://%s/some/folder/of/the/site/page-%d.html?session=%032d", key, i, i)
		run.Events = append(
			run.Events,
			politefetch.Event{Kind: politefetch.EventWait, At: at, URL: u, Key: key, Until: at.Add(time.Second), Why: "own pace 1s (until 2026-11-30T09:12:01.000Z)"},
			politefetch.Event{Kind: politefetch.EventSend, At: at.Add(time.Second), URL: u, Key: key},
			politefetch.Event{Kind: politefetch.EventAnswer, At: at.Add(time.Second + 80*time.Millisecond), Took: 80 * time.Millisecond, URL: u, Key: key, Status: 200},
		)
		at = at.Add(time.Second + 80*time.Millisecond)
	}
	return run
}

func TestTenThousandEventsAreASmallPage(t *testing.T) {
	const most = 5 * time.Second // a second, on a machine that does nothing else
	run := many(3334)
	took := time.Hour // the least of some runs: a busy machine lets one of them wait
	var b bytes.Buffer
	for n := 0; n < 10 && took >= most; n++ {
		b.Reset()
		began := time.Now()
		require.NoError(t, run.Write(&b))
		took = min(took, time.Since(began))
	}
	t.Logf("%d events: %d bytes in %v", len(run.Events), b.Len(), took)
	assert.Less(t, b.Len(), 3<<20)
	assert.Less(t, took, most)
}

func TestALogKeepsTheNewest(t *testing.T) {
	var l timeline.Log
	for i := range 100_001 {
		l.Observe(politefetch.Event{Status: i})
	}
	events := l.Events()
	assert.Equal(t, 10_000, l.Lost())
	assert.Len(t, events, 90_001)
	assert.Equal(t, 10_000, events[0].Status)
	assert.Equal(t, 100_000, events[len(events)-1].Status)
	doc, _ := render(t, &timeline.Run{Lost: l.Lost()})
	assert.Contains(t, doc.Find("body").Text(), "the oldest 10000 events are not on this page")
}

func TestAFileIsWrittenWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "run.html")
	run := &timeline.Run{Title: "first"}
	require.NoError(t, timeline.CheckFile(name))
	require.NoError(t, run.WriteFile(name))
	run.Title = "second"
	require.NoError(t, run.WriteFile(name))
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Contains(t, string(text), "<h1>second</h1>")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, left, 1, "nothing else stays")

	require.ErrorContains(t, timeline.CheckFile(""), "empty")
	require.ErrorContains(t, timeline.CheckFile(dir), "not a plain file")
	require.ErrorContains(t, run.WriteFile(dir), "not a plain file")
	require.ErrorContains(t, timeline.CheckFile(os.DevNull), "not a plain file")
	require.ErrorIs(t, timeline.CheckFile(filepath.Join(dir, "no", "such", "folder.html")), os.ErrNotExist)
	require.Error(t, timeline.CheckFile(filepath.Join(name, "x.html")), "a file is no folder")
}

func BenchmarkWrite(b *testing.B) {
	run := many(3334)
	b.ReportAllocs()
	for b.Loop() {
		if err := run.Write(discard{}); err != nil {
			b.Fatal(err)
		}
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
