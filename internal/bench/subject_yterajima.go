package main

import (
	"io"

	"github.com/yterajima/go-sitemap"
)

// yterajima's parser wants the whole file in memory.
func init() {
	Sitemaps = append(Sitemaps, Subject[ReadSitemap]{Peer, "yterajima/go-sitemap", func(r io.Reader, _ bool) (urls int, err error) {
		data, err := readWhole(r)
		if err != nil {
			return 0, err
		}
		s, err := sitemap.Parse(data)
		return len(s.URL), err
	}})
}

// readWhole reads all of r into memory, at once where it tells its size.
func readWhole(r io.Reader) ([]byte, error) {
	sized, ok := r.(interface{ Len() int })
	if !ok {
		return io.ReadAll(r)
	}
	data := make([]byte, sized.Len())
	_, err := io.ReadFull(r, data)
	return data, err
}
