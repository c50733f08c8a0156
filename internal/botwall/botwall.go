// Package botwall tells the answer of a bot wall (a challenge or a block page of a
// protection service) from every other answer, on proof only.
//
// Proof is a header that a service sets with its verdict, or the elements, scripts and
// fixed sentences of its own pages: a name in an article, a sensor script on an ordinary
// page, a captcha in a form or a bare 403 prove nothing. A rate limit (429, or 503 with
// Retry-After) is no wall, but an answer that is both is a wall.
package botwall

import (
	"bytes"
	"net/http"

	"golang.org/x/net/html"
)

const (
	// maxBody is how much of a body is looked at: no wall is larger, and those that come
	// near are large at their end.
	maxBody = 256 << 10

	// maxBare is the most text, in characters, that an answer below 400 shows and is
	// still judged by its body: a wall has nothing to say, a page that quotes one has.
	maxBare = 400
)

// Kind says what an answer is. The zero value is the harmless one.
type Kind uint8

// The kinds of answers.
const (
	NotAWall  Kind = iota
	Challenge      // asks the client to prove something first
	Block          // turns the client away
)

// String returns "none", "challenge" or "block".
func (k Kind) String() string {
	switch k {
	case Challenge:
		return "challenge"
	case Block:
		return "block"
	default:
		return "none"
	}
}

// MarshalText returns what String does.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Wall is a verdict: what kind of wall, whose, and the marker that proves it. Its zero
// value says that the answer is not a wall.
type Wall struct {
	Kind           Kind
	Vendor, Marker string
}

func challenge(vendor, marker string) Wall { return Wall{Challenge, vendor, marker} }

func block(vendor, marker string) Wall { return Wall{Block, vendor, marker} }

// Detect judges an answer by its status, its header and the first 256 KiB of its body,
// content encoding undone. Verdict headers decide first (see [FromHeader]), then, for HTML,
// a page's own elements (see [Collector]), and a few exact JSON and plain text bodies.
func Detect(status int, h http.Header, body []byte) Wall {
	if w := FromHeader(status, h); w.Kind != NotAWall {
		return w
	}
	body = body[:min(len(body), maxBody)]
	if w := fromData(status, h, body); w.Kind != NotAWall {
		return w
	}
	c := NewCollector(status, h)
	c.read(body)
	return c.Wall()
}

// read feeds the collector from a body at hand.
func (c *Collector) read(body []byte) {
	z := html.NewTokenizer(bytes.NewReader(body))
	for c.Wants() {
		tt := z.Next()
		c.Advance(len(z.Raw()))
		switch tt {
		case html.ErrorToken:
			return
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			if string(name) == "noscript" {
				z.NextIsNotRawText() // we run no scripts: its content counts
			}
			c.StartTag(name)
			for more {
				var key, val []byte
				key, val, more = z.TagAttr()
				c.Attr(key, val)
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			c.EndTag(name)
		case html.TextToken:
			c.Text(z.Text())
		default:
		}
	}
}
