package politefetch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/politefetch/sdk/internal/botwall"
	"github.com/politefetch/sdk/internal/urlnorm"
	"github.com/politefetch/sdk/sitemap"
)

// maxSitemapBody is what a sitemap may be: 50 MiB (sitemaps.org, as revised in 2016).
const maxSitemapBody = 50 << 20

// sitemaps queues the addresses that the site's sitemaps name: those of robots.txt or, if
// it names none, the usual ones. Where there is no sitemap links will be followed. An
// error ends the visit.
func (r *run) sitemaps(ctx context.Context, start *url.URL) error {
	file, err := r.e.robots(ctx, start)
	if err != nil {
		return r.giveUp(ctx, &Page{URL: start.String()}, err)
	}
	named := r.named(file)
	tries := [][]string{named}
	gate := sitemapGate{r: r}
	if len(named) == 0 {
		tries, gate.guessing = nil, true
		for _, p := range []string{"/sitemap.xml", "/sitemap_index.xml"} {
			tries = append(tries, []string{(&url.URL{Scheme: start.Scheme, Host: start.Host, Path: p}).String()})
		}
	}
	var said []string
	r.setFollow(true)
	for _, roots := range tries {
		found, text, err := r.walk(ctx, gate, roots)
		said = append(said, text)
		if err != nil {
			return err
		}
		if found {
			r.setFollow(r.opts.FollowLinks)
			said = []string{text}
			break
		}
	}
	if r.follow {
		said = append(said, "links are followed")
	}
	left, _ := r.queue.left()
	r.update(func(rep *Report) { rep.Sitemap, rep.Left = strings.Join(said, "; "), left })
	return nil
}

// setFollow decides whether links are followed.
func (r *run) setFollow(follow bool) {
	r.follow = follow
	r.update(func(rep *Report) { rep.Links = follow })
}

// named returns the sitemaps that a robots.txt names, resolved.
func (r *run) named(file *robotsCopy) []string {
	var out []string
	for _, s := range file.file.Sitemaps() {
		if u, err := urlnorm.Parse(file.at, s); err == nil && u.String() != file.at.String() && utf8.ValidString(s) {
			out = append(out, u.String())
		}
	}
	return out
}

// walk reads sitemaps and those that they name, and reports whether there were any: a
// sitemap that is empty, disallowed or broken is there; one that answers 404, or with
// something else, is not. An error ends the visit.
func (r *run) walk(ctx context.Context, gate sitemapGate, roots []string) (found bool, text string, err error) {
	t := tally{root: roots[0], more: len(roots) - 1}
	opts := &sitemap.WalkOptions{
		Keep: func(e sitemap.Entry) bool {
			t.addresses++
			if r.found(e.Loc) {
				t.wanted++
			}
			return false // the frontier has it
		},
		Follow: func(e sitemap.Entry) error {
			if u, err := url.Parse(e.Loc); err != nil || isAsset(u) {
				return ErrNotWanted
			}
			return nil
		},
		Observe: func(f sitemap.File) {
			if f.Err == nil {
				t.files++
			}
			if f.Depth == 0 && !absent(f) {
				found = true
			}
		},
	}
	client := &http.Client{Transport: gate, CheckRedirect: r.checkHops}
	for _, err := range sitemap.Walk(ctx, client, roots, opts) {
		if errors.Is(err, errEnough) {
			t.problems = append(t.problems, "no more sitemaps were needed")
			break
		}
		if end := endOfWalk(ctx, err); end != nil {
			return true, "", end
		}
		t.problems = append(t.problems, strings.TrimPrefix(problem(err), t.root+": "))
	}
	r.c.observe(ctx, Event{Kind: EventSitemap, URL: roots[0], Why: t.String()})
	return found, t.String(), nil
}

// absent reports whether a sitemap turned out not to be there.
func absent(f sitemap.File) bool {
	return f.Status == http.StatusNotFound || f.Status == http.StatusGone ||
		errors.Is(f.Err, sitemap.ErrNotSitemap) || errors.Is(f.Err, errNoSitemap)
}

// tally is what a walk came to.
type tally struct {
	root                     string
	more                     int // further roots
	files, addresses, wanted int
	problems                 []string
}

// String sums the walk up for the report.
func (t *tally) String() string {
	var b strings.Builder
	b.WriteString(clip(t.root))
	if t.more > 0 {
		fmt.Fprintf(&b, " and %d more", t.more)
	}
	if t.files > 0 {
		fmt.Fprintf(&b, ": %d addresses", t.addresses)
	}
	if t.wanted < t.addresses {
		fmt.Fprintf(&b, ", %d of them wanted", t.wanted)
	}
	if t.files > 1 {
		fmt.Fprintf(&b, ", in %d files", t.files)
	}
	if n := len(t.problems); n > 0 {
		fmt.Fprintf(&b, " (%s", strings.Join(t.problems[:min(n, 3)], "; "))
		if n > 3 {
			fmt.Fprintf(&b, "; and %d more", n-3)
		}
		b.WriteByte(')')
	}
	return b.String()
}

