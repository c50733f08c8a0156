package main

import (
	"bytes"
	"net/http"

	"github.com/benjaminestes/robots/v2"
)

func init() {
	Robots = append(Robots, Subject[ParseRobots]{Peer, "benjaminestes/robots", func(body []byte, agent string) (Allowed, error) {
		file, err := robots.From(http.StatusOK, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		test := file.Tester(agent)
		return func(a *Address) bool { return test(a.Raw) }, nil
	}})
}
