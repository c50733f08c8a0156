package main

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/politefetch/sdk/examples/internal/cli"
	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/ratepolicy"
)

// A site is one that was added to the account: in this program, named on the command line
// or remembered from then.
type site struct {
	start string // where visits begin
	name  string // scheme and host
	id    string // the same whatever name the site is called by: what its history and claim are kept under
	key   string // what its pace is remembered under
	hosts []string
	past  *history

	// walled is the last visit of our own servers that met a bot wall, if none of theirs has
	// read the whole site without one since. The limiter keeps such a site off the provider's
	// route, but remembers walls only of visits that had one: barred is for the others.
	walled *record
	barred bool
}

// open reads the address of a site and what is known of it.
func (a *app) open(ctx context.Context, address string) (*site, error) {
	u, err := cli.WebAddress(address)
	if err != nil {
		return nil, err
	}
	s := &site{hosts: twins(u.Hostname())}
	bot, err := politefetch.New(a.config(s, nil))
	if err != nil {
		return nil, err
	}
	visit, err := bot.Visit(address, nil) // for the address in its canonical form
	if err != nil {
		return nil, err
	}
	s.name = visit.Report().Site
	s.id = strings.TrimPrefix(s.name[strings.Index(s.name, "://")+len("://"):], "www.")
	if u.Path == "" {
		u.Path = "/"
	}
	s.start, s.key = s.name+u.RequestURI(), politefetch.SiteKey(u)
	return s, a.remember(ctx, s, bot.Limiter())
}

// remember reads what is known of a site.
func (a *app) remember(ctx context.Context, s *site, l *ratepolicy.Limiter) error {
	var err error
	if s.past, err = a.history(s.id); err != nil {
		return err
	}
	s.past.Start = s.start
	if s.walled = s.past.walled(); s.walled == nil {
		return nil
	}
	now, err := l.Status(ctx, s.key)
	s.barred = !slices.ContainsFunc(now.Constraints, func(c ratepolicy.Constraint) bool { return strings.HasPrefix(c.Why, "a bot wall") })
	return err
}

// twins are a host and its name with, or without, "www.": sites move from one to the other.
func twins(host string) []string {
	if _, err := netip.ParseAddr(host); err == nil {
		return []string{host}
	}
	if bare, ok := strings.CutPrefix(host, "www."); ok {
		return []string{host, bare}
	}
	return []string{host, "www." + host}
}

// allow has the last word on every address.
func (s *site) allow(_ context.Context, u *url.URL) error {
	if !slices.Contains(s.hosts, u.Hostname()) {
		return fmt.Errorf("%s was not added to the account", u.Hostname())
	}
	return nil
}

// short is an address without the site's own scheme and host.
func (s *site) short(address string) string {
	if path, ok := strings.CutPrefix(address, s.name); ok && strings.HasPrefix(path, "/") {
		return path
	}
	return address
}

// shorten says once what a text says twice, and leaves the site's name out.
func (s *site) shorten(text string) string {
	return strings.ReplaceAll(cli.Once(strings.TrimPrefix(text, "politefetch: ")), s.name+"/", "/")
}
