package robots

import (
	"iter"
	"net/url"
	"time"
)

// A Group is what a robots.txt file says to one crawler: all groups that name it, read as
// one. It is immutable and safe for concurrent use. To make one costs about as much as to
// parse the file, and to ask it next to nothing: keep it as long as the file.
type Group struct {
	file    *File
	chosen  selector
	none    Reason // the reason when no rule matches
	rules   *matcher
	delay   time.Duration
	delayed bool
}

// Group returns the rules for a crawler that goes by the given product tokens, the most
// specific first: the groups of the first token that any group names, or else those of
// "*", or else no rules. Google reads "Googlebot-Image", "Googlebot" that way. A whole
// User-Agent value will do for a token ([TokenOf]); one that can't be made a token
// ([CheckToken]) names nothing.
//
// Only the chosen group's rules are compiled, so that a file that speaks to hundreds of
// crawlers costs each of them no more than its own part. The Group isn't kept by the File.
func (f *File) Group(products ...string) *Group { return f.group(products, f.mode) }

func (f *File) group(products []string, m mode) *Group {
	g := &Group{file: f, none: ReasonNoRule}
	g.chosen = f.choose(products, m)
	switch {
	case f.outcome != ReasonNone:
		g.none = f.outcome
	case g.chosen.best > len(g.chosen.tokens):
		g.none = ReasonNoGroup
	}
	c := compiler{mode: m}
	c.text = f.text
	n := 0
	for range g.ruleNumbers() {
		n++
	}
	c.rules = make([]rule, 0, n)
	for i := range g.ruleNumbers() {
		c.take(f, i)
	}
	g.rules = c.finish()
	g.delay, g.delayed = g.findDelay()
	return g
}

// A selector tells which User-agent values belong to the group.
type selector struct {
	tokens []string
	best   int // the token that was chosen; len(tokens): "*"; more: none
	mode   mode
}

// choose finds the first token that some User-agent line names.
func (f *File) choose(products []string, m mode) selector {
	s := selector{mode: m, best: len(products) + 1}
	for _, p := range products {
		if p != "*" && m&modeGoogle == 0 {
			p = TokenOf(p)
		}
		s.tokens = append(s.tokens, p)
	}
	for _, r := range f.records {
		if r.kind() == kindUserAgent {
			s.best = min(s.best, s.rank(f.value(r)))
		}
	}
	return s
}

// rank is the number of the token that a User-agent value names, or one of the two numbers
// that mean "*" and none.
func (s *selector) rank(value string) int {
	if namesAll(value, s.mode) {
		return len(s.tokens)
	}
	for i, t := range s.tokens {
		if names(value, t) {
			return i
		}
	}
	return len(s.tokens) + 1
}

// holds reports whether a User-agent value belongs to the group.
func (s *selector) holds(value string) bool {
	r := s.rank(value)
	if s.mode&modeUnion != 0 && s.best < len(s.tokens) {
		return r < len(s.tokens)
	}
	return r == s.best && r <= len(s.tokens)
}

// ruleNumbers returns an iterator over the records that are rules of the group and not
// empty.
func (g *Group) ruleNumbers() iter.Seq[int] {
	return func(yield func(int) bool) {
		f := g.file
		in, closed := false, false
		for i, r := range f.records {
			switch k := r.kind(); k {
			case kindUserAgent:
				if f.skip(r, g.chosen.mode) {
					continue
				}
				in = in && !closed || g.chosen.holds(f.value(r))
				closed = false
			case kindAllow, kindDisallow:
				if f.skip(r, g.chosen.mode) {
					continue
				}
				closed = true
				if in && r.len() > 0 && !yield(i) {
					return
				}
			case kindCrawlDelay:
				closed = closed || g.chosen.mode&modeDelayEndsGroup != 0
			default:
			}
		}
	}
}

// skip reports whether a record is one that only a lenient reader sees.
func (f *File) skip(r record, m mode) bool {
	return m&modeRFC != 0 && (f.misspelt(r) || f.colonless(r))
}

// Product returns the token that the group was chosen by: one of those given to
// [File.Group], or "*", or "" if no group speaks to the crawler.
func (g *Group) Product() string {
	switch s := g.chosen; {
	case s.best < len(s.tokens):
		return s.tokens[s.best]
	case s.best == len(s.tokens):
		return "*"
	}
	return ""
}

// File returns the file that the group is of: its Sitemap lines, records and diagnostics.
func (g *Group) File() *File { return g.file }

// Test says whether the address may be asked for, by its path and query as they are
// written in it. One that was put together without its written form ([url.URL].RawPath) is
// allowed only if that holds for both ways in which it may be written. If the file is bound ([File.For]), an address of another scheme, host or port gets
// [ReasonOtherAuthority]; if it is not, whether it speaks for the address is for the caller
// to know. A nil URL gets the zero Verdict.
func (g *Group) Test(u *url.URL) Verdict {
	if u == nil {
		return Verdict{}
	}
	if !g.file.speaksFor(u) {
		return Verdict{Reason: ReasonOtherAuthority}
	}
	paths, n := requestPaths(u)
	v := g.TestPath(paths[0])
	if n > 1 && v.Allowed {
		v = g.TestPath(paths[1])
	}
	return v
}

// TestPath is [Group.Test] for a path with its query, escaped or not; "" stands for "/".
// What doesn't start with "/" is taken for a whole address of which the path and query
// count. It does not allocate, unless an address that isn't in normal form is longer than
// 1,000 bytes.
func (g *Group) TestPath(pathAndQuery string) Verdict {
	if isNormal(pathAndQuery) {
		return g.decide(pathAndQuery)
	}
	return g.testOdd(pathAndQuery)
}

// testOdd is TestPath for an address that isn't in normal form.
func (g *Group) testOdd(address string) Verdict {
	path, slash := cutPath(address)
	var buf [1024]byte
	b := buf[:0]
	if !slash {
		b = append(b, '/')
	}
	if g.chosen.mode&modeGoogle != 0 {
		return g.decide(unsafeString(append(b, path...)))
	}
	path = unsafeString(appendNormal(b, path, false))
	v := g.decide(path)
	if v.Allowed && hasDots(path) {
		var buf [1024]byte
		if w := g.decide(unsafeString(appendUndotted(buf[:0], path))); !w.Allowed {
			return w
		}
	}
	return v
}

// decide is TestPath for a path in normal form.
func (g *Group) decide(path string) Verdict {
	if path == "/robots.txt" && g.chosen.mode&modeGoogle == 0 {
		return Verdict{Allowed: true, Reason: ReasonRobotsTxt}
	}
	r := g.rules.find(path)
	if r == nil {
		return Verdict{Allowed: g.none != ReasonUnreachable, Reason: g.none}
	}
	rec := g.file.records[r.record()]
	return Verdict{
		Allowed: r.info&flagAllow != 0,
		Reason:  ReasonRule,
		Line:    rec.line(),
		Rule:    g.file.statement(rec),
	}
}
