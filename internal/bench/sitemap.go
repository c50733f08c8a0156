package main

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// ReadSitemap reads a sitemap and returns how many URLs it lists. Images and alternates
// are to be read too, where images is set and the library can.
type ReadSitemap func(r io.Reader, images bool) (urls int, err error)

const (
	manyURLs = 50_000 // the most that a sitemap may list
	mib      = 1 << 20
)

func benchSitemap(b *bench) error {
	if err := benchPeak(b); err != nil { // first: while the heap is small
		return err
	}
	for _, x := range []struct {
		name   string
		images bool
		xml    float64 // bars: encoding/xml's time and the best peer's over ours
		peer   float64
	}{
		{"four fields", false, 10, 12},
		{"images", true, 7, 0},
	} {
		data, err := io.ReadAll(newSitemap(manyURLs, x.images))
		if err != nil {
			return err
		}
		title := fmt.Sprintf("sitemap: 50,000 URLs with %s, %s MB", x.name, short(float64(len(data))/1e6))
		if !b.picked(title) {
			continue
		}
		ops, why := make([]operation, len(Sitemaps)), make([]error, len(Sitemaps))
		for i, s := range Sitemaps {
			if why[i] = count(s.Do(bytes.NewReader(data), x.images)); why[i] != nil {
				continue
			}
			ops[i] = func(n int) {
				for range n {
					s.Do(bytes.NewReader(data), x.images)
				}
			}
		}
		got := b.interleave(ops)
		mine := named(Sitemaps, got, ours)
		costs(&b.report, title, Sitemaps, got, why, []string{"MB/s", "allocs/URL", "over encoding/xml's Token"}, func(i int) []string {
			if got[i].ns == 0 {
				return []string{"", "", ""}
			}
			return []string{
				fmt.Sprintf("%.0f", float64(len(data))*1e3/got[i].ns), short(got[i].allocs / manyURLs),
				short(named(Sitemaps, got, xmlToken).ns/got[i].ns) + "x",
			}
		})
		b.atLeast(x.xml, named(Sitemaps, got, xmlToken).ns/mine.ns, "sitemap: %s: encoding/xml Token's time / ours", x.name)
		if !x.images {
			b.atLeast(x.peer, bestPeer(Sitemaps, got)/mine.ns, "sitemap: %s: best peer's time / ours", x.name)
			b.atMost(1.1, mine.allocs/manyURLs, "sitemap: %s: allocations a URL", x.name)
		}
	}
	return nil
}

// count says what is wrong with a reading of one of the large sitemaps.
func count(urls int, err error) error {
	if err == nil && urls != manyURLs {
		err = fmt.Errorf("found %d URLs", urls)
	}
	return err
}

// benchPeak watches the heap while sitemaps are read that are made on the way.
func benchPeak(b *bench) error {
	title := "sitemap: greatest heap above the start, while read from a stream"
	if !b.picked(title) {
		return nil
	}
	var rows [][]string
	for _, s := range Sitemaps {
		row := []string{s.Name, string(s.Kind)}
		for _, urls := range []int{manyURLs, 50 * manyURLs} {
			if urls > manyURLs && s.Name != ours { // minutes
				row = append(row, "")
				continue
			}
			peak, err := peakHeap(func() error {
				n, err := s.Do(newSitemap(urls, false), false)
				if err == nil && n != urls {
					err = fmt.Errorf("found %d URLs", n)
				}
				return err
			})
			if err != nil {
				row = append(row, printable(err.Error()))
				continue
			}
			row = append(row, fmt.Sprintf("%.2f MiB", peak/mib))
			if s.Name == ours {
				b.atMost(5, peak/mib, "sitemap: %d URLs from a stream: peak heap above the start, MiB", urls)
			}
		}
		rows = append(rows, row)
	}
	b.table(title, []string{"subject", "kind", "50,000 URLs, 10 MB", "2,500,000 URLs, 500 MB"}, rows)
	return nil
}

// peakHeap is how many bytes the heap grows at most while f runs, garbage that was not
// collected yet included.
func peakHeap(f func() error) (float64, error) {
	live := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	now := func() float64 {
		metrics.Read(live)
		return float64(live[0].Value.Uint64())
	}
	runtime.GC()
	debug.FreeOSMemory()
	start := now()
	peak := start
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		tick := time.NewTicker(200 * time.Microsecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				peak = max(peak, now())
			}
		}
	})
	err := f()
	close(done)
	watch.Wait()
	return peak - start, err
}
