package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch/fetchtest"
	"github.com/politefetch/sdk/ratepolicy"
)

const sample = "https://site.example/"

// runIn runs the command on a folder, as a process of its own.
func runIn(ctx context.Context, dir string, site *fetchtest.Site, args ...string) (res result) {
	var out, errOut bytes.Buffer
	res.code = run(ctx, append(append([]string{"-state", dir}, args...), sample), &out, &errOut, site)
	res.out, res.errOut = out.String(), errOut.String()
	return res
}

func TestM07_OneRunOfASiteAtATime(t *testing.T) {
	weekly, byHand := []string{"-json"}, []string{"-json", "-by-hand"}
	for _, tt := range []struct {
		name          string
		first, second []string
		after         int // the second's exit code once the first has ended
	}{
		{"weekly, weekly", weekly, weekly, exitNotScanned},
		{"weekly, by hand", weekly, byHand, exitScanned},
		{"by hand, weekly", byHand, weekly, exitScanned},
		{"by hand, by hand", byHand, byHand, exitNotScanned},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				site := sampleSite()
				site.Set("/robots.txt", fetchtest.Text("User-agent: *\nCrawl-delay: 600\nSitemap: "+sample+"sitemap.xml\n"))
				first := make(chan result)
				go func() { first <- runIn(t.Context(), dir, site, tt.first...) }()
				time.Sleep(25 * time.Minute)
				sent := len(site.Log())
				second := runIn(t.Context(), dir, site, tt.second...)
				assert.Equal(t, exitNotScanned, second.code)
				assert.Contains(t, second.errOut, "metrimato: https://site.example: another process is at it since Saturday, 00:00:00")
				var got struct{ Report summary }
				require.NoError(t, json.Unmarshal([]byte(second.out), &got))
				assert.Equal(t, underWay, got.Report.Outcome)
				assert.Contains(t, got.Report.Why, "another process is at it since")
				assert.Len(t, site.Log(), sent, "nothing is sent")

				assert.Equal(t, exitScanned, (<-first).code)
				second = runIn(t.Context(), dir, site, tt.second...)
				assert.Equal(t, tt.after, second.code, second.errOut)
			})
		})
	}
}

func TestM07_OfRunsThatStartTogetherOneScans(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		site := sampleSite()
		codes := make(chan int)
		for _, args := range [][]string{nil, {"-by-hand"}, nil, {"-by-hand"}} {
			go func() { codes <- runIn(t.Context(), dir, site, args...).code }()
		}
		sum := 0
		for range 4 {
			sum += <-codes
		}
		assert.Equal(t, 3*exitNotScanned+exitScanned, sum)
		assert.Equal(t, 1, site.Count("/robots.txt"))
	})
}

// A pipe is a screen that goes away after some writes.
type pipe struct{ writes int }

func (p *pipe) Write(b []byte) (int, error) {
	if p.writes--; p.writes < 0 {
		return 0, errors.New("broken pipe")
	}
	return len(b), nil
}

func TestM07_ARunThatIsBrokenOffCounts(t *testing.T) {
	for name, breakOff := range map[string]func(context.Context, *testing.T, string, *fetchtest.Site, ...string){
		"the output": func(ctx context.Context, t *testing.T, dir string, site *fetchtest.Site, args ...string) {
			t.Helper()
			var errOut bytes.Buffer
			code := run(ctx, append(args, "-state", dir, "-json", sample), &pipe{writes: 1}, &errOut, site)
			assert.Equal(t, exitNotScanned, code)
			assert.Contains(t, errOut.String(), "metrimato: writing the output: broken pipe")
			assert.Equal(t, 1, site.Count("/twin"))
			assert.Zero(t, site.Count("/moved"), "the run ends there")
		},
		"the person, before any page": func(ctx context.Context, t *testing.T, dir string, site *fetchtest.Site, args ...string) {
			t.Helper()
			ctx, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
			defer cancel()
			res := runIn(ctx, dir, site, args...)
			assert.Equal(t, exitInterrupted, res.code, res.errOut)
			assert.Contains(t, res.out, "pages       0 answered")
			assert.Contains(t, res.out, "weekly at most")
		},
	} {
		for _, kind := range []struct {
			name        string
			args, other []string
			until       string // the next of the kind
		}{
			{"weekly", nil, []string{"-by-hand"}, "once a week at most: not before Saturday 8 January 2000, 00:00:00"},
			{"by hand", []string{"-by-hand"}, nil, "once in 24 hours at most: not before Sunday 2 January 2000, 00:00:0"},
		} {
			t.Run(name+", "+kind.name, func(t *testing.T) {
				dir := t.TempDir()
				synctest.Test(t, func(t *testing.T) {
					site := sampleSite()
					breakOff(t.Context(), t, dir, site, kind.args...)
					sent := len(site.Log())
					res := runIn(t.Context(), dir, site, kind.args...)
					assert.Equal(t, exitNotScanned, res.code)
					assert.Contains(t, res.errOut, kind.until)
					assert.Contains(t, res.errOut, "(the last one was broken off, and counts)")
					assert.Len(t, site.Log(), sent, "nothing is sent")
					res = runIn(t.Context(), dir, site, kind.other...)
					assert.Equal(t, exitScanned, res.code, res.errOut)
				})
			})
		}
	}
}

