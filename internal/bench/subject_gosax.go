package main

import (
	"io"

	"github.com/orisano/gosax"
)

// gosax knows XML, not sitemaps: it cuts the file at its tags, and keeps nothing.
func init() {
	Sitemaps = append(Sitemaps, Subject[ReadSitemap]{Other, "orisano/gosax", func(r io.Reader, _ bool) (urls int, err error) {
		for x := gosax.NewReader(r); ; {
			e, err := x.Event()
			if err != nil {
				return urls, err
			}
			switch e.Type() {
			case gosax.EventEOF:
				return urls, nil
			case gosax.EventStart:
				if name, _ := gosax.Name(e.Bytes); string(name) == "url" {
					urls++
				}
			}
		}
	}})
}
