package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// MakeRate returns a limiter that lets one request per interval through to each host.
// What it returns makes one decision: may one start now? Ours makes the whole turn, its
// end included.
type MakeRate func(interval time.Duration) (decide func(host string) bool, err error)

const (
	manyHosts = 1_000_000

	// rateInterval is shorter than a round through all hosts takes, so that every
	// decision is a grant.
	rateInterval = time.Millisecond

	plainMap = "map[string]int64 + Mutex" // the subject that the bar on garbage collection is about
)

// ratesHeld are limiters whose hosts asked for pauses: only what they keep is measured.
var ratesHeld []Subject[MakeRate]

func benchRate(b *bench) error {
	hosts := make([]string, manyHosts)
	for i := range hosts {
		hosts[i] = fmt.Sprintf("www.host-%d.example.com", i)
	}
	r := rand.New(rand.NewPCG(7, 7)) //nolint:gosec // the same order every time
	r.Shuffle(len(hosts), func(i, j int) { hosts[i], hosts[j] = hosts[j], hosts[i] })
	order := r.Perm(len(hosts))
	if err := benchRateHeap(b, hosts); err != nil {
		return err
	}
	return benchDecisions(b, hosts, order)
}

// filledRate returns a limiter that was asked for every host once.
func filledRate(s Subject[MakeRate], hosts []string) (func(string) bool, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // no collection of what grows: it is not measured
	decide, err := s.Do(rateInterval)
	if err != nil {
		return nil, err
	}
	for _, h := range hosts {
		if !decide(h) {
			return nil, errors.New("refuses a host that was never asked")
		}
	}
	return decide, nil
}

// benchRateHeap measures what a limiter keeps, alone in the heap but for the names.
func benchRateHeap(b *bench, hosts []string) error {
	title := "rate: what is kept of 1,000,000 hosts, their names not counted"
	if !b.picked(title) {
		return nil
	}
	subjects := slices.Concat(Rates, ratesHeld)
	held, gc := make([]float64, len(subjects)), make([]float64, len(subjects))
	names := collection() // of these alone
	for i, s := range subjects {
		fmt.Fprintln(b.progress, "  "+s.Name)
		before := liveHeap()
		decide, err := filledRate(s, hosts)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		gc[i] = collection() // which leaves what is live
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		held[i] = (float64(stats.HeapAlloc) - float64(before)) / manyHosts
		runtime.KeepAlive(decide)
	}
	runtime.KeepAlive(hosts)
	plain := math.Inf(1)
	for i, s := range subjects {
		if s.Name == plainMap {
			plain = gc[i]
		}
	}
	var rows [][]string
	for i, s := range subjects {
		rows = append(rows, []string{s.Name, string(s.Kind), fmt.Sprintf("%.0f", held[i]), duration(gc[i]), short(gc[i]/plain) + "x"})
		if s.Kind == Ours {
			b.atMost(136, held[i], "rate: %s: heap bytes a host", s.Name)
			b.atMost(1.5, gc[i]/plain, "rate: %s: one full collection / that of a plain map", s.Name)
		}
	}
	b.table(title, []string{"subject", "kind", "heap B/host", "one full collection", "over the plain map's"}, rows)
	fmt.Fprintf(b.w, "\nA collection of the names alone takes %s, and is part of every figure.\n", duration(names))
	return nil
}

// collection is how long a full garbage collection takes, in nanoseconds: the quickest
// of a few.
func collection() float64 {
	best := math.Inf(1)
	for range 3 {
		began := time.Now()
		runtime.GC()
		best = min(best, float64(time.Since(began)))
	}
	return best
}

// benchDecisions measures decisions for hosts in random order, all limiters in the heap
// at once, by one goroutine and by one a core.
func benchDecisions(b *bench, hosts []string, order []int) error {
	title := "rate: one decision for one of 1,000,000 hosts, in random order"
	if !b.picked(title) {
		return nil
	}
	cores := runtime.GOMAXPROCS(0)
	why := make([]error, len(Rates))
	one, all := make([]operation, len(Rates)), make([]operation, len(Rates))
	refused := make([]int, len(Rates))
	for i, s := range Rates {
		decide, err := filledRate(s, hosts)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		at := 0 // goes on where it was: no round meets hosts that are in the cache
		run := func(from, n int) (no int) {
			for k := range n {
				if !decide(hosts[order[(from+k)%len(order)]]) {
					no++
				}
			}
			return no
		}
		one[i] = func(n int) {
			refused[i] += run(at, n)
			at += n
		}
		all[i] = func(n int) {
			var wait sync.WaitGroup
			no := make([]int, cores)
			for c := range cores {
				part := n / cores
				if c < n%cores {
					part++
				}
				wait.Go(func() { no[c] = run(at+c*len(order)/cores, part) }) // none meets another's hosts
			}
			wait.Wait()
			for _, k := range no {
				refused[i] += k
			}
			at += n
		}
	}
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	b.largeHeap = true
	defer func() { b.largeHeap = false }()
	got := b.interleave(one)
	both := b.interleave(all)
	bestBoth := bestPeer(Rates, both)
	costs(&b.report, title, Rates, got, why,
		[]string{fmt.Sprintf("%d cores, time/op", cores), "vs best peer", fmt.Sprintf("%d cores over one", cores), "refused"},
		func(i int) []string {
			return []string{duration(both[i].ns), short(both[i].ns/bestBoth) + "x", short(got[i].ns/both[i].ns) + "x", fmt.Sprint(refused[i])}
		})
	mine, mineBoth := named(Rates, got, ours), named(Rates, both, ours)
	b.atMost(2, mine.ns/bestPeer(Rates, got), "rate: turn and release / best peer's one decision")
	b.atMost(2, mineBoth.ns/bestBoth, "rate: the same on %d cores", cores)
	b.atMost(1, mine.allocs, "rate: allocations of turn and release")
	if cores > 1 {
		b.atLeast(1.6, mine.ns/mineBoth.ns, "rate: throughput of %d cores / of one", cores)
	}
	return nil
}
