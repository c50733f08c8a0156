package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// A TruthJob is what a bot is asked to do, by its library's documented options.
type TruthJob struct {
	Ask       []string      // addresses, all known from the start
	Site      bool          // Ask is one site's home page: read what it links to, on its host
	Hosts     []string      // HOST:PORT of those that may be asked; no other of this machine is public
	Delay     time.Duration // least pause between two requests to a host, where one at a time is allowed
	Product   string        // the name of the bot's groups in robots.txt
	UserAgent string
	Dir       string        // a folder that outlives the process
	Limit     time.Duration // after this the process is stopped

	Subject  string // whose job it is
	Resolver string // HOST:PORT of the name server
}

// A Bot does jobs. Lacks says why a row that needs something doesn't apply to it.
type Bot struct {
	Run   func(job *TruthJob) error
	Lacks map[need]string
}

// A need is something that not every library does.
type need string

const (
	bodies   need = "bodies"   // the library reads them, not its caller
	links    need = "links"    // it follows them by itself, or hands them over
	sitemaps need = "sitemaps" // it reads them
)

// A promise is a row: a scripted exchange, and what the server's log must show.
type promise struct {
	words string // what a site may count on
	by    string // which standard asks for it; "": none, it is this library's own word
	needs need

	ask    []string // "/path" at host a, or "b/path"; "a" to "c" are public, "inside" is not
	then   []string // what a second process asks for after the first
	beside []string // what a second process asks for at the same time
	site   bool
	delay  time.Duration     // 0: truthDelay
	limit  time.Duration     // 0: truthLimit
	agent  string            // "": shortAgent
	serve  map[string]answer // by path, or by host and path
	kept   func(l requests) (bool, string)
}

const (
	truthProduct = "KiwiRankBot"
	shortAgent   = "KiwiRankBot/1.0 (+https://bench.example/bot)"
	longAgent    = "Mozilla/5.0 (compatible; KiwiRankBot/1.0; +https://bench.example/bot)"

	truthDelay = 100 * time.Millisecond
	truthLimit = 8 * time.Second
	truthAside = 6 // exchanges at a time: they mostly wait
)

// promises are the rows, in the order of the table.
func promises() []promise {
	return slices.Concat(rulePromises(), robotsPromises(), redirectPromises(), pacePromises(), limitPromises(),
		memoryPromises(), answerPromises(), requestPromises(), networkPromises())
}

// A truth is what became of one promise with one subject.
type truth struct {
	applies, kept bool
	saw           string // by the server, where it wasn't kept; why it doesn't apply
}

func (t truth) String() string {
	switch {
	case !t.applies:
		return "n.a."
	case t.kept:
		return "yes"
	default:
		return "**no**"
	}
}

// benchTruth holds bots against what they promise sites, judged by the server's log alone.
// Every exchange has a server and a process of its own.
func benchTruth(b *bench) error {
	var rows []promise
	for _, p := range promises() {
		if b.only == nil || b.only.MatchString(p.words) {
			rows = append(rows, p)
		}
	}
	slices.SortStableFunc(Bots, func(x, y Subject[Bot]) int { return strings.Compare(string(x.Kind), string(y.Kind)) }) // ours first
	got := make([][]truth, len(rows))
	errs := make([]error, len(rows)*len(Bots))
	turns := make(chan struct{}, truthAside)
	var wg sync.WaitGroup
	for i, p := range rows {
		got[i] = make([]truth, len(Bots))
		for k, s := range Bots {
			if why, lacks := s.Do.Lacks[p.needs]; lacks {
				got[i][k] = truth{saw: why}
				continue
			}
			turns <- struct{}{}
			wg.Go(func() {
				defer func() { <-turns }()
				got[i][k], errs[i*len(Bots)+k] = p.holds(s.Name)
			})
		}
		fmt.Fprintln(b.progress, "truth: "+p.words)
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	b.writeTruths(rows, got)
	return nil
}

// holds plays the exchange with one subject.
func (p *promise) holds(subject string) (t truth, err error) {
	s, err := newTruthSite(p.serve)
	if err != nil {
		return t, err
	}
	defer s.close()
	dir, err := os.MkdirTemp("", "truth")
	if err != nil {
		return t, err
	}
	defer os.RemoveAll(dir)
	job := TruthJob{
		Site: p.site, Hosts: s.public(), Delay: orElse(p.delay, truthDelay), Product: truthProduct, UserAgent: orElse(p.agent, shortAgent),
		Dir: dir, Limit: orElse(p.limit, truthLimit), Subject: subject, Resolver: s.names.addr,
	}
	run := func(ask []string) error {
		if ask == nil {
			return nil
		}
		j := job
		for _, a := range ask {
			j.Ask = append(j.Ask, s.address(a))
		}
		return inTruthChild(&j, s.certFile(dir))
	}
	var aside error
	var wg sync.WaitGroup
	wg.Go(func() { aside = run(p.beside) })
	err = run(p.ask)
	wg.Wait()
	if err == nil {
		err = aside
	}
	if err == nil {
		err = run(p.then)
	}
	if err != nil {
		return t, fmt.Errorf("%s: %s: %w", p.words, subject, err)
	}
	s.close() // what is still being answered ends here
	t = truth{applies: true}
	if l := s.requests(); len(l) == 0 {
		t.saw = "nothing was asked for"
	} else {
		t.kept, t.saw = p.kept(l)
	}
	return t, nil
}

// orElse is v, or what stands in for its zero.
func orElse[T comparable](v, zero T) T {
	if v == *new(T) {
		return zero
	}
	return v
}

func (b *bench) writeTruths(rows []promise, got [][]truth) {
	head := []string{"what a site may count on", "asked for by"}
	count := []string{"**kept, of those that apply**", ""}
	byRFC := []string{"**kept, of those that an RFC asks for**", ""}
	for k, s := range Bots {
		head = append(head, s.Name)
		kept, applies, keptRFC, appliesRFC := 0, 0, 0, 0
		for i, p := range rows {
			t := got[i][k]
			rfc := strings.HasPrefix(p.by, "RFC")
			switch {
			case t.kept && rfc:
				keptRFC, appliesRFC = keptRFC+1, appliesRFC+1
			case t.applies && rfc:
				appliesRFC++
			}
			if t.kept {
				kept++
			}
			if t.applies {
				applies++
			}
		}
		count = append(count, fmt.Sprintf("%d of %d", kept, applies))
		byRFC = append(byRFC, fmt.Sprintf("%d of %d", keptRFC, appliesRFC))
		if s.Name == ours {
			b.atLeast(float64(applies), float64(kept), "truth: %s: promises kept", s.Name)
		}
	}
	var cells, missed [][]string
	for i, p := range rows {
		row := []string{p.words, orElse(p.by, "–")}
		for k, s := range Bots {
			t := got[i][k]
			row = append(row, t.String())
			if t.applies && !t.kept {
				missed = append(missed, []string{p.words, s.Name, printable(t.saw)})
			}
		}
		cells = append(cells, row)
	}
	b.table("truth: what the server saw kept", head, append(cells, count, byRFC))
	b.table("truth: what it saw instead", []string{"promise", "subject", "the server's log"}, missed)

	fmt.Fprintf(b.w, "\n## truth: why a row does not apply\n\n")
	for _, s := range Bots {
		for _, n := range []need{bodies, links, sitemaps} {
			if why, lacks := s.Do.Lacks[n]; lacks {
				fmt.Fprintf(b.w, "- %s: %s\n", s.Name, why)
			}
		}
	}
}
