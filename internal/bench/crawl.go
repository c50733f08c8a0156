package main

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// FetchPages asks a site for its pages, one after the other and without a pause, and reads
// each: its title, what it says to robots, its canonical address, its links, its text. The
// pages are base+"/p/0" and so on. It returns the number of links read.
type FetchPages func(base string, pages int) (links int, err error)

const (
	bareClient = "net/http, the same extractor"
	collyName  = "colly"

	crawlPages = 1000
	crawlWarm  = 100 // pages before the measured ones

	// crawlChild is set in a process that only crawls: its time is the crawler's.
	crawlChild = "BENCH_CRAWL"
)

// A crawlRun is what a child is to do, and a crawlCost what it found.
type crawlRun struct {
	Subject, Base string
}

type crawlCost struct {
	CPU    time.Duration
	Allocs uint64
	Links  int
	Err    string
}

func benchCrawl(b *bench) error {
	title := fmt.Sprintf("crawl: a page of 20 KB with 45 links, fetched and read, over loopback; of %d", crawlPages)
	if b.picked(title) {
		if err := benchFetches(b, title); err != nil {
			return err
		}
	}
	title = "crawl: what a Crawler keeps of 10,000 hosts that it has fetched one page of"
	if b.picked(title) {
		return benchIdleHosts(b, title)
	}
	return nil
}

func benchFetches(b *bench, title string) error {
	site := httptest.NewServer(crawlSite())
	defer site.Close()
	got, why := make([]sample, len(Crawls)), make([]error, len(Crawls))
	for round := range b.rounds {
		for i := range Crawls {
			i = (i + round) % len(Crawls)
			cost, err := inChild(crawlRun{Crawls[i].Name, site.URL})
			if err != nil {
				why[i] = err
				continue
			}
			if ns := float64(cost.CPU) / crawlPages; got[i].ns == 0 || ns < got[i].ns {
				got[i] = sample{ns: ns, allocs: float64(cost.Allocs) / crawlPages}
			}
		}
	}
	bare, colly := named(Crawls, got, bareClient), named(Crawls, got, collyName)
	var rows [][]string
	for i, s := range Crawls {
		if why[i] != nil {
			rows = append(rows, []string{s.Name, string(s.Kind), printable(why[i].Error()), "", "", "", ""})
			continue
		}
		rows = append(rows, []string{
			s.Name, string(s.Kind), duration(got[i].ns), short(got[i].ns/bare.ns) + "x", short(got[i].ns/colly.ns) + "x",
			fmt.Sprintf("%.0f", got[i].allocs), fmt.Sprintf("%+.0f", got[i].allocs-bare.allocs),
		})
		if s.Kind == Ours {
			b.atMost(1.3, got[i].ns/bare.ns, "crawl: %s: CPU a page / that of %s", s.Name, bareClient)
			b.atMost(40, got[i].allocs-bare.allocs, "crawl: %s: allocations a page more than it", s.Name)
			b.atMost(0.4, got[i].ns/colly.ns, "crawl: %s: CPU a page / colly's", s.Name)
		}
	}
	b.table(title, []string{"subject", "kind", "CPU/page", "over the bare client", "over colly", "allocs/page", "more than the bare client"}, rows)
	return nil
}

// inChild runs a subject in a process of its own.
func inChild(r crawlRun) (cost crawlCost, err error) {
	self, err := os.Executable()
	if err != nil {
		return cost, err
	}
	what, err := json.Marshal(r)
	if err != nil {
		return cost, err
	}
	cmd := exec.Command(self) //nolint:gosec // it is this program
	cmd.Env, cmd.Stderr = append(os.Environ(), crawlChild+"="+string(what)), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return cost, err
	}
	if err = json.Unmarshal(out, &cost); err == nil && cost.Err != "" {
		err = fmt.Errorf("%s", cost.Err)
	}
	return cost, err
}

// child is main in the child.
func child(what string) int {
	var r crawlRun
	if err := json.Unmarshal([]byte(what), &r); err != nil {
		return exitBroken
	}
	cost := crawlCost{Err: "there is no such subject"}
	for _, s := range Crawls {
		if s.Name == r.Subject {
			cost = fetched(s.Do, r.Base)
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(cost); err != nil {
		return exitBroken
	}
	return exitKept
}

func fetched(do FetchPages, base string) (cost crawlCost) {
	_, err := do(base, crawlWarm)
	var before, after runtime.MemStats
	if err == nil {
		runtime.GC()
		runtime.ReadMemStats(&before)
		began := cpuTime()
		cost.Links, err = do(base, crawlPages)
		cost.CPU = cpuTime() - began
		runtime.ReadMemStats(&after)
		cost.Allocs = after.Mallocs - before.Mallocs
	}
	switch {
	case err != nil:
		cost.Err = err.Error()
	case cost.Links < 40*crawlPages:
		cost.Err = fmt.Sprintf("read %d links", cost.Links)
	}
	return cost
}

// crawlSite serves any number of pages, a sitemap of as many as its query says, and a
// robots.txt.
func crawlSite() http.Handler {
	pages := make([][]byte, 60)
	for i := range pages {
		pages[i] = newPage(20_000, func(k int) string { return fmt.Sprint("/p/", (i*7+k)%crawlPages) })
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "User-agent: *\nDisallow: /private/\n")
	})
	mux.HandleFunc("/p/{n}", func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.PathValue("n"))
		if err != nil || n < 0 || n > math.MaxInt32 {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(pages[n%len(pages)])
	})
	mux.HandleFunc("/sitemap.xml", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		var s strings.Builder
		s.WriteString(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
		for i := range crawlPages {
			fmt.Fprintf(&s, "<url><loc>http://%s/p/%d</loc></url>", r.Host, i)
		}
		s.WriteString(`</urlset>`)
		fmt.Fprint(w, s.String())
	})
	return mux
}
