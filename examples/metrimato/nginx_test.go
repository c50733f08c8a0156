package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch/fetchtest"
)

// Where the real server and the real pages are. Unset: the tests are skipped. Set and
// unusable: they fail.
const (
	envNginx = "POLITEFETCH_NGINX" // the nginx binary
	envPages = "POLITEFETCH_PYDOC" // a folder of HTML pages: that of Debian's python3-doc
)

// pagesAsked is how many pages each scan of the real server reads.
const pagesAsked = 60

const nginxConf = `daemon off;
master_process off;
pid %[1]s/pid;
error_log %[1]s/error.log;
events {}
http {
	types { text/html html; text/css css; text/javascript js; image/png png; image/svg+xml svg; text/plain txt; text/xml xml; }
	log_format polite '$msec $request_time $status "$request" "$http_user_agent" "$http_cookie$http_authorization$http_referer"';
	access_log %[1]s/access.log polite;
	client_body_temp_path %[1]s/t1; proxy_temp_path %[1]s/t2; fastcgi_temp_path %[1]s/t3; uwsgi_temp_path %[1]s/t4; scgi_temp_path %[1]s/t5;
	server {
		listen %[2]s;
		root %[3]s;
		index index.html;
		location = /robots.txt { alias %[1]s/robots.txt; }
		location = /sitemap.xml { alias %[1]s/sitemap.xml; }
	}
}
`

// An nginx is a real server that this test started.
type nginx struct {
	addr, dir string
	cmd       *exec.Cmd
	errOut    bytes.Buffer
}

// startNginx serves the real pages. Robots and sitemap ("": there is none) are made by
// functions, because they hold the server's address.
func startNginx(t *testing.T, robots, sitemap func(base string) string) *nginx {
	t.Helper()
	binary, pages := os.Getenv(envNginx), os.Getenv(envPages)
	if binary == "" || pages == "" {
		t.Skipf("needs a real server and real pages: set %s to an nginx binary and %s to the html folder of python3-doc", envNginx, envPages)
	}
	pages, err := filepath.EvalSymlinks(pages)
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(pages, "index.html"))

	s := &nginx{addr: freeAddr(t), dir: t.TempDir()}
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644))
	}
	write("nginx.conf", fmt.Sprintf(nginxConf, s.dir, s.addr, pages))
	write("robots.txt", robots("http://"+s.addr))
	if text := sitemap("http://" + s.addr); text != "" {
		write("sitemap.xml", text)
	}
	s.cmd = exec.Command(binary, "-p", s.dir, "-c", filepath.Join(s.dir, "nginx.conf"), "-e", filepath.Join(s.dir, "error.log"))
	s.cmd.Stdout, s.cmd.Stderr = &s.errOut, &s.errOut
	require.NoError(t, s.cmd.Start())
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	require.Eventually(t, func() bool {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.addr)
		if err == nil {
			c.Close()
		}
		return err == nil
	}, 10*time.Second, 20*time.Millisecond, "nginx does not answer: %s", &s.errOut)
	return s
}

func freeAddr(t *testing.T) string {
	t.Helper()
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	return ln.Addr().String()
}

// log stops the server and reads its access log.
func (s *nginx) log(t *testing.T) []fetchtest.Exchange {
	t.Helper()
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGQUIT))
	_ = s.cmd.Wait() // the log tells whether it went well
	f, err := os.Open(filepath.Join(s.dir, "access.log"))
	require.NoError(t, err)
	defer f.Close()
	robots, err := os.ReadFile(filepath.Join(s.dir, "robots.txt"))
	require.NoError(t, err)
	var out []fetchtest.Exchange
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		x := s.exchange(t, lines.Text())
		if x.URL.Path == "/robots.txt" {
			x.Answer.Body = string(robots)
		}
		out = append(out, x)
	}
	require.NoError(t, lines.Err())
	return out
}

