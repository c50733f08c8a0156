package main

import (
	"errors"
	"io"

	"github.com/muktihari/xmltokenizer"
)

// xmltokenizer knows XML, not sitemaps: it looks at every token, and keeps nothing.
func init() {
	Sitemaps = append(Sitemaps, Subject[ReadSitemap]{Other, "muktihari/xmltokenizer", func(r io.Reader, _ bool) (urls int, err error) {
		for t := xmltokenizer.New(r); ; {
			token, err := t.Token()
			if errors.Is(err, io.EOF) {
				return urls, nil
			}
			if err != nil {
				return urls, err
			}
			if !token.IsEndElement && string(token.Name.Local) == "url" {
				urls++
			}
		}
	}})
}
