//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package ratepolicy

import (
	"errors"
	"os"
	"syscall"
)

// flock locks f if nobody else has. The kernel frees it when the holder dies.
func flock(f *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		default:
			return false, &os.PathError{Op: "flock", Path: f.Name(), Err: err}
		}
	}
}

// funlock unlocks f also for a child that is just being forked and still shares it.
func funlock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
