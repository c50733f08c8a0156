package ratetest

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/ratepolicy"
)

// fleet is a correct store, but for what its fields break.
type fleet struct {
	mu   sync.Mutex
	recs map[string]fleetRecord

	readOutside bool                                         // the record is read before the lock is taken
	timeOutside bool                                         // and so is the clock
	keyOf       func(string) string                          // the key in the store
	expiryOf    func(time.Time) time.Time                    // what becomes of an expiry
	keepsNext   bool                                         // a reference to next
	firstCounts bool                                         // runs fn twice, and keeps what it returned first
	nilDeletes  bool                                         // a nil next
	maxSize     int                                          // of a record; what is over is lost
	callersTime bool                                         // now is the handle's
	frozen      bool                                         // now is the first
	cached      bool                                         // each handle remembers what it wrote
	lateCall    bool                                         // once ctx has ended, fn runs again after Update has returned
	noCall      bool                                         // fn isn't called once ctx has ended, nor is there an error
	nilKeepsExp func(r fleetRecord, e time.Time) fleetRecord // what a nil next does to a record
	began       time.Time
	calls       atomic.Int64
}

type fleetRecord struct {
	rec     []byte
	expires time.Time
}

// handle is one process's way to the fleet; its clock is ahead.
type handle struct {
	*fleet
	ahead time.Duration
	seen  map[string][]byte
}

func (f *fleet) open() ratepolicy.Store {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.recs == nil {
		f.recs, f.began = make(map[string]fleetRecord), time.Now()
	}
	f.began = f.began.Add(-time.Millisecond)
	return &handle{f, time.Since(f.began) * 30_000, make(map[string][]byte)}
}

func (h *handle) time() time.Time {
	switch {
	case h.frozen:
		return time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	case h.callersTime:
		return time.Now().Add(h.ahead)
	}
	return time.Now().Add(26 * time.Hour)
}

// get returns the record in force. The mutex is held.
func (h *handle) get(key string, now time.Time) fleetRecord {
	r := h.recs[key]
	if !r.expires.After(now) {
		return fleetRecord{}
	}
	if b, ok := h.seen[key]; ok && h.cached {
		r.rec = b
	}
	return r
}

func (h *handle) Update(ctx context.Context, key string, fn func(time.Time, []byte) ([]byte, time.Time)) error {
	if h.keyOf != nil {
		key = h.keyOf(key)
	}
	if h.noCall && ctx.Err() != nil {
		return nil
	}
	now := h.time()
	if h.timeOutside && h.calls.Add(1)%2 == 0 {
		time.Sleep(8 * time.Millisecond) // as a client does whose thread is put aside: others overtake it
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.timeOutside {
		now = h.time()
	}
	r := h.get(key, now)
	given := bytes.Clone(r.rec)
	if h.readOutside {
		h.mu.Unlock()
	}
	next, expires := fn(now, given)
	if h.firstCounts {
		next = bytes.Clone(next)
		fn(now, given)
	}
	if h.readOutside {
		h.mu.Lock()
	}
	if h.lateCall && ctx.Err() != nil {
		time.AfterFunc(50*time.Millisecond, func() { fn(now, nil) })
	}
	switch {
	case next == nil && h.nilDeletes:
		delete(h.recs, key)
	case next == nil && h.nilKeepsExp != nil && r.rec != nil:
		h.recs[key] = h.nilKeepsExp(r, expires)
	case next != nil:
		h.put(key, next, expires)
	}
	return nil
}

func (h *handle) put(key string, next []byte, expires time.Time) {
	if !h.keepsNext {
		next = bytes.Clone(next)
	}
	if h.maxSize > 0 && len(next) > h.maxSize {
		next = next[:h.maxSize]
	}
	if h.expiryOf != nil {
		expires = h.expiryOf(expires)
	}
	h.recs[key] = fleetRecord{next, expires}
	h.seen[key] = bytes.Clone(next)
}

func TestACorrectStorePasses(t *testing.T) {
	f := new(fleet)
	TestStore(t, func(*testing.T) ratepolicy.Store { return f.open() })
}

func TestBrokenStoresAreFound(t *testing.T) {
	second := func(e time.Time) time.Time { return e.Truncate(time.Second) }
	tests := []struct {
		name   string
		broken *fleet
		rules  []string // that it breaks, among others
	}{
		{"reads outside its lock", &fleet{readOutside: true}, []string{"no update is lost"}},
		{"reads its clock outside its lock", &fleet{timeOutside: true}, []string{"the clock never goes back"}},
		{"uses the caller's clock", &fleet{callersTime: true}, []string{"the clock never goes back"}},
		{"a clock that stands still", &fleet{frozen: true}, []string{"the clock runs"}},
		{"forgets early", &fleet{expiryOf: second}, []string{"kept up to expires and no longer"}},
		{"forgets late", &fleet{expiryOf: func(e time.Time) time.Time { return e.Add(time.Minute) }}, []string{"kept up to expires and no longer", "expires in the past keeps nothing"}},
		{"durations that overflow", &fleet{expiryOf: func(e time.Time) time.Time { return time.Unix(e.Unix()%(1<<32), int64(e.Nanosecond())) }}, []string{"expires may be centuries away"}},
		{"the first expiry stays", &fleet{nilKeepsExp: func(r fleetRecord, e time.Time) fleetRecord { return fleetRecord{r.rec, e} }}, []string{"a nil next changes nothing"}},
		{"keeps a reference to next", &fleet{keepsNext: true}, []string{"next is copied"}},
		{"keeps what fn returned first", &fleet{firstCounts: true}, []string{"no update is lost"}},
		{"a nil next deletes", &fleet{nilDeletes: true}, []string{"a nil next changes nothing", "what was kept is seen by all"}},
		{"cuts records", &fleet{maxSize: 1<<16 - 1}, []string{"records may be large"}},
		{"folds case", &fleet{keyOf: strings.ToLower}, []string{"keys are told apart"}},
		{"cuts keys", &fleet{keyOf: func(k string) string { return k[:min(len(k), 255)] }}, []string{"keys are told apart"}},
		{"keys are C strings", &fleet{keyOf: func(k string) string { k, _, _ = strings.Cut(k, "\x00"); return k }}, []string{"keys are told apart"}},
		{"keys are trimmed", &fleet{keyOf: strings.TrimSpace}, []string{"keys are told apart"}},
		{"repairs UTF-8", &fleet{keyOf: func(k string) string { return strings.ToValidUTF8(k, "?") }}, []string{"keys are told apart"}},
		{"a cache in front", &fleet{cached: true}, []string{"what was kept is seen by all"}},
		{"calls fn afterwards", &fleet{lateCall: true}, []string{"an ended context"}},
		{"does nothing and says it did", &fleet{noCall: true}, []string{"an ended context"}},
	}
	var wg sync.WaitGroup
	found, errs := make([]map[string]error, len(tests)), make([]error, len(tests))
	for i := range tests {
		wg.Go(func() { found[i], errs[i] = check(t.Context(), tests[i].broken.open) })
	}
	wg.Wait()
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.NoError(t, errs[i])
			for _, name := range tt.rules {
				assert.Contains(t, found[i], name)
			}
			for name, err := range found[i] {
				t.Logf("%s: %v", name, err)
			}
		})
	}
}

func TestAStoreThatFailsIsReportedWithItsError(t *testing.T) {
	_, err := check(t.Context(), func() ratepolicy.Store { return ratepolicy.Dir("") })
	require.ErrorContains(t, err, "the name is empty")
}
