package ratepolicy

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// A store that failed may have been told, and is told again; several processes tell it in
// any order.
func TestWhatIsMergedTwiceOrInAnyOrderIsTheSame(t *testing.T) {
	p, r := filled(Policy{}), rand.New(rand.NewPCG(7, 8))
	facts := func(s *state) []int64 {
		n := []int64{s.lastEnd, int64(s.leases.n)}
		instants, others := s.numbers()
		for _, v := range append(instants[:], others[2]) { // hits
			n = append(n, *v)
		}
		return n
	}
	for range 20_000 {
		s, a, b := anyState(r), anyState(r), anyState(r)
		one, other := s, s
		one.leases, other.leases = s.leases.clone(), s.leases.clone()
		for _, l := range []*state{&a, &b, &a} {
			p.merge(&one, l)
		}
		for _, l := range []*state{&b, &a} {
			p.merge(&other, l)
		}
		require.Equal(t, facts(&one), facts(&other))
		require.GreaterOrEqual(t, one.hold, s.hold, "nothing is shortened")
		require.GreaterOrEqual(t, one.gentleUntil, max(s.gentleUntil, a.gentleUntil, b.gentleUntil))
	}
}
