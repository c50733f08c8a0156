package main

import (
	"context"
	"io"
	"time"

	"github.com/politefetch/sdk/ratepolicy"
	"github.com/politefetch/sdk/robots"
	"github.com/politefetch/sdk/sitemap"
)

// ours is the subject that the bars are about.
const ours = "politefetch"

func init() {
	Robots = append(Robots,
		Subject[ParseRobots]{Ours, ours, func(body []byte, agent string) (Allowed, error) {
			group := robots.Parse(body).Group(agent)
			return func(a *Address) bool { return group.TestPath(a.Path).Allowed }, nil
		}},
		Subject[ParseRobots]{Ours, ours + ", from a *url.URL", func(body []byte, agent string) (Allowed, error) {
			group := robots.Parse(body).Group(agent)
			return func(a *Address) bool { return group.Test(a.URL).Allowed }, nil
		}})

	Sitemaps = append(Sitemaps, Subject[ReadSitemap]{Ours, ours, func(r io.Reader, images bool) (urls int, err error) {
		for _, err := range sitemap.Read(r, &sitemap.Options{Extensions: images, MaxURLs: -1, MaxBytes: -1}) {
			if err != nil {
				return urls, err
			}
			urls++
		}
		return urls, nil
	}})

	Rates = append(Rates,
		Subject[MakeRate]{Ours, ours, func(interval time.Duration) (func(string) bool, error) {
			return turns(interval, 0), nil
		}})
	ratesHeld = append(ratesHeld,
		Subject[MakeRate]{Ours, ours + ", each 100th answered 429", func(interval time.Duration) (func(string) bool, error) {
			return turns(interval, 100), nil
		}},
		Subject[MakeRate]{Ours, ours + ", all answered 429", func(interval time.Duration) (func(string) bool, error) {
			return turns(interval, 1), nil
		}},
		Subject[MakeRate]{Ours, ours + ", all with the full state", func(time.Duration) (func(string) bool, error) {
			return troubles(), nil
		}})
}

// turns returns a whole turn: it is taken, and released with an answer. Each limited-th is
// a 429 that asks for an hour.
func turns(interval time.Duration, limited int) func(host string) bool {
	ctx := context.Background()
	l := ratepolicy.New(ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: interval}}, nil)
	n := 0
	return func(host string) bool {
		lease, err := l.TryAcquire(ctx, host, 0)
		if err != nil {
			return false
		}
		a := ratepolicy.Answer{Status: 200}
		if limited > 0 {
			if n++; n%limited == 0 {
				a = ratepolicy.Answer{Status: 429, Wait: time.Hour, From: "Retry-After"}
			}
		}
		_, err = lease.Release(ctx, a)
		return err == nil
	}
}

// troubles returns what gives a host all that can be remembered of one: gentle mode and a
// limit met in it, the host's hold and the caller's with their reasons, a backoff, a bot
// wall, a Crawl-delay, an answer that has ended.
func troubles() func(host string) bool {
	ctx := context.Background()
	pace := ratepolicy.Pace{Concurrency: 4, Delay: -1}
	l := ratepolicy.New(ratepolicy.Policy{Normal: pace, Gentle: pace, RelayAfter: 2, Backoff: time.Hour}, nil)
	answers := []ratepolicy.Answer{
		{Status: 429},
		{Status: 403, Wall: "challenge"},
		{Status: 429, Wait: time.Hour, From: "Retry-After"},
		{Status: 200},
	}
	return func(host string) bool {
		limited, err := l.TryAcquire(ctx, host, 0)
		if err != nil {
			return false
		}
		_, err = limited.Release(ctx, ratepolicy.Answer{Status: 429, Wait: 1, From: "Retry-After"})
		var leases [4]*ratepolicy.Lease
		for i := range leases {
			if err == nil {
				leases[i], err = l.TryAcquire(ctx, host, 0) // that nanosecond is over
			}
		}
		for i, lease := range leases {
			if err == nil {
				_, err = lease.Release(ctx, answers[i])
			}
		}
		if err == nil {
			err = l.Hold(ctx, host, time.Now().Add(2*time.Hour), "the operator asks")
		}
		if err != nil {
			return false
		}
		_, err = l.TryAcquire(ctx, host, 10*time.Second)
		return err != nil
	}
}
