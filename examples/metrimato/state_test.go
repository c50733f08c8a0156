package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch/fetchtest"
)

// TestM07_ASecondRunWithinTheWeekIsRefused lives through some days with one state folder,
// every run a process of its own.
func TestM07_ASecondRunWithinTheWeekIsRefused(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		site := sampleSite()
		start := time.Now()
		type want struct {
			at   time.Duration
			args []string
			code int
			says string
		}
		for _, w := range []want{
			{0, nil, exitScanned, ""},
			{time.Hour, nil, exitNotScanned, "once a week at most: not before Saturday 8 January 2000, 00:00"},
			{2 * time.Hour, []string{"-by-hand"}, exitScanned, ""},
			{3 * time.Hour, []string{"-by-hand"}, exitNotScanned, "once in 24 hours at most: not before Sunday 2 January 2000, 02:00"},
			{27 * time.Hour, []string{"-by-hand"}, exitScanned, ""},
			{7*24*time.Hour - time.Second, nil, exitNotScanned, "not before Saturday 8 January 2000, 00:00"},
			{7 * 24 * time.Hour, nil, exitScanned, ""},
		} {
			time.Sleep(time.Until(start.Add(w.at)))
			sent := len(site.Log())
			var out, errOut bytes.Buffer
			code := run(t.Context(), append(append([]string{"-state", dir}, w.args...), "https://site.example/"), &out, &errOut, site)
			assert.Equal(t, w.code, code, "%v: %s %s", w.at, out.String(), errOut.String())
			assert.Contains(t, errOut.String(), w.says)
			if w.code != exitScanned {
				assert.Len(t, site.Log(), sent, "nothing is sent")
			}
		}
		require.NoError(t, fetchtest.Audit(site.Log(), fetchtest.Promise{Product: "Metrimato-Scanner", Concurrency: 1, Delay: 300 * time.Millisecond}))
	})
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		for _, text := range hidden {
			assert.NotContains(t, string(b), text, path)
		}
		return err
	}))
}

// A run that came to nothing, for a reason that is no answer of the site's, is no reason
// to refuse the next one.
func TestARunThatScannedNothingIsNotTheWeeklyOne(t *testing.T) {
	dir := t.TempDir()
	res := runFake(t, sampleSite(), "-state", dir, "-own-proof", "WRONG", "https://site.example/")
	assert.Equal(t, exitNotScanned, res.code)
	assert.Contains(t, res.out, "nothing was scanned")
	res = runFake(t, sampleSite(), "-state", dir, "https://site.example/")
	assert.Equal(t, exitScanned, res.code, res.errOut)
	res = runFake(t, sampleSite(), "-state", dir, "https://site.example/")
	assert.Equal(t, exitNotScanned, res.code)
	assert.Contains(t, res.errOut, "once a week at most")
}

func TestARunThatIsNotDueSaysSoInJSON(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		var out, errOut bytes.Buffer
		args := []string{"-state", dir, "-json", "https://site.example/"}
		require.Equal(t, exitScanned, run(t.Context(), args, &out, &errOut, sampleSite()))
		out.Reset()
		require.Equal(t, exitNotScanned, run(t.Context(), args, &out, &errOut, sampleSite()))
		var got struct{ Report summary }
		require.NoError(t, json.Unmarshal(out.Bytes(), &got))
		assert.Equal(t, notDue, got.Report.Outcome)
		assert.Equal(t, time.Date(2000, 1, 8, 0, 0, 0, 0, time.UTC), got.Report.Opens.UTC())
	})
}

func TestAStateThatCannotBeReadIsNoLeave(t *testing.T) {
	dir := t.TempDir()
	h, err := openHistory(dir, "https://site.example")
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(h.path()), 0o700))
	require.NoError(t, os.WriteFile(h.path(), []byte("{half"), 0o600))
	res := runFake(t, sampleSite(), "-state", dir, "https://site.example/")
	assert.Equal(t, exitNotScanned, res.code)
	assert.Empty(t, res.log)
	assert.Contains(t, res.errOut, "can't be read")
}

func TestTheLimitsOfASiteOutliveTheRun(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		site := sampleSite()
		site.Set("/twin", fetchtest.Status(429).RetryAfter(2*time.Hour))
		var out, errOut bytes.Buffer
		require.Equal(t, exitNotScanned, run(t.Context(), []string{"-state", dir, "https://site.example/"}, &out, &errOut, site))
		assert.Contains(t, out.String(), "as the site asked")
		site.Set("/twin", fetchtest.HTML("x"))
		time.Sleep(time.Hour)
		out.Reset()
		errOut.Reset()
		run(t.Context(), []string{"-state", dir, "-by-hand", "https://site.example/"}, &out, &errOut, site)
		assert.NotContains(t, out.String()+errOut.String(), "done")
		require.NoError(t, fetchtest.Audit(site.Log(), fetchtest.Promise{Concurrency: 1}), "the hold is kept by the next process")
		time.Sleep(7 * 24 * time.Hour)
		out.Reset()
		require.Equal(t, exitScanned, run(t.Context(), []string{"-state", dir, "https://site.example/"}, &out, &errOut, site))
		n := len(site.Log())
		log := site.Log()[n-6:]
		for i := range log[1:] {
			assert.GreaterOrEqual(t, log[i+1].Began.Sub(log[i].Ended), 2*time.Second, "gentle for 14 days")
		}
	})
}

func TestFlagsOfState(t *testing.T) {
	for _, args := range [][]string{{"-by-hand", "https://site.example/"}, {"-demo", "-state", "x"}} {
		res := runFake(t, sampleSite(), args...)
		assert.Equal(t, exitUsage, res.code, strings.Join(args, " "))
	}
}
