package ratepolicy

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Dir is a [Store] of files in the directory of that name, made at first use (0700).
// The processes of one machine that name the same directory share one pace, one cap on
// requests in flight and one memory, which outlives them. Its zero value is an error.
//
// # Durability
//
// What an Update has acknowledged survives kill -9 and, on disks that keep their own
// promises, a power failure: a record is written to a file of its own (0600), synced,
// renamed into place, and its directory is synced. An Update that changes something so
// takes the time of two syncs, often some milliseconds; one that only looks takes none.
//
// Records carry a version and a checksum. One that fails its checksum is given to fn as a
// single zero byte, which a [Limiter] takes for a host to be gentle with. Once fn replaces
// it, the damaged file stays beside it under a name that ends in ".bad" (ten a key), for
// somebody to look at and remove. A record that a newer version of this package wrote is
// left alone: Update returns an error.
//
// # Clock
//
// A record's clock starts as the machine's and never runs backward. Where the kernel
// says how long it has been up (Linux), it alone tells how much time has passed since a
// record was written, suspend included, so that setting the clock in either direction makes
// no request earlier. Across boots, and elsewhere, the machine's clock is believed if it
// has moved forward by at most 400 days; else no time has passed.
//
// # Limits
//
// It is for file systems of the machine itself, not for NFS and the like, and for systems
// with flock and hard links: on others, Windows among them, Update returns an error that
// is [errors.ErrUnsupported]. A key is any string of at most 1 MiB, a record at most 16 MiB. A record is a
// file named by the SHA-256 of its key in one of 256 directories; one lock serves every
// 4096th key. Waiting for a lock ends with the context, at the latest, which for a Limiter
// is after [Dir.CallTimeout]; a sync that has begun isn't broken off. While processes use
// the directory nobody else may remove its files, but for those that end in ".bad". Files
// that have expired are removed in passing, a few by a call.
//
// Dir holds nothing open between calls and is safe for concurrent use.
type Dir string

// Update implements [Store].
func (d Dir) Update(ctx context.Context, key string, fn func(now time.Time, rec []byte) (next []byte, expires time.Time)) error {
	return files{string(d), machineClock}.Update(ctx, key, fn)
}

// CallTimeout is how long a [Limiter] lets a call take: 5 s. On a machine with much to do
// two syncs, and a lock that another process holds meanwhile, take far longer than a call
// over a network.
func (d Dir) CallTimeout() time.Duration { return 5 * time.Second }

// files is a Dir with a clock.
type files struct {
	root  string
	clock func() instant
}

// maxRecord bounds a record, in bytes.
const maxRecord = 16 << 20

var (
	errNoDir    = errors.New("the name is empty, it needs a directory's")
	errTooLarge = errors.New("the record is larger than 16 MiB, or its key than 1 MiB")
)

// Update implements [Store].
func (f files) Update(ctx context.Context, key string, fn func(time.Time, []byte) ([]byte, time.Time)) error {
	changed, err := f.update(ctx, key, fn)
	if err != nil {
		return fmt.Errorf("ratepolicy.Dir: %w", err)
	}
	if changed {
		f.sweepSometimes(ctx)
	}
	return nil
}

func (f files) update(ctx context.Context, key string, fn func(time.Time, []byte) ([]byte, time.Time)) (changed bool, err error) {
	if f.root == "" {
		return false, errNoDir
	}
	if len(key) > maxKey {
		return false, errTooLarge
	}
	p := f.place(key)
	l, err := lock(ctx, p.lock)
	if err != nil {
		return false, err
	}
	defer l.unlock()
	r, err := p.read(key)
	if err != nil {
		return false, err
	}
	at := f.clock()
	now := r.now(at)
	next, expires := fn(time.Unix(0, now), r.at(now))
	switch {
	case next != nil:
	case r.stale(at) && r.at(now) != nil: // from here on its time can be told again
		next, expires = r.rec, time.Unix(0, r.expires)
	default:
		return false, nil
	}
	if len(next) > maxRecord {
		return false, errTooLarge
	}
	if r.damaged {
		if err := p.setAside(); err != nil {
			return false, err
		}
	}
	w := record{key: key, rec: next, mark: mark{now, at}, expires: nanos(expires)}
	if w.expires <= now {
		return true, p.remove()
	}
	return true, p.write(ctx, &w)
}
