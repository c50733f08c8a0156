package main

import (
	"context"
	"time"

	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/memstore"
)

func init() {
	Rates = append(Rates, Subject[MakeRate]{Peer, "throttled GCRA, memstore", func(interval time.Duration) (func(string) bool, error) {
		s, err := memstore.NewCtx(0) // no bound
		if err != nil {
			return nil, err
		}
		l, err := throttled.NewGCRARateLimiterCtx(s, throttled.RateQuota{MaxRate: throttled.PerDuration(1, interval)})
		if err != nil {
			return nil, err
		}
		return func(host string) bool {
			limited, _, err := l.RateLimitCtx(context.Background(), host, 1)
			return !limited && err == nil
		}, nil
	}})
}
