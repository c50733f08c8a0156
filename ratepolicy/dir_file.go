package ratepolicy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A place is where a key's record is.
type place struct {
	path string // of the record
	lock string // of its lock
}

const (
	tempSuffix = ".tmp" // being written, or left over
	badSuffix  = ".bad" // damaged, set aside
	maxBad     = 10     // of one key
)

func (f files) place(key string) place {
	sum := sha256.Sum256([]byte(key))
	return f.placeNamed(hex.EncodeToString(sum[:]))
}

// placeNamed is the place of the record with that file name.
func (f files) placeNamed(name string) place {
	dir := filepath.Join(f.root, name[:2])
	return place{path: filepath.Join(dir, name), lock: filepath.Join(dir, "lock-"+name[2:3])}
}

// read returns the key's record. The lock is held, or what is read may be old.
func (p place) read(key string) (record, error) {
	b, err := readFile(p.path, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return record{none: true}, nil
	case errors.Is(err, errTooLarge):
		return record{damaged: true}, nil
	case err != nil:
		return record{}, err
	}
	r, err := decodeRecord(b)
	if err != nil {
		return record{}, fmt.Errorf("%s: %w", p.path, err)
	}
	if r.key != key { // somebody has put it there
		return record{damaged: true}, nil
	}
	return r, nil
}

// readFile returns at most max bytes; more is errTooLarge.
func readFile(path string, max int64) ([]byte, error) {
	f, err := os.Open(path) //nolint:gosec // made of a hash
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	b, err := io.ReadAll(io.LimitReader(f, max+1))
	if int64(len(b)) > max {
		return nil, errTooLarge
	}
	return b, err
}

// write puts r in place, unless ctx has ended before that. The lock is held.
func (p place) write(ctx context.Context, r *record) error {
	temp := p.path + tempSuffix
	err := writeFile(temp, r.encode())
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		err = os.Rename(temp, p.path)
	}
	if err != nil {
		_ = os.Remove(temp) // or a later sweep does
		return err
	}
	return syncDir(filepath.Dir(p.path))
}

// writeFile writes b to disk.
func writeFile(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) //nolint:gosec // made of a hash
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// remove forgets the record. The lock is held.
func (p place) remove() error {
	err := os.Remove(p.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return syncDir(filepath.Dir(p.path))
}

// setAside gives the damaged file a second name, which stays when it is replaced. At no
// instant is there none.
func (p place) setAside() error {
	for n := range maxBad {
		name := p.path + badSuffix
		if n > 0 {
			name = fmt.Sprintf("%s.%d%s", p.path, n, badSuffix)
		}
		if err := os.Link(p.path, name); !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// makeDir makes a directory and those above it, on disk when it returns.
func makeDir(path string) error {
	err := os.Mkdir(path, 0o700)
	if errors.Is(err, fs.ErrNotExist) && path != filepath.Dir(path) {
		if err := makeDir(filepath.Dir(path)); err != nil {
			return err
		}
		err = os.Mkdir(path, 0o700) // once: in /proc a directory that exists takes none, by the same error
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil // somebody else made it just now
	case err != nil:
		return err
	}
	return syncDir(filepath.Dir(path))
}

func syncDir(path string) error {
	d, err := os.Open(path) //nolint:gosec // the caller's
	if err != nil {
		return err
	}
	defer d.Close() //nolint:errcheck // only read
	return d.Sync()
}
