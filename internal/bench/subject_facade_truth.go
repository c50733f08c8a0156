package main

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"sync"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/ratepolicy"
)

func init() {
	Bots = append(Bots,
		Subject[Bot]{Ours, ours, Bot{Run: func(job *TruthJob) error {
			bot, err := truthBot(job)
			if err != nil {
				return err
			}
			if job.Site {
				return truthVisit(bot, job.Ask[0])
			}
			var wg sync.WaitGroup
			for _, queue := range byHost(job.Ask) {
				wg.Go(func() { truthFetch(bot, queue) })
			}
			wg.Wait()
			return nil
		}}},
		Subject[Bot]{Ours, "colly over politefetch", Bot{Run: func(job *TruthJob) error {
			bot, err := truthBot(job)
			if err != nil {
				return err
			}
			c := colly.NewCollector(colly.Async(true))
			c.WithTransport(bot)                 // which is all that makes it polite
			c.SetRequestTimeout(2 * time.Minute) // includes the waits for turns
			return collyJob(c, job)
		}, Lacks: map[need]string{sitemaps: collyNoSitemaps}}})
}

// truthBot is a bot by the defaults, but for its pace: the job's, and three times as slow
// where a host complained.
func truthBot(job *TruthJob) (*politefetch.Crawler, error) {
	cfg := politefetch.Config{
		Product: job.Product, UserAgent: job.UserAgent, Store: ratepolicy.Dir(job.Dir),
		Policy: ratepolicy.Policy{Normal: ratepolicy.Pace{Delay: job.Delay}, Gentle: ratepolicy.Pace{Delay: 3 * job.Delay}},
	}
	for _, host := range job.Hosts {
		if addr, err := netip.ParseAddrPort(host); err == nil {
			cfg.Guard.Allow = append(cfg.Guard.Allow, addr)
		}
	}
	return politefetch.New(cfg)
}

// truthFetch asks for one host's addresses, and again for those that were to wait.
func truthFetch(bot *politefetch.Crawler, queue []string) {
	for _, addr := range queue {
		for {
			_, err := bot.Fetch(context.Background(), addr, nil)
			w, ok := errors.AsType[*ratepolicy.WaitError](err)
			if !ok {
				break // whatever came of it, the server knows
			}
			time.Sleep(time.Until(w.Until))
		}
	}
}

func truthVisit(bot *politefetch.Crawler, start string) error {
	v, err := bot.Visit(start, &politefetch.VisitOptions{FollowLinks: true})
	if err != nil {
		return err
	}
	for range v.Pages(context.Background()) { //nolint:revive // whatever came of it, the server knows
	}
	return nil
}

// byHost parts addresses by their host.
func byHost(all []string) map[string][]string {
	out := map[string][]string{}
	for _, addr := range all {
		if u, err := url.Parse(addr); err == nil {
			out[u.Host] = append(out[u.Host], addr)
		}
	}
	return out
}
