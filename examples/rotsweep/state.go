package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/ratepolicy"
)

// recordVersion is that of the records which this program writes.
const recordVersion = 1

// A state is the folder of -state DIR: the list, a record a link, the domains that are
// stopped, and what the library remembers of hosts. Each file is written whole or not at
// all, and a link that one run is checking is not checked by another, so that several runs
// may share the folder. "" remembers nothing.
type state string

func (s state) hosts() ratepolicy.Dir { return ratepolicy.Dir(filepath.Join(string(s), "hosts")) }

func (s state) list() string    { return filepath.Join(string(s), "list.txt") }
func (s state) stopped() string { return filepath.Join(string(s), "stopped.txt") }

func (s state) record(address string) string {
	sum := sha256.Sum256([]byte(address))
	return filepath.Join(string(s), "links", hex.EncodeToString(sum[:16])+".json")
}

// load reads what is known of an address into r; nothing is no error. A file that can't be
// read as a record is set aside, and the error says so: the link is as good as new.
func (s state) load(address string, r *record) error {
	if s == "" {
		return nil
	}
	path := s.record(address)
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	var known record
	err = json.Unmarshal(b, &known)
	switch {
	case err == nil && known.Version > recordVersion:
		return fmt.Errorf("%s was written by a newer rotsweep: %w", path, errNewer)
	case err == nil && known.URL == address:
		*r = known
		return nil
	}
	bad := fmt.Sprintf("%s.%d.bad", path, time.Now().UnixNano())
	if err := os.Rename(path, bad); err != nil {
		return err
	}
	return fmt.Errorf("what was known of %s can't be read, and is set aside as %s: %w", address, bad, errDamaged)
}

var (
	errDamaged = errors.New("a damaged record")
	errNewer   = errors.New("a record of another version")
)

// save writes what is known of a link.
func (s state) save(r *record) error {
	if s == "" {
		return nil
	}
	b, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return cli.WriteFile(s.record(r.URL), append(b, '\n'))
}

// saveList keeps the list, for runs that are given none.
func (s state) saveList(links []*link) error {
	if s == "" {
		return nil
	}
	var b bytes.Buffer
	for _, l := range links {
		b.WriteString(l.URL)
		if l.browser != "" {
			b.WriteString(" browser=" + l.browser)
		}
		b.WriteByte('\n')
	}
	return cli.WriteFile(s.list(), b.Bytes())
}

// stop puts domains on the opt-out list, for good.
func (s state) stop(domains []string) error {
	if err := os.MkdirAll(string(s), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(s.stopped(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, d := range domains {
		fmt.Fprintf(&b, "\n%s # %s\n", d, time.Now().Format(time.DateOnly))
	}
	_, err = f.WriteString(b.String())
	return errors.Join(err, f.Sync(), f.Close())
}

// allow is the crawler's Allow. It reads the opt-out list each time, so that a domain is
// stopped at once, also for a run that is under way. While the list can't be read nothing is
// sent: its error is that of the bot's own store, which says nothing of a link.
func (s state) allow(_ context.Context, u *url.URL) error {
	if s == "" {
		return nil
	}
	b, err := os.ReadFile(s.stopped())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: the opt-out list can't be read: %w", politefetch.ErrStore, err)
	}
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(string(b), "\ufeff")) {
		n++
		domain, _, _ := strings.Cut(line, "#")
		if domain = strings.TrimSpace(domain); domain == "" {
			continue
		}
		if err := checkDomain(domain); err != nil {
			return fmt.Errorf("%w: the opt-out list can't be read: %s line %d: %w", politefetch.ErrStore, s.stopped(), n, err)
		}
		if host := u.Hostname(); host == domain || strings.HasSuffix(host, "."+domain) {
			return fmt.Errorf("%w: %s is on the opt-out list", errStopped, domain)
		}
	}
	return nil
}

// checkDomain reports what is wrong with a domain that somebody wrote: it is compared with
// hosts in their canonical form.
func checkDomain(s string) error {
	u, err := url.Parse("http://" + s + "/")
	if err != nil || s == "" || u.Host != s || u.Port() != "" || u.User != nil || s != strings.ToLower(s) || strings.Trim(s, ".") != s {
		return fmt.Errorf("%q is not a bare domain in lower case, such as site.example", s)
	}
	for _, r := range s {
		if r > '~' {
			return fmt.Errorf("%q: write the domain in ASCII (xn--…)", s)
		}
	}
	return nil
}
