package ratepolicy

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// Every fourth change looks at up to 32 files of one directory of the 256: about 8 a
// change. So where every change brings a new key, what has expired piles up to some
// thousand files, or an eighth of all.
const (
	sweepEvery = 4
	sweepFiles = 32
	sweepNames = 1 << 14 // read of a directory
)

func (f files) sweepSometimes(ctx context.Context) {
	if rand.IntN(sweepEvery) == 0 { //nolint:gosec // no secret
		f.sweep(ctx, fmt.Sprintf("%02x", rand.IntN(256))) //nolint:gosec // no secret
	}
}

// sweep removes what has expired, and what a killed process was writing, among some of a
// directory's files. It waits for no lock. What fails is tried again some other time.
func (f files) sweep(ctx context.Context, dir string) {
	d, err := os.Open(filepath.Join(f.root, dir)) //nolint:gosec // the caller's
	if err != nil {
		return
	}
	names, _ := d.Readdirnames(sweepNames)
	_ = d.Close()
	if len(names) == 0 {
		return
	}
	first := rand.IntN(len(names)) //nolint:gosec // no secret
	for i := range min(len(names), sweepFiles) {
		name := names[(first+i)%len(names)]
		hash, temp := strings.CutSuffix(name, tempSuffix)
		if len(hash) != 64 {
			continue // a lock, or set aside
		}
		p := f.placeNamed(hash)
		if temp {
			p.sweepTemp()
		} else if f.due(p) {
			f.sweepRecord(ctx, p)
		}
	}
}

// due reports whether there seems to be something to do about the record.
func (f files) due(p place) bool {
	file, err := os.Open(p.path)
	if err != nil {
		return false
	}
	defer file.Close() //nolint:errcheck // only read
	var head [headSize]byte
	if n, _ := file.Read(head[:]); n < headSize {
		return false
	}
	r, at := decodeHead(head[:]), f.clock()
	return r.mark.stale(at) || r.expires <= r.mark.now(at)
}

// sweepTemp removes a temporary file. Whoever writes one holds the lock.
func (p place) sweepTemp() {
	if l, held, _ := tryLock(p.lock); held {
		_ = os.Remove(p.path + tempSuffix)
		l.unlock()
	}
}

// sweepRecord removes a record that has expired, and marks one anew that is stale, so that
// it can expire one day.
func (f files) sweepRecord(ctx context.Context, p place) {
	l, held, _ := tryLock(p.lock)
	if !held {
		return
	}
	defer l.unlock()
	b, err := readFile(p.path, maxFile)
	if err != nil {
		return
	}
	r, err := decodeRecord(b)
	if err != nil || r.damaged {
		return // its own Update deals with it
	}
	at := f.clock()
	switch now := r.mark.now(at); {
	case r.expires <= now:
		_ = os.Remove(p.path)
	case r.mark.stale(at):
		r.mark = mark{now, at}
		_ = p.write(ctx, &r)
	}
}
