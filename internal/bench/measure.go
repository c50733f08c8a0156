package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"regexp"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// bench is one run: its settings and what it found.
type bench struct {
	report
	progress  io.Writer
	rounds    int
	slice     time.Duration
	only      *regexp.Regexp // nil: everything
	largeHeap bool           // collecting it between operations would take longer than they do
	cpu       bool           // time is the process's on the processors, the collector's included
}

// now is the time of a clock that only differences are taken of.
func (b *bench) now() time.Duration {
	if b.cpu {
		return cpuTime()
	}
	return time.Since(started)
}

var started = time.Now()

// cpuTime is what this process has used of the processors.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it takes no argument that could be wrong
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// picked reports whether a table is to be made, and says so.
func (b *bench) picked(title string) bool {
	if b.only != nil && !b.only.MatchString(title) {
		return false
	}
	fmt.Fprintln(b.progress, title)
	return true
}

// A sample is the cost of one operation: of the best round, for neighbours on the machine
// only ever add time. Its zero means that there is none.
type sample struct {
	ns, bytes, allocs float64
	spread            float64 // the median round's time over the best one's
}

// An operation does one thing n times.
type operation func(n int)

// interleave times the operations in turn. Every round starts with another one, so that
// whatever else the machine does hits all alike. A nil operation gets no sample.
func (b *bench) interleave(ops []operation) []sample {
	samples := make([][]sample, len(ops))
	counts := make([]int, len(ops))
	for round := range b.rounds {
		for i := range ops {
			i = (i + round) % len(ops)
			if ops[i] != nil {
				samples[i] = append(samples[i], b.time(ops[i], &counts[i]))
			}
		}
	}
	out := make([]sample, len(ops))
	for i, s := range samples {
		if len(s) == 0 {
			continue
		}
		slices.SortFunc(s, func(x, y sample) int { return cmp.Compare(x.ns, y.ns) })
		out[i] = s[0]
		out[i].spread = s[len(s)/2].ns / s[0].ns
	}
	return out
}

// time runs an operation for about a slice; n is the count that took so long before.
func (b *bench) time(op operation, n *int) sample {
	var before, after runtime.MemStats
	if !b.largeHeap {
		runtime.GC() // nobody pays for the garbage of the one before
	}
	for *n = max(*n, 1); ; {
		runtime.ReadMemStats(&before)
		began := b.now()
		op(*n)
		took := max(b.now()-began, 1)
		runtime.ReadMemStats(&after)
		if took >= b.slice/2 {
			count := float64(*n)
			s := sample{
				ns:     float64(took) / count,
				bytes:  float64(after.TotalAlloc-before.TotalAlloc) / count,
				allocs: float64(after.Mallocs-before.Mallocs) / count,
			}
			*n = max(1, int(math.Ceil(count*float64(b.slice)/float64(took))))
			return s
		}
		*n = int(math.Ceil(float64(*n) * min(100, 1.2*float64(b.slice)/float64(took))))
	}
}

// held is how many bytes of heap one value takes that build makes, what it refers to
// included.
func held(build func() any) float64 {
	const copies = 8
	var keep [copies]any
	before := liveHeap()
	for i := range keep {
		keep[i] = build()
	}
	after := liveHeap()
	runtime.KeepAlive(keep)
	return max(0, float64(after)-float64(before)) / copies
}

func liveHeap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // twice: what a sync.Pool holds survives the first
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
