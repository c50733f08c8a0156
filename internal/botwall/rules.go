package botwall

import (
	"bytes"
	"strings"
)

// Wall returns the verdict on the page as far as it was taken in.
func (c *Collector) Wall() Wall {
	if c.proven.Kind != NotAWall || !isHTML(c.header) {
		return c.proven
	}
	// Cloudflare's rate limit comes in the frame of its block page.
	if c.rateLimited() {
		return Wall{}
	}
	// The first hit wins. Services come before the captchas they embed; within a service,
	// a block comes before a challenge where its pages carry both.
	for _, rule := range [...]func(*Collector) Wall{
		(*Collector).cloudflare,
		(*Collector).akamai,
		(*Collector).imperva,
		(*Collector).datadome,
		(*Collector).perimeterx,
		(*Collector).aws,
		(*Collector).sucuri,
		(*Collector).kasada,
		(*Collector).f5,
		(*Collector).fastly,
		(*Collector).vercel,
		(*Collector).siteground,
		(*Collector).anubis,
		(*Collector).goAway,
		(*Collector).wordfence,
		(*Collector).stackpath,
		(*Collector).ddosGuard,
		(*Collector).imunify360,
		(*Collector).aliyun,
		(*Collector).reblaze,
		(*Collector).azure,
		(*Collector).amazon,
		(*Collector).google,
		(*Collector).reddit,
		(*Collector).captcha,
	} {
		if w := rule(c); w.Kind != NotAWall {
			return w
		}
	}
	return Wall{}
}

// bare is true of a page with almost nothing to read on it.
func (c *Collector) bare() bool { return c.visible-1 <= maxBare }

// alone is the condition of a marker that is proof on an error page, and on any other page
// only if there is nothing else.
func (c *Collector) alone() bool { return c.status >= 400 || c.bare() }

// refuses is true of the statuses that services send their block pages with, if the page
// is no longer than those are. Sentences are judged on these only.
func (c *Collector) refuses() bool {
	switch c.status {
	case 401, 403, 405, 406, 415, 418, 428, 429, 449, 503:
		return c.visible <= maxBlockPage
	}
	return false
}

// maxBlockPage is the most text, in characters, of a page that a sentence can prove to be
// a block: Google's and Wordfence's have 1,000 to 1,500.
const maxBlockPage = 2500

func (c *Collector) says(sentence string) bool { return bytes.Contains(c.text, []byte(sentence)) }

func (c *Collector) titleText() string { return strings.Join(strings.Fields(string(c.title)), " ") }

func (c *Collector) server(name string) bool {
	return strings.Contains(strings.ToLower(c.header.Get("Server")), name)
}
