package main

import (
	"io"

	"github.com/politefetch/sdk/robots"
	"github.com/politefetch/sdk/sitemap"
)

// ours is the subject that the bars are about.
const ours = "politefetch"

func init() {
	Robots = append(Robots,
		Subject[ParseRobots]{Ours, ours, func(body []byte, agent string) (Allowed, error) {
			group := robots.Parse(body).Group(agent)
			return func(a *Address) bool { return group.TestPath(a.Path).Allowed }, nil
		}},
		Subject[ParseRobots]{Ours, ours + ", from a *url.URL", func(body []byte, agent string) (Allowed, error) {
			group := robots.Parse(body).Group(agent)
			return func(a *Address) bool { return group.Test(a.URL).Allowed }, nil
		}})

	Sitemaps = append(Sitemaps, Subject[ReadSitemap]{Ours, ours, func(r io.Reader, images bool) (urls int, err error) {
		for _, err := range sitemap.Read(r, &sitemap.Options{Extensions: images, MaxURLs: -1, MaxBytes: -1}) {
			if err != nil {
				return urls, err
			}
			urls++
		}
		return urls, nil
	}})
}
