package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch/fetchtest"
)

// verdicts reads the verdicts out of what -json wrote.
func verdicts(t *testing.T, out string) map[string]string {
	t.Helper()
	found := make(map[string]string)
	for line := range strings.Lines(out) {
		var r row
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		if r.URL != "" {
			found[r.URL] = string(r.Verdict)
		}
	}
	return found
}

// TestRunsGoOnWhereTheLastOneWas lives through some hours with one state folder, every run a
// process of its own that is given the list or finds it there.
func TestRunsGoOnWhereTheLastOneWas(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{Latency: 20 * time.Millisecond}
		site.Set("https://a.example/page", words("").With("Etag", `"1"`), fetchtest.Status(304), words("And chairs.").With("Etag", `"2"`), fetchtest.HTML("<p>Something else altogether, in other words."))
		site.Set("https://b.example/blip", fetchtest.Status(500), words(""))
		site.Set("https://c.example/down", fetchtest.Status(500), fetchtest.Hang(), fetchtest.Status(502), words(""))
		site.Set("https://d.example/no", fetchtest.Status(403))
		site.Set("https://e.example/busy", fetchtest.Status(429).RetryAfter(2*time.Hour), words(""))
		site.Set("https://f.example/to-e", fetchtest.Redirect("https://e.example/landing"))
		site.Set("https://e.example/landing", words(""))
		closed := fetchtest.Status(503).RetryAfter(time.Minute)
		site.Set("https://g.example/closed", closed, closed, closed, words(""))
		const list = "https://a.example/page\nhttps://b.example/blip\nhttps://c.example/down\nhttps://d.example/no\nhttps://e.example/busy\nhttps://f.example/to-e\nhttps://g.example/closed\n"
		begin := time.Now()
		for _, step := range []struct {
			at    time.Duration
			want  string // of a to g
			asked int    // pages
		}{
			{0, "ok pending pending refused limited limited limited", 7},
			{5 * time.Minute, "ok pending pending refused limited limited limited", 1},
			{11 * time.Minute, "ok ok broken refused limited limited broken", 4},
			{30 * time.Minute, "drifted ok broken refused limited limited broken", 4},
			{2*time.Hour + time.Minute, "drifted ok ok refused ok moved ok", 6},
			{7 * time.Hour, "drifted ok ok refused ok moved ok", 8},
		} {
			time.Sleep(time.Until(begin.Add(step.at)))
			before := len(site.Log())
			args := []string{"-state", dir, "-json"}
			if step.at == 0 {
				args = append(args, "-")
			}
			res := start(t.Context(), site, list, args...)
			require.Contains(t, []int{exitNothing, exitFound}, res.code, res.errOut)
			var got []string
			found := verdicts(t, res.out)
			for u := range strings.Lines(list) {
				got = append(got, found[strings.TrimSpace(u)])
			}
			assert.Equal(t, step.want, strings.Join(got, " "), "after %v", step.at)
			pages := 0
			for _, x := range site.Log()[before:] {
				if x.URL.Path != "/robots.txt" {
					pages++
				}
			}
			assert.Equal(t, step.asked, pages, "after %v", step.at)
		}
		assert.Equal(t, 2, site.Count("https://f.example/to-e"), "the chain went on where it had to wait")
		audit(t, site.Log())
	})
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		assert.NotContains(t, string(b), "words", path)
		return err
	}))
}

// A check whose chain waits in the state has fifteen seconds in all, not in each run; one
// that an earlier version left there does not say what it took.
func TestR06_AChainInTheStateKeepsWhatItTook(t *testing.T) {
	for name, tt := range map[string]struct {
		drop string        // out of the record
		want time.Duration // for the landing, which does not answer
	}{
		"as it is": {"", 5 * time.Second},
		"old":      {`"Took": 10000000000`, 15 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := &fetchtest.Site{}
				site.Set("https://b.example/busy", fetchtest.Status(429).RetryAfter(2*time.Hour))
				slow := fetchtest.Redirect("https://b.example/landing")
				slow.Delay = 10 * time.Second
				site.Set("https://a.example/to-b", slow)
				site.Set("https://b.example/landing", fetchtest.Hang())
				dir := t.TempDir()
				start(t.Context(), site, "https://b.example/busy\n", "-state", dir, "-")
				res := start(t.Context(), site, "https://a.example/to-b\n", "-state", dir, "-json", "-")
				require.Equal(t, "limited", verdicts(t, res.out)["https://a.example/to-b"], res.errOut)
				if tt.drop != "" {
					path := state(dir).record("https://a.example/to-b")
					b, err := os.ReadFile(path)
					require.NoError(t, err)
					text := strings.Replace(string(b), ",\n\t\t\t"+tt.drop, "", 1)
					require.NotEqual(t, string(b), text)
					require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
				}
				time.Sleep(2 * time.Hour)
				res = start(t.Context(), site, "", "-state", dir, "-json")
				require.Equal(t, "pending", verdicts(t, res.out)["https://a.example/to-b"], res.errOut)
				log := site.Log()
				last := log[len(log)-1]
				require.Equal(t, "/landing", last.URL.Path)
				assert.Equal(t, tt.want, last.Ended.Sub(last.Began))
				assert.Equal(t, 1, site.Count("https://a.example/to-b"))
			})
		})
	}
}

