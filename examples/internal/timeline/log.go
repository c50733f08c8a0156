package timeline

import (
	"slices"
	"sync"

	"github.com/politefetch/sdk/politefetch"
)

// maxEvents bounds a Log: some 30,000 requests.
const maxEvents = 100_000

// A Log keeps events as they come. The zero Log is ready to use; it is safe for
// concurrent use. Of more than 100,000 events it keeps the newest.
type Log struct {
	mu     sync.Mutex
	events []politefetch.Event
	lost   int
}

// Observe is a [politefetch.Config]'s Observe.
func (l *Log) Observe(e politefetch.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.events) == maxEvents { // in large steps, so that a step is rare
		l.events = slices.Delete(l.events, 0, maxEvents/10)
		l.lost += maxEvents / 10
	}
	l.events = append(l.events, e)
}

// Events returns a copy of what is kept.
func (l *Log) Events() []politefetch.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.events)
}

// Lost is how many events were too many to keep.
func (l *Log) Lost() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}
