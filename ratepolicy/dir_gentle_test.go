package ratepolicy_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/ratepolicy"
)

// site is what one host saw of a bot, and may expect of it.
type site struct {
	t       *testing.T
	ended   time.Time // the last answer
	held    time.Time // by a Retry-After
	gentle  time.Time // until when
	flight  int
	asked   int
	quickly int // requests that came sooner than gentle mode allows
}

func (s *site) arrives() {
	now := time.Now()
	s.asked++
	s.flight++
	least, most := time.Second, 2
	if now.Before(s.gentle) {
		least, most = 2*time.Second, 1
	}
	if d := now.Sub(s.ended); d < least {
		s.t.Errorf("%s: asked %v after an answer", now, d)
	} else if d < 2*time.Second {
		s.quickly++
	}
	if s.flight > most {
		s.t.Errorf("%s: %d in flight", now, s.flight)
	}
	if now.Before(s.held) {
		s.t.Errorf("%s: asked %v before Retry-After is over", now, s.held.Sub(now))
	}
}

func (s *site) answers(a ratepolicy.Answer) {
	s.flight--
	s.ended = time.Now()
	if a.Status == 429 {
		s.gentle = s.ended.Add(14 * day)
		if until := s.ended.Add(a.Wait); until.After(s.held) {
			s.held = until
		}
	}
}

func TestK07_GentleModeLasts14DaysAcrossRestartsAtAnyMoment(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			dir := fastDir(t)
			synctest.Test(t, func(t *testing.T) { gentleLife(t, dir, rand.New(rand.NewPCG(seed, 4))) })
		})
	}
}

// gentleLife has three processes ask a site, each of them ended and started again at any
// moment, also while it has a request in flight, until 15 days after the last limit.
func gentleLife(t *testing.T, dir string, r *rand.Rand) {
	t.Helper()
	s := &site{t: t}
	start := func() *ratepolicy.Limiter { return ratepolicy.New(ratepolicy.Policy{}, ratepolicy.Dir(dir)) }
	bots := []*ratepolicy.Limiter{start(), start(), start()}
	restarts, limits, first := 0, 0, time.Now()
	for s.gentle.IsZero() || time.Now().Before(s.gentle.Add(day)) {
		switch r.IntN(10) {
		case 0:
			time.Sleep(time.Duration(r.Int64N(int64(5 * time.Hour))))
		case 1, 2, 3:
			time.Sleep(time.Duration(r.Int64N(int64(3 * time.Second))))
		}
		i := r.IntN(len(bots))
		lease, err := bots[i].TryAcquire(t.Context(), host, 0)
		if err != nil {
			time.Sleep(min(time.Until(waitError(t, err).Until), time.Duration(r.Int64N(int64(time.Hour)))))
			continue
		}
		s.arrives()
		time.Sleep(time.Duration(r.Int64N(int64(2 * time.Second))))
		for range 2 { // the others may try meanwhile
			if another, err := bots[r.IntN(len(bots))].TryAcquire(t.Context(), host, 0); err == nil {
				s.arrives()
				s.answers(ok200)
				_, err = another.Release(t.Context(), ok200)
				require.NoError(t, err)
			}
		}
		a := ok200
		if s.gentle.IsZero() || r.IntN(100) == 0 && time.Since(first) < 10*day {
			limits++
			a = after(429, time.Duration(r.IntN(90))*time.Second)
		}
		s.answers(a)
		if a.Status == 200 && r.IntN(8) == 0 { // it ends before it can say so
			bots[i] = start()
			restarts++
			continue
		}
		_, err = lease.Release(t.Context(), a)
		require.NoError(t, err)
		if r.IntN(4) == 0 {
			k := r.IntN(len(bots))
			bots[k] = start()
			restarts++
		}
	}
	assert.Positive(t, s.quickly, "in the end it is forgiven")
	assert.Greater(t, restarts, 20)
	t.Logf("%v: %d requests, %d restarts, %d limits", time.Since(first).Round(time.Hour), s.asked, restarts, limits)
}
