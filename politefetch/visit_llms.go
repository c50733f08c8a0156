package politefetch

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/politefetch/sdk/sitemap"
)

const acceptLLMs = "text/markdown,text/plain;q=0.9,*/*;q=0.1"

// llms reads the site's llms.txt as one of its pages, and queues what it links to. Where
// there is none, no page is yielded. An error ends the visit.
func (r *run) llms(ctx context.Context, at *url.URL) error {
	addr := (&url.URL{Scheme: at.Scheme, Host: at.Host, Path: "/llms.txt"}).String()
	if r.owner(addr) != "" || !r.queue.reserve() {
		return nil
	}
	from := waiting{addr, true}
	rd := r.rd
	rd.accept, rd.keep, rd.htmlOnly = acceptLLMs, true, false
	res := r.read(ctx, from, rd)
	p := res.page
	said := "not read"
	switch {
	case res.err != nil || p.Outcome != Done || p.Final == "":
	case p.Status != http.StatusOK:
		r.saw(ctx, addr, fmt.Sprintf("answered %d", p.Status))
		r.queue.giveBack(from)
		return nil
	case p.Summary().HTML:
		said = "a page, not an llms.txt"
	default:
		said = r.addLLMs(p)
	}
	r.saw(ctx, addr, said)
	if r.opts.DropBodies {
		p.Body, p.Header = nil, kept(p.Header)
		if p.summary != nil {
			p.summary.Title = ""
		}
	}
	return r.emit(ctx, res)
}

// addLLMs queues what an llms.txt links to, and says in words what it was.
func (r *run) addLLMs(p *Page) string {
	file, err := sitemap.ReadLLMs(bytes.NewReader(p.Body), &sitemap.LLMsOptions{URL: finalOf(p)})
	if err != nil {
		return problem(err)
	}
	links := slices.Concat(file.Links, file.Inline)
	for _, section := range file.Sections {
		links = slices.Concat(links, section.Links, section.Inline)
	}
	for _, l := range links {
		r.found(l.URL)
	}
	return fmt.Sprintf("%d links", len(links))
}

// saw adds to the report where addresses came from.
func (r *run) saw(ctx context.Context, addr, what string) {
	text := addr + ": " + what
	r.update(func(rep *Report) { rep.Sitemap += "; " + text })
	r.c.observe(ctx, Event{Kind: EventSitemap, URL: addr, Why: text})
}