// While a site asks for no request none is sent: that is no run either.
func TestARunThatSentNothingIsNone(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		site := sampleSite()
		site.Set("/twin", fetchtest.Status(429).RetryAfter(2*time.Hour))
		require.Equal(t, exitNotScanned, runIn(t.Context(), dir, site).code)
		sent := len(site.Log())
		site.Set("/twin", fetchtest.HTML("x"))
		res := runIn(t.Context(), dir, site, "-by-hand")
		assert.Equal(t, exitNotScanned, res.code)
		assert.Contains(t, res.out, "limited")
		assert.Len(t, site.Log(), sent)
		time.Sleep(2 * time.Hour)
		res = runIn(t.Context(), dir, site, "-by-hand")
		assert.Equal(t, exitScanned, res.code, res.errOut)
	})
}

func TestAStateThatCannotBeWrittenIsToldBeforehand(t *testing.T) {
	for name, spoil := range map[string]func(dir string) (string, error){
		"a file in its place": func(dir string) (string, error) {
			name := filepath.Join(dir, "file")
			return filepath.Join(name, "state"), os.WriteFile(name, nil, 0o600)
		},
		"no place for runs": func(dir string) (string, error) {
			return dir, os.Symlink(filepath.Join(dir, "nowhere", "runs"), filepath.Join(dir, "runs"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := spoil(t.TempDir())
			require.NoError(t, err)
			site := sampleSite()
			res := runIn(t.Context(), dir, site)
			assert.Equal(t, exitNotScanned, res.code)
			assert.Empty(t, site.Log())
			assert.Contains(t, res.errOut, "metrimato: ")
			assert.Contains(t, res.errOut, dir)
			assert.NotContains(t, res.errOut, "scanning")
			assert.Empty(t, res.out)
		})
	}
}

// A child is the command as a process of its own.
type child struct {
	*exec.Cmd
	out    io.ReadCloser
	errOut bytes.Buffer
}

func startChild(t *testing.T, args ...string) *child {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	c := &child{Cmd: exec.Command(self)}
	c.Env = append(os.Environ(), argsVar+"="+strings.Join(args, "\n"))
	c.Stderr = &c.errOut
	c.out, err = c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	return c
}

// serve serves a site on this machine; args are what the command needs to scan it.
func serve(t *testing.T, site http.Handler) (origin string, args []string) {
	t.Helper()
	srv := httptest.NewServer(site)
	t.Cleanup(srv.Close)
	return srv.URL, []string{"-state", t.TempDir(), "-json", "-allow-addr", srv.Listener.Addr().String(), srv.URL + "/"}
}

func TestM07_OfProcessesThatStartTogetherOneScans(t *testing.T) {
	t.Parallel()
	site := &fetchtest.Site{}
	site.Set("/", fetchtest.HTML("<p><a href=/a>on</a>"))
	site.Set("/a", fetchtest.HTML("a"))
	_, args := serve(t, site)
	sum := 0
	var said string
	children := []*child{startChild(t, args...), startChild(t, append([]string{"-v"}, args...)...)}
	for _, c := range children {
		_, err := io.Copy(io.Discard, c.out)
		require.NoError(t, err)
		_ = c.Wait()
		sum += c.ProcessState.ExitCode()
		said += c.errOut.String()
	}
	assert.Equal(t, exitScanned+exitNotScanned, sum, said)
	assert.Equal(t, 1, site.Count("/a"))
}

func TestM07_ARunWhoseProcessDiesCounts(t *testing.T) {
	t.Parallel()
	for _, kind := range []struct {
		name string
		args []string
		says string
	}{
		{"weekly", nil, "once a week at most: not before "},
		{"by hand", []string{"-by-hand"}, "once in 24 hours at most: not before "},
	} {
		for name, die := range map[string]func(*testing.T, *child){
			"kill -9": func(t *testing.T, c *child) {
				t.Helper()
				require.NoError(t, c.Process.Kill())
			},
			"a pipe that nobody reads": func(t *testing.T, c *child) {
				t.Helper()
				_, err := bufio.NewReader(c.out).ReadString('\n')
				require.NoError(t, err)
				require.NoError(t, c.out.Close())
			},
		} {
			t.Run(kind.name+", "+name, func(t *testing.T) {
				t.Parallel()
				site := &fetchtest.Site{}
				site.Set("/", fetchtest.HTML("<p><a href=/slow>on</a> <a href=/never>on</a>"))
				site.Set("/slow", fetchtest.HTML("slow"))
				var requests atomic.Int32
				asked, dead := make(chan bool, 1), make(chan bool)
				origin, args := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					requests.Add(1)
					if r.URL.Path == "/slow" {
						asked <- true
						<-dead
					}
					site.ServeHTTP(w, r)
				}))
				c := startChild(t, append(kind.args, args...)...)
				select {
				case <-asked:
				case <-time.After(time.Minute):
					require.Fail(t, "it does not come as far", c.errOut.String())
				}
				die(t, c)
				close(dead)
				_ = c.Wait()
				require.False(t, c.ProcessState.Exited(), "it was killed: %s", c.errOut.String())
				again := func() (int, string) {
					var errOut bytes.Buffer
					code := run(t.Context(), append(kind.args, args...), io.Discard, &errOut, nil)
					return code, errOut.String()
				}
				sent := requests.Load()
				code, said := again()
				assert.Equal(t, exitNotScanned, code)
				assert.Contains(t, said, "another process is at it since")
				assert.Contains(t, said, "(one that died is forgotten after 2 minutes)")

				require.NoError(t, ratepolicy.Dir(args[1]).Update(t.Context(), claimKey(origin), func(now time.Time, rec []byte) ([]byte, time.Time) {
					return rec, now // as after these 2 minutes
				}))
				code, said = again()
				assert.Equal(t, exitNotScanned, code)
				assert.Contains(t, said, kind.says)
				assert.Contains(t, said, "(the last one was broken off, and counts)")
				assert.Equal(t, sent, requests.Load(), "nothing is sent")
				assert.Zero(t, site.Count("/never"))
			})
		}
	}
}
