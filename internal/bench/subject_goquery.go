package main

import (
	"bytes"
	"strings"

	"github.com/PuerkitoBio/goquery"
)

func init() {
	Pages = append(Pages, Subject[ReadPage]{Peer, pageGoquery, func(body []byte) (PageFacts, error) {
		doc, err := goquery.NewDocumentFromReader(bytes.NewReader(body))
		if err != nil {
			return PageFacts{}, err
		}
		f := PageFacts{Title: strings.Join(strings.Fields(doc.Find("title").First().Text()), " ")}
		f.Robots, _ = doc.Find(`meta[name="robots"]`).Attr("content")
		f.Canonical, _ = doc.Find(`link[rel="canonical"]`).Attr("href")
		links := map[string]bool{}
		doc.Find("a[href], area[href]").Each(func(_ int, s *goquery.Selection) {
			if href, _, _ := strings.Cut(s.AttrOr("href", ""), "#"); href != "" {
				links[href] = true
			}
		})
		f.Links = len(links)
		doc.Find("script, style, title, noscript").Remove()
		f.Words = len(strings.Fields(doc.Text()))
		return f, nil
	}})
}
