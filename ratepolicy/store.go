package ratepolicy

import (
	"context"
	"time"
)

// A Store keeps one small record a key, for everything that is to share a pace, a
// memory and a cap on requests in flight: one process, or a fleet.
type Store interface {
	// Update calls fn with the store's own clock and key's record, nil if there is
	// none, and keeps next in its place until expires, with no other Update of key in
	// between. A nil next changes nothing. Expires may lie in the past: then nothing
	// is kept. Up to expires the record must not be lost.
	//
	// Any string is a key. A record that the store finds damaged is given to fn as a
	// single zero byte, which is nobody's record, until fn replaces it.
	//
	// fn is pure and quick, and may be called again if the record changed meanwhile;
	// only its last result counts. It keeps neither rec nor next after it returns; the
	// store keeps no reference to next. An error means that nothing is known of what
	// was kept. Update is called from many goroutines, with contexts that end: a Limiter
	// gives a call 250 ms, or what the Store's method CallTimeout() [time.Duration] says
	// if it has one.
	Update(ctx context.Context, key string, fn func(now time.Time, rec []byte) (next []byte, expires time.Time)) error
}

const (
	storeTimeout = 250 * time.Millisecond // of a call; a server in reach has answered long before
	clockSlack   = 250 * time.Millisecond // clocks that differ by less are taken for the same, read at two ends of a call
)

// CallTimeout is how long one call of store may take: what its method CallTimeout says, or
// 250 ms. A [Limiter] keeps to it, and so should whoever else uses the store.
func CallTimeout(store Store) time.Duration {
	if s, ok := store.(interface{ CallTimeout() time.Duration }); ok && s.CallTimeout() > 0 {
		return s.CallTimeout()
	}
	return storeTimeout
}
