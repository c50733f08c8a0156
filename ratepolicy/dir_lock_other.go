//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd)

package ratepolicy

import (
	"errors"
	"fmt"
	"os"
	"runtime"
)

// flock fails: a lock file without it would outlive a holder that dies.
func flock(*os.File) (bool, error) {
	return false, fmt.Errorf("%w: no flock on %s", errors.ErrUnsupported, runtime.GOOS)
}

func funlock(*os.File) {}
