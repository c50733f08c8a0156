package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/sitemap"
)

// maxScan is the most pages of a sitemap that are looked through.
const maxScan = 500

// A finder looks for the links that lead off a site. robots.txt is obeyed.
type finder struct {
	bot   *politefetch.Crawler
	note  func(format string, args ...any) // tells what could not be read
	pages int                              // looked through
	links []*link
	seen  map[string]bool
	told  time.Time // when it was last said how far the scan is
}

// find looks through the page, or the pages of the sitemap, at an address.
func (f *finder) find(ctx context.Context, kind, address string) error {
	f.seen, f.told = make(map[string]bool), time.Now()
	if kind == "page" {
		return f.page(ctx, address)
	}
	home := siteOf(address)
	opts := &sitemap.WalkOptions{MaxPages: maxScan + 1, Unique: true, Keep: func(e sitemap.Entry) bool { return siteOf(e.Loc) == home }}
	found := 0
	for e, err := range sitemap.Walk(ctx, &http.Client{Transport: f.bot}, []string{address}, opts) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			if found == 0 {
				return err
			}
			f.note("%s", plain(err))
			continue
		}
		if found++; found > maxScan {
			f.note("the sitemap has more than %d pages; the rest is not looked through", maxScan)
			break
		}
		if err := f.page(ctx, e.Loc); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			f.note("%s", plain(err))
		}
		if now := time.Now(); now.Sub(f.told) >= logEvery {
			f.told = now
			f.note("%s so far on %s", cli.Plural(len(f.links), "link", "links"), cli.Plural(f.pages, "page", "pages"))
		}
	}
	if f.pages == 0 {
		return fmt.Errorf("no page of the sitemap %s could be looked through", address)
	}
	return nil
}

// page takes in the links of one page that lead off its domain.
func (f *finder) page(ctx context.Context, address string) error {
	p, err := f.bot.Fetch(ctx, address, scanning())
	s := p.Summary()
	switch {
	case err != nil:
		return err
	case p.Status != http.StatusOK:
		return fmt.Errorf("%s: %s", address, answer(p))
	case !s.HTML:
		return fmt.Errorf("%s: %w", address, errNoPage)
	case s.MoreLinks:
		f.note("%s has more than %d links; the rest is left out", address, len(s.Links))
	}
	f.pages++
	home := siteOf(p.Final)
	for _, to := range s.Links {
		if !strings.HasPrefix(to.URL, "http") || siteOf(to.URL) == home {
			continue
		}
		if l := newLink(to.URL, ""); !f.seen[l.URL] {
			f.seen[l.URL] = true
			f.links = append(f.links, l)
		}
	}
	return nil
}

var errNoPage = errors.New("it is not HTML, so there are no links on it")
