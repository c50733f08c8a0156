package ratepolicy

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"
)

// NewMemory returns the store of a Limiter that was given none.
func NewMemory() Store { return newMemory() }

// A Machine is a machine's clocks as a test sets them.
type Machine struct {
	Wall time.Time
	Up   time.Duration
	Boot uint64 // 0: the uptime isn't known
}

// DirOn returns a Dir on a machine with those clocks.
func DirOn(m *Machine, dir string) Store {
	return files{dir, func() instant { return instant{m.Wall.UnixNano(), int64(m.Up), m.Boot} }}
}

// SweepDir sweeps all directories of a Dir once, as far as one sweep goes.
func SweepDir(ctx context.Context, s Store) {
	for n := range 256 {
		s.(files).sweep(ctx, fmt.Sprintf("%02x", n))
	}
}

// DirFile returns the path of a key's file.
func DirFile(dir, key string) string { return files{root: dir}.place(key).path }

// NewerFile is a file that a later version wrote.
func NewerFile(rest []byte) []byte {
	r := record{rec: rest}
	b := r.encode()
	b[3] = fileVersion + 1
	binary.LittleEndian.PutUint32(b[4:], checksum(b))
	return b
}

// Outages is of how many keys l remembers that the store failed.
func Outages(l *Limiter) int {
	l.core.alone.mu.Lock()
	defer l.core.alone.mu.Unlock()
	return len(l.core.alone.outages)
}
