package main

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// x/time/rate limits one thing: one keeps a map of limiters oneself, and never forgets.
func init() {
	Rates = append(Rates,
		Subject[MakeRate]{Peer, "x/time/rate Allow, map + Mutex", func(interval time.Duration) (func(string) bool, error) {
			var mu sync.Mutex
			m := map[string]*rate.Limiter{}
			return func(host string) bool {
				mu.Lock()
				defer mu.Unlock()
				l := m[host]
				if l == nil {
					l = rate.NewLimiter(rate.Every(interval), 1)
					m[host] = l
				}
				return l.Allow()
			}, nil
		}},
		Subject[MakeRate]{Peer, "x/time/rate Allow, sync.Map", func(interval time.Duration) (func(string) bool, error) {
			return inSyncMap(interval, (*rate.Limiter).Allow), nil
		}},
		Subject[MakeRate]{Peer, "x/time/rate Reserve, sync.Map", func(interval time.Duration) (func(string) bool, error) {
			return inSyncMap(interval, func(l *rate.Limiter) bool {
				r := l.Reserve()
				if r.Delay() > 0 {
					r.Cancel()
					return false
				}
				return true
			}), nil
		}})
}

func inSyncMap(interval time.Duration, allow func(*rate.Limiter) bool) func(host string) bool {
	var m sync.Map
	return func(host string) bool {
		v, ok := m.Load(host)
		if !ok {
			v, _ = m.LoadOrStore(host, rate.NewLimiter(rate.Every(interval), 1))
		}
		return allow(v.(*rate.Limiter))
	}
}
