package ratepolicy

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// anyState is a state with some of all there can be; few of it are likely.
func anyState(r *rand.Rand) state {
	moment := func() int64 {
		switch r.IntN(6) {
		case 0, 1:
			return 0
		case 2:
			return 1 + r.Int64N(math.MaxInt64)
		case 3:
			return math.MaxInt64 // for good
		case 4:
			return r.Int64N(1<<33) * int64(time.Second)
		default:
			return 1796083200e9 + r.Int64N(30*24)*int64(time.Hour) + r.Int64N(2)*r.Int64N(1e10)
		}
	}
	s := state{lastEnd: moment(), drained: moment(), crawl: moment()}
	if r.IntN(3) > 0 {
		instants, others := s.numbers()
		for _, n := range instants {
			*n = moment()
		}
		for _, n := range others {
			*n = []int64{0, 1, 127, 128, 429, moment()}[r.IntN(6)]
		}
		s.holdAsked.from = []string{"", retryAfter, "RateLimit", "X-Rate-Limit-Reset", "X-Mine"}[r.IntN(5)]
		if s.ours != 0 {
			s.oursWhy = []string{"", "operator", string(make([]byte, maxWhy))}[r.IntN(3)]
		}
	}
	for range r.IntN(4) {
		s.leases.add(turn{r.Uint64(), moment()})
	}
	return s
}

func TestARecordSaysTheWholeState(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 100_000 {
		s := anyState(r)
		rec := s.append([]byte("before"))[len("before"):]
		var got state
		require.NoError(t, got.decode(rec))
		if got.trouble != s.trouble || got.lastEnd != s.lastEnd || got.drained != s.drained || got.crawl != s.crawl || got.leases.n != s.leases.n {
			t.Fatalf("wrote %+v\nread  %+v", s, got)
		}
		for i := range s.leases.n {
			require.Equal(t, *s.leases.at(i), *got.leases.at(i))
		}
	}
}

// Whatever a record says, it is damaged or a state that can be written.
func FuzzRecord(f *testing.F) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 100 {
		s := anyState(r)
		f.Add(s.append(nil))
	}
	f.Fuzz(func(t *testing.T, rec []byte) {
		var s, again state
		if s.decode(rec) != nil {
			return
		}
		require.NoError(t, again.decode(s.append(nil)))
		require.Equal(t, s.trouble, again.trouble)
		require.Equal(t, s.leases.n, again.leases.n)
		require.Equal(t, [...]int64{s.lastEnd, s.drained, s.crawl}, [...]int64{again.lastEnd, again.drained, again.crawl})
		for _, n := range [...]int64{s.lastEnd, s.drained, s.crawl, s.hold, s.ours, s.gentleUntil} {
			require.GreaterOrEqual(t, n, int64(0))
		}
	})
}
