package main

import (
	"encoding/xml"
	"errors"
	"io"
)

// xmlToken is the standard library's tokenizer: it looks at every token, and keeps nothing.
const xmlToken = "encoding/xml Token"

func init() {
	Sitemaps = append(Sitemaps, Subject[ReadSitemap]{Other, xmlToken, func(r io.Reader, _ bool) (urls int, err error) {
		for d := xml.NewDecoder(r); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				return urls, nil
			}
			if err != nil {
				return urls, err
			}
			if e, ok := token.(xml.StartElement); ok && e.Name.Local == "url" {
				urls++
			}
		}
	}})
}
