package ratepolicy_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/politefetch/sdk/ratepolicy"
)

// world is one random life of a key, with an independent account of what the host
// may expect. Two stores live through it side by side: one that drops what it may,
// and one that never does. Every trip marshals the state.
type world struct {
	t       *testing.T
	r       *rand.Rand
	p       ratepolicy.Policy
	a, b    *testStore
	la, lb  *ratepolicy.Limiter
	va, vb  *ratepolicy.Limiter // a visit each
	flight  []request
	seed    uint64
	loud    bool
	held    time.Time // no grant before
	lastEnd time.Time
	arrived []time.Time // where no mode and no Crawl-delay changes the pace
	plain   bool
}

type request struct {
	a, b    *ratepolicy.Lease
	granted time.Time
	headed  bool
}

func (w *world) failf(format string, args ...any) {
	w.t.Helper()
	if !w.loud { // live it again, aloud
		live(w.t, w.seed, true)
	}
	w.t.Fatalf("seed %d, %+v\n"+format, append([]any{w.seed, w.p}, args...)...)
}

func (w *world) notef(format string, args ...any) {
	if w.loud {
		w.t.Logf(w.a.now.Format("15:04:05.000000000 ")+format, args...)
	}
}

func (w *world) move(d time.Duration) {
	w.a.now, w.b.now = w.a.now.Add(d), w.b.now.Add(d)
}

func (w *world) pick(ds ...time.Duration) time.Duration { return ds[w.r.IntN(len(ds))] }

func (w *world) pace() ratepolicy.Pace {
	return ratepolicy.Pace{
		Concurrency: 1 + w.r.IntN(3),
		Delay:       w.pick(-1, 0, 300*ms, 2*time.Second),
		Burst:       1 + w.r.IntN(3),
		MaxWait:     w.pick(-1, 0, time.Minute),
	}
}

func live(t *testing.T, seed uint64, loud bool) {
	t.Helper()
	w := &world{t: t, seed: seed, loud: loud, r: rand.New(rand.NewPCG(seed, 1)), a: newTestStore(), b: newTestStore()}
	w.b.keep = true
	w.a.twice = w.r.IntN(4) == 0
	w.p = ratepolicy.Policy{
		Normal: w.pace(), Gentle: w.pace(), LeaseFor: w.pick(0, 20*time.Second),
		GentleFor: w.pick(-1, -1, 0, time.Minute), Backoff: w.pick(-1, 0, time.Minute),
	}
	w.plain = w.p.GentleFor < 0 && w.r.IntN(2) == 0
	w.restart()
	for range 12 + w.r.IntN(20) {
		w.step()
	}
}

func (w *world) restart() {
	w.la, w.lb = ratepolicy.New(w.p, w.a), ratepolicy.New(w.p, w.b)
	w.va, w.vb = w.la.Visit(), w.lb.Visit()
}

// try asks both worlds, which must agree, and checks a grant against the account.
func (w *world) try(visit bool, crawl time.Duration) (until time.Time) {
	la, lb := w.la, w.lb
	if visit {
		la, lb = w.va, w.vb
	}
	ctx := w.t.Context()
	x, errA := la.TryAcquire(ctx, host, crawl)
	y, errB := lb.TryAcquire(ctx, host, crawl)
	waitA, okA := errors.AsType[*ratepolicy.WaitError](errA)
	waitB, okB := errors.AsType[*ratepolicy.WaitError](errB)
	if okA != okB || okA && (*waitA != *waitB || !wellFormed.MatchString(waitA.Why)) {
		w.failf("a record that was dropped made a difference, or the reason is broken: %v, %v", errA, errB)
	}
	w.notef("try visit=%v crawl=%v: %v", visit, crawl, errA)
	if errA != nil {
		if !okA {
			w.failf("%v", errA)
		}
		until = w.a.now.Add(time.Until(waitA.Until))
		if !until.After(w.a.now) {
			w.failf("Until %v is not ahead", until)
		}
		return until
	}
	w.granted(request{a: x, b: y, granted: w.a.now}, crawl)
	return until
}

func (w *world) granted(q request, crawl time.Duration) {
	now := w.a.now
	w.expire()
	if now.Before(w.held) {
		w.failf("granted before %v", w.held)
	}
	if n := max(w.p.Normal.Concurrency, w.p.Gentle.Concurrency); len(w.flight) >= n || crawl > 0 && len(w.flight) > 0 {
		w.failf("%d in flight already", len(w.flight))
	}
	least := min(delayOf(w.p.Normal, time.Second), delayOf(w.p.Gentle, 2*time.Second))
	if w.p.Normal.Burst > 1 || w.p.Gentle.Burst > 1 {
		least = 0 // checked by arrivals
	}
	if least = max(least, crawl); !w.lastEnd.IsZero() && now.Before(w.lastEnd.Add(least)) {
		w.failf("granted %v after an answer", now.Sub(w.lastEnd))
	}
	w.flight = append(w.flight, q)
}

func delayOf(p ratepolicy.Pace, zero time.Duration) time.Duration {
	if p.Delay == 0 {
		return zero
	}
	return max(p.Delay, 0)
}

// expire frees what ran out.
func (w *world) expire() {
	lease := w.p.LeaseFor
	if lease == 0 {
		lease = time.Minute
	}
	w.flight = slices.DeleteFunc(w.flight, func(q request) bool {
		end := q.granted.Add(lease)
		if end.After(w.a.now) {
			return false
		}
		w.ended(q, end)
		return true
	})
}

