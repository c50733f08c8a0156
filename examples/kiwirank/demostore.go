package main

import (
	"context"
	"sync"
	"time"
)

// A demoStore keeps the limiter's records by a clock that can be put forward, so that two
// weeks of gentle mode pass between two visits. Within a visit time is the machine's.
type demoStore struct {
	clock *clock

	mu   sync.Mutex
	recs map[string]demoRecord
}

type demoRecord struct {
	rec     []byte
	expires time.Time
}

// Update implements ratepolicy.Store.
func (s *demoStore) Update(ctx context.Context, key string, fn func(now time.Time, rec []byte) ([]byte, time.Time)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, r := s.clock.now(), s.recs[key]
	if !r.expires.After(now) {
		r.rec = nil
	}
	if next, expires := fn(now, r.rec); next != nil {
		s.recs[key] = demoRecord{append([]byte(nil), next...), expires}
	}
	return ctx.Err()
}
