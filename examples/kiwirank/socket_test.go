package main

import (
	"bytes"
	"errors"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch/fetchtest"
)

// The library's own network, guard included, on a real socket.
func TestAServerOnThisMachine(t *testing.T) {
	var site fetchtest.Site
	srv := httptest.NewServer(&site)
	defer srv.Close()
	site.Set("/robots.txt", fetchtest.Text("User-agent: *\nDisallow: /cart\nSitemap: "+srv.URL+"/map.xml\n"))
	site.Set("/", fetchtest.HTML("<p>three words here"))
	site.Set("/map.xml", fetchtest.Sitemap(srv.URL+"/a", srv.URL+"/cart"))
	site.Set("/a", fetchtest.HTML("<p>and two"))
	address := srv.Listener.Addr().String()
	dir := t.TempDir()
	store := &demoStore{clock: &clock{}, recs: make(map[string]demoRecord)} // a busy machine's disk takes its time
	run := func(args ...string) (int, string, string) {
		var out, errOut bytes.Buffer
		a := &app{stdout: &out, stderr: &errOut, store: store}
		code := a.run(t.Context(), append(args, "-state", dir))
		return code, flat(out.String()), flat(errOut.String())
	}
	code, _, errOut := run("visit", srv.URL)
	assert.Equal(t, exitNotDone, code)
	assert.Contains(t, errOut, "let it through with -allow-addr "+address)
	assert.Empty(t, site.Log())

	code, out, errOut := run("visit", srv.URL, "-allow-addr", address, "-v")
	assert.Equal(t, exitDone, code, errOut)
	assert.Contains(t, out, "read 2 pages with 5 words, 1 closed by robots.txt")
	assert.Contains(t, errOut, "send "+srv.URL+"/map.xml")
	require.NoError(t, fetchtest.Audit(site.Log(), promise))
}

func TestASiteThatNeverAnsweredIsNotSetUp(t *testing.T) {
	w := newWorld(t)
	synctest.Test(t, func(t *testing.T) {
		w.direct.Set("/robots.txt", fetchtest.Fail(errors.New("no such host")))
		assert.Contains(t, w.visit(t, exitNotDone), "set-up visit: norobots")
		_, out, _ := w.run(t, "due")
		assert.Empty(t, out)
		w.direct.Set("/robots.txt", fetchtest.Text(""))
		w.visit(t, exitDone)
		w.audit(t)
	})
}

func TestWhatFailedIsSaid(t *testing.T) {
	w := newWorld(t)
	synctest.Test(t, func(t *testing.T) {
		w.direct.Set("/b", fetchtest.Fail(errors.New("connection reset")))
		out := w.visit(t, exitDone)
		assert.Contains(t, out, "1 failed failed /b: connection reset way")
	})
}