// Links to what is no HTML drift, too, each by its own measure; those that an earlier version
// kept no fingerprint of have one from the next check on.
func TestR12_LinksToOtherTypesDrift(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		typed := func(contentType, body, etag string) fetchtest.Answer {
			return fetchtest.Answer{Status: 200, Body: body}.With("Content-Type", contentType).With("Etag", etag)
		}
		prices := strings.Repeat(`{"item":"chair","price":5},`, 50) + `{"item":"table","price":50}`
		slow := typed("application/pdf", strings.Repeat("%PDF ", 10_000), `"3"`)
		slow.Drip = 500 * time.Microsecond
		site.Set("https://a.example/doc.pdf", typed("application/pdf", "%PDF one", `"1"`), typed("application/pdf", "%PDF one", `"2"`), slow, typed("application/pdf", "%PDF two", `"4"`))
		site.Set("https://a.example/data.json", typed("application/json", "["+prices+"]", `"1"`), typed("application/json", "[ "+prices+" ]", `"2"`), typed("application/json", "["+prices+`,{"item":"bed"}]`, `"3"`), typed("application/json", `{"error":"gone"}`, `"4"`))
		site.Set("https://a.example/page", words(""), words(""), words(""), typed("image/png", "\x89PNG", `"1"`))
		dir := t.TempDir()
		const list = "https://a.example/doc.pdf\nhttps://a.example/data.json\nhttps://a.example/page\n"
		for _, want := range []string{"ok ok ok", "ok ok ok", "ok ok ok", "drifted drifted drifted"} {
			res := start(t.Context(), site, list, "-state", dir, "-json", "-")
			found := verdicts(t, res.out)
			assert.Equal(t, want, found["https://a.example/doc.pdf"]+" "+found["https://a.example/data.json"]+" "+found["https://a.example/page"], res.errOut)
			time.Sleep(24 * time.Hour)
		}
		for _, x := range site.Log() {
			switch tag := x.Header.Get("If-None-Match"); x.Answer.Header.Get("Etag") + " " + x.URL.Path {
			case `"1" /doc.pdf`, `"4" /doc.pdf`:
				assert.Empty(t, tag, "of what was not read to its end, nothing is said")
			case `"3" /doc.pdf`:
				assert.Equal(t, `"2"`, tag)
			}
		}

		path := state(dir).record("https://a.example/doc.pdf") // as an earlier version left it
		require.NoError(t, os.WriteFile(path, []byte(`{"version":1,"url":"https://a.example/doc.pdf","verdict":"ok","checked":"2000-01-01T00:00:00Z","etag":"\"4\"","alike":1}`), 0o600))
		start(t.Context(), site, list, "-state", dir, "-json", "-")
		var r record
		require.NoError(t, state(dir).load("https://a.example/doc.pdf", &r))
		assert.NotEmpty(t, r.Baseline)
		log := site.Log()
		for _, x := range log[len(log)-3:] {
			if x.URL.Path == "/doc.pdf" {
				assert.Empty(t, x.Header.Get("If-None-Match"), "or an answer 304 would leave it without one")
			}
		}
	})
}

func TestAcceptTakesWhatIsThereNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		site.Set("https://a.example/", words(""), fetchtest.HTML("<p>Something else altogether."))
		site.Set("https://b.example/", fetchtest.Redirect("https://a.example/b"))
		site.Set("https://a.example/b", words(""))
		const list = "https://a.example/\nhttps://b.example/\n"
		args := []string{"-state", t.TempDir(), "-json", "-"}
		for _, step := range []struct{ more, want string }{
			{"", "ok moved"}, {"", "drifted moved"}, {"", "drifted moved"}, {"-accept", "drifted moved"}, {"", "ok ok"},
		} {
			with := args
			if step.more != "" {
				with = append([]string{step.more}, args...)
			}
			res := start(t.Context(), site, list, with...)
			found := verdicts(t, res.out)
			assert.Equal(t, step.want, found["https://a.example/"]+" "+found["https://b.example/"])
		}
		site.Set("https://b.example/", fetchtest.Redirect("https://a.example/c"))
		site.Set("https://a.example/c", words(""))
		res := start(t.Context(), site, list, args...)
		assert.Equal(t, "moved", verdicts(t, res.out)["https://b.example/"], "elsewhere than it was accepted to lead")
	})
}

func TestR14_AStoppedDomainIsNeverAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{Fallback: func(*http.Request) fetchtest.Answer { return words("") }}
		site.Set("https://a.example/to-it", fetchtest.Redirect("https://www.stopped.example/landing"))
		const list = "https://stopped.example/\nhttps://www.stopped.example/a browser=chrome\nhttps://a.example/to-it\nhttps://unstopped.example/\n"
		dir := t.TempDir()
		res := start(t.Context(), site, "", "-state", dir, "-stop", "stopped.example", "-stop", "other.example")
		assert.Equal(t, exitNothing, res.code)
		assert.Contains(t, res.errOut, "stopped.example is stopped: nothing is sent to it and its subdomains any more")
		assert.Empty(t, site.Log())

		res = start(t.Context(), site, list, "-state", dir, "-")
		assert.Equal(t, exitNothing, res.code, "it was asked for by a person: nothing to report")
		assert.Contains(t, res.out, "stopped: stopped.example is on the opt-out list")
		assert.Contains(t, res.out, "1 ok, 3 stopped")
		for _, x := range site.Log() {
			assert.NotContains(t, x.URL.Host, ".stopped.example")
			assert.NotEqual(t, "stopped.example", x.URL.Host)
		}

		before, began := len(site.Log()), time.Now()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "stopped.txt"), []byte("stopped.example\nhttps://what/is this\n"), 0o600))
		res = start(t.Context(), site, list, "-state", dir, "-")
		assert.Equal(t, exitFailed, res.code, "nothing to report of any link")
		assert.Zero(t, time.Since(began))
		assert.Contains(t, res.errOut, "the opt-out list can't be read: "+filepath.Join(dir, "stopped.txt")+" line 2: ")
		assert.Len(t, site.Log(), before, "not to know is no leave")

		require.NoError(t, os.WriteFile(filepath.Join(dir, "stopped.txt"), []byte("\ufeffstopped.example\r\n# "+strings.Repeat("x", 70_000)), 0o600))
		res = start(t.Context(), site, list, "-state", dir, "-")
		assert.Contains(t, res.out, "1 ok, 3 stopped", "by whatever editor it was written")
	})
}

// A list that can't be read for a while, a sweep being under way, is no word on any link.
func TestR14_AStopListThatCannotBeReadIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{Fallback: func(*http.Request) fetchtest.Answer { return words("") }}
		site.Set("/robots.txt", fetchtest.Text(""))
		dir := t.TempDir()
		path := filepath.Join(dir, "stopped.txt")
		var broken, mended time.Time
		go func() {
			time.Sleep(2500 * time.Millisecond)
			broken = time.Now()
			assert.NoError(t, os.WriteFile(path, []byte("what/is this\n"), 0o600))
			time.Sleep(5 * time.Second)
			mended = time.Now()
			assert.NoError(t, os.WriteFile(path, nil, 0o600))
		}()
		list := ""
		for i := range 6 {
			list += fmt.Sprintf("https://fine.example/%d\n", i)
		}
		res := start(t.Context(), site, list, "-state", dir, "-json", "-")
		assert.Equal(t, exitNothing, res.code, res.errOut)
		assert.Equal(t, 1, strings.Count(res.errOut, "the opt-out list can't be read"))
		for _, v := range verdicts(t, res.out) {
			assert.Equal(t, "ok", v)
		}
		synctest.Wait()
		for _, x := range site.Log() {
			assert.False(t, x.Began.After(broken) && x.Began.Before(mended), x.URL)
		}
	})
}

