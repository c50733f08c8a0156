package main

import (
	"bytes"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch/fetchtest"
)

func TestDemoKeepsItsPromises(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		var out, errOut bytes.Buffer
		a := &app{stdout: &out, stderr: &errOut}
		began := time.Now()
		require.Equal(t, exitDone, a.run(t.Context(), []string{"-demo"}), "%s%s", &out, &errOut)
		assert.Less(t, time.Since(began), time.Minute)
		text := flat(out.String())
		for _, want := range []string{
			"set-up visit: done",
			": no visit before ",
			"GET /floor-lamps answered 429 with Retry-After 1",
			"gentle until ",
			"9 requests, gently, at most 1 at a time",
			"through the provider until ",
			"8 requests through the provider, at most 2 at a time",
			"country_code=us, premium_proxy=false",
			"recheck: walled",
			": no recheck before ",
			"a bot wall answered at /: cloudflare challenge",
			"keeps it off the provider's route",
			"Every promise was kept",
		} {
			assert.Contains(t, text, want)
		}
		assert.NotContains(t, out.String()+errOut.String(), demoKey)
	})
}

func TestDemoOwnsUpToABrokenPromise(t *testing.T) {
	var out bytes.Buffer
	d := &demo{app: &app{stdout: &out}, direct: new(fetchtest.Site), far: new(fetchtest.Site), broken: []error{nil, errors.New("came 0s after")}}
	d.relay = d.far.Relay()
	assert.Equal(t, exitNotDone, d.verdict())
	assert.Contains(t, out.String(), "BROKEN:\ncame 0s after")
	assert.NotContains(t, out.String(), "Every promise was kept")
}
