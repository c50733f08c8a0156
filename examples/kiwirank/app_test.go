package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch/fetchtest"
)

const start = "https://shop.example/"

// A world is a site, a provider and a folder: what runs of the command share.
type world struct {
	direct, far fetchtest.Site
	relay       *fetchtest.Relay
	dir, key    string

	mu   sync.Mutex
	said []string // everything that was written to a screen
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{dir: t.TempDir(), key: "s3cret-key-of-the-provider"}
	for _, s := range []*fetchtest.Site{&w.direct, &w.far} {
		s.Latency = 100 * time.Millisecond
		s.Set("/robots.txt", fetchtest.Text("User-agent: KiwiRankBot\nDisallow: /cart\nSitemap: "+start+"map.xml\n"))
		s.Set("/", fetchtest.HTML("home"))
		s.Set("/map.xml", fetchtest.Sitemap(start+"a", start+"b", start+"c", start+"cart"))
		for i, p := range []string{"/a", "/b", "/c"} {
			s.Set(p, fetchtest.HTML(p).After(time.Duration(i)*7*time.Millisecond))
		}
	}
	w.relay = w.far.Relay()
	w.relay.Key = w.key
	return w
}

// run runs the command, as a process of its own.
func (w *world) run(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	var o, e bytes.Buffer
	a := &app{stdout: &o, stderr: &e, key: w.key, direct: &w.direct, provider: w.relay}
	if !slices.Contains(args, "-state") {
		args = append(args, "-state", w.dir)
	}
	code = a.run(t.Context(), args)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said = append(w.said, o.String(), e.String())
	return code, o.String(), e.String()
}

// visit makes a visit that is due.
func (w *world) visit(t *testing.T, code int) string {
	t.Helper()
	got, out, errOut := w.run(t, "visit", start)
	require.Equal(t, code, got, "%s%s", out, errOut)
	return flat(out)
}

// flat is a text in one line.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// status is the status in one line.
func (w *world) status(t *testing.T) string {
	t.Helper()
	code, out, errOut := w.run(t, "status", start)
	require.Equal(t, exitDone, code, errOut)
	return flat(out)
}

// audit holds the logs against the bot's page, and looks for the key where it must not be.
func (w *world) audit(t *testing.T) {
	t.Helper()
	require.NoError(t, fetchtest.Audit(w.direct.Log(), promise))
	require.NoError(t, fetchtest.Audit(w.relay.Asked(), promise))
	if w.key == "" {
		return
	}
	for _, text := range w.said {
		assert.NotContains(t, text, w.key)
	}
	require.NoError(t, filepath.WalkDir(w.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		assert.NotContains(t, string(b), w.key, path)
		return err
	}))
}

func busy(seconds int) fetchtest.Answer {
	return fetchtest.Status(429).RetryAfter(time.Duration(seconds) * time.Second).After(37 * time.Millisecond)
}
