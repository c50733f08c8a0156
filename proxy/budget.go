package proxy

import "sync"

// A Budget bounds the credits that asks may cost. One Budget may be shared by several
// routes. It is safe for concurrent use.
type Budget struct {
	mu sync.Mutex
	u  Usage
}

// NewBudget returns a Budget of so many credits. None and fewer allow no ask.
func NewBudget(credits float64) *Budget { return &Budget{u: Usage{Limit: credits}} }

// Usage is what has become of a [Budget], in credits. It is plain data.
type Usage struct {
	Limit     float64 // what may be used in all
	Spent     float64 // what the provider said that answers cost
	Uncertain float64 // set aside for asks whose cost never became known
	Reserved  float64 // set aside for asks in flight
}

// Left is what may still be used. It is negative if an ask cost more than was set aside.
func (u Usage) Left() float64 { return u.Limit - u.Spent - u.Uncertain - u.Reserved }

// Usage returns what has become of the budget so far.
func (b *Budget) Usage() Usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.u
}

// reserve sets credits aside, if they are left. A nil Budget has no limit.
func (b *Budget) reserve(credits float64) bool {
	if b == nil {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.u.Left() < credits {
		return false
	}
	b.u.Reserved += credits
	return true
}

// settle puts what an ask cost in the place of its reservation.
func (b *Budget) settle(reserved float64, c cost) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.u.Reserved -= reserved
	if c.known {
		b.u.Spent += c.credits
	} else {
		b.u.Uncertain += reserved
	}
}

// cost is what an ask cost; unknown if the provider did not say.
type cost struct {
	credits float64
	known   bool
}
