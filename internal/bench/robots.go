package main

import (
	"fmt"
	"net/url"
)

// ParseRobots reads a robots.txt that was fetched, once, and makes ready to answer one
// agent.
type ParseRobots func(body []byte, agent string) (Allowed, error)

// Allowed says whether an address may be asked for.
type Allowed func(a *Address) bool

// An Address is one address in three forms; a library takes whichever it wants.
type Address struct {
	Raw  string
	URL  *url.URL
	Path string // with the query, as sent
}

// agent has no group of its own in any file.
const agent = "BenchBot"

func benchRobots(b *bench) error {
	for _, bench := range []func(*bench) error{benchGenerated, benchReal, benchCompile, benchMemory, benchHostile} {
		if err := bench(b); err != nil {
			return err
		}
	}
	return nil
}

// A robotsCase is a file, and addresses to ask it about.
type robotsCase struct {
	name string
	body []byte
	ask  []Address
}

// asked parses a case with every subject, and counts the answers that are as grobotstxt's.
func (c *robotsCase) asked(subjects []Subject[ParseRobots]) (allowed []Allowed, why []error, agree []int) {
	truth, _ := parseGrobotstxt(c.body, agent)
	allowed, why, agree = make([]Allowed, len(subjects)), make([]error, len(subjects)), make([]int, len(subjects))
	for i, s := range subjects {
		allowed[i], why[i] = s.Do(c.body, agent)
		if why[i] != nil {
			continue
		}
		for k := range c.ask {
			if allowed[i](&c.ask[k]) == truth(&c.ask[k]) {
				agree[i]++
			}
		}
	}
	return allowed, why, agree
}

// hot times answers of a file that was read before, in one table.
func (c *robotsCase) hot(b *bench, title string) []sample {
	allowed, why, agree := c.asked(Robots)
	ops := make([]operation, len(Robots))
	for i, test := range allowed {
		if test == nil {
			continue
		}
		ops[i] = func(n int) {
			k := 0
			for range n {
				test(&c.ask[k])
				if k++; k == len(c.ask) {
					k = 0
				}
			}
		}
	}
	got := b.interleave(ops)
	c.costs(b, title, got, why, agree)
	return got
}

// cold times the reading of a file with one answer.
func (c *robotsCase) cold(b *bench, title string) []sample {
	_, why, agree := c.asked(Robots)
	ops := make([]operation, len(Robots))
	for i, s := range Robots {
		if why[i] != nil {
			continue
		}
		ops[i] = func(n int) {
			for k := range n {
				if test, err := s.Do(c.body, agent); err == nil {
					test(&c.ask[k%len(c.ask)])
				}
			}
		}
	}
	got := b.interleave(ops)
	c.costs(b, title, got, why, agree)
	return got
}

func (c *robotsCase) costs(b *bench, title string, got []sample, why []error, agree []int) {
	costs(&b.report, title, Robots, got, why, []string{"answers as grobotstxt's"}, func(i int) []string {
		return []string{fmt.Sprintf("%d of %d", agree[i], len(c.ask))}
	})
}

func benchGenerated(b *bench) error {
	var few, many float64 // our time at 10 and at 5,000 rules
	for _, x := range []struct {
		name     string
		rules    int
		patterns bool
		hot      float64 // the bar
	}{
		{"10 rules", 10, false, 0.25},
		{"100 rules", 100, false, 0.1},
		{"5,000 rules", 5000, false, 0.06},
		{"hostile: 100 rules of 20 stars, 2 KB addresses", 100, true, 0.02},
	} {
		c, err := generated(x.rules, x.patterns)
		if err != nil {
			return err
		}
		of := fmt.Sprintf("%s, %s", x.name, size(float64(len(c.body))))
		if title := "robots: one answer, the file read before: " + of; b.picked(title) {
			got := c.hot(b, title)
			mine := named(Robots, got, ours)
			b.atMost(x.hot, mine.ns/bestPeer(Robots, got), "robots: answer at %s: time / best peer's", x.name)
			b.atMost(0, mine.allocs, "robots: answer at %s: allocations", x.name)
			switch x.rules {
			case 10:
				few = mine.ns
			case 5000:
				many = mine.ns
			}
		}
		if title := "robots: file read and one answer: " + of; b.picked(title) {
			got := c.cold(b, title)
			if !x.patterns {
				b.atMost(1.1, named(Robots, got, ours).ns/named(Robots, got, grobots).ns, "robots: file read and one answer at %s: time / grobotstxt's", x.name)
			}
		}
	}
	if few > 0 && many > 0 {
		b.atMost(3, many/few, "robots: answer at 5,000 rules: time / time at 10")
	}
	return nil
}
