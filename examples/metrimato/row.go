package main

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/politefetch/sdk/politefetch"
	"github.com/politefetch/sdk/robots"
)

// A row is what is shown of one page, and what -json writes of it: lengths, counts and
// addresses.
type row struct {
	N       int                 `json:"n"`
	URL     string              `json:"url"`
	Final   string              `json:"final,omitempty"` // where redirects led
	Outcome politefetch.Outcome `json:"outcome"`
	Error   string              `json:"error,omitempty"` // why it was not read
	Rule    string              `json:"rule,omitempty"`  // of robots.txt, where that is why
	Line    int                 `json:"line,omitempty"`
	Status  int                 `json:"status,omitempty"`
	Type    string              `json:"type,omitempty"`
	Hops    []hop               `json:"redirects,omitempty"`
	Began   *time.Time          `json:"began,omitempty"`
	Millis  int64               `json:"ms,omitempty"` // from the first request to the last answer
	Tries   int                 `json:"tries,omitempty"`

	facts
}

// facts are what an HTML page comes to.
type facts struct {
	Bytes       int64  `json:"bytes"`
	Truncated   bool   `json:"truncated,omitempty"`
	Title       int    `json:"title_length"`
	Description int    `json:"description_length"`
	Text        int    `json:"text_length"`
	Words       int    `json:"words"`
	Headings    int    `json:"headings"`
	Links       int    `json:"links"`
	Images      int    `json:"images"`
	Scripts     int    `json:"scripts"`
	Forms       int    `json:"forms"`
	Canonical   string `json:"canonical,omitempty"`
	NoIndex     bool   `json:"noindex,omitempty"`
	NoFollow    bool   `json:"nofollow,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"`
	Twin        int    `json:"same_as,omitempty"` // the earlier row with the same fingerprint
}

type hop struct {
	URL      string `json:"url"`
	Status   int    `json:"status"`
	Location string `json:"location"`
}

// A rower makes rows and remembers fingerprints, to tell pages that say the same.
type rower struct {
	n     int
	first map[politefetch.Fingerprint]int
}

func (r *rower) row(p *politefetch.Page, err error) row {
	r.n++
	out := row{N: r.n, URL: p.URL, Outcome: p.Outcome, Status: p.Status, Tries: p.Tries}
	if p.Final != p.URL {
		out.Final = p.Final
	}
	if !p.Began.IsZero() {
		began := p.Began
		out.Began, out.Millis = &began, p.Ended.Sub(p.Began).Milliseconds()
	}
	if p.Header != nil {
		out.Type, _, _ = mime.ParseMediaType(p.Header.Get("Content-Type"))
	}
	for _, h := range p.Hops {
		out.Hops = append(out.Hops, hop{h.URL, h.Status, h.Location})
	}
	if err != nil {
		out.Error = reason(err)
		if v := verdict(err); v.Reason == robots.ReasonRule {
			out.Rule, out.Line = v.Rule, v.Line
		}
	}
	out.facts = r.facts(p)
	return out
}

func (r *rower) facts(p *politefetch.Page) facts {
	s := p.Summary()
	f := facts{
		Bytes: s.Bytes, Truncated: p.Truncated, Title: s.TitleLen, Description: s.DescriptionLen,
		Text: s.TextLen, Words: s.Words, Headings: s.Headings, Links: len(s.Links), Images: s.Images,
		Scripts: s.Scripts, Forms: s.Forms, Canonical: s.Canonical, NoIndex: s.NoIndex, NoFollow: s.NoFollow,
		Fingerprint: string(s.Fingerprint),
	}
	if p.Status != http.StatusOK || s.Words == 0 {
		return f // error pages are all alike, and so are empty ones
	}
	if r.first == nil {
		r.first = make(map[politefetch.Fingerprint]int)
	}
	if n := r.first[s.Fingerprint]; n > 0 {
		f.Twin = n
	} else {
		r.first[s.Fingerprint] = r.n
	}
	return f
}

// reason is an error's text without the address that a row shows anyway.
func reason(err error) string {
	if e, ok := errors.AsType[*politefetch.Error](err); ok {
		return e.Reason()
	}
	return err.Error()
}

func verdict(err error) robots.Verdict {
	if e, ok := errors.AsType[*politefetch.Error](err); ok {
		return e.Robots
	}
	return robots.Verdict{}
}

// note says in words what is special about a page.
func (r *row) note(site string) string {
	hops := make([]string, len(r.Hops))
	for i, h := range r.Hops {
		hops[i] = fmt.Sprintf("%d to %s", h.Status, short(h.Location, site))
	}
	notes := []string{strings.Join(hops, ", ")}
	say := func(text string) { notes = append(notes, text) }
	switch {
	case r.Outcome == politefetch.Barred && r.Status == http.StatusOK:
		say("read, but not admitted: " + r.Error)
	case r.Error != "":
		say(r.Error)
	case r.Final == "" && len(r.Hops) > 0 && r.Status/100 == 3:
		notes[0] += ", which has a row of its own"
	case r.Outcome == politefetch.Done && r.Type != "" && r.Status == http.StatusOK && r.Fingerprint == "":
		say("not HTML: dropped at its head")
	case r.Outcome == politefetch.Done && r.Status >= 400: // 404 and 410
		say(strings.ToLower(http.StatusText(r.Status)))
	case r.Outcome != politefetch.Done:
		say(string(r.Outcome))
	}
	if r.Truncated && r.Error == "" {
		say("cut here, there was more")
	}
	if r.Tries > 1 {
		say(fmt.Sprintf("asked for %d times", r.Tries))
	}
	if r.NoIndex {
		say("noindex")
	}
	return strings.Join(slices.DeleteFunc(notes, func(s string) bool { return s == "" }), "; ")
}

// short is an address without the site's own scheme and host.
func short(addr, site string) string {
	if path, ok := strings.CutPrefix(addr, site); ok && strings.HasPrefix(path, "/") {
		return path
	}
	return addr
}
