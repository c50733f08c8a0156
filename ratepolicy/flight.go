package ratepolicy

import "slices"

// A flight is the requests in flight, the oldest first. It is rarely more than one, so
// the first takes no memory of its own.
type flight struct {
	n     int
	first turn
	more  []turn // the others
}

type turn struct {
	id    uint64
	until int64
}

// at returns the i-th, from 0 on.
func (f *flight) at(i int) *turn {
	if i == 0 {
		return &f.first
	}
	return &f.more[i-1]
}

func (f *flight) add(t turn) {
	if f.n == 0 {
		f.first = t
	} else {
		f.more = append(f.more[:f.n-1], t)
	}
	f.n++
}

// has reports whether the turn with the id is there.
func (f *flight) has(id uint64) bool {
	for i := range f.n {
		if f.at(i).id == id {
			return true
		}
	}
	return false
}

// clone is f with a memory of its own.
func (f *flight) clone() flight {
	return flight{n: f.n, first: f.first, more: slices.Clone(f.more)}
}

// drop removes the turn with the id, if it is there.
func (f *flight) drop(id uint64) {
	keep := 0
	for i := range f.n {
		if t := *f.at(i); t.id != id {
			*f.at(keep) = t
			keep++
		}
	}
	f.n = keep
}
