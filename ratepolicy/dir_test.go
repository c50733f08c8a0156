package ratepolicy_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/ratepolicy"
	"github.com/politefetch/sdk/ratepolicy/ratetest"
)

var _ ratepolicy.Store = ratepolicy.Dir("")

func TestMemoryIsAStore(t *testing.T) {
	s := ratepolicy.NewMemory()
	ratetest.TestStore(t, func(*testing.T) ratepolicy.Store { return s })
}

func TestDirIsAStore(t *testing.T) {
	dir := t.TempDir()
	ratetest.TestStore(t, func(*testing.T) ratepolicy.Store { return ratepolicy.Dir(dir) })
}

// put keeps rec for keep.
func put(t *testing.T, s ratepolicy.Store, key string, rec []byte, keep time.Duration) {
	t.Helper()
	require.NoError(t, s.Update(t.Context(), key, func(now time.Time, _ []byte) ([]byte, time.Time) {
		return rec, now.Add(keep)
	}))
}

// look returns the record and the store's time.
func look(t *testing.T, s ratepolicy.Store, key string) (rec []byte, now time.Time) {
	t.Helper()
	require.NoError(t, s.Update(t.Context(), key, func(at time.Time, r []byte) ([]byte, time.Time) {
		rec, now = bytes.Clone(r), at
		return nil, time.Time{}
	}))
	return rec, now
}

// namesIn lists the files below dir with that in their names.
func namesIn(t *testing.T, dir, part string) (names []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.Contains(d.Name(), part) {
			names = append(names, path)
		}
		return err
	}))
	return names
}

func TestDirNeedsAName(t *testing.T) {
	err := ratepolicy.Dir("").Update(t.Context(), "a", func(time.Time, []byte) ([]byte, time.Time) {
		t.Error("called")
		return nil, time.Time{}
	})
	require.EqualError(t, err, "ratepolicy.Dir: the name is empty, it needs a directory's")
	_, err = ratepolicy.New(ratepolicy.Policy{}, ratepolicy.Dir("")).TryAcquire(t.Context(), host, 0)
	assert.ErrorContains(t, err, "the name is empty", "and no request is made")
}

func TestDirKeepsItsFilesToItself(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "at first use")
	s := ratepolicy.Dir(dir)
	put(t, s, "../../etc/passwd", []byte("x"), time.Hour)
	err := filepath.WalkDir(filepath.Dir(dir), func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		if d.IsDir() {
			assert.Equal(t, fs.FileMode(0o700), info.Mode().Perm(), path)
		} else {
			assert.Equal(t, fs.FileMode(0o600), info.Mode().Perm(), path)
		}
		return nil
	})
	require.NoError(t, err)
	assert.FileExists(t, ratepolicy.DirFile(dir, "../../etc/passwd"))
}

func TestDirBoundsRecordsAndKeys(t *testing.T) {
	s := ratepolicy.Dir(t.TempDir())
	for _, tt := range []struct {
		key string
		n   int
	}{
		{"a", 16<<20 + 1},
		{strings.Repeat("k", 1<<20+1), 1},
	} {
		err := s.Update(t.Context(), tt.key, func(now time.Time, _ []byte) ([]byte, time.Time) {
			return make([]byte, tt.n), now.Add(time.Hour)
		})
		require.ErrorContains(t, err, "larger than")
	}
	long := strings.Repeat("k", 1<<20)
	put(t, s, long, make([]byte, 16<<20), time.Hour)
	rec, _ := look(t, s, long)
	assert.Len(t, rec, 16<<20)
}

func TestDirWaitsForALockNoLongerThanItsContext(t *testing.T) {
	s, start := ratepolicy.Dir(t.TempDir()), time.Now()
	held, done := make(chan bool), make(chan bool)
	go func() {
		_ = s.Update(t.Context(), host, func(time.Time, []byte) ([]byte, time.Time) {
			close(held)
			<-done
			return nil, time.Time{}
		})
	}()
	<-held
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { cancel(cause) })
	err := s.Update(ctx, host, func(time.Time, []byte) ([]byte, time.Time) {
		t.Error("called")
		return nil, time.Time{}
	})
	require.ErrorIs(t, err, cause)
	assert.Less(t, time.Since(start), 5*time.Second)
	_, err = ratepolicy.New(ratepolicy.Policy{}, hasty{s}).TryAcquire(t.Context(), host, 0)
	require.ErrorIs(t, err, context.DeadlineExceeded, "the limiter has its own budget")
	close(done)
}

// hasty is a Dir whose calls may take as long as those of a store on the network.
type hasty struct{ ratepolicy.Dir }