// exchange reads a line of the access log. A request came when its first byte was read:
// at the time of the line less the time that it took.
func (s *nginx) exchange(t *testing.T, line string) fetchtest.Exchange {
	t.Helper()
	quoted := strings.Split(line, `"`)
	require.Len(t, quoted, 7, line)
	var ended, took float64
	var status int
	_, err := fmt.Sscan(quoted[0], &ended, &took, &status)
	require.NoError(t, err, line)
	method, rest, _ := strings.Cut(quoted[1], " ")
	target, _, _ := strings.Cut(rest, " ")
	u, err := url.Parse("http://" + s.addr + target)
	require.NoError(t, err, line)
	x := fetchtest.Exchange{
		Method: method, URL: u, Header: http.Header{"User-Agent": {quoted[3]}},
		Ended: time.UnixMilli(int64(ended*1000 + 0.5)), Answer: fetchtest.Status(status),
	}
	if quoted[5] != "---" { // nginx writes "-" where a field is missing
		x.Header.Set("Cookie", quoted[5]) // or another of those that are promised not to be sent
	}
	x.Answered, x.Began = x.Ended, x.Ended.Add(-time.Duration(took*1000+0.5)*time.Millisecond)
	return x
}

// hold checks what the server saw against what the scanner's page promises.
func hold(t *testing.T, log []fetchtest.Exchange, gap time.Duration, closed string) {
	t.Helper()
	p := promise
	p.Tolerance = 2 * time.Millisecond // nginx writes whole milliseconds
	require.NoError(t, fetchtest.Audit(log, p))
	require.NotEmpty(t, log)
	assert.Equal(t, "/robots.txt", log[0].URL.Path)
	pages := 0
	for i := range log {
		x := &log[i]
		assert.Equal(t, promise.UserAgent, x.Header.Get("User-Agent"))
		assert.NotContains(t, x.URL.Path, closed)
		switch ext := path.Ext(x.URL.Path); {
		case x.URL.Path == "/robots.txt", strings.HasPrefix(x.URL.Path, "/sitemap"):
		case ext == ".html", x.URL.Path == "/":
			pages++
		default:
			t.Errorf("%s is not a page", x.URL)
		}
		if i > 0 {
			assert.GreaterOrEqual(t, x.Began.Sub(log[i-1].Ended), gap-p.Tolerance, "%s after %s", x.URL, log[i-1].URL)
		}
	}
	assert.Equal(t, pagesAsked, pages)
}

// scanReal runs the command against a real server.
func scanReal(ctx context.Context, t *testing.T, s *nginx) string {
	t.Helper()
	var out, errOut bytes.Buffer
	args := []string{"-allow-addr", s.addr, "-max-pages", strconv.Itoa(pagesAsked), "http://" + s.addr + "/"}
	require.Equal(t, exitScanned, run(ctx, args, &out, &errOut, nil), "%s%s", &out, &errOut)
	return out.String()
}

func TestRealServerWithASitemap(t *testing.T) {
	t.Parallel()
	s := startNginx(t, func(base string) string {
		return "User-agent: *\nDisallow: /\n\nUser-agent: Metrimato-Scanner\nCrawl-delay: 0.35\nDisallow: /c-api/\n\nSitemap: " + base + "/sitemap.xml\n"
	}, func(base string) string { return sitemapOf(t, base) })
	out := scanReal(t.Context(), t, s)
	assert.Contains(t, out, "closed by line 6: Disallow: /c-api/")
	assert.Regexp(t, `/sitemap.xml: 1\d{3} addresses, 5\d\d of them wanted`, out)
	hold(t, s.log(t), 350*time.Millisecond, "/c-api/")
}

func TestRealServerWithoutASitemap(t *testing.T) {
	t.Parallel()
	s := startNginx(t, func(string) string { return "User-agent: *\nDisallow: /tutorial/\n" }, func(string) string { return "" })
	out := scanReal(t.Context(), t, s)
	assert.Contains(t, out, "closed by line 2: Disallow: /tutorial/")
	assert.Contains(t, out, "links are followed")
	hold(t, s.log(t), 300*time.Millisecond, "/tutorial/")
}

// sitemapOf lists the real files: pages, those of the closed folder early among them, and
// what is none, which the scanner must not ask for.
func sitemapOf(t *testing.T, base string) string {
	t.Helper()
	var locs []string
	root := os.DirFS(os.Getenv(envPages))
	require.NoError(t, fs.WalkDir(root, ".", func(name string, _ fs.DirEntry, err error) error {
		if slices.Contains([]string{".html", ".css", ".js", ".png", ".svg", ".txt"}, path.Ext(name)) {
			locs = append(locs, base+"/"+name)
		}
		return err
	}))
	return fetchtest.Sitemap(locs...).Body
}
