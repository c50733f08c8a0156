package ratepolicy_test

import (
	"context"
	"sync"
	"time"
)

// testStore is a Store whose clock the test moves, and that can be told to keep what
// it may drop.
type testStore struct {
	mu    sync.Mutex
	now   time.Time
	keep  bool // past expires
	twice bool // runs fn twice, as after a lost race
	err   error
	recs  map[string]testRecord
}

type testRecord struct {
	rec     []byte
	expires time.Time
}

func newTestStore() *testStore {
	return &testStore{now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), recs: make(map[string]testRecord)}
}

func (s *testStore) Update(_ context.Context, key string, fn func(time.Time, []byte) ([]byte, time.Time)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	r := s.recs[key]
	if !s.keep && !r.expires.After(s.now) {
		r = testRecord{}
	}
	if s.twice {
		fn(s.now.Add(-time.Millisecond), nil)
	}
	rec := append([]byte(nil), r.rec...)
	next, expires := fn(s.now, rec)
	clear(rec) // fn keeps nothing
	if next != nil {
		s.recs[key] = testRecord{append([]byte(nil), next...), expires}
	}
	return nil
}
