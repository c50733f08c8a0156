package politefetch_test

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/politefetch/fetchtest"
	"github.com/politefetch/sdk/ratepolicy"
)

// The site scanner of rows M: its public page as a Config.
const (
	scannerProduct = "Metrimato-Scanner"
	scannerAgent   = "Metrimato-Scanner/1.0 (+https://metrimato.com/scanner)"
)

// scannerPromise is what every test of the scanner holds the server's log against.
var scannerPromise = fetchtest.Promise{
	UserAgent: scannerAgent, Anonymous: true, Product: scannerProduct,
	Concurrency: 1, Delay: 300 * time.Millisecond, OneSite: true, MaxWait: 30 * time.Second,
}

func scannerConfig(site *fetchtest.Site) politefetch.Config {
	return politefetch.Config{
		Product: scannerProduct, UserAgent: scannerAgent, Transport: site,
		Policy:   ratepolicy.Policy{Normal: ratepolicy.Pace{Concurrency: 1, Delay: 300 * time.Millisecond}},
		MaxPages: 500, MaxBody: 2_000_000,
	}
}

var scannerVisit = politefetch.VisitOptions{HTMLOnly: true, DropBodies: true}

func newBot(t *testing.T, cfg politefetch.Config) *politefetch.Crawler {
	t.Helper()
	bot, err := politefetch.New(cfg)
	require.NoError(t, err)
	return bot
}

// visited is what a visit yielded.
type visited struct {
	pages  map[string]*politefetch.Page
	errs   map[string]error
	order  []string
	report politefetch.Report
}

func visit(t *testing.T, bot *politefetch.Crawler, start string, opts politefetch.VisitOptions) visited {
	t.Helper()
	v, err := bot.Visit(start, &opts)
	require.NoError(t, err)
	out := visited{pages: make(map[string]*politefetch.Page), errs: make(map[string]error)}
	for p, err := range v.Pages(t.Context()) {
		require.NotNil(t, p)
		require.NotContains(t, out.order, p.URL, "every page once")
		out.order = append(out.order, p.URL)
		out.pages[p.URL] = p
		if err != nil {
			out.errs[p.URL] = err
		}
	}
	out.report = v.Report()
	return out
}

// scan runs the scanner over a scripted site and audits what the site saw.
func scan(t *testing.T, site *fetchtest.Site, start string, change func(*politefetch.Config, *politefetch.VisitOptions)) visited {
	t.Helper()
	cfg, opts := scannerConfig(site), scannerVisit
	if change != nil {
		change(&cfg, &opts)
	}
	out := visit(t, newBot(t, cfg), start, opts)
	require.NoError(t, fetchtest.Audit(site.Log(), scannerPromise))
	return out
}

// asked returns the addresses that a site was asked for, in order.
func asked(site *fetchtest.Site) []string {
	var out []string
	for _, x := range site.Log() {
		out = append(out, x.URL.String())
	}
	return out
}

func links(hrefs ...string) fetchtest.Answer {
	var b strings.Builder
	b.WriteString("<!doctype html><title>links</title>")
	for _, h := range hrefs {
		fmt.Fprintf(&b, "<a href=%q>x</a>\n", h)
	}
	return fetchtest.HTML(b.String())
}

// carries is an Admit that looks for a code on the home page.
func carries(code string) func(context.Context, string, io.Reader) (string, error) {
	return func(_ context.Context, host string, home io.Reader) (string, error) {
		b, err := io.ReadAll(home)
		if err != nil {
			return "", err
		}
		if !strings.Contains(string(b), code) {
			return "", fmt.Errorf("the home page of %s does not carry the code", host)
		}
		return "code on the home page", nil
	}
}

// allowAllBut is an Allow for an opt-out list of one.
func allowAllBut(host string, err error) func(context.Context, *url.URL) error {
	return func(_ context.Context, u *url.URL) error {
		if u.Hostname() == host {
			return err
		}
		return nil
	}
}

// mapStore is a store that outlives Crawlers, as a file or a server would.
type mapStore struct {
	mu   sync.Mutex
	recs map[string]storedRecord
}

type storedRecord struct {
	rec     []byte
	expires time.Time
}

func newMapStore() *mapStore { return &mapStore{recs: make(map[string]storedRecord)} }

func (s *mapStore) Update(_ context.Context, key string, fn func(time.Time, []byte) ([]byte, time.Time)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	r := s.recs[key]
	if !r.expires.After(now) {
		r.rec = nil
	}
	if next, expires := fn(now, r.rec); next != nil {
		s.recs[key] = storedRecord{append([]byte(nil), next...), expires}
	}
	return nil
}
