package main

import (
	"github.com/jimsmart/grobotstxt"
)

// grobotstxt is a port of Google's parser, and what all answers are held against. It
// reads the file anew for each answer.
func init() {
	Robots = append(Robots, Subject[ParseRobots]{Peer, grobots, parseGrobotstxt})
}

// grobots names the reference.
const grobots = "grobotstxt"

func parseGrobotstxt(body []byte, agent string) (Allowed, error) {
	text := string(body)
	return func(a *Address) bool { return grobotstxt.AgentAllowed(text, agent, a.Raw) }, nil
}

// ignore is a handler that does nothing, for the cost of the bare parser.
type ignore struct{}

func (ignore) HandleRobotsStart()                      {}
func (ignore) HandleRobotsEnd()                        {}
func (ignore) HandleUserAgent(int, string)             {}
func (ignore) HandleAllow(int, string)                 {}
func (ignore) HandleDisallow(int, string)              {}
func (ignore) HandleSitemap(int, string)               {}
func (ignore) HandleUnknownAction(int, string, string) {}

func bareParse(body []byte, _ string) (Allowed, error) {
	grobotstxt.Parse(string(body), ignore{})
	return nil, nil //nolint:nilnil // there is nothing to ask
}