// Somebody stops a domain while a sweep is under way.
func TestR14_AStopIsHeededAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{Fallback: func(*http.Request) fetchtest.Answer { return words("") }}
		site.Set("/robots.txt", fetchtest.Text(""))
		dir := t.TempDir()
		var list strings.Builder
		for i := range 20 {
			fmt.Fprintf(&list, "https://a.example/%d\n", i)
		}
		begin := time.Now()
		go func() {
			time.Sleep(4500 * time.Millisecond)
			start(t.Context(), site, "", "-state", dir, "-stop", "a.example")
		}()
		res := start(t.Context(), site, list.String(), "-state", dir, "-")
		assert.Contains(t, res.out, "stopped")
		for _, x := range site.Log() {
			assert.Less(t, x.Began.Sub(begin), 4500*time.Millisecond)
		}
	})
}

func TestADamagedRecordIsSetAside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		site.Set("/", words(""))
		dir := t.TempDir()
		path := state(dir).record("https://a.example/")
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		for _, damaged := range []string{"", "{half", `{"version":1,"url":"https://other.example/"}`, "[]"} {
			require.NoError(t, os.WriteFile(path, []byte(damaged), 0o600))
			res := start(t.Context(), site, "https://a.example/", "-state", dir, "-")
			assert.Equal(t, exitNothing, res.code, res.errOut)
			assert.Contains(t, res.errOut, "is set aside as")
			var r record
			require.NoError(t, state(dir).load("https://a.example/", &r))
			assert.Equal(t, ok, r.Verdict)
			bad, err := filepath.Glob(path + ".*.bad")
			require.NoError(t, err)
			require.NotEmpty(t, bad)
			b, err := os.ReadFile(bad[len(bad)-1])
			require.NoError(t, err)
			assert.Equal(t, damaged, string(b), "for somebody to look at")
		}
		const newer = `{"version":2,"url":"https://a.example/"}`
		require.NoError(t, os.WriteFile(path, []byte(newer), 0o600))
		before := len(site.Log())
		res := start(t.Context(), site, "https://a.example/", "-state", dir, "-")
		assert.Equal(t, exitFailed, res.code)
		assert.Contains(t, res.errOut, "written by a newer rotsweep")
		assert.Len(t, site.Log(), before)
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.JSONEq(t, newer, string(b), "it is not written over")
	})
}

func TestAStateThatCannotBeWrittenIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{}
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "links"), []byte("not a folder"), 0o600))
		res := start(t.Context(), site, "https://a.example/", "-state", dir, "-")
		assert.Equal(t, exitFailed, res.code)
		assert.Empty(t, site.Log(), "found out before anything is asked")
	})
}

// Two runs at once, as when cron starts one before the last has ended: one pace, and no
// record lost or torn.
func TestTwoRunsShareOneStateFolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{Latency: 30 * time.Millisecond, Fallback: func(*http.Request) fetchtest.Answer { return words("") }}
		site.Set("/robots.txt", fetchtest.Text(""))
		dir := t.TempDir()
		var list strings.Builder
		for i := range 10 {
			fmt.Fprintf(&list, "https://a.example/%d\nhttps://b.example/%d\n", i, i)
		}
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				res := start(t.Context(), site, list.String(), "-state", dir, "-")
				assert.Equal(t, exitNothing, res.code, res.errOut)
				assert.Contains(t, res.out, "20 links on 2 domains: 20 ok")
			})
		}
		wg.Wait()
		audit(t, site.Log())
		for line := range strings.Lines(list.String()) {
			address := strings.TrimSpace(line)
			var r record
			require.NoError(t, state(dir).load(address, &r))
			assert.Equal(t, ok, r.Verdict)
			assert.Equal(t, 1, site.Count(address), "what one has found the other need not ask for")
		}
		assert.Len(t, site.Log(), 20+2)
	})
}

