package main

import (
	"io"

	sitemap "github.com/oxffaa/gopher-parse-sitemap"
)

func init() {
	Sitemaps = append(Sitemaps, Subject[ReadSitemap]{Peer, "oxffaa/gopher-parse-sitemap", func(r io.Reader, _ bool) (urls int, err error) {
		err = sitemap.Parse(r, func(sitemap.Entry) error {
			urls++
			return nil
		})
		return urls, err
	}})
}