// ended puts the request somewhere between its grant and its end on the wire, and
// checks the density of arrivals.
func (w *world) ended(q request, at time.Time) {
	if at.After(w.lastEnd) {
		w.lastEnd = at
	}
	if !w.plain {
		return
	}
	w.arrived = append(w.arrived, q.granted.Add(time.Duration(w.r.Int64N(int64(at.Sub(q.granted))+1))))
	slices.SortFunc(w.arrived, time.Time.Compare)
	delay, burst := delayOf(w.p.Normal, time.Second), w.p.Normal.Burst
	for i := range w.arrived {
		for k := i + burst; k < len(w.arrived); k++ {
			least := time.Duration(k-i-burst+1) * delay
			if gap := w.arrived[k].Sub(w.arrived[i]); gap < least {
				w.failf("%d arrivals within %v", k-i+1, gap)
			}
		}
	}
}

func (w *world) answer() ratepolicy.Answer {
	a := ratepolicy.Answer{Status: []int{200, 200, 200, 301, 404, 500, 503, 429, 429, 403}[w.r.IntN(10)]}
	if w.plain {
		a.Status = 200
	}
	if w.r.IntN(3) == 0 {
		a.Wait = w.pick(0, time.Second, 30*time.Second, time.Hour)
		a.From = []string{"Retry-After", "RateLimit"}[w.r.IntN(2)]
	}
	return a
}

// hear keeps the account of holds.
func (w *world) hear(a ratepolicy.Answer) {
	if a.Wait > 0 && (a.From != "Retry-After" || a.Status >= 400) {
		w.hold(w.a.now.Add(a.Wait))
	}
	if (a.Status == 429 || a.Status == 503) && a.Wait == 0 && w.p.Backoff >= 0 {
		w.hold(w.a.now.Add(max(w.p.Backoff, 5*time.Second)))
	}
}

func (w *world) hold(until time.Time) {
	if until.After(w.held) {
		w.held = until
	}
}

func (w *world) release() {
	w.expire()
	if len(w.flight) == 0 {
		return
	}
	i := w.r.IntN(len(w.flight))
	q := &w.flight[i]
	a, ctx := w.answer(), w.t.Context()
	if !q.headed && w.r.IntN(3) == 0 {
		w.notef("head %+v", a)
		q.headed = true
		w.hear(a)
		require.NoError(w.t, q.a.Answered(ctx, a))
		require.NoError(w.t, q.b.Answered(ctx, a))
		return
	}
	if q.headed {
		a = ratepolicy.Answer{Err: errors.New("broke off")}
	} else {
		w.hear(a)
	}
	w.ended(*q, w.a.now)
	x, err := q.a.Release(ctx, a)
	require.NoError(w.t, err)
	y, err := q.b.Release(ctx, a)
	require.NoError(w.t, err)
	w.notef("release %+v: opens %v", a, x)
	if !x.Equal(y) {
		w.failf("opens %v, %v", x, y)
	}
	w.flight = slices.Delete(w.flight, i, i+1)
}

func (w *world) step() {
	visit := w.r.IntN(3) == 0
	crawl := w.pick(0, 0, 0, 100*ms, 5*time.Second)
	if w.plain {
		visit, crawl = false, 0
	}
	switch n := w.r.IntN(20); {
	case n < 9:
		until := w.try(visit, crawl)
		if until.IsZero() || w.r.IntN(2) == 0 {
			return
		}
		if w.expire(); len(w.flight) > 0 { // a release may open it, within what the host allows
			return
		}
		w.move(until.Sub(w.a.now) - time.Nanosecond)
		if w.try(visit, crawl).IsZero() {
			w.failf("granted before the instant that was told")
		}
		w.move(time.Nanosecond)
		if !w.try(visit, crawl).IsZero() {
			w.failf("not granted at the instant that was told, with nothing in flight")
		}
	case n < 15:
		w.release()
	case n < 18:
		w.move(w.pick(ms, 100*ms, time.Second, 7*time.Second, time.Minute))
	case n == 18:
		switch m := w.r.IntN(40); {
		case m == 0:
			w.move(w.pick(time.Hour, 2*time.Hour, 25*time.Hour))
		case m < 4:
			w.restart()
			w.notef("restart")
		case m < 7 && !w.plain:
			w.held = time.Time{}
			w.notef("forget")
			require.NoError(w.t, w.la.Forget(w.t.Context(), host))
			require.NoError(w.t, w.lb.Forget(w.t.Context(), host))
		}
	default:
		if w.r.IntN(5) == 0 {
			d := w.pick(time.Second, time.Minute, time.Hour)
			w.hold(w.a.now.Add(d))
			w.notef("hold %v", d)
			require.NoError(w.t, w.la.Hold(w.t.Context(), host, time.Now().Add(d), "test"))
			require.NoError(w.t, w.lb.Hold(w.t.Context(), host, time.Now().Add(d), "test"))
		}
	}
}

// sequences is how many random lives a property test lives through: few, or with
// POLITEFETCH_LONG=1 a million in all.
func sequences(few int) int {
	switch {
	case raceDetector: // one goroutine a life: nothing for it to see
		return few / 20
	case os.Getenv("POLITEFETCH_LONG") == "1":
		return 10 * few
	}
	return few
}

func TestInvariantsOverRandomSequences(t *testing.T) {
	n := sequences(100_000)
	const parts = 4
	for part := range parts {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { // only to have a clock that stands still
				for i := range n / parts {
					live(t, uint64(part*n+i), false)
				}
			})
		})
	}
}

// wellFormed is what a reason may look like.
var wellFormed = regexp.MustCompile(`^(answered \d+(, (Retry-After|RateLimit) \d+| without a wait, own backoff)|held: test|(own|gentle) pace [\dmsh.]+( for the rest of the visit)?|robots.txt Crawl-delay [\dms.]+)` +
	` \(until [\dT:Z-]+\)$|^\d+ of \d+ requests in flight$`)
