package main

import (
	"context"
	"time"

	"github.com/sethvargo/go-limiter/memorystore"
)

func init() {
	Rates = append(Rates, Subject[MakeRate]{Peer, "sethvargo/go-limiter memorystore", func(interval time.Duration) (func(string) bool, error) {
		s, err := memorystore.New(&memorystore.Config{Tokens: 1, Interval: interval})
		if err != nil {
			return nil, err
		}
		return func(host string) bool {
			_, _, _, ok, err := s.Take(context.Background(), host)
			return ok && err == nil
		}, nil
	}})
}