// problem is what was wrong with a sitemap, in words.
func problem(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return clip(e.URL) + ": " + e.Reason()
	}
	return strings.TrimPrefix(err.Error(), "sitemap: ")
}

// endOfWalk returns the error of a sitemap that ends the visit.
func endOfWalk(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if e, ok := errors.AsType[*Error](err); ok && (e.Outcome == Walled || waitError(e) != nil || isStore(e)) {
		return e
	}
	return nil
}

// checkHops bounds a sitemap's redirects as a page's are.
func (r *run) checkHops(_ *http.Request, via []*http.Request) error {
	if len(via) > max(r.c.cfg.MaxHops, 0) {
		return ErrTooManyHops
	}
	return nil
}

var (
	// errEnough stops a walk whose further addresses would not be asked for.
	errEnough = errors.New("enough addresses")
	// errNoSitemap is a sitemap's address that leads to a page: there is no sitemap.
	errNoSitemap = errors.New("leads to a page, not to a sitemap")
)

// sitemapGate sends a walk's requests along the whole path. A response's body holds the
// host's turn until it is closed; a walk closes it before anything else is asked for.
type sitemapGate struct {
	r        *run
	guessing bool // no sitemap is named: the usual places are tried
}

// RoundTrip implements [http.RoundTripper].
func (g sitemapGate) RoundTrip(req *http.Request) (*http.Response, error) {
	r, ctx := g.r, req.Context()
	if r.queue.full() {
		return nil, errEnough
	}
	u, err := r.e.pass(ctx, addressOf(req.URL))
	switch {
	case err != nil:
		return nil, err
	case g.isPage(req, u):
		return nil, errNoSitemap
	}
	file, err := r.e.robots(ctx, u)
	if err != nil {
		return nil, err
	}
	if v := file.verdict(u); !v.Allowed {
		return nil, r.e.forbid(ctx, u, v)
	}
	if err := r.e.proof.admit(ctx, u, &reading{}); err != nil {
		return nil, err
	}
	if !r.claim(u.String(), "sitemap "+u.String()) {
		return nil, errNoSitemap
	}
	budget := r.c.cfg.Timeout
	q := &query{method: http.MethodGet, accept: req.Header.Get("Accept"), max: maxSitemapBody + 1, delay: file.delay(), budget: &budget}
	for try := 1; ; try++ {
		x, err := r.e.open(ctx, u, q)
		if err != nil {
			return nil, wrap(ctx, u, err)
		}
		resp, wall := x.sitemap(ctx, req)
		if resp.Body == http.NoBody {
			if err := x.close(ctx, wall); err != nil {
				return nil, wrap(ctx, u, err)
			}
		}
		switch busy := isBusy(x.head.Status); {
		case wall.Kind != botwall.NotAWall:
			return nil, &Error{URL: u.String(), Outcome: Walled, Err: fmt.Errorf("a bot wall answered: %s", wallOf(wall))}
		case busy && try < r.c.cfg.Tries && !q.asks.spent(r.c.cfg.Asks):
			continue
		}
		return resp, nil
	}
}

// isPage reports whether an address is better left to be read as a page: many sites
// answer an address that they don't have with a redirect to their home page. That is
// not asked for as a sitemap, and what a guess leads to only if it looks like one.
func (g sitemapGate) isPage(req *http.Request, u *url.URL) bool {
	if isHome(u) || u.String() == g.r.start.String() || isAsset(u) {
		return true
	}
	guessed := req.Response == nil // not a redirect's target
	return g.guessing && !guessed && !strings.Contains(strings.ToLower(u.Path), "sitemap") && path.Ext(u.Path) != ".xml"
}

// sitemap makes an answer ready for the reader of sitemaps: decoded, and with a body only
// where it may be a sitemap. Walls are looked for before anything in it is believed.
func (x *exchange) sitemap(ctx context.Context, req *http.Request) (*http.Response, botwall.Wall) {
	resp := *x.resp
	resp.Request = req
	resp.Header = x.resp.Header.Clone()
	resp.Header.Del("Content-Encoding")
	resp.ContentLength = -1
	resp.Body = http.NoBody
	if x.leadsAway() {
		return &resp, botwall.FromHeader(resp.StatusCode, resp.Header)
	}
	if resp.StatusCode != http.StatusOK {
		p := &Page{Status: resp.StatusCode, Header: x.resp.Header}
		return &resp, p.readWall(x, x.body, false)
	}
	body := bufio.NewReaderSize(x.body, maxWallScan)
	head, _ := body.Peek(maxWallScan) // shorter: the whole of it
	wall := botwall.Detect(resp.StatusCode, x.resp.Header, head)
	if wall.Kind == botwall.NotAWall {
		resp.Body = &sitemapBody{Reader: body, x: x, ctx: ctx}
	}
	return &resp, wall
}

// sitemapBody gives the turn back when it is closed.
type sitemapBody struct {
	io.Reader
	x   *exchange
	ctx context.Context //nolint:containedctx // a request's, for as long as its body
}

func (b *sitemapBody) Close() error { return b.x.close(b.ctx, botwall.Wall{}) }