func (hasty) CallTimeout() time.Duration { return 0 }

// On a busy machine another process may keep a lock, or the disk, for long.
func TestALimiterIsPatientWithADir(t *testing.T) {
	dir := fastDir(t)
	c := startChild(t, "lock", dir)
	require.Equal(t, "locked", c.line(t))
	lease, err := ratepolicy.New(ratepolicy.Policy{}, ratepolicy.Dir(dir)).TryAcquire(t.Context(), host, 0)
	require.NoError(t, err, "the lock was held for a second")
	_, err = lease.Release(t.Context(), ok200)
	require.NoError(t, err)
}

// hangingStore doesn't answer.
type hangingStore struct{}

func (hangingStore) Update(ctx context.Context, _ string, _ func(time.Time, []byte) ([]byte, time.Time)) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

func TestAStoreThatHangsCostsAQuarterOfASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, err := ratepolicy.New(ratepolicy.Policy{}, hangingStore{}).Acquire(t.Context(), host, 0)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 250*ms, time.Since(start))
	})
}

func TestDirThatIsRemovedIsMadeAgain(t *testing.T) {
	dir := t.TempDir()
	s := ratepolicy.Dir(dir)
	for range 2 {
		put(t, s, host, []byte("kept"), time.Hour)
		require.NoError(t, os.RemoveAll(dir))
		rec, _ := look(t, s, host)
		assert.Nil(t, rec)
	}
}

func TestDirSetsADamagedRecordAside(t *testing.T) {
	dir := t.TempDir()
	s, path := ratepolicy.Dir(dir), ratepolicy.DirFile(dir, host)
	put(t, s, host, []byte("what was kept"), time.Hour)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	damage := map[string][]byte{
		"empty":        {},
		"another file": []byte("hello, world, this is no record at all, but long enough"),
		"longer":       append(bytes.Clone(whole), 0),
		"larger":       make([]byte, 18<<20),
	}
	for i := range whole {
		flipped := bytes.Clone(whole)
		flipped[i] ^= 4
		damage["bit of byte "+string(rune('0'+i))] = flipped
		damage["cut to "+string(rune('0'+i))] = whole[:i]
	}
	for name, b := range damage {
		require.NoError(t, os.WriteFile(path, b, 0o600))
		rec, _ := look(t, s, host)
		require.Equal(t, []byte{0}, rec, name)
		rec, _ = look(t, s, host)
		require.Equal(t, []byte{0}, rec, "%s: a look mends nothing", name)
	}
	assert.Empty(t, namesIn(t, dir, ".bad"))
	for i := range 12 {
		require.NoError(t, os.WriteFile(path, []byte{byte(i)}, 0o600))
		put(t, s, host, []byte("new"), time.Hour)
		rec, _ := look(t, s, host)
		require.Equal(t, []byte("new"), rec)
		assert.Len(t, namesIn(t, dir, ".bad"), min(i+1, 10))
	}
	first, err := os.ReadFile(path + ".bad")
	require.NoError(t, err)
	assert.Equal(t, []byte{0}, first)
	put(t, s, "b.example", []byte("x"), time.Hour)
	require.NoError(t, os.WriteFile(ratepolicy.DirFile(dir, "b.example"), whole, 0o600))
	rec, _ := look(t, s, "b.example")
	assert.Equal(t, []byte{0}, rec, "another key's record is damage, too")
}

func TestDirMakesTheHostOfADamagedRecordGentle(t *testing.T) {
	dir := fastDir(t)
	path := ratepolicy.DirFile(dir, host)
	l := ratepolicy.New(ratepolicy.Policy{}, ratepolicy.Dir(dir))
	ask(t, l, host, 0, after(429, time.Hour))
	require.NoError(t, os.WriteFile(path, []byte("torn"), 0o600))

	s, err := l.Status(t.Context(), host)
	require.NoError(t, err)
	assert.Equal(t, ratepolicy.ModeGentle, s.Mode)
	assert.Equal(t, "gentle since its record was found damaged", s.Constraints[0].Why)
	w := refused(t, l, host)
	assert.Greater(t, time.Until(w.Until), time.Second, "an answer may have ended just now")
	assert.FileExists(t, path+".bad")
	again := refused(t, l, host)
	assert.Equal(t, w.Until.UnixNano(), again.Until.UnixNano(), "and the wait doesn't start anew")
	s, err = l.Status(t.Context(), host)
	require.NoError(t, err)
	assert.Equal(t, ratepolicy.ModeGentle, s.Mode)
	assert.WithinDuration(t, time.Now().Add(24*time.Hour), s.GentleUntil, time.Minute)
}

