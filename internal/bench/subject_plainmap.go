package main

import (
	"sync"
	"time"
)

// The plain map of next starts is the floor: it knows no answers, and never forgets.
func init() {
	Rates = append(Rates, Subject[MakeRate]{Other, plainMap, func(interval time.Duration) (func(string) bool, error) {
		var mu sync.Mutex
		m, start := map[string]int64{}, time.Now()
		return func(host string) bool {
			mu.Lock()
			defer mu.Unlock()
			now := int64(time.Since(start))
			if now < m[host] {
				return false
			}
			m[host] = now + int64(interval)
			return true
		}, nil
	}})
}
