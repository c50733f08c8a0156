package fetchtest

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// An Answer is one scripted answer of a [Site]. It is plain data; the zero Answer is an
// empty 404.
type Answer struct {
	Status  int           // 0: 200 with a Body, else 404
	Header  http.Header   // nil: none
	Body    string        // sent whole, whatever Header says of it
	Delay   time.Duration // before the head
	Drip    time.Duration // before each byte of the body; 0: the body comes at once
	Endless bool          // the body is repeated for ever
	Err     error         // instead of an answer: the request fails, on a real socket by a closed connection
}

// HTML returns an answer with an HTML body.
func HTML(body string) Answer { return typed("text/html; charset=utf-8", body) }

// Text returns an answer with a plain-text body, such as a robots.txt file.
func Text(body string) Answer { return typed("text/plain; charset=utf-8", body) }

// XML returns an answer with an XML body.
func XML(body string) Answer { return typed("application/xml", body) }

func typed(contentType, body string) Answer {
	return Answer{Status: http.StatusOK, Header: http.Header{"Content-Type": {contentType}}, Body: body}
}

// Sitemap returns a sitemap that lists the given addresses.
func Sitemap(locs ...string) Answer { return XML(list("urlset", "url", locs)) }

// SitemapIndex returns a sitemap index that lists the given sitemaps.
func SitemapIndex(locs ...string) Answer { return XML(list("sitemapindex", "sitemap", locs)) }

func list(root, entry string, locs []string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n<" + root + ` xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, l := range locs {
		b.WriteString("<" + entry + "><loc>")
		_ = xml.EscapeText(&b, []byte(l)) // a Builder takes everything
		b.WriteString("</loc></" + entry + ">\n")
	}
	b.WriteString("</" + root + ">\n")
	return b.String()
}

// Status returns an empty answer with the given status code.
func Status(code int) Answer { return Answer{Status: code} }

// Redirect returns a 302 to location.
func Redirect(location string) Answer {
	return Status(http.StatusFound).With("Location", location)
}

// Challenge returns a 403 that carries a bot wall's mark (Cloudflare's challenge header).
func Challenge() Answer { return Status(http.StatusForbidden).With("Cf-Mitigated", "challenge") }

// Hang returns an answer that never comes.
func Hang() Answer { return Answer{Delay: 1 << 62} }

// Fail returns an answer that is a failed connection.
func Fail(err error) Answer { return Answer{Err: err} }

// With returns a copy of a with a header field set.
func (a Answer) With(key, value string) Answer {
	a.Header = maps.Clone(a.Header)
	if a.Header == nil {
		a.Header = make(http.Header)
	}
	a.Header.Set(key, value)
	return a
}

// RetryAfter returns a copy of a that asks for a wait of d, in whole seconds
// (RFC 9110 section 10.2.3).
func (a Answer) RetryAfter(d time.Duration) Answer {
	return a.With("Retry-After", strconv.FormatInt(int64(d/time.Second), 10))
}

// After returns a copy of a that comes d later.
func (a Answer) After(d time.Duration) Answer {
	a.Delay += d
	return a
}

// Gzip returns a copy of a whose body is compressed and whose type is application/gzip,
// as a sitemap.xml.gz file is served.
func (a Answer) Gzip() Answer {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(a.Body)) // a Buffer takes everything
	_ = w.Close()
	a.Body = b.String()
	return a.With("Content-Type", "application/gzip")
}