// A check that takes its time is not made twice, be it at a slow server or in a line; nor is
// it held up by a run that ended before it was done, and by one that died for minutes only.
func TestR02_ACheckIsOneRunsAtATime(t *testing.T) {
	const address = "https://a.example/slow"
	for name, tt := range map[string]struct {
		set         func(*fetchtest.Site)
		first       time.Duration // after which the first run is interrupted
		dead        bool          // no first run; one that died has left a claim
		asked       int
		least, most time.Duration // that the second run takes
	}{
		"a slow server": {func(s *fetchtest.Site) {
			slow := words("")
			slow.Delay = 8 * time.Second
			s.Set(address, slow)
		}, time.Hour, false, 1, 7 * time.Second, 12 * time.Second},
		"a chain that has to wait": {func(s *fetchtest.Site) {
			s.Set("https://b.example/busy", fetchtest.Status(429).RetryAfter(25*time.Second))
			s.Set(address, fetchtest.Redirect("https://b.example/landing"))
			s.Set("https://b.example/landing", words(""))
		}, time.Hour, false, 1, 20 * time.Second, 40 * time.Second},
		"an interrupt": {func(s *fetchtest.Site) {
			slow := words("")
			slow.Delay = 8 * time.Second
			s.Set(address, slow)
		}, 4 * time.Second, false, 2, 9 * time.Second, 15 * time.Second},
		"an interrupt of what waits": {func(s *fetchtest.Site) {
			s.Set("https://b.example/busy", fetchtest.Status(429).RetryAfter(25*time.Second))
			s.Set(address, fetchtest.Redirect("https://b.example/landing"))
			s.Set("https://b.example/landing", words(""))
		}, 5 * time.Second, false, 2, 20 * time.Second, 40 * time.Second},
		"a death": {func(s *fetchtest.Site) { s.Set(address, words("")) }, 0, true, 1, claimFor - 2*time.Second, claimFor + 2*time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := &fetchtest.Site{Latency: 30 * time.Millisecond}
				site.Set("/robots.txt", fetchtest.Text(""))
				tt.set(site)
				dir := t.TempDir()
				list := address + "\n"
				start(t.Context(), site, "https://b.example/busy\n", "-state", dir, "-")
				ctx, cancel := context.WithTimeoutCause(t.Context(), tt.first, errors.New("interrupt signal received"))
				defer cancel()
				var wg sync.WaitGroup
				if tt.dead {
					taken, err := state(dir).claim(t.Context(), address, "the dead", time.Now().Add(claimFor))
					require.NoError(t, err)
					require.True(t, taken)
				} else {
					wg.Go(func() { start(ctx, site, list, "-state", dir, "-") })
				}
				time.Sleep(time.Second)
				began := time.Now()
				res := start(t.Context(), site, list, "-state", dir, "-json", "-")
				took := time.Since(began)
				wg.Wait()
				assert.Contains(t, []string{"ok", "moved"}, verdicts(t, res.out)[address], res.errOut)
				assert.Contains(t, res.errOut, "another run on "+dir+" is checking "+address)
				assert.Equal(t, tt.asked, site.Count(address))
				assert.GreaterOrEqual(t, took, tt.least)
				assert.LessOrEqual(t, took, tt.most)
				audit(t, site.Log())
				taken, err := state(dir).claim(t.Context(), address, "another", time.Now().Add(time.Second))
				require.NoError(t, err)
				assert.True(t, taken, "none is left")
			})
		})
	}
}

// A claim that the store finds damaged, which is a single byte then, is nobody's.
func TestR02_ADamagedClaimHoldsUpNobody(t *testing.T) {
	const address, day = "https://a.example/", 24 * time.Hour
	s := state(t.TempDir())
	require.NoError(t, s.update(t.Context(), address, func(now time.Time, _ []byte) ([]byte, time.Time) { return []byte{0}, now.Add(day) }))
	taken, err := s.claim(t.Context(), address, "a run", time.Now().Add(day))
	require.NoError(t, err)
	assert.True(t, taken)
}

