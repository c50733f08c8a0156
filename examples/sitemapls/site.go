package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/robots"
	"github.com/politefetch/sdk/sitemap"
)

const (
	// maxBody is what one answer may hold: the limit of sitemaps.org and some more, so that
	// the reader of sitemaps is who says that a file is too large.
	maxBody = sitemap.DefaultMaxBytes + 1<<20
	// timeout is for one file; a large one takes its time.
	timeout = time.Minute
)

func newLister(o *options, s *screen, transport http.RoundTripper) (*lister, error) {
	l := &lister{o: o, screen: s, sum: newSummary(o.noFollow)}
	bot, err := politefetch.New(politefetch.Config{
		Product: o.agent, UserAgent: o.userAgent, Transport: transport,
		MaxBody: maxBody, Timeout: timeout,
		Guard:   politefetch.GuardOptions{Allow: o.local},
		Observe: l.observe,
	})
	if err != nil {
		return nil, err
	}
	l.client = &http.Client{Transport: patient{bot}}
	return l, nil
}

// patient asks once more where a host was busy. It needs not wait: the crawler does, or
// says until when the host is closed.
type patient struct{ bot *politefetch.Crawler }

// RoundTrip implements [http.RoundTripper].
func (p patient) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := p.bot.RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode != http.StatusServiceUnavailable {
		return resp, err
	}
	resp.Body.Close()
	return p.bot.RoundTrip(req)
}

// observe shows what the crawler is doing. Only one goroutine asks it for anything.
func (l *lister) observe(e politefetch.Event) {
	switch e.Kind {
	case politefetch.EventSend:
		l.screen.show(l.sum.progress() + ", asks for " + e.URL)
	case politefetch.EventWait:
		why, _, _ := strings.Cut(e.Why, " (until ") // said with less
		l.screen.show(fmt.Sprintf("%s, waits until %s: %s", l.sum.progress(), cli.RoundUp(e.Until, time.Second, time.TimeOnly), why))
	default:
	}
}

// site prints what the sitemaps of a site list.
func (l *lister) site(ctx context.Context) {
	named, err := l.named(ctx)
	switch {
	case err != nil:
		l.sum.fail(ctx, l.place("/robots.txt"), err)
		return
	case len(named) > 0:
		l.sum.source = fmt.Sprintf("robots.txt names %d", len(named))
		l.walk(ctx, named)
		return
	}
	l.sum.source = "robots.txt names none"
	for _, path := range []string{"/sitemap.xml", "/sitemap_index.xml"} {
		if l.walk(ctx, []string{l.place(path)}) {
			l.sum.source += "; there is " + path
			l.sum.forgetAbsent()
			return
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// place is the address of a path of the site.
func (l *lister) place(path string) string {
	return (&url.URL{Scheme: l.o.address.Scheme, Host: l.o.address.Host, Path: path}).String()
}

// named returns the sitemaps that the site's robots.txt names. An error says why nothing
// may be asked of the site. The crawler has read the file for its rules, but doesn't hand
// it out, so it is asked for once more, in its turn.
func (l *lister) named(ctx context.Context) ([]string, error) {
	resp, err := l.get(ctx, l.place("/robots.txt"))
	if err != nil {
		if _, ok := errors.AsType[*politefetch.Error](err); !ok && ctx.Err() == nil {
			err = nil // redirects that lead nowhere are as good as no file (RFC 9309 section 2.3.1.2)
		}
		return nil, err
	}
	defer resp.Body.Close()
	// One byte more than counts tells a file that was cut.
	body, err := io.ReadAll(io.LimitReader(resp.Body, robots.MaxBytes+1))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, s := range robots.FromStatus(resp.StatusCode, body).Sitemaps() {
		if u, err := resp.Request.URL.Parse(s); err == nil {
			s = u.String()
		} // else walking there says what is wrong with it
		out = append(out, s)
	}
	return out, nil
}

func (l *lister) get(ctx context.Context, address string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	return l.client.Do(req)
}

// llms prints the links of an llms.txt.
func (l *lister) llms(ctx context.Context, stdin io.Reader) {
	from, doc, err := l.readLLMs(ctx, stdin)
	l.sum.file(&sitemap.File{URL: from, Err: err})
	if err != nil {
		l.sum.fail(ctx, from, err)
	}
	if doc == nil {
		return
	}
	l.links(&sitemap.Section{Links: doc.Links, Inline: doc.Inline})
	for i := range doc.Sections {
		l.links(&doc.Sections[i])
	}
}

// readLLMs reads the file, or the site's. The result may come beside an error.
func (l *lister) readLLMs(ctx context.Context, stdin io.Reader) (from string, doc *sitemap.LLMs, err error) {
	if l.o.file != "" {
		r, err := l.open(ctx, stdin)
		if err != nil {
			return l.o.file, nil, err
		}
		defer r.Close()
		doc, err = sitemap.ReadLLMs(r, &sitemap.LLMsOptions{URL: l.o.address})
		return l.o.file, doc, err
	}
	from = l.o.address.String()
	if l.o.wholeSite() {
		from = l.place("/llms.txt")
	}
	resp, err := l.get(ctx, from)
	if err != nil {
		return from, nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return from, nil, &sitemap.Error{URL: from, Status: resp.StatusCode, Err: sitemap.ErrStatus}
	}
	doc, err = sitemap.ReadLLMs(resp.Body, &sitemap.LLMsOptions{URL: resp.Request.URL})
	return from, doc, err
}

// links prints the links of a section.
func (l *lister) links(s *sitemap.Section) {
	l.sum.entries += len(s.Links) + len(s.Inline)
	for i := range len(s.Links) + len(s.Inline) {
		if l.enough() {
			return
		}
		inline := i >= len(s.Links)
		var k sitemap.Link
		if inline {
			k = s.Inline[i-len(s.Links)]
		} else {
			k = s.Links[i]
		}
		if l.o.json {
			l.printJSON(&linkRecord{
				URL: k.URL, Title: k.Title, Section: s.Title, Optional: s.Optional, Raw: differing(k.Raw, k.URL),
				Note: k.Note, Label: k.Label, Group: k.Group, Bare: k.Bare, Inline: inline,
			})
			continue
		}
		l.print(printable(cmp.Or(k.Title, k.Label)) + "\t" + printable(k.URL) + "\t" + printable(s.Title))
	}
}
