package ratepolicy_test

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/ratepolicy"
)

const day = 24 * time.Hour

// In truth d has passed; the clock also jumps.
func pass(m *ratepolicy.Machine, d, jump time.Duration) {
	m.Wall, m.Up = m.Wall.Add(d+jump), m.Up+d
}

func TestDirClockJumpsMakeNothingEarlier(t *testing.T) {
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name  string
		moves func(m *ratepolicy.Machine)
		went  time.Duration // by the record's clock
	}{
		{"time passes", func(m *ratepolicy.Machine) { pass(m, time.Minute, 0) }, time.Minute},
		{"the machine sleeps for a week", func(m *ratepolicy.Machine) { pass(m, 7*day, 0) }, 7 * day},
		{"set back an hour", func(m *ratepolicy.Machine) { pass(m, time.Minute, -time.Hour) }, time.Minute},
		{"set forward an hour", func(m *ratepolicy.Machine) { pass(m, time.Minute, time.Hour) }, time.Minute},
		{"set forward 400 days", func(m *ratepolicy.Machine) { pass(m, time.Minute, 400*day) }, time.Minute},
		{"set back 400 days", func(m *ratepolicy.Machine) { pass(m, time.Minute, -400*day) }, time.Minute},
		{"forward and back again", func(m *ratepolicy.Machine) { pass(m, time.Minute, day); pass(m, 0, -day) }, time.Minute},
		{"restarted", func(m *ratepolicy.Machine) { pass(m, time.Hour, 0); m.Up, m.Boot = 0, m.Boot+1 }, time.Hour},
		{"restarted, set back", func(m *ratepolicy.Machine) { pass(m, time.Hour, -day); m.Up, m.Boot = 0, m.Boot+1 }, 0},
		{"restarted, set forward 401 days", func(m *ratepolicy.Machine) { pass(m, 0, 401*day); m.Up, m.Boot = 0, m.Boot+1 }, 0},
		{"off for a year", func(m *ratepolicy.Machine) { pass(m, 365*day, 0); m.Up, m.Boot = 0, m.Boot+1 }, 365 * day},
		{"uptime not known", func(m *ratepolicy.Machine) { m.Boot = 0; pass(m, time.Minute, 0) }, time.Minute},
		{"uptime not known, set back", func(m *ratepolicy.Machine) { m.Boot = 0; pass(m, time.Minute, -time.Hour) }, 0},
		{"a container with less uptime", func(m *ratepolicy.Machine) { pass(m, time.Minute, 0); m.Up = time.Second }, time.Minute},
		{"a container with more uptime", func(m *ratepolicy.Machine) { pass(m, time.Minute, 0); m.Up = 90 * day }, time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := &ratepolicy.Machine{Wall: noon, Up: 30 * day, Boot: 7}
			dir := t.TempDir()
			s := ratepolicy.DirOn(m, dir)
			put(t, s, host, []byte("kept"), 1000*day)
			put(t, s, "short", []byte("kept"), tt.went+time.Second)
			tt.moves(m)
			ratepolicy.SweepDir(t.Context(), s)
			rec, now := look(t, s, host)
			assert.Equal(t, []byte("kept"), rec)
			assert.Equal(t, tt.went, now.Sub(noon))
			rec, _ = look(t, s, "short")
			assert.Equal(t, []byte("kept"), rec, "nothing that binds is gone")

			pass(m, time.Hour, 0) // and from there on it goes as it should
			rec, now = look(t, s, host)
			assert.Equal(t, []byte("kept"), rec)
			assert.Equal(t, tt.went+time.Hour, now.Sub(noon))
			rec, _ = look(t, s, "short")
			assert.Nil(t, rec)
		})
	}
}

// A record whose age nobody can tell is kept, and still runs out one day.
func TestDirSweepStartsALostClockAgain(t *testing.T) {
	m := &ratepolicy.Machine{Wall: time.Now()}
	dir := t.TempDir()
	s := ratepolicy.DirOn(m, dir)
	put(t, s, host, []byte("kept"), time.Hour)
	pass(m, 0, 401*day)
	ratepolicy.SweepDir(t.Context(), s)
	assert.FileExists(t, ratepolicy.DirFile(dir, host))
	pass(m, time.Hour, 0)
	ratepolicy.SweepDir(t.Context(), s)
	assert.NoFileExists(t, ratepolicy.DirFile(dir, host))
}

// Whatever the machine's clock does, no hold and no delay is shorter than in truth.
func TestDirUnderARandomClock(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		start := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
		m, passed := &ratepolicy.Machine{Wall: start, Boot: 1}, time.Duration(0)
		s := ratepolicy.DirOn(m, fastDir(t))
		var opens time.Duration
		for range 60 {
			jump := []time.Duration{0, 0, 0, time.Hour, -time.Hour, 400 * day, -400 * day, 26 * 365 * day}[r.IntN(8)]
			d := time.Duration(r.Int64N(int64(3 * time.Second)))
			pass(m, d, jump)
			passed += d
			synctest.Test(t, func(t *testing.T) { // a process; its own clock is out by years
				l := ratepolicy.New(ratepolicy.Policy{}, s)
				lease, err := l.TryAcquire(t.Context(), host, 0)
				if err != nil {
					assert.Positive(t, time.Until(waitError(t, err).Until))
					return
				}
				require.GreaterOrEqual(t, passed, opens, "seed %d", seed)
				wait := time.Duration(r.IntN(5)) * time.Second
				_, err = lease.Release(t.Context(), after([]int{200, 429}[r.IntN(2)], wait))
				require.NoError(t, err)
				opens = passed + time.Second
			})
		}
	}
}