// TestWatchForFifteenDays ends with Ctrl-C.
func TestWatchForFifteenDays(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{Latency: 20 * time.Millisecond}
		site.Set("/robots.txt", fetchtest.Text(""))
		site.Set("https://fine.example/", words(""))
		site.Set("https://a.example/", words(""))
		site.Set("https://blip.example/", words(""))
		site.Set("https://gate.example/", fetchtest.Status(403))
		site.Set("https://busy.example/", words(""))
		begin := time.Now()
		go func() {
			day := func(n int) { time.Sleep(time.Until(begin.Add(time.Duration(n)*24*time.Hour - time.Hour))) }
			day(3)
			site.Set("https://blip.example/", fetchtest.Status(502), words(""))
			site.Set("https://busy.example/", fetchtest.Status(429).RetryAfter(50*time.Hour), words(""))
			day(5)
			site.Set("https://a.example/", fetchtest.Status(404))
			day(8)
			site.Set("https://a.example/", words(""))
			day(10)
			site.Set("https://a.example/", fetchtest.Redirect("https://fine.example/a"))
			site.Set("https://fine.example/a", words(""))
		}()
		ctx, cancel := context.WithCancelCause(t.Context())
		var out, errOut bytes.Buffer
		var code int
		done := make(chan struct{})
		go func() {
			defer close(done)
			const list = "https://fine.example/\nhttps://a.example/\nhttps://blip.example/\nhttps://gate.example/\nhttps://busy.example/\n"
			code = run(ctx, []string{"-watch", "-state", dir, "-"}, strings.NewReader(list), &out, &errOut, site)
		}()
		time.Sleep(15*24*time.Hour - time.Hour)
		cancel(errors.New("interrupt signal received"))
		<-done
		assert.Equal(t, exitNothing, code, errOut.String())
		audit(t, site.Log())
		assert.Equal(t, 15, site.Count("https://fine.example/"), "once a day")
		assert.Equal(t, 15+1, site.Count("https://blip.example/"), "and ten minutes after a failure")
		assert.Equal(t, 4*15, site.Count("https://gate.example/"), "a refusal is looked into every six hours")
		assert.Equal(t, 3+1+12-2, site.Count("https://busy.example/"), "not before it is let")
		for _, domain := range []string{"fine", "a", "blip", "gate", "busy"} {
			assert.LessOrEqual(t, site.Count("https://"+domain+".example/robots.txt"), 15, "once a day")
		}
		var news []string
		for line := range strings.Lines(out.String()) {
			if strings.HasPrefix(line, "2000-") {
				news = append(news, strings.TrimSpace(line[:10]+line[19:]))
			}
		}
		assert.Equal(t, []string{
			"2000-01-01  https://gate.example/  refused until 06:01: 403 forbidden",
			"2000-01-06  https://a.example/  broken: 404 not found",
			"2000-01-09  https://a.example/  ok",
			"2000-01-11  https://a.example/  moved to https://fine.example/a",
		}, news, "what is new, once, and no blip")
		assert.Contains(t, out.String(), "5 links on 5 domains: 3 ok, 1 moved, 1 refused")
		assert.Contains(t, errOut.String(), "watching 5 links on 5 domains, each every 24h; Ctrl-C ends it")

		// The next watch goes on from there: nothing is due yet.
		before := len(site.Log())
		ctx, stop := context.WithTimeout(t.Context(), 30*time.Minute+1)
		defer stop()
		res := start(ctx, site, "", "-watch", "-state", dir)
		assert.Equal(t, exitNothing, res.code)
		assert.Len(t, site.Log(), before)
	})
}

// A second blip, days after the first, is a first failure again; and a chain that had to
// wait in another domain's line is back in its own for the next check.
func TestAWatchForgetsWhatIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fetchtest.Site{Latency: 20 * time.Millisecond}
		site.Set("/robots.txt", fetchtest.Text(""))
		down, up := fetchtest.Status(500), words("")
		site.Set("https://blip.example/", up, down, up, up, down, up)
		site.Set("https://a.example/to-b", fetchtest.Redirect("https://b.example/"))
		site.Set("https://a.example/2", up)
		site.Set("https://b.example/", fetchtest.Status(429).RetryAfter(2*time.Hour), up)
		ctx, cancel := context.WithTimeout(t.Context(), 6*24*time.Hour-time.Hour)
		defer cancel()
		var s *sweeper
		var out, errOut bytes.Buffer
		c := &command{options: &options{watch: true, json: true, every: defaultEvery, drift: defaultDrift}, stdout: &out, stderr: &errOut, cfg: config(), plan: plan()}
		c.cfg.Transport = site
		c.started = func(x *sweeper) { s = x }
		c.file = "-"
		require.Equal(t, exitNothing, c.once(ctx, strings.NewReader("https://b.example/\nhttps://a.example/to-b\nhttps://a.example/2\nhttps://blip.example/\n")), errOut.String())
		assert.NotContains(t, out.String(), `"broken"`)
		assert.Equal(t, 2, strings.Count(out.String(), `"verdict":"pending"`))
		require.Contains(t, s.queue.lanes, "a.example")
		assert.Len(t, s.queue.lanes["a.example"].links, 2)
		assert.Len(t, s.queue.lanes["b.example"].links, 1)
		audit(t, site.Log())
	})
}
