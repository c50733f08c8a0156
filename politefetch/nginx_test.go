package politefetch_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch"
)

// envNginx names the nginx binary. Unset: the tests are skipped. Set and unusable: they
// fail.
const envNginx = "POLITEFETCH_NGINX"

// Addresses under /gone are met with "return 444": nginx hangs up without a word.
const nginxConf = `daemon off;
master_process off;
pid %[1]s/pid;
error_log %[1]s/error.log;
events {}
http {
	log_format seen '$connection $connection_requests $server_protocol $status $request_uri';
	access_log %[1]s/access.log seen;
	client_body_temp_path %[1]s/t1; proxy_temp_path %[1]s/t2; fastcgi_temp_path %[1]s/t3; uwsgi_temp_path %[1]s/t4; scgi_temp_path %[1]s/t5;
	server {
		listen %[2]s;
		listen %[3]s ssl http2;
		listen %[4]s ssl;
		ssl_certificate %[5]s;
		ssl_certificate_key %[6]s;
		location = /robots.txt { return 404; }
		location /gone { return 444; }
		location / { default_type text/html; return 200 "<p>here"; }
	}
}
`

// nginx is a real server that a test started.
type nginx struct {
	plain, h2, tls string // host and port
	dir            string
	cmd            *exec.Cmd
}

func startNginx(t *testing.T) *nginx {
	t.Helper()
	binary := os.Getenv(envNginx)
	if binary == "" {
		t.Skipf("needs a real server: set %s to an nginx binary", envNginx)
	}
	s := &nginx{plain: freeAddr(t), h2: freeAddr(t), tls: freeAddr(t), dir: t.TempDir()}
	cert, key := pemFiles(t, authority.leaf(nil), s.dir)
	conf := filepath.Join(s.dir, "nginx.conf")
	require.NoError(t, os.WriteFile(conf, fmt.Appendf(nil, nginxConf, s.dir, s.plain, s.h2, s.tls, cert, key), 0o600))
	var errOut bytes.Buffer
	s.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), binary, "-p", s.dir, "-c", conf, "-e", filepath.Join(s.dir, "error.log"))
	s.cmd.Stdout, s.cmd.Stderr = &errOut, &errOut
	require.NoError(t, s.cmd.Start())
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	require.Eventually(t, func() bool {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.tls)
		if err == nil {
			c.Close()
		}
		return err == nil
	}, 10*time.Second, 20*time.Millisecond, "nginx does not answer: %s", &errOut)
	return s
}

func freeAddr(t *testing.T) string {
	t.Helper()
	ln := listen(t)
	defer ln.Close()
	return ln.Addr().String()
}

// gone stops the server and returns the requests that it hung up on, by protocol and by
// whether they were the first of their connection.
func (s *nginx) gone(t *testing.T) (count map[string]int) {
	t.Helper()
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGQUIT))
	_ = s.cmd.Wait() // the log tells whether it went well
	log, err := os.ReadFile(filepath.Join(s.dir, "access.log"))
	require.NoError(t, err)
	count = make(map[string]int)
	for line := range strings.Lines(string(log)) {
		f := strings.Fields(line)
		require.Len(t, f, 5, line)
		if !strings.HasPrefix(f[4], "/gone") {
			continue
		}
		assert.Equal(t, "444", f[3], line)
		kind := f[2] + " reused"
		if f[1] == "1" {
			kind = f[2] + " fresh"
		}
		count[kind]++
	}
	return count
}

// A site that wants a bot gone says "return 444". One call is one request then, on a fresh
// connection as on a kept one.
func TestNginx444IsOneRequestACall(t *testing.T) {
	for _, tt := range []struct {
		name, kind string
		address    func(*nginx) string
		reused     bool
	}{
		{"HTTP/1.1, fresh", "HTTP/1.1 fresh", func(s *nginx) string { return "http://" + s.plain }, false},
		{"HTTP/1.1, kept alive", "HTTP/1.1 reused", func(s *nginx) string { return "http://" + s.plain }, true},
		{"HTTP/1.1 over TLS, fresh", "HTTP/1.1 fresh", func(s *nginx) string { return "https://" + s.tls }, false},
		{"HTTP/1.1 over TLS, kept alive", "HTTP/1.1 reused", func(s *nginx) string { return "https://" + s.tls }, true},
		{"HTTP/2, fresh", "HTTP/2.0 fresh", func(s *nginx) string { return "https://" + s.h2 }, false},
		{"HTTP/2, kept", "HTTP/2.0 reused", func(s *nginx) string { return "https://" + s.h2 }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := startNginx(t)
			cfg := politeConfig(nil)
			cfg.Transport = nil
			cfg.Policy.Normal.Delay = time.Millisecond
			base := tt.address(s)
			for _, addr := range []string{s.plain, s.h2, s.tls} {
				cfg.Guard.Allow = append(cfg.Guard.Allow, netip.MustParseAddrPort(addr))
			}
			bot := newBot(t, cfg)
			const calls = 100
			for i := range calls {
				if tt.reused { // an ordinary page before it leaves its connection
					_, err := bot.Fetch(t.Context(), base+"/", nil)
					require.NoError(t, err)
				} else {
					_, err := bot.Robots(t.Context(), base+"/")
					require.NoError(t, err)
					bot.CloseIdleConnections()
				}
				p, err := bot.Fetch(t.Context(), fmt.Sprintf("%s/gone/%d", base, i), nil)
				require.Error(t, err)
				assert.Equal(t, politefetch.Failed, p.Outcome)
				assert.Zero(t, p.Status)
			}
			bot.CloseIdleConnections()
			count := s.gone(t)
			assert.Equal(t, map[string]int{tt.kind: calls}, count, "requests at the server, of %d calls", calls)
			t.Logf("requests at the server / calls = %d/%d = %.2f", count[tt.kind], calls, float64(count[tt.kind])/calls)
		})
	}
}
