package politefetch

import "github.com/politefetch/sdk/internal/urlnorm"

// addLinks queues what a page links to.
func (r *run) addLinks(p *Page) {
	s := p.Summary()
	if p.Outcome != Done || p.Status != 200 || s.NoFollow {
		return
	}
	for _, l := range s.Links {
		if !l.NoFollow {
			r.found(l.URL)
		}
	}
}

// found queues an address that a sitemap or a page names, if it is the visit's. It
// reports whether it was.
func (r *run) found(addr string) bool {
	u, err := urlnorm.Parse(nil, addr)
	if err != nil || r.inHosts(u) != nil || !r.wanted(u, r.opts.HTMLOnly) {
		return false
	}
	allowed := true
	if file := r.c.copies.peek(r.e, u); file != nil {
		allowed = file.verdict(u).Allowed
	}
	r.queue.add(u.String(), allowed)
	return true
}
