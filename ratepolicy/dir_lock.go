package ratepolicy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// How long to wait between looks at a lock that another holds: the first time, and at most.
const (
	firstLook = 200 * time.Microsecond
	lastLook  = 4 * time.Millisecond
)

// A fileLock is a lock file that this call holds.
type fileLock struct{ f *os.File }

// lock waits for the lock file at path until ctx ends.
func lock(ctx context.Context, path string) (fileLock, error) {
	for pause := firstLook; ; pause = min(2*pause, lastLook) {
		if ctx.Err() != nil {
			return fileLock{}, fmt.Errorf("waiting for a lock: %w", context.Cause(ctx))
		}
		l, held, err := tryLock(path)
		if errors.Is(err, fs.ErrNotExist) {
			if err = makeDir(filepath.Dir(path)); err == nil {
				l, held, err = tryLock(path)
			}
		}
		if held || err != nil {
			return l, err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// tryLock takes the lock if nobody holds it. Its file is made if need be, its directory
// isn't; neither is ever removed.
func tryLock(path string) (l fileLock, held bool, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // made of a hash
	if err != nil {
		return fileLock{}, false, err
	}
	held, err = flock(f)
	if !held {
		_ = f.Close()
		return fileLock{}, false, err
	}
	return fileLock{f}, true, nil
}

func (l fileLock) unlock() {
	funlock(l.f)
	_ = l.f.Close()
}