func TestDirLeavesANewerVersionAlone(t *testing.T) {
	dir := fastDir(t)
	path := ratepolicy.DirFile(dir, host)
	newer := ratepolicy.NewerFile([]byte("what a later version knows"))
	put(t, ratepolicy.Dir(dir), host, []byte("old"), time.Hour)
	require.NoError(t, os.WriteFile(path, newer, 0o600))
	l := ratepolicy.New(ratepolicy.Policy{}, ratepolicy.Dir(dir))
	_, err := l.TryAcquire(t.Context(), host, 0)
	require.ErrorContains(t, err, "newer version")
	require.ErrorContains(t, l.Forget(t.Context(), host), "newer version")
	ratepolicy.SweepDir(t.Context(), ratepolicy.DirOn(&ratepolicy.Machine{Wall: time.Now().Add(300 * 24 * time.Hour)}, dir))
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, newer, b)
	assert.Empty(t, namesIn(t, dir, ".bad"))
}

func TestDirReportsWhatItCantReadOrWrite(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for name, d := range map[string]string{"a file": file, "below a file": filepath.Join(file, "dir")} {
		_, err := ratepolicy.New(ratepolicy.Policy{}, ratepolicy.Dir(d)).TryAcquire(t.Context(), host, 0)
		require.ErrorContains(t, err, "not a directory", name)
	}
	require.NoError(t, os.MkdirAll(ratepolicy.DirFile(dir, host), 0o700))
	_, err := ratepolicy.New(ratepolicy.Policy{}, ratepolicy.Dir(dir)).TryAcquire(t.Context(), host, 0)
	require.ErrorContains(t, err, "is a directory")
}

// A directory that takes no others may say so as if it weren't there.
func TestDirIsMadeOnceMore(t *testing.T) {
	if _, err := os.Stat("/proc/self"); err != nil {
		t.Skip("no /proc")
	}
	for _, dir := range []string{"/proc/x", "/proc/x/y"} {
		err := ratepolicy.Dir(dir).Update(t.Context(), "k", func(time.Time, []byte) ([]byte, time.Time) { return []byte("v"), time.Now().Add(time.Hour) })
		require.ErrorIs(t, err, fs.ErrNotExist)
	}
}

func TestDirSweepsWhatHasExpiredAndWhatWasLeftOver(t *testing.T) {
	dir, m := t.TempDir(), &ratepolicy.Machine{Wall: time.Now(), Boot: 1}
	s := ratepolicy.DirOn(m, dir)
	for i := range 60 {
		key := string(rune('A' + i))
		put(t, s, key, []byte("x"), []time.Duration{time.Minute, 100 * time.Hour}[i%2])
		require.NoError(t, os.WriteFile(ratepolicy.DirFile(dir, key)+".tmp", []byte("half"), 0o600))
	}
	require.NoError(t, os.WriteFile(ratepolicy.DirFile(dir, "A")+".bad", nil, 0o600))
	ratepolicy.SweepDir(t.Context(), s)
	assert.Empty(t, namesIn(t, dir, ".tmp"))
	m.Wall, m.Up = m.Wall.Add(time.Hour), time.Hour
	ratepolicy.SweepDir(t.Context(), s)
	for i := range 60 {
		key := string(rune('A' + i))
		if i%2 == 0 {
			assert.NoFileExists(t, ratepolicy.DirFile(dir, key))
		} else {
			assert.FileExists(t, ratepolicy.DirFile(dir, key))
		}
	}
	assert.Len(t, namesIn(t, dir, ".bad"), 1)
}

// What has expired doesn't pile up, though nobody sweeps but the calls in passing.
func TestDirStaysSmall(t *testing.T) {
	dir, m := fastDir(t), &ratepolicy.Machine{Wall: time.Now(), Boot: 1}
	s := ratepolicy.DirOn(m, dir)
	for range 6000 {
		m.Wall, m.Up = m.Wall.Add(time.Minute), m.Up+time.Minute
		put(t, s, m.Up.String(), []byte("x"), time.Second)
	}
	assert.Less(t, len(namesIn(t, dir, "")), 4096+2500, "locks, and files")
}

// fastDir is a directory in memory if there is such a thing, for tests that write a lot
// and are not about the disk.
func fastDir(t *testing.T) string {
	t.Helper()
	if info, err := os.Stat("/dev/shm"); err != nil || !info.IsDir() {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp("/dev/shm", "ratepolicy") //nolint:usetesting // not where TempDir is
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
